import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from knowgate import Engine
from knowgate.config.settings import Embedder
from knowgate.errors import ConflictError, InputError, KnowgateError


def test_new_vectors_begun_elsewhere_end_the_old_embedding(
    docs: Path, open_engine: Callable[..., Engine], embedding_server: str
) -> None:
    for n in range(60):
        (docs / f"{n}.txt").write_text(f"Number {n} of many.", encoding="utf-8")
    old = open_engine()
    new = open_engine(
        embedder=Embedder(provider="openai", model="tiny", base_url=embedding_server, api_key="k", dimension=4)
    )
    begun = threading.Event()
    told: list[KnowgateError] = []

    def embed_with_the_old() -> None:
        try:
            old.embed_pending(lambda _: begun.set())
        except KnowgateError as error:
            told.append(error)

    task = old.submit([docs])
    old.rooms.ingest._embedding.space()
    old.rooms.ingest.bring_in(task.id, lambda _: None)
    thread = threading.Thread(target=embed_with_the_old)
    thread.start()
    assert begun.wait(60)
    assert new.reembed().status == "completed"
    thread.join(60)
    assert not thread.is_alive()
    assert all(isinstance(error, ConflictError) for error in told)
    assert new.stats().pending == 0
    space = new.store.space()
    assert space is not None
    assert space.identity.model == "tiny"


def test_a_refused_document_does_not_keep_the_others_waiting(
    engine: Engine, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = engine.embedder()
    real = embedder.embed_passages

    def refuse(texts: list[str]) -> object:
        if any("courier" in text for text in texts):
            raise InputError("embedder_input_too_long", "The text is too long.", "Make passages shorter.")
        return real(texts)

    monkeypatch.setattr(embedder, "embed_passages", refuse)
    task = engine.ingest([docs])
    assert task.error is not None
    assert task.error["code"] == "embedder_input_too_long"
    assert (engine.stats().pending, engine.stats().vectors) == (1, 1)
    monkeypatch.undo()
    engine.ingest([docs])
    assert engine.stats().pending == 0
