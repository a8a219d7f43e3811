"""`python -m agentteam.demo.serve`: the product on its own database, with a connected sample workspace and the sandbox.

The sandbox takes a free port at each start, and the sample workspace's connection is set to it.
"""

import os
import signal
import sys
from types import FrameType

from agentteam.demo.client import DemoFailed
from agentteam.demo.product import Workspace, bootstrap, serving
from agentteam.demo.sandbox import running_sandbox

NAME, EMAIL = "Sample workspace", "owner@sample.example"


def prepare(workspace: Workspace, sandbox_url: str) -> None:
    """SearXNG installed, selected and connected to the sandbox."""
    installations = f"{workspace.path}/app-installations"
    items = workspace.owner.expect(200, "GET", installations)["items"]
    installed = [item["id"] for item in items if item["appId"] == "app_searxng"]
    if not installed:
        installed = [workspace.owner.expect(201, "POST", installations, {"appId": "app_searxng"})["id"]]
    connection = f"{installations}/{installed[0]}/search-engine-connection"
    workspace.owner.expect(200, "PUT", connection, {"config": {"baseUrl": sandbox_url}})


def describe(workspace: Workspace, base: str, sandbox_url: str) -> str:
    password = workspace.password or f"as printed before; manage.py changepassword {EMAIL} sets another"
    return "\n".join(
        (
            "",
            f"  Pages        {base}/",
            f"  Sign in      {EMAIL}",
            f"  Password     {password}",
            f"  Workspace    {workspace.id} ({NAME}), SearXNG connected to the sandbox at {sandbox_url}",
            f"  Agent token  {workspace.agent.token}",
            "",
            "  Search as the agent:",
            f'    curl -s {base}/api/v1/exec/searxng/search -H "Authorization: Bearer {workspace.agent.token}" \\',
            """      -H 'Content-Type: application/json' -d '{"query": "ferry times", "limit": 3}'""",
            "",
        )
    )


def stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    signal.signal(signal.SIGTERM, stop)
    port = int(os.environ.get("PORT", "8000"))
    base = f"http://127.0.0.1:{port}"
    try:
        with running_sandbox() as sandbox, serving(os.environ, port) as server:
            # Not before the server is ready: a new password is told only once.
            workspace = bootstrap(os.environ, base, NAME, EMAIL)
            prepare(workspace, sandbox.url)
            print(describe(workspace, base, sandbox.url), flush=True)
            sys.exit(server.wait())
    except DemoFailed as failed:
        sys.exit(f"Not started: {failed}")
    except KeyboardInterrupt:
        print("Stopped.")


if __name__ == "__main__":
    main()
