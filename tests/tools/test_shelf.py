from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate import Engine
from knowgate.config.knowledge import CustomField, Schema
from knowgate.errors import NotFoundError
from knowgate.tools.inprocess import InProcess
from knowgate.tools.shelf import SHELF, address_of, names_like, read_schema, read_shelf, whole
from knowgate.tools.submissions import Submissions
from knowgate.wire import Passage


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def backend(engine: Engine) -> InProcess:
    return InProcess(engine, Submissions(), attend=lambda: None)


@pytest.mark.anyio
async def test_any_name_has_an_address(backend: InProcess, engine: Engine, docs: Path) -> None:
    odd = docs / "guides" / "100 % über {das}? #1.md"
    odd.write_text("# Odd\n\nAn odd name.\n", encoding="utf-8")
    engine.ingest([docs])
    mime, text = await read_shelf(backend, address_of("guides/100 % über {das}? #1.md"))
    assert (mime, text) == ("text/plain", "Odd\n\nAn odd name.")
    mime, listing = await read_shelf(backend, SHELF)
    listed = json.loads(listing)
    assert mime == "application/json"
    assert not listed["more"]
    for each in listed["documents"]:
        assert (await read_shelf(backend, each["uri"]))[1]
    for wrong in (f"{SHELF}/nothing.md", "knowgate://other", "file:///etc/passwd"):
        with pytest.raises(NotFoundError):
            await read_shelf(backend, wrong)


@pytest.mark.anyio
async def test_a_long_document_is_cut(
    backend: InProcess, engine: Engine, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowgate.tools.shelf._LONGEST_DOCUMENT", 20)
    engine.ingest([docs])
    _, shown = await read_shelf(backend, address_of("refunds.md"))
    assert shown == "Refunds\n\nMoney goes \n\n[Cut here. Find what follows with a search in refunds.md.]"


@pytest.mark.anyio
async def test_names_go_on_from_what_was_typed(backend: InProcess, engine: Engine, docs: Path) -> None:
    engine.ingest([docs])
    assert await names_like(backend, "refu", 10) == (["refunds.md"], False)
    names, more = await names_like(backend, "", 1)
    assert (len(names), more) == (1, True)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20), min_size=1), st.data())
def test_passages_make_up_their_text(parts: list[str], data: st.DataObject):
    """Whether they lie apart, touch or overlap."""
    text = "\n\n".join(parts)
    passages: list[Passage] = []
    start = 0
    for part in parts:
        begin = max(0, data.draw(st.sampled_from([start, start - 2, start - 5])))
        passages.append(Passage(text[begin : start + len(part)], None, (), begin, start + len(part)))
        start += len(part) + 2
    assert whole(passages) == text


@pytest.mark.anyio
async def test_the_schema_names_custom_fields_only_where_there_are_any(
    backend: InProcess, open_engine: Callable[..., Engine]
) -> None:
    assert list(json.loads(await read_schema(backend))) == ["entityTypes", "relationTypes"]
    status = CustomField(type="enum", values=("draft", "final"), default="draft", filterable=True)
    engine = open_engine(schema=Schema(document_fields={"status": status}, relation_fields={"via": CustomField()}))
    told = json.loads(await read_schema(InProcess(engine, Submissions(), attend=lambda: None)))
    assert list(told) == ["entityTypes", "relationTypes", "documentFields", "relationFields"]
    assert told["documentFields"] == {
        "status": {"type": "enum", "values": ["draft", "final"], "default": "draft", "filterable": True}
    }
    assert told["relationFields"] == {"via": {"type": "string"}}
