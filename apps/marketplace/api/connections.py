"""An installation's connection, its options, and the workspace's secrets (spec A 5, contract section 4)."""

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from apps.marketplace import selectors
from apps.marketplace.api.shapes import connection_shape, secret_shape
from apps.marketplace.members import unknown_members
from apps.marketplace.models import Installation
from apps.marketplace.product_apps import engine_of
from apps.marketplace.services import connections, options, secrets
from apps.workspaces.api.pagination import paginate
from apps.workspaces.api.views import WorkspaceView
from apps.workspaces.errors import Problem
from apps.workspaces.roles import Role
from searchengines.contract import Engine


class EngineView(WorkspaceView):
    """Inside an installed Product App; a custom App answers like one that does not exist."""

    minimum_role = Role.ADMIN

    def engine_installation(self, installation_id: str) -> tuple[Installation, Engine]:
        installation = selectors.installation(self.workspace.id, installation_id)
        engine = engine_of(installation.app)
        if engine is None:
            raise Problem.not_found()
        return installation, engine

    def members(self, request: Request) -> dict[str, object]:
        if not isinstance(request.data, dict):
            raise Problem.invalid(message="The body must be a JSON object.")
        return dict(request.data)


class ConnectionDetail(EngineView):
    """The connection: config is shown, a credential only as configured or not."""

    def get(self, request: Request, workspace_id: str, installation_id: str) -> Response:
        return Response(self.shown(installation_id))

    def put(self, request: Request, workspace_id: str, installation_id: str) -> Response:
        connections.save_connection(self.workspace.id, installation_id, self.members(request), self.actor)
        return Response(self.shown(installation_id))

    def delete(self, request: Request, workspace_id: str, installation_id: str) -> Response:
        connections.disconnect(self.workspace.id, installation_id, self.actor)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def shown(self, installation_id: str) -> dict[str, object]:
        installation, engine = self.engine_installation(installation_id)
        return connection_shape(engine, selectors.connection_of(installation))


class OptionsDetail(EngineView):
    """The engine's stored options; PUT replaces them."""

    def get(self, request: Request, workspace_id: str, installation_id: str) -> Response:
        installation, _ = self.engine_installation(installation_id)
        return Response(selectors.options_of(installation))

    def put(self, request: Request, workspace_id: str, installation_id: str) -> Response:
        return Response(options.save_options(self.workspace.id, installation_id, self.members(request), self.actor))


class SecretList(WorkspaceView):
    """Names of the workspace's secrets."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str) -> Response:
        return Response(paginate(selectors.secrets(self.workspace.id), request, secret_shape))


class SecretDetail(WorkspaceView):
    """One secret: written and deleted, never read."""

    minimum_role = Role.ADMIN

    def put(self, request: Request, workspace_id: str, name: str) -> Response:
        if not isinstance(request.data, dict):
            raise Problem.invalid(message="The body must be a JSON object.")
        data = request.data
        if unknown := unknown_members(data, ("value",)):
            raise Problem.invalid(unknown)
        created = secrets.put_secret(self.workspace.id, name, data.get("value"), self.actor)
        return Response({"name": name}, status=status.HTTP_201_CREATED if created else status.HTTP_200_OK)

    def delete(self, request: Request, workspace_id: str, name: str) -> Response:
        secrets.delete_secret(self.workspace.id, name, self.actor)
        return Response(status=status.HTTP_204_NO_CONTENT)
