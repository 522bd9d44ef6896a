"""Keys that are bound to a knowledge filter, in the hands of somebody who wants to see more.

Every document holds words that no other document has: in its name, title, headings, text, owner and fields. Whatever a
bound key asks of a real server, no answer may hold such a word, or an id, of anything outside of its filter.

One thing from outside is felt and accepted: how rare a word is counts over all documents, so a score inside may differ
from what it would be in a knowledge base that holds nothing else.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import orjson
import pytest
from pydantic import SecretStr
from tests.e2e.spies import FILTERS, TOPICS, House, Spy, haunted_house, spies
from tests.model_server import model_server

from knowgate import Engine
from knowgate.config.settings import Chat, Settings
from knowgate.model import Document, Principal

REQUESTS = 1000


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with haunted_house(tmp_path_factory.mktemp("leak") / "data") as house:
        yield house


@pytest.fixture
def open_spy(house: House) -> Iterator[Callable[..., Spy]]:
    with spies(house) as make:
        yield make


# What a spy tries.


def _question(lot: random.Random, spy: Spy) -> str:
    target, topic = lot.choice(spy.outside), lot.choice(TOPICS)
    bait = lot.choice(target.baits)
    return lot.choice(
        [
            bait,
            f"What is {bait}?",
            f'"{bait}"',
            f"{bait} {lot.choice(lot.choice(spy.outside).baits)}",
            f"How often is the {topic} called {target.words['text']} cleaned, and with what?",
            f"What is the {topic} of station {lot.randrange(60)} called?",
            f"why must the {topic} never run dry",
            f'"is cleaned every Monday" {topic}',
            f"report {target.document.name}",
            "and what about it?",
        ]
    )


def _narrowing(lot: random.Random, spy: Spy) -> dict[str, Any]:
    """Filters that try to be wider than the key's own."""
    target = lot.choice(spy.outside).document
    filters = lot.choice(
        [
            {},
            {name: ["*"] for name in ("data_sources", "document_types", "owners", "connector_types")},
            {"data_sources": [lot.choice([target.name, target.source, "outer/*", "*e*", "text:*"])]},
            {"document_types": [lot.choice([target.type, target.mime])]},
            {"owners": [target.owner]},
            {"connector_types": ["local", "url"]},
        ]
    )
    own = spy.principal.filter_id
    filter_id = lot.choice([None, None, own, own, lot.choice(spy.house.foreign["filters"])])
    return {name: value for name, value in (("filters", filters), ("filter_id", filter_id)) if value}


def _root(lot: random.Random) -> str:
    return lot.choice(["/api/v1", "/v1", "/api"])


def _search(lot: random.Random, spy: Spy, admin: httpx2.Client) -> int:
    asked: dict[str, Any] = {
        "query": lot.choice(["*", *(_question(lot, spy) for _ in range(4))]),
        "mode": lot.choice(["hybrid", "keyword", "vector", "naive", "local", "global"]),
        "limit": lot.choice([1, 3, 10, 1000]),
        "score_threshold": lot.choice([0, 0, 0, 0.3]),
        **_narrowing(lot, spy),
    }
    if lot.random() < 0.2:
        asked["limit"] = 1
        asked["cursor"] = admin.post("/api/v1/search", json=asked).json().get("cursor", "")
    found = spy.send("POST", f"{_root(lot)}/search", json=asked)
    if cursor := found.json().get("cursor"):
        spy.send("POST", f"{_root(lot)}/search", json={**asked, "cursor": cursor})
    return len(found.json().get("results", ()))


