"""What the server offers, through both clients, as somebody would use it."""

from __future__ import annotations

import inspect
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from knowgate.client import AsyncClient, AuthenticationError, Client, Content, NotFoundError, ValidationError, aio, sync


def test_a_folder_is_ingested_found_listed_and_deleted(client: Any, docs: Path) -> None:
    task = client.documents.ingest(docs)
    assert (task.status, task.failed_files) == ("completed", 0)
    assert {"refunds.md", "guides/parcels.md"} <= {file.filename for file in task.files.values()}

    assert client.search.query("refunds card").results[0].filename == "refunds.md"
    elsewhere = client.search.query("refunds card", data_sources=["guides/parcels.md"]).results
    assert {result.filename for result in elsewhere} <= {"guides/parcels.md"}
    assert client.search.query("refunds card", data_sources=[]).results == []

    assert client.documents.list(limit=1).cursor
    assert {"refunds.md", "guides/parcels.md"} <= {each.filename for each in client.documents.iterate()}
    assert [each.filename for each in client.documents.list("parcels").documents] == ["guides/parcels.md"]
    found = client.documents.get("guides/parcels.md")
    assert found.document.filename == "guides/parcels.md"
    assert found.passages

    before = client.stats().documents
    assert client.documents.delete("guides/parcels.md").success
    assert client.stats().documents == before - 1
    with pytest.raises(NotFoundError):
        client.documents.get("guides/parcels.md")


def test_pages_bring_every_passage_once(client: Any, docs: Path) -> None:
    client.documents.ingest(docs)
    pages = list(client.search.pages("*", limit=1))
    assert len(pages) >= 2
    names = [result.filename for page in pages for result in page.results]
    assert {"refunds.md", "guides/parcels.md"} <= set(names)
    assert len(names) == client.stats().passages


def test_text_and_open_files_are_ingested_under_their_names(client: Any, tmp_path: Path) -> None:
    (tmp_path / "Ünïcode – 文.md").write_text("# Marmots\n\nThey whistle.\n", encoding="utf-8")
    with (tmp_path / "Ünïcode – 文.md").open("rb") as file:
        client.documents.ingest(file=file)
    client.documents.ingest(text="Otters hold hands.", filename="otters.txt")
    client.documents.ingest(file=b"Bears fish.", filename="bears.txt")
    names = {document.filename for document in client.documents.iterate()}
    assert names == {"Ünïcode – 文.md", "otters.txt", "bears.txt"}
    assert client.documents.get("Ünïcode – 文.md").passages


def test_a_task_can_be_followed_later(client: Any) -> None:
    queued = client.documents.ingest(text="Otters hold hands.", filename="otters.txt", wait=False)
    assert queued.file_count == 1
    assert client.documents.wait_for_task(queued.task_id).status == "completed"
    assert client.documents.get_task_status(queued.task_id).successful_files == 1
    assert [task.task_id for task in client.tasks.list().tasks] == [queued.task_id]


def test_a_missing_document_is_not_deleted_and_no_error(client: Any) -> None:
    assert not client.documents.delete("never-was.md").success


def test_chats_are_kept_and_continued(client: Any, docs: Path) -> None:
    client.documents.ingest(docs)
    reply = client.chat.create("When does money go back to the card?")
    assert reply.answered
    assert reply.sources[reply.cited[0] - 1].filename == "refunds.md"
    again = client.chat.create("And how long does money take?", chat_id=reply.chat_id)
    assert again.chat_id == reply.chat_id
    assert [each.chat_id for each in client.chat.list().conversations] == [reply.chat_id]
    assert [message.role for message in client.chat.get(reply.chat_id).messages] == ["user", "assistant"] * 2
    assert client.chat.delete(reply.chat_id).success
    with pytest.raises(NotFoundError):
        client.chat.get(reply.chat_id)


def test_a_streamed_answer_is_kept_like_any_other(server: Any, docs: Path) -> None:
    with Client(server.key, base_url=server.base_url) as client:
        client.documents.ingest(docs)
        with client.chat.stream("When does money go back to the card?") as answer:
            said = "".join(event.delta for event in answer if isinstance(event, Content))
        reply = answer.final()
        assert reply.response == said
        assert reply.sources[reply.cited[0] - 1].filename == "refunds.md"
        assert reply.chat_id is not None
        assert client.chat.get(reply.chat_id).messages[1].content.strip() == said.strip()


def test_filters_are_kept_changed_and_used(client: Any, docs: Path) -> None:
    client.documents.ingest(docs)
    made = client.filters.create("Refunds", description="Money", data_sources=["refunds.md"], limit=3)
    kept = client.filters.get(made.id).filter
    assert (kept.name, kept.description) == ("Refunds", "Money")
    assert json.loads(kept.query_data)["filters"]["data_sources"] == ["refunds.md"]
    assert [each.id for each in client.filters.search("Refunds").filters] == [made.id]

    client.filters.update(made.id, name="Returns")
    renamed = client.filters.get(made.id).filter
    assert (renamed.name, renamed.query_data) == ("Returns", kept.query_data)

    assert client.documents.delete_matching(made.id).filenames == ["refunds.md"]
    assert client.filters.delete(made.id).success
    with pytest.raises(NotFoundError):
        client.filters.get(made.id)


def test_settings_are_read_and_changed(client: Any) -> None:
    assert client.settings.update(chunk_size=700).message
    assert client.settings.get().knowledge.chunk_size == 700


def test_keys_are_made_listed_and_revoked(client: Any) -> None:
    made = client.keys.create("ci", scopes=["read"], expires_at=datetime(2099, 1, 1, tzinfo=UTC))
    assert made.api_key.startswith("orag_")
    kept = {key.key_id: key for key in client.keys.list().keys}[made.key_id]
    assert (kept.name, kept.scopes, kept.revoked_at) == ("ci", ["read"], None)
    assert kept.expires_at is not None
    assert datetime.fromisoformat(kept.expires_at) == datetime(2099, 1, 1, tzinfo=UTC)
    assert client.keys.revoke(made.key_id).success


def test_refusals_are_typed(client: Any, server: Any, open_client: Any) -> None:
    with pytest.raises(ValidationError):
        client.search.query("  ")
    with pytest.raises(ValidationError):
        client.models.list("nobody")
    with pytest.raises(NotFoundError):
        client.documents.get_task_status("never-was")
    stranger = open_client("orag_" + "z" * 43, base_url=server.base_url)
    with pytest.raises(AuthenticationError) as refused:
        stranger.stats()
    assert refused.value.status_code == 401
    assert refused.value.exit_code == 3
    assert refused.value.request_id


def test_both_clients_offer_the_same() -> None:
    rooms = [name for name, _ in inspect.getmembers(sync, inspect.isclass) if hasattr(aio, name)]
    assert {"Chat", "Search", "Documents", "Tasks", "Filters", "Settings", "Models", "Keys"} <= set(rooms)
    for name in rooms:
        assert _parameters(getattr(sync, name)) == _parameters(getattr(aio, name))
    plain, awaited = _parameters(Client), _parameters(AsyncClient)
    assert {"stats", "close"} == plain.keys()
    assert {"stats", "aclose"} == awaited.keys()


def _parameters(room: type) -> dict[str, list[str]]:
    members = inspect.getmembers(room, inspect.isfunction)
    return {
        name: [str(each) for each in inspect.signature(member).parameters.values()]
        for name, member in members
        if not name.startswith("_")
    }
