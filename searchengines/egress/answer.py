"""Reading an answer that may lie about its length, its end or its size."""

import zlib
from collections.abc import Mapping

from urllib3 import BaseHTTPResponse

from searchengines.errors import Reason, SearchFailure

_PIECE = 65536
_MAX_PIECES = 16384
_GZIP = 31


def read_body(raw: BaseHTTPResponse, headers: Mapping[str, str], max_bytes: int) -> bytes:
    """The complete body, decoded from at most one layer of gzip.

    Raises `SearchFailure`: too_large above ``max_bytes`` before or after decoding, bad_shape for a framing or coding
    that is not plain; library errors for a body that ends early.
    """
    check_framing(headers, max_bytes)
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("identity", "gzip"):
        raise SearchFailure.upstream(Reason.BAD_SHAPE)
    data = _read_raw(raw, max_bytes)
    return _gunzip(data, max_bytes) if coding == "gzip" and data else data


def check_framing(headers: Mapping[str, str], max_bytes: int) -> None:
    """Refuse what http.client would guess at: odd or repeated lengths, other transfer codings, both at once."""
    length = headers.get("content-length")
    transfer = headers.get("transfer-encoding")
    if transfer is not None and (transfer.strip().lower() != "chunked" or length is not None):
        raise SearchFailure.upstream(Reason.BAD_SHAPE)
    if length is None:
        return
    if not (length.isascii() and length.isdigit()):
        raise SearchFailure.upstream(Reason.BAD_SHAPE)
    if len(length) > 18 or int(length) > max_bytes:
        raise SearchFailure.upstream(Reason.TOO_LARGE)


def _read_raw(raw: BaseHTTPResponse, max_bytes: int) -> bytes:
    pieces: list[bytes] = []
    count = 0
    # A chunk costs as much to read as a page full of text: a body of tiny ones would keep a processor busy.
    while piece := raw.read1(_PIECE, decode_content=False):
        count += len(piece)
        if count > max_bytes or len(pieces) >= _MAX_PIECES:
            raise SearchFailure.upstream(Reason.TOO_LARGE)
        pieces.append(piece)
    return b"".join(pieces)


def _gunzip(data: bytes, max_bytes: int) -> bytes:
    decoder = zlib.decompressobj(_GZIP)
    try:
        body = decoder.decompress(data, max_bytes + 1)
    except zlib.error:
        body = None
    if body is None:
        raise SearchFailure.upstream(Reason.BAD_SHAPE)
    if len(body) > max_bytes:
        raise SearchFailure.upstream(Reason.TOO_LARGE)
    if not decoder.eof or decoder.unused_data:
        raise SearchFailure.upstream(Reason.BAD_SHAPE)
    return body
