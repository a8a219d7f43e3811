"""Plays a provider's answer from a local server through the real egress gate into the runtime."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import searchengines.providers as providers_package
from searchengines import runtime
from searchengines.contract import (
    CallContext,
    ConnectionSnapshot,
    Provider,
    Reach,
    SearchAnswer,
    SearchQuery,
    Secret,
    Target,
)
from searchengines.egress.gate import Egress
from searchengines.errors import SearchFailure
from searchengines.providers import ALL
from tests.upstream import Request, Upstream

KEY = "test-key-0123456789"
CONTEXT = CallContext("ws_1", "inst_1", "agent_1")
PROVIDERS = {provider.slug: provider for provider in ALL}


def ok_body(provider: Provider) -> Any:
    """The body of the engine's own fixture of a search that found something."""
    path = Path(providers_package.__file__).parent / provider.slug / "fixtures" / "ok.json"
    return json.loads(path.read_text())["body"]


def sample_config(provider: Provider) -> dict[str, str]:
    """A valid config: placeholders of declarations are examples of what they take."""
    return {item.name: item.placeholder for item in provider.config_fields if item.required}


def sample_secrets(provider: Provider) -> dict[str, Secret]:
    return {item.name: Secret(KEY) for item in provider.secret_fields}


@dataclass
class Stage:
    upstream: Upstream
    egress: Egress
    sent: list[Request] = field(default_factory=list)

    def play(
        self,
        provider: Provider,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        query: SearchQuery | str = "harbor ferry times",
        config: Mapping[str, str] | None = None,
        options: Mapping[str, Any] | None = None,
        secrets: Mapping[str, Secret] | None = None,
        path: str = "",
    ) -> SearchAnswer:
        """Search once; ``body`` is bytes as they are, or a JSON value. What was sent is in ``sent``.

        ``path`` is the path of the base URL.
        """
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.upstream.reply(status, headers={"content-type": "application/json", **(headers or {})}, body=data)
        snapshot = ConnectionSnapshot(
            target=Target(self.upstream.url + path, Reach.LOOPBACK),
            config=sample_config(provider) if config is None else config,
            secrets=sample_secrets(provider) if secrets is None else secrets,
            options=options or {},
            pool=(provider.slug + path, 1),
        )
        asked = query if isinstance(query, SearchQuery) else SearchQuery(query, limit=5)
        before = len(self.upstream.requests)
        try:
            return runtime.search(provider, CONTEXT, snapshot, asked, self.egress)
        finally:
            self.sent = self.upstream.requests[before:]

    def failure(self, provider: Provider, **options: Any) -> tuple[str, str | None]:
        """Code and reason of a search that fails; an answer is an error."""
        try:
            answer = self.play(provider, **options)
        except SearchFailure as failure:
            return failure.code.value, failure.reason and failure.reason.value
        raise AssertionError(f"an answer came back: {answer}")

    def request_for(self, provider: Provider, **options: Any) -> Request:
        """The one request of a search, whatever became of its answer."""
        with suppress(SearchFailure):
            self.play(provider, body={}, **options)
        (request,) = self.sent
        return request
