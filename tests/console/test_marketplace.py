"""Cards and their one step, installing, asking, deciding, and custom Apps."""

import pytest

from apps.marketplace.models import App, AppRequest, Installation
from tests.console.conftest import Window, connected, html, installed
from tests.workspaces.conftest import House


def cards(window: Window, **query: str) -> dict[str, tuple[str, str]]:
    """State and step of each App shown, in words."""
    context = window.get("marketplace", **query).context
    return {card.slug: (str(card.state_words), str(card.step.label)) for card in context["cards"]}


def test_states_and_steps_of_an_administrator(house: House, admin: Window, member: Window) -> None:
    installed(house, "exa")
    connected(house, "brave")
    failing = connected(house, "tavily")
    failing.last_test_code, failing.last_test_at = "rate_limited", failing.installed_at
    failing.save()
    App.objects.filter(slug="staan").update(available=False)
    member.post("request", "serper", reason="")
    shown = cards(admin)
    assert shown["exa"] == ("Needs setup", "Set up")
    assert shown["brave"] == ("Connected", "Manage")
    assert shown["tavily"] == ("Attention", "Manage")
    assert shown["serper"] == ("Requested", "Install")
    assert shown["google"] == ("Not installed", "Install")
    assert "staan" not in shown
    assert cards(member)["serper"] == ("Requested", "View")
    assert cards(member)["google"] == ("Not installed", "Request")
    assert cards(member)["brave"] == ("Connected", "View")


def test_filters_are_links(house: House, admin: Window) -> None:
    connected(house, "duckduckgo")
    assert set(cards(admin, show="installed")) == {"duckduckgo"}
    assert set(cards(admin, show="self_hosted")) == {"searxng"}
    assert set(cards(admin, show="nothing")) == {"duckduckgo"}
    assert set(cards(admin, show="knowledge")) == {"rag"}
    assert len(cards(admin, show="api_key")) == 7
    assert len(cards(admin, show="no such filter")) == 10
    assert "No App is like this." in html(admin.get("marketplace", show="attention"))


def test_three_starters_until_something_is_installed(house: House, admin: Window) -> None:
    response = admin.get("marketplace")
    assert "Agents cannot search yet" in html(response)
    assert [card.slug for card in response.context["starters"]] == ["duckduckgo", "searxng", "brave"]
    installed(house, "exa")
    assert "Agents cannot search yet" not in html(admin.get("marketplace"))


def test_installing_twice_installs_once(house: House, admin: Window) -> None:
    for _ in range(2):
        response = admin.post("install", "brave", follow=True)
        assert "Brave Search is installed." in html(response)
    assert Installation.objects.filter(workspace=house.workspace).count() == 1


def test_a_request_from_asking_to_installed(house: House, admin: Window, member: Window) -> None:
    response = member.post("request", "brave", follow=True, reason="For the\nferry article.")
    assert "Requested by you, waiting for an administrator." in html(response)
    assert "You asked for this App already." in html(member.post("request", "brave", follow=True, reason=""))
    request = AppRequest.objects.get()
    assert request.reason == "For the ferry article."
    shown = html(admin.get("members"))
    assert "member@harbour.example" in shown
    assert "For the ferry article." in shown
    decided = admin.post("decide-request", request.id, follow=True, decision="approve")
    assert "Approved: Brave Search is installed." in html(decided)
    assert Installation.objects.filter(app_id=request.app_id).count() == 1
    again = admin.post("decide-request", request.id, follow=True, decision="approve")
    assert "This request is decided already." in html(again)
    assert Installation.objects.count() == 1


def test_installing_what_was_asked_for_answers_the_request(admin: Window, member: Window) -> None:
    member.post("request", "brave", reason="")
    admin.post("install", "brave")
    assert AppRequest.objects.get().status == "approved"
    assert "Waiting for you" not in html(admin.get("members"))


def test_declining_installs_nothing(admin: Window, member: Window) -> None:
    member.post("request", "brave", reason="")
    admin.post("decide-request", AppRequest.objects.get().id, decision="decline")
    assert AppRequest.objects.get().status == "declined"
    assert Installation.objects.count() == 0


def test_a_reason_that_is_too_long_comes_back(member: Window) -> None:
    response = member.post("request", "brave", reason="x" * 1001)
    assert response.status_code == 400
    assert "x" * 1001 in html(response)
    assert AppRequest.objects.count() == 0


def test_a_custom_app_is_listed_once_and_has_nothing_to_connect(house: House, admin: Window) -> None:
    body = {"slug": "wiki", "displayName": "Wiki", "description": "Our wiki."}
    assert "Wiki is listed." in html(admin.post("custom-app", follow=True, **body))
    again = admin.post("custom-app", **body)
    assert again.status_code == 409
    assert 'value="Our wiki."' in html(again)
    admin.post("install", "wiki")
    assert cards(admin)["wiki"] == ("Installed", "Manage")
    assert "nothing to connect" in html(admin.get("app", "wiki"))
    assert admin.get("app-options", "wiki").status_code == 404
    assert admin.post("app-connection", "wiki").status_code == 404
    assert App.objects.filter(workspace=house.workspace).count() == 1


@pytest.mark.parametrize("slug", ["brave", "Brave", "ｂｒａｖｅ"])
def test_a_reserved_slug_is_refused_in_words(admin: Window, slug: str) -> None:
    response = admin.post("custom-app", slug=slug, displayName="Mine", description="")
    assert response.status_code == 409
    assert "This slug is reserved." in html(response)
