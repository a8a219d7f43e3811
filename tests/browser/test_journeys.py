"""Whole journeys of each role, with a mouse and with the keyboard alone, with and without scripts."""

import pytest
from playwright.sync_api import expect

from apps.marketplace.models import Connection, Installation
from apps.workspaces.models import User
from tests.browser.visitor import Visitor, Visitors
from tests.road import ANSWERS, KEY, Road

PASSWORD = "correct horse battery"
LOOKS = [(360, "light"), (1440, "dark")]


def with_password(user: User) -> User:
    user.set_password(PASSWORD)
    user.save()
    return user


def sign_in(visitor: Visitor, user: User) -> None:
    visitor.go("/sign-in")
    visitor.check()
    visitor.picture("sign-in")
    visitor.page.get_by_label("Email address").fill(user.email)
    visitor.page.get_by_label("Password").fill(PASSWORD)
    visitor.press("Sign in")
    expect(visitor.page.get_by_role("heading", name="Marketplace")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_an_owner_from_sign_in_to_a_call(road: Road, visitors: Visitors, width: int, scheme: str) -> None:
    road.upstream.reply(json=ANSWERS["brave"])
    owner = visitors.open(None, width, scheme)
    sign_in(owner, with_password(road.house.owner.user))
    owner.check()
    owner.picture("marketplace-empty")
    owner.go("knowledge")
    owner.check()
    owner.picture("knowledge-empty")
    owner.go("activity")
    owner.check()
    owner.picture("activity-empty")
    owner.go("/")
    owner.page.get_by_role("button", name="Install: Brave Search").first.click()
    expect(owner.page.get_by_text("Brave Search is installed.")).to_be_visible()
    owner.page.get_by_label("API key").fill(KEY)
    owner.press("Save and connect")
    expect(owner.page.get_by_text("The connection is saved.")).to_be_visible()
    owner.press("Test connection")
    expect(owner.page.get_by_text("The test passed")).to_be_visible()
    owner.check()
    owner.picture("test-passed")
    road.upstream.reply(401)
    owner.press("Test connection")
    expect(owner.page.get_by_text("The provider refused the key")).to_be_visible()
    owner.check()
    owner.picture("test-failed")
    road.upstream.reply(json=ANSWERS["brave"])
    owner.go("playground")
    owner.page.get_by_label("Query").fill("ferries")
    owner.press("Search")
    expect(owner.page.get_by_text("1 result in")).to_be_visible()
    owner.check()
    owner.picture("playground-results")
    owner.go(f"agents/{road.agent_row.id}")
    owner.press("Create a token")
    expect(owner.page.get_by_text("It is shown this once.")).to_be_visible()
    owner.check()
    owner.picture("agent-token")
    owner.go("activity")
    owner.check()
    owner.press("Sign out") if width > 700 else owner.page.get_by_text("Menu").click()
    owner.check()


def test_a_member_asks_and_an_administrator_approves(road: Road, visitors: Visitors) -> None:
    member = visitors.open(road.house.member.user, 360)
    member.go("/")
    member.page.get_by_role("button", name="Request: Exa").first.click()
    member.page.get_by_label("What do you need it for?").fill("Looking for papers.")
    member.press("Send the request")
    expect(member.page.get_by_text("Requested by you, waiting for an administrator.")).to_be_visible()
    administrator = visitors.open(road.house.admin.user)
    administrator.go("members")
    expect(administrator.page.get_by_text("Looking for papers.")).to_be_visible()
    administrator.page.get_by_role("button", name="Approve and install Exa").click()
    expect(administrator.page.get_by_text("Approved: Exa is installed.")).to_be_visible()
    member.page.reload()
    expect(member.page.get_by_text("Owners and administrators connect and manage it.")).to_be_visible()
    member.check()
    administrator.check()


def test_the_keyboard_alone(road: Road, visitors: Visitors) -> None:
    """Install, connect, test, disconnect, without the pointer."""
    road.upstream.reply(json=ANSWERS["brave"])
    administrator = visitors.open(road.house.admin.user)
    administrator.go("apps/brave")
    focus(administrator, "Install: Brave Search")
    administrator.page.keyboard.press("Enter")
    expect(administrator.page.get_by_text("Brave Search is installed.")).to_be_visible()
    focus(administrator, "credentials.apiKey")
    administrator.page.keyboard.type(KEY)
    administrator.page.keyboard.press("Enter")
    expect(administrator.page.get_by_text("The connection is saved.")).to_be_visible()
    focus(administrator, "Test connection")
    administrator.page.keyboard.press("Space")
    expect(administrator.page.get_by_text("The test passed")).to_be_visible()
    focus(administrator, "Disconnect")
    administrator.page.keyboard.press("Enter")
    expect(administrator.page.get_by_role("heading", name="Disconnect: Brave Search?")).to_be_visible()
    administrator.check()
    focus(administrator, "Disconnect")
    administrator.page.keyboard.press("Enter")
    expect(administrator.page.get_by_text("Brave Search is disconnected.")).to_be_visible()
    assert Connection.objects.count() == 0
    administrator.check()


def focus(visitor: Visitor, name: str) -> None:
    """Tab until what has the focus is called so; each stop shows that it has the focus."""
    for _ in range(60):
        visitor.page.keyboard.press("Tab")
        found, outline = visitor.page.evaluate(
            """() => {
              const at = document.activeElement;
              return [[at.name, at.getAttribute("aria-label"), at.textContent.trim()],
                      getComputedStyle(at).outlineStyle];
            }"""
        )
        assert outline != "none", found
        if name in found:
            return
    raise AssertionError(f"the keyboard does not reach {name}")


def test_unsaved_changes_and_drafts(road: Road, visitors: Visitors) -> None:
    road.connect("searxng")
    administrator = visitors.open(road.house.admin.user)
    administrator.go("apps/searxng")
    page = administrator.page
    expect(page.get_by_text("Save before testing")).to_be_hidden()
    page.get_by_label("Language").fill("de")
    expect(page.get_by_text("Save before testing")).to_be_visible()
    administrator.picture("save-before-testing")
    page.get_by_role("button", name="Test connection").click(force=True)
    assert road.upstream.requests == []
    administrator.go("agents")
    administrator.go("apps/searxng")
    assert page.get_by_label("Language").input_value() == "de"
    administrator.press("Save")
    expect(page.get_by_text("The connection is saved.")).to_be_visible()
    assert page.get_by_label("Language").input_value() == "de"
    expect(page.get_by_text("Save before testing")).to_be_hidden()
    administrator.check()


def test_a_stored_key_is_replaced_on_purpose(road: Road, visitors: Visitors) -> None:
    road.connect("brave")
    administrator = visitors.open(road.house.admin.user)
    administrator.go("apps/brave")
    field = administrator.page.get_by_label("API key")
    assert field.input_value() == ""
    assert not field.is_editable()
    administrator.press("Replace")
    administrator.page.keyboard.type("canary-typed-anew")
    assert field.input_value() == "canary-typed-anew"
    administrator.go("agents")
    administrator.go("apps/brave")
    assert field.input_value() == ""
    assert "canary" not in administrator.page.evaluate("JSON.stringify(Object.entries(sessionStorage))")
    administrator.check()


def test_a_test_shows_that_it_runs_and_may_be_left(road: Road, visitors: Visitors) -> None:
    road.connect("brave")
    road.upstream.reply(json=ANSWERS["brave"], delay=15)
    administrator = visitors.open(road.house.admin.user)
    administrator.go("apps/brave")
    administrator.press("Test connection")
    expect(administrator.page.get_by_text("Testing…")).to_be_visible()
    expect(administrator.page.get_by_role("button", name="Test connection")).to_be_disabled()
    administrator.check()
    administrator.picture("test-running")
    administrator.page.get_by_role("link", name="Leave to the marketplace").click()
    expect(administrator.page.get_by_role("heading", name="Marketplace")).to_be_visible()
    road.upstream.release()
    road.upstream.wait_for_requests(1)


def test_what_is_wrong_with_a_part_is_shown_on_the_page(road: Road, visitors: Visitors) -> None:
    for slug in ("brave", "exa"):
        road.connect(slug)
    administrator = visitors.open(road.house.admin.user)
    administrator.go("playground")
    administrator.page.get_by_label("Query").fill("ferries")
    administrator.press("Search")
    expect(administrator.page.get_by_text("Choose one to 4 engines.")).to_be_visible()
    assert administrator.page.get_by_label("Query").input_value() == "ferries"
    assert len(administrator.complaints) == 1
    assert "400" in administrator.complaints.pop()
    administrator.check()
    administrator.page.get_by_label("Exa").check()
    road.upstream.reply(json=ANSWERS["exa"])
    administrator.press("Search")
    expect(administrator.page.get_by_text("1 result in")).to_be_visible()


def test_a_double_click_installs_once(road: Road, visitors: Visitors) -> None:
    administrator = visitors.open(road.house.admin.user)
    administrator.go("apps/brave")
    administrator.page.get_by_role("button", name="Install: Brave Search").dblclick()
    expect(administrator.page.get_by_text("Brave Search is installed.")).to_be_visible()
    assert Installation.objects.count() == 1
    administrator.check()


def test_without_scripts(road: Road, visitors: Visitors) -> None:
    road.upstream.reply(json=ANSWERS["brave"])
    administrator = visitors.open(road.house.admin.user, 360, java_script_enabled=False)
    administrator.go("apps/brave")
    page = administrator.page
    page.get_by_role("button", name="Install: Brave Search").click()
    page.get_by_label("API key").fill(KEY)
    administrator.press("Save and connect")
    administrator.press("Test connection")
    expect(page.get_by_text("The test passed")).to_be_visible()
    administrator.go("playground")
    page.get_by_label("Query").fill("ferries")
    administrator.press("Search")
    expect(page.get_by_text("1 result in")).to_be_visible()
    page.get_by_text("Menu").click()
    page.get_by_role("link", name="Activity").click()
    expect(page.get_by_role("heading", name="Activity")).to_be_visible()
    assert administrator.complaints == []
