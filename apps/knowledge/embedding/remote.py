"""An OpenAI-compatible embedding server, through the one egress gate."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from apps.knowledge.embedding.addresses import path_of, target_of
from apps.knowledge.embedding.checked import checked_vectors
from apps.knowledge.embedding.failures import EmbeddingFailure
from apps.knowledge.vectors import Vector
from extensions.web_engines import egress
from searchengines.contract import Incoming, Outgoing, Secret
from searchengines.errors import Code, Reason, SearchFailure
from searchengines.runtime import retry_after

DEADLINE_SECONDS = 15.0
MAX_BATCH = 64
# A number takes up to about 24 bytes of JSON, and an answer of the gate at most 1 MiB.
_NUMBERS_AN_ANSWER = 36_000


@dataclass(frozen=True, slots=True)
class RemoteEmbedder:
    """One model at one server. ``key`` is None for a server that wants none."""

    base_url: str
    model: str
    dimension: int | None
    key: Secret | None
    pool: tuple[str, int]

    waits = True

    @property
    def batch_size(self) -> int:
        """1 while the dimension is not known."""
        return max(1, min(MAX_BATCH, _NUMBERS_AN_ANSWER // self.dimension)) if self.dimension else 1

    def embed(self, texts: Sequence[str], *, timeout: float = DEADLINE_SECONDS) -> Vector:
        """Raises `SearchFailure`, as a web engine does; `EmbeddingFailure` for vectors that cannot be used."""
        outgoing = Outgoing(
            "POST",
            path_of(self.base_url),
            headers={} if self.key is None else {"Authorization": Secret(f"Bearer {self.key.reveal()}")},
            json={"model": self.model, "input": list(texts), "encoding_format": "float"},
        )
        incoming = egress().send(outgoing, target_of(self.base_url), pool=self.pool, timeout=timeout)
        return checked_vectors(_rows(_payload(incoming)), len(texts), self.dimension)


def _payload(incoming: Incoming) -> Any:
    if incoming.status == 429:
        raise SearchFailure(Code.RATE_LIMITED, retry_after=retry_after(incoming.headers.get("retry-after")))
    if incoming.status in (401, 403):
        raise SearchFailure.credentials_rejected()
    if incoming.status != 200:
        raise SearchFailure.upstream(Reason.BAD_STATUS)
    try:
        return json.loads(incoming.body.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise SearchFailure.upstream(Reason.NOT_JSON) from None


def _refuse_constant(name: str) -> NoReturn:
    raise EmbeddingFailure("The embedding server answered with a number that is none.")


def _rows(payload: Any) -> list[Any]:
    """The vectors in the order of the texts, as `index` says where it is given."""
    data = payload.get("data") if isinstance(payload, dict) else None
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise EmbeddingFailure("The embedding server did not answer with a list of vectors.")
    if all("index" not in entry for entry in data):
        return [entry.get("embedding") for entry in data]
    by_index = {entry.get("index"): entry.get("embedding") for entry in data if type(entry.get("index")) is int}
    if set(by_index) != set(range(len(data))):
        raise EmbeddingFailure("The embedding server did not number its vectors from 0 on.")
    return [by_index[place] for place in range(len(data))]
