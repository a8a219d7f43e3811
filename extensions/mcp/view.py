"""`POST /mcp`: the Model Context Protocol over streamable HTTP, stateless, answered in JSON (contract section 7).

There is no session to lose and nothing is cached, so the list of tools is right each time it is asked for.
"""

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from apps.workspaces.api.authentication import AgentTokenAuthentication
from apps.workspaces.api.views import APIBase
from apps.workspaces.errors import Problem
from apps.workspaces.models import Agent
from extensions.api import token_digest
from extensions.mcp import messages, tools
from extensions.mcp.messages import Message, ProtocolError
from extensions.mcp.origins import is_foreign

INSTRUCTIONS = (
    "Each tool searches with one engine that this workspace has connected; none is an alias of another. "
    "Results are hints to read further, not evidence."
)
# A client that is not let in is told so by the status; everything else about a call is the call's result.
TURNED_AWAY = ("unauthenticated", "permission_denied")


class McpView(APIBase):
    """One JSON-RPC message in, one out."""

    message: Message | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if is_foreign(request):
            raise Problem.permission_denied("Pages of other sites may not call this.")

    def post(self, request: Request) -> Response:
        digest = token_digest(request, "agent")
        try:
            message = self.message = messages.read_message(request.data, request.headers)
        except Exception:
            # Who is not let in does not hear what is wrong with the message.
            known_agent(request)
            raise
        if message.method == "tools/call" and not message.is_notification and tools.is_call(message.params):
            return self.result(message, tools.call(digest, message.params))
        agent = known_agent(request)
        if message.is_notification:
            return Response(status=202)
        return self.result(message, answer(message, agent))

    def result(self, message: Message, result: dict[str, Any]) -> Response:
        if message.stateless:
            result = {
                **result,
                "resultType": "complete",
                "_meta": {"io.modelcontextprotocol/serverInfo": server_info()},
            }
        return Response({"jsonrpc": "2.0", "id": message.id, "result": result})

    def handle_exception(self, exc: Exception) -> Response:
        """A protocol error, a refused client, or the result of a call that failed."""
        if isinstance(exc, ProtocolError):
            # Older clients take a 404 for the end of a session, so theirs are answered with 200.
            status = exc.status if self.message is None or self.message.stateless else 200
            return Response(messages.error_document(self.message_id(), exc), status=status)
        shown: Response = self.get_exception_handler()(exc, self.get_exception_handler_context())
        error = shown.data["error"]
        if self.message is not None and self.message.method == "tools/call" and error["code"] not in TURNED_AWAY:
            return self.result(self.message, tools.failed_call(error))
        refused = ProtocolError(_json_rpc_code(error["code"]), error["message"], data={"code": error["code"]})
        shown.data = messages.error_document(self.message_id(), refused)
        return shown

    def message_id(self) -> str | int | None:
        if self.message is not None:
            return self.message.id
        # Set once the body has been read, also where it turned out to be no message.
        return messages.id_of(getattr(self.request, "_data", None))


def known_agent(request: Request) -> Agent:
    """Raises `Problem` unauthenticated or permission_denied."""
    agent, _ = AgentTokenAuthentication().authenticate(request)
    return agent


def answer(message: Message, agent: Agent) -> dict[str, Any]:
    """Raises `ProtocolError` for a method that is not there and a call without its parameters."""
    if message.method == "tools/list":
        return {**tools.list_tools(agent), **uncached(message)}
    if message.method == "tools/call":
        raise tools.malformed_call()
    if message.method == "initialize":
        return initialized(message)
    if message.method == "server/discover" and message.stateless:
        return {"supportedVersions": list(messages.REVISIONS), **described(), **uncached(message)}
    if message.method == "ping" and not message.stateless:
        return {}
    raise ProtocolError(messages.METHOD_NOT_FOUND, "There is no such method here.", status=404)


def initialized(message: Message) -> dict[str, Any]:
    """The revision that the client offers, where it is one of ours, else our newest that begins so."""
    offered = message.params.get("protocolVersion")
    revision = offered if offered in messages.HANDSHAKE else messages.HANDSHAKE[0]
    return {"protocolVersion": revision, "serverInfo": server_info(), **described()}


def described() -> dict[str, Any]:
    return {"capabilities": {"tools": {"listChanged": False}}, "instructions": INSTRUCTIONS}


def server_info() -> dict[str, str]:
    return {
        "name": "agentteam-search",
        "title": settings.SPECTACULAR_SETTINGS["TITLE"],
        "version": settings.SPECTACULAR_SETTINGS["VERSION"],
    }


def uncached(message: Message) -> dict[str, Any]:
    """Stale at once and nobody else's: what an agent may use can change at any moment."""
    return {"ttlMs": 0, "cacheScope": "private"} if message.stateless else {}


def _json_rpc_code(code: str) -> int:
    if code == "invalid_input":
        return messages.PARSE_ERROR
    return messages.INTERNAL_ERROR if code in ("internal_error", "unavailable") else messages.INVALID_REQUEST
