import threading

import pytest
from django.contrib.auth.hashers import check_password
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError

from apps.activity.models import AuditRow
from apps.workspaces import audit
from apps.workspaces.audit import Actor
from apps.workspaces.errors import Problem
from apps.workspaces.models import Agent, Membership, User
from apps.workspaces.roles import MemberKind, Role
from apps.workspaces.services.agents import create_agent
from apps.workspaces.services.members import add_member, change_role, remove_member
from tests.workspaces.conftest import OPERATOR, House, build_house, error, state

LAST_OWNER = {"code": "conflict", "message": "The last owner of a workspace stays an owner."}


def test_a_new_person_gets_a_password_once(house: House) -> None:
    response = house.admin.api("POST", f"{house.path}/members", {"email": " New@Example.COM ", "role": "member"})
    added = response.json()
    user = User.objects.get(email="new@example.com")
    assert response.status_code == 201
    assert (added["email"], added["role"], added["kind"], added["userId"]) == (
        "new@example.com",
        "member",
        "person",
        user.id,
    )
    assert check_password(added["password"], user.password)
    assert added["password"] not in str(AuditRow.objects.values_list())
    again = house.admin.api("POST", f"{house.path}/members", {"email": "NEW@example.com", "role": "admin"})
    assert (again.status_code, error(again)["code"]) == (409, "conflict")
    assert Membership.objects.get(user=user).role == "member"


def test_a_known_person_keeps_their_password(house: House, other_house: House) -> None:
    body = {"email": other_house.member.user.email, "role": "admin"}
    added = house.owner.api("POST", f"{house.path}/members", body).json()
    assert (added["password"], added["role"]) == (None, "admin")
    assert Membership.objects.get(user=other_house.member.user, workspace=other_house.workspace).role == "member"


@pytest.mark.parametrize(
    ("who", "method", "target", "role"),
    [
        ("admin", "POST", None, "owner"),
        ("admin", "PATCH", "member", "owner"),
        ("admin", "PATCH", "admin", "owner"),
        ("admin", "PATCH", "owner", "member"),
        ("admin", "DELETE", "owner", None),
        ("member", "PATCH", "member", "admin"),
        ("member", "DELETE", "member", None),
    ],
)
def test_nobody_reaches_above_their_role(
    house: House, who: str, method: str, target: str | None, role: str | None
) -> None:
    path = f"{house.path}/members" + (f"/{getattr(house, target).member.id}" if target else "")
    body = {key: value for key, value in {"role": role, "email": None if target else "n@x.example"}.items() if value}
    before = state()
    response = getattr(house, who).api(method, path, body or None)
    assert (response.status_code, error(response)["code"]) == (403, "permission_denied")
    assert state() == before


def test_admins_manage_admins_and_members(house: House) -> None:
    path = f"{house.path}/members/{house.member.member.id}"
    assert house.admin.api("PATCH", path, {"role": "admin"}).json()["role"] == "admin"
    assert house.admin.api("DELETE", path).status_code == 204
    assert house.member.api("GET", house.path).status_code == 404


def test_the_last_owner_stays(house: House) -> None:
    path = f"{house.path}/members/{house.owner.member.id}"
    before = state()
    for response in (house.owner.api("PATCH", path, {"role": "admin"}), house.owner.api("DELETE", path)):
        assert (response.status_code, error(response)) == (409, LAST_OWNER)
    assert state() == before
    heir = f"{house.path}/members/{house.admin.member.id}"
    assert house.owner.api("PATCH", heir, {"role": "owner"}).status_code == 200
    assert house.owner.api("PATCH", path, {"role": "member"}).status_code == 200
    assert house.admin.api("DELETE", path).status_code == 204


def test_a_person_with_a_membership_cannot_be_deleted(house: House) -> None:
    before = state()
    with pytest.raises(ProtectedError):
        house.owner.user.delete()
    assert state() == before


