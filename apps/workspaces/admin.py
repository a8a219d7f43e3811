"""Operators' view. People may be edited; the rest is changed by the services, so it is read-only here."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from apps.workspaces.audit import Actor
from apps.workspaces.models import Agent, AgentToken, Membership, PersonToken, ServiceToken, User, Workspace
from apps.workspaces.services import tokens
from apps.workspaces.tokens import AnyToken


class PersonCreationForm(AdminUserCreationForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("email",)
        field_classes: ClassVar[dict[str, Any]] = {}


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]
    add_form = PersonCreationForm
    ordering = ("email",)
    list_display = ("email", "name", "is_active", "is_staff", "date_joined")
    list_filter = ("is_active", "is_staff", "is_superuser")
    search_fields = ("email", "name", "id")
    readonly_fields = ("id", "last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("id", "email", "name", "password")}),
        ("Rights", {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "usable_password", "password1", "password2")}),)


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Workspace)
class WorkspaceAdmin(ReadOnlyAdmin):
    list_display = ("name", "id", "created_at")
    list_filter = ("created_at",)
    search_fields = ("name", "id")
    fields = ("id", "name", "created_at")


@admin.register(Agent)
class AgentAdmin(ReadOnlyAdmin):
    list_display = ("name", "id", "workspace", "created_at")
    list_filter = ("created_at",)
    list_select_related = ("workspace",)
    search_fields = ("name", "id", "workspace__name")
    fields = ("id", "name", "workspace", "created_at")


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    list_display = ("id", "workspace", "kind", "role", "user", "agent", "created_at")
    list_filter = ("kind", "role")
    list_select_related = ("workspace", "user", "agent")
    search_fields = ("id", "workspace__name", "user__email", "agent__name")
    fields = ("id", "workspace", "kind", "role", "user", "agent", "created_at")


class TokenAdmin(ReadOnlyAdmin):
    """Lists tokens and ends them; the digest is in none of the fields."""

    actions = ("revoke",)
    list_filter = ("created_at", "expires_at", "revoked_at")
    described = ("id", "name", "created_by", "created_at", "expires_at", "revoked_at", "last_used_at")

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(f"{self.opts.app_label}.change_{self.opts.model_name}")

    @admin.action(description="Revoke the chosen tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        actor = Actor.operator(f"admin site: {request.user}")
        active = list(queryset.filter(revoked_at=None))
        for token in active:
            _revoke(token, actor)
        self.message_user(request, f"Tokens revoked: {len(active)}.", messages.SUCCESS)


def _revoke(token: AnyToken, actor: Actor) -> None:
    if isinstance(token, PersonToken):
        tokens.revoke_person_token(token.user, actor, token.id)
    elif isinstance(token, AgentToken):
        tokens.revoke_agent_token(token.agent.workspace_id, actor, token.agent_id, token.id)
    else:
        tokens.revoke_service_token(token.workspace_id, actor, token.id)


@admin.register(PersonToken)
class PersonTokenAdmin(TokenAdmin):
    list_display = ("id", "name", "user", "created_at", "expires_at", "revoked_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("id", "name", "user__email")
    fields = (*TokenAdmin.described, "user")


@admin.register(AgentToken)
class AgentTokenAdmin(TokenAdmin):
    list_display = ("id", "name", "agent", "created_at", "expires_at", "revoked_at", "last_used_at")
    list_select_related = ("agent",)
    search_fields = ("id", "name", "agent__name", "agent__workspace__name")
    fields = (*TokenAdmin.described, "agent")


@admin.register(ServiceToken)
class ServiceTokenAdmin(TokenAdmin):
    list_display = ("id", "name", "workspace", "extensions", "created_at", "expires_at", "revoked_at")
    list_select_related = ("workspace",)
    search_fields = ("id", "name", "workspace__name")
    fields = (*TokenAdmin.described, "workspace", "extensions")