def _chat(lot: random.Random, spy: Spy, admin: httpx2.Client) -> int:
    asked = {"message": _question(lot, spy), "stream": lot.random() < 0.5, "limit": lot.choice([1, 4, 10])}
    asked |= _narrowing(lot, spy)
    chat_id = lot.choice([None, lot.choice(spy.chats) if spy.chats else None, lot.choice(spy.house.foreign["chats"])])
    if chat_id:
        asked["chat_id"] = chat_id
    spy.told += f" {asked['message']}"
    # Not even the words that were asked for are repeated.
    answer = spy.send("POST", f"{_root(lot)}/chat", json=asked)
    spy.chats += [id for id in re.findall(r'"chat_id":"(\w+)"', answer.text) if id not in spy.chats]
    return answer.text.count('"filename"')


def _conversations(lot: random.Random, spy: Spy, admin: httpx2.Client) -> int:
    own = [("GET", f"/chat/{id}") for id in spy.chats]
    foreign = lot.choice(spy.house.foreign["chats"])
    tries = [("GET", "/chat"), *own[-2:], ("GET", f"/chat/{foreign}"), ("DELETE", f"/chat/{foreign}")]
    method, path = lot.choice(tries)
    return spy.send(method, _root(lot) + path, echo=spy.told).text.count("content")


def _documents(lot: random.Random, spy: Spy, admin: httpx2.Client) -> int:
    target = lot.choice(spy.outside)
    query = lot.choice(["", "*", "report", "outer/*", "*/report.html", *target.baits, target.document.name])
    asked = {"query": query, "limit": lot.choice([1, 5, 1000])}
    if lot.random() < 0.3:
        asked["cursor"] = admin.get("/api/v1/documents", params={**asked, "limit": 1}).json()["cursor"]
    return len(spy.send("GET", f"{_root(lot)}/documents", params=asked).json()["documents"])


def _graph(lot: random.Random, spy: Spy, admin: httpx2.Client) -> int:
    bait = lot.choice([*lot.choice(spy.outside).baits, lot.choice(spy.outside).words["part"], "Hub"])
    path, params = lot.choice(
        [
            ("entities", {"query": lot.choice(["", bait, bait[:3], "e"]), "limit": lot.choice([1, 20, 1000])}),
            ("entities/search", {"query": lot.choice([bait, _question(lot, spy)]), "limit": 20}),
            ("relations", {"entity": bait}),
            ("relations", {"entity": lot.choice(["Hub", "u", bait[:4]]), "limit": 1000}),
            ("trace", {"entity": lot.choice(["Hub", bait]), "direction": lot.choice(["upstream", "downstream"])}),
            ("path", {"from": bait, "to": "Hub", "any_direction": lot.choice(["true", "false"])}),
            ("path", {"from": "Hub", "to": bait}),
            ("stats", {}),
            ("schema", {}),
        ]
    )
    if path == "entities" and lot.random() < 0.3:
        params["cursor"] = admin.get("/api/v1/graph/entities", params={"limit": 5}).json()["cursor"]
    answer = spy.send("GET", f"{_root(lot)}/graph/{path}", echo=" ".join(map(str, params.values())), params=params)
    found = answer.json()
    if path == "stats":
        parts = len(spy.inside)
        assert found["documents"] == parts
        assert sum(found["relation_types"].values()) == parts
        assert found["entities"] <= 1000
    if path == "relations" and answer.status_code == 200 and found["entity"]["name"] == "Hub":
        assert found["total"] == len(spy.inside)
        assert found["entity"]["documents"] == len(spy.inside)
    for change in ("merge", "rename", "alias", "forget"):
        body = {
            "merge": {"names": ["Hub"], "into": bait},
            "rename": {"name": "Hub", "to": bait},
            "forget": {"name": bait},
        }
        sent = body.get(change, {"name": "Hub", "alias": bait})
        assert spy.send("POST", f"{_root(lot)}/graph/{change}", echo=bait, json=sent).status_code == 403
    return len(found.get("entities", ())) if path == "entities" else 0


def _names(target: Document, lot: random.Random) -> str:
    ending = target.name.partition("/")[2]
    return lot.choice([target.name, target.id, target.source, ending, target.title, f"*{target.name}"])


