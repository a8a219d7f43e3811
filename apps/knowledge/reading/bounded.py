"""Formats that can be hostile are read by a process of their own, which is ended when it takes too much."""

import subprocess  # noqa: S404 - our own script, without a shell
import sys
from types import ModuleType

from apps.knowledge.reading import html_text, pdf_text, process
from apps.knowledge.reading.refusals import Unreadable

TIMEOUT_SECONDS = 60

_REFUSALS = {
    pdf_text.ENCRYPTED: "The PDF is encrypted. Save it without a password.",
    pdf_text.BROKEN: "The PDF cannot be read: it is damaged, or no PDF at all.",
    pdf_text.TOO_MANY_PAGES: f"The PDF has more than {pdf_text.MAX_PAGES} pages; split it.",
}
_TOO_MUCH = "The file grows far beyond its size when it is read, or takes too long, so it is not read."


def pdf_to_text(data: bytes) -> str:
    """The text of all pages. Raises `Unreadable`: encrypted, damaged, too many pages, or beyond the bounds."""
    return _read(pdf_text, data)


def html_to_text(source: str) -> str:
    """What a reader of the page would see. Raises `Unreadable` beyond the bounds."""
    return _read(html_text, source.encode())


def _read(reader: ModuleType, data: bytes) -> str:
    name = reader.__name__.rpartition(".")[2]
    # -I: neither the environment nor the working folder has a say in what is imported; no secret goes along.
    command = [sys.executable, "-I", process.__file__, name]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=TIMEOUT_SECONDS, env={})  # noqa: S603
    except subprocess.TimeoutExpired:
        raise Unreadable(_TOO_MUCH) from None
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "replace")
    # A process that was killed at one of its limits has a negative code.
    raise Unreadable(_REFUSALS.get(done.returncode, _TOO_MUCH))
