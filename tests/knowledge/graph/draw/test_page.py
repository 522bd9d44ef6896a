from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
import statistics
import subprocess
from base64 import b64encode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from knowgate.knowledge.graph.draw.page import page
from knowgate.model import Entity, Passage, Relation

LAYOUT = Path(__file__).parents[4] / "src/knowgate/knowledge/graph/draw/web/layout.js"


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open = False
        self.found: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), []))
        self.open = True

    def handle_endtag(self, tag: str) -> None:
        self.open = False

    def handle_data(self, data: str) -> None:
        if self.open:
            self.found[-1][2].append(data)

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attrs, "".join(texts)) for name, attrs, texts in self.found if name == tag]


def data(text: str) -> dict[str, Any]:
    (block,) = [content for attrs, content in Elements(text).all("script") if attrs.get("id") == "graph"]
    return json.loads(block)


def test_the_data_survives(entities: list[Entity], relations: list[Relation]):
    graph = data(page(entities, relations))
    assert graph["entities"][0][0] == "orders"
    assert {each[0]: each[2] for each in graph["entities"]} == {each.name: each.description for each in entities}
    source, target, type, description, passages = next(each for each in graph["relations"] if each[2] == "USES")
    assert (graph["entities"][source][0], graph["entities"][target][0]) == ("orders", "order-db")
    assert (type, description) == ("USES", "reads and writes")
    assert [graph["passages"][each] for each in passages] == ["Orders > Flow, page 3, guides/orders.md"]


def test_no_text_becomes_an_element(entities: list[Entity], relations: list[Relation]):
    hostile = page(entities, relations)
    assert [name for name, _, _ in Elements(hostile).found] == [name for name, _, _ in Elements(page([], [])).found]
    assert "{{" not in re.sub(r"<script>.*?</script>", "", hostile, flags=re.DOTALL)


def test_what_looks_like_a_place_to_fill_stays():
    assert data(page([Entity("{{script}}", "T")], []))["entities"][0][0] == "{{script}}"


def test_the_policy_lets_only_our_own_script_and_style_run(entities: list[Entity], relations: list[Relation]):
    found = Elements(page(entities, relations))
    policy = next(attrs["content"] or "" for attrs, _ in found.all("meta") if attrs.get("http-equiv"))
    (script,) = [content for attrs, content in found.all("script") if "type" not in attrs]
    ((_, style),) = found.all("style")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for name, text in (("script-src", script), ("style-src", style)):
        assert rules[name] == f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_it_asks_for_nothing_from_outside():
    text = page([], [])
    assert not re.findall(r"https?://|//[a-z]+\.|@import|url\(|fetch\(|XMLHttpRequest|innerHTML|eval\(", text)
    assert not [attrs for _, attrs, _ in Elements(text).found if "src" in attrs or "href" in attrs]


def node(program: str) -> Any:
    if not shutil.which("node"):
        pytest.skip("the layout runs under node, which is not installed")
    layout = json.dumps(LAYOUT.read_text(encoding="utf-8"))
    start = f"const {{place, step}} = new Function({layout} + '; return {{place, step}}')();"
    run = subprocess.run(["node", "-e", start + program], capture_output=True, text=True, check=True, timeout=600)
    return json.loads(run.stdout)


GRAPH = """
const nodes = [], links = [];
function build(count, pairs) {
  for (let index = 0; index < count; index++) { const one = {index, degree: 1}; place(one, index); nodes.push(one); }
  for (const [a, b] of pairs) {
    links.push({source: nodes[a], target: nodes[b]}); nodes[a].degree++; nodes[b].degree++;
  }
  for (let round = 0, heat = 1; round < 300; round++, heat *= 0.985) step(nodes, links, heat);
}
"""
PLACES = "console.log(JSON.stringify(nodes.map(({x, y}) => [x, y])));"


def test_what_is_related_lies_closer():
    pairs = [[a, b] for group in (0, 5) for a in range(group, group + 5) for b in range(a + 1, group + 5)]
    places = node(GRAPH + f"build(10, {pairs}); {PLACES}")
    apart = {(a, b): math.dist(places[a], places[b]) for a in range(10) for b in range(a + 1, 10)}
    related = [apart[a, b] for a, b in pairs]
    others = [apart[a, b] for a in range(5) for b in range(5, 10)]
    assert statistics.mean(related) < 0.75 * statistics.mean(others)


def test_many_find_a_place_of_their_own():
    pairs = [[index, index // 3] for index in range(1, 2000)]
    places = node(GRAPH + f"build(2000, {pairs}); {PLACES}")
    assert len({(round(x), round(y)) for x, y in places}) > 1900
    assert all(abs(x) < 20_000 and abs(y) < 20_000 for x, y in places)


def test_two_in_the_same_place_part():
    program = (
        "const nodes = [0, 1].map((index) => ({index, degree: 1, x: 5, y: 5, vx: 0, vy: 0}));"
        "step(nodes, [], 1); console.log(JSON.stringify(nodes[0].x < nodes[1].x));"
    )
    assert node(program) is True


def test_a_held_one_stays_where_it_is():
    program = (
        "const nodes = [0, 1].map((index) => ({index, degree: 1, x: index, y: 0, vx: 0, vy: 0, held: !index}));"
        "step(nodes, [], 1); console.log(JSON.stringify([nodes[0].x, nodes[0].y]));"
    )
    assert node(program) == [0, 0]


def test_in_a_browser(tmp_path: Path, entities: list[Entity], relations: list[Relation]):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("there is no browser")
    many = [Entity(f"service {number}", "SERVICE") for number in range(300)]
    path = tmp_path / "graph.html"
    passage = Passage("c", "d", "a.md")
    links = [Relation("orders", each.name, "USES", passages=(passage,)) for each in many]
    path.write_text(page([*entities, *many], [*relations, *links]), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command = [browser, *options, "--virtual-time-budget=1000", "--dump-dom", path.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
    assert "120 of 304 entities" in shown
    assert "SERVICE" in shown