def _document(lot: random.Random, spy: Spy, admin: httpx2.Client) -> int:
    name = _names(lot.choice(spy.outside).document, lot)
    answer = spy.send("GET", f"{_root(lot)}/documents/{name}", echo=name)
    assert answer.status_code == 404
    return spy.send("GET", f"{_root(lot)}/documents/{lot.choice(['report.md', 'report.html'])}").status_code == 409


def _delete(lot: random.Random, spy: Spy, admin: httpx2.Client) -> int:
    name = _names(lot.choice(spy.outside).document, lot)
    foreign = lot.choice([id for id in spy.house.foreign["filters"] if id != spy.principal.filter_id])
    method, path, body = lot.choice(
        [
            ("DELETE", f"/documents/{name}", None),
            ("DELETE", "/documents", {"filename": name}),
            ("DELETE", "/documents", {"filter_id": foreign}),
        ]
    )
    answer = spy.send(method, _root(lot) + path, echo=f"{name} {foreign}", json=body)
    assert answer.status_code in (403, 404)
    return 0


def _ingest(lot: random.Random, spy: Spy, admin: httpx2.Client) -> int:
    name, path = lot.choice(spy.outside).document.name, f"{_root(lot)}/documents/{lot.choice(['ingest', 'upload'])}"
    if lot.random() < 0.5:
        answer = spy.send("POST", path, json={"text": "Mine now.", "filename": name})
    else:
        flags = {"replace_duplicates": lot.choice(["true", "false"]), "create_filter": lot.choice(["true", "false"])}
        answer = spy.send("POST", path, files={"file": (name, b"Mine now.")}, data=flags)
    assert answer.status_code == 403
    return 0


def _tasks(lot: random.Random, spy: Spy, admin: httpx2.Client) -> int:
    assert spy.send("GET", f"{_root(lot)}/tasks").json() == {"tasks": []}
    id = lot.choice(spy.house.foreign["tasks"])
    method, path = lot.choice([("GET", ""), ("POST", "/cancel"), ("POST", "/retry")])
    assert spy.send(method, f"{_root(lot)}/tasks/{id}{path}", echo=id).status_code in (403, 404)
    return 0


def _filters(lot: random.Random, spy: Spy, admin: httpx2.Client) -> int:
    wide = {"filters": {"data_sources": ["*"]}}
    id = lot.choice([*spy.house.foreign["filters"], spy.principal.filter_id])
    method, path, body = lot.choice(
        [
            ("GET", f"/{id}", None),
            ("PUT", f"/{id}", {"queryData": wide}),
            ("DELETE", f"/{id}", None),
            ("POST", "", {"name": "mine", "queryData": wide}),
            ("POST", "/search", {"query": lot.choice(["", "by", "spy"])}),
        ]
    )
    answer = spy.send(method, f"{_root(lot)}/knowledge-filters{path}", echo=id, json=body)
    assert method in ("GET", "POST") or answer.status_code in (403, 404)
    return 0


def _rest(lot: random.Random, spy: Spy, admin: httpx2.Client) -> int:
    stats = spy.send("GET", f"{_root(lot)}/stats").json()
    passages = sum(each.document.chunks for each in spy.inside)
    assert stats == {"documents": len(spy.inside), "passages": passages, "pending": 0}
    method, path, body, status = lot.choice(
        [
            ("GET", "/api/v1/settings", None, 200),
            ("POST", "/api/v1/settings", {"system_prompt": "Tell all."}, 403),
            ("GET", "/api/v1/keys", None, 403),
            ("POST", "/api/v1/keys", {"name": "mine", "scopes": ["admin"]}, 403),
            ("DELETE", f"/api/v1/keys/{spy.principal.id}", None, 403),
            ("GET", "/metrics", None, 403),
        ]
    )
    assert spy.send(method, path, json=body).status_code == status
    return 0


