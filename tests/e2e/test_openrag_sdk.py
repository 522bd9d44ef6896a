"""The published OpenRAG client, as it is, against a server of ours: every method it has."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from openrag_sdk import (
    AuthenticationError,
    NotFoundError,
    OpenRAGClient,
    RateLimitError,
    SearchFilters,
    SettingsUpdateOptions,
    ValidationError,
)
from openrag_sdk.models import CreateKnowledgeFilterOptions, KnowledgeFilterQueryData, UpdateKnowledgeFilterOptions
from tests.serving import Server, knowgate, serving

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("openrag") / "data"


@pytest.fixture(scope="module")
def key(data: Path) -> str:
    return knowgate("keys", "create", "journey", "--scope", "admin", data=data).strip()


@pytest.fixture(scope="module")
def server(data: Path, key: str) -> Iterator[Server]:
    with serving(data) as server:
        yield server


@pytest.fixture
async def client(server: Server, key: str):
    async with OpenRAGClient(key, base_url=server.url, timeout=60) as client:
        yield client


@pytest.fixture
async def filled(client: OpenRAGClient, docs: Path) -> OpenRAGClient:
    for path in (docs / "refunds.md", docs / "guides" / "parcels.md"):
        assert (await client.documents.ingest(path)).status == "completed"
    return client


async def test_documents(client: OpenRAGClient, docs: Path) -> None:
    done = await client.documents.ingest(docs / "refunds.md")
    assert (done.status, done.successful_files, done.failed_files, done.total_files) == ("completed", 1, 0, 1)
    assert done.files["refunds.md"]["status"] == "completed"

    queued = await client.documents.ingest(file=io.BytesIO(b"# Hours\n\nWe open at nine."), filename="h.md", wait=False)
    assert queued.task_id
    assert queued.filename == "h.md"
    finished = await client.documents.wait_for_task(queued.task_id)
    assert finished.status == "completed"
    assert (await client.documents.get_task_status(queued.task_id)).processed_files == 1

    broken = await client.documents.ingest(file=io.BytesIO(b"%PDF-1.7 no more"), filename="broken.pdf")
    assert (broken.status, broken.failed_files) == ("failed", 1)
    assert broken.files["broken.pdf"]["error"]

    gone = await client.documents.delete("h.md")
    assert (gone.success, gone.deleted_chunks, gone.filename) == (True, 1, "h.md")
    missing = await client.documents.delete("h.md")
    assert (missing.success, missing.deleted_chunks) == (False, 0)
    assert missing.error
    with pytest.raises(NotFoundError):
        await client.documents.get_task_status("nothing")


async def test_search(filled: OpenRAGClient) -> None:
    found = await filled.search.query("when does the money come back")
    assert found.results[0].filename == "refunds.md"
    assert 0 < found.results[0].score <= 1
    assert found.results[0].mimetype == "text/markdown"
    only = await filled.search.query("courier", filters=SearchFilters(data_sources=["parcels.md"]), limit=1)
    assert [each.filename for each in only.results] == ["parcels.md"]
    none = await filled.search.query("courier", filters=SearchFilters(document_types=["application/pdf"]))
    assert none.results == []
    strict = await filled.search.query("entirely unrelated zebra", score_threshold=0.99)
    assert strict.results == []
    with pytest.raises(ValidationError):
        await filled.search.query("  ")


async def test_chat(filled: OpenRAGClient) -> None:
    first = await filled.chat.create(message="How many days until money goes back to the card?")
    assert "five days" in first.response
    assert "[1]" in first.response
    assert first.sources[0].filename == "refunds.md"
    assert first.chat_id
    more = await filled.chat.create(message="And who collects the parcels?", chat_id=first.chat_id)
    assert more.chat_id == first.chat_id
    assert "courier" in more.response

    listed = await filled.chat.list()
    mine = next(each for each in listed.conversations if each.chat_id == first.chat_id)
    assert mine.message_count == 4
    assert mine.title.startswith("How many days")
    whole = await filled.chat.get(first.chat_id)
    assert [message.role for message in whole.messages] == ["user", "assistant"] * 2
    assert await filled.chat.delete(first.chat_id) is True
    assert await filled.chat.delete(first.chat_id) is False
    with pytest.raises(NotFoundError):
        await filled.chat.get(first.chat_id)
    with pytest.raises(ValidationError):
        await filled.chat.create(message=" ")


async def test_chat_streams(filled: OpenRAGClient) -> None:
    async with filled.chat.stream(message="How many days until money goes back to the card?") as stream:
        events = [event async for event in stream]
    assert events[-1].type == "done"
    assert {event.type for event in events} == {"content", "sources", "done"}
    assert "five days" in stream.text
    assert stream.sources[0].filename == "refunds.md"
    assert stream.chat_id
    async with filled.chat.stream(message="Who collects every parcel?", chat_id=stream.chat_id) as again:
        text = "".join([piece async for piece in again.text_stream])
    assert "courier" in text
    assert again.chat_id == stream.chat_id
    async with filled.chat.stream(message="When is noon?") as final:
        assert await final.final_text()
    created = await filled.chat.create(message="Who collects every parcel?", stream=True)
    assert [event.type async for event in created][-1] == "done"


async def test_knowledge_filters(filled: OpenRAGClient) -> None:
    options = CreateKnowledgeFilterOptions(
        name="Only parcels",
        description="for the depot",
        queryData=KnowledgeFilterQueryData(filters={"data_sources": ["parcels.md"]}, limit=1, scoreThreshold=0.0),
    )
    made = await filled.knowledge_filters.create(options)
    assert made.success
    assert made.id
    kept = await filled.knowledge_filters.get(made.id)
    assert kept
    assert (kept.name, kept.query_data.filters["data_sources"]) == ("Only parcels", ["parcels.md"])
    assert kept.query_data.filters["owners"] == ["*"]
    assert [each.id for each in await filled.knowledge_filters.search("parcels")] == [made.id]

    found = await filled.search.query("money", filter_id=made.id)
    assert {each.filename for each in found.results} == {"parcels.md"}
    answer = await filled.chat.create(message="When does the money go back?", filter_id=made.id)
    assert {each.filename for each in answer.sources} <= {"parcels.md"}

    assert await filled.knowledge_filters.update(made.id, UpdateKnowledgeFilterOptions(name="Depot"))
    assert (await filled.knowledge_filters.get(made.id)).name == "Depot"
    assert await filled.knowledge_filters.delete(made.id)
    assert await filled.knowledge_filters.get(made.id) is None
    with pytest.raises(NotFoundError):
        await filled.search.query("money", filter_id=made.id)


async def test_settings_and_models(client: OpenRAGClient) -> None:
    before = await client.settings.get()
    assert before.knowledge.embedding_model == "all-MiniLM-L6-v2"
    assert before.agent.llm_provider == "none"
    changed = await client.settings.update(SettingsUpdateOptions(chunk_size=200, system_prompt="Be brief."))
    assert "chunk_size" in changed.message
    after = await client.settings.get()
    assert (after.knowledge.chunk_size, after.agent.system_prompt) == (200, "Be brief.")
    with pytest.raises(ValidationError):
        await client.settings.update({"chunk_size": 0})
    with pytest.raises(ValidationError):
        await client.models.list("nobody")
    await client.settings.update({"llm_provider": "ollama", "llm_model": "tiny"})
    with pytest.raises(Exception, match="11434"):
        await client.models.list("ollama")
    await client.settings.update({"llm_provider": "none"})


async def test_a_wrong_key(server: Server) -> None:
    for wrong in ("orag_" + "x" * 43, "nonsense"):
        async with OpenRAGClient(wrong, base_url=server.url, timeout=60) as stranger:
            with pytest.raises(AuthenticationError, match="not valid"):
                await stranger.search.query("money")


async def test_too_often(data: Path, key: str) -> None:
    with serving(data, {"KNOWGATE_SERVER_CHAT_RATE": "1/hour"}) as server:
        async with OpenRAGClient(key, base_url=server.url, timeout=60) as client:
            await client.chat.create(message="Who collects every parcel?")
            with pytest.raises(RateLimitError, match="1 requests per hour"):
                await client.chat.create(message="Who collects every parcel?")
            assert (await client.search.query("money")).results
