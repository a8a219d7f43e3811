"""The agents' and services' HTTP side, and the administrator's test (contract sections 4 and 6)."""

from rest_framework.request import Request
from rest_framework.response import Response

from apps.workspaces import tokens
from apps.workspaces.api.authentication import AgentTokenAuthentication, bearer_token
from apps.workspaces.api.views import APIBase, WorkspaceView
from apps.workspaces.errors import Problem
from apps.workspaces.models import Agent
from apps.workspaces.roles import Role
from apps.workspaces.tokens import TokenKind
from extensions import administrator, agent_catalog, execution, service_input
from extensions.declarations import declarations
from extensions.explain import explain
from extensions.tool_names import tools_in, tools_of


def token_digest(request: Request, wanted: TokenKind) -> str:
    """The digest of a token of the wanted kind; whether it is known is for the road's query to say.

    Raises `Problem`: unauthenticated; permission_denied for a valid token of another kind.
    """
    kind, text = bearer_token(request)
    if kind != wanted:
        if tokens.find(kind, text) is None:
            raise Problem.unauthenticated()
        raise Problem.permission_denied("This token is of a kind that is not taken here.")
    return tokens.digest(text)


class AgentView(APIBase):
    """For an agent, with its token."""

    authentication_classes = (AgentTokenAuthentication,)

    @property
    def agent(self) -> Agent:
        assert isinstance(self.request.user, Agent)
        return self.request.user


class CatalogView(AgentView):
    """The Extensions that the agent may use now; `?as=` declares them to a vendor's model."""

    def get(self, request: Request) -> Response:
        vendor = request.query_params.get("as")
        if vendor is not None:
            return Response(declarations(tools_of(self.agent), vendor))
        return Response({"extensions": [entry.document() for entry in agent_catalog.catalog_of(self.agent)]})


class CatalogEntryView(AgentView):
    """One Extension with its actions and schemas; `?as=` declares it to a vendor's model."""

    def get(self, request: Request, name: str) -> Response:
        entry = agent_catalog.catalog_entry(self.agent, name)
        vendor = request.query_params.get("as")
        if vendor is not None:
            return Response(declarations(list(tools_in(entry)), vendor))
        return Response(entry.document())


class ExecView(APIBase):
    """One call of one action; the body is its input, the answer its output."""

    def post(self, request: Request, name: str, action: str) -> Response:
        return Response(execution.execute(token_digest(request, "agent"), name, action, lambda: request.data))


class ServiceSearchView(APIBase):
    """A service's search, answered in specification B's normalised shape."""

    def post(self, request: Request, name: str) -> Response:
        digest = token_digest(request, "service")
        return Response(
            execution.execute_for_service(digest, name, lambda engine: service_input.validate(request.data, engine))
        )


class ConnectionTestView(WorkspaceView):
    """Test the saved connection of an installation."""

    minimum_role = Role.ADMIN

    def post(self, request: Request, workspace_id: str, installation_id: str) -> Response:
        administrator.test_connection(self.workspace.id, installation_id, self.actor)
        return Response({"ok": True})


class ExplainView(WorkspaceView):
    """Why an agent can or cannot use an Extension, link by link."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str, agent_id: str, name: str) -> Response:
        return Response(explain(self.workspace.id, agent_id, name).document())
