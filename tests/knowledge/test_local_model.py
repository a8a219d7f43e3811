"""The local model: deterministic, verified, and good enough to find what was asked for in other words."""

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from apps.knowledge.embedding import local
from apps.knowledge.embedding.failures import EmbeddingFailure
from apps.knowledge.embedding.local import LocalEmbedder
from tests.knowledge.labelled import LABELLED
from tests.knowledge.library import Library

RECALL = 0.9
ROOT = Path(__file__).parents[2]


def test_questions_find_their_passage_among_the_first_three() -> None:
    assert len(LABELLED) >= 30
    embedder = LocalEmbedder()
    passages = embedder.embed([passage for passage, _ in LABELLED])
    questions = embedder.embed([question for _, question in LABELLED])
    first_three = np.argsort(-(questions @ passages.T), axis=1)[:, :3]
    found = [place in row for place, row in enumerate(first_three)]
    assert sum(found) / len(found) >= RECALL


def test_the_same_text_always_has_the_same_vector() -> None:
    embedder = LocalEmbedder()
    together = embedder.embed(["Ferries.", "A much longer sentence about ferries and harbours."])
    assert together.shape == (2, local.DIMENSION)
    assert together[0].tolist() == embedder.embed(["Ferries."])[0].tolist()
    assert np.linalg.norm(together, axis=1) == pytest.approx([1, 1], abs=1e-6)


def test_files_that_are_not_the_expected_ones_are_not_used(tmp_path: Path, monkeypatch: Any) -> None:
    package = tmp_path / "packaged_weights"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "model.onnx").write_bytes(b"weights")
    monkeypatch.syspath_prepend(tmp_path)
    digest = hashlib.sha256(b"weights").hexdigest()
    assert local.read_verified("packaged_weights", "model.onnx", digest) == b"weights"
    (package / "model.onnx").write_bytes(b"other weights")
    with pytest.raises(EmbeddingFailure) as refused:
        local.read_verified("packaged_weights", "model.onnx", digest)
    assert refused.value.message == "A file of the local model is not the expected one; install the extra again."


def test_without_the_extra_the_failure_names_it() -> None:
    with pytest.raises(EmbeddingFailure) as refused:
        local.read_verified("no_such_package", "model.onnx", "")
    assert "`local-embeddings`" in refused.value.message


def test_a_process_without_the_extra() -> None:
    """As where the extra was never installed: its packages cannot be imported."""
    script = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('onnxruntime', 'tokenizers')))\n"
        "from apps.knowledge.embedding.local import LocalEmbedder\n"
        "try:\n"
        "    LocalEmbedder().embed(['x'])\n"
        "except Exception as failure:\n"
        "    print(failure.message)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == (
        "The local model needs the extra `local-embeddings`: pip install -r requirements-local-embeddings.txt\n"
    )


def test_from_a_document_to_an_agents_answer_without_any_server(empty_library: Library) -> None:
    library = empty_library
    assert library.api("POST", "embedding-models", {"kind": "local", "id": "mini"}).status_code == 201
    library.make_store("handbook", "mini")
    library.connect("handbook", "mini")
    library.add("handbook.md", "\n\n".join(f"## Rule {n}\n\n{passage}" for n, (passage, _) in enumerate(LABELLED[:6])))
    library.add("other.md", LABELLED[15][0])
    result = library.search("How do customers get their money back?", limit=1).json()["results"][0]
    assert (result["title"], result["snippet"]) == ("other.md#1", LABELLED[15][0])
    assert library.server.upstream.requests == []
