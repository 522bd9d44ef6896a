import pytest

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.data import read
from knowgate.knowledge.parse.reader import ParseOptions


def shown(text: str, name: str) -> list[tuple[str, str]]:
    parsed = read(text.encode(), name, ParseOptions())
    return [(each.kind, parsed.text[each.start : each.end]) for each in parsed.blocks]


def test_json_values_carry_their_paths():
    assert shown('{"name": "x", "on": true, "a": {"b": [{"c": 1}, {"c": null}], "d": ["p", "q"]}}', "a.json") == [
        ("text", "name: x\non: true"),
        ("heading", "a"),
        ("text", "a.b[1].c: 1\na.d: p, q"),
    ]


def test_records_stay_together():
    rows = ",".join(f'{{"id": {number}, "note": "{"word " * 40}"}}' for number in range(20))
    for _, text in shown(f"[{rows}]", "a.json"):
        assert text.count(".id: ") == text.count(".note: ") > 0


def test_json_lines():
    assert shown('{"a": 1}\n{"a": 2}\n', "a.jsonl") == [("text", "[1].a: 1\n[2].a: 2")]


def test_yaml_keeps_words_that_look_like_booleans():
    assert shown("on: push\nyes: no\n---\nsecond: 2024-01-01\n", "a.yaml") == [
        ("text", "on: push\nyes: no"),
        ("text", "second: 2024-01-01"),
    ]


def test_toml():
    assert shown('title = "T"\n[tool.x]\ny = 1\n', "a.toml") == [
        ("text", "title: T"),
        ("heading", "tool"),
        ("text", "tool.x.y: 1"),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [("// note\n{a: 1}", "a.json"), ("a: {{ template }}\n\tb", "a.yaml"), ("a =", "a.toml"), ('{"a":', "a.json")],
)
def test_what_cannot_be_loaded_is_read_as_it_stands(text: str, name: str):
    assert shown(text, name) == [("text", text)]


def test_long_paths_lose_their_middle():
    text = '{"a":' * 60 + '"deep"' + "}" * 60
    (_, line) = shown(text, "a.json")[-1]
    assert line.endswith(": deep")
    assert len(line) < 60


def test_too_many_values_are_refused():
    with pytest.raises(DocumentError) as caught:
        read(b"[" + b"1234567890," * 1_000 + b"1]", "a.json", ParseOptions(max_expanded_bytes=5_000))
    assert caught.value.code == "too_large"
