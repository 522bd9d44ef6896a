"""What really goes over the wire, and what happens when it does not go well."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest
from loopback import Answer, Asked, serving

from knowgate import wire
from knowgate.client import (
    Client,
    ConflictError,
    ConnectionFailed,
    RateLimitError,
    ServerError,
    ValidationError,
    uploads,
)
from knowgate.version import __version__

STATS = {"documents": 1, "passages": 2, "pending": 0}
QUEUED = {"task_id": "t1", "message": "Queued.", "file_count": 1}
BUSY = Answer({"error": "Busy.", "code": "busy", "request_id": "r"}, 503)


def test_the_key_and_our_name_are_sent(scripted: Any, script: Any) -> None:
    script.answers[:] = [Answer(STATS)]
    scripted.stats()
    headers = script.asked[0].headers
    assert (headers["x-api-key"], headers["user-agent"]) == ("orag_k", f"knowgate/{__version__}")


def test_text_of_any_kind_arrives(scripted: Any, script: Any) -> None:
    script.answers[:] = [Answer({"results": []})]
    scripted.search.query("Größe 文 \u2028 \ud800", data_sources=["ü.md"], mode="keyword")
    asked = script.asked[0]
    assert asked.headers["content-type"] == "application/json"
    assert asked.json == {
        "query": "Größe 文 \u2028 \ud800",
        "mode": "keyword",
        "filters": {"data_sources": ["ü.md"]},
    }


def test_names_with_slashes_and_signs_are_one_part_of_the_path(scripted: Any, script: Any) -> None:
    script.answers[:] = [Answer(status=404)]
    with pytest.raises(Exception, match="404"):
        scripted.documents.get("a b/ü?#%2F.md")
    assert script.asked[0].parts == ["documents", "a b/ü?#%2F.md"]


def test_a_safe_call_is_repeated_until_it_works(scripted: Any, script: Any) -> None:
    script.answers[:] = [BUSY, Answer(STATS, cut=True), Answer(STATS)]
    assert scripted.stats() == wire.StatsAnswer(1, 2, 0)
    assert len(script.asked) == 3


def test_a_safe_call_is_repeated_twice_at_most(scripted: Any, script: Any) -> None:
    script.answers[:] = [BUSY]
    with pytest.raises(ServerError) as caught:
        scripted.search.query("otters")
    assert (caught.value.code, caught.value.status_code) == ("busy", 503)
    assert len(script.asked) == 3


@pytest.mark.parametrize("answer", [BUSY, Answer(QUEUED, cut=True)])
def test_what_changes_something_is_asked_once(scripted: Any, script: Any, answer: Answer) -> None:
    script.answers[:] = [answer]
    for call in (
        lambda: scripted.chat.create("hello"),
        lambda: scripted.documents.ingest(text="a", filename="a.md"),
        lambda: scripted.documents.delete("a.md"),
    ):
        script.asked.clear()
        with pytest.raises((ServerError, ConnectionFailed)):
            call()
        assert len(script.asked) == 1


def test_too_many_calls_say_how_long_to_wait(scripted: Any, script: Any) -> None:
    script.answers[:] = [Answer({"error": "Slow down.", "code": "rate_limited"}, 429, {"Retry-After": "60"})]
    with pytest.raises(RateLimitError) as caught:
        scripted.stats()
    assert caught.value.retry_after == 60
    assert len(script.asked) == 1


def test_a_server_that_is_not_there_is_named(open_client: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        client = open_client(base_url=f"http://ada:secret@127.0.0.1:{port}")
        with pytest.raises(ConnectionFailed) as caught:
            client.chat.create("hello")
    assert caught.value.code == "unreachable"
    assert f"127.0.0.1:{port}" in caught.value.message
    assert "secret" not in str(caught.value)
    assert caught.value.exit_code == 4


def test_a_server_that_says_nothing_is_given_up_on_and_not_asked_again(open_client: Any) -> None:
    asked: list[Asked] = []
    arrived, over = threading.Event(), threading.Event()

    def silent(question: Asked) -> Answer:
        asked.append(question)
        arrived.set()
        over.wait()
        return Answer(STATS)

    with serving(silent) as base_url:
        client = open_client(base_url=base_url, timeout=1)
        with pytest.raises(ConnectionFailed) as caught:
            client.stats()
        assert arrived.wait(60)
        over.set()
    assert caught.value.code == "timeout"
    assert len(asked) == 1


def test_files_are_uploaded_from_disk_under_their_names_and_closed(
    scripted: Any, script: Any, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    really_open = Path.open

    def noted(self: Path, *given: Any, **named: Any) -> Any:
        opened.append(really_open(self, *given, **named))
        return opened[-1]

    monkeypatch.setattr(Path, "open", noted)
    (docs / "größe 文.bin").write_bytes(bytes(range(256)) * 1000)
    opened.clear()
    script.answers[:] = [Answer(QUEUED, 202)]
    scripted.documents.ingest(docs, wait=False)
    files = script.asked[0].files
    assert list(files) == ["größe 文.bin", "refunds.md", "guides/parcels.md"]
    assert files["größe 文.bin"] == bytes(range(256)) * 1000
    assert len(opened) == 3
    assert all(file.closed for file in opened)


def test_a_file_of_the_callers_stays_open(scripted: Any, script: Any, docs: Path) -> None:
    script.answers[:] = [Answer(QUEUED, 202)]
    with (docs / "refunds.md").open("rb") as file:
        scripted.documents.ingest(file=file, filename="other.md", wait=False)
        assert not file.closed
    assert list(script.asked[0].files) == ["other.md"]


def test_a_file_that_vanishes_meanwhile_is_named(scripted: Any, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = uploads.ingest_calls

    def then_delete(*given: Any, **named: Any) -> Any:
        calls = listed(*given, **named)
        (docs / "refunds.md").unlink()
        return calls

    monkeypatch.setattr(uploads, "ingest_calls", then_delete)
    with pytest.raises(ValidationError, match=r"refunds\.md"):
        scripted.documents.ingest(docs)


def test_a_large_folder_goes_in_batches_and_is_waited_for_as_one(open_client: Any, tmp_path: Path) -> None:
    for number in range(101):
        (tmp_path / f"{number:03}.md").write_text("text", encoding="utf-8")
    asked: list[Asked] = []

    def respond(question: Asked) -> Answer:
        asked.append(question)
        if question.method == "POST":
            return Answer({**QUEUED, "task_id": f"t{len(asked)}", "file_count": len(question.files)}, 202)
        return Answer(task(question.parts[1], "completed"))

    with serving(respond) as base_url:
        done = open_client(base_url=base_url).documents.ingest(tmp_path)
    assert (done.task_id, done.total_files) == ("t1,t2", 2)
    assert [len(question.files) for question in asked[:2]] == [100, 1]


def test_all_batches_are_cancelled_retried_and_shown_as_one(open_client: Any) -> None:
    asked: list[str] = []

    def respond(question: Asked) -> Answer:
        asked.append(f"{question.method} {question.path}")
        return Answer(task(question.parts[1], "failed"))

    with serving(respond) as base_url:
        client = open_client(base_url=base_url)
        for call in (client.tasks.cancel, client.tasks.retry, client.documents.get_task_status):
            assert call("t1,t2").task_id == "t1,t2"
    ends = ["POST {}/cancel", "POST {}/retry", "GET {}"]
    assert asked == [end.format(f"/tasks/{task_id}") for end in ends for task_id in ("t1", "t2")]


def test_a_batch_that_has_ended_does_not_keep_the_others_running(scripted: Any, script: Any) -> None:
    ended = Answer({"error": "It has finished.", "code": "task_finished", "request_id": "r", "fix": ""}, 409)
    script.answers[:] = [ended, Answer(task("t2", "cancelled")), ended]
    assert scripted.tasks.cancel("t1,t2").task_id == "t2"
    with pytest.raises(ConflictError):
        scripted.tasks.cancel("t1,t2")


def test_a_task_is_asked_for_until_it_is_finished(scripted: Any, script: Any) -> None:
    script.answers[:] = [Answer(task("t1", "running")), Answer(task("t1", "completed"))]
    assert scripted.documents.wait_for_task("t1", timeout=60, poll_interval=0.01).status == "completed"
    assert [question.query["wait_seconds"] for question in script.asked] == ["25", "25"]


def test_a_task_that_takes_too_long_is_a_timeout(scripted: Any, script: Any) -> None:
    script.answers[:] = [Answer(task("t1", "running"))]
    with pytest.raises(TimeoutError, match=r"^Ingestion task t1 did not complete within 0\.05s$"):
        scripted.documents.wait_for_task("t1", timeout=0.05, poll_interval=0.01)
    script.asked.clear()
    with pytest.raises(TimeoutError):
        scripted.documents.wait_for_task("t1", timeout=0)
    assert not script.asked


def test_an_http_client_of_the_callers_is_used_and_stays_open(script: Any) -> None:
    script.answers[:] = [Answer(STATS)]
    with httpx2.Client(headers={"X-Mine": "yes"}) as http:
        with Client(base_url=script.base_url, http_client=http) as client:
            client.stats()
        assert not http.is_closed
    assert script.asked[0].headers["x-mine"] == "yes"
    own = Client(base_url=script.base_url)
    own.close()
    with pytest.raises(RuntimeError, match="closed"):
        own.stats()


def task(task_id: str, status: str) -> dict[str, object]:
    counts = ("processed", "successful", "failed", "pending", "running", "removed")
    return {
        "task_id": task_id,
        "kind": "ingest",
        "status": status,
        "phase": "reading",
        "total_files": 1,
        **{f"{count}_files": 0 for count in counts},
        "created_at": "2026-01-01",
        "updated_at": "2026-01-01",
        "duration_seconds": 0.5,
        "files": {},
    }
