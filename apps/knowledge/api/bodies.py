"""What the knowledge base's routes take."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

from apps.knowledge.models import EmbeddingModel
from apps.knowledge.reading.documents import MediaType, max_file_bytes
from apps.workspaces.api.bodies import Body, Cleaner, Refused, one_of, text
from apps.workspaces.api.parsing import StrictJSONParser, read_body, require_json, strict_loads
from apps.workspaces.errors import Problem

# Names, member names and punctuation around a file's content.
_ENVELOPE_BYTES = 64 * 1024


def some_text(maximum: int) -> Cleaner:
    """Text as it is, at most `maximum` characters: its own declaration cleans it further."""
    takes = f"Text of 1 to {maximum} characters."

    def clean(value: object) -> str:
        if not isinstance(value, str) or not 1 <= len(value) <= maximum:
            raise Refused(takes)
        return value

    return clean


PUBLIC_ID = some_text(128)
MODEL_BODY = Body(
    required={"kind": one_of([kind.value for kind in EmbeddingModel.Kind])},
    optional={"id": PUBLIC_ID, "baseUrl": some_text(2048), "model": text(200), "apiKey": some_text(1024)},
)
MODEL_CHANGE_BODY = Body(optional={"baseUrl": some_text(2048), "apiKey": some_text(1024)})
STORE_BODY = Body(required={"embeddingModel": PUBLIC_ID}, optional={"id": PUBLIC_ID})
STORE_CHANGE_BODY = Body(required={"embeddingModel": PUBLIC_ID})


def described_model(values: Mapping[str, Any]) -> dict[str, Any]:
    """The cleaned members of `MODEL_BODY` under the names that the service uses."""
    return {
        "kind": values["kind"],
        "public_id": values.get("id"),
        "base_url": values.get("baseUrl"),
        "model": values.get("model"),
        "key": values.get("apiKey"),
    }


def _content(value: object) -> bytes:
    if not isinstance(value, str):
        raise Refused("The document as text.")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise Refused("The document as text, without lone surrogates.") from None


def _base64_content(value: object) -> bytes:
    takes = "The document's bytes in base64."
    if not isinstance(value, str):
        raise Refused(takes)
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise Refused(takes) from None


DOCUMENT_BODY = Body(
    required={"name": text(200)},
    optional={
        "content": _content,
        "contentBase64": _base64_content,
        "mediaType": one_of([kind.value for kind in MediaType]),
    },
)


@dataclass(frozen=True, slots=True)
class Upload:
    name: str
    data: bytes
    media_type: MediaType | None


def clean_upload(body: object) -> Upload:
    """Raises `Problem`: invalid_input, payload_too_large for a document above the limit."""
    values = DOCUMENT_BODY.clean(body)
    given = [values[name] for name in ("content", "contentBase64") if name in values]
    if len(given) != 1:
        raise Problem.invalid({"content": "Exactly one of content and contentBase64 is required."})
    if len(given[0]) > max_file_bytes():
        raise Problem.payload_too_large()
    media_type = values.get("mediaType")
    return Upload(values["name"], given[0], MediaType(media_type) if media_type is not None else None)


class DocumentJSONParser(StrictJSONParser):
    """As strict as any body, and as large as a document in base64 may be."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        require_json(media_type or "")
        meta = parser_context["request"].META if parser_context else {}
        return strict_loads(read_body(stream, meta, max_file_bytes() * 4 // 3 + _ENVELOPE_BYTES))
