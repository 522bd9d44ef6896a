"""An assistant with an admin key says yes to itself, by way of a key that it makes for the purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from knowgate import Engine
from knowgate.errors import KnowgateError
from knowgate.guard.approvals import ApprovalNeeded
from knowgate.model import LOCAL, Scope

House = Callable[..., Engine]
Seen = Callable[[], list[dict[str, Any]]]
PET = {"name": "Tim"}
ELSEWHERE = "192.0.2.7"


def _with_key(engine: Engine, name: str, *scopes: Scope, by: Engine | None = None) -> Engine:
    """Somebody who calls over the network, with a key made by somebody, or at the terminal."""
    _, secret = (by or engine).create_key(name, scopes or ["admin"])
    return engine.acting_for(engine.rooms.keys.authenticate(secret), address=ELSEWHERE)


def _asks(engine: Engine) -> str:
    with pytest.raises(ApprovalNeeded) as asked:
        engine.run_operation("createPet", body=PET)
    return asked.value.approval.id


def _refused(approver: Engine, id: str) -> None:
    for channel in ("server", "cli", "elicitation"):
        with pytest.raises(KnowgateError) as refused:
            approver.give_approval(id, channel)
        assert refused.value.code == "not_the_approver"


def test_no_key_of_the_family_approves(house: House, seen: Seen) -> None:
    engine = house()
    mother = _with_key(engine, "mother")
    child = _with_key(engine, "child", by=mother)
    sister = _with_key(engine, "sister", by=mother)
    grandchild = _with_key(engine, "grandchild", by=child)
    for asker in (mother, child, grandchild):
        id = _asks(asker)
        for approver in (mother, child, sister, grandchild):
            _refused(approver, id)
    assert seen() == []


def test_a_key_made_after_the_question_does_not_answer_it(house: House, seen: Seen) -> None:
    engine = house()
    asker = _with_key(engine, "asker", "apis")
    id = _asks(asker)
    _refused(_with_key(engine, "late"), id)
    assert seen() == []


def test_the_local_user_of_the_server_is_no_way_around(house: House, seen: Seen) -> None:
    engine = house()
    over_the_network = engine.acting_for(LOCAL, address="127.0.0.1")
    made_there = _with_key(engine, "made there", by=over_the_network)
    _refused(made_there, _asks(engine))
    assert seen() == []


def test_another_key_from_the_terminal_approves(house: House, seen: Seen) -> None:
    engine = house()
    asker, boss = _with_key(engine, "asker"), _with_key(engine, "boss")
    assert boss.give_approval(_asks(asker), "server").state == "given"
    assert asker.run_operation("createPet", body=PET).status == 201
    assert len(seen()) == 1


def test_the_local_user_approves_at_the_terminal(house: House, seen: Seen) -> None:
    engine = house()
    asker = _with_key(engine, "asker")
    assert engine.give_approval(_asks(asker), "cli").state == "given"
    assert asker.run_operation("createPet", body=PET).status == 201
    assert len(seen()) == 1


def test_the_attempt_is_on_record(house: House) -> None:
    engine = house()
    asker = _with_key(engine, "asker")
    child = _with_key(engine, "child", by=asker)
    _refused(child, _asks(asker))
    record = engine.audit().records[0]
    assert record["tool"] == "knowgate_give_approval"
    assert record["principal"]["name"] == "child"
    assert record["response"]["error"] == "not_the_approver"
