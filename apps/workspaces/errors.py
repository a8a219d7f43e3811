"""What may go wrong on the API: stable codes, their HTTP status and our own words (contract section 5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final


@dataclass(frozen=True)
class Kind:
    status: int
    message: str


KINDS: Final[Mapping[str, Kind]] = {
    "invalid_input": Kind(400, "The input is not valid."),
    "unauthenticated": Kind(401, "A valid bearer token is required."),
    "permission_denied": Kind(403, "You may not do this."),
    "not_found": Kind(404, "There is nothing here."),
    "method_not_allowed": Kind(405, "This method is not available here."),
    "extension_not_found": Kind(404, "This Extension is not available."),
    "connection_ambiguous": Kind(409, "More than one connection is active."),
    "already_installed": Kind(409, "The App is installed already."),
    "slug_reserved": Kind(409, "This slug is reserved."),
    "conflict": Kind(409, "The current state does not allow this."),
    "payload_too_large": Kind(413, "The body is too large."),
    "unsupported_media_type": Kind(415, "The body must be application/json."),
    "throttled": Kind(429, "Too many requests. Try again later."),
    "rate_limited": Kind(429, "The provider limits the rate of requests. Try again later."),
    "provider_auth_unavailable": Kind(424, "No usable credential is configured."),
    "upstream_failure": Kind(502, "The provider did not give a usable answer."),
    "unavailable": Kind(503, "The service is not available now. Try again later."),
    "internal_error": Kind(500, "Something went wrong on our side."),
}


# What a caller named wrongly is named back, within bounds: an answer is not much larger than its question.
MAX_FIELDS_NAMED: Final = 20
MAX_NAME_SHOWN: Final = 200


def _bounded(fields: Mapping[str, str]) -> dict[str, str]:
    return {name[:MAX_NAME_SHOWN]: message for name, message in islice(fields.items(), MAX_FIELDS_NAMED)}


class Problem(Exception):
    """An expected failure, shown to the caller as it is.

    `code` is a key of `KINDS`, else KeyError. `message` is our own text and never quotes input, providers or
    exceptions. `fields` maps the path of a member to what that member takes. `retry_after` is in whole seconds.
    `reason` is for administrators' tests only.
    """

    def __init__(
        self,
        code: str,
        message: str | None = None,
        *,
        fields: Mapping[str, str] | None = None,
        retry_after: int | None = None,
        reason: str | None = None,
    ) -> None:
        self.code = code
        self.status: int = KINDS[code].status
        self.message: str = message or KINDS[code].message
        self.fields: dict[str, str] | None = _bounded(fields) if fields else None
        self.retry_after = retry_after
        self.reason = reason
        super().__init__(self.message)

    @classmethod
    def invalid(cls, fields: Mapping[str, str] | None = None, message: str | None = None) -> "Problem":
        return cls("invalid_input", message, fields=fields)

    @classmethod
    def unauthenticated(cls) -> "Problem":
        return cls("unauthenticated")

    @classmethod
    def permission_denied(cls, message: str | None = None) -> "Problem":
        return cls("permission_denied", message)

    @classmethod
    def not_found(cls) -> "Problem":
        """No message of its own: what is hidden and what does not exist must read the same."""
        return cls("not_found")

    @classmethod
    def method_not_allowed(cls) -> "Problem":
        return cls("method_not_allowed")

    @classmethod
    def conflict(cls, message: str | None = None) -> "Problem":
        return cls("conflict", message)

    @classmethod
    def payload_too_large(cls) -> "Problem":
        return cls("payload_too_large")

    @classmethod
    def unsupported_media_type(cls) -> "Problem":
        return cls("unsupported_media_type")

    @classmethod
    def throttled(cls, retry_after: int) -> "Problem":
        return cls("throttled", retry_after=retry_after)

    def body(self) -> dict[str, Any]:
        """The one shape of an error (contract section 5)."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.fields:
            error["fields"] = self.fields
        if self.retry_after is not None:
            error["retryAfter"] = self.retry_after
        if self.reason is not None:
            error["reason"] = self.reason
        return {"error": error}

    def headers(self) -> dict[str, str]:
        """The headers that belong to the answer besides the body."""
        headers: dict[str, str] = {}
        if self.code == "unauthenticated":
            headers["WWW-Authenticate"] = "Bearer"
        if self.retry_after is not None:
            headers["Retry-After"] = str(self.retry_after)
        return headers
