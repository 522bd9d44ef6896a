"""The built-in embedder: all-MiniLM-L6-v2, int8, on onnxruntime. Nothing is downloaded; the model is package data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from importlib import import_module
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from threading import Lock
from typing import TYPE_CHECKING, Any

from knowgate.knowledge.embed.port import EmbedderIdentity
from knowgate.knowledge.embed.wordpiece import WordPiece

if TYPE_CHECKING:
    from knowgate.knowledge.embed.port import Vectors

_INPUT = 256
_SPECIAL = 2


class MiniLM:
    """English. One text per run, since the quantisation scales by batch: a text has the same vector in any company."""

    identity = EmbedderIdentity("minilm", "all-MiniLM-L6-v2", 384)
    max_tokens = _INPUT - _SPECIAL

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or _usable_cores()
        self._loading = Lock()
        self._loaded: tuple[Any, ThreadPoolExecutor] | None = None

    def count(self, text: str) -> int:
        return self._tokenizer.count(text)

    def fluency(self, text: str) -> float:
        return self._tokenizer.fluency(text)

    def embed_query(self, text: str) -> Vectors:
        session, _ = self._load()
        return self._run(session, text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.identity.dimension), np.float32)
        session, pool = self._load()
        run = partial(self._run, session)
        return np.stack(list(pool.map(run, texts) if len(texts) > 1 else map(run, texts)))

    def close(self) -> None:
        """Gives the memory back; the next use loads the model again."""
        with self._loading:
            loaded, self._loaded = self._loaded, None
        if loaded:
            loaded[1].shutdown()

    def _run(self, session: Any, text: str) -> Vectors:
        import numpy as np

        ids = np.array([self._tokenizer.encode(text, _INPUT)], np.int64)
        return session.run(["sentence_embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]

    @cached_property
    def _tokenizer(self) -> WordPiece:
        return WordPiece.from_json(_resource("tokenizer.json").read_bytes())

    def _load(self) -> tuple[Any, ThreadPoolExecutor]:
        with self._loading:
            if self._loaded is None:
                self._loaded = _session(), ThreadPoolExecutor(self._threads, thread_name_prefix="minilm")
            return self._loaded


def _session() -> Any:
    # Its builds report home unless told otherwise before they are loaded; nothing leaves this machine.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    # Texts run side by side, each on one thread: no barriers between threads, and no spinning at them.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    with as_file(_resource("model.onnx")) as path:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _resource(name: str) -> Traversable:
    return files("knowgate.knowledge.embed").joinpath("minilm", name)


def _usable_cores() -> int:
    """A container or `taskset` may allow fewer cores than the machine has; only Linux can tell."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
