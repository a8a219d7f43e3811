"""A text in passages: along its headings, paragraphs and sentences, each short enough for a small model."""

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from apps.knowledge.reading.documents import MediaType

# Characters: filled up to the second, from the first on if a boundary is near. MiniLM reads 256 tokens.
LATIN = (400, 900)
# Scripts without spaces have about one token a character.
DENSE = (120, 240)
_DENSE_FROM = 1.6

_WITH_HEADINGS = frozenset({MediaType.MARKDOWN, MediaType.HTML})


def split(text: str, media_type: MediaType) -> list[str]:
    """At least one passage of a text that is not blank, in the order of the text."""
    capacity = DENSE if len(text.encode()) > _DENSE_FROM * len(text) else LATIN
    splitter = MarkdownSplitter(capacity) if media_type in _WITH_HEADINGS else TextSplitter(capacity)
    return splitter.chunks(text)
