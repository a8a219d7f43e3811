from apps.activity.models.audit import AuditRow
from apps.activity.models.counters import CallsInFlight, Counter
from apps.activity.models.executions import Execution

__all__ = ["AuditRow", "CallsInFlight", "Counter", "Execution"]
