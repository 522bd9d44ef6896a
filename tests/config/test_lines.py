from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from knowgate.config.lines import Place, key_lines

DOCUMENT = '''\
# data = "not here"
data = "x"

docs = [
  "a",  # docs = ["nor here"]
  """
data = 1
[chunk]
""", 'b]',
]
embedder = { model = "m", "base url" = 'x', nested.deep = [1, { a = 1 }] }
"quoted.key" . part = 1979-05-27 07:32:00

[ chunk ]
tokens = 5
text = """one "" two\\"""
tokens = 9""""
raw = \'\'\'
[search]\'\'\'

["table \\u0041".'b']
x.y.z = true

[[list]]
a = 1
[[list]]
a = 2
[list.below]
b = 3
[[list.inner]]
c = 4
'''


def places(tree: Any, above: Place = ()) -> set[Place]:
    pairs: list[tuple[str | int, Any]] = []
    if isinstance(tree, dict):
        pairs = list(tree.items())
    elif isinstance(tree, list):
        pairs = list(enumerate(tree))
    found: set[Place] = set()
    for name, value in pairs:
        found |= {(*above, name)} | places(value, (*above, name))
    return found


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("data",), 2),
        (("docs",), 4),
        (("docs", 0), 5),
        (("docs", 1), 6),
        (("docs", 2), 9),
        (("embedder",), 11),
        (("embedder", "base url"), 11),
        (("embedder", "nested", "deep", 1, "a"), 11),
        (("quoted.key", "part"), 12),
        (("chunk",), 14),
        (("chunk", "tokens"), 15),
        (("chunk", "text"), 16),
        (("chunk", "raw"), 18),
        (("table A",), 21),
        (("table A", "b"), 21),
        (("table A", "b", "x", "y", "z"), 22),
        (("list",), 24),
        (("list", 0), 24),
        (("list", 0, "a"), 25),
        (("list", 1), 26),
        (("list", 1, "a"), 27),
        (("list", 1, "below", "b"), 29),
        (("list", 1, "inner", 0), 30),
        (("list", 1, "inner", 0, "c"), 31),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_way_to_write_a_key(place: Place, line: int, newline: str):
    assert key_lines(DOCUMENT.replace("\n", newline))[place] == line


def test_exactly_the_keys_of_the_document_are_found():
    assert set(key_lines(DOCUMENT)) == places(tomllib.loads(DOCUMENT))


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only a comment", "a=1", "a=''", "a=''''''", 'a=""""""', "[a]", "a=[]", "a={}"]
)
def test_short_documents(text: str):
    assert set(key_lines(text)) == places(tomllib.loads(text))


@pytest.mark.parametrize("text", ['a = ["', "a = [,", "a = {,", "= 1", "a = [#", "a =", "a = [[", "[[a"])
def test_what_is_not_toml_ends_too(text: str):
    with pytest.raises((ValueError, IndexError)):
        key_lines(text)


class Writer:
    """Writes a document and remembers on which line it put what."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.text = ""
        self.lines: dict[Place, int] = {}

    def note(self, place: Place) -> None:
        self.lines.setdefault(place, self.text.count("\n") + 1)

    def draw(self, *choices: str) -> str:
        return self.data.draw(st.sampled_from(choices))

    def filler(self) -> None:
        for _ in range(self.data.draw(st.integers(0, 2))):
            self.text += self.draw("\n", "  \n", "# data = 1\n", "\t# [chunk] ''' \"\"\" {[\n")

    def key(self, name: str) -> None:
        bare = name if name.isascii() and name.isalnum() else None
        literal = f"'{name}'" if "'" not in name else None
        self.text += self.draw(*(form for form in (bare, literal, json.dumps(name)) if form))

    def value(self, place: Place, depth: int) -> None:
        kind = self.draw("scalar", "array", "inline") if depth else "scalar"
        if kind == "scalar":
            self.text += self.draw(
                "1", "-0.5", "true", "1979-05-27 07:32:00", '"a = 1 # no"', "'[x] \\'", '"\\"] }"',
                '"""a = 1\n[b]\n\\"""""""',
                "'''\nc = [\n'''''", '"""\\\n  x"""',
            )  # fmt: skip
        elif kind == "array":
            self.text += "["
            for index in range(self.data.draw(st.integers(0, 3))):
                self.text += "," if index else ""
                self.filler()
                self.note((*place, index))
                self.value((*place, index), depth - 1)
                self.filler()
            self.text += self.draw("]", "\n  # ] end\n]")
        else:
            self.text += "{"
            for index, name in enumerate(self.names(2)):
                self.text += ", " if index else " "
                self.note((*place, name))
                self.key(name)
                self.text += " = "
                self.value((*place, name), 0)
            self.text += "}"

    def names(self, most: int) -> list[str]:
        names = st.sampled_from(["a", "b1", "data", "with space", "dot.ted", "ä", 'quo"te', "=", "#", "]"])
        return self.data.draw(st.lists(names, max_size=most, unique=True))

    def pairs(self, table: Place) -> None:
        for name in self.names(3):
            self.filler()
            self.text += self.draw("", "  ", "\t")
            place = (*table, name)
            self.note(place)
            start = self.lines[place]
            self.key(name)
            for part in self.names(2):
                self.text += self.draw(".", " . ")
                self.key(part)
                place = (*place, part)
                self.lines.setdefault(place, start)
            self.text += self.draw("=", " = ")
            self.value(place, 2)
            self.text += self.draw("\n", " # = 1\n")

    def document(self) -> None:
        self.pairs(())
        for number in range(self.data.draw(st.integers(0, 3))):
            self.filler()
            place: Place = (f"table{number}",)
            self.note(place)
            self.text += f"[table{number}"
            for part in self.names(2):
                self.text += self.draw(".", " . ")
                self.key(part)
                place = (*place, part)
                self.note(place)
            self.text += "]\n"
            self.pairs(place)
        for index in range(self.data.draw(st.integers(0, 3))):
            self.filler()
            self.note(("many",))
            self.note(("many", index))
            self.text += self.draw("[[many]]\n", "[[ 'many' ]] # [x]\n")
            self.pairs(("many", index))
            if self.data.draw(st.booleans()):
                self.note(("many", index, "under"))
                self.text += "[many.under]\n"
                self.pairs(("many", index, "under"))


@given(st.data())
def test_lines_are_those_where_keys_were_written(data: st.DataObject):
    writer = Writer(data)
    writer.document()
    try:
        tree = tomllib.loads(writer.text)
    except tomllib.TOMLDecodeError:  # the same name twice
        assume(False)
        raise
    assert key_lines(writer.text) == writer.lines
    assert set(writer.lines) == places(tree)
    assert key_lines(writer.text.replace("\n", "\r\n")) == writer.lines


@given(st.sampled_from(['"""', "'''"]), st.text(alphabet="\"'ab=[#\n"), st.integers(0, 2))
def test_quotes_inside_and_at_the_end_of_long_strings(quotes: str, body: str, more: int):
    body = body.replace(quotes, "").strip(quotes[0]) + quotes[0] * more
    text = f"a = {quotes}{body}{quotes} # b = 0\nb = 1\n"
    assert tomllib.loads(text) == {"a": body.removeprefix("\n"), "b": 1}
    assert key_lines(text) == {("a",): 1, ("b",): 2 + body.count("\n")}
