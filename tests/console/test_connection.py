"""The connection form, its secret, its test and disconnecting; the options."""

from pathlib import Path
from typing import Any

import pytest

from apps.marketplace import selectors
from apps.marketplace.models import Connection, Credential, EngineOptions
from searchengines.providers import ALL
from tests.console.conftest import KEY, Window, connected, html, installed, state
from tests.road import ANSWERS, Road
from tests.workspaces.conftest import House

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("engine", ALL, ids=lambda engine: engine.slug)
def test_every_form_is_its_declarations(house: House, admin: Window, engine: Any) -> None:
    installed(house, engine.slug)
    shown = html(admin.get("app", engine.slug))
    for field in engine.fields:
        path = f"{'credentials' if field.secret else 'config'}.{field.name}"
        assert f'name="{path}"' in shown
        assert field.label in shown
    options = admin.get("app-options", engine.slug).context["fields"]
    assert [field.name for field in options] == [option.name for option in engine.options]
    assert engine.data_notice in shown.replace("&#x27;", "'")


def test_no_template_names_an_engine() -> None:
    names = {name for engine in ALL for name in (engine.slug, engine.display_name.split()[0].lower())}
    for path in [*(ROOT / "templates").rglob("*.html"), *(ROOT / "apps" / "console").rglob("*.py")]:
        text = path.read_text().lower()
        assert [name for name in names - {"exa"} if name in text] == [], path


def test_a_stored_key_is_in_no_page(house: House, admin: Window) -> None:
    installation = connected(house, "brave")
    credential = Credential.objects.get(connection__installation=installation)
    for name in ("app", "app-options", "app-extension", "app-agents", "app-activity", "disconnect", "uninstall"):
        shown = html(admin.get(name, "brave"))
        assert KEY not in shown
        assert bytes(credential.envelope).hex() not in shown
        assert "••" not in shown
    shown = html(admin.get("app", "brave"))
    assert "Configured: leave blank to keep" in shown
    assert 'data-replace="field-credentials-apiKey"' in shown
    assert 'value=""' not in shown.split('name="credentials.apiKey"')[1].split(">")[0]


def test_a_refused_key_does_not_come_back(house: House, admin: Window) -> None:
    installed(house, "google")
    response = admin.post(
        "app-connection", "google", **{"config.cx": "not an id!", "credentials.apiKey": "canary-typed-key"}
    )
    assert response.status_code == 400
    shown = html(response)
    assert "canary-typed-key" not in shown
    assert 'value="not an id!"' in shown
    assert "Takes the search engine id" in shown
    assert 'aria-invalid="true"' in shown
    assert Connection.objects.count() == 0


def test_a_blank_key_keeps_the_stored_one(house: House, admin: Window) -> None:
    installation = connected(house, "google", cx="0123456789abcdef0")
    before = bytes(Credential.objects.get().envelope)
    admin.post("app-connection", "google", **{"config.cx": "fedcba9876543210f", "credentials.apiKey": "  "})
    assert bytes(Credential.objects.get().envelope) == before
    found = selectors.connection_of(selectors.installation(house.workspace.id, installation.id))
    assert found is not None
    assert found.config == {"cx": "fedcba9876543210f"}


def test_a_new_key_replaces_the_stored_one(house: House, admin: Window) -> None:
    connected(house, "brave")
    before = bytes(Credential.objects.get().envelope)
    response = admin.post("app-connection", "brave", follow=True, **{"credentials.apiKey": "canary-1111"})
    assert "The connection is saved." in html(response)
    assert bytes(Credential.objects.get().envelope) != before
    assert "canary-1111" not in html(response)


def test_an_optional_field_left_empty_is_removed(house: House, admin: Window) -> None:
    connected(house, "searxng", baseUrl="https://searx.example", language="fr")
    admin.post("app-connection", "searxng", **{"config.baseUrl": "https://searx.example", "config.language": ""})
    assert Connection.objects.get().config == {"baseUrl": "https://searx.example"}


def test_nothing_to_enter_connects_by_a_button(house: House, admin: Window) -> None:
    installed(house, "duckduckgo")
    assert "There is nothing to enter" in html(admin.get("app", "duckduckgo"))
    admin.post("app-connection", "duckduckgo")
    assert Connection.objects.filter(active=True).count() == 1


def test_saving_twice_makes_one_connection(house: House, admin: Window) -> None:
    installed(house, "brave")
    for _ in range(2):
        admin.post("app-connection", "brave", **{"credentials.apiKey": KEY})
    assert Connection.objects.count() == Credential.objects.count() == 1


