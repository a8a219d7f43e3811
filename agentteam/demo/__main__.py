"""`python -m agentteam.demo`: the main job end to end, over HTTP, on a database of its own.

Exits 0 when all of it held.
"""

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentteam.demo import knowledge
from agentteam.demo.client import DemoFailed
from agentteam.demo.product import Workspace, bootstrap, free_port, manage, own_database, serving
from agentteam.demo.sandbox import Sandbox, running_sandbox

LIMIT = 3
QUERY = {"query": "ferry times to the islands", "limit": LIMIT}
BOLD, PLAIN = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")


def say(step: str, *lines: str) -> None:
    print(f"{BOLD}{step}{PLAIN}")
    for line in lines:
        print(f"  {line}")
    print(flush=True)


def play(workspace: Workspace, sandbox: Sandbox) -> None:
    """Install, connect, test, search, disconnect. Raises `DemoFailed` at the first answer that is not as promised."""
    installation = install(workspace)
    connect(workspace, installation, sandbox)
    search(workspace)
    disconnect(workspace, installation)


def install(workspace: Workspace) -> str:
    """The path of the new installation."""
    installations = f"{workspace.path}/app-installations"
    made = workspace.owner.expect(201, "POST", installations, {"appId": "app_searxng"})
    expect(names(workspace) == [], "an App without a connection is in the agent's catalog")
    say("1. Install", f"POST {installations}  -> SearXNG is installed; agents do not see it yet")
    return f"{installations}/{made['id']}"


def connect(workspace: Workspace, installation: str, sandbox: Sandbox) -> None:
    connection = f"{installation}/search-engine-connection"
    workspace.owner.expect(200, "PUT", connection, {"config": {"baseUrl": sandbox.url}})
    say(
        "2. Connect", f"PUT …/search-engine-connection  -> base URL {sandbox.url}, a sandbox that searches sample pages"
    )
    tested = workspace.owner.expect(200, "POST", f"{connection}:test")
    expect(tested == {"ok": True}, "the connection's test did not pass")
    say("3. Test", f"POST …/search-engine-connection:test  -> {json.dumps(tested)}")


def search(workspace: Workspace) -> None:
    expect(names(workspace) == ["searxng"], "the agent's catalog does not hold searxng")
    found = workspace.agent.expect(200, "POST", "exec/searxng/search", QUERY)
    expect(0 < len(found["results"]) <= LIMIT, "the agent found nothing")
    say("4. Search as an agent", f"POST exec/searxng/search {json.dumps(QUERY)}", *results(found))


def disconnect(workspace: Workspace, installation: str) -> None:
    workspace.owner.expect(204, "DELETE", f"{installation}/search-engine-connection")
    say("5. Disconnect", "DELETE …/search-engine-connection  -> the stored connection is gone")
    expect(names(workspace) == [], "a disconnected App is still in the agent's catalog")
    refused = workspace.agent.expect(404, "POST", "exec/searxng/search", QUERY)["error"]
    expect(refused["code"] == "extension_not_found", f"a disconnected App answers {refused['code']}")
    say("6. Gone from the catalog", "GET exec  -> no Extensions", f"POST exec/searxng/search  -> {refused['code']}")


def play_knowledge(environ: Mapping[str, str], workspace: Workspace) -> None:
    """Ingest, connect, search. Raises `DemoFailed` at the first answer that is not as promised."""
    said = knowledge.ingest(environ, workspace)
    say("7. Read this project's own documentation into a knowledge base", f"manage.py knowledge_ingest …  -> {said}")
    knowledge.connect(workspace)
    expect(names(workspace) == ["rag"], "the agent's catalog does not hold rag")
    say("8. Search it as an agent", f"POST exec/rag/search {json.dumps(knowledge.QUESTION)}", *knowledge.ask(workspace))


def names(workspace: Workspace) -> list[str]:
    """The Extensions in the agent's catalog."""
    return [entry["name"] for entry in workspace.agent.expect(200, "GET", "exec")["extensions"]]


def results(found: Any) -> list[str]:
    lines = []
    for number, result in enumerate(found["results"], 1):
        lines += [f"{number}. {result['title']}", f"   {result['url']}", f"   {result['snippet']}"]
    return lines


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise DemoFailed(otherwise)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="agentteam-demo-") as folder, running_sandbox() as sandbox:
        environ = own_database(Path(folder))
        port = free_port()
        base = f"http://127.0.0.1:{port}"
        try:
            manage(environ, "migrate", "--no-input", "--verbosity", "0")
            workspace = bootstrap(environ, base, "Sample workspace", "owner@sample.example")
            with serving(environ, port):
                say("AgentTeam Search, from installation to an agent's answer", f"served at {base}/api/v1/")
                play(workspace, sandbox)
                play_knowledge(environ, workspace)
        except DemoFailed as failed:
            sys.exit(f"The demo failed: {failed}")
    print("All of it held. Next: make run, or make run DEMO=1 for pages with a connected sample workspace.")


if __name__ == "__main__":
    main()
