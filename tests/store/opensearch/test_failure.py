"""Three nodes, one of them lost in the middle of an ingest: nothing that was acknowledged is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from contract import by_words, document, embed, vector_of

from knowgate.model import Filter
from knowgate.store.opensearch.connection import Address
from knowgate.store.opensearch.store import OpenSearchStore
from knowgate.store.port import Batch, Link, Mention, Record, scan_all_documents
from knowgate.store.sqlite.store import SqliteStore

DOCUMENTS = 60


def write(number: int, store: Any) -> None:
    made = document(f"{number:03}", f"apple {number}", f"pear {number % 7} plum")
    facts = type(made.facts)(
        mentions=[Mention("pear", 1, "Pear", "FRUIT", 0.9), Mention(f"n{number % 5}", 0, "N", "NUMBER", 0.5)],
        links=[Link("pear", f"n{number % 5}", "USES", 1, 0.75)],
    )
    store.apply(
        Batch(
            documents=[type(made)(made.document, made.chunks, facts)],
            delete=[f"{number - 7:03}"] if number % 10 == 9 else [],
            records=[Record("task", f"{number:03}", {"n": number})],
        )
    )


def everything(store: Any) -> dict[str, Any]:
    """What a store answers, in every way of asking."""
    store.refresh()
    documents = list(scan_all_documents(store))
    return {
        "documents": documents,
        "chunks": [store.document_chunks(each.id) for each in documents],
        "words": {word: by_words(store, word) for word in ("apple", "pear", "plum", "12")},
        "near": {hit.chunk_id for hit in store.search_vector(vector_of("apple 7"), 500)},
        "some": by_words(store, "apple", Filter(names=("01*",))),
        "records": [(each.id, each.value) for each in store.scan_records("task")],
        "graph": (store.count_graph(), sorted(store.neighbours(["pear"], "both"), key=repr), store.spread([["pear"]])),
        "stats": store.stats(),
    }


def test_a_node_killed_in_the_middle_of_an_ingest_costs_nothing(three_nodes: list[Any], tmp_path: Path) -> None:
    address = Address(tuple(node.url for node in three_nodes), prefix="killed", shards=3, replicas=1)
    store, undisturbed = OpenSearchStore(address), SqliteStore(tmp_path / "data")
    try:
        for number in range(DOCUMENTS):
            if number == DOCUMENTS // 2:
                three_nodes[0].kill()  # the one that leads
            write(number, store)
            write(number, undisturbed)
            # Acknowledged is there, also by another way in.
            assert store.document_chunks(f"{number:03}") == undisturbed.document_chunks(f"{number:03}")
        embed(store)
        embed(undisturbed)
        assert everything(store) == everything(undisturbed)
        assert store.check(thorough=True) == []
    finally:
        store.close()
        undisturbed.close()
