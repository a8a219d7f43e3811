"""The text of a PDF. Runs in a process of its own, with pypdf and nothing of this project.

pypdf is imported there only: it takes a while, and servers need the exit codes alone.
"""

import io
import logging

ENCRYPTED = 10
BROKEN = 11
TOO_MANY_PAGES = 12
TOO_MUCH = 13

MAX_PAGES = 2000
MAX_CHARACTERS = 10_000_000

# What pypdf raises for a damaged file, beside its own.
_DAMAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OSError, AssertionError)


def read(data: bytes) -> str | int:
    """The text of all pages, or the number of what is wrong."""
    from pypdf.errors import LimitReachedError, PyPdfError

    logging.disable(logging.CRITICAL)
    try:
        return _text(data)
    except (LimitReachedError, MemoryError, RecursionError):
        return TOO_MUCH
    except (PyPdfError, *_DAMAGE):
        return BROKEN


def _text(data: bytes) -> str | int:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    # Many PDFs are encrypted with an empty password, against printing; those are for everyone to read.
    if reader.is_encrypted and not reader.decrypt(""):
        return ENCRYPTED
    if len(reader.pages) > MAX_PAGES:
        return TOO_MANY_PAGES
    parts: list[str] = []
    left = MAX_CHARACTERS
    for page in reader.pages:
        parts.append(page.extract_text())
        left -= len(parts[-1])
        if left < 0:
            return TOO_MUCH
    return "\n\n".join(parts)