ATTACKS = {
    _search: 34,
    _chat: 18,
    _conversations: 6,
    _documents: 12,
    _graph: 20,
    _document: 8,
    _delete: 6,
    _ingest: 5,
    _tasks: 4,
    _filters: 4,
    _rest: 3,
}


@pytest.fixture
def admin(house: House) -> Iterator[httpx2.Client]:
    _, secret = house.engine.create_key("admin", ["admin"])
    with httpx2.Client(base_url=house.url, timeout=60, headers={"Authorization": f"Bearer {secret}"}) as http:
        yield http


def test_who_is_not_bound_sees_all_there_is(house: House, admin: httpx2.Client) -> None:
    """Or the next test would find nothing to be found."""
    listed = admin.get("/api/v1/documents", params={"limit": 1000}).text
    passages = admin.post("/api/v1/search", json={"query": "*", "limit": 1000}).text
    graph = admin.get("/api/v1/graph/entities", params={"limit": 1000}).text.lower()
    for each in house.planted:
        for place, word in each.words.items():
            assert word in (
                passages if place in ("heading", "text", "secret") else graph if place == "part" else listed
            ), place
        [first, *_] = admin.post("/api/v1/search", json={"query": f"What is {each.words['secret']}?"}).json()["results"]
        assert first["document_id"] == each.document.id


def test_a_bound_key_reveals_nothing_outside_of_its_filter(
    house: House, open_spy: Callable[..., Spy], admin: httpx2.Client
) -> None:
    lot = random.Random(11)
    before = house.engine.documents(limit=1000)
    spies = [open_spy(name, "read", "write") for name in FILTERS] + [open_spy("by all", "admin")]
    seen: Counter[str] = Counter()
    for attack in lot.choices(list(ATTACKS), list(ATTACKS.values()), k=REQUESTS):
        seen[attack.__name__] += attack(lot, lot.choice(spies), admin)
    assert all(seen[kind] for kind in ("_search", "_chat", "_conversations", "_documents", "_document", "_graph")), seen
    assert house.engine.documents(limit=1000) == before
    assert {filter.id for filter in house.engine.filters()} >= set(house.foreign["filters"])
    assert {task.id for task in house.engine.tasks()} == set(house.foreign["tasks"])


def test_a_model_is_told_nothing_from_outside(house: House, open_spy: Callable[..., Spy]) -> None:
    lot = random.Random(13)
    spy = open_spy("by all", "read")
    with model_server() as model:
        chosen = Chat(provider="openai", model="small", base_url=model.base_url, api_key=SecretStr("k"))
        with Engine(Settings(data=house.engine.settings.data, chat=chosen)) as engine:
            caller = engine.acting_for(spy.principal)
            chat_id = ""
            for _ in range(12):
                question = _question(lot, spy)
                spy.told += question
                chat_id = caller.chat(question, chat_id=chat_id).chat_id
        told = orjson.dumps(model.requests).decode()
    assert "must never run dry" in told
    assert [word for word in spy.forbidden if word in told and word not in spy.told] == []


def test_a_changed_filter_hides_what_was_said_before(house: House) -> None:
    engine = house.engine
    saved = engine.create_filter("changing", "", {"filters": {"data_sources": ["outer/*"]}})
    key, _ = engine.create_key("changing", ["read"], filter_id=saved.id)
    caller = engine.acting_for(Principal(key.id, key.name, key.scopes, saved.id))
    said = caller.chat("Why must the pump never run dry?")
    assert caller.get_chat(said.chat_id).count == 2
    engine.update_filter(saved.id, query_data={"filters": {"data_sources": ["inner/*"]}})
    assert caller.chats().chats == ()
    assert all(hit.document.name.startswith("inner/") for hit in caller.search("pump").hits)
    engine.update_filter(saved.id, query_data={"filters": {"data_sources": ["outer/*"]}})
    assert [chat.id for chat in caller.chats().chats] == [said.chat_id]
