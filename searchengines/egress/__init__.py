"""The only code that opens a socket: deadlines, budgets, address rules, kept connections."""

from searchengines.egress.base_url import canonical_base_url
from searchengines.egress.gate import Egress
from searchengines.egress.pools import EgressStats
from searchengines.egress.settings import EgressSettings

__all__ = ["Egress", "EgressSettings", "EgressStats", "canonical_base_url"]
