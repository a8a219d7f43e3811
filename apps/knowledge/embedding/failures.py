"""What may go wrong while text is turned into vectors, in words for administrators."""

from searchengines.errors import Code, Reason, SearchFailure

EXTRA = "local-embeddings"

_IN_WORDS: dict[Reason | None, str] = {
    Reason.TIMEOUT: "The embedding server took too long.",
    Reason.UNREACHABLE: "The embedding server cannot be reached.",
    Reason.DNS: "The name of the embedding server does not resolve.",
    Reason.TLS: "The embedding server's certificate was not accepted.",
    Reason.ADDRESS_DENIED: "The embedding server's address may not be reached from here.",
    Reason.REDIRECTED: "The embedding server redirects; give its final address.",
    Reason.TOO_LARGE: "The embedding server's answer is too large.",
    Reason.BAD_STATUS: "The embedding server answered with an error.",
    Reason.NOT_JSON: "The embedding server did not answer with JSON.",
    Reason.BAD_SHAPE: "The embedding server did not answer with usable vectors.",
    Reason.CREDENTIALS_REJECTED: "The embedding server refused the key.",
    Reason.QUOTA_EXHAUSTED: "The embedding server's quota is used up.",
}


class EmbeddingFailure(SearchFailure):
    """A failure with a message of its own; to callers it is like any other."""

    def __init__(self, message: str, reason: Reason = Reason.BAD_SHAPE) -> None:
        super().__init__(Code.UPSTREAM_FAILURE, reason)
        self.message = message


def missing_extra() -> EmbeddingFailure:
    return EmbeddingFailure(
        f"The local model needs the extra `{EXTRA}`: pip install -r requirements-{EXTRA}.txt", Reason.UNREACHABLE
    )


def in_words(failure: SearchFailure) -> str:
    """Our own sentence, safe to store and to show to administrators."""
    if isinstance(failure, EmbeddingFailure):
        return failure.message
    if failure.code is Code.AUTH_UNAVAILABLE:
        return "The embedding model's key is missing or cannot be read; enter it again."
    if failure.code is Code.RATE_LIMITED:
        return "The embedding server limits the rate of requests."
    return _IN_WORDS.get(failure.reason, "The embedding server did not give a usable answer.")