def test_options_in_the_types_of_their_kinds(house: House, admin: Window) -> None:
    connected(house, "tavily")
    typed = {
        "maxResults": "7",
        "searchDepth": "advanced",
        "topic": "",
        "includeAnswer": "true",
        "timeoutMs": "4000",
        "allowDomains": "example.com, example.org\nexample.net",
        "denyDomains": "",
    }
    admin.post("app-options", "tavily", **typed)
    assert EngineOptions.objects.get().options == {
        "maxResults": 7,
        "searchDepth": "advanced",
        "includeAnswer": True,
        "timeoutMs": 4000,
        "allowDomains": ["example.com", "example.org", "example.net"],
    }
    shown = html(admin.get("app-options", "tavily"))
    assert 'value="7"' in shown
    assert '<option value="advanced" selected>' in shown
    assert "example.com\nexample.org\nexample.net</textarea>" in shown


def test_refused_options_come_back_as_typed(house: House, admin: Window) -> None:
    connected(house, "tavily")
    response = admin.post("app-options", "tavily", maxResults="many", timeoutMs="99999", allowDomains="http://x/")
    assert response.status_code == 400
    shown = html(response)
    assert 'value="many"' in shown
    assert "Takes a whole number from 0 to 20." in shown
    assert "Takes a whole number from 1000 to 15000." in shown
    assert "http://x/</textarea>" in shown
    assert EngineOptions.objects.count() == 0


def test_disconnect_names_who_loses_it_and_asks_once(house: House, admin: Window) -> None:
    connected(house, "brave")
    house.agent("researcher")
    before = state()
    question = html(admin.get("disconnect", "brave"))
    assert "researcher" in question
    assert "The stored connection and its key are destroyed" in question
    assert state() == before
    for _ in range(2):
        assert "Brave Search is disconnected." in html(admin.post("disconnect", "brave", follow=True))
    assert Connection.objects.count() == Credential.objects.count() == 0


def test_uninstall_says_what_it_takes_away(house: House, admin: Window) -> None:
    connected(house, "brave")
    assert "The connection and its stored key are destroyed." in html(admin.get("uninstall", "brave"))
    for _ in range(2):
        assert "Brave Search is uninstalled." in html(admin.post("uninstall", "brave", follow=True))
    assert Credential.objects.count() == 0
    assert admin.get("app-options", "brave").status_code == 404


OUTCOMES = [
    ({"json": ANSWERS["brave"]}, "The test passed"),
    ({"status": 401}, "The provider refused the key"),
    ({"status": 429, "headers": {"Retry-After": "30"}}, "It answered 429: the key may be valid."),
    ({"status": 500}, "The provider answered with an error"),
    ({"body": b"<html>"}, "The answer was not JSON"),
]


@pytest.mark.parametrize(("reply", "words"), OUTCOMES, ids=[words for _, words in OUTCOMES])
def test_a_test_in_words(road: Road, road_admin: Window, reply: dict[str, Any], words: str) -> None:
    road.connect("brave")
    road.upstream.reply(**reply)
    whole = html(road_admin.post("app-test", "brave"))
    assert words in whole
    assert "<h1>Brave Search</h1>" in whole
    part = road_admin.client.post(road_admin.url("app-test", "brave"), headers={"HX-Request": "true"})
    assert words in html(part)
    assert "<html" not in html(part)
    assert words.split(":")[0] in html(road_admin.get("app", "brave"))


def test_a_missing_key_says_to_replace_it(road: Road, road_admin: Window) -> None:
    road.connect("brave", "${vault://local/GONE}")
    shown = html(road_admin.post("app-test", "brave"))
    assert "There is no usable key" in shown
    assert "Replace the key." in shown
    assert road.upstream.requests == []


def test_json_disabled_says_what_to_enable(road: Road, road_admin: Window) -> None:
    road.connect("searxng")
    road.upstream.reply(403, body=b"no")
    shown = html(road_admin.post("app-test", "searxng"))
    assert "Enable <code>json</code> under <code>search.formats</code>" in shown


def test_localhost_is_explained(road: Road, road_admin: Window) -> None:
    road.connect("searxng")
    road.upstream.stop()
    shown = html(road_admin.post("app-test", "searxng"))
    assert "The address cannot be reached" in shown
    assert "<code>localhost</code> is that container" in shown


def test_without_a_connection_there_is_nothing_to_test(road: Road, road_admin: Window) -> None:
    road.install("brave")
    assert "There is nothing to test yet" in html(road_admin.post("app-test", "brave"))
    assert road.upstream.requests == []
