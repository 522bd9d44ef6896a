"""`knowgate apis run`: an operation is called, and its answer printed."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.screen import Screen, clean
from knowgate.errors import InputError

if TYPE_CHECKING:
    from knowgate.model import OperationAnswer

OperationId = Annotated[str, typer.Argument(metavar="OPERATION", help="An operation's id.")]
_ALL_BYTES = 1 << 30
"""A person can scroll, and a pipe has room."""
_CODES = {301: 7, 302: 7, 307: 7, 308: 7, 401: 3, 403: 3, 429: 5}
"""Exit codes of answers; those of the API itself are 6, other refusals 7. See other (303) is said of what was done."""


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

    Exit codes: 3 not allowed, 4 not reachable, 5 too often, 6 the API failed, 7 it refused or sent us elsewhere.
    """
    call = Call.of(ctx, config, data, json)
    arguments, content = read_params(param or ()), read_body(body)
    with call.engine() as engine, _waits_told(call.screen), _typed(call, operation):
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


@contextmanager
def _typed(call: Call, operation: str) -> Generator[None]:
    """What would be right, as it is typed here."""
    from knowgate.apis.validate import BadArguments
    from knowgate.cli.apis_show import as_options

    try:
        yield
    except BadArguments as error:
        error.fix = f"For example: {call.command('apis', 'run', operation, *as_options(error.example))}"
        raise


@contextmanager
def _waits_told(screen: Screen) -> Generator[None]:
    """An API may ask for a pause: whoever looks at the terminal is told that one is made."""
    log = logging.getLogger("knowgate.apis")
    handler = _Noting(screen)
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(before)
        log.removeHandler(handler)


class _Noting(logging.Handler):
    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen

    def emit(self, record: logging.LogRecord) -> None:
        self._screen.note(record.getMessage())


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
        # Its own lines, however long they are.
        typer.echo(clean(answer.data), nl=not answer.data.endswith("\n"))
    elif answer.data is not None:
        screen.answer(answer.data)
