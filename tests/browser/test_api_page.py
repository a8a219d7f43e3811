"""The API's page shows every route under its own policy, with nothing from elsewhere."""

from urllib.parse import urlsplit

from agentteam.openapi.document import document
from tests.browser.visitor import Visitors


def test_the_page_of_the_api(visitors: Visitors) -> None:
    visitor = visitors.open(None)
    hosts = set()
    visitor.page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    visitor.go("/api/docs")
    visitor.page.wait_for_selector(".opblock")
    shown = visitor.page.locator(".opblock-summary-path").all_inner_texts()
    operations = sum(len(methods) for methods in document()["paths"].values())
    assert len(shown) == operations
    visitor.page.get_by_role("button", name="Run an action of an Extension").first.click()
    visitor.page.wait_for_selector(".opblock-body .responses-table")
    assert "harbor ferry timetable" in visitor.page.inner_text(".opblock.is-open")
    assert hosts - {""} == {urlsplit(visitors.root).netloc}
    assert visitor.complaints == []
