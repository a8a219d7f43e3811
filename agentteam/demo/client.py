"""Plain HTTP to the product, as curl would speak it."""

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

SECONDS = 30


class DemoFailed(Exception):
    """The product did something else than it promises."""


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any


@dataclass(frozen=True)
class Caller:
    """Who calls: a bearer token on a server. ``base`` ends without a slash."""

    base: str
    token: str

    def send(self, method: str, path: str, body: Any = None) -> Answer:
        """One call below `/api/v1/`. An error status is an answer, not an exception."""
        request = urllib.request.Request(f"{self.base}/api/v1/{path}", method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with _direct.open(request, timeout=SECONDS) as response:
                return _answer(response.status, response.read())
        except urllib.error.HTTPError as refused:
            with refused:
                return _answer(refused.code, refused.read())

    def expect(self, status: int, method: str, path: str, body: Any = None) -> Any:
        """The answer's body. Raises `DemoFailed` on another status."""
        answer = self.send(method, path, body)
        if answer.status != status:
            raise DemoFailed(f"{method} {path} answered {answer.status} and not {status}: {answer.body}")
        return answer.body


# The product is on this machine: a proxy of the environment is not asked.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _answer(status: int, body: bytes) -> Answer:
    return Answer(status, json.loads(body) if body else None)


def is_ready(base: str) -> bool:
    try:
        with _direct.open(f"{base}/readyz", timeout=SECONDS) as response:
            return bool(response.status == 200)
    except OSError:
        return False
