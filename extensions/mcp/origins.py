"""Which web pages may reach the MCP endpoint: none but our own, against DNS rebinding."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.request import validate_host


def is_foreign(request: HttpRequest) -> bool:
    """Whether a page of another site sent this. Programs send no `Origin` at all.

    Our own are the host that was called, `ALLOWED_HOSTS` (a bare `*` names nobody) and `CSRF_TRUSTED_ORIGINS`.
    """
    origin = request.META.get("HTTP_ORIGIN")
    if origin is None or origin in settings.CSRF_TRUSTED_ORIGINS:
        return False
    try:
        parts = urlsplit(origin)
        host = parts.hostname or ""
    except ValueError:
        return True
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc:
        return True
    if parts.netloc == request.get_host():
        return False
    hosts = [allowed for allowed in settings.ALLOWED_HOSTS if allowed != "*"]
    return not validate_host(f"[{host}]" if ":" in host else host, hosts)
