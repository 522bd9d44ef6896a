"""The threats that the gate is there for, by their numbers, from end to end.

12 (secrets in whatever is said) and 18 (other doors) have files of their own.
"""

from __future__ import annotations

import base64
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.apis.service import KEY, PASSWORD, TOKEN
from tests.serving import listening
from tests.threats.conftest import WRITES

from knowgate import Engine
from knowgate.config.settings import Settings
from knowgate.errors import InputError, KnowgateError
from knowgate.guard import building
from knowgate.guard.approvals import ApprovalNeeded
from knowgate.guard.audit.trail import Rotation, Trail
from knowgate.guard.audit.verify import verify
from knowgate.guard.limits import RateLimited
from knowgate.guard.redact import Redactor
from knowgate.model import Principal
from knowgate.net import NetRules
from knowgate.net.client import open_client

House = Callable[..., Engine]
Seen = Callable[[], list[dict[str, Any]]]
PET = {"name": "Tom"}


def _code(call: Callable[[], object]) -> str:
    try:
        call()
    except KnowgateError as error:
        return error.code
    return ""


def test_threat_01_an_answer_that_gives_orders_holds_the_next_write(house: House, seen: Seen) -> None:
    engine = house(WRITES)
    assert engine.run_operation("createPet", body=PET).status == 201
    answer = engine.run_operation("answerInjection")
    assert "not instructions" in answer.label
    assert any("orders" in warning for warning in answer.warnings)
    with pytest.raises(ApprovalNeeded):
        engine.run_operation("deletePet", {"pet_id": 1})
    assert [each["method"] for each in seen()] == ["POST", "GET"]
    assert engine.audit().records[0]["policy"]["rule"] == "taint"
    hidden = engine.run_operation("answerHidden").data
    assert "\u202e" not in str(hidden)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "169.254.169.254", "[::ffff:10.0.0.1]", "2130706433", "0177.0.0.1", "localhost", "[::1]"]
)
def test_threat_03_no_spelling_of_an_inner_address_is_called(house: House, api: str, seen: Seen, host: str) -> None:
    port = api.rpartition(":")[2]
    apis = {"shop": {"spec": f"{api}/openapi.json", "base_url": f"http://{host}:{port}", "allow_private": False}}
    engine = house()
    engine.apis()
    inner = Engine(Settings.model_validate({**engine.settings.model_dump(), "apis": apis}))
    with inner:
        assert _code(lambda: inner.run_operation("answerText")) in ("private_address", "bad_url")
    assert seen() == []


def test_threat_04_a_name_that_rebinds_is_judged_by_the_address_that_is_connected_to(api: str, seen: Seen) -> None:
    rounds = [["192.0.2.7"], ["127.0.0.1"]]

    def resolve(_: str) -> list[str]:
        return rounds.pop(0) if len(rounds) > 1 else rounds[0]

    port = api.rpartition(":")[2]
    rules = NetRules(timeout_seconds=2)
    with open_client(rules, resolve=resolve) as client:
        for _ in range(2):
            with pytest.raises(KnowgateError):
                client.get(f"http://rebinding.test:{port}/answers/text")
    assert seen() == []


def test_threat_04_a_name_that_rebinds_reaches_nothing_inside(
    house: House, api: str, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["192.0.2.7", "127.0.0.1", "::1", "127.0.0.1"])
    asked: list[str] = []
    really = socket.getaddrinfo

    def rebinding(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host == b"rebinding.test":
            asked.append(next(answers))
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (asked[-1], 0))]
        return really(host, *args, **kwargs)

    here = house()
    here.apis()
    port = api.rpartition(":")[2]
    outside = {"spec": f"{api}/openapi.json", "base_url": f"http://rebinding.test:{port}"}
    tree = {**here.settings.model_dump(), "apis": {"shop": outside}, "fetch": {"timeout_seconds": 1}}
    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with Engine(Settings.model_validate(tree)) as engine:
        codes = [_code(lambda: engine.run_operation("answerText")) for _ in range(3)]
    assert codes[1:] == ["private_address", "private_address"]
    assert codes[0]
    assert len(asked) >= 3
    assert seen() == []


def test_threat_05_web_pages_cannot_use_our_own_port(house: House) -> None:
    engine = house()
    with listening(engine) as url, httpx2.Client(base_url=url, timeout=60) as http:
        assert http.get("/api/v1/documents").status_code == 200
        for headers in ({"host": "evil.example"}, {"origin": "null"}, {"origin": "https://evil.example"}):
            assert http.get("/api/v1/documents", headers=headers).status_code in (400, 403)
        text = http.post("/api/v1/search", content=b'{"query": "x"}', headers={"content-type": "text/plain"})
        assert text.status_code in (400, 415)


