"""An adapter's request as it goes on the wire. The one place where a secret is revealed."""

import json
from urllib.parse import urlencode

from requests import PreparedRequest
from requests.structures import CaseInsensitiveDict

from searchengines.contract import Outgoing, Secret
from searchengines.egress.origin import Origin
from searchengines.errors import Code, SearchFailure


def prepare(outgoing: Outgoing, origin: Origin, user_agent: str) -> PreparedRequest:
    """Fill a request by hand: a Session would add cookies, proxies, netrc and its own headers.

    ``url`` is the request target (path and query). Raises `SearchFailure` provider_auth_unavailable for a secret
    that a header or URL cannot carry, `ValueError` for any other part of that kind; neither says what it was.
    """
    _check(outgoing)
    request = PreparedRequest()
    request.method = outgoing.method
    request.url = _target(outgoing, origin)
    request.headers = CaseInsensitiveDict()
    headers = request.headers
    headers["Host"] = origin.authority
    headers["User-Agent"] = user_agent
    headers["Accept"] = "*/*"
    headers["Accept-Encoding"] = "gzip" if outgoing.accept_gzip else "identity"
    if outgoing.accept_gzip:
        headers["Accept-Language"] = "*"
    if outgoing.json is not None:
        headers["Content-Type"] = "application/json"
        request.body = json.dumps(outgoing.json, allow_nan=False, separators=(",", ":")).encode("ascii")
    for name, value in outgoing.headers.items():
        headers[name] = _secret_text(value) if isinstance(value, Secret) else value
    return request


def _check(outgoing: Outgoing) -> None:
    """Everything that can be wrong without a secret is found before one is revealed into a frame's locals."""
    for value in outgoing.headers.values():
        if not isinstance(value, Secret) and not _is_plain(value):
            raise ValueError("a header has characters that HTTP does not take")


def _target(outgoing: Outgoing, origin: Origin) -> str:
    target = f"{origin.path}{outgoing.path}" or "/"
    if not target.startswith("/") or not target.isascii() or not target.isprintable() or " " in target:
        raise ValueError("a path has characters that a URL does not take")
    if not outgoing.params:
        return target
    # A lone surrogate cannot be encoded; it becomes a question mark rather than an error that quotes the query.
    pairs = [(name, _secret_text(value) if isinstance(value, Secret) else value) for name, value in outgoing.params]
    return f"{target}?{urlencode(pairs, errors='replace')}"


def _secret_text(secret: Secret) -> str:
    # Not kept in a local: error reports show those.
    if not secret.reveal() or not _is_plain(secret.reveal()):
        raise SearchFailure(Code.AUTH_UNAVAILABLE)
    return secret.reveal()


def _is_plain(text: str) -> bool:
    """Visible ASCII with spaces inside, as in ``Bearer …``."""
    return text.isascii() and text.isprintable() and text.strip() == text
