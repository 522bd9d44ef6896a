"""Operations over REST, as the SDK asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from tests.apis.service import ITEMS, service

from knowgate.client import AsyncClient, Client
from knowgate.client.errors import ClientError


@pytest.fixture(scope="module")
def chosen() -> Iterator[dict[str, Any]]:
    with service() as address:
        yield {"apis": {"shop": {"spec": f"{address}/openapi.json", "allow_private": True}}}


def test_the_sdk_finds_describes_and_calls_operations(url: str):
    with Client("", base_url=url) as client:
        [api] = client.operations.apis()
        assert api.name == "shop"
        page = client.operations.list("echo the parameters", limit=3)
        assert "echoParameters" in [each.operation_id for each in page.operations]
        detail = client.operations.get("echoParameters")
        assert detail.item.method == "GET"
        answer = client.operations.run("echoParameters", {"name": "ada", "ids": [1, 2]}, fields=["name", "ids"])
        assert (answer.status, answer.data) == (200, {"name": "ada", "ids": [1, 2]})
        assert client.operations.run("listByLink", max_pages=5).data == ITEMS


def test_what_was_left_out_is_had_with_the_cursor(url: str):
    with Client("", base_url=url) as client:
        answer = client.operations.run("listWide")
        assert answer.cursor
        assert client.operations.more(answer.cursor).data[0]["id"] == len(answer.data["items"])


@pytest.mark.anyio
async def test_the_other_client_does_the_same(url: str):
    async with AsyncClient("", base_url=url) as client:
        assert [api.name for api in await client.operations.apis()] == ["shop"]
        assert (await client.operations.list(tag="lists", limit=100)).total == 9
        assert (await client.operations.get("createPet")).verdict == "ask"
        dry = await client.operations.run("createPet", body={"name": "Tom"}, dry_run=True)
        assert dry.dry_run
        with pytest.raises(ClientError) as caught:
            await client.operations.run("createPet", body={"name": "Tom"})
        assert caught.value.code == "approval_needed"


def test_refusals_have_their_codes(http: httpx2.Client):
    assert http.get("/api/v1/operations/nothing").json()["code"] == "operation_not_found"
    assert http.get("/api/v1/operations/more", params={"cursor": "a:0:"}).json()["code"] == "cursor_gone"
    assert http.post("/api/v1/operations/echoParameters/run", json={"paramters": {}}).status_code == 400
    missing = http.post("/api/v1/operations/echoParameters/run", json={})
    assert (missing.status_code, missing.json()["code"]) == (400, "missing_argument")


def test_the_environment_is_not_for_a_caller_to_choose(url: str, holding: Callable[..., httpx2.Client]):
    with Client("", base_url=url) as sdk, pytest.raises(ClientError) as caught:
        sdk.operations.run("echoParameters", {"name": "ada"}, environment="development")
    assert caught.value.code == "override_not_allowed"
    given = {"parameters": {"name": "ada"}, "environment": "development"}
    refused = holding("apis").post("/api/v1/operations/echoParameters/run", json=given)
    assert (refused.status_code, refused.json()["code"]) == (403, "override_not_allowed")


def test_a_key_needs_the_scope(holding: Callable[..., httpx2.Client]):
    assert holding("read", "write").get("/api/v1/operations").status_code == 403
    assert holding("apis").get("/api/v1/operations").status_code == 200