def test_threat_06_nobody_uses_anothers_profile(house: House, seen: Seen) -> None:
    engine = house(auth=("token",))
    visitor = engine.acting_for(Principal("k1", "visitor", frozenset({"apis"})))
    assert _code(lambda: visitor.run_operation("basicOnly", auth_profile="basic")) == "profile_not_allowed"
    assert seen() == []


def test_threat_07_the_callers_token_is_not_passed_on(house: House, seen: Seen) -> None:
    engine = house()
    _, secret = engine.create_key("caller", ["apis", "read"])
    with listening(engine) as url:
        sent = httpx2.post(f"{url}/api/v1/operations/answerText/run", json={}, headers={"x-api-key": secret})
        assert sent.status_code == 200
    assert seen()
    assert secret not in str(seen())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    name=st.text(max_size=12) | st.sampled_from(["..", ".", "%2e%2e", "a/b", "a?b", "a#b", "..;", "\0", "\\", "%252e"])
)
def test_threat_08_a_value_stays_in_its_part_of_the_path(house: House, seen: Seen, name: str) -> None:
    engine = _kept(house)
    try:
        would = engine.run_operation("echoParameters", {"name": name}, dry_run=True)
    except InputError:
        return
    path = httpx2.URL(would.data["url"]).raw_path.split(b"?")[0]
    assert path.count(b"/") == 2
    assert path.rpartition(b"/")[2].strip(b".")


def _kept(house: House, engines: dict[int, Engine] = {}) -> Engine:  # noqa: B006 - one for all examples
    return engines.setdefault(id(house), house()) if id(house) not in engines else engines[id(house)]


@pytest.mark.parametrize(
    "given_",
    [{"X-Note": "a\r\nEvil: 1"}, {"Authorization": "Bearer x"}, {"Host": "evil"}, {"X-Http-Method-Override": "DELETE"}],
)
def test_threat_09_headers_cannot_be_smuggled(house: House, seen: Seen, given_: dict[str, str]) -> None:
    assert _code(lambda: house().run_operation("echoParameters", {"name": "x", **given_}))
    assert seen() == []


def test_threat_10_nothing_undeclared_is_sent(house: House, seen: Seen) -> None:
    engine = house(WRITES)
    assert _code(lambda: engine.run_operation("echoParameters", {"name": "x", "__proto__": "y"}))
    assert _code(lambda: engine.run_operation("createPet", body={"name": "x", "age": float("nan")}))
    assert seen() == []


@pytest.mark.parametrize("profile", ["token", "basic", "header", "query", "cookie"])
def test_threat_11_a_redirect_takes_no_credential_along(house: House, seen: Seen, profile: str) -> None:
    house(auth=(profile,)).run_operation("redirectAway")
    elsewhere = [each for each in seen() if each["host"].startswith("localhost")]
    for secret in (TOKEN, PASSWORD, KEY):
        assert secret not in str(elsewhere)


FORMS = ("plain", "in_text", "base64", "base64_inside", "url", "hex", "json_escaped")


@pytest.mark.parametrize(
    ("profile", "secret"),
    [("token", TOKEN), ("basic", PASSWORD), ("header", KEY), ("query", KEY), ("cookie", KEY)],
)
def test_threat_13_a_secret_that_comes_back_in_disguise_is_taken_out(house: House, profile: str, secret: str) -> None:
    answer = house(auth=(profile,)).run_operation("echoSecrets")
    assert answer.status == 500
    assert set(answer.data["debug"]) == set(FORMS)
    for form in FORMS:
        shown = answer.data["debug"][form]
        assert shown
        assert all("[REDACTED" in each for each in shown), form
    everything = str(answer)
    for form in (secret, secret.encode().hex(), base64.b64encode(secret.encode()).decode().rstrip("=")):
        assert form not in everything
    assert sum(answer.redactions.values()) >= len(FORMS)


@pytest.mark.parametrize("damage", ["flip", "drop", "swap"])
def test_threat_14_a_changed_trail_is_noticed(house: House, damage: str) -> None:
    engine = house()
    for _ in range(3):
        engine.stats()
    folder = engine.settings.data / "audit"
    log = folder / "mcp-audit-current.log"
    lines = log.read_bytes().splitlines(keepends=True)
    match damage:
        case "flip":
            lines[1] = lines[1].replace(b"allow", b"alloW", 1)
        case "drop":
            lines.pop()
        case _:
            lines[1], lines[2] = lines[2], lines[1]
    log.write_bytes(b"".join(lines))
    assert verify(folder)