def test_an_agents_membership_is_no_persons_business(house: House) -> None:
    member = Membership.objects.get(agent=house.agent())
    before = state()
    path = f"{house.path}/members/{member.id}"
    for response in (house.owner.api("PATCH", path, {"role": "admin"}), house.owner.api("DELETE", path)):
        assert (response.status_code, error(response)["code"]) == (409, "conflict")
    assert state() == before


def test_services_read_the_actors_role_afresh(house: House) -> None:
    actor = house.admin.actor
    change_role(house.workspace.id, OPERATOR, house.admin.member.id, Role.MEMBER)
    before = state()
    stranger = Actor("agent", "agent_x", house.owner.member.id, "agent")
    for who in (actor, stranger):
        for attempt in (
            lambda who=who: create_agent(house.workspace.id, who, "x"),
            lambda who=who: add_member(house.workspace.id, who, "n@x.example", Role.MEMBER),
            lambda who=who: remove_member(house.workspace.id, who, house.member.member.id),
        ):
            with pytest.raises(Problem) as denied:
                attempt()
            assert denied.value.code == "permission_denied"
    assert state() == before


def test_changes_are_audited_with_their_actor(house: House) -> None:
    AuditRow.objects.all().delete()
    house.owner.api("PATCH", f"{house.path}/members/{house.member.member.id}", {"role": "admin"})
    house.owner.api("PATCH", f"{house.path}/members/{house.member.member.id}", {"role": "admin"})
    row = AuditRow.objects.get()
    assert (row.workspace_id, row.action, row.target_kind, row.target_id, row.details) == (
        house.workspace.id,
        "member.role_changed",
        "member",
        house.member.member.id,
        {"from": "member", "to": "admin"},
    )
    assert (row.actor_kind, row.actor_id, row.actor_member_id, row.actor_label) == (
        "person",
        house.owner.user.id,
        house.owner.member.id,
        house.owner.user.email,
    )


def test_a_second_audit_sink_is_refused() -> None:
    with pytest.raises(RuntimeError):
        audit.install(lambda *arguments: None)


@pytest.mark.parametrize(
    ("kind", "role", "of"),
    [
        (MemberKind.PERSON, Role.AGENT, "user"),
        (MemberKind.AGENT, Role.OWNER, "agent"),
        (MemberKind.AGENT, Role.AGENT, "user"),
        (MemberKind.PERSON, Role.MEMBER, "agent"),
        (MemberKind.PERSON, Role.MEMBER, "both"),
        (MemberKind.PERSON, Role.MEMBER, "none"),
    ],
)
def test_the_database_keeps_kind_and_owner_of_a_membership_together(
    house: House, kind: str, role: str, of: str
) -> None:
    user = User.objects.create_user("n@x.example") if of in ("user", "both") else None
    agent = Agent.objects.create(workspace=house.workspace, name="n") if of in ("agent", "both") else None
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.create(workspace=house.workspace, kind=kind, role=role, user=user, agent=agent)


def test_an_email_has_one_person_whatever_its_case(house: House) -> None:
    assert User.objects.create_user(" MiXed@Example.org").email == "mixed@example.org"
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("MIXED@example.ORG")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.bulk_create([User(email="MIXED@EXAMPLE.ORG")])
    assert User.objects.get_by_natural_key("Mixed@Example.Org").email == "mixed@example.org"
    with pytest.raises(ValueError, match="email"):
        User.objects.create_user(" ")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_two_owners_who_step_down_at_once_leave_one() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time; the lock shows on PostgreSQL")
    house = build_house("harbour")
    change_role(house.workspace.id, OPERATOR, house.admin.member.id, Role.OWNER)
    start = threading.Barrier(2)
    outcomes: list[str] = []

    def step_down(member_id: str, actor: Actor) -> None:
        start.wait()
        try:
            change_role(house.workspace.id, actor, member_id, Role.MEMBER)
            outcomes.append("done")
        except Problem as problem:
            outcomes.append(problem.code)
        finally:
            connection.close()

    threads = [
        threading.Thread(target=step_down, args=(who.member.id, who.actor)) for who in (house.owner, house.admin)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict", "done"]
    assert Membership.objects.filter(workspace=house.workspace, role=Role.OWNER).count() == 1
