"""`manage.py explain_agent`: why an agent can or cannot use an Extension (contract section 8)."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q

from apps.workspaces.models import Agent
from extensions.explain import Explanation, explain
from extensions.explain_links import State

MARKS = {State.OK: "ok", State.BROKEN: "BROKEN", State.NOT_REACHED: "-"}


class Command(BaseCommand):
    help = "Walks from the App to the agent's token and prints the first link that is not in place (exit status 1)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("agent", metavar="AGENT", help="id or name of the agent")
        parser.add_argument("name", metavar="NAME", help="name of the Extension, e.g. brave")
        parser.add_argument(
            "--workspace", metavar="WS", help="id of the workspace, where the agent's name is not enough"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        agent = _agent(options["agent"], options["workspace"])
        explanation = explain(agent.workspace_id, agent.id, options["name"])
        self.stdout.write(json.dumps(explanation.document()) if options["json"] else _readable(explanation))
        if not explanation.usable:
            sys.exit(1)


def _agent(text: str, workspace_id: str | None) -> Agent:
    rows = Agent.objects.filter(Q(pk=text) | Q(name=text))
    found = list(rows.filter(workspace_id=workspace_id) if workspace_id else rows)
    if not found:
        raise CommandError("There is no such agent.", returncode=2)
    if len(found) > 1:
        ids = ", ".join(f"{agent.id} in {agent.workspace_id}" for agent in found)
        raise CommandError(f"Several agents have this name: {ids}. Give the id.", returncode=2)
    return found[0]


def _readable(explanation: Explanation) -> str:
    lines = [f"{explanation.agent_name} ({explanation.agent_id}) and {explanation.name}"]
    lines += [f"  {name.value:14} {MARKS[link.state]:7} {link.detail}" for name, link in explanation.links]
    if explanation.first_broken is None:
        return "\n".join([*lines, "Nothing is in the way of a call."])
    name, link = explanation.first_broken
    return "\n".join([*lines, f"First not in place: {name.value}. {link.detail}", f"What to do: {link.remedy}"])
