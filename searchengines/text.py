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
# Possessive: a repetition that gives back what it took would need quadratic time for a tag that never ends.
_MARKUP = re.compile(r"<!--|<(?:/?([A-Za-z][A-Za-z0-9:-]*+)|[!?])([^<>]*+)>")
_LONG_NUMBER = re.compile(r"&#([0-9]{8,}+);?")

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
        value = html.unescape(_LONG_NUMBER.sub(_short_number, value))
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
    match = _MARKUP.search(text)
    while match is not None:
        start = match.start()
        end, between = _markup_end(text, match)
        if end > start:
            parts += (text[done:start], between)
            done = end
        match = _MARKUP.search(text, max(end, start + 1))
    parts.append(text[done:])
    return "".join(parts)


def _markup_end(text: str, match: re.Match[str]) -> tuple[int, str]:
    """Where the markup found ends and what stands in for it; its start when it is no markup."""
    if match[0] == "<!--":
        return _after(text, "-->", match.end()), ""
    name, rest = match[1], match[2]
    if name is None:
        return match.end(), " "
    name = name.lower()
    if name in _INLINE:
        return match.end(), ""
    if name in _UNREAD and match[0][1] != "/":
        return _after(text, ">", _find_closing(text, name, match.end())), " "
    if name in _BLOCK or "=" in rest or "-" in name:
        return match.end(), " "
    return match.start(), ""


def _short_number(reference: re.Match[str]) -> str:
    """The same character reference in at most 8 digits: Python turns no longer text than 4300 digits into a number."""
    return f"&#{reference[1].lstrip('0')[:8] or '0'};"


def _find_closing(text: str, name: str, start: int) -> int:
    match = re.compile(f"</{name}", re.IGNORECASE).search(text, start)
    return match.end() if match else len(text)


def _after(text: str, mark: str, start: int) -> int:
    """The position after the next `mark`, or the end of the text: what is left open is not shown."""
    found = text.find(mark, start)
    return found + len(mark) if found >= 0 else len(text)
