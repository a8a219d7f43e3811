import json
from io import StringIO

import pytest
from django.contrib.auth.hashers import check_password
from django.core.management import CommandError, call_command

from apps.activity.models import AuditRow
from apps.workspaces import tokens
from apps.workspaces.models import Agent, Membership, User, Workspace
from tests.workspaces.conftest import Caller, House, state

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> dict[str, str | None]:
    out = StringIO()
    call_command("bootstrap", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_first_run_makes_everything() -> None:
    result = run("--workspace", "Acme", "--email", "Ann@Acme.example")
    assert list(result) == ["workspaceId", "userId", "ownerToken", "agentId", "agentToken", "password"]
    user = User.objects.get()
    assert (user.id, user.email) == (result["userId"], "ann@acme.example")
    assert check_password(result["password"], user.password)
    assert (Workspace.objects.get().id, Workspace.objects.get().name) == (result["workspaceId"], "Acme")
    assert (Agent.objects.get().id, Agent.objects.get().name) == (result["agentId"], "agent")
    assert Caller(result["ownerToken"])("GET", "workspaces").json()["items"][0]["role"] == "owner"
    found = tokens.find("agent", str(result["agentToken"]))
    assert found is not None
    assert found.agent_id == result["agentId"]
    for secret in ("ownerToken", "agentToken", "password"):
        assert result[secret] not in str(list(AuditRow.objects.values()))


def test_a_second_run_makes_only_tokens() -> None:
    first = run("--workspace", "Acme", "--email", "ann@acme.example")
    counts = (User.objects.count(), Workspace.objects.count(), Agent.objects.count(), Membership.objects.count())
    second = run("--workspace", "Acme", "--email", "ANN@acme.example")
    assert second["password"] is None
    assert {key: first[key] for key in ("workspaceId", "userId", "agentId")} == {
        key: second[key] for key in ("workspaceId", "userId", "agentId")
    }
    assert first["ownerToken"] != second["ownerToken"]
    assert first["agentToken"] != second["agentToken"]
    assert counts == (1, 1, 1, 2)
    assert counts == (
        User.objects.count(),
        Workspace.objects.count(),
        Agent.objects.count(),
        Membership.objects.count(),
    )
    assert Caller(first["ownerToken"])("GET", "workspaces").status_code == 200


def test_a_second_person_joins_with_their_role() -> None:
    first = run("--workspace", "Acme", "--email", "ann@acme.example")
    second = run("--workspace", "Acme", "--email", "bob@acme.example", "--role", "member")
    assert second["workspaceId"] == first["workspaceId"]
    assert second["password"]
    assert Membership.objects.get(user__email="bob@acme.example").role == "member"
    run("--workspace", "Acme", "--email", "bob@acme.example", "--role", "admin")
    assert Membership.objects.get(user__email="bob@acme.example").role == "admin"


def test_own_workspace_of_that_name_comes_first(house: House) -> None:
    mine = run("--workspace", "lighthouse", "--email", "ann@acme.example")
    Workspace.objects.create(name="harbour")
    assert run("--workspace", "harbour", "--email", "owner@harbour.example")["workspaceId"] == house.workspace.id
    assert run("--workspace", "lighthouse", "--email", "ann@acme.example")["workspaceId"] == mine["workspaceId"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--workspace", "New", "--email", "a@b.example", "--role", "member"), "A new workspace needs an owner."),
        (("--workspace", " ", "--email", "a@b.example"), "--workspace: Text of 1 to 200 characters, in one line."),
        (("--workspace", "New", "--email", "nobody"), "--email: An email address of at most 254 characters."),
        (("--workspace", "harbour", "--email", "owner@harbour.example", "--role", "admin"),
         "The last owner of a workspace stays an owner."),
    ],
)  # fmt: skip
def test_refusals_change_nothing(house: House, arguments: tuple[str, ...], message: str) -> None:
    before = state()
    with pytest.raises(CommandError) as refused:
        run(*arguments)
    assert str(refused.value) == message
    assert state() == before


def test_readable_output() -> None:
    out = StringIO()
    call_command("bootstrap", "--workspace", "Acme", "--email", "ann@acme.example", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0] == f"Workspace     {Workspace.objects.get().id}"
    assert lines[-1] == "The tokens and the password are not shown again."
