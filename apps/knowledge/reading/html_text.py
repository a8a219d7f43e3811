"""The text of an HTML page: headings become Markdown headings, so that passages keep them.

Runs in a process of its own: the standard parser can be made to take very long.
"""

import re
from html.parser import HTMLParser

_SKIPPED = frozenset({"script", "style", "template", "noscript", "svg", "math", "nav", "iframe", "object", "select"})
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_BLOCK_NAMES = (
    "address article aside blockquote body br caption dd details div dl dt figcaption figure footer form header hr "
    "legend li main ol p pre section summary table tbody tfoot thead title tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_CELLS = frozenset({"td", "th"})
_BLANKS = re.compile(r"[ \t\r\f\v\xa0]+")
_LINES = re.compile(r"\s*\n\s*\n\s*")


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._skipping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipping.append(tag)
        elif tag in _HEADINGS:
            self.parts.append(f"\n\n{_HEADINGS[tag]} ")
        elif tag == "li":
            self.parts.append("\n- ")
        elif tag in _BLOCKS:
            self.parts.append("\n")
        elif tag in _CELLS:
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipping:
            # Whatever was left open inside ends with it.
            del self._skipping[self._skipping.index(tag) :]
        elif tag in _HEADINGS or tag in ("p", "table", "ul", "ol", "title"):
            self.parts.append("\n\n")
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self.parts.append(_BLANKS.sub(" ", data.replace("\n", " ")))


def read(data: bytes) -> str:
    """What a reader of the page, in UTF-8, would see, but for navigation and forms."""
    parser = _Text()
    parser.feed(data.decode("utf-8", "replace"))
    parser.close()
    lines = (line.strip() for line in "".join(parser.parts).split("\n"))
    return _LINES.sub("\n\n", "\n".join(lines)).strip()
