"""The way to the cluster: one place that asks, tries again where that is safe, and says what went wrong."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import orjson

from knowgate.errors import InputError, KnowgateError
from knowgate.store.opensearch.failures import failure, may_pass, refusal

Answer = dict[str, Any]
Params = Mapping[str, str | int]

_PAUSES = (0.1, 0.3, 1.0)
WRITE_PAUSES = (0.1, 0.3, 1.0, 2.0, 4.0, 8.0, 8.0)
"""A write waits until another node has taken over from a lost one."""
_BULK_BYTES = 8_000_000


@dataclass(frozen=True, slots=True)
class Address:
    """Where the cluster is, who we are there, and what our indexes are called."""

    urls: tuple[str, ...]
    user: str = ""
    password: str = field(default="", repr=False)
    authorization: str = field(default="", repr=False)
    """Of those who have no user and password: what the header says."""
    ca_file: str | None = None
    verify: bool = True
    prefix: str = "knowgate"
    shards: int = 1
    replicas: int = 1
    timeout_seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class Write:
    """One line of a bulk request. `seen` is the (sequence number, term) that must still be there."""

    index: str
    action: str
    id: str
    source: Mapping[str, Any] | None = None
    routing: str | None = None
    seen: tuple[int, int] | None = None

    def lines(self) -> bytes:
        head: dict[str, Any] = {"_index": self.index, "_id": self.id}
        if self.routing is not None:
            head["routing"] = self.routing
        if self.seen is not None:
            head["if_seq_no"], head["if_primary_term"] = self.seen
        lines = orjson.dumps({self.action: head}) + b"\n"
        return lines if self.source is None else lines + orjson.dumps(self.source) + b"\n"


class Cluster:
    def __init__(self, address: Address) -> None:
        self.address = address
        self._client = _client(address)
        self.writing: Params = {
            # Else a write would bring an index that was deleted back, without its shape.
            "require_alias": "true",
            # The cluster gives up before we do: a write that waits for a lost node must not come after a newer one.
            "timeout": f"{max(1, int(0.8 * address.timeout_seconds))}s",
        }

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        params: Params | None = None,
        *,
        missing_ok: bool = False,
        patient: bool = False,
    ) -> Answer:
        """For everything that may safely be done twice."""
        pauses = iter(WRITE_PAUSES if patient else _PAUSES)
        silent = 0
        while True:
            try:
                return self.ask_once(method, path, body, params, missing_ok=missing_ok)
            except KnowgateError as error:
                pause = next(pauses, None)
                silent += error.code == "store_slow"
                # When no node has answered in time, who reads has waited long enough, and who writes tries once more.
                if pause is None or not may_pass(error) or silent >= len(self.address.urls) * (1 + patient):
                    raise
                time.sleep(pause)

    def ask_once(
        self,
        method: str,
        path: str,
        body: object = None,
        params: Params | None = None,
        *,
        missing_ok: bool = False,
    ) -> Answer:
        from opensearchpy.exceptions import OpenSearchException, SerializationError

        data = body if isinstance(body, bytes | None) else orjson.dumps(body)
        # The client takes some names for its own; what is written out goes to the cluster.
        said = urlencode({name: value for name, value in (params or {}).items() if name != "request_timeout"})
        own = {name: value for name, value in (params or {}).items() if name == "request_timeout"}
        try:
            answer: Any = self._client.transport.perform_request(
                method, f"{path}?{said}" if said else path, params=own, body=data
            )
        except OpenSearchException as error:
            if missing_ok and getattr(error, "status_code", None) == 404:
                return {}
            raise failure(error) from error
        if isinstance(answer, str):  # a proxy that is well, but speaks for itself
            raise failure(SerializationError("The answer is not JSON."))
        return answer

    def bulk(self, writes: Sequence[Write]) -> list[bool]:
        """Whether each was done; not done means that what was there is not what had been seen."""
        done = [True] * len(writes)
        for batch in _batches(writes):
            waiting = batch
            pauses = iter(WRITE_PAUSES)
            while waiting:
                body = b"".join(writes[place].lines() for place in waiting)
                items = self.ask("POST", "/_bulk", body, self.writing, patient=True)["items"]
                refused: dict[int, KnowgateError] = {}
                for place, item in zip(waiting, items, strict=True):
                    (result,) = item.values()
                    if result["status"] == 409:
                        done[place] = False
                    elif "error" in result:
                        refused[place] = refusal(result)
                for error in refused.values():
                    if not may_pass(error):
                        raise error
                waiting = list(refused)
                if waiting:
                    pause = next(pauses, None)
                    if pause is None:
                        raise refused[waiting[0]]
                    time.sleep(pause)
        return done

    def get(
        self, index: str, wanted: Sequence[tuple[str, str | None]], fields: Sequence[str] | None = None
    ) -> list[Answer]:
        """Those (id, routing) that are there, as they are now; in any order."""
        found: list[Answer] = []
        for start in range(0, len(wanted), 1000):
            docs: list[Answer] = [
                {"_id": id, **({"routing": routing} if routing is not None else {})}
                for id, routing in wanted[start : start + 1000]
            ]
            params = {"_source_includes": ",".join(fields)} if fields else {}
            answer = self.ask("POST", f"/{index}/_mget", {"docs": docs}, params)
            for each in answer["docs"]:
                if "error" in each:
                    raise failure({"status": 503, "error": each["error"]})
                if each["found"]:
                    found.append(each)
        return found

    def close(self) -> None:
        self._client.close()


def _batches(writes: Sequence[Write]) -> Iterator[list[int]]:
    batch: list[int] = []
    size = 0
    for place, write in enumerate(writes):
        bytes = len(write.lines())
        if batch and size + bytes > _BULK_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(place)
        size += bytes
    if batch:
        yield batch


def _client(address: Address) -> Any:
    try:
        import opensearchpy
        from opensearchpy.serializer import JSONSerializer
    except ImportError as error:
        raise InputError(
            "extra_missing", "The client for OpenSearch is not installed.",
            "Run `pip install 'knowgate[opensearch]'`.",
        ) from error  # fmt: skip

    # It would write to the screen what we tell as errors of our own, or have asked for.
    logging.getLogger("opensearch").setLevel(logging.CRITICAL)

    class Fast(JSONSerializer):
        def loads(self, s: Any) -> Any:
            try:
                return orjson.loads(s)
            except ValueError as error:
                # The connection was cut, or something else has answered.
                raise opensearchpy.ConnectionError("N/A", str(error), error) from error

    return opensearchpy.OpenSearch(
        list(address.urls),
        http_auth=(address.user, address.password) if address.user else None,
        headers={"authorization": address.authorization} if address.authorization else {},
        ca_certs=address.ca_file,
        verify_certs=address.verify,
        ssl_show_warn=False,
        timeout=address.timeout_seconds,
        max_retries=0,
        pool_maxsize=20,
        serializer=Fast(),
    )
