"""`knowgate apis`: what your APIs can do, looked up and called as an assistant would."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knowgate.cli import apis_accept, apis_doctor, apis_setup, apis_sign_in, apis_specs
from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.screen import clean, one_line
from knowgate.errors import InputError

if TYPE_CHECKING:
    from knowgate.model import OperationAnswer, OperationDetail, OperationPage

app = typer.Typer(help="Add APIs, look up their operations, call them.")
for command in (apis_setup.add, apis_accept.accept, apis_doctor.doctor, apis_specs.diff, apis_specs.mock):
    app.command()(command)
app.command("sign-in")(apis_sign_in.sign_in)
app.command("sign-out")(apis_sign_in.sign_out)

OperationId = Annotated[str, typer.Argument(metavar="OPERATION", help="An operation's id.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="How many at most.")]
Cursor = Annotated[str, typer.Option("--cursor", metavar="TEXT", help="Go on where the last list ended.")]
_ALL_BYTES = 1 << 30
"""A person can scroll, and a pipe has room."""
_CODES = {401: 3, 403: 3, 429: 5}
"""Exit codes of answers; those of the API itself are 6, other refusals 7."""


@app.callback(invoke_without_command=True)
def apis(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    # What stands in front of the subcommand is for it too.
    ctx.obj = Call.of(ctx, config, data, json)
    if ctx.invoked_subcommand is None:
        list_apis(ctx)


@app.command("list")
def list_apis(
    ctx: typer.Context,
    api: Annotated[str, typer.Argument(metavar="API", help="List the operations of this one.")] = "",
    tag: Annotated[str, typer.Option("--tag", metavar="TAG", help="Only operations with this tag.")] = "",
    method: Annotated[str, typer.Option("--method", metavar="METHOD", help="Only GET, POST and so on.")] = "",
    limit: Limit = 50,
    cursor: Cursor = "",
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """List the APIs; with a name, a tag or a method, their operations."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        if api or tag or method or cursor:
            _show_page(call, engine.operations(api=api, tag=tag, method=method, limit=limit, cursor=cursor))
            return
        found = engine.apis()
    if call.json:
        call.screen.answer({"apis": [asdict(each) for each in found]})
        return
    if not found:
        call.screen.note("There are no APIs yet. Add one: knowgate apis add NAME openapi.yaml")
        return
    rows = [
        (each.name, one_line(each.title), each.version, str(each.operations), str(len(each.quarantined)), each.source)
        for each in found
    ]
    columns = ("name", "title", "version", "operations", "unusable", "source")
    call.screen.table(columns, rows, numbers=("operations", "unusable"), long=("title", "source"), extra=("source",))
    for each in found:
        for warning in each.warnings:
            call.screen.warn(f"{each.name}: {warning}")


