"""A sandbox: a small server that speaks SearXNG's JSON over the sample pages of `corpus.py`. It searches no web.

`python -m agentteam.demo.sandbox [--port 8888]` serves it until it is stopped.
"""

import argparse
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from agentteam.demo.corpus import PAGES, Page

ENGINE = "sandbox"
DEFAULT_PORT = 8888


def answer(query: str) -> dict[str, Any]:
    """SearXNG's answer to a query: the pages that share words with it, most shared words first."""
    scored = [(_score(query, page), page) for page in PAGES]
    found = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
    return {
        "query": query,
        "results": [_result(page, score) for score, page in found],
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }


def _score(query: str, page: Page) -> int:
    return len(_words(query) & _words(f"{page.title} {page.content}"))


def _words(text: str) -> frozenset[str]:
    """Words of three letters and more, without a plural's s."""
    return frozenset(word.removesuffix("s") for word in re.findall(r"\w{3,}", text.casefold()))


def _result(page: Page, score: int) -> dict[str, Any]:
    return {
        "url": page.url,
        "title": page.title,
        "content": page.content,
        "engine": ENGINE,
        "engines": [ENGINE],
        "category": "general",
        "score": float(score),
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        parameters = parse_qs(parts.query)
        if parts.path != "/search":
            self._send(404, "text/plain", b"This is a sandbox: GET /search?q=...&format=json\n")
        elif parameters.get("format") != ["json"]:
            self._send(403, "text/plain", b"The sandbox answers format=json only.\n")
        else:
            query = parameters.get("q", [""])[0]
            self._send(200, "application/json", json.dumps(answer(query)).encode())

    def _send(self, status: int, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """One line a request would drown what the demo says."""


class Sandbox(ThreadingHTTPServer):
    """Listens on 127.0.0.1; port 0 takes a free one."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def running_sandbox() -> Iterator[Sandbox]:
    """A sandbox that answers from a thread of this process."""
    with Sandbox() as sandbox:
        threading.Thread(target=sandbox.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield sandbox
        finally:
            sandbox.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m agentteam.demo.sandbox", description="Serves the sandbox.")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT)
    with Sandbox(parser.parse_args().port) as sandbox:
        print(f"The sandbox answers SearXNG's JSON at {sandbox.url}. Stop it with Ctrl-C.", flush=True)
        try:
            sandbox.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
