"""Provider text as plain text: HTML and entities resolved, blanks folded, what must not be shown dropped."""

import html
import re

# Controls, marks that turn the reading direction, invisible tags, and halves of surrogate pairs. Joiners and
# zero-width spaces stay: scripts and emoji need them.
_DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_EMPHASIS = re.compile(r"</?(?:b|em|i|mark|strong)>", re.IGNORECASE)
_TAG = re.compile(r"<(?:/?([A-Za-z][A-Za-z0-9:-]*)|[!?])([^<>]*)>")

_INLINE_NAMES = """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small
    span strike strong sub sup time tt u var wbr
"""
_BLOCK_NAMES = """
    address applet area article aside audio base basefont blockquote body br button canvas caption center col colgroup
    datalist dd details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5
    h6 head header hgroup hr html iframe img input legend li link main map marquee math menu meta meter nav noframes
    noscript object ol optgroup option output p param picture pre progress script search section select slot source
    style summary svg table tbody td template textarea tfoot th thead title tr track ul video xmp
"""
_INLINE = frozenset(_INLINE_NAMES.split())
_BLOCK = frozenset(_BLOCK_NAMES.split())
_UNREAD = frozenset({"script", "style"})


def plain_text(value: object, limit: int) -> str:
    """`value` as one line of plain text of at most `limit` characters; "" when it is not text (spec A 4.2)."""
    if not isinstance(value, str):
        return ""
    if "<" in value:
        # Most tags of most providers only mark the words that matched.
        value = _EMPHASIS.sub("", value)
        if "<" in value:
            value = _without_tags(value)
    if "&" in value:
        value = html.unescape(value)
    if not value.isprintable():
        value = _DROPPED.sub("", value)
        value = " ".join(value.split())
    elif "  " in value:
        value = " ".join(value.split())
    value = value.strip()
    return value if len(value) <= limit else value[:limit].rstrip()


def _without_tags(text: str) -> str:
    """`text` without HTML tags, comments, scripts and styles; in linear time, whatever is left open.

    What only looks like a tag (``a < b``, ``List<String>``) is text and stays.
    """
    parts: list[str] = []
    done = 0
    start = text.find("<")
    while start >= 0:
        end, between = _tag_end(text, start)
        if end > start:
            parts += (text[done:start], between)
            done = end
        start = text.find("<", max(end, start + 1))
    parts.append(text[done:])
    return "".join(parts)


def _tag_end(text: str, start: int) -> tuple[int, str]:
    """Where the markup at `start` ends and what stands in for it; `start` itself when it is no markup."""
    if text.startswith("<!--", start):
        return _after(text, "-->", start + 4), ""
    match = _TAG.match(text, start)
    if match is None:
        return start, ""
    name, rest = match[1], match[2]
    if name is None:
        return match.end(), " "
    name = name.lower()
    if name in _INLINE:
        return match.end(), ""
    if name in _UNREAD and text[start + 1] != "/":
        return _after(text, ">", _find_closing(text, name, match.end())), " "
    if name in _BLOCK or "=" in rest or "-" in name:
        return match.end(), " "
    return start, ""


def _find_closing(text: str, name: str, start: int) -> int:
    match = re.compile(f"</{name}", re.IGNORECASE).search(text, start)
    return match.end() if match else len(text)


def _after(text: str, mark: str, start: int) -> int:
    """The position after the next `mark`, or the end of the text: what is left open is not shown."""
    found = text.find(mark, start)
    return found + len(mark) if found >= 0 else len(text)