@app.command()
def search(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What you want to do, in your own words.")],
    api: Annotated[str, typer.Option("--api", metavar="API", help="Only in this one.")] = "",
    limit: Limit = 10,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Find operations by meaning."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        _show_page(call, engine.operations(query, api=api, limit=limit))


@app.command()
def show(
    ctx: typer.Context, operation: OperationId, config: Config = None, data: Data = None, json: Json = False
) -> None:
    """Show what an operation takes, an example and what it answers."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        found = engine.describe_operation(operation)
    if call.json:
        call.screen.answer(asdict(found))
    else:
        call.screen.show("\n".join(_told(found)))


@app.command()
def run(
    ctx: typer.Context,
    operation: OperationId,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="An argument; several times for several, or for a list."),
    ] = None,
    body: Annotated[
        str | None, typer.Option("--body", metavar="JSON|@FILE", help="The body, as JSON or in a file.")
    ] = None,
    field: Annotated[
        list[str] | None, typer.Option("--field", metavar="A.B", help="Only this field of the answer, several times.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Send nothing; show what would be sent.")] = False,
    as_curl: Annotated[bool, typer.Option("--as-curl", help="Send nothing; print it as a curl command.")] = False,
    profile: Annotated[
        str, typer.Option("--profile", metavar="NAME", help="The credentials to use, if the API has several.")
    ] = "",
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Call an operation; the answer's data goes to stdout.

    Exit codes: 3 not allowed, 4 not reachable, 5 too often, 6 the API failed, 7 it refused.
    """
    call = Call.of(ctx, config, data, json)
    arguments, content = read_params(param or ()), read_body(body)
    with call.engine() as engine:
        answer = engine.run_operation(
            operation,
            arguments,
            content,
            fields=tuple(field or ()),
            dry_run=dry_run or as_curl,
            auth_profile=profile,
            budget=_ALL_BYTES,
        )
    _show_answer(call, answer, as_curl)
    raise typer.Exit(exit_code(answer.status))


def exit_code(status: int) -> int:
    """What the contract says of an answer with this status."""
    if status in _CODES:
        return _CODES[status]
    return 0 if status < 400 else 7 if status < 500 else 6


def read_params(given: list[str] | tuple[()]) -> dict[str, Any]:
    """Texts as they were typed; they become numbers and lists where the operation wants such."""
    found: dict[str, Any] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise InputError("bad_param", f"--param {each} has no name or no value.", "Write --param name=value.")
        if name not in found:
            found[name] = value
        elif isinstance(found[name], list):
            found[name].append(value)
        else:
            found[name] = [found[name], value]
    return found


def read_body(given: str | None) -> Any:
    if given is None:
        return None
    import orjson

    try:
        text = Path(given[1:]).read_bytes() if given.startswith("@") else given.encode()
        return orjson.loads(text)
    except OSError as error:
        raise InputError("no_such_file", f"{given[1:]} cannot be read ({error.strerror}).", "Check the path.") from None
    except orjson.JSONDecodeError as error:
        fix = """Write it like --body '{"name": "Ann"}', or --body @file.json."""
        raise InputError("bad_body", f"The body is not JSON: {error}.", fix) from None


def _show_page(call: Call, page: OperationPage) -> None:
    if call.json:
        call.screen.answer(asdict(page))
        return
    rows = [(each.operation_id, each.method, each.path, one_line(each.summary)) for each in page.operations]
    if not rows:
        call.screen.note("No operation fits.")
        return
    call.screen.table(("operation", "method", "path", "summary"), rows, long=("path", "summary"))
    if page.cursor:
        call.screen.note(f"{len(rows)} of {page.total}. Go on with --cursor {page.cursor}")


def _told(found: OperationDetail) -> list[str]:
    import orjson

    item = found.item
    told = [f"{item.operation_id}  {item.method} {found.url}"]
    told += [clean(text) for text in dict.fromkeys((item.summary, found.description)) if text]
    told += ["", "Arguments:"]
    required: list[str] = found.arguments.get("required", [])
    properties: dict[str, Any] = found.arguments.get("properties", {})
    for name, schema in properties.items():
        # A schema may be just true.
        described: dict[str, Any] = schema or {} if schema is not True else {}
        kind = described.get("type", "")
        words = one_line(str(described.get("description", "")))
        needed = "required" if name in required else ""
        told.append("  " + "  ".join(part for part in (name, str(kind), needed, words) if part))
    if not properties:
        told.append("  none")
    example = orjson.dumps(found.example, option=orjson.OPT_INDENT_2).decode()
    told += ["", "Example:", example, "", "Answers:"]
    told += [f"  {status}  {one_line(words)}" for status, words in found.answers.items()]
    if found.auth:
        told += ["", f"Asks for: {', '.join(found.auth)}"]
    told.append(f"Policy: {found.verdict}")
    return told


def _show_answer(call: Call, answer: OperationAnswer, as_curl: bool) -> None:
    screen = call.screen
    if as_curl:
        typer.echo(answer.curl)
        return
    if call.json:
        screen.answer(asdict(answer))
        return
    if answer.dry_run:
        screen.note("Nothing was sent. This would be:")
        typer.echo(answer.curl)
        return
    screen.note(f"{answer.status} {answer.method} {answer.url} in {answer.duration_ms:.0f} ms")
    for warning in answer.warnings:
        screen.warn(warning)
    if isinstance(answer.data, str):
        screen.show(clean(answer.data))
    elif answer.data is not None:
        screen.answer(answer.data)
