"""Whatever is written, changed and deleted in whatever order: the graph is that of the documents that are left."""

from __future__ import annotations

import tempfile
from pathlib import Path

from graphs import look, put, whole
from hypothesis import given, settings
from hypothesis import strategies as st

from knowgate.store.port import Batch
from knowgate.store.sqlite.store import SqliteStore

TEXTS = st.sampled_from(
    [
        "The Ledger service calls the Quill service.",
        "The Ledger service uses Kafka. The Quill service reads from the ink-db.",
        "# Ledger\n\nThe Ledger service owns the ledger-db.\n\n| service | database |\n|---|---|\n| Quill | ink-db |\n",
        "services:\n  ledger: {image: acme/ledger, depends_on: [ledger-redis]}\n  ledger-redis: {image: redis}\n",
        "The ledger uses Redis. The API Gateway calls the ledger.",
        "services:\n  gateway: {build: edge-server}\n  edge: {image: x}\n  quill: {image: y}\n",
        "spring.application.name: config-server\nserver.port: 8888\n",
        "spring.application.name: edge-server\nconfig.uri: http://localhost:8888\n",
        "Nothing of interest stands here.",
    ]
)
NAMES = st.sampled_from(["a.md", "b.md", "c.yml", "edge-server/application.yml", "config-server/application.yml"])
STEPS = st.lists(st.tuples(NAMES, TEXTS | st.none()), max_size=12)


@settings(max_examples=40, deadline=None)
@given(STEPS)
def test_the_graph_is_that_of_a_fresh_index_of_what_is_left(steps: list[tuple[str, str | None]]) -> None:
    left: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        lived, fresh = SqliteStore(Path(folder, "lived")), SqliteStore(Path(folder, "fresh"))
        for name, text in steps:
            if text is None:
                lived.apply(Batch(delete=[name]))
                left.pop(name, None)
            else:
                put(lived, {name: text})
                left[name] = text
        put(fresh, left)
        assert whole(look(lived)) == whole(look(fresh))
        lived.close()
        fresh.close()
