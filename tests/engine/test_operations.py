"""Operations of a real service on loopback, for callers with and without permission."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.apis.service import ITEMS, KEY, PASSWORD, TOKEN, USER, service

from knowgate import Engine
from knowgate.config.settings import Settings
from knowgate.errors import ForbiddenError, InputError, KnowgateError, LimitError, NetworkError, NotFoundError
from knowgate.guard.approvals import ApprovalNeeded
from knowgate.guard.policy import Policy
from knowgate.model import Principal

Open = Callable[..., Engine]
OPEN = "version: 1\ndefaults: {require_auth: false, allow_methods: [GET, POST, PUT, PATCH, DELETE]}\n"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with service() as address:
        yield address


@pytest.fixture
def open_engine(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    httpx2.delete(f"{url}/seen", timeout=60)
    opened: list[Engine] = []
    for name, value in {"T": TOKEN, "P": PASSWORD, "K": KEY}.items():
        monkeypatch.setenv(f"SERVICE_{name}", value)

    def open_(policy: str = "", **api: Any) -> Engine:
        tree: dict[str, Any] = {
            "data": tmp_path / "data",
            "fetch": {"timeout_seconds": 30, "max_mb": 5},
            "apis": {"shop": {"spec": f"{url}/openapi.json", "allow_private": True, **api}},
            "auth": {
                "token": {"type": "bearer", "secret_env": "SERVICE_T"},
                "basic": {"type": "basic", "user": USER, "secret_env": "SERVICE_P"},
                "header": {"type": "api_key", "header": "X-API-Key", "secret_env": "SERVICE_K"},
                "query": {"type": "api_key", "query": "api_key", "secret_env": "SERVICE_K"},
                "cookie": {"type": "api_key", "cookie": "api_session", "secret_env": "SERVICE_K"},
            },
        }
        if policy:
            (tmp_path / "policy.yaml").write_text(policy, encoding="utf-8")
            tree["policy"] = {"file": tmp_path / "policy.yaml"}
        opened.append(Engine(Settings.model_validate(tree)))
        return opened[-1]

    yield open_
    for engine in opened:
        engine.close()


def seen(url: str) -> list[dict[str, Any]]:
    return httpx2.get(f"{url}/seen", timeout=60).json()


def test_apis_are_listed_and_a_broken_one_does_not_hurt_the_others(open_engine: Open, tmp_path: Path):
    engine = open_engine()
    broken = tmp_path / "broken.yaml"
    broken.write_text("openapi: 9", encoding="utf-8")
    apis = {
        **engine.settings.apis,
        "broken": engine.settings.apis["shop"].model_copy(update={"spec": str(broken)}),
        "gone": engine.settings.apis["shop"].model_copy(update={"spec": str(tmp_path / "gone.yaml")}),
    }
    with Engine(engine.settings.model_copy(update={"apis": apis})) as other:
        found = {api.name: api for api in other.apis()}
        assert found["shop"].title == "Everything"
        assert found["shop"].operations > 40
        assert "is of version" in found["broken"].warnings[0] or "which is not known" in found["broken"].warnings[0]
        assert "cannot be read" in found["gone"].warnings[0]
        assert other.operations(api="shop").total == found["shop"].operations


def test_a_key_is_not_told_where_descriptions_lie_nor_what_is_kept_from_it(tmp_path: Path, url: str):
    spec = {"openapi": "3.0.3", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": url}]}
    answers = {"responses": {"200": {"description": "ok"}}}
    paths = {
        "/pets": {"get": {"operationId": "listPets", **answers}},
        "/pay": {"get": {"operationId": "pay", **answers}},
    }
    (tmp_path / "shop.json").write_text(json.dumps({**spec, "paths": paths}), encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(OPEN + "rules: [{name: pay, deny: {operations: [pay]}}]\n", encoding="utf-8")
    tree = {
        "data": tmp_path / "data",
        "apis": {
            "far": {"spec": f"{url}/openapi.json", "allow_private": True},
            "gone": {"spec": str(tmp_path / "gone.json")},
            "shop": {"spec": str(tmp_path / "shop.json")},
        },
        "policy": {"file": tmp_path / "policy.yaml"},
    }
    with Engine(Settings.model_validate(tree)) as engine:
        assert next(each for each in engine.apis() if each.name == "shop").source == str(tmp_path / "shop.json")
        for scopes in (frozenset({"apis"}), frozenset({"admin"})):
            found = {each.name: each for each in engine.acting_for(Principal("k", "k", scopes)).apis()}
            assert str(tmp_path) not in repr(found)
            assert found["far"].source == f"{url}/openapi.json"
            assert "cannot be used" in found["gone"].warnings[0]
            assert found["shop"].operations == 1


def test_a_fetched_description_is_kept_and_used_when_its_server_is_gone(tmp_path: Path):
    with service() as address:
        settings = Settings.model_validate(
            {"data": tmp_path, "apis": {"shop": {"spec": f"{address}/openapi.json", "allow_private": True}}}
        )
        with Engine(settings) as engine:
            total = engine.operations().total
    with Engine(settings) as engine:
        assert engine.operations().total == total > 0


def test_operations_are_listed_in_pages_and_narrowed(open_engine: Open):
    engine = open_engine()
    page = engine.operations(limit=10)
    following = engine.operations(limit=10, cursor=page.cursor)
    assert len(page.operations) == len(following.operations) == 10
    assert {*page.operations}.isdisjoint(following.operations)
    assert {each.method for each in engine.operations(method="delete").operations} == {"DELETE"}
    assert {each.tags for each in engine.operations(tag="lists", limit=100).operations} == {("lists",)}
    with pytest.raises(InputError, match="not one of ours"):
        engine.operations(cursor="!")


@pytest.mark.parametrize(
    ("request_", "expected"),
    [("create a pet", "createPet"), ("remove a pet", "deletePet"), ("upload a file", "uploadFile")],
)
def test_operations_are_found_by_what_they_do(open_engine: Open, request_: str, expected: str):
    found = open_engine(OPEN).operations(request_).operations
    assert expected in [each.operation_id for each in found[:3]]


def test_an_api_is_a_document_that_search_and_graph_know(open_engine: Open):
    engine = open_engine()
    engine.operations("pets")
    [document] = engine.documents().documents
    assert (document.name, document.source, document.type) == ("shop (API)", "api:shop", "api")
    hits = engine.search("echoParameters", mode="keyword").hits
    assert "GET /parameters/{name}" in hits[0].chunk.text
    assert engine.entities("/bodies/json").entities


def test_what_the_policy_never_allows_is_not_listed_nor_described(open_engine: Open):
    engine = open_engine(OPEN + "rules:\n  - name: no pets\n    deny: {operations: ['*Pet']}\n")
    listed = {each.operation_id for each in engine.operations(limit=200).operations}
    assert "seen" not in listed
    assert "echoParameters" in listed
    assert not {"createPet", "deletePet"} & listed
    with pytest.raises(ForbiddenError, match="does not let"):
        engine.describe_operation("createPet")


def test_what_the_policy_never_allows_is_not_told_elsewhere(open_engine: Open):
    engine = open_engine(OPEN + "rules:\n  - name: no pets\n    deny: {operations: ['*Pet']}\n")
    engine.operations("pets")
    with pytest.raises(NotFoundError) as caught:
        engine.describe_operation("createPets")
    assert "createPet" not in caught.value.fix.replace("createPets", "")
    [document] = engine.documents().documents
    passages = " ".join(each.text for each in engine.passages(document))
    assert "Operation: echoParameters" in passages
    for text in (
        passages,
        repr([hit.chunk for hit in engine.search("create a pet", limit=100).hits]),
        repr([hit.chunk for hit in engine.search("*", limit=100).hits]),
        repr([hit.chunk for hit in engine.search("pets", mode="local", limit=100).hits]),
        repr(engine.chat("How is a pet created?").sources),
        repr(engine.entities(limit=1000)),
        repr(list(engine.graph_pages())),
    ):
        assert "createPet" not in text
        assert "/pets" not in text


def test_a_description_is_not_for_who_may_not_call(open_engine: Open):
    engine = open_engine()
    engine.ingest(text="# Pets\n\nPets are fed at noon.", filename="pets.md")
    engine.operations("pets")
    reader = engine.acting_for(Principal("k", "reader", frozenset({"read"})))
    assert [each.name for each in reader.documents().documents] == ["pets.md"]
    assert reader.stats().documents == 1
    for found in (reader.search("create a pet").hits, reader.chat("How is a pet created?").sources):
        assert {hit.document.name for hit in found} <= {"pets.md"}
    assert "/bodies/json" in repr(engine.entities(limit=1000))
    assert "/bodies/json" not in repr(reader.entities(limit=1000))
    with pytest.raises(NotFoundError):
        reader.document("shop (API)")
    caller = engine.acting_for(Principal("k", "caller", frozenset({"read", "apis"})))
    assert len(caller.documents().documents) == 2


def test_passages_that_are_older_than_the_description_are_not_shown_while_a_policy_hides_some(
    open_engine: Open, monkeypatch: pytest.MonkeyPatch
):
    engine = open_engine(OPEN + "rules:\n  - name: no pets\n    deny: {operations: ['*Pet']}\n")
    engine.operations("pets")
    assert engine.search("echoParameters", mode="keyword").hits
    monkeypatch.setattr("knowgate.engine.finding.RECIPE", "another")
    assert not engine.search("echoParameters", mode="keyword").hits


def test_the_local_user_may_name_an_environment(open_engine: Open):
    rules = "rules:\n  - {name: dev, conditions: [{environment: dev}], deny: {operations: [echoParameters]}}\n"
    engine = open_engine(OPEN + rules)
    assert engine.run_operation("echoParameters", {"name": "ada"}).status == 200
    with pytest.raises(ForbiddenError, match="rule dev"):
        engine.run_operation("echoParameters", {"name": "ada"}, environment="dev")
    away = engine.acting_for(engine.principal, address="10.0.0.7")
    with pytest.raises(ForbiddenError) as caught:
        away.run_operation("echoParameters", {"name": "ada"}, environment="test")
    assert caught.value.code == "override_not_allowed"
    assert engine.audit().records[0]["response"]["error"] == "override_not_allowed"


def test_a_description_has_all_that_a_call_needs(open_engine: Open, url: str):
    engine = open_engine()
    detail = engine.describe_operation("replacePet")
    assert detail.url == f"{url}/bodies/json/{{pet_id}}"
    assert detail.arguments["required"] == ["pet_id", "body"]
    assert detail.verdict == "ask"
    assert engine.describe_operation("echoParameters").verdict == "allow"
    assert engine.run_operation("replacePet", detail.example, dry_run=True).dry_run


def test_an_unknown_operation_names_the_nearest(open_engine: Open):
    with pytest.raises(NotFoundError, match="createPet") as caught:
        open_engine().run_operation("createPets")
    assert caught.value.code == "operation_not_found"


def test_a_read_is_answered_with_its_data_and_a_label(open_engine: Open, url: str):
    answer = open_engine().run_operation("echoParameters", {"name": "ada", "ids": [1, 2], "q": "x y"})
    assert answer.status == 200
    assert answer.data == {"name": "ada", "ids": [1, 2], "q": "x y", "trace": "", "session": ""}
    assert answer.url == f"{url}/parameters/ada?ids=1&ids=2&q=x%20y"
    assert answer.label.startswith(f"Data from {url}")


def test_a_write_waits_for_a_person_by_default(open_engine: Open, url: str):
    engine = open_engine()
    with pytest.raises(ApprovalNeeded) as caught:
        engine.run_operation("createPet", body={"name": "Tom"})
    assert seen(url) == []
    engine.rooms.approvals.give(caught.value.approval.id, engine.principal, "cli")
    assert engine.run_operation("createPet", body={"name": "Tom"}).status == 201
    with pytest.raises(ApprovalNeeded):
        engine.run_operation("createPet", body={"name": "Tom"})


def test_a_dry_run_sends_nothing_and_shows_the_command(open_engine: Open, url: str):
    engine = open_engine(auth=["token"])
    answer = engine.run_operation("createPet", body={"name": "Tom"}, dry_run=True)
    assert seen(url) == []
    assert answer.dry_run
    assert answer.status == 0
    assert answer.data["auth_profile"] == "token"
    assert "Authorization: Bearer ***" in answer.curl
    assert json.loads(answer.data["body"]) == {"name": "Tom"}


@pytest.mark.parametrize(
    ("operation", "profile"),
    [
        ("bearerOnly", "token"),
        ("basicOnly", "basic"),
        ("keyInHeader", "header"),
        ("keyInQuery", "query"),
        ("keyInCookie", "cookie"),
    ],
)
def test_the_profile_that_an_operation_asks_for_is_used(open_engine: Open, operation: str, profile: str):
    engine = open_engine(auth=["token", "basic", "header", "query", "cookie"])
    answer = engine.run_operation(operation)
    assert (answer.status, answer.data["welcome"]) == (200, True)
    with pytest.raises(ForbiddenError) as caught:
        open_engine(auth=["token"]).run_operation(operation, auth_profile=profile if profile != "token" else "basic")
    assert caught.value.code == "profile_not_allowed"


def test_echoed_credentials_never_come_back(open_engine: Open):
    engine = open_engine(auth=["token"])
    answer = engine.run_operation("echoSecrets", auth_profile="token")
    assert answer.status == 500
    assert answer.redactions["CREDENTIAL"] >= 5
    assert TOKEN not in repr(answer)


def test_our_secrets_are_not_sent_as_arguments(open_engine: Open, url: str):
    engine = open_engine(auth=["token"])
    with pytest.raises(ForbiddenError) as caught:
        engine.run_operation("echoParameters", {"name": f"look: {TOKEN}"})
    assert caught.value.code == "secret_in_arguments"
    assert seen(url) == []


def test_private_addresses_need_the_apis_consent(open_engine: Open, url: str):
    open_engine().operations()  # now the description is kept
    engine = open_engine(allow_private=False)
    with pytest.raises(ForbiddenError, match=r"apis.shop") as caught:
        engine.run_operation("echoParameters", {"name": "x"})
    assert caught.value.code == "private_address"
    assert seen(url) == []


def test_nobody_is_asked_about_a_call_that_cannot_be_sent(open_engine: Open, url: str, monkeypatch: pytest.MonkeyPatch):
    open_engine().operations()  # now the description is kept
    monkeypatch.delenv("SERVICE_T")
    for engine, code in (
        (open_engine(allow_private=False), "private_address"),
        (open_engine(auth=["token"]), "credential_missing"),
    ):
        with pytest.raises(ForbiddenError) as caught:
            engine.run_operation("createPet", body={"name": "Tom"})
        assert caught.value.code == code
        assert engine.rooms.approvals.list() == []
        assert engine.run_operation("createPet", body={"name": "Tom"}, dry_run=True).dry_run
    assert seen(url) == []


def test_pages_are_united_and_fields_projected(open_engine: Open):
    answer = open_engine().run_operation("listByLink", fields=["id"], max_pages=5)
    assert answer.data == [{"id": each["id"]} for each in ITEMS]


def test_what_does_not_fit_is_had_with_the_cursor(open_engine: Open):
    engine = open_engine()
    answer = engine.run_operation("listWide")
    items = list(answer.data["items"])
    cursor = answer.cursor
    assert "of 1000 items at /items" in answer.left_out
    while cursor:
        more = engine.more_of(cursor)
        items += more.data
        cursor = more.cursor
    assert [each["id"] for each in items] == list(range(1000))
    stranger = engine.acting_for(Principal("k", "key", frozenset({"apis"})))
    with pytest.raises(NotFoundError):
        stranger.more_of(answer.cursor)


def test_bytes_are_handed_out_in_base64(open_engine: Open):
    import base64

    engine = open_engine()
    answer = engine.run_operation("answerImage")
    assert answer.data["mime"] == "image/png"
    more = engine.more_of(answer.cursor)
    assert base64.b64decode(more.data["base64"]).startswith(b"\x89PNG")
    assert more.cursor == ""


def test_a_redirect_is_followed_only_where_the_policy_allows_it(open_engine: Open, url: str):
    assert open_engine().run_operation("redirectChain").data == {"arrived": True}
    engine = open_engine(OPEN + "rules:\n  - name: no\n    pattern: '*/redirects/end'\n    deny: {all: true}\n")
    httpx2.delete(f"{url}/seen", timeout=60)
    assert engine.run_operation("redirectChain").status == 302
    assert [each["path"] for each in seen(url)] == ["/redirects/chain"]


def test_a_policy_may_only_let_it_be_tried(open_engine: Open, url: str):
    engine = open_engine(OPEN + "rules:\n  - name: try\n    dry_run: {methods: [POST]}\n")
    answer = engine.run_operation("createPet", body={"name": "Tom"})
    assert answer.dry_run
    assert seen(url) == []


@pytest.mark.parametrize(
    ("operation", "kind"),
    [("bomb", LimitError), ("deep", LimitError), ("cut", NetworkError), ("stackedEncodings", NetworkError)],
)
def test_bad_answers_are_typed_errors(open_engine: Open, operation: str, kind: type[KnowgateError]):
    with pytest.raises(kind):
        open_engine().run_operation(operation)


def test_every_call_is_on_the_trail(open_engine: Open):
    engine = open_engine()
    engine.run_operation("echoParameters", {"name": "Zsófia"})
    with pytest.raises(ApprovalNeeded):
        engine.run_operation("createPet", body={"name": "Tom"})
    text = "".join(path.read_text() for path in (engine.settings.data / "audit").glob("*.log"))
    assert "echoParameters" in text
    assert "approval_needed" in text
    assert "Zs" not in text


def test_an_api_without_a_server_is_listed_and_tells_what_it_needs(tmp_path: Path):
    paths: dict[str, Any] = {"/orders": {"get": {"operationId": "listOrders", "responses": {}}}}
    spec = tmp_path / "shop.json"
    spec.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": paths}))
    settings = Settings.model_validate({"data": tmp_path / "data", "apis": {"shop": {"spec": str(spec)}}})
    with Engine(settings) as engine:
        assert engine.operations().total == 1
        assert engine.describe_operation("listOrders").url == "/orders"
        with pytest.raises(InputError, match="base_url"):
            engine.run_operation("listOrders")


def test_what_reached_the_api_is_suggested_for_a_policy_and_nothing_else(open_engine: Open):
    engine = open_engine()
    engine.run_operation("echoParameters", {"name": "x"})
    engine.run_operation("listByPage", dry_run=True)
    suggested = engine.suggest_policy()
    assert "- echoParameters" in suggested
    assert "listByPage" not in suggested
    assert engine.check_policy(Policy.from_text(suggested)) == []
