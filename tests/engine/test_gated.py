"""Every method that shows or changes something is decided on, written down and cleaned, once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.test_scopes import CALLS

from knowgate import Engine
from knowgate.config.settings import Settings
from knowgate.engine.gated import TOOLS
from knowgate.engine.oversight import Oversight
from knowgate.errors import ForbiddenError, KnowgateError
from knowgate.guard.approvals import ApprovalNeeded
from knowgate.model import Principal, Task

GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
OF_THE_HOUSE = {
    "run": "does what was let through when it was submitted",
    "interrupted": "tells the house's own workers what is left",
    "fail": "ends what was let through",
    "index_apis": "brings the house's own list of operations up to date",
    "embed_pending": "goes on with what was let through",
    "waiting": "tells of documents that were shown before",
    "chat": "is stream_chat",
    "ingest": "is submit and run",
    "reembed": "is submit_reembed and run",
}


def _policy(text: str, folder: Path) -> Path:
    path = folder / "policy.yaml"
    path.write_text(f'version: "1.0"\nrules:\n{text}', encoding="utf-8")
    return path


@pytest.fixture
def governed(tmp_path: Path) -> Iterator[Callable[[str], Engine]]:
    """An engine with two documents and then a policy with these rules."""
    opened: list[Engine] = []

    def start(rules: str) -> Engine:
        with Engine(Settings(data=tmp_path / "data")) as engine:
            engine.ingest(text=f"# Deploying\n\nThe robot's token is {GITHUB} and parcels leave.", filename="deploy.md")
            engine.ingest(text="# Salaries\n\nAnn earns forty parcels.", filename="hr-salaries.md")
        settings: dict[str, Any] = {"policy": {"file": _policy(rules, tmp_path)}} if rules else {}
        opened.append(Engine(Settings(data=tmp_path / "data", **settings)))
        return opened[-1]

    yield start
    for engine in opened:
        engine.close()


def _tools(engine: Engine) -> list[str]:
    return [record["tool"] for record in engine.audit(limit=1000).records]


def _ask(engine: Engine, call: Callable[[Engine], object]) -> str:
    try:
        call(engine)
    except KnowgateError as error:
        return error.code
    return ""


@pytest.mark.parametrize("name", sorted(set(CALLS) - set(OF_THE_HOUSE) - set(vars(Oversight)) - {"run_operation"}))
def test_what_is_denied_does_nothing(governed: Callable[[str], Engine], name: str) -> None:
    engine = governed("  - {name: no, tools: ['knowgate_*'], deny: true}\n")
    before = engine.store.stats()
    assert _ask(engine, CALLS[name][1]) == "denied_by_policy"
    assert engine.store.stats() == before
    assert engine.audit().records[0]["policy"]["decision"] == "deny"


def test_a_method_that_calls_others_is_one_call(governed: Callable[[str], Engine]) -> None:
    engine = governed("")
    seen = len(_tools(engine))
    engine.delete("deploy.md")
    assert _tools(engine)[: len(_tools(engine)) - seen] == ["knowgate_delete_document"]


def test_a_message_that_ingests_is_an_ingestion_too(governed: Callable[[str], Engine]) -> None:
    engine = governed("  - {name: no, tools: [knowgate_ingest], deny: true}\n")
    assert _ask(engine, lambda engine: engine.chat("Please ingest https://example.com/x")) == "denied_by_policy"
    assert engine.chat("What does the robot need?").sources


def test_asked_for_approved_done_once(governed: Callable[[str], Engine]) -> None:
    engine = governed("  - {name: ask, tools: [knowgate_delete_document], ask: true}\n")
    with pytest.raises(ApprovalNeeded) as asked:
        engine.delete("deploy.md")
    assert "deploy.md" in asked.value.message
    assert engine.store.stats().documents == 2
    engine.give_approval(asked.value.approval.id, "cli")
    with pytest.raises(ApprovalNeeded):
        engine.delete("hr-salaries.md")
    assert engine.delete("deploy.md").name == "deploy.md"
    engine.ingest(text="# Again", filename="deploy.md")
    with pytest.raises(ApprovalNeeded):
        engine.delete("deploy.md")


def test_a_filter_does_not_delete_what_a_person_has_to_approve(governed: Callable[[str], Engine]) -> None:
    engine = governed(
        "  - {name: ask, tools: [knowgate_delete_document], documents: ['hr-*'], ask: true}\n"
        "  - {name: no, tools: [knowgate_delete_document], documents: ['kept-*'], deny: true}\n"
    )
    for name in ("kept-a.md", "free.md"):
        engine.ingest(text="# Parcels", filename=name)
    saved = engine.create_filter("both", "", {"filters": {"data_sources": ["hr-*", "kept-*"]}})
    with pytest.raises(ApprovalNeeded) as asked:
        engine.delete_matching(saved.id)
    assert "hr-salaries.md" in asked.value.message
    assert "kept-a.md" not in asked.value.message
    engine.give_approval(asked.value.approval.id, "cli")
    # The yes was for that document, not for whatever the filter names later.
    engine.update_filter(saved.id, query_data={"filters": {"data_sources": ["hr-*", "kept-*", "deploy.md"]}})
    with pytest.raises(ApprovalNeeded):
        engine.delete_matching(saved.id)
    engine.update_filter(saved.id, query_data={"filters": {"data_sources": ["hr-*", "kept-*"]}})
    assert [each.name for each in engine.delete_matching(saved.id)] == ["hr-salaries.md"]
    free = engine.create_filter("free", "", {"filters": {"data_sources": ["free.md"]}})
    assert [each.name for each in engine.delete_matching(free.id)] == ["free.md"]
    assert [each.name for each in engine.documents().documents] == ["deploy.md", "kept-a.md"]


def test_a_person_is_told_how_many_documents_are_meant(governed: Callable[[str], Engine]) -> None:
    engine = governed("  - {name: ask, tools: [knowgate_delete_document], ask: true}\n")
    engine.run(engine.submit_contents([(f"note-{number}.md", b"# Note") for number in range(12)]).id)
    saved = engine.create_filter("notes", "", {"filters": {"data_sources": ["note-*"]}})
    with pytest.raises(ApprovalNeeded) as asked:
        engine.delete_matching(saved.id)
    assert "and 2 more" in asked.value.message


def test_doing_it_again_asks_again(governed: Callable[[str], Engine]) -> None:
    engine = governed("  - {name: web, tools: [knowgate_ingest], documents: ['https://*'], ask: true}\n")

    def approved(call: Callable[[], Task]) -> Task:
        with pytest.raises(ApprovalNeeded) as asked:
            call()
        assert "https://example.com/guide" in asked.value.message
        engine.give_approval(asked.value.approval.id, "cli")
        return call()

    task = approved(lambda: engine.submit(["https://example.com/guide"]))
    assert engine.cancel(task.id).finished
    again = approved(lambda: engine.retry(task.id))
    assert again.sources == task.sources


def test_only_tried_is_not_done(governed: Callable[[str], Engine]) -> None:
    engine = governed("  - {name: dry, tools: [knowgate_delete_document], dry_run: true}\n")
    assert _ask(engine, lambda engine: engine.delete("deploy.md")) == "dry_run_only"
    assert engine.store.stats().documents == 2


def test_secrets_in_documents_are_not_shown(governed: Callable[[str], Engine]) -> None:
    engine = governed("")
    found = engine.search("robot token", mode="keyword").hits[0]
    assert "[REDACTED:GITHUB_TOKEN]" in found.chunk.text
    assert GITHUB not in repr(found)
    highlighted = [found.chunk.text[start:end].lower() for start, end in found.highlights]
    assert {"robot", "token"} <= set(highlighted)
    assert GITHUB not in repr(engine.passages(engine.document("deploy.md")))
    assert GITHUB not in repr(engine.chat("What is the robot's token?"))
    assert GITHUB not in repr(engine.entities(limit=1000))
    assert GITHUB not in repr(list(engine.graph_pages()))
    searched = next(each for each in engine.audit().records if each["tool"] == "knowgate_search")
    assert searched["redactions"] == {"GITHUB_TOKEN": 1}


def test_secrets_in_front_matter_are_not_shown(tmp_path: Path) -> None:
    with Engine(Settings(data=tmp_path / "data")) as engine:
        front = f"---\npassword: hunter2horse\nteam: parcels\nyear: 2024\nnote: {GITHUB}\n---\n"
        engine.ingest(text=f"{front}# Deploying\n\nThe robot leaves.", filename="deploy.md")
        for document in (
            engine.document("deploy.md"),
            engine.documents().documents[0],
            engine.search("robot", mode="keyword").hits[0].document,
            engine.chat("What leaves?").sources[0].document,
        ):
            assert document.fields["password"] == "[REDACTED:PASSWORD]"
            assert document.fields["note"] == "[REDACTED:GITHUB_TOKEN]"
            assert (document.fields["team"], document.fields["year"]) == ("parcels", 2024)


def test_redaction_can_be_turned_off_and_up(tmp_path: Path) -> None:
    for level, shown in (("off", True), ("personal", False)):
        with Engine(Settings.model_validate({"data": tmp_path / level, "redact": {"level": level}})) as engine:
            engine.ingest(text=f"Write to ann@example.org with {GITHUB}", filename="a.md")
            text = engine.search("write", mode="keyword").hits[0].chunk.text
            assert (GITHUB in text, "ann@example.org" in text) == (shown, shown)


def test_a_rule_can_hide_more(governed: Callable[[str], Engine]) -> None:
    engine = governed("  - {name: more, tools: [knowgate_search], redact: {patterns: ['forty']}}\n")
    assert "[REDACTED:CUSTOM]" in engine.search("Ann earns", mode="keyword").hits[0].chunk.text
    assert "forty" in engine.passages(engine.document("hr-salaries.md"))[0].text


def test_documents_that_a_rule_denies_are_not_there(governed: Callable[[str], Engine]) -> None:
    engine = governed("  - {name: hr, documents: ['hr-*'], principals: [bot], deny: true}\n")
    bot = engine.acting_for(Principal("bot", "bot", frozenset({"read", "write"})))
    assert {hit.document.name for hit in bot.search("parcels", mode="keyword").hits} == {"deploy.md"}
    assert {hit.document.name for hit in bot.chat("parcels?").sources} <= {"deploy.md"}
    assert [each.name for each in bot.documents().documents] == ["deploy.md"]
    assert bot.stats().documents == 1
    assert "Ann" not in repr(bot.entities(limit=1000))
    for name in ("hr-salaries.md", engine.document("hr-salaries.md").id):
        assert _ask(bot, lambda bot, name=name: bot.document(name)) == "denied_by_policy"
        assert _ask(bot, lambda bot, name=name: bot.delete(name)) == "denied_by_policy"
    assert _ask(bot, lambda bot: bot.submit_contents([("hr-new.md", b"x")])) == "denied_by_policy"
    assert engine.search("parcels", mode="keyword").hits[1:]


def test_while_calls_are_stopped_nothing_is_done_and_all_can_be_resumed(governed: Callable[[str], Engine]) -> None:
    engine = governed("")
    engine.stop_calls("something is wrong")
    with pytest.raises(ForbiddenError, match="something is wrong"):
        engine.search("parcels")
    engine.resume_calls()
    assert engine.search("parcels", mode="keyword").hits
    assert {"knowgate_stop", "knowgate_resume"} <= set(_tools(engine))


def test_a_scope_that_is_missing_is_written_down(governed: Callable[[str], Engine]) -> None:
    engine = governed("")
    reader = engine.acting_for(Principal("k1", "reader", frozenset({"read"})), agent="curl", address="10.0.0.7")
    assert _ask(reader, lambda reader: reader.delete("deploy.md")) == "scope_missing"
    record = engine.audit().records[0]
    assert (record["response"]["error"], record["principal"]["id"], record["agent_id"]) == (
        "scope_missing",
        "k1",
        "curl",
    )


def test_rules_can_ask_where_a_call_comes_from(governed: Callable[[str], Engine]) -> None:
    engine = governed("  - {name: away, conditions: [{source_ip: 10.0.0.0/8}], deny: true}\n")
    assert engine.documents().documents
    inside = engine.acting_for(engine.principal, address="10.0.0.7")
    assert _ask(inside, lambda engine: engine.documents()) == "denied_by_policy"


def test_a_stream_that_is_left_early_is_written_down(governed: Callable[[str], Engine]) -> None:
    engine = governed("")

    async def leave() -> None:
        events = engine.stream_chat("parcels?")
        await anext(events)
        await events.aclose()

    asyncio.run(leave())
    assert engine.audit().records[0]["response"] == engine.audit().records[0]["response"] | {"error": "cancelled"}


def test_offers(governed: Callable[[str], Engine]) -> None:
    engine = governed("  - {name: no, tools: ['knowgate_delete_*'], deny: true}\n")
    assert not engine.offers("knowgate_delete_document", "write")
    assert engine.offers("knowgate_search", "read")
    reader = engine.acting_for(Principal("k1", "reader", frozenset({"read"})))
    assert not reader.offers("knowgate_ingest", "write")


def test_the_policy_is_read_again_when_its_file_changes(governed: Callable[[str], Engine], tmp_path: Path) -> None:
    engine = governed("  - {name: no, tools: [knowgate_search], deny: true}\n")
    assert _ask(engine, lambda engine: engine.search("x")) == "denied_by_policy"
    path = _policy("  - {name: no, tools: [knowgate_stats], deny: true}\n", tmp_path)
    os.utime(path, ns=(1, 1))
    assert _ask(engine, lambda engine: engine.search("x")) == ""
    path.write_text("rules: [", encoding="utf-8")
    assert _ask(engine, lambda engine: engine.stats()) == "denied_by_policy"


def test_every_tool_of_the_toolsets_is_known_to_the_gate() -> None:
    from knowgate.tools.toolsets import find_toolset

    for toolset in ("native", "openrag", "flowrag"):
        for tool in find_toolset(toolset).tools:
            does = tool.does or tool.name
            assert tool.scope == "apis" or TOOLS.get(does) == tool.scope, tool.name
