"""Diagrams written as text: Mermaid, PlantUML, C4 and DOT."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from knowgate.knowledge.extract.draft import DECLARED, Draft
from knowgate.knowledge.extract.kinds import Kind, Verb, kind_of
from knowgate.knowledge.extract.verbs import verb_in

_FENCE = r"\s*(?:(?:```+|~~~+)\s*)?"
_FENCED = re.compile(_FENCE + r"\{?\s*(?:mermaid|plantuml|puml|dot|graphviz)\b", re.I)
_BEGINS = re.compile(
    _FENCE + r"(?:@start(?:uml|c4)|(?:flowchart|graph)\s+(?:TB|TD|BT|RL|LR)\b|(?:strict\s+)?(?:di)?graph\s*\w*\s*\{"
    r"|sequenceDiagram\b|classDiagram\b|erDiagram\b|stateDiagram|C4(?:Context|Container|Component|Dynamic|Deployment)\b)"
)
_OPENING = 200
_LONGEST_NAME = 3
_OF_CONCEPTS = re.compile(r"\b(?:classDiagram|erDiagram|stateDiagram)")
_DECLARED = re.compile(
    r"\s*(actor|participant|component|database|queue|node|cloud|interface|entity|class|boundary|control|collections"
    r"|rectangle|artifact|storage|usecase|service|state|enum)\s+(?:\"([^\"]+)\"|\[([^\]]+)\]|([\w.-]+))"
    r"(?:\s+as\s+\"?([^\"{}<#\n]+?)\"?)?\s*(?:<<[^>]*>>)?\s*(?:#\w+)?\s*\{?\s*$"
)
_C4_PART = re.compile(
    r"\s*(Person|System|Container|Component|Node|Deployment_Node)(Db|Queue)?(?:_Ext)?\(\s*(\w+)\s*,\s*\"([^\"]+)\""
)
_C4_LINK = re.compile(r"\s*(?:Bi)?Rel(?:_\w+)?\(\s*(\w+)\s*,\s*(\w+)\s*,\s*\"([^\"]*)\"")
_SHAPE = r"[\[({>]{1,3}[/\\]?(?:\"[^\"\n]*\"|[^\[\](){}\n\"]*)[/\\]?[\])}]{1,3}"
_NODE = rf"(?:\w+(?:[.-]\w+)*(?:{_SHAPE})?(?::::\w+)?|\"[^\"\n]+\"|\[[^\[\]\n]+\]|\([^()\n]+\))"
_NODES = re.compile(rf"\s*({_NODE}(?:\s*&\s*{_NODE})*)[ \t]*(?:\"[^\"\n]*\"[ \t]*(?=[-.<|}}o*]))?")
_ARROW = re.compile(
    r"[ \t]*((?:\|o|\|\||\}o|\}\|)(?:--|\.\.)(?:o\||\|\||o\{|\|\{)"
    r"|--[ ]+[^-|>\n]{1,60}[ ]+--+[>xo]?|==[ ]+[^=>\n]{1,60}[ ]+==+>|-\.[ ]+[^.\n]{1,60}[ ]+\.-+>"
    r"|(?:<\|?|\*|o(?=[-.]))?(?:[-.=~]+(?:\[[^\]\n]*\]|left|right|up|down)?[-.=~]*)(?:\|?>{1,2}|\)|\*|[xo](?=\s))?[+-]?)"
    r"[ \t]*(?:\|([^|\n]*)\||\"[^\"\n]*\"(?=\s*[\w\[]))?"
)
_WORDS_IN_ARROW = re.compile(r"[-=.]+\s+(.*?)\s+[-=.]+[>xo]?$")
_LABEL = re.compile(rf"(\w+(?:[.-]\w+)*)?({_SHAPE})?")
_MARKUP = re.compile(r"<[^<>]*>|\\n|[\[\](){}\"/\\]|^>")
_KEYWORDS = frozenset(
    "subgraph end direction classDef class style linkStyle click note Note loop alt else opt par and activate title"
    " deactivate skinparam autonumber rect hide show legend return group edge rankdir layout".split()
)
_CONCEPTS = ("actor", "entity", "class", "enum", "interface", "usecase", "state")
_KINDS: dict[str, Kind] = {
    "database": "database",
    "queue": "queue",
    "collections": "database",
    "storage": "database",
    **dict.fromkeys(_CONCEPTS, "concept"),
}
_DRAWN: dict[tuple[bool, bool], Verb] = {(True, False): "consumes", (False, True): "produces"}
"""What an arrow without words means, by whether a queue is at its beginning and at its end."""


@dataclass(slots=True)
class _Diagram:
    labels: dict[str, str] = field(default_factory=dict[str, str])
    kinds: dict[str, Kind] = field(default_factory=dict[str, Kind])
    links: list[tuple[str, str, str, int]] = field(default_factory=list[tuple[str, str, str, int]])


def is_diagram(text: str) -> bool:
    opening = text[:_OPENING].lstrip()
    return bool(_FENCED.match(opening)) or bool(_BEGINS.match(opening))


def read_diagram(draft: Draft, text: str, start: int, end: int) -> None:
    source = text[start:end]
    diagram = _Diagram()
    at = start
    for line in source.split("\n"):
        _read_line(diagram, line.split("%%")[0], at)
        at += len(line) + 1
    # Boxes of a class diagram are no parts of a system.
    usual: Kind = "concept" if _OF_CONCEPTS.search(source) else "service"
    kinds: dict[str, Kind] = {}
    for handle, label in diagram.labels.items():
        kind = diagram.kinds.get(handle) or kind_of(label)
        if kind in ("concept", "protocol") and handle not in diagram.kinds and _is_short(label):
            kind = usual
        kinds[handle] = kind
        draft.name_within(label, kind, text, start, end, DECLARED)
    for one, two, said, where in diagram.links:
        form = verb_in(said)
        verb, lemma = (
            (form.verb, form.lemma)
            if form
            else (_DRAWN.get((kinds[one] == "queue", kinds[two] == "queue"), "uses"), "")
        )
        # An arrow from a queue shows where its messages go.
        ends = (two, one) if verb == "consumes" and not form else (one, two)
        draft.link(diagram.labels[ends[0]], diagram.labels[ends[1]], verb, where, DECLARED, said, lemma=lemma)


def _read_line(diagram: _Diagram, line: str, at: int) -> None:
    if part := _C4_PART.match(line):
        sort: dict[str | None, Kind] = {"Db": "database", "Queue": "queue"}
        diagram.labels[part[3]] = part[4]
        diagram.kinds[part[3]] = "concept" if part[1] == "Person" else sort.get(part[2], "service")
    elif link := _C4_LINK.match(line):
        _link(diagram, [link[1]], [link[2]], link[3], at)
    elif declared := _DECLARED.match(line):
        _declare(diagram, declared)
    elif not (line.split() and line.split()[0] in _KEYWORDS):
        _read_chain(diagram, line, at)


def _declare(diagram: _Diagram, found: re.Match[str]) -> None:
    """`participant A as Long name` is Mermaid's order, `component "Long name" as A` is PlantUML's."""
    quoted, plain, other = found[2] or found[3], found[4], found[5]
    handle, label = (other or quoted, quoted) if quoted else (plain, other or plain)
    diagram.labels[handle.strip()] = _clean(label)
    if kind := _KINDS.get(found[1]):
        diagram.kinds[handle.strip()] = kind


def _read_chain(diagram: _Diagram, line: str, at: int) -> None:
    """Boxes with arrows between them: `a --> b[Label] & c --> d : words`."""
    left = _NODES.match(line)
    while left and (arrow := _ARROW.match(line, left.end())) and len(arrow[1]) > 1:
        right = _NODES.match(line, arrow.end())
        if not right:
            break
        words = _WORDS_IN_ARROW.match(arrow[1])
        rest = line[right.end() :].lstrip()
        said = arrow[2] or (words[1] if words else rest[1:].strip() if rest.startswith(":") else "")
        ends = _handles(diagram, left[1]), _handles(diagram, right[1])
        if not arrow[1].startswith("--") or ">>" not in arrow[1]:  # a dashed line back is an answer, no use
            one, two = ends[::-1] if arrow[1][0] == "<" and arrow[1][-1] != ">" else ends
            _link(diagram, one, two, said.strip('" '), at)
        left = right
    if left and re.search(_SHAPE, left[1]) and not line[left.end() :].strip(" ;"):
        _handles(diagram, left[1])


def _handles(diagram: _Diagram, said: str) -> list[str]:
    """What boxes are called in the diagram; their labels are noted."""
    found: list[str] = []
    for each in re.findall(_NODE, said):
        match = _LABEL.match(each)
        handle, shape = (match[1] or "", match[2] or "") if match else ("", "")
        label = _clean(shape or handle or each)
        handle = handle or label
        if label and (shape or handle not in diagram.labels):
            diagram.labels[handle] = label
            if shape.startswith("[("):
                diagram.kinds[handle] = "database"
        if handle:
            found.append(handle)
    return found


def _is_short(label: str) -> bool:
    """A name; longer labels are steps, conditions and remarks."""
    return len(label.split()) <= _LONGEST_NAME and "," not in label


def _clean(label: str) -> str:
    return " ".join(_MARKUP.sub(" ", label).split())


def _link(diagram: _Diagram, sources: list[str], targets: list[str], said: str, at: int) -> None:
    for one in sources:
        for two in targets:
            for each in (one, two):
                diagram.labels.setdefault(each, each)
            diagram.links.append((one, two, said[:120], at))
