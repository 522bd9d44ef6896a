"""A house full of words that stand in one document only, and spies with keys to a part of it."""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from tests.serving import listening

from knowgate import Engine
from knowgate.config.settings import Server, Settings
from knowgate.model import Document, Principal

TOPICS = ("pump", "boiler", "turbine", "valve", "crane", "furnace")
GROUPS = {
    (True, True, True): 24,
    (False, True, True): 9,
    (True, False, True): 9,
    (True, True, False): 9,
    (False, False, False): 9,
}
"""How many documents lie within the filters by name, by type and by owner."""
FILTERS: dict[str, dict[str, list[str]]] = {
    "by name": {"data_sources": ["inner/*"]},
    "by type": {"document_types": ["markdown"]},
    "by owner": {"owners": ["ann"]},
    "by all": {"data_sources": ["inner/*"], "document_types": ["text/markdown"], "owners": ["ann"]},
    "emptied": {"data_sources": []},
    "deleted": {"data_sources": ["inner/*"]},
}


@dataclass(frozen=True)
class Planted:
    document: Document
    words: dict[str, str]
    """Found nowhere else, by where they stand. The one called `secret` is never sent."""
    inside: tuple[bool, bool, bool]

    @property
    def baits(self) -> list[str]:
        return [word for place, word in self.words.items() if place != "secret"]


@dataclass
class House:
    engine: Engine
    url: str
    planted: list[Planted]
    filters: dict[str, str]
    """Ids by name."""
    foreign: dict[str, list[str]]
    """What belongs to others, by what it is."""


@dataclass
class Spy:
    """Somebody with a bound key, who knows much about what he cannot see."""

    name: str
    principal: Principal
    http: httpx2.Client
    house: House
    inside: list[Planted]
    outside: list[Planted]
    chats: list[str] = field(default_factory=list[str])
    told: str = ""
    """All that he has said in chats."""

    def __post_init__(self) -> None:
        words = {word for each in self.outside for word in (*each.words.values(), each.document.id)}
        foreign = {id for kind in self.house.foreign.values() for id in kind}
        self.forbidden = sorted(words | foreign - {self.principal.id, self.principal.filter_id or ""})

    def send(self, method: str, path: str, echo: str = "", **what: Any) -> httpx2.Response:
        """`echo` is what the answer may repeat, because it was sent."""
        answer = self.http.request(method, path, **what)
        assert answer.status_code < 500, (self.name, method, path, what, answer.text)
        leaked = [word for word in self.found_in(answer) if word not in echo.lower()]
        assert not leaked, (self.name, method, path, what, leaked, answer.text)
        return answer

    def found_in(self, answer: httpx2.Response) -> list[str]:
        cursors = [base64.urlsafe_b64decode(each) for each in re.findall(r'"cursor":"([\w=-]+)"', answer.text)]
        shown = f"{answer.text} {answer.headers} {cursors}".lower()
        return [word for word in self.forbidden if word in shown]


def _word(lot: random.Random) -> str:
    return "".join(lot.choice("bdfgklmnprtvz") + lot.choice("aeiou") for _ in range(6))


def _plant(engine: Engine, lot: random.Random, number: int, inside: tuple[bool, bool, bool]) -> Planted:
    by_name, by_type, by_owner = inside
    words = {place: _word(lot) for place in ("name", "title", "heading", "text", "secret", "field", "part")}
    name = f"{'inner' if by_name else 'outer'}/{words['name']}/report.{'md' if by_type else 'html'}"
    topic = TOPICS[number % len(TOPICS)]
    text = (
        f"The {topic} of station {number} is called {words['text']}. It is cleaned every Monday with {words['secret']}."
        f" The {words['part'].capitalize()} service calls the Hub service."
    )
    if by_type:
        page = (
            f"---\ntitle: Report {words['title']}\nauthor: {words['field']}\n---\n\n# About the {topic}\n\n{text}\n\n"
            f"## Care {words['heading']}\n\nThe {topic} must never run dry, or it breaks within the hour.\n"
        )
    else:
        page = (
            f"<html><head><title>Report {words['title']}</title><meta name='author' content='{words['field']}'></head>"
            f"<body><h1>About the {topic}</h1><p>{text}</p><h2>Care {words['heading']}</h2>"
            f"<p>The {topic} must never run dry, or it breaks within the hour.</p></body></html>"
        )
    owner = "ann"
    if not by_owner:
        owner = words["owner"] = _word(lot)
    engine.submit_contents([(name, page.encode())], owner=owner)
    for task in engine.interrupted():
        engine.rooms.ingest.bring_in(task.id, lambda _: None)
        engine.rooms.tasks.finish(task.id)
    return Planted(engine.document(name), words, inside)


def _sees(name: str, planted: Planted) -> bool:
    by_name, by_type, by_owner = planted.inside
    seen = {"by name": by_name, "by type": by_type, "by owner": by_owner, "by all": all(planted.inside)}
    return seen.get(name, False)


@contextmanager
def haunted_house(data: Path) -> Iterator[House]:
    lot = random.Random(7)
    unlimited = Server(rate="off", chat_rate="off", ingest_rate="off")
    groups = [group for group, many in GROUPS.items() for _ in range(many)]
    with Engine(Settings(data=data, server=unlimited)) as engine:
        planted = [_plant(engine, lot, number, inside) for number, inside in enumerate(groups)]
        engine.embed_pending()
        filters = {name: engine.create_filter(name, "", {"filters": kept}).id for name, kept in FILTERS.items()}
        other = engine.create_filter(_word(lot), _word(lot), {"filters": {"data_sources": ["outer/*"]}})
        key, _ = engine.create_key(_word(lot), ["admin"])
        asked = [_word(lot) for _ in range(3)]
        foreign = {
            "tasks": [task.id for task in engine.tasks()],
            "chats": [engine.chat(f"What is the {word} of the pump of station 7?").chat_id for word in asked],
            "filters": [*filters.values(), other.id],
            "others": [other.name, other.description, key.name, key.id, *asked],
        }
        with listening(engine, workers=True) as url:
            yield House(engine, url, planted, filters, foreign)


@contextmanager
def spies(house: House) -> Iterator[Callable[..., Spy]]:
    """Makes one with a key that is bound to a filter."""
    opened: list[httpx2.Client] = []

    def make(name: str, *scopes: str) -> Spy:
        engine = house.engine
        filter_id = house.filters[name]
        if name == "deleted":
            filter_id = engine.create_filter(name, "", {"filters": FILTERS[name]}).id
        _, secret = engine.create_key(f"spy {name}", scopes, filter_id=filter_id)
        if name == "deleted":
            engine.delete_filter(filter_id)
        opened.append(httpx2.Client(base_url=house.url, timeout=60, headers={"X-API-Key": secret}))
        inside = [each for each in house.planted if _sees(name, each)]
        outside = [each for each in house.planted if not _sees(name, each)]
        return Spy(name, engine.rooms.keys.authenticate(secret), opened[-1], house, inside, outside)

    yield make
    for http in opened:
        http.close()
