"""An OpenAI-compatible embedding server over HTTP whose vectors a test can foretell."""

import hashlib
import math
from typing import Any

from tests.upstream import Reply, Request, Upstream


class EmbeddingServer:
    """Answers `POST /v1/embeddings` for any model.

    A text in ``vectors`` has that vector; any other one a vector of ``dimension`` numbers that follow from it.
    """

    def __init__(self, upstream: Upstream, dimension: int = 3) -> None:
        self.upstream = upstream
        self.dimension = dimension
        self.vectors: dict[str, list[float]] = {}
        upstream.reply_with(self._answer)

    @property
    def url(self) -> str:
        return f"{self.upstream.url}/v1"

    @property
    def texts(self) -> list[str]:
        """All that was embedded so far, in order."""
        return [text for request in self.upstream.requests for text in request.json["input"]]

    def vector(self, text: str) -> list[float]:
        return self.vectors.get(text) or made_up(text, self.dimension)

    def _answer(self, request: Request) -> Reply:
        if request.method != "POST" or request.path != "/v1/embeddings":
            return Reply(404, json={"error": "no such path"})
        return Reply(json=answer([self.vector(text) for text in request.json["input"]]))


def answer(vectors: list[Any]) -> dict[str, Any]:
    """The body of a good answer; out of order, which `index` puts right."""
    entries = [{"object": "embedding", "index": place, "embedding": vector} for place, vector in enumerate(vectors)]
    return {"object": "list", "data": entries[::-1], "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def made_up(text: str, dimension: int) -> list[float]:
    """A direction that is always the same for a text, and another for every text."""
    numbers = [
        int.from_bytes(hashlib.sha256(f"{place} {text}".encode()).digest()[:4], "big") / 2**31 - 1
        for place in range(dimension)
    ]
    length = math.hypot(*numbers)
    return [number / length for number in numbers]
