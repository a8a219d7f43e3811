"""A text in passages: along its headings, paragraphs and sentences, each short enough for a small model."""

from collections.abc import Iterator

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from apps.knowledge.reading.documents import MediaType

# Characters: filled up to the second, from the first on if a boundary is near. MiniLM reads 256 tokens.
LATIN = (400, 900)
# Scripts without spaces have about one token a character.
DENSE = (120, 240)
_DENSE_FROM = 1.6

_WITH_HEADINGS = frozenset({MediaType.MARKDOWN, MediaType.HTML})


# The splitter takes time with the square of a stretch without boundaries, so no text comes to it whole.
BLOCK = 20_000
_BOUNDARIES = ("\n# ", "\n## ", "\n\n", "\n", " ")


def split(text: str, media_type: MediaType) -> list[str]:
    """At least one passage of a text that is not blank, in the order of the text."""
    capacity = DENSE if len(text.encode()) > _DENSE_FROM * len(text) else LATIN
    splitter = MarkdownSplitter(capacity) if media_type in _WITH_HEADINGS else TextSplitter(capacity)
    return [passage for block in _blocks(text) for passage in splitter.chunks(block)]


def _blocks(text: str) -> Iterator[str]:
    """The text in pieces of at most `BLOCK` characters, cut where a reader would."""
    start = 0
    while len(text) - start > BLOCK:
        end = _cut(text, start)
        yield text[start:end]
        start = end
    yield text[start:]


def _cut(text: str, start: int) -> int:
    """A boundary in the second half of the piece from `start` on, or its end when there is none."""
    end = start + BLOCK
    found = (text.rfind(boundary, start + BLOCK // 2, end) for boundary in _BOUNDARIES)
    return next((place for place in found if place > start), end)
