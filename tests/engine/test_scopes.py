"""Which scopes every method of the engine asks for. A method that is not listed here fails the first test."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import pytest

from knowgate import Engine
from knowgate.config.settings import Settings
from knowgate.errors import ForbiddenError, KnowgateError
from knowgate.guard.policy import Policy
from knowgate.model import Document, Principal, Scope

OPEN = {
    "passing",
    "offers",
    "acting_for",
    "close",
    "may",
    "may_rule",
    "may_see_all",
    "embedder",
    "settings",
    "store",
    "turn_away",
    "turning_away",
}
"""For the doors and the house itself; none of them hands a caller anything that is kept."""
READ, WRITE, BOTH = frozenset[Scope]({"read"}), frozenset[Scope]({"write"}), frozenset[Scope]({"read", "write"})
RULE = frozenset[Scope]({"admin"})
APIS = frozenset[Scope]({"apis"})
DOCUMENT = Document("x", "x.md", "text:x.md", "markdown", "text/markdown", "x", "00", "1", 1, "ann", 0.0, 0.0)
NOWHERE = Path("nowhere") / "at-all"

Call = Callable[[Engine], object]
CALLS: dict[str, tuple[frozenset[Scope], Call]] = {
    "search": (READ, lambda engine: engine.search("x")),
    "documents": (READ, lambda engine: engine.documents()),
    "document": (READ, lambda engine: engine.document("x")),
    "passages": (READ, lambda engine: engine.passages(DOCUMENT)),
    "waiting": (READ, lambda engine: engine.waiting([])),
    "stats": (READ, lambda engine: engine.stats()),
    "entities": (READ, lambda engine: engine.entities()),
    "search_entities": (READ, lambda engine: engine.search_entities("x")),
    "relations": (READ, lambda engine: engine.relations("x")),
    "trace": (READ, lambda engine: engine.trace("x", direction="upstream")),
    "path": (READ, lambda engine: engine.path("x", "y")),
    "graph_stats": (READ, lambda engine: engine.graph_stats()),
    "graph_schema": (READ, lambda engine: engine.graph_schema()),
    "graph_pages": (READ, lambda engine: list(engine.graph_pages())),
    "sign_in": (RULE, lambda engine: engine.sign_in("x", print)),
    "sign_out": (RULE, lambda engine: engine.sign_out("x")),
    "alias_entity": (RULE, lambda engine: engine.alias_entity("x", "y")),
    "merge_entities": (RULE, lambda engine: engine.merge_entities(["x"], "y")),
    "rename_entity": (RULE, lambda engine: engine.rename_entity("x", "y")),
    "forget_entity_name": (RULE, lambda engine: engine.forget_entity_name("x")),
    "apis": (APIS, lambda engine: engine.apis()),
    "operations": (APIS, lambda engine: engine.operations()),
    "index_apis": (RULE, lambda engine: engine.index_apis()),
    "describe_operation": (APIS, lambda engine: engine.describe_operation("x")),
    "suspicious_operations": (APIS, lambda engine: engine.suspicious_operations("x")),
    "describe_operations": (APIS, lambda engine: engine.describe_operations(["x"])),
    "run_operation": (APIS, lambda engine: engine.run_operation("x")),
    "more_of": (APIS, lambda engine: engine.more_of("x")),
    "index": (WRITE, lambda engine: engine.index()),
    "delete": (BOTH, lambda engine: engine.delete("x")),
    "delete_called": (BOTH, lambda engine: engine.delete_called("x")),
    "delete_matching": (BOTH, lambda engine: engine.delete_matching("x")),
    "chat": (READ, lambda engine: engine.chat("x")),
    "stream_chat": (READ, lambda engine: _first_of(engine)),
    "chats": (READ, lambda engine: engine.chats()),
    "get_chat": (READ, lambda engine: engine.get_chat("x")),
    "delete_chat": (READ, lambda engine: engine.delete_chat("x")),
    "submit": (WRITE, lambda engine: engine.submit(["https://example.com/x"])),
    "submit_contents": (WRITE, lambda engine: engine.submit_contents([("x.md", b"x")])),
    "ingest": (WRITE, lambda engine: engine.ingest(text="x", filename="x.md")),
    "run": (WRITE, lambda engine: engine.run("x")),
    "task": (READ, lambda engine: engine.task("x")),
    "tasks": (READ, lambda engine: engine.tasks()),
    "task_files": (READ, lambda engine: engine.task_files("x")),
    "wait": (READ, lambda engine: engine.wait("x", 0)),
    "interrupted": (WRITE, lambda engine: engine.interrupted()),
    "cancel": (WRITE, lambda engine: engine.cancel("x")),
    "fail": (WRITE, lambda engine: engine.fail("x", KnowgateError("x", "x"))),
    "retry": (WRITE, lambda engine: engine.retry("x")),
    "forget": (WRITE, lambda engine: engine.forget("x")),
    "filters": (READ, lambda engine: engine.filters()),
    "filter": (READ, lambda engine: engine.filter("x")),
    "create_filter": (WRITE, lambda engine: engine.create_filter("x", "", {})),
    "update_filter": (WRITE, lambda engine: engine.update_filter("x", name="y")),
    "delete_filter": (WRITE, lambda engine: engine.delete_filter("x")),
    "submit_reembed": (RULE, lambda engine: engine.submit_reembed()),
    "reembed": (RULE, lambda engine: engine.reembed()),
    "embed_pending": (RULE, lambda engine: engine.embed_pending()),
    "export": (RULE, lambda engine: engine.export(NOWHERE)),
    "import_": (RULE, lambda engine: engine.import_(NOWHERE)),
    "create_key": (RULE, lambda engine: engine.create_key("x", ["read"])),
    "keys": (RULE, lambda engine: engine.keys()),
    "revoke_key": (RULE, lambda engine: engine.revoke_key("x")),
    "audit": (RULE, lambda engine: engine.audit()),
    "audit_record": (RULE, lambda engine: engine.audit_record("x")),
    "verify_audit": (RULE, lambda engine: engine.verify_audit()),
    "export_audit": (RULE, lambda engine: list(engine.export_audit("csv"))),
    "approvals": (RULE, lambda engine: engine.approvals()),
    "give_approval": (RULE, lambda engine: engine.give_approval("x", "cli")),
    "refuse_approval": (RULE, lambda engine: engine.refuse_approval("x", "cli")),
    "clear_approval": (RULE, lambda engine: engine.clear_approval("x", "cli")),
    "held_operations": (RULE, lambda engine: engine.held_operations("x")),
    "remove_api": (RULE, lambda engine: engine.remove_api("x", lambda: None)),
    "accept_operations": (RULE, lambda engine: engine.accept_operations("x", [])),
    "configuring": (RULE, lambda engine: _configured(engine)),
    "stop_calls": (RULE, lambda engine: _stopped_and_resumed(engine)),
    "resume_calls": (RULE, lambda engine: engine.resume_calls()),
    "policy": (RULE, lambda engine: engine.policy()),
    "check_policy": (RULE, lambda engine: engine.check_policy(Policy.default())),
    "test_policy": (RULE, lambda engine: engine.test_policy(Policy.default(), "[]", "tests.yaml")),
    "explain": (RULE, lambda engine: engine.explain("search", {})),
    "diff_policies": (RULE, lambda engine: engine.diff_policies(Policy.default(), Policy.default())),
    "suggest_policy": (RULE, lambda engine: engine.suggest_policy()),
    "wanted_settings": (READ, lambda engine: engine.wanted_settings()),
    "model_names": (READ, lambda engine: engine.model_names()),
    "change_settings": (RULE, lambda engine: engine.change_settings({})),
}
NOT_FOR_BOUND_KEYS = {name for name, (needed, _) in CALLS.items() if needed == RULE} | {
    "create_filter",
    "update_filter",
    "delete_filter",
}


def _configured(engine: Engine) -> None:
    with engine.configuring("x", {}):
        pass


def _stopped_and_resumed(engine: Engine) -> None:
    engine.stop_calls()
    engine.resume_calls()


def _first_of(engine: Engine) -> object:
    import asyncio

    async def first() -> object:
        return await anext(engine.stream_chat("x"))

    return asyncio.run(first())


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine(Settings(data=tmp_path_factory.mktemp("scopes") / "data")) as engine:
        yield engine


@pytest.fixture(scope="module")
def everything(house: Engine) -> str:
    return house.create_filter("everything", "", {}).id


def _refusal(engine: Engine, call: Call, scopes: frozenset[Scope], filter_id: str | None = None) -> str:
    """The code of the refusal; empty when the call is allowed, whatever else becomes of it."""
    try:
        call(engine.acting_for(Principal("k", "key", scopes, filter_id)))
    except ForbiddenError as error:
        return error.code
    except KnowgateError:
        pass
    return ""


def test_every_method_is_listed() -> None:
    public = {name for name, _ in inspect.getmembers(Engine) if not name.startswith("_")}
    assert public == set(CALLS) | OPEN
    assert OPEN.isdisjoint(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_without_its_scopes_a_method_is_refused(house: Engine, name: str) -> None:
    needed, call = CALLS[name]
    others: list[Scope] = ["read", "write", "apis"]
    for count in range(len(others) + 1):
        for scopes in combinations(others, count):
            if not needed <= set(scopes):
                assert _refusal(house, call, frozenset(scopes)) == "scope_missing", scopes


@pytest.mark.parametrize("name", CALLS)
def test_who_is_refused_is_written_down(house: Engine, everything: str, name: str) -> None:
    _, call = CALLS[name]
    log = house.settings.data / "audit" / "mcp-audit-current.log"
    house.stats()
    for code, scopes, bound in (("scope_missing", frozenset[Scope](), None), ("bound_key", RULE, everything)):
        before = len(log.read_bytes())
        if _refusal(house, call, scopes, bound):
            [line] = [each for each in log.read_bytes()[before:].splitlines() if f'"{code}"'.encode() in each]
            assert b'"key"' in line


@pytest.mark.parametrize("name", CALLS)
def test_with_its_scopes_a_method_is_allowed(house: Engine, name: str) -> None:
    needed, call = CALLS[name]
    assert _refusal(house, call, needed) == ""
    assert _refusal(house, call, RULE) == ""


@pytest.mark.parametrize("name", CALLS)
def test_a_bound_key_cannot_rule_the_house(house: Engine, everything: str, name: str) -> None:
    _, call = CALLS[name]
    for scopes in (RULE, frozenset[Scope]({"read", "write", "admin", "apis"})):
        refusal = _refusal(house, call, scopes, everything)
        assert refusal == ("bound_key" if name in NOT_FOR_BOUND_KEYS else ""), scopes


def test_a_filter_that_keys_are_bound_to_is_changed_by_those_who_give_out_keys(house: Engine) -> None:
    saved = house.create_filter("bound to", "", {})
    key, _ = house.create_key("bound", ["read"], filter_id=saved.id)
    calls: tuple[Call, ...] = (
        lambda engine: engine.update_filter(saved.id, query_data={}),
        lambda engine: engine.delete_filter(saved.id),
    )
    for call in calls:
        assert _refusal(house, call, BOTH) == "scope_missing"
    house.revoke_key(key.id)
    for call in calls:
        assert _refusal(house, call, BOTH) == ""
