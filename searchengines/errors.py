"""Failures of a search, each with the stable code that callers see (contract section 5)."""

from enum import StrEnum


class Code(StrEnum):
    """What an agent or a service is told."""

    RATE_LIMITED = "rate_limited"
    AUTH_UNAVAILABLE = "provider_auth_unavailable"
    UPSTREAM_FAILURE = "upstream_failure"


class Reason(StrEnum):
    """What the administrator's test and the activity log add to the code."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    DNS = "dns"
    TLS = "tls"
    ADDRESS_DENIED = "address_denied"
    REDIRECTED = "redirected"
    TOO_LARGE = "too_large"
    BAD_STATUS = "bad_status"
    NOT_JSON = "not_json"
    BAD_SHAPE = "bad_shape"
    JSON_DISABLED = "json_disabled"
    ENGINES_FAILED = "engines_failed"
    CREDENTIALS_REJECTED = "credentials_rejected"
    QUOTA_EXHAUSTED = "quota_exhausted"


class SearchFailure(Exception):
    """A search that did not come back with an answer.

    Carries nothing of the provider's: no text, no status, no URL. ``retry_after`` is in whole seconds.
    ``key_refused`` (the key itself, or what its plan allows) and ``retry_after`` decide how long a rotated key rests
    (contract section 1). ``upstream_seconds`` is the time spent waiting for the provider, set by whoever waited; 0.0
    when nothing was sent.
    """

    def __init__(
        self,
        code: Code,
        reason: Reason | None = None,
        *,
        retry_after: int | None = None,
        key_refused: bool = False,
        upstream_seconds: float = 0.0,
    ) -> None:
        super().__init__(code.value if reason is None else f"{code.value}: {reason.value}")
        self.code = code
        self.reason = reason
        self.retry_after = retry_after
        self.key_refused = key_refused
        self.upstream_seconds = upstream_seconds

    @classmethod
    def upstream(cls, reason: Reason, upstream_seconds: float = 0.0) -> "SearchFailure":
        """Any transport, status, size, redirect or decode failure."""
        return cls(Code.UPSTREAM_FAILURE, reason, upstream_seconds=upstream_seconds)

    @classmethod
    def credentials_rejected(cls) -> "SearchFailure":
        """The provider refused the key, in whatever way it says so."""
        return cls(Code.UPSTREAM_FAILURE, Reason.CREDENTIALS_REJECTED, key_refused=True)

    @classmethod
    def quota_exhausted(cls) -> "SearchFailure":
        """The provider's plan or credits are used up; another key may have some left."""
        return cls(Code.UPSTREAM_FAILURE, Reason.QUOTA_EXHAUSTED, key_refused=True)


class InvalidValue(ValueError):
    """A configuration value that a declared field or option does not take.

    ``message`` is ours, safe to show, and never contains the value.
    ``rule`` is a stable name of the rule that was broken.
    """

    def __init__(self, message: str, rule: str = "value") -> None:
        super().__init__(message)
        self.message = message
        self.rule = rule
