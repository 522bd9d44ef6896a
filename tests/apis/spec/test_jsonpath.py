from __future__ import annotations

import pytest

from knowgate.apis.spec.jsonpath import find

PETS = [{"name": "cat", "x-old": True, "legs": 4}, {"name": "eel", "x-old": False}, {"name": "ant", "legs": 6}]
ROOT = {"paths": {"/a b": {"get": {"tags": ["x"]}, "post": {}}, "/c": {"get": {}}}, "pets": PETS, "it's": 1}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("$", [ROOT]),
        ("$.paths['/a b'].get.tags[0]", ["x"]),
        ('$["paths"]["/c"]', [{"get": {}}]),
        ("$['it\\'s']", [1]),
        ("$.paths.*.get", [{"tags": ["x"]}, {}]),
        ("$.paths[*]['get']", [{"tags": ["x"]}, {}]),
        ("$.pets[-1].name", ["ant"]),
        ("$.pets[7]", []),
        ("$..name", ["cat", "eel", "ant"]),
        ("$..tags[*]", ["x"]),
        ("$.pets[?@.x-old == true].name", ["cat"]),
        ("$.pets[?(@.x-old != true)].name", ["eel", "ant"]),
        ("$.pets[?@.x-old].name", ["cat", "eel"]),
        ("$.pets[?@['name']=='eel' || @.legs == 6].name", ["eel", "ant"]),
        ("$.pets[?@.legs == 4 && @.name == 'cat'].name", ["cat"]),
        ("$.paths.*[?@.tags[0] == 'x']", [{"tags": ["x"]}]),
        ("$..[?@.legs == 6].name", ["ant"]),
        ("$.nothing.here", []),
    ],
)
def test_paths_select(path: str, values: list[object]) -> None:
    assert [value for _, _, value in find(path, ROOT)] == values


@pytest.mark.parametrize("path", ["paths", "", "$.", "$[", "$x", "$.a[?@.b <> 3]", "$.a[?length(@.b) > 3]", "$[a]"])
def test_what_is_not_understood_is_told(path: str) -> None:
    with pytest.raises(ValueError, match=r"understood|begins"):
        find(path, ROOT)


def test_a_path_cannot_select_without_end() -> None:
    tree: dict[str, object] = {}
    for _ in range(100):
        tree = {"a": tree}
    with pytest.raises(ValueError, match="more than"):
        find("$..*..*..*..*", tree)
