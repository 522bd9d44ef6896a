"""Records, with compare-and-set on what the index itself counts."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Sequence

import orjson

from knowgate.errors import ConflictError, StorageError
from knowgate.store.opensearch.connection import WRITE_PAUSES, Answer, Cluster, Params, Write
from knowgate.store.opensearch.failures import may_pass
from knowgate.store.opensearch.schema import records_of
from knowgate.store.opensearch.view import WINDOW
from knowgate.store.port import Record

_TERM = 2**40
"""A version is the shard's term and the number of the write in it: neither ever goes back."""


class Records:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._index = records_of(cluster)

    def get(self, kind: str, id: str) -> Record | None:
        found = self._cluster.get(self._index, [(_id(kind, id), None)])
        return _record(found[0]) if found else None

    def put_if(self, record: Record, expected_version: int) -> Record | None:
        number, term = _seen(expected_version)
        seen: Params = {"if_seq_no": number, "if_primary_term": term} if expected_version else {"op_type": "create"}
        if expected_version and term < 1:
            return None
        row, path = _row(record), f"/{self._index}/_doc/{_quoted(_id(record.kind, record.id))}"
        for pause in (*WRITE_PAUSES, None):
            try:
                answer = self._cluster.ask_once("PUT", path, row, {**self._cluster.writing, **seen})
            except StorageError as error:
                if "version_conflict" not in error.message and not may_pass(error):
                    raise
                # Whether it was written cannot be told from silence, but from the stamp.
                found = self._cluster.get(self._index, [(_id(record.kind, record.id), None)])
                if found and found[0]["_source"]["stamp"] == row["stamp"]:
                    return _record(found[0])
                if (_version(found[0]) if found else 0) != expected_version:
                    return None
                if pause is None:
                    raise
                time.sleep(pause)
            else:
                return Record(record.kind, record.id, record.value, _version(answer))
        raise AssertionError

    def scan(self, kind: str, prefix: str, after: str, limit: int) -> list[Record]:
        self._cluster.ask("POST", f"/{self._index}/_refresh")
        held = [{"term": {"kind": kind}}, {"range": {"id": {"gt": after}}}, {"prefix": {"id": prefix}}]
        if not after:
            del held[1]
        body = {
            "query": {"bool": {"filter": held}},
            "sort": [{"id": "asc"}],
            "size": min(limit, WINDOW),
            "seq_no_primary_term": True,
        }
        return [_record(hit) for hit in self._cluster.ask("POST", f"/{self._index}/_search", body)["hits"]["hits"]]

    def check(self, holds: Sequence[Record]) -> None:
        found = self._cluster.get(self._index, [(_id(each.kind, each.id), None) for each in holds])
        versions = {each["_id"]: _version(each) for each in found}
        for record in holds:
            if versions.get(_id(record.kind, record.id)) != record.version:
                raise _changed(record.kind, record.id)

    def write(self, records: Sequence[Record], drop: Sequence[tuple[str, str]], holds: Sequence[Record]) -> None:
        """What is held and written goes first, so that who is too late writes nothing; held and dropped, last."""
        held = {(each.kind, each.id): each.version for each in holds}
        for record in records:
            version = held.get((record.kind, record.id))
            if version is not None and self.put_if(record, version) is None:
                raise _changed(record.kind, record.id)
        others = [each for each in records if (each.kind, each.id) not in held]
        self._cluster.bulk(
            [
                *(Write(self._index, "index", _id(each.kind, each.id), _row(each)) for each in others),
                *(Write(self._index, "delete", _id(*key)) for key in drop if key not in held),
            ]
        )
        ours = [key for key in drop if key in held]
        dropped = self._cluster.bulk(
            [Write(self._index, "delete", _id(*key), None, None, _seen(held[key])) for key in ours]
        )
        for key, done in zip(ours, dropped, strict=True):
            # Where something was written all is done, and what another has taken over is his to drop.
            if not done and not records and self.get(*key):
                raise _changed(*key)


def _changed(kind: str, id: str) -> ConflictError:
    return ConflictError("record_changed", f"The {kind} {id} was changed by another process.", "Read it and try again.")


def _id(kind: str, id: str) -> str:
    name = f"{kind}/{id}"
    return name if len(name.encode()) <= 500 else f"{kind}#{hashlib.sha256(id.encode()).hexdigest()}"


def _quoted(id: str) -> str:
    from urllib.parse import quote

    return quote(id, safe="")


def _row(record: Record) -> dict[str, str]:
    value = orjson.dumps(record.value).decode()
    return {"kind": record.kind, "id": record.id, "value": value, "stamp": secrets.token_hex(8)}


def _record(found: Answer) -> Record:
    source = found["_source"]
    return Record(source["kind"], source["id"], orjson.loads(source["value"]), _version(found))


def _seen(version: int) -> tuple[int, int]:
    """As a write names it: (number, term)."""
    term, number = divmod(version, _TERM)
    return number, term


def _version(found: Answer) -> int:
    return found["_primary_term"] * _TERM + found["_seq_no"]
