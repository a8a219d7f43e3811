"""Pages for what went wrong, and the workspace switcher."""

from django.test import Client, RequestFactory

from apps.console.error_pages import problem_page, server_error
from apps.workspaces.errors import Problem
from apps.workspaces.services.members import create_workspace
from tests.console.conftest import Window, html
from tests.workspaces.conftest import OPERATOR, House


def test_an_unknown_path_is_a_page_in_words(db: None) -> None:
    response = Client().get("/nothing/here")
    assert response.status_code == 404
    assert "There is nothing here" in html(response)


def test_a_fault_of_ours_names_the_request_and_nothing_else() -> None:
    request = RequestFactory().get("/")
    request.request_id = "0123456789abcdef"  # type: ignore[attr-defined]
    response = server_error(request)
    assert response.status_code == 500
    assert "Request 0123456789abcdef" in html(response)


def test_a_problem_says_how_long_to_wait() -> None:
    response = problem_page(RequestFactory().get("/"), Problem.throttled(7))
    assert response.status_code == 429
    assert response["Retry-After"] == "7"
    assert "Too many requests. Try again in 7 seconds." in html(response)


def test_a_part_of_a_page_gets_the_words_alone() -> None:
    request = RequestFactory().get("/", headers={"HX-Request": "true"})
    shown = html(problem_page(request, Problem("unavailable")))
    assert "<html" not in shown
    assert "Not available right now" in shown


def test_a_part_of_a_page_without_a_session_leads_to_sign_in(house: House) -> None:
    path = f"/w/{house.workspace.id}/playground"
    response = Client().post(path, {"query": "x"}, headers={"HX-Request": "true"})
    assert response["HX-Redirect"] == "/sign-in"


def test_the_switcher_lists_own_workspaces_only(house: House, other_house: House, admin: Window) -> None:
    assert "Lighthouse Press" not in html(admin.get("marketplace"))
    second = create_workspace("Lighthouse Press", house.admin.user, OPERATOR)
    shown = html(admin.get("marketplace"))
    assert f'href="/w/{second.id}/"' in shown
    assert other_house.workspace.id not in shown
