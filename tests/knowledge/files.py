"""Files for tests: PDFs, good and bad."""

import io
import zlib

from pypdf import PdfWriter


def pdf(*pages: str) -> bytes:
    """A plain PDF with one line of text a page."""
    return _assemble([f"BT /F1 12 Tf 40 700 Td ({page}) Tj ET".encode() for page in pages], b"")


def bomb_pdf(megabytes: int) -> bytes:
    """A small PDF whose one page decodes to that many megabytes."""
    deflater = zlib.compressobj(9)
    block = b" " * (1 << 20)
    data = b"".join(deflater.compress(block) for _ in range(megabytes)) + deflater.flush()
    return _assemble([data], b" /Filter /FlateDecode")


def encrypted_pdf(text: str, password: str) -> bytes:
    writer = PdfWriter(clone_from=io.BytesIO(pdf(text)))
    writer.encrypt(password, algorithm="RC4-128")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def _assemble(streams: list[bytes], extra: bytes) -> bytes:
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(streams)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(streams)),
        font,
    ]
    for number, stream in enumerate(streams):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * number)
        )
        objects.append(b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(stream), extra, stream))
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(
        b"%010d 00000 n \n" % p for p in places
    )
    return out + table + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out))
