"""The pages of the URL table, filled with what a world has."""

import re
from typing import Any

from tests.security.routes import listed
from tests.security.world import World

# Paths that are no pages of ours: `agentteam/middleware.py` says the same of the first two.
NOT_PAGES = ("api/", "^api/", "mcp", "healthz", "readyz", "metrics", "admin/", "static/")
PARAMETER = re.compile(r"\{[^}]*\}")


def page_routes() -> list[tuple[str, Any]]:
    """(route, view class) of each page."""
    return [
        (route, getattr(pattern.callback, "view_class", None))
        for route, pattern in listed()
        if not route.startswith(NOT_PAGES)
    ]


def filled(world: World, route: str, **other: str) -> str:
    """The path of a page. A parameter that no world knows is named by itself: the page is then not found."""
    ids = {**world.ids, "slug": "brave", "token_id": world.page_token(route)}
    if "secrets/{name}" in route:
        ids["name"] = world.ids["secret_name"]
    ids |= other
    return "/" + PARAMETER.sub(lambda found: ids.get(found[0].strip("{}").split(":")[-1], "nothing"), route)


def writing_pages() -> list[str]:
    """Routes of pages that take a form."""
    return [route for route, view in page_routes() if view is None or hasattr(view, "post")]
