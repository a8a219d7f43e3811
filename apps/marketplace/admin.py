"""Operators' view of the marketplace: everything can be read but what is sealed; only an App's switch can be set."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from apps.marketplace.models import (
    AgentAuthorization,
    App,
    AppRequest,
    AppVersion,
    Connection,
    Credential,
    EngineOptions,
    ExtensionSelection,
    Installation,
    WorkspaceSecret,
)
from apps.workspaces import audit
from apps.workspaces.admin import ReadOnlyAdmin


@admin.register(App)
class AppAdmin(ReadOnlyAdmin):
    """`enabled` is the operators' own switch; a disabled App is in no agent's catalog."""

    list_display = ("display_name", "slug", "id", "kind", "enabled", "available", "workspace", "created_at")
    list_filter = ("kind", "enabled", "available")
    list_select_related = ("workspace",)
    search_fields = ("id", "slug", "display_name", "workspace__name", "workspace__id")
    readonly_fields = (
        "id",
        "slug",
        "kind",
        "display_name",
        "description",
        "workspace",
        "manifest",
        "available",
        "created_at",
    )
    fields = ("enabled", *readonly_fields)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.has_perm(f"{self.opts.app_label}.change_{self.opts.model_name}"))

    def save_model(self, request: HttpRequest, obj: App, form: Any, change: bool) -> None:
        if not form.has_changed():
            return
        App.objects.filter(pk=obj.pk).update(enabled=obj.enabled)
        actor = audit.Actor.operator(f"admin site: {request.user}")
        audit.record(None, actor, "app.enabled" if obj.enabled else "app.disabled", "app", obj.pk)


@admin.register(AppVersion)
class AppVersionAdmin(ReadOnlyAdmin):
    list_display = ("app", "version", "definition_domain", "definition_version", "definition_digest", "default_enabled")
    list_filter = ("default_enabled", "definition_version", "created_at")
    list_select_related = ("app",)
    search_fields = ("app__id", "app__slug", "definition_domain", "definition_digest", "default_name")
    fields = (*list_display, "default_name", "created_at")


@admin.register(Installation)
class InstallationAdmin(ReadOnlyAdmin):
    list_display = ("id", "workspace", "app", "app_version", "status", "installed_at", "last_test_code")
    list_filter = ("status", "app__kind", "last_test_code", "installed_at")
    list_select_related = ("workspace", "app", "app_version")
    search_fields = ("id", "workspace__id", "workspace__name", "app__id", "app__slug")
    fields = (*list_display, "uninstalled_at", "last_test_at", "last_test_reason")


@admin.register(ExtensionSelection)
class ExtensionSelectionAdmin(ReadOnlyAdmin):
    list_display = ("name", "workspace", "installation", "active", "enabled", "agent_access")
    list_filter = ("active", "enabled", "agent_access")
    list_select_related = ("workspace", "installation")
    search_fields = ("name", "workspace__id", "workspace__name", "installation__id")
    fields = list_display


@admin.register(AgentAuthorization)
class AgentAuthorizationAdmin(ReadOnlyAdmin):
    list_display = ("selection", "agent", "allowed")
    list_filter = ("allowed",)
    list_select_related = ("selection", "agent")
    search_fields = ("selection__name", "selection__workspace__name", "agent__id", "agent__name")
    fields = list_display


@admin.register(AppRequest)
class AppRequestAdmin(ReadOnlyAdmin):
    list_display = ("id", "workspace", "app", "requested_by", "status", "created_at", "decided_at")
    list_filter = ("status", "created_at")
    list_select_related = ("workspace", "app", "requested_by")
    search_fields = ("id", "workspace__id", "workspace__name", "app__slug", "requested_by__user__email")
    fields = (*list_display, "reason")


@admin.register(Connection)
class ConnectionAdmin(ReadOnlyAdmin):
    """A connection's state, and of its credentials only that they are there."""

    list_display = ("id", "installation", "workspace", "app", "external_subject_ref", "active", "configured")
    list_filter = ("active", "external_subject_ref", "created_at")
    list_select_related = ("installation__workspace", "installation__app")
    search_fields = ("id", "installation__id", "installation__workspace__name", "installation__app__slug")
    fields = (*list_display, "config", "revision", "cooling", "created_at", "updated_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Connection]:
        queryset: QuerySet[Connection] = super().get_queryset(request)
        return queryset.prefetch_related("credentials")

    @admin.display(ordering="installation__workspace__name")
    def workspace(self, connection: Connection) -> str:
        return str(connection.installation.workspace)

    @admin.display(ordering="installation__app__slug")
    def app(self, connection: Connection) -> str:
        return connection.installation.app.slug

    @admin.display(description="credentials configured")
    def configured(self, connection: Connection) -> str:
        return ", ".join(sorted(credential.field for credential in connection.credentials.all())) or "-"


class SealedAdmin(ReadOnlyAdmin):
    """Rows with an envelope: which master key it is under is shown, the envelope is not even read."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        queryset: QuerySet[Any] = super().get_queryset(request)
        return queryset.defer("envelope")


@admin.register(Credential)
class CredentialAdmin(SealedAdmin):
    list_display = ("connection", "field", "kind", "key_id")
    list_filter = ("kind", "field", "key_id")
    list_select_related = ("connection",)
    search_fields = ("connection__id", "connection__installation__id", "key_id")
    fields = list_display


@admin.register(WorkspaceSecret)
class WorkspaceSecretAdmin(SealedAdmin):
    list_display = ("name", "id", "workspace", "key_id", "created_at", "updated_at")
    list_filter = ("key_id", "created_at")
    list_select_related = ("workspace",)
    search_fields = ("name", "id", "workspace__id", "workspace__name", "key_id")
    fields = list_display


@admin.register(EngineOptions)
class EngineOptionsAdmin(ReadOnlyAdmin):
    list_display = ("installation", "workspace", "app", "updated_at")
    list_filter = ("updated_at", "installation__status")
    list_select_related = ("installation__workspace", "installation__app")
    search_fields = ("installation__id", "installation__workspace__name", "installation__app__slug")
    fields = ("installation", "options", "updated_at")

    @admin.display(ordering="installation__workspace__name")
    def workspace(self, options: EngineOptions) -> str:
        return str(options.installation.workspace)

    @admin.display(ordering="installation__app__slug")
    def app(self, options: EngineOptions) -> str:
        return options.installation.app.slug
