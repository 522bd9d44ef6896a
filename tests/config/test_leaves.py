from __future__ import annotations

from pathlib import Path

import pytest

from knowgate.config.leaves import Leaf, Table, leaves, nodes
from knowgate.config.load import load
from knowgate.config.settings import Settings
from knowgate.config.sources import RESERVED
from knowgate.config.values import env_text

BY_KEY = {leaf.key: leaf for leaf in leaves()}


def flat(tree: dict[str, object], above: str = "") -> set[str]:
    keys: set[str] = set()
    for name, value in tree.items():
        keys |= flat(value, f"{above}{name}.") if isinstance(value, dict) else {above + name}
    return keys


def test_every_field_of_the_models_is_a_leaf():
    assert set(BY_KEY) == flat(Settings().model_dump())


def test_top_level_leaves_come_before_the_first_table():
    depths = [len(leaf.path) for leaf in leaves()]
    assert depths == sorted(depths)


def test_each_table_is_followed_by_its_own_leaves():
    table = ""
    for node in nodes():
        if isinstance(node, Table):
            table = node.key
            assert node.description.endswith(".")
        elif isinstance(node, Leaf):
            assert node.key.rpartition(".")[0] == table
        else:
            assert node.key.rpartition(".")[0] in ("", table)


def test_environment_names_are_distinct_and_not_reserved():
    names = [leaf.env for leaf in leaves()]
    assert len(set(names)) == len(names)
    assert not set(names) & set(RESERVED)
    assert BY_KEY["embedder.api_key"].env == "KNOWGATE_EMBEDDER_API_KEY"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("data", "a path"),
        ("docs", "a list, each item a path"),
        ("chunk.tokens", "a whole number from 32 to 2000"),
        ("parse.timeout_seconds", "a number from 0.1 to 3600"),
        ("parse.ocr", "true or false"),
        ("store.sync", "one of normal, full"),
        ("embedder.dimension", "a whole number from 1 to 16384"),
        ("embedder.query_prefix", "text"),
        ("embedder.model", "text that is not empty"),
        ("embedder.base_url", "an http:// or https:// address without user name and password"),
        ("ingest.exclude", "a list, each item text that is not empty"),
    ],
)
def test_what_a_value_must_be_in_words(key: str, expected: str):
    assert BY_KEY[key].expected == expected


@pytest.mark.parametrize("leaf", leaves(), ids=lambda leaf: leaf.key)
def test_every_example_is_itself_right(leaf: Leaf, tmp_path: Path):
    named = dict.fromkeys(("OPENAI_API_KEY", "OPENSEARCH_PASSWORD", "OPENSEARCH_API_KEY", "OPENSEARCH_TOKEN"), "sk-1")
    login = {"KNOWGATE_STORE_USER": "ann", "KNOWGATE_STORE_PASSWORD": "sk-1"}
    together = login if leaf.env in login else {}
    environ = {**together, leaf.env: env_text(leaf.example), **named}
    assert str(load(environ=environ, cwd=tmp_path).origins[leaf.key]) == f"env {leaf.env}"
