"""The API's page without a browser: its policy, and that all it asks for is there."""

import re
from urllib.parse import urljoin

import pytest
from django.test import Client


def test_the_page_and_all_it_asks_for() -> None:
    client = Client()
    page = client.get("/api/docs")
    assert (page.status_code, page["Content-Type"]) == (200, "text/html; charset=utf-8")
    policy = page["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert (page["X-Content-Type-Options"], page["X-Frame-Options"]) == ("nosniff", "DENY")
    text = page.content.decode()
    assert not re.search(r"<style|style=|<script>|\son\w+=|https?://", text)
    wanted = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert len(wanted) == 4
    for address in wanted:
        path = urljoin("/api/docs", address.replace("&amp;", "&"))
        assert path.startswith(("/static/", "/api/docs"))
        assert client.get(path).status_code == 200, path
    script = client.get(urljoin("/api/docs", wanted[-1]))
    assert script["Content-Type"].startswith("application/javascript")
    assert "/api/v1/schema" in script.content.decode()


@pytest.mark.parametrize(
    "query", ["lang=%22%3E%3Cscript%3Ealert(1)", "version=%27-alert(1)-%27", "lang=%27-alert(1)-%27"]
)
def test_nothing_of_the_address_becomes_script(query: str) -> None:
    assert "<script>" not in Client().get(f"/api/docs?{query}").content.decode()
    script = Client().get(f"/api/docs?script=&{query}").content.decode()
    assert script == Client().get("/api/docs?script=").content.decode()
