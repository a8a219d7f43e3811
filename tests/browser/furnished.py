"""A workspace that has been lived in: engines in every state, agents, requests, and a week of calls."""

from datetime import timedelta
from random import Random
from typing import Any

from django.utils import timezone

from apps.activity.models import Execution
from apps.knowledge.services.documents import accept_document
from apps.marketplace.models import Installation
from apps.marketplace.services.connections import record_test
from apps.marketplace.services.custom_apps import create_custom_app
from apps.marketplace.services.installations import install
from apps.marketplace.services.requests import request_app
from apps.marketplace.services.secrets import put_secret
from apps.marketplace.services.selections import set_authorization
from apps.workspaces.services.members import create_workspace
from tests.knowledge.embedding_server import EmbeddingServer
from tests.knowledge.library import Library
from tests.road import APP_IDS, Road
from tests.workspaces.conftest import OPERATOR

CALLS_A_DAY = 60
PACE = {"searxng": 420.0, "brave": 310.0, "duckduckgo": 180.0, "tavily": 690.0}


RESULTS = [
    ("https://harbour.example/ferries", "Ferry timetable", "Boats leave every hour from six in the morning."),
    ("https://harbour.example/fares", "Fares and passes", "A day pass is worth it from the third crossing."),
    ("https://news.example/new-boat", "A new boat for the strait", "She carries four hundred people and forty cars."),
]
HANDBOOK = {
    "ferries.md": "# Ferries\n\nBoats leave every hour.",
    "berths.md": "# Berths\n\nVisitors moor at the eastern quay.",
    "tides.md": "# Tides\n\nHigh water comes fifty minutes later every day.",
}


def furnish(road: Road, settings: Any) -> None:
    house, workspace_id = road.house, road.house.workspace.id
    house.workspace.name = "Harbour Research"
    house.workspace.save()
    create_workspace("Lighthouse Press", house.admin.user, OPERATOR)
    connected = {slug: road.connect(slug) for slug in PACE}
    record_test(connected["searxng"], "ok", "")
    record_test(connected["tavily"], "upstream_failure", "quota_exhausted")
    install(workspace_id, APP_IDS["exa"], house.admin.actor)
    create_custom_app(
        workspace_id, "tide-tables", "Tide tables", "Printed tables of the port office.", house.admin.actor
    )
    request_app(house.member.member, APP_IDS["serper"], "Comparing rankings for the ferry article.", house.member.actor)
    house.agent("summariser")
    set_authorization(workspace_id, road.agent_row.id, "duckduckgo", False, house.admin.actor)
    house.service_token()
    put_secret(workspace_id, "BRAVE_KEYS", "canary-secret-1,canary-secret-2", house.admin.actor)
    _calls(road, connected)
    _handbook(road, settings)


def let_engines_answer(road: Road) -> None:
    """Two engines that find the same pages in different orders; one of them finds one twice."""
    entries = [{"url": url, "title": title, "content": text, "description": text} for url, title, text in RESULTS]
    road.upstream.reply(json={"web": {"results": entries}}, match="/res/v1/web/search")
    again = [entries[0] | {"url": entries[0]["url"] + "#top"}]
    road.upstream.reply(json={"results": [*entries[::-1], *again]}, match="/search")


def _handbook(road: Road, settings: Any) -> None:
    """A knowledge base with documents that are read and one that waits."""
    settings.AGENTTEAM_EMBEDDING_ORIGINS = [road.upstream.url]
    library = Library(road, EmbeddingServer(road.upstream))
    library.make_model()
    library.make_store()
    library.connect()
    for name, content in HANDBOOK.items():
        library.add(name, content)
    accept_document(
        library.workspace_id, road.house.admin.actor, "handbook", "harbour-dues.md", b"Dues are paid ashore."
    )


def _calls(road: Road, connected: dict[str, str]) -> None:
    chance, now = Random(7), timezone.now()  # noqa: S311 - the same week each time
    rows = []
    for _ in range(CALLS_A_DAY * 7):
        slug = chance.choices(list(PACE), weights=[5, 4, 2, 2])[0]
        failed = chance.random() < (0.2 if slug == "duckduckgo" else 0.03)
        rows.append(
            Execution(
                workspace_id=road.house.workspace.id,
                at=now - timedelta(minutes=chance.randrange(60 * 24 * 7 - 60)),
                caller=Execution.Caller.AGENT,
                caller_id=road.agent_row.id,
                installation_id=connected[slug],
                extension=slug,
                action="search",
                code="rate_limited" if failed else "ok",
                results=0 if failed else 5,
                milliseconds=round(PACE[slug] * chance.lognormvariate(0, 0.35), 1),
            )
        )
    Execution.objects.bulk_create(rows)
    assert Installation.objects.filter(pk__in=connected.values()).count() == len(connected)
