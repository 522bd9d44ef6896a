from __future__ import annotations

import threading

import httpx2
import pytest
from tests.serving import listening

from knowgate import Engine

INGEST = "/api/v1/documents/ingest"


@pytest.fixture(scope="module")
def url(engine: Engine):
    """Nobody works here: tasks stay as they are."""
    with listening(engine) as url:
        yield url


@pytest.fixture
def pending(http) -> str:
    return http.post(INGEST, json={"url": "https://a.invalid/page"}).json()["task_id"]


def test_a_task_that_waits(http, pending):
    task = http.get(f"/api/v1/tasks/{pending}", params={"wait_seconds": 0}).json()
    assert (task["task_id"], task["kind"], task["status"]) == (pending, "ingest", "pending")
    assert task["files"] == {}
    assert http.get(f"/v1/tasks/{pending}", params={"wait_seconds": 0}).json() == task


def test_the_answer_is_held_until_the_task_has_finished(http, pending, engine: Engine):
    answers: list[httpx2.Response] = []
    asking = threading.Thread(
        target=lambda: answers.append(http.get(f"/api/v1/tasks/{pending}", params={"wait_seconds": 25}))
    )
    asking.start()
    engine.cancel(pending)
    asking.join()
    assert answers[0].json()["status"] == "failed"


def test_the_seed_s_own_path(http, pending):
    engine_says = http.post(f"/api/v1/tasks/{pending}/cancel").json()
    assert http.get(f"/api/documents/tasks/{pending}").json() == engine_says
    missing = http.get("/api/documents/tasks/nothing")
    assert (missing.status_code, missing.json()["code"]) == (404, "task_not_found")


def test_a_cancelled_task_has_failed(http, pending):
    task = http.post(f"/api/v1/tasks/{pending}/cancel").json()
    assert (task["status"], task["code"]) == ("failed", "cancelled")
    assert task["error"]
    assert http.get(f"/api/v1/tasks/{pending}").json() == task
    again = http.post(f"/api/v1/tasks/{pending}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "task_finished")


def test_repeating(http, pending):
    refused = http.post(f"/api/v1/tasks/{pending}/retry")
    assert (refused.status_code, refused.json()["code"]) == (409, "task_unfinished")
    http.post(f"/api/v1/tasks/{pending}/cancel")
    again = http.post(f"/api/v1/tasks/{pending}/retry")
    assert again.status_code == 202
    assert (again.json()["status"], again.json()["task_id"] != pending) == ("pending", True)


def test_what_was_handed_over_cannot_be_repeated(http):
    handed = http.post(INGEST, json={"text": "x", "filename": "x.md"}).json()["task_id"]
    http.post(f"/api/v1/tasks/{handed}/cancel")
    refused = http.post(f"/api/v1/tasks/{handed}/retry")
    assert (refused.status_code, refused.json()["code"]) == (409, "content_gone")


def test_the_list_is_newest_first(http, pending):
    listed = http.get("/api/v1/tasks", params={"limit": 2}).json()["tasks"]
    assert len(listed) == 2
    assert listed[0]["task_id"] == pending
    assert listed[0]["created_at"] >= listed[1]["created_at"]


@pytest.mark.parametrize("seconds", ["-1", "26", "nan", "inf", "soon"])
def test_how_long_nobody_waits(http, pending, seconds):
    refused = http.get(f"/api/v1/tasks/{pending}", params={"wait_seconds": seconds})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_request")


def test_a_foreign_task_is_no_task(pending, holding):
    """Last, since from now on a key is needed."""
    one, other, admin = holding("read", "write"), holding("read", "write"), holding("admin")
    mine = one.post(INGEST, json={"url": "https://a.invalid/mine"}).json()["task_id"]
    for task in (mine, pending, "nothing"):
        for method, path in (("GET", ""), ("POST", "/cancel"), ("POST", "/retry")):
            refused = other.request(method, f"/api/v1/tasks/{task}{path}")
            assert (refused.status_code, refused.json()["code"]) == (404, "task_not_found")
            assert refused.json()["error"] == f"There is no task {task}."
    assert other.get("/api/v1/tasks").json() == {"tasks": []}
    assert [task["task_id"] for task in one.get("/api/v1/tasks").json()["tasks"]] == [mine]
    assert admin.get(f"/api/v1/tasks/{mine}", params={"wait_seconds": 0}).json()["task_id"] == mine
    assert one.post(f"/api/v1/tasks/{mine}/cancel").json()["code"] == "cancelled"
