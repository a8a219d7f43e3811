"""Each link of an explanation: what is the case, and what an administrator does about it."""

import difflib
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from apps.marketplace.capabilities import pin_holds
from apps.marketplace.connections import snapshot, stored_connections
from apps.marketplace.envelope import EnvelopeError
from apps.marketplace.keyring import keyring
from apps.marketplace.models import Credential, ExtensionSelection, Installation
from apps.marketplace.product_apps import ENGINES_BY_SLUG
from extensions.explain_facts import Facts
from searchengines.errors import SearchFailure

OPERATOR = "Ask the operator of this server"
LISTED_NAMES = 30


class State(StrEnum):
    """``NOT_REACHED``: an earlier link is missing that this one hangs on."""

    OK = "ok"
    BROKEN = "broken"
    NOT_REACHED = "not_reached"


@dataclass(frozen=True, slots=True)
class Link:
    """``remedy`` and ``code`` (what a call answers because of it) are there when the link is broken."""

    state: State
    detail: str
    remedy: str | None = None
    code: str | None = None

    def document(self) -> dict[str, Any]:
        return {"state": self.state.value, "detail": self.detail, "remedy": self.remedy}


def ok(detail: str) -> Link:
    return Link(State.OK, detail)


def broken(detail: str, remedy: str, code: str = "extension_not_found") -> Link:
    return Link(State.BROKEN, detail, remedy, code)


def not_reached(detail: str) -> Link:
    return Link(State.NOT_REACHED, detail)


def app_link(facts: Facts) -> Link:
    app = facts.app
    if app is None:
        return _unknown(facts)
    if facts.builtin is None:
        if app.workspace_id is not None:
            return broken(
                f"{app.display_name} is an App of this workspace's own making and brings no Extension.",
                "Only the Apps of the product bring search engines. Install one of those.",
            )
        return broken(
            "The App behind this name is not one that this server trusts.",
            f"{OPERATOR} to run `manage.py doctor`. It names the row that is wrong.",
        )
    if not app.available:
        return broken(
            f"{app.display_name} is withdrawn on this server; what was configured is kept.",
            f"{OPERATOR} to bring it back with `manage.py migrate searchengines`.",
        )
    if not app.enabled:
        return broken(
            f"{app.display_name} is switched off on this server.", f"{OPERATOR} to switch it on in the admin site."
        )
    return ok(f"{app.display_name} is available.")


def _unknown(facts: Facts) -> Link:
    if facts.name in ENGINES_BY_SLUG:
        return broken(
            "This server's database does not have the App of this name yet.", f"{OPERATOR} to run `manage.py migrate`."
        )
    known = sorted({*ENGINES_BY_SLUG, *facts.installed_names()})
    near = difflib.get_close_matches(facts.name.strip().casefold(), known, n=1)
    meant = f"Did you mean `{near[0]}`? " if near else ""
    return broken("No App brings an Extension of this name.", f"{meant}Names: {', '.join(known[:LISTED_NAMES])}.")


def version_link(facts: Facts) -> Link:
    if facts.app is None or facts.builtin is None:
        return not_reached("There is no App to have a version.")
    if facts.version is not None and pin_holds(facts.app.id, facts.version):
        return ok(f"Version {facts.version.version} is the one that this server runs.")
    if facts.installation is not None and facts.newest_version_holds():
        return broken(
            "The installation is pinned to a version that this server no longer runs.",
            "Uninstall the App and install it again; its connection has to be entered again.",
        )
    return broken(
        "The App's version and what this server runs do not match.",
        f"{OPERATOR} to run `manage.py migrate` and `manage.py doctor`.",
    )


def installation_link(facts: Facts) -> Link:
    if facts.installation is not None and facts.installation.status == Installation.Status.ACTIVE:
        return ok("The App is installed in this workspace.")
    if facts.app is None:
        return not_reached("There is no App to install.")
    if facts.request_is_pending():
        return broken(
            "The App is not installed; somebody has asked for it.",
            "Approve the request: that installs the App.",
        )
    return broken("The App is not installed in this workspace.", "Install it from the marketplace.")


def selection_link(facts: Facts) -> Link:
    selection = facts.selection
    if selection is None:
        if facts.installation is None:
            return not_reached("There is no installation whose Extension could be selected.")
        return broken("The installation has no Extension.", "Uninstall the App and install it again.")
    if selection.name != facts.name:
        return broken(
            f"The Extension is known as `{selection.name}` in this workspace.", f"Call it as `{selection.name}`."
        )
    if not selection.enabled:
        return broken(
            "The Extension is switched off in this workspace.", "Switch it on in the App's Extension section."
        )
    return ok("The Extension is switched on.")


def connection_link(facts: Facts) -> Link:
    if facts.installation is None:
        return not_reached("There is no installation to connect.")
    if not facts.connections:
        return broken(
            "There is no active connection.",
            "Fill in the App's Connection section and save it, also where nothing has to be entered.",
        )
    if len(facts.connections) > 1:
        return broken(
            "There is more than one active connection, and nothing says which one is meant.",
            "Disconnect the App, which removes all of them, and connect it once.",
            code="connection_ambiguous",
        )
    return ok("There is one active connection.")


def credential_link(facts: Facts) -> Link:
    if facts.builtin is None or len(facts.connections) != 1 or facts.installation is None:
        return not_reached("There is no single connection whose credential could be looked at.")
    engine = facts.builtin.engine
    if not engine.secret_fields:
        return ok(f"{engine.display_name} needs no credential.")
    connection = facts.connections[0]
    credential = next(iter(connection.credentials.all()), None)
    try:
        snapshot(engine, stored_connections(facts.installation)[0])
    except SearchFailure as failure:
        detail, remedy = _why_unusable(credential)
        return broken(detail, remedy, code=failure.code.value)
    return ok("The stored credential can be used. Whether the provider takes it, the connection's test tells.")


def _why_unusable(credential: Credential | None) -> tuple[str, str]:
    if credential is None:
        return "No credential is stored.", "Enter the API key in the App's Connection section and save it."
    try:
        keyring().find(credential.key_id)
    except EnvelopeError:
        return (
            "This server cannot decrypt the stored credential: its master key is missing or another one.",
            f"{OPERATOR} to restore the master key, or enter the API key again.",
        )
    if credential.kind == Credential.Kind.REFERENCE:
        return (
            "The credential refers to a vault secret that is not there or cannot be used.",
            "Create the secret that the connection refers to, or enter another credential.",
        )
    return "The stored credential cannot be decrypted or used.", "Enter the API key again in the Connection section."


def authorization_link(facts: Facts) -> Link:
    selection = facts.selection
    if selection is None:
        return not_reached("There is no Extension that the agent could be allowed to use.")
    if facts.allowed is True:
        return ok("This agent is allowed to use it, whatever holds for others.")
    if facts.allowed is False:
        return broken("This agent is not allowed to use it.", "Allow it on the agents page, or remove its own rule.")
    if selection.agent_access == ExtensionSelection.AgentAccess.ALL:
        return ok("All agents of the workspace may use it.")
    return broken(
        "Only selected agents may use it, and this one is not among them.",
        "Allow this agent on the agents page, or let all agents use the Extension.",
    )


def token_link(facts: Facts) -> Link:
    if facts.usable_tokens:
        return ok("The agent has a token that can be used.")
    had = "The agent's tokens have expired." if facts.tokens else "The agent has no token."
    return broken(had, "Create a token for the agent and hand it to the agent.", code="unauthenticated")
