"""From the bytes of a file to passages, and a clear sentence for every file that does not go."""

from typing import Any

import pytest

from apps.knowledge.reading.documents import MediaType, read_document
from apps.knowledge.reading.refusals import Unreadable
from apps.knowledge.reading.splitting import DENSE, LATIN, split
from tests.knowledge.files import bomb_pdf, encrypted_pdf, pdf

PAGE = b"""<!doctype html><html><head><title>Ferries</title><style>p { color: red }</style></head><body>
<nav><a href="/">Home</a></nav><h1>Ferry <b>times</b></h1>
<p>Every&nbsp;hour &amp; at night<br>twice.</p><ul><li>North<li>South</ul>
<table><tr><td>Mon</td><td>7:00</td></tr></table><script>alert("no")</script><!-- no --></body></html>"""


@pytest.mark.parametrize(
    ("name", "data", "kind", "text"),
    [
        ("a.md", b"# Title\r\n\r\nText", MediaType.MARKDOWN, "# Title\n\nText"),
        ("a.txt", b"\xef\xbb\xbfText", MediaType.TEXT, "Text"),
        ("a.unknown", "Fähre".encode(), MediaType.TEXT, "Fähre"),
        ("a.txt", "Fähre".encode("utf-16"), MediaType.TEXT, "Fähre"),
        ("a.pdf", pdf("Every hour.", "At night twice."), MediaType.PDF, "Every hour.\n\nAt night twice."),
        ("a.txt", pdf("Every hour."), MediaType.PDF, "Every hour."),
        ("a.pdf", encrypted_pdf("Every hour.", ""), MediaType.PDF, "Every hour."),
        (
            "a.html",
            PAGE,
            MediaType.HTML,
            "Ferries\n\n# Ferry times\n\nEvery hour & at night\ntwice.\n\n- North\n- South\n\nMon 7:00",
        ),
    ],
)
def test_what_is_read(name: str, data: bytes, kind: MediaType, text: str) -> None:
    read = read_document(name, data)
    assert (read.media_type, read.text) == (kind, text)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.md", b"", "The file is empty."),
        ("a.md", b" \n\t ", "The document has no text."),
        ("a.html", b"<p></p><script>x</script>", "The document has no text."),
        ("a.pdf", pdf(""), "The document has no text. A scanned PDF has pictures of text only."),
        ("a.txt", b"\x89PNG\r\n\x1a\n\x00\x00", "The file is not text in UTF-8."),
        ("a.md", b"one\x00two", "The file is not text: it has control characters."),
        ("a.pdf", b"%PDF-1.7 and nothing else", "The PDF cannot be read: it is damaged, or no PDF at all."),
        ("a.pdf", b"no PDF", "The PDF cannot be read: it is damaged, or no PDF at all."),
        ("a.pdf", encrypted_pdf("Secret.", "password"), "The PDF is encrypted. Save it without a password."),
        ("a.md", b"x" * ((20 << 20) + 1), "The file is larger than 20 MiB."),
        ("a.txt", b"x" * 10_000_001, "The document has more than 10000000 characters of text; split it."),
        (
            "a.pdf",
            bomb_pdf(600),
            "The file grows far beyond its size when it is read, or takes too long, so it is not read.",
        ),
    ],
)
def test_what_is_refused(name: str, data: bytes, words: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read_document(name, data)
    assert refused.value.message == words


def test_the_limit_is_a_setting(settings: Any) -> None:
    settings.AGENTTEAM_KNOWLEDGE_UPLOAD_MIB = 1
    with pytest.raises(Unreadable, match="larger than 1 MiB"):
        read_document("a.md", b"x" * ((1 << 20) + 1))
    assert read_document("a.md", b"x" * (1 << 20)).text == "x" * (1 << 20)


def test_a_given_media_type_decides() -> None:
    read = read_document("page", b"<h1>Ferries</h1>", MediaType.HTML)
    assert read.text == "# Ferries"


def test_passages_keep_their_heading_and_fit_the_model() -> None:
    sections = [f"## Rule {number}\n\n" + "Ferries sail every hour of the day. " * 15 for number in range(5)]
    passages = split("\n\n".join(sections), MediaType.MARKDOWN)
    assert [passage.splitlines()[0] for passage in passages] == [f"## Rule {number}" for number in range(5)]
    assert all(len(passage) <= LATIN[1] for passage in split("word " * 5000, MediaType.TEXT))
    assert all(len(passage) <= DENSE[1] for passage in split("渡船每小时开一班。" * 500, MediaType.TEXT))


@pytest.mark.parametrize("kind", [MediaType.TEXT, MediaType.MARKDOWN])
@pytest.mark.parametrize("piece", ["ferries sail every hour. ", "x", "a line\n", "# Heading\n\nText.\n\n"])
def test_long_texts_keep_every_word(kind: MediaType, piece: str) -> None:
    text = piece * (300_000 // len(piece))
    passages = split(text, kind)
    assert "".join("".join(passages).split()) == "".join(text.split())
    assert all(0 < len(passage) <= LATIN[1] for passage in passages)
