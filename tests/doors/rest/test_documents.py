from __future__ import annotations

import io
from typing import Any

import pytest

from knowgate import Engine

INGEST = "/api/v1/documents/ingest"
TEXT = b"# Opening hours\n\nThe shop opens at nine.\n"


def files(*named: tuple[str, bytes]) -> list[tuple[str, tuple[str, io.BytesIO]]]:
    return [("file", (name, io.BytesIO(content))) for name, content in named]


@pytest.fixture
def names(http):
    return lambda: [each["filename"] for each in http.get("/api/v1/documents").json()["documents"]]


def test_a_file(http, finished, names):
    accepted = http.post(INGEST, files=files(("hours.md", TEXT)))
    told = accepted.json()
    assert (told["filename"], told["file_count"], told["create_filter"], told["filter_id"]) == (
        "hours.md",
        1,
        False,
        None,
    )
    task = finished(http, accepted)
    assert task["status"] == "completed"
    assert task["files"]["hours.md"]["status"] == "completed"
    assert "hours.md" in names()
    found = http.post("/api/v1/search", json={"query": "when does the shop open"}).json()["results"][0]
    assert (found["filename"], found["source_url"]) == ("hours.md", None)


def test_several_files(http, finished, names):
    accepted = http.post(INGEST, files=files(("a/one.md", b"# One"), ("two.txt", b"Two is here."), ("three.md", b"")))
    assert (accepted.json()["file_count"], accepted.json()["filename"]) == (3, None)
    task = finished(http, accepted)
    assert {name: each["status"] for name, each in task["files"].items()} == {
        "a/one.md": "completed",
        "two.txt": "completed",
        "three.md": "failed",
    }
    assert (task["status"], task["total_files"], task["successful_files"], task["failed_files"]) == (
        "completed",
        3,
        2,
        1,
    )
    assert task["files"]["three.md"]["error"]
    assert {"a/one.md", "two.txt"} <= set(names())


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd.md", "etc/passwd.md"),
        ("/root/x.md", "root/x.md"),
        ("a/./b/../c.md", "a/b/c.md"),
        ("..\\up.md", "up.md"),
    ],
)
def test_no_way_out_of_the_folder(http, given, kept):
    assert http.post(INGEST, files=files((given, TEXT))).json()["filename"] == kept
    assert http.post(INGEST, json={"text": "x", "filename": given}).json()["filename"] == kept


def test_a_text(http, finished, names):
    task = finished(http, http.post(INGEST, json={"text": "# Note\n\nThe bell rings twice.", "filename": "note.md"}))
    assert task["status"] == "completed"
    assert "note.md" in names()


def test_an_address_inside_the_house_is_not_fetched(http, finished, url):
    accepted = http.post(INGEST, json={"url": f"{url}/health"})
    assert accepted.json()["filename"] == f"{url}/health"
    task = finished(http, accepted)
    assert (task["status"], task["failed_files"]) == ("failed", 1)
    assert task["code"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "bad_request"),
        ({"url": "https://a.test/", "text": "x"}, "bad_request"),
        ({"url": "/etc/passwd"}, "bad_url"),
        ({"url": "file:///etc/passwd"}, "bad_url"),
        ({"url": "http://"}, "bad_url"),
        ({"text": "x"}, "bad_text"),
        ({"text": "x", "filename": ".."}, "bad_text"),
        ({"text": "x", "filename": "a\0b"}, "bad_name"),
        ({"texts": "x"}, "bad_request"),
        ({"text": 7, "filename": "x"}, "bad_request"),
        (["x"], "bad_request"),
    ],
)
def test_what_json_cannot_bring_in(http, body, code):
    refused = http.post(INGEST, json=body)
    assert (refused.status_code, refused.json()["code"]) == (400, code)


