"""Our own description of the REST door, and whether the door keeps to it whatever is sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from tests.serving import listening

from knowgate import Engine
from knowgate.config.settings import Server, Settings
from knowgate.doors.rest.app import create_app

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory, examples: Path) -> Iterator[Engine]:
    unlimited = Server(rate="off", chat_rate="off", ingest_rate="off")
    with Engine(Settings(data=tmp_path_factory.mktemp("fuzzed") / "data", server=unlimited)) as engine:
        engine.ingest([examples / "refund-policy.md"])
        yield engine


@pytest.fixture(scope="module")
def url(engine: Engine) -> Iterator[str]:
    with listening(engine) as url:
        yield url


@pytest.fixture(scope="module")
def session(engine: Engine) -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.headers["X-API-Key"] = engine.create_key("fuzzer", ["admin"])[1]
        yield session


# What is described depends on no data: nothing is opened here.
described = schemathesis.openapi.from_dict(create_app(Engine()).openapi())


@described.parametrize()
@settings(max_examples=20, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
def test_it_keeps_to_its_description(case: schemathesis.Case, url: str, session: requests.Session) -> None:
    case.call_and_validate(base_url=url, session=session, checks=CHECKS, timeout=60)


@described.include(path_regex=r"/\{(chat_id|task_id|filter_id|key_id|filename)\}").parametrize()
@settings(max_examples=3, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
def test_and_so_it_does_for_what_is_there(
    case: schemathesis.Case, url: str, session: requests.Session, engine: Engine
) -> None:
    case.path_parameters = {name: MAKE[name](engine, case.path) for name in case.path_parameters}
    case.call_and_validate(base_url=url, session=session, checks=CHECKS, timeout=60)


def _chat(engine: Engine, _: str) -> str:
    fuzzer = next(key for key in engine.rooms.keys.list() if key.name == "fuzzer")
    return engine.rooms.chats.start(fuzzer.id, "Hello").id


def _task(engine: Engine, path: str) -> str:
    task = engine.submit(["https://a.invalid/page"]).id
    return task if path.endswith("/cancel") else engine.cancel(task).id


def _document(engine: Engine, _: str) -> str:
    return engine.ingest(text="# Hours\n\nWe open at nine.", filename="hours.md").sources[0]


MAKE = {
    "chat_id": _chat,
    "task_id": _task,
    "filename": _document,
    "filter_id": lambda engine, _: engine.create_filter("Made up", "", {}).id,
    "key_id": lambda engine, _: engine.create_key("made up", ["read"])[0].id,
}