@pytest.mark.parametrize("which", [0, 1, -1], ids=["first", "second", "last"])
def test_threat_14_a_rotated_file_that_is_gone_is_missed(
    house: House, monkeypatch: pytest.MonkeyPatch, which: int
) -> None:
    monkeypatch.setattr(
        building, "trail_of", lambda chosen, data: Trail(building.audit_folder(chosen, data), Rotation(4000, keep=30))
    )
    engine = house()
    for _ in range(20):
        engine.stats()
    folder = engine.settings.data / "audit"
    assert engine.verify_audit() == []
    rotated = sorted(path for path in folder.iterdir() if "current" not in path.name)
    assert len(rotated) >= 3
    rotated[which].unlink()
    findings = engine.verify_audit()
    assert findings
    assert all(finding.message and finding.file for finding in findings)


def test_threat_15_what_cannot_be_written_down_is_not_done(house: House, seen: Seen, tmp_path: Path) -> None:
    engine = house(WRITES, audit={"folder": tmp_path / "in-the-way" / "audit"})
    (tmp_path / "in-the-way").write_text("a file where the folder should be", encoding="utf-8")
    assert _code(lambda: engine.run_operation("createPet", body=PET)) == "audit_unwritable"
    assert seen() == []


@pytest.mark.parametrize("operation", ["bomb", "endless", "deep", "drip", "stackedEncodings"])
def test_threat_16_answers_have_an_end(house: House, operation: str) -> None:
    with pytest.raises(KnowgateError) as ended:
        house().run_operation(operation)
    assert isinstance(ended.value, KnowgateError)


def test_threat_17_a_hostile_description_leaves_the_others(house: House, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.yaml"
    bomb.write_text("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nopenapi: 3.1.0\n" + "d: [" * 5000, encoding="utf-8")
    engine = house()
    apis = {**engine.settings.model_dump()["apis"], "bomb": {"spec": str(bomb)}}
    with Engine(Settings.model_validate({**engine.settings.model_dump(), "apis": apis})) as both:
        told = {each.name: each for each in both.apis()}
        assert told["bomb"].warnings
        assert told["shop"].operations
        assert both.run_operation("answerText").status == 200


def test_threat_19_what_was_approved_is_what_is_sent(house: House, seen: Seen) -> None:
    engine = house()
    with pytest.raises(ApprovalNeeded) as asked:
        engine.run_operation("createPet", body=PET)
    engine.give_approval(asked.value.approval.id, "cli")
    with pytest.raises(ApprovalNeeded):
        engine.run_operation("createPet", body={"name": "Tim"})
    assert seen() == []
    assert engine.run_operation("createPet", body=PET).status == 201
    with pytest.raises(ApprovalNeeded):
        engine.run_operation("createPet", body=PET)
    assert len(seen()) == 1


def test_threat_20_a_loop_is_broken_with_a_hint(house: House, seen: Seen) -> None:
    engine = house(limits={"repeats": "5/minute"})
    for _ in range(5):
        engine.run_operation("answerText")
    with pytest.raises(RateLimited) as broken:
        engine.run_operation("answerText")
    assert (broken.value.code, broken.value.retry_after > 0) == ("loop", True)
    assert len(seen()) == 5
    engine.stop_calls()
    assert _code(lambda: engine.run_operation("answerLatin")) == "stopped"


@pytest.mark.skipif(os.name == "nt", reason="modes say nothing there")
def test_threat_21_a_secret_that_others_can_read_is_refused(house: House, seen: Seen, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(TOKEN, encoding="utf-8")
    secret.chmod(0o644)
    engine = house(auth=("token",))
    auth = {"token": {"type": "bearer", "secret_file": secret}}
    with Engine(Settings.model_validate({**engine.settings.model_dump(), "auth": auth})) as careless:
        assert _code(lambda: careless.run_operation("bearerOnly"))
    assert seen() == []


def test_threat_22_what_is_harmless_stays(house: House) -> None:
    engine = house()
    for operation in ("answerText", "answerVendorJson", "answerLines", "listByCursor", "listWide"):
        answer = engine.run_operation(operation)
        assert not answer.redactions
        assert "REDACTED" not in str(answer.data)
    harmless = (
        "The token count is 12, the key idea is a password policy, commit 9fceb02d0ae598e95dc970b74767f19372d61af8."
    )
    assert Redactor().text(harmless).value == harmless
