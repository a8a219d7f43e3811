from django.apps import AppConfig


class ActivityConfig(AppConfig):
    name = "apps.activity"
    label = "activity"
    verbose_name = "Activity"

    def ready(self) -> None:
        from apps.activity.audit import write_audit_row
        from apps.workspaces import audit

        audit.install(write_audit_row)
