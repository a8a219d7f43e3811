"""`manage.py bootstrap`: the first person, workspace and agent (contract section 8)."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.workspaces.api.bodies import Refused, email, text
from apps.workspaces.bootstrapping import Bootstrapped, bootstrap
from apps.workspaces.errors import Problem
from apps.workspaces.roles import PERSON_ROLES, Role


class Command(BaseCommand):
    help = "Makes sure that a person, a workspace and its agent exist, and prints fresh tokens."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workspace", required=True, metavar="NAME", help="name of the workspace")
        parser.add_argument("--email", required=True, help="email address of the person")
        parser.add_argument("--role", default=Role.OWNER.value, choices=[role.value for role in PERSON_ROLES])
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            name = text(200)(options["workspace"])
        except Refused as refused:
            raise CommandError(f"--workspace: {refused}") from None
        try:
            address = email(options["email"])
        except Refused as refused:
            raise CommandError(f"--email: {refused}") from None
        try:
            result = bootstrap(name, address, Role(options["role"]))
        except Problem as problem:
            raise CommandError(problem.message) from None
        self.stdout.write(json.dumps(_document(result)) if options["json"] else _readable(result, address))


def _document(result: Bootstrapped) -> dict[str, str | None]:
    return {
        "workspaceId": result.workspace_id,
        "userId": result.user_id,
        "ownerToken": result.owner_token,
        "agentId": result.agent_id,
        "agentToken": result.agent_token,
        "password": result.password,
    }


def _readable(result: Bootstrapped, address: str) -> str:
    password = result.password or "(unchanged: the person was known already)"
    return "\n".join(
        (
            f"Workspace     {result.workspace_id}",
            f"Person        {address} ({result.user_id})",
            f"Password      {password}",
            f"Owner token   {result.owner_token}",
            f"Agent         {result.agent_id}",
            f"Agent token   {result.agent_token}",
            "The tokens and the password are not shown again.",
        )
    )
