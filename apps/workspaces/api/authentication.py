"""Who calls the API: bearer tokens only (contract section 3)."""

from typing import ClassVar

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from apps.workspaces import tokens
from apps.workspaces.errors import Problem
from apps.workspaces.models import Agent, AgentToken, PersonToken, ServiceToken, User, Workspace
from apps.workspaces.tokens import AnyToken, TokenKind


def bearer_token(request: HttpRequest | Request) -> tuple[TokenKind, str]:
    """The kind and the text of the request's bearer token; Problem `unauthenticated` where it has none of ours."""
    scheme, _, text = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    text = text.strip()
    kind = tokens.kind_of(text) if scheme.lower() == "bearer" else None
    if kind is None:
        raise Problem.unauthenticated()
    return kind, text


class _BearerAuthentication(BaseAuthentication):
    kind: ClassVar[TokenKind]

    def identify(self, request: Request) -> AnyToken:
        """The usable token. Problem `unauthenticated`; `permission_denied` for a valid token of another kind."""
        kind, text = bearer_token(request)
        token = tokens.find(kind, text)
        if token is None:
            raise Problem.unauthenticated()
        if kind != self.kind:
            raise Problem.permission_denied("This token is of a kind that is not taken here.")
        tokens.note_use(token)
        return token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class PersonTokenAuthentication(_BearerAuthentication):
    """`request.user` is the person."""

    kind = "person"

    def authenticate(self, request: Request) -> tuple[User, PersonToken]:
        token = self.identify(request)
        assert isinstance(token, PersonToken)
        return token.user, token


class AgentTokenAuthentication(_BearerAuthentication):
    """`request.user` is the Agent, with its workspace loaded."""

    kind = "agent"

    def authenticate(self, request: Request) -> tuple[Agent, AgentToken]:
        token = self.identify(request)
        assert isinstance(token, AgentToken)
        return token.agent, token


class ServiceTokenAuthentication(_BearerAuthentication):
    """`request.user` is the Workspace; `request.auth` names the Extensions."""

    kind = "service"

    def authenticate(self, request: Request) -> tuple[Workspace, ServiceToken]:
        token = self.identify(request)
        assert isinstance(token, ServiceToken)
        return token.workspace, token
