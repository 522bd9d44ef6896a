"""`knowgate apis run` against a real service: what it says of answers that are easily misread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest
from tests.apis.service import service
from tests.cli.conftest import Ran

Cli = Callable[..., Ran]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with service() as url:
        yield url


@pytest.fixture
def run(cli: Cli, url: str) -> Cli:
    assert cli("apis", "add", "all", f"{url}/openapi.json", "--allow-private", "--data", "d").code == 0
    return lambda *arguments: cli("apis", "run", *arguments, "--data", "d")


def test_a_long_line_stays_one_line(run: Cli):
    assert run("huge", "--param", "size=25001").out == "x" * 25001 + "\n"


def test_text_is_printed_as_it_came(run: Cli):
    assert run("answerText").out == "Grüße aus der Küche\n"


def test_a_redirect_to_another_origin_is_no_success(run: Cli, url: str):
    away = run("redirectAway")
    assert away.code == 7
    port = url.rpartition(":")[2]
    assert f"redirect (302) to http://localhost:{port}/redirects/end that was not followed: it is another" in away.err


def test_a_redirect_after_a_post_says_where_to_look(run: Cli):
    assert run("redirectNowhere").code == 7
    assert "leads nowhere" in run("redirectNowhere").err
    end = run("redirectChain", "--param", "left=3")
    assert (end.code, end.json) == (0, {"arrived": True})


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_pause_that_an_api_asks_for_is_told(run: Cli, url: str, flags: tuple[str, ...]):
    import httpx2

    httpx2.delete(f"{url}/seen", timeout=60)
    answer = run("busy", "--param", "after=1", *flags)
    assert answer.code == 0
    told = "busy: answered with 429 and asked for a pause; trying again in 1 seconds.\n"
    assert (told in answer.err) is not bool(flags)


def test_what_would_be_right_is_said_as_it_is_typed(cli: Cli, examples: Path):
    assert cli("apis", "add", "shop", examples / "orders-api.yaml", "--data", "d").code == 0
    wrong = cli("apis", "run", "getOrder", "--data", "d", "--json")
    assert (wrong.code, orjson.loads(wrong.err)["code"]) == (2, "missing_argument")
    assert orjson.loads(wrong.err)["fix"].endswith("--data d apis run getOrder --param order_id=ord_2291")
    body = ("--body", '{"reason": "x"}')
    wrong = cli("apis", "run", "cancelOrder", "--param", "order_id=ord_1", *body, "--data", "d", "--json")
    assert """--param order_id=ord_1 --body '{"reason":"customer_asked"}'""" in orjson.loads(wrong.err)["fix"]
