"""Text that an agent sends: trimmed, on one line, and free of what no provider should be sent."""

FOLDED = str.maketrans({"\t": " ", "\n": " ", "\r": " "})
MESSAGE = "Text without control characters and lone surrogates."


def clean_text(name: str, value: object, problems: dict[str, str]) -> object:
    """Text trimmed, tabs and line ends folded to a space; other values as they are.

    Control characters (C0, DEL, C1) and lone surrogates go to `problems`.
    """
    if not isinstance(value, str):
        return value
    text = value.translate(FOLDED).strip()
    if text.isascii() and text.isprintable():
        return text
    if any(_is_refused(character) for character in text):
        problems[name] = MESSAGE
    return text


def _is_refused(character: str) -> bool:
    point = ord(character)
    return point < 0x20 or 0x7F <= point < 0xA0 or 0xD800 <= point <= 0xDFFF
