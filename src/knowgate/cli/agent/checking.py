"""`mrapids-agent validate`, `test` and `policy test`."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knowgate.cli.agent.folder import ConfigDir, ConfigFile, find_folder, read_folder
from knowgate.cli.agent.process import ask, running
from knowgate.cli.agent.reach import not_ready
from knowgate.cli.agent.settings import load_settings
from knowgate.cli.sizes import counted
from knowgate.doors.rpc.agent import AgentEngine
from knowgate.errors import InputError, KnowgateError

if TYPE_CHECKING:
    from knowgate.apis.opening import Opened

policy_app = typer.Typer(help="The rules.")
_INVALID = 7
_NOT_LET_IN = 2003


def validate(
    policy_only: Annotated[bool, typer.Option("--policy-only", help="Only the policy.")] = False,
    spec_only: Annotated[bool, typer.Option("--spec-only", help="Only the API's description.")] = False,
    config: ConfigFile = None,
    config_dir: ConfigDir = None,
) -> None:
    """Look for what is wrong in the agent's files. Exit code 7 when something is."""
    mrapids = read_folder(config_dir, config)
    with AgentEngine(mrapids, load_settings(mrapids)) as engine:
        opened = engine.rooms.apis
        problems = [] if policy_only else _spec_problems(opened)
        problems += [] if spec_only else _policy_problems(engine.settings.policy.file, opened)
        count = len(opened.catalogue.list())
        warnings = [] if policy_only or spec_only else not_ready(engine, mrapids.folder)
    for each in (*problems, *warnings):
        typer.echo(each, err=True)
    if problems:
        raise typer.Exit(_INVALID)
    typer.echo(f"Valid: {counted(count, 'operation')}")


def test(
    list_: Annotated[bool, typer.Option("--list", help="List the operations.")] = False,
    operation: Annotated[str, typer.Option("--operation", metavar="ID", help="Call this one.")] = "",
    params: Annotated[str, typer.Option("--params", metavar="JSON", help="Its arguments.")] = "{}",
    auth_profile: Annotated[str, typer.Option("--auth-profile", metavar="NAME", help="With these credentials.")] = "",
    port: Annotated[int | None, typer.Option("--port", help="Where the agent listens, if not where it says.")] = None,
    config: ConfigFile = None,
    config_dir: ConfigDir = None,
) -> None:
    """Ask the agent that runs, as an assistant would."""
    import orjson

    if bool(operation) == list_:
        raise InputError("usage", "What is to be tested?", "Give either --list or --operation.")
    url = _address(config_dir, config, port)
    if list_:
        told = ask(url, "tools/list", {}, _key())
        for each in told.get("result", {}).get("operations", ()):
            typer.echo(f"{each['operation_id']}  {each['method']} {each['path']}  {each['summary']}")
    else:
        try:
            parameters: object = orjson.loads(params)
        except orjson.JSONDecodeError as error:
            raise InputError("bad_params", f"--params is not JSON: {error}.", """Write '{"id": 1}'.""") from None
        call = {"operation_id": operation, "parameters": parameters}
        told = ask(url, "tools/run", {**call, **({"auth_profile": auth_profile} if auth_profile else {})}, _key())
        if result := told.get("result"):
            typer.echo(orjson.dumps(result, option=orjson.OPT_INDENT_2).decode())
    if refused := told.get("error") or told.get("result", {}).get("error"):
        # Whoever is not let in at all is told so in the door's own form.
        said: dict[str, Any] = {"code": _NOT_LET_IN, "message": refused} if isinstance(refused, str) else refused
        typer.echo(f"Error: {said['code']} {said['message']}", err=True)
        if fix := said.get("data", {}).get("fix"):
            typer.echo(f"Fix: {fix}", err=True)
        raise typer.Exit(exit_code(said["code"]))


def exit_code(number: int) -> int:
    """From the dialect's numbers to the agent's exit codes."""
    if number == 1020:
        return 5
    if number in (4001, 4002, 4100):
        return 4
    by_thousand = {1: 3, 2: 3, 3: 7}
    return by_thousand.get(number // 1000) or {44: 7, 45: 6}.get(number // 100, 1)


@policy_app.command("test")
def test_policy(
    cases: Annotated[Path, typer.Argument(metavar="FILE", help="Requests, and what is expected to be decided.")],
    config: ConfigFile = None,
    config_dir: ConfigDir = None,
) -> None:
    """Try the policy on requests. Exit code 7 when it decides otherwise than expected."""
    from knowgate.guard.policy import Policy
    from knowgate.guard.policy.cases import read_cases, run_tests

    file = load_settings(read_folder(config_dir, config)).policy.file
    policy = Policy.load(file) if file else Policy.default()
    try:
        text = cases.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError("no_such_file", f"{cases} cannot be read ({error.strerror}).", "Check the path.") from None
    results = run_tests(policy, read_cases(text, str(cases)), datetime.now(UTC))
    for result in results:
        typer.echo(f"{'failed' if result.problem else 'ok    '}  {result.name}  {result.problem}".rstrip())
    if any(result.problem for result in results):
        raise typer.Exit(_INVALID)


def _spec_problems(opened: Opened) -> list[str]:
    problems = [
        f"{api.source}: {each.method} {each.path}: {each.reason}"
        for api in opened.catalogue.apis.values()
        for each in api.quarantined
    ]
    if not opened.catalogue.list():
        problems += [text for each in opened.problems.values() for text in each] or ["There is no operation."]
    return problems


def _policy_problems(file: Path | None, opened: Opened) -> list[str]:
    from knowgate.guard.policy import Policy
    from knowgate.guard.policy.check import Entry, check

    try:
        policy = Policy.load(file) if file else Policy.default()
    except KnowgateError as error:
        return [str(error)]
    entries = [Entry(each.id, each.api, each.method, each.path, each.tags) for each in opened.catalogue.list()]
    # A starter's rules for what this API does not have are no mistake.
    wrong = [each for each in check(policy, entries) if each.code != "matches_nothing"]
    return [f"{file}: {each.rule}: {each.text}" for each in wrong]


def _address(config_dir: Path | None, config: Path | None, port: int | None) -> str:
    """Where the folder's agent listens now, which it may have been told when it was started; else where it would."""
    settings = load_settings(read_folder(config_dir, config), port=port)
    agent = running(find_folder(config_dir)) if port is None else None
    return agent.url if agent else f"http://{settings.server.host}:{settings.server.port}/"


def _key() -> str:
    return os.environ.get("KNOWGATE_API_KEY", "")
