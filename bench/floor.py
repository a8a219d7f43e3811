"""The floor: what a call costs that only passes a search on. A bare WSGI application and `requests`."""

import json
import os
import threading
from collections.abc import Callable, Iterable
from typing import Any

import requests

ORIGIN = os.environ["BENCH_UPSTREAM"]

_own = threading.local()


def session() -> requests.Session:
    """One session a thread: a session is not made to be shared."""
    if not hasattr(_own, "session"):
        _own.session = requests.Session()
        _own.session.trust_env = False
    found: requests.Session = _own.session
    return found


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    given = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
    answer = session().get(
        f"{ORIGIN}/res/v1/web/search",
        params={"q": given["query"], "count": given["limit"]},
        headers={"X-Subscription-Token": "only-for-the-bench"},
        timeout=(5, 15),
    )
    results = [
        {"url": entry["url"], "title": entry["title"], "snippet": entry["description"]}
        for entry in answer.json()["web"]["results"]
    ]
    body = json.dumps({"results": results}).encode()
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]
