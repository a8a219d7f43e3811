"""Own workspaces and tokens, and the members of a workspace."""

from typing import Any

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from apps.workspaces import selectors
from apps.workspaces.api.bodies import Body, email, future_time, one_of, text
from apps.workspaces.api.pagination import paginate
from apps.workspaces.api.shapes import (
    added_member_shape,
    issued_shape,
    member_shape,
    token_shape,
    workspace_shape,
)
from apps.workspaces.api.views import PersonView, WorkspaceView
from apps.workspaces.roles import PERSON_ROLES, Role
from apps.workspaces.services import members, tokens

TOKEN_BODY = Body(optional={"name": text(100, minimum=0), "expiresAt": future_time})
NO_MEMBERS = Body()
_ROLE = one_of([role.value for role in PERSON_ROLES])
MEMBER_BODY = Body(required={"email": email, "role": _ROLE})
ROLE_BODY = Body(required={"role": _ROLE})


def token_options(values: dict[str, Any]) -> dict[str, Any]:
    """The cleaned members of a token body under the names that the services use."""
    return {"name": values.get("name", ""), "expires_at": values.get("expiresAt")}


class WorkspaceList(PersonView):
    """The workspaces that the person is a member of."""

    def get(self, request: Request) -> Response:
        return Response(paginate(selectors.memberships_of(self.person), request, workspace_shape))


class WorkspaceDetail(WorkspaceView):
    """One workspace of the person's."""

    def get(self, request: Request, workspace_id: str) -> Response:
        return Response(workspace_shape(self.membership))


class OwnTokenList(PersonView):
    """The person's own tokens; DELETE ends all of them, also the one that it is asked with."""

    def get(self, request: Request) -> Response:
        return Response(paginate(selectors.person_tokens(self.person), request, token_shape))

    def post(self, request: Request) -> Response:
        options = token_options(TOKEN_BODY.clean(request.data))
        issued = tokens.issue_person_token(self.person, self.actor, **options)
        return Response(issued_shape(issued), status=status.HTTP_201_CREATED)

    def delete(self, request: Request) -> Response:
        # A body that names one token must not end all of them.
        NO_MEMBERS.clean(request.data)
        tokens.revoke_person_tokens(self.person, self.actor)
        return Response(status=status.HTTP_204_NO_CONTENT)


class OwnTokenDetail(PersonView):
    """One of the person's own tokens; DELETE ends it at once."""

    def delete(self, request: Request, token_id: str) -> Response:
        tokens.revoke_person_token(self.person, self.actor, token_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class MemberList(WorkspaceView):
    """The workspace's members, people and agents; POST adds a person."""

    minimum_role = Role.ADMIN

    def get(self, request: Request, workspace_id: str) -> Response:
        return Response(paginate(selectors.members(self.workspace.id), request, member_shape))

    def post(self, request: Request, workspace_id: str) -> Response:
        values = MEMBER_BODY.clean(request.data)
        added = members.add_member(self.workspace.id, self.actor, values["email"], Role(values["role"]))
        return Response(added_member_shape(added), status=status.HTTP_201_CREATED)


class MemberDetail(WorkspaceView):
    """One member; PATCH changes a person's role, DELETE ends their membership."""

    minimum_role = Role.ADMIN

    def patch(self, request: Request, workspace_id: str, member_id: str) -> Response:
        role = Role(ROLE_BODY.clean(request.data)["role"])
        return Response(member_shape(members.change_role(self.workspace.id, self.actor, member_id, role)))

    def delete(self, request: Request, workspace_id: str, member_id: str) -> Response:
        members.remove_member(self.workspace.id, self.actor, member_id)
        return Response(status=status.HTTP_204_NO_CONTENT)
