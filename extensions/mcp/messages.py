"""The words of the Model Context Protocol: revisions, JSON-RPC messages and errors, and what its headers must say."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

# Revisions before 2026-07-28 begin with `initialize`; since then each request says all that is needed.
STATELESS: Final = ("2026-07-28",)
HANDSHAKE: Final = ("2025-11-25", "2025-06-18")
REVISIONS: Final = (*STATELESS, *HANDSHAKE)

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_REVISION: Final = -32022

PROTOCOL_VERSION_META: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT_CAPABILITIES_META: Final = "io.modelcontextprotocol/clientCapabilities"

_ENCODED_PREFIX, _ENCODED_SUFFIX = "=?base64?", "?="


class ProtocolError(Exception):
    """A request that is no request of the protocol. ``status`` is of HTTP; ``data`` goes with the error."""

    def __init__(self, code: int, message: str, *, status: int = 400, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.data = data


@dataclass(frozen=True, slots=True)
class Message:
    """One JSON-RPC request, or a notification where ``id`` is None. ``stateless``: of a revision without handshake."""

    method: str
    params: Mapping[str, Any]
    id: str | int | None
    stateless: bool

    @property
    def is_notification(self) -> bool:
        return self.id is None


def error_document(message_id: str | int | None, error: ProtocolError) -> dict[str, Any]:
    shown: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        shown["data"] = dict(error.data)
    return {"jsonrpc": "2.0", "id": message_id, "error": shown}


def id_of(body: object) -> str | int | None:
    """The id that an answer to this body carries, None where there is none to be had."""
    found = body.get("id") if isinstance(body, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def read_message(body: object, headers: Mapping[str, str]) -> Message:
    """Raises `ProtocolError`: no single JSON-RPC message, or headers that say something else than the body."""
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0" or not isinstance(body.get("method"), str):
        raise ProtocolError(INVALID_REQUEST, "The body is not one JSON-RPC request or notification.")
    params = body.get("params", {})
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_REQUEST, "`params` is not an object.")
    message_id = id_of(body)
    if "id" in body and message_id is None:
        raise ProtocolError(INVALID_REQUEST, "`id` is not a string or an integer.")
    method: str = body["method"]
    stateless = method != "initialize" and _is_stateless(params, headers)
    if stateless and message_id is not None:
        _check_envelope(method, params, headers)
    return Message(method, params, message_id, stateless)


def _is_stateless(params: Mapping[str, Any], headers: Mapping[str, str]) -> bool:
    """By the header; a client that leaves it out is taken at its word in `_meta`, else it is an older one."""
    revision = headers.get("MCP-Protocol-Version")
    if revision is None:
        return _meta(params).get(PROTOCOL_VERSION_META) is not None
    if revision not in REVISIONS:
        raise _unsupported(revision)
    return revision in STATELESS


def _check_envelope(method: str, params: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    meta = _meta(params)
    missing = [key for key in (PROTOCOL_VERSION_META, CLIENT_CAPABILITIES_META) if key not in meta]
    if missing:
        raise ProtocolError(INVALID_PARAMS, f"`params._meta` lacks {', '.join(missing)}.")
    revision = meta[PROTOCOL_VERSION_META]
    if headers.get("MCP-Protocol-Version") != revision:
        raise _mismatch("MCP-Protocol-Version", "`params._meta`")
    if headers.get("Mcp-Method") != method:
        raise _mismatch("Mcp-Method", "the method")
    if method == "tools/call" and _decoded(headers.get("Mcp-Name")) != params.get("name"):
        raise _mismatch("Mcp-Name", "the tool's name")
    if revision not in STATELESS:
        raise _unsupported(revision)


def _meta(params: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _mismatch(header: str, other: str) -> ProtocolError:
    return ProtocolError(HEADER_MISMATCH, f"The header {header} is absent or does not say the same as {other}.")


def _unsupported(requested: str) -> ProtocolError:
    return ProtocolError(
        UNSUPPORTED_REVISION,
        "This revision of the protocol is not served here.",
        data={"supported": list(REVISIONS), "requested": requested[:40]},
    )


def _decoded(value: str | None) -> str | None:
    """A header's text; what does not fit into a header arrives as `=?base64?..?=`."""
    if value is None or not (value.startswith(_ENCODED_PREFIX) and value.endswith(_ENCODED_SUFFIX)):
        return value
    try:
        return base64.b64decode(value[len(_ENCODED_PREFIX) : -len(_ENCODED_SUFFIX)], validate=True).decode()
    except (binascii.Error, ValueError):
        return None
