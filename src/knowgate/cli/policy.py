"""`knowgate policy`: write the rules, try them, see what they would change; and stop everything."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.person import ask_a_person
from knowgate.cli.screen import one_line
from knowgate.errors import ConflictError, InputError

if TYPE_CHECKING:
    from knowgate.engine import Engine
    from knowgate.guard.policy import Policy

app = typer.Typer(
    help="What assistants may do: write rules, check them, try them; stop all calls.", no_args_is_help=True
)

_FOUND = 7
"""The exit code of a policy that needs a look."""

_EXAMPLE = """\b
Example of a test file:
- name: deletions wait for a person
  request: {tool: knowgate_delete_document}
  expected: {decision: ask}
"""

File = Annotated[Path | None, typer.Argument(metavar="FILE", help="A policy.yaml, if not the configured one.")]
Other = Annotated[
    Path | None, typer.Option("--policy", metavar="FILE", help="A policy.yaml, if not the configured one.")
]


@app.callback()
def policy(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    # What stands in front of the subcommand is for it too.
    ctx.obj = Call.of(ctx, config, data, json)


@app.command()
def init(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("policy.yaml"),
    json: Json = False,
) -> None:
    """Write a policy to begin with."""
    from knowgate.guard.policy.starter import STARTER

    call = Call.of(ctx, None, None, json)
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(STARTER)
    except FileExistsError:
        raise ConflictError("file_exists", f"{file} is there already.", "Name another file, or move it away.") from None
    except OSError as error:
        raise InputError("cannot_write", f"{file} cannot be written: {error.strerror}.", "Check the folder.") from error
    if call.json:
        call.screen.answer({"file": str(file)})
        return
    call.screen.show(f"{file} is written.")
    call.screen.note(f'Put it in force in knowgate.toml:\n\n[policy]\nfile = "{file.as_posix()}"')


@app.command()
def check(ctx: typer.Context, file: File = None, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Read the policy and tell what in it can have no effect. Exit code 7 when that must be a mistake."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        chosen = _policy(engine, file)
        findings = engine.check_policy(chosen)
    if call.json:
        call.screen.answer({"version": chosen.version, "rules": len(chosen.rules), "findings": findings})
    else:
        for each in findings:
            mark = "" if each.wrong else " (good to know)"
            call.screen.show(f"{one_line(each.rule)}: {one_line(each.text)}{mark}")
        rules = "1 rule" if len(chosen.rules) == 1 else f"{len(chosen.rules)} rules"
        wrong = sum(each.wrong for each in findings)
        call.screen.note(f"{rules}, {wrong} to look at. Version {chosen.version[:12]}.")
    if any(each.wrong for each in findings):
        raise typer.Exit(_FOUND)


@app.command(epilog=_EXAMPLE)
def test(
    ctx: typer.Context,
    tests: Annotated[Path, typer.Argument(metavar="TESTS", help="A file of requests and what is expected of them.")],
    policy: Other = None,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Decide about the requests of a test file and compare. Exit code 7 when it decides otherwise than expected."""
    call = Call.of(ctx, config, data, json)
    try:
        text = tests.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("cannot_read", f"{tests} cannot be read.", "Check the path.") from error
    with call.engine() as engine:
        results = engine.test_policy(_policy(engine, policy), text, str(tests))
    failed = [each for each in results if each.problem]
    if call.json:
        told = [{"name": each.name, "problem": each.problem, "decision": each.decision.outcome} for each in results]
        call.screen.answer({"tests": told, "failed": len(failed)})
    else:
        for each in failed:
            call.screen.show(
                "\n".join([f"{each.name}: {each.problem}", *(f"  {line}" for line in each.decision.details)])
            )
        call.screen.show(f"{len(results) - len(failed)} of {len(results)} as expected.")
    if failed:
        raise typer.Exit(_FOUND)


@app.command()
def explain(
    ctx: typer.Context,
    what: Annotated[str, typer.Argument(metavar="OPERATION|TOOL", help="Such as listPets or delete_document.")],
    args: Annotated[
        str, typer.Option("--args", metavar="JSON", help="Arguments of the call, as a JSON object.")
    ] = "{}",
    policy: Other = None,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Say what would be decided about a call of yours, and why."""
    call = Call.of(ctx, config, data, json)
    given = _object(args)
    with call.engine() as engine:
        decision = engine.explain(what, given, _policy(engine, policy))
    if call.json:
        call.screen.answer({"decision": decision})
        return
    call.screen.show(f"{decision.outcome}: {one_line(decision.reason)}")
    for line in (*decision.details[:-1], *decision.suggestions):
        call.screen.show(f"  {one_line(line)}")


@app.command()
def diff(
    ctx: typer.Context,
    new: Annotated[Path, typer.Argument(metavar="NEW", help="A policy.yaml.")],
    old: Annotated[Path | None, typer.Option("--old", metavar="FILE", help="If not the configured one.")] = None,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Show which operations and tools another policy would decide otherwise about."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        changes = engine.diff_policies(_policy(engine, old), _policy(engine, new))
    rows = [
        (each.action.operation or each.action.tool, each.before.outcome, each.after.outcome, each.after.rule)
        for each in changes
    ]
    if call.json:
        told = [dict(zip(("what", "before", "after", "rule"), row, strict=True)) for row in rows]
        call.screen.answer({"changes": told})
    elif rows:
        call.screen.table(("what", "before", "after", "rule"), rows, long=("what",))
    else:
        call.screen.note("Nothing would be decided otherwise.")


@app.command()
def suggest(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Print the smallest policy that allows what was done so far."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        text = engine.suggest_policy()
    if call.json:
        call.screen.answer({"policy": text})
    else:
        call.screen.show(text.rstrip())


@app.command()
def stop(
    ctx: typer.Context,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Told to everybody who calls.")] = "",
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Stop every call in every process, at once, until you resume them."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        engine.stop_calls(reason)
    if call.json:
        call.screen.answer({"stopped": True})
    else:
        call.screen.show(f"All calls are stopped. Let them go on: {call.command('policy', 'resume')}")


@app.command()
def resume(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Let calls go on."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        ask_a_person("Let all calls go on?", told=partial(engine.turn_away, "resume"))
        engine.resume_calls()
    if call.json:
        call.screen.answer({"stopped": False})
    else:
        call.screen.show("Calls go on.")


def _policy(engine: Engine, file: Path | None) -> Policy:
    from knowgate.guard.policy import Policy

    return Policy.load(file) if file else engine.policy()


def _object(text: str) -> dict[str, Any]:
    import orjson

    try:
        given = orjson.loads(text)
    except orjson.JSONDecodeError:
        given = None
    if not isinstance(given, dict):
        raise InputError("bad_arguments", f"{text!r} is no JSON object.", """Write it as '{"name": "value"}'.""")
    return given  # pyright: ignore[reportUnknownVariableType]
