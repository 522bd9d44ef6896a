from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from knowgate.apis.spec.overlay import apply_overlay
from knowgate.errors import DocumentError

SPEC: dict[str, Any] = {
    "info": {"title": "A"},
    "paths": {"/a": {"get": {"tags": ["x"]}, "post": {}}},
    "list": [1, 2, 3],
}


def overlaid(*actions: dict[str, Any]) -> tuple[Any, list[str]]:
    spec = deepcopy(SPEC)
    missed = apply_overlay(spec, {"overlay": "1.0.0", "info": {"title": "o", "version": "1"}, "actions": list(actions)})
    return spec, missed


def test_objects_are_merged_and_lists_grow() -> None:
    spec, missed = overlaid(
        {"target": "$.info", "update": {"title": "B", "contact": {"name": "me"}}},
        {"target": "$.paths.*.get", "update": {"tags": ["y"]}},
        {"target": "$.list", "update": 4},
        {"target": "$.list[0]", "update": 9},
    )
    assert spec["info"] == {"title": "B", "contact": {"name": "me"}}
    assert spec["paths"]["/a"]["get"]["tags"] == ["x", "y"]
    assert spec["list"] == [9, 2, 3, 4]
    assert missed == []


def test_removing_keeps_the_rest() -> None:
    spec, _ = overlaid({"target": "$.paths['/a'].post", "remove": True}, {"target": "$.list[?@ != 2]", "remove": True})
    assert list(spec["paths"]["/a"]) == ["get"]
    assert spec["list"] == [2]


def test_several_targets_do_not_share_what_they_are_given() -> None:
    spec, _ = overlaid(
        {"target": "$.paths['/a'].*", "update": {"more": {"a": 1}}},
        {"target": "$.paths['/a'].get", "update": {"more": {"b": 2}}},
    )
    assert spec["paths"]["/a"]["post"]["more"] == {"a": 1}


def test_targets_that_are_not_there_are_told() -> None:
    assert overlaid({"target": "$.nothing", "update": 1}) == (SPEC, ["/actions/0"])


@pytest.mark.parametrize(
    ("action", "place"),
    [
        ({"target": "nothing", "remove": True}, "/actions/0/target"),
        ({"target": 1}, "/actions/0"),
        ({"target": "$", "remove": True}, "/actions/0"),
    ],
)
def test_a_wrong_action_is_named(action: dict[str, Any], place: str) -> None:
    with pytest.raises(DocumentError, match=f"at {place}\\.") as caught:
        overlaid(action)
    assert caught.value.code == "overlay_invalid"


@pytest.mark.parametrize("overlay", [None, [], {"overlay": "2.0", "actions": []}, {"overlay": "1.0.0"}])
def test_what_is_no_overlay_is_refused(overlay: object) -> None:
    with pytest.raises(DocumentError):
        apply_overlay({}, overlay)
