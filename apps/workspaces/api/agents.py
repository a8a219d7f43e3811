"""Agents, their tokens, and tokens of services."""

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from apps.workspaces import selectors
from apps.workspaces.api.bodies import Body, future_time, slugs, text
from apps.workspaces.api.pagination import paginate
from apps.workspaces.api.people import TOKEN_BODY, token_options
from apps.workspaces.api.shapes import agent_shape, issued_shape, token_shape
from apps.workspaces.api.views import WorkspaceView
from apps.workspaces.roles import Role
from apps.workspaces.services import agents, tokens

AGENT_BODY = Body(required={"name": text(100)})
SERVICE_TOKEN_BODY = Body(
    required={"name": text(100), "extensions": slugs(50)},
    optional={"expiresAt": future_time},
)


class AgentList(WorkspaceView):
    """The workspace's agents."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str) -> Response:
        return Response(paginate(selectors.agents(self.workspace.id), request, agent_shape))

    def post(self, request: Request, workspace_id: str) -> Response:
        values = AGENT_BODY.clean(request.data)
        agent = agents.create_agent(self.workspace.id, self.actor, values["name"])
        return Response(agent_shape(agent), status=status.HTTP_201_CREATED)


class AgentDetail(WorkspaceView):
    """One agent; DELETE ends its tokens at once."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str, agent_id: str) -> Response:
        return Response(agent_shape(selectors.agent(self.workspace.id, agent_id)))

    def delete(self, request: Request, workspace_id: str, agent_id: str) -> Response:
        agents.delete_agent(self.workspace.id, self.actor, agent_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class AgentTokenList(WorkspaceView):
    """The tokens of one agent."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str, agent_id: str) -> Response:
        agent = selectors.agent(self.workspace.id, agent_id)
        return Response(paginate(selectors.agent_tokens(agent), request, token_shape))

    def post(self, request: Request, workspace_id: str, agent_id: str) -> Response:
        # The object comes before the input (contract section 3).
        agent = selectors.agent(self.workspace.id, agent_id)
        options = token_options(TOKEN_BODY.clean(request.data))
        issued = tokens.issue_agent_token(self.workspace.id, self.actor, agent.id, **options)
        return Response(issued_shape(issued), status=status.HTTP_201_CREATED)


class AgentTokenDetail(WorkspaceView):
    """One token of an agent; DELETE ends it at once."""

    minimum_role = Role.ADMIN

    def delete(self, request: Request, workspace_id: str, agent_id: str, token_id: str) -> Response:
        tokens.revoke_agent_token(self.workspace.id, self.actor, agent_id, token_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class ServiceTokenList(WorkspaceView):
    """The workspace's service tokens, each limited to the Extensions it names."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str) -> Response:
        return Response(paginate(selectors.service_tokens(self.workspace.id), request, token_shape))

    def post(self, request: Request, workspace_id: str) -> Response:
        values = SERVICE_TOKEN_BODY.clean(request.data)
        issued = tokens.issue_service_token(
            self.workspace.id, self.actor, extensions=values["extensions"], **token_options(values)
        )
        return Response(issued_shape(issued), status=status.HTTP_201_CREATED)


class ServiceTokenDetail(WorkspaceView):
    """One service token; DELETE ends it at once."""

    minimum_role = Role.ADMIN

    def delete(self, request: Request, workspace_id: str, token_id: str) -> Response:
        tokens.revoke_service_token(self.workspace.id, self.actor, token_id)
        return Response(status=status.HTTP_204_NO_CONTENT)
