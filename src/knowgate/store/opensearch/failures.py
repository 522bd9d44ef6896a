"""What the cluster's errors mean, and what to do about them.

All of them are of the family of storage: to whoever asks us it is our store that fails, not his login or his right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from knowgate.errors import DocumentError, KnowgateError, StorageError, UnavailableError

_SILENT = "it gives no reason"
_NO_TLS = ("WRONG_VERSION_NUMBER", "wrong version number", "record layer failure")
"""How the versions of OpenSSL call an answer that is not encrypted."""
_SET_BY_HAND = "Somebody has set cluster.blocks.read_only or index.blocks.read_only; take it away."
_DISK_FULL = "Free disk space on its nodes (or add one); below the watermark the block goes away by itself."
_NO_WRITES = {
    "FORBIDDEN/8/": "If a newer Knowgate is moving the index, use that one; else take index.blocks.write away.",
    "FORBIDDEN/6/": _SET_BY_HAND,
    "FORBIDDEN/5/": _SET_BY_HAND,
    "FORBIDDEN/": _DISK_FULL,
    "read_only": _DISK_FULL,
    "read-only": _DISK_FULL,
    "flood-stage": _DISK_FULL,
}
"""What a block is called, the particular ones first, and what to do about it."""


def may_pass(error: KnowgateError) -> bool:
    """Whether the same may work in a moment."""
    return isinstance(error, UnavailableError)


def refusal(item: Mapping[str, Any]) -> KnowgateError:
    """From an item of a bulk answer."""
    status, told = _told(item)
    return _unfit(told) if status == 400 else failure(item)


def failure(error: object) -> KnowgateError:
    """From an exception of the client, or what an answer says of one of its parts."""
    status, told = _told(error)
    if status is None:
        return _unreached(error, told)
    if status == 413 or (status == 429 and _never_fits(told)):
        return _unfit(told)
    if status == 401:
        return StorageError(
            "store_login",
            "OpenSearch does not know who we are.",
            "Correct store.user and store.password, store.api_key, store.token, or the profile that store.auth names.",
        )
    if any(mark in told for mark in _NO_WRITES):
        fix = next(fix for mark, fix in _NO_WRITES.items() if mark in told)
        return StorageError("store_read_only", f"OpenSearch takes no writes: {told}", fix)
    if status == 403:
        return StorageError(
            "store_forbidden",
            f"OpenSearch refuses: {told}",
            "Give the user cluster_composite_ops and cluster_monitor, and all rights on the indexes with our prefix.",
        )
    if status == 429:
        return UnavailableError(
            "store_overloaded", f"OpenSearch has too much to do: {told}", "Wait a moment, or add nodes."
        )
    if "search_context_missing" in told or "No search context" in told:
        return UnavailableError("store_view_lost", "OpenSearch lost a view of the index.", "Try again.")
    if "index_not_found" in told:
        return StorageError(
            "store_missing",
            f"Our indexes are not on the cluster any more: {told}",
            "Restore a snapshot; or delete what is left of them, start Knowgate again, and ingest.",
        )
    if status in (408, 502, 503, 504):
        return UnavailableError(
            "store_red",
            f"A part of the index is not available: {told}",
            "Look at GET _cluster/health and bring the missing nodes back; nothing that was acknowledged is lost.",
        )
    if told == _SILENT:
        return _somebody_else()
    return StorageError("store_failed", f"OpenSearch refused ({status}): {told}", "Run `knowgate doctor`.")


def _unfit(told: str) -> DocumentError:
    """Nothing that time would change."""
    return DocumentError(
        "store_refused",
        f"OpenSearch does not take it: {told}",
        "Split the file; if it is only large, give the nodes more memory or raise http.max_content_length.",
    )


def _never_fits(told: str) -> bool:
    """More in one piece than a node would take if it had nothing else to do."""
    sizes = re.search(r"operation_bytes=(\d+), max_\w*bytes=(\d+)", told)
    return sizes is not None and int(sizes[1]) > int(sizes[2])


def _unreached(error: object, told: str) -> StorageError:
    import opensearchpy.exceptions as known

    if isinstance(error, known.SerializationError):
        return _somebody_else()
    if isinstance(error, known.SSLError) and any(each in told for each in _NO_TLS):
        return StorageError(
            "store_tls",
            f"No safe connection to OpenSearch: {told}",
            "It speaks plain HTTP: write http:// (for `store copy`, opensearch://).",
        )
    if isinstance(error, known.SSLError):
        return StorageError(
            "store_tls", f"No safe connection to OpenSearch: {told}", "Set store.ca_file to its certificate authority."
        )
    if isinstance(error, known.ConnectionTimeout):
        return UnavailableError(
            "store_slow", "OpenSearch did not answer in time.", "Look at its load, or raise store.timeout_seconds."
        )
    return UnavailableError(
        "store_unreachable", f"OpenSearch cannot be reached: {told}", "Is it running, and is store.url right?"
    )


def _somebody_else() -> StorageError:
    return UnavailableError("store_unreachable", "What answers there is not OpenSearch.", "Is store.url right?")


def _told(error: object) -> tuple[int | None, str]:
    """The HTTP status, if the cluster answered at all, and its own words, shortened."""
    if isinstance(error, Mapping):
        item = cast(Mapping[str, Any], error)
        return int(item["status"]), _words(item["error"])
    status = getattr(error, "status_code", None)
    info: object = getattr(error, "info", None)
    if isinstance(status, int):
        cause: Any = cast(Mapping[str, Any], info).get("error", info) if isinstance(info, Mapping) else info
        return status, _words(cause)
    return None, str(info or error)[:300]


def _words(cause: Any) -> str:
    if not isinstance(cause, Mapping):
        return _SILENT if cause is None else str(cause)[:300]
    deeper = cast(Mapping[str, Any], cause)
    inner = [deeper, *(each.get("reason", {}) for each in deeper.get("failed_shards", ()))]
    found = [f"{each.get('type')}: {each.get('reason')}" for each in inner if isinstance(each, Mapping)]
    return "; ".join(dict.fromkeys(found))[:500]
