"""The demo's second act: an agent finds an answer in this project's own documentation."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentteam.demo.client import DemoFailed
from agentteam.demo.product import ROOT, Workspace, manage

STORE, MODEL = "handbook", "minilm"
QUESTION = {"query": "What happens to a stored key when an App is disconnected?", "limit": 2}
EXCERPT = 240


def documents() -> list[Path]:
    """This project's own pages, as far as they are there."""
    return [path for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "docs") if path.exists()]


def ingest(environ: Mapping[str, str], workspace: Workspace) -> str:
    """A store with the embedded model and these documents in it; what the command said at its end."""
    workspace.owner.expect(201, "POST", f"{workspace.path}/embedding-models", {"id": MODEL, "kind": "local"})
    workspace.owner.expect(201, "POST", f"{workspace.path}/embedding-stores", {"id": STORE, "embeddingModel": MODEL})
    paths = [str(path) for path in documents()]
    return manage(environ, "knowledge_ingest", STORE, *paths, "--workspace", workspace.id).strip()


def connect(workspace: Workspace) -> None:
    installations = f"{workspace.path}/app-installations"
    made = workspace.owner.expect(201, "POST", installations, {"appId": "app_knowledge"})
    config = {"embeddingStore": STORE, "embeddingModel": MODEL, "description": "How AgentTeam Search works."}
    workspace.owner.expect(200, "PUT", f"{installations}/{made['id']}/search-engine-connection", {"config": config})


def ask(workspace: Workspace) -> list[str]:
    """The best passages, each as title, score and the beginning of its text."""
    found: dict[str, Any] = workspace.agent.expect(200, "POST", "exec/rag/search", QUESTION)
    if not found["results"]:
        raise DemoFailed("the agent found nothing in the documentation")
    lines = []
    for number, result in enumerate(found["results"], 1):
        excerpt = " ".join(result["snippet"].split())[:EXCERPT]
        lines += [f"{number}. {result['title']}  (score {result['score']:.2f})", f"   {excerpt}"]
    return lines