@pytest.mark.parametrize(
    ("form", "named", "code"),
    [
        ({"replace_duplicates": "maybe"}, [("x.md", b"x")], "bad_request"),
        ({"wait": "soon"}, [("x.md", b"x")], "bad_request"),
        ({"files": "x"}, [("x.md", b"x")], "bad_request"),
        ({"create_filter": "true"}, [("*", b"x")], "bad_name"),
        ({"create_filter": "true"}, [("twice.md", b"x"), ("twice.md", b"y")], "same_name"),
        ({}, [("a/twice.md", b"x"), ("/a//twice.md", b"y")], "same_name"),
    ],
)
def test_what_a_form_cannot_bring_in(http, engine: Engine, form, named, code):
    before = [task.id for task in engine.tasks()], [saved.id for saved in engine.filters()]
    refused = http.post(INGEST, data=form, files=files(*named))
    assert (refused.status_code, refused.json()["code"]) == (400, code)
    assert ([task.id for task in engine.tasks()], [saved.id for saved in engine.filters()]) == before


def test_a_form_without_files(http):
    refused = http.post(INGEST, content=b"--b--\r\n", headers={"content-type": "multipart/form-data; boundary=b"})
    assert (refused.status_code, refused.json()["code"]) == (400, "nothing_to_ingest")


def test_not_replacing(http, finished, engine: Engine):
    finished(http, http.post(INGEST, files=files(("kept.md", b"# Old"))))
    given = {"replace_duplicates": "false", "create_filter": "true"}
    refused = http.post(INGEST, data=given, files=files(("new.md", b"# New"), ("kept.md", b"# New")))
    assert (refused.status_code, refused.json()["code"]) == (409, "document_exists")
    assert engine.filters() == []
    assert [each["text"] for each in http.get("/api/v1/documents/kept.md").json()["passages"]] == ["Old"]
    finished(http, http.post(INGEST, data={"replace_duplicates": "true"}, files=files(("kept.md", b"# New"))))
    assert [each["text"] for each in http.get("/api/v1/documents/kept.md").json()["passages"]] == ["New"]


def test_a_filter_with_an_upload(http, finished):
    accepted = http.post(INGEST, data={"create_filter": "true"}, files=files(("f1.md", TEXT), ("f2.md", TEXT)))
    told = accepted.json()
    assert told["create_filter"]
    finished(http, accepted)
    saved = http.get(f"/api/v1/knowledge-filters/{told['filter_id']}").json()["filter"]
    assert saved["name"] == "f1.md and 1 more"
    found = http.post("/api/v1/search", json={"query": "*", "filter_id": told["filter_id"]}).json()["results"]
    assert {each["filename"] for each in found} == {"f1.md", "f2.md"}
    gone = http.request("DELETE", "/api/v1/documents", json={"filter_id": told["filter_id"]}).json()
    assert (gone["success"], sorted(gone["filenames"]), gone["deleted_chunks"]) == (True, ["f1.md", "f2.md"], 2)
    assert gone["filter_id"] == told["filter_id"]
    http.delete(f"/api/v1/knowledge-filters/{told['filter_id']}")


@pytest.mark.parametrize("prefix", ["/api/v1", "/v1", "/api"])
def test_an_upload_that_is_waited_for(http, prefix, monkeypatch):
    monkeypatch.setattr("knowgate.doors.rest.documents._WAIT_SECONDS", 250)
    path = f"{prefix}/documents/upload"
    for more in ({"data": {"wait": "true"}}, {"params": {"wait": "true"}}):
        done = http.post(path, files=files(("waited.md", TEXT)), **more)
        assert (done.status_code, done.json()["status"]) == (200, "completed")
        assert set(done.json()["files"]) == {"waited.md"}
    done = http.post(path, json={"text": "x", "filename": "waited.txt", "wait": True})
    assert (done.status_code, done.json()["successful_files"]) == (200, 1)
    accepted = http.post(path, files=files(("waited.md", TEXT)))
    assert accepted.status_code == 202
    assert set(accepted.json()) >= {"task_id", "file_count"}


def test_an_upload_that_takes_too_long(http, monkeypatch):
    monkeypatch.setattr("knowgate.doors.rest.documents._WAIT_SECONDS", 0)
    answer = http.post("/api/documents/upload", params={"wait": "true"}, files=files(("slow.md", TEXT)))
    assert answer.status_code in (200, 202)
    assert answer.json()["task_id"]


