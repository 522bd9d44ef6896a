from __future__ import annotations

import os
from pathlib import Path

import orjson
import pytest

from knowgate.apis.opening import Wanted, open_apis
from knowgate.errors import NetworkError

SPEC = orjson.dumps(
    {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "servers": [{"url": "https://shop.example"}],
        "paths": {"/orders": {"get": {"operationId": "listOrders", "responses": {}}}},
    }
)
URL = "https://shop.example/openapi.json"


def unreachable(_: str) -> bytes:
    raise NetworkError("unreachable", "The network is down.", "Try later.")


def test_files_are_read_and_overlaid(tmp_path: Path):
    (tmp_path / "shop.json").write_bytes(SPEC)
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(
        "overlay: 1.0.0\ninfo: {title: x, version: '1'}\n"
        "actions:\n  - target: $.paths['/orders'].get\n    update: {summary: All orders}\n",
        encoding="utf-8",
    )
    opened = open_apis([Wanted("shop", str(tmp_path / "shop.json"), unreachable, (overlay,))], tmp_path / "apis")
    [entry] = opened.catalogue.list()
    assert entry.summary == "All orders"
    assert opened.catalogue.apis["shop"].servers[0].url == "https://shop.example"
    assert opened.problems == {"shop": ()}


def test_a_fetched_description_is_asked_for_once_a_day(tmp_path: Path):
    asked: list[str] = []

    def fetch(url: str) -> bytes:
        asked.append(url)
        return SPEC

    for _ in range(3):
        assert open_apis([Wanted("shop", URL, fetch)], tmp_path).catalogue.list()
    assert asked == [URL]
    [copy] = tmp_path.glob("*.spec")
    os.utime(copy, (0, 0))
    open_apis([Wanted("shop", URL, fetch)], tmp_path)
    assert asked == [URL, URL]


def test_an_old_copy_is_better_than_none(tmp_path: Path):
    open_apis([Wanted("shop", URL, lambda _: SPEC)], tmp_path)
    [copy] = tmp_path.glob("*.spec")
    os.utime(copy, (0, 0))
    opened = open_apis([Wanted("shop", URL, unreachable)], tmp_path)
    assert opened.catalogue.list()
    assert "An older copy is used" in opened.problems["shop"][0]


@pytest.mark.parametrize(
    ("spec", "problem"), [("nowhere.yaml", "cannot be read"), ("broken.yaml", "openapi"), (URL, "network is down")]
)
def test_one_that_cannot_be_opened_is_told_and_the_others_work(tmp_path: Path, spec: str, problem: str):
    (tmp_path / "shop.json").write_bytes(SPEC)
    (tmp_path / "broken.yaml").write_text("hello: world", encoding="utf-8")
    place = spec if spec == URL else str(tmp_path / spec)
    wanted = [Wanted("bad", place, unreachable), Wanted("shop", str(tmp_path / "shop.json"), unreachable)]
    opened = open_apis(wanted, tmp_path / "apis")
    assert [entry.api for entry in opened.catalogue.list()] == ["shop"]
    assert problem in opened.problems["bad"][0]
