"""The marketplace, custom Apps, requests and installations."""

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from apps.marketplace import selectors
from apps.marketplace.api.shapes import app_shape, installation_shape, request_shape
from apps.marketplace.models import ExtensionSelection
from apps.marketplace.services import custom_apps, installations, requests, selections
from apps.workspaces.api.bodies import Body, boolean, one_of, text
from apps.workspaces.api.pagination import paginate
from apps.workspaces.api.views import WorkspaceView
from apps.workspaces.errors import Problem
from apps.workspaces.roles import Role

APP_ID = text(64)
CUSTOM_APP_BODY = Body(
    required={"slug": text(120), "displayName": text(120)}, optional={"description": text(1000, minimum=0)}
)
REQUEST_BODY = Body(required={"appId": APP_ID}, optional={"reason": text(1000, minimum=0)})
INSTALL_BODY = Body(required={"appId": APP_ID})
EXTENSION_BODY = Body(
    optional={"enabled": boolean, "agentAccess": one_of([access.value for access in ExtensionSelection.AgentAccess])}
)
AUTHORIZATION_BODY = Body(required={"allowed": boolean})


class AppList(WorkspaceView):
    """The marketplace with this workspace's state."""

    def get(self, request: Request, workspace_id: str) -> Response:
        shown = [app_shape(listed) for listed in selectors.listed_apps(self.workspace.id)]
        return Response({"items": shown, "next": None})


class AppDetail(WorkspaceView):
    """One App of the marketplace."""

    def get(self, request: Request, workspace_id: str, slug: str) -> Response:
        return Response(app_shape(selectors.listed_app(self.workspace.id, slug)))


class CustomAppList(WorkspaceView):
    """The workspace's own Apps."""

    minimum_role = Role.ADMIN

    def post(self, request: Request, workspace_id: str) -> Response:
        values = CUSTOM_APP_BODY.clean(request.data)
        app = custom_apps.create_custom_app(
            self.workspace.id, values["slug"], values["displayName"], values.get("description", ""), self.actor
        )
        listed = selectors.listed_app(self.workspace.id, app.slug)
        return Response(app_shape(listed), status=status.HTTP_201_CREATED)


class AppRequestList(WorkspaceView):
    """Requests for Apps: any member asks, owners and administrators see them."""

    minimum_role = Role.ADMIN
    write_role = Role.MEMBER

    def get(self, request: Request, workspace_id: str) -> Response:
        rows = selectors.app_requests(self.workspace.id)
        return Response(paginate(rows, request, request_shape, newest_first=True))

    def post(self, request: Request, workspace_id: str) -> Response:
        values = REQUEST_BODY.clean(request.data)
        made = requests.request_app(self.membership, values["appId"], values.get("reason", ""), self.actor)
        return Response(request_shape(made), status=status.HTTP_201_CREATED)


class AppRequestApproval(WorkspaceView):
    """Approving installs the App."""

    minimum_role = Role.ADMIN

    def post(self, request: Request, workspace_id: str, request_id: str) -> Response:
        Body().clean(request.data or {})
        made = requests.approve(self.workspace.id, request_id, self.actor)
        return Response(installation_shape(selectors.installation(self.workspace.id, made.id)))


class AppRequestRefusal(WorkspaceView):
    """Declining leaves everything as it is."""

    minimum_role = Role.ADMIN

    def post(self, request: Request, workspace_id: str, request_id: str) -> Response:
        Body().clean(request.data or {})
        return Response(request_shape(requests.decline(self.workspace.id, request_id, self.actor)))


class InstallationList(WorkspaceView):
    """Installed Apps."""

    write_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str) -> Response:
        rows = selectors.installations(self.workspace.id)
        return Response(paginate(rows, request, installation_shape, time_field="installed_at"))

    def post(self, request: Request, workspace_id: str) -> Response:
        values = INSTALL_BODY.clean(request.data)
        made = installations.install(self.workspace.id, values["appId"], self.actor)
        shown = installation_shape(selectors.installation(self.workspace.id, made.id))
        return Response(shown, status=status.HTTP_201_CREATED)


class InstallationDetail(WorkspaceView):
    """One installed App; DELETE uninstalls it and destroys its credential."""

    write_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str, installation_id: str) -> Response:
        return Response(installation_shape(selectors.installation(self.workspace.id, installation_id)))

    def delete(self, request: Request, workspace_id: str, installation_id: str) -> Response:
        installations.uninstall(self.workspace.id, installation_id, self.actor)
        return Response(status=status.HTTP_204_NO_CONTENT)


class ExtensionDetail(WorkspaceView):
    """The selection of an installation's Extension."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str, installation_id: str) -> Response:
        return Response(self.shown(installation_id))

    def patch(self, request: Request, workspace_id: str, installation_id: str) -> Response:
        values = EXTENSION_BODY.clean(request.data)
        selections.change_selection(
            self.workspace.id,
            installation_id,
            self.actor,
            enabled=values.get("enabled"),
            agent_access=values.get("agentAccess"),
        )
        return Response(self.shown(installation_id))

    def shown(self, installation_id: str) -> object:
        shown = installation_shape(selectors.installation(self.workspace.id, installation_id))["extension"]
        if shown is None:
            raise Problem.not_found()
        return shown


class AuthorizationDetail(WorkspaceView):
    """Whether one agent may use one Extension, whatever the selection says."""

    minimum_role = Role.ADMIN

    def put(self, request: Request, workspace_id: str, agent_id: str, name: str) -> Response:
        allowed = AUTHORIZATION_BODY.clean(request.data)["allowed"]
        selections.set_authorization(self.workspace.id, agent_id, name, allowed, self.actor)
        return Response({"agentId": agent_id, "name": name, "allowed": allowed})

    def delete(self, request: Request, workspace_id: str, agent_id: str, name: str) -> Response:
        selections.remove_authorization(self.workspace.id, agent_id, name, self.actor)
        return Response(status=status.HTTP_204_NO_CONTENT)
