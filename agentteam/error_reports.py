"""What a fault may show of itself: where it happened, and nothing that anybody sent or stored.

The message of an exception can quote a key (an HTTP library does, of a header it refuses), and so can a local
variable, a form or an environment variable. So logs and Django's reports, also its page under DEBUG, hold the
types of exceptions and the lines of code, and no value or local. The messages that stay are those which can
speak of the code alone.
"""

import re
import sys
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any

from django.http import HttpRequest, QueryDict
from django.template import TemplateDoesNotExist, TemplateSyntaxError
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter

HIDDEN = "(not shown)"
ABOUT_CODE = (AttributeError, NameError, ImportError, TemplateDoesNotExist, TemplateSyntaxError)
# Of the environment of a request only these are shown, and of headers those without a credential.
SHOWN_META = frozenset({"REQUEST_METHOD", "PATH_INFO", "CONTENT_TYPE", "CONTENT_LENGTH", "REMOTE_ADDR", "SERVER_NAME"})


def causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and what it came from, first cause first; each once."""
    chain: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in chain:
        chain.append(following)
        implicit = None if following.__suppress_context__ else following.__context__
        following = following.__cause__ or implicit
    return reversed(chain)


def where(error: BaseException) -> str:
    """Types and frames of an exception and its causes."""
    lines: list[str] = []
    for cause in causes(error):
        lines.append(f"{type(cause).__module__}.{type(cause).__qualname__}: {message_of(cause)}")
        lines += [
            f"  {frame.f_code.co_filename}:{line} {frame.f_code.co_name}"
            for frame, line in traceback.walk_tb(cause.__traceback__)
        ]
    return "\n".join(lines)


def message_of(error: BaseException) -> str:
    return str(error) if isinstance(error, ABOUT_CODE) else HIDDEN


def exception_text(logger: Any, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """structlog's processor for `exc_info`."""
    given = event.pop("exc_info", None)
    error = given[1] if isinstance(given, tuple) else given
    if error is True:
        error = sys.exc_info()[1]
    if isinstance(error, BaseException):
        event["exception"] = where(error)
    return event


class ReportFilter(SafeExceptionReporterFilter):
    """Hides every local and everything a request brought, whether DEBUG is on or not."""

    hidden_settings = re.compile(
        "API|AUTH|TOKEN|KEY|SECRET|PASS|SIGNATURE|COOKIE|CREDENTIAL|VAULT|DATABASE|CACHE|URL|LOCATION|ORIGIN",
        re.IGNORECASE,
    )

    def is_active(self, request: HttpRequest | None) -> bool:
        return True

    def get_safe_request_meta(self, request: HttpRequest) -> dict[str, Any]:
        """Without the process's environment, which a development server puts among them."""
        shown = super().get_safe_request_meta(request)
        return {name: value for name, value in shown.items() if name in SHOWN_META or name.startswith("HTTP_")}

    def get_safe_cookies(self, request: HttpRequest) -> dict[str, Any]:
        return dict.fromkeys(getattr(request, "COOKIES", {}), HIDDEN)

    def get_post_parameters(self, request: HttpRequest | None) -> dict[str, Any]:
        return {} if request is None else hidden(request.POST)

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: FrameType) -> Any:
        return ()


class Reporter(ExceptionReporter):
    """A report of types and places."""

    def get_traceback_data(self) -> dict[str, Any]:
        data = super().get_traceback_data()
        data["unicode_hint"] = ""
        data.pop("exception_notes", None)
        if self.exc_value is not None:
            data["exception_value"] = message_of(self.exc_value)
        if self.request is not None:
            data["request_GET_items"] = hidden(self.request.GET).items()
            data["request_insecure_uri"] = self.request.path
        return data

    def get_exception_traceback_frames(self, exc_value: BaseException | None, tb: Any) -> Iterator[dict[str, Any]]:
        for frame in super().get_exception_traceback_frames(exc_value, tb):
            cause = frame["exc_cause"]
            yield {**frame, "exc_cause": None if cause is None else type(cause).__name__}


def hidden(parameters: QueryDict) -> dict[str, str]:
    return dict.fromkeys(parameters, HIDDEN)
