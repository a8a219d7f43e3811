"""Operators' view of what happened: read only, as everything that is written by the product itself."""

from django.contrib import admin

from apps.activity.models import AuditRow, CallsInFlight, Counter, Execution
from apps.workspaces.admin import ReadOnlyAdmin


@admin.register(AuditRow)
class AuditRowAdmin(ReadOnlyAdmin):
    date_hierarchy = "at"
    list_display = ("at", "action", "actor_kind", "actor_label", "target_kind", "target_id", "workspace_id")
    list_filter = ("action", "actor_kind", "target_kind", "at")
    search_fields = ("id", "workspace_id", "actor_id", "actor_label", "target_id", "request_id")
    fields = ("id", *list_display, "actor_id", "actor_member_id", "details", "request_id")
    show_full_result_count = False


@admin.register(Execution)
class ExecutionAdmin(ReadOnlyAdmin):
    date_hierarchy = "at"
    list_display = ("at", "extension", "action", "caller", "caller_id", "code", "reason", "results", "milliseconds")
    list_filter = ("code", "caller", "extension", "at")
    search_fields = ("id", "workspace_id", "caller_id", "installation_id", "request_id")
    fields = (
        *("id", "workspace_id", *list_display, "caller_member_id", "installation_id"),
        *("upstream_milliseconds", "key_ordinal", "request_id"),
    )
    show_full_result_count = False


@admin.register(Counter)
class CounterAdmin(ReadOnlyAdmin):
    list_display = ("key", "window", "value")
    list_filter = ("window",)
    search_fields = ("key",)
    fields = list_display


@admin.register(CallsInFlight)
class CallsInFlightAdmin(ReadOnlyAdmin):
    list_display = ("process", "workspace_id", "calls", "at")
    list_filter = ("at",)
    search_fields = ("process", "workspace_id")
    fields = list_display