def test_a_document_page_by_page(http, finished):
    sections = "".join(f"# Part {n}\n\n{f'The number of this part is {n}. ' * 30}\n\n" for n in range(5))
    finished(http, http.post(INGEST, json={"text": sections, "filename": "deep/long one.md"}))
    path = "/api/v1/documents/deep/long%20one.md"
    whole = http.get(path).json()
    assert whole["document"]["filename"] == "deep/long one.md"
    assert whole["document"]["chunks"] == len(whole["passages"]) >= 5
    assert whole["cursor"] == ""
    read: list[Any] = []
    cursor = ""
    while True:
        page = http.get(path, params={"limit": 2, "cursor": cursor}).json()
        read += page["passages"]
        cursor = page["cursor"]
        if not cursor:
            break
    assert read == whole["passages"]
    assert http.get(path, params={"cursor": "1000"}).json()["passages"] == []
    for cursor in ("-1", "x", "1.5", "9" * 5000):
        refused = http.get(path, params={"cursor": cursor})
        assert (refused.status_code, refused.json()["code"]) == (400, "bad_cursor")


def test_a_document_called_tasks(http, finished):
    finished(http, http.post(INGEST, json={"text": "# To do", "filename": "tasks/monday.md"}))
    assert http.get("/api/v1/documents/tasks/monday.md").json()["document"]["filename"] == "tasks/monday.md"


def test_the_list(http, names, engine: Engine):
    for task in engine.tasks():  # what others handed over and did not wait for
        engine.wait(task.id, 60)
    listed = http.get("/api/v1/documents", params={"query": "PARCEL"}).json()["documents"]
    assert [each["filename"] for each in listed] == ["guides/parcels.md"]
    listed = http.get("/api/v1/documents", params={"query": "*.md", "limit": 1}).json()
    assert len(listed["documents"]) == 1
    assert listed["cursor"]
    assert http.get("/v1/documents").json() == http.get("/api/documents").json()


@pytest.mark.parametrize("by", ["body", "path"])
def test_deleting(http, finished, by):
    def delete(name: str):
        if by == "path":
            return http.delete(f"/api/documents/{name}")
        return http.request("DELETE", "/api/v1/documents", json={"filename": name})

    finished(http, http.post(INGEST, json={"text": "# Gone", "filename": "old/gone.md"}))
    gone = delete("old/gone.md")
    assert gone.status_code == 200
    assert gone.json() | {"success": True, "deleted_chunks": 1, "filename": "old/gone.md"} == gone.json()
    missing = delete("old/gone.md")
    told = missing.json()
    assert missing.status_code == 404
    assert (told["success"], told["deleted_chunks"], told["filename"]) == (False, 0, "old/gone.md")
    assert (told["code"], told["request_id"]) == ("document_not_found", missing.headers["x-request-id"])
    assert "old/gone.md" in told["error"]


def test_deleting_what_was_not_named(http, names):
    for body, status, code in (
        ({}, 400, "bad_request"),
        ({"filename": "x", "filter_id": "y"}, 400, "bad_request"),
        ({"filter_id": "nothing"}, 404, "filter_not_found"),
        ({"filter_id": ""}, 404, "filter_not_found"),
        ({"filename": ""}, 404, "document_not_found"),
        ({"filename": "*"}, 404, "document_not_found"),
    ):
        refused = http.request("DELETE", "/api/v1/documents", json=body)
        assert (refused.status_code, refused.json()["code"]) == (status, code)
        assert refused.json()["error"]
    wide = http.post("/api/v1/knowledge-filters", json={"name": "all", "queryData": {"filters": {}}}).json()["id"]
    refused = http.request("DELETE", "/api/v1/documents", json={"filter_id": wide})
    assert (refused.status_code, refused.json()["code"]) == (400, "filter_too_wide")
    assert "refunds.md" in names()
    http.delete(f"/api/v1/knowledge-filters/{wide}")


def test_stats(http):
    counts = http.get("/api/v1/stats").json()
    assert counts["documents"] >= 2
    assert counts["passages"] >= 2
