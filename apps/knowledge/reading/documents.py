"""From the bytes of a file to its text, or to a sentence that says why not."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from django.conf import settings

from apps.knowledge.reading.bounded import html_to_text, pdf_to_text
from apps.knowledge.reading.pdf_text import MAX_CHARACTERS
from apps.knowledge.reading.refusals import Unreadable

MEBIBYTE = 1 << 20


class MediaType(StrEnum):
    MARKDOWN = "text/markdown"
    TEXT = "text/plain"
    HTML = "text/html"
    PDF = "application/pdf"


SUFFIXES = {
    ".md": MediaType.MARKDOWN,
    ".markdown": MediaType.MARKDOWN,
    ".txt": MediaType.TEXT,
    ".text": MediaType.TEXT,
    ".rst": MediaType.TEXT,
    ".html": MediaType.HTML,
    ".htm": MediaType.HTML,
    ".pdf": MediaType.PDF,
}

# What no text has; tab, line feed, carriage return and form feed are text.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


@dataclass(frozen=True, slots=True)
class ReadText:
    """``text`` has something in it. Headings of Markdown and HTML are Markdown headings."""

    media_type: MediaType
    text: str


def max_file_bytes() -> int:
    limit: int = settings.AGENTTEAM_KNOWLEDGE_UPLOAD_MIB * MEBIBYTE
    return limit


def read_document(name: str, data: bytes, media_type: MediaType | None = None) -> ReadText:
    """The text of a file. Without ``media_type`` its beginning and the suffix of ``name`` decide.

    PDF and HTML are read by a process of their own, which is waited for. Raises `Unreadable`: too large, empty, not
    text, encrypted, damaged, or growing beyond bounds.
    """
    check_size(len(data))
    kind = media_type or guess_media_type(name, data)
    if kind is MediaType.PDF:
        text = _CONTROLS.sub("", pdf_to_text(data))
    else:
        text = _decoded(data)
        if kind is MediaType.HTML:
            text = html_to_text(text)
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        hint = " A scanned PDF has pictures of text only." if kind is MediaType.PDF else ""
        raise Unreadable(f"The document has no text.{hint}")
    if len(text) > MAX_CHARACTERS:
        raise Unreadable(f"The document has more than {MAX_CHARACTERS} characters of text; split it.")
    return ReadText(kind, text)


def check_size(size: int) -> None:
    """Raises `Unreadable` for a file that is not worth reading at all."""
    if size > max_file_bytes():
        raise Unreadable(f"The file is larger than {settings.AGENTTEAM_KNOWLEDGE_UPLOAD_MIB} MiB.")
    if not size:
        raise Unreadable("The file is empty.")


def guess_media_type(name: str, data: bytes) -> MediaType:
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return MediaType.PDF
    return SUFFIXES.get(PurePosixPath(name).suffix.lower(), MediaType.TEXT)


def _decoded(data: bytes) -> str:
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise Unreadable("The file is not text in UTF-8.") from None
    if _CONTROLS.search(text):
        raise Unreadable("The file is not text: it has control characters.")
    return text
