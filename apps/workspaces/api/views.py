"""Base views: who calls, in which workspace and with which role is settled before a handler runs."""

from typing import Any, ClassVar

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.workspaces import selectors
from apps.workspaces.api.authentication import PersonTokenAuthentication
from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from apps.workspaces.models import Membership, User, Workspace
from apps.workspaces.roles import Role, at_least

READING = frozenset({"GET", "HEAD"})


class APIBase(APIView):
    """No answer is cached; OPTIONS describes nothing; an id that no database takes is not found."""

    metadata_class = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        # PostgreSQL refuses NUL in text, so such an id cannot exist.
        if any("\0" in value for value in kwargs.values() if isinstance(value, str)):
            raise Problem.not_found()

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        return response

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        raise Problem.method_not_allowed()


class PersonView(APIBase):
    """For people, with their own token."""

    authentication_classes = (PersonTokenAuthentication,)
    person: User

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        assert isinstance(request.user, User)
        self.person = request.user

    @property
    def actor(self) -> Actor:
        return Actor.person(self.person)


class WorkspaceView(PersonView):
    """Inside the workspace of the path's `workspace_id`.

    `minimum_role` is what reading takes; `write_role`, where given, what other methods take. A workspace that the
    person is no member of answers like one that does not exist (contract section 3).
    """

    minimum_role: ClassVar[Role] = Role.MEMBER
    write_role: ClassVar[Role | None] = None
    membership: Membership
    workspace: Workspace

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.membership = selectors.membership_in(self.person, kwargs["workspace_id"])
        self.workspace = self.membership.workspace
        needed = self.minimum_role if request.method in READING else self.write_role or self.minimum_role
        if not at_least(self.membership.role, needed):
            raise Problem.permission_denied()

    @property
    def actor(self) -> Actor:
        return Actor.person(self.person, self.membership)
