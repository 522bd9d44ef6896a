"""A GET that writes is known by its name, and a noun is no verb."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from knowgate.guard.policy import changes_something

SPECS = Path(__file__).parents[4] / "shared" / "eval" / "openapi" / "specs"


@pytest.mark.parametrize(
    ("operation", "path", "summary"),
    [
        ("getUsersIdDelete", "/users/{id}/delete", ""),
        ("x", "/logout", ""),
        ("x", "/auth/sign-out.json", ""),
        ("x", "/mail/{id}/send", ""),
        ("x", "/mail/send/{id}", ""),
        ("x", "/mail/{id}:cancel", ""),
        ("x", "/deleteUser", ""),
        ("x", "/send-email", ""),
        ("deleteUser", "/u", ""),
        ("logout", "/u", ""),
        ("set_text", "/u", ""),
        ("createPadUsingGET", "/u", ""),
        ("x", "/u", "Deletes a user"),
        ("x", "/u", "Send the invoice again"),
        ("x", "/u", "Log out of all sessions"),
        ("users_delete", "/u", ""),
        ("x", "/chat.delete", ""),
        ("x", "/u", "Delete user"),
        ("x", "/u", "Permanently deletes the user"),
    ],
)
def test_what_is_done_is_told(operation: str, path: str, summary: str) -> None:
    assert changes_something("GET", operation, path, summary)
    assert changes_something(" head ", operation, path, summary)


@pytest.mark.parametrize(
    ("operation", "path", "summary"),
    [
        ("listUpdates", "/updates", "List updates"),
        ("getDeletedItems", "/deleted-items", "Deleted items of a folder"),
        ("getDeletedUsers", "/users/deleted", "Get users that were deleted"),
        ("getDelete", "/deletions/{delete}", ""),
        ("move_list", "/move", "Moves of a game"),
        ("set_read", "/sets/{id}", ""),
        ("pulls_check-if-merged", "/pulls/{number}/merge", "Check if a pull request has been merged"),
        ("getUpload", "/upload_sessions/{id}", "Get upload session"),
        ("sendStatus", "/mail/{id}/status", "Status of what was sent"),
        ("x", "/destroy_with_associated_resources", "List the resources"),
        ("getSettings", "/settings", "Update history of the settings"),
        ("post_comments", "/comments", ""),
        ("lockDetails", "/locks/{id}", ""),
        ("refundDetails", "/refunds/{id}", ""),
        ("get", "/", ""),
        ("", "", ""),
    ],
)
def test_nouns_only_read(operation: str, path: str, summary: str) -> None:
    assert not changes_something("GET", operation, path, summary)


def test_other_methods_always_change() -> None:
    assert changes_something("POST", "listThings", "/things", "List things")


def _reads() -> Iterator[tuple[str, str, str, str]]:
    for file in sorted(SPECS.glob("*.json")):
        paths: dict[str, Any] = orjson.loads(file.read_bytes()).get("paths") or {}
        for path, item in paths.items():
            told: dict[str, Any] | None = item.get("get")
            if told is not None:
                yield file.name, told.get("operationId", ""), path, told.get("summary") or ""


@pytest.mark.skipif(not SPECS.is_dir(), reason="the evaluation data is not here")
def test_real_descriptions_give_no_false_alarm() -> None:
    reads = list(_reads())
    assert len(reads) > 500
    found = {(name, path) for name, *told in reads for path in [told[1]] if changes_something("GET", *told)}
    # Etherpad's interface is GET throughout, and writes; some of Slack's do.
    writing = ("/logout", ".uninstall", ".revoke", ".publish")
    unexpected = {each for each in found if "etherpad" not in each[0] and not each[1].endswith(writing)}
    assert unexpected == set()
