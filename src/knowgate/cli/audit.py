"""`knowgate audit`: what was done, by whom, by which rule, and whether anybody changed the story since."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.screen import one_line
from knowgate.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from knowgate.guard.audit.read import Record, Wanted

app = typer.Typer(help="See what was done, check that nobody changed the records, export them.")

_CHANGED = 8
"""The exit code of a trail that does not fit."""

Tool = Annotated[str, typer.Option("--tool", metavar="NAME", help="Only this tool, or a pattern with *.")]
Operation = Annotated[str, typer.Option("--operation", metavar="ID", help="Only this operation, or a pattern with *.")]
Principal = Annotated[str, typer.Option("--principal", metavar="NAME", help="Only what this caller did.")]
Decision = Annotated[
    Literal["", "allow", "deny", "ask", "dry_run", "none"],
    typer.Option("--decision", metavar="WORD", help="Only allow, deny, ask, dry_run or none."),
]
Status = Annotated[
    Literal["", "success", "error", "denied", "dry_run", "outcome_unknown"],
    typer.Option("--status", metavar="WORD", help="Only success, error, denied, dry_run or outcome_unknown."),
]
Since = Annotated[str, typer.Option("--since", metavar="TIME", help="From then on, such as 2027-01-31T09:00.")]
Until = Annotated[str, typer.Option("--until", metavar="TIME", help="Until then.")]


@app.callback(invoke_without_command=True)
def audit(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    # What stands in front of the subcommand is for it too.
    ctx.obj = Call.of(ctx, config, data, json)
    if ctx.invoked_subcommand is None:
        list_records(ctx)


@app.command("list")
def list_records(
    ctx: typer.Context,
    tool: Tool = "",
    operation: Operation = "",
    principal: Principal = "",
    decision: Decision = "",
    status: Status = "",
    since: Since = "",
    until: Until = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="How many.")] = 50,
    cursor: Annotated[str, typer.Option("--cursor", metavar="TEXT", help="From an earlier list, to go on.")] = "",
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """List what was done, newest first."""
    call = Call.of(ctx, config, data, json)
    wanted = _wanted(tool, operation, principal, decision, status, since, until)
    with call.engine() as engine:
        page = engine.audit(wanted, limit=limit, cursor=cursor)
    if call.json:
        call.screen.answer({"records": page.records, "cursor": page.cursor})
        return
    if not page.records:
        call.screen.note("Nothing of the kind was written down.")
        return
    columns = ("id", "time", "caller", "what", "decision", "rule", "status")
    call.screen.table(columns, list(map(_row, page.records)), whole=("what",), extra=("rule", "caller", "status"))
    if page.cursor:
        given = {"tool": tool, "operation": operation, "principal": principal, "decision": decision, "status": status}
        given |= {"since": since, "until": until, "limit": str(limit), "cursor": page.cursor}
        options = [part for name, value in given.items() if value for part in (f"--{name}", value)]
        call.screen.note(f"There is more: {call.command('audit', 'list', *options)}")


@app.command()
def show(
    ctx: typer.Context,
    record: Annotated[str, typer.Argument(metavar="ID", help="A record's id.")],
    curl: Annotated[bool, typer.Option("--curl", help="As a curl command, without secrets.")] = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Show all that was written down of a call."""
    from knowgate.guard.audit.export import as_curl

    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        found = engine.audit_record(record)
    if curl and not call.json:
        call.screen.show(as_curl(found))
    else:
        call.screen.answer({"record": found, **({"curl": as_curl(found)} if curl else {})} if call.json else found)


@app.command()
def verify(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Check that no record was changed, moved, dropped or added."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        findings = engine.verify_audit()
        if not findings and not engine.audit(limit=1).records:
            where = engine.settings.audit.folder or engine.settings.data / "audit"
            raise NotFoundError(
                "no_trail", f"There is no trail in {where}.", "Name the folder with --data or audit.folder."
            )
    if call.json:
        call.screen.answer({"sound": not findings, "findings": findings})
    elif findings:
        for each in findings:
            call.screen.show(f"{each.file}{f':{each.line}' if each.line else ''}: {each.message}")
    else:
        call.screen.show("The trail is as it was written.")
    if findings:
        raise typer.Exit(_CHANGED)


@app.command()
def export(
    ctx: typer.Context,
    form: Annotated[
        Literal["csv", "jsonl"], typer.Option("--form", metavar="FORM", help="A table, or lines of JSON.")
    ] = "jsonl",
    tool: Tool = "",
    operation: Operation = "",
    principal: Principal = "",
    decision: Decision = "",
    status: Status = "",
    since: Since = "",
    until: Until = "",
    config: Config = None,
    data: Data = None,
) -> None:
    """Print all records, newest first, for other programs."""
    call = Call.of(ctx, config, data)
    wanted = _wanted(tool, operation, principal, decision, status, since, until)
    with call.engine() as engine:
        for piece in engine.export_audit(form, wanted):
            sys.stdout.buffer.write(piece.encode("utf-8", "backslashreplace"))


def _wanted(tool: str, operation: str, principal: str, decision: str, status: str, since: str, until: str) -> Wanted:
    from knowgate.guard.audit.read import Wanted

    return Wanted(
        since=_moment(since),
        until=_moment(until),
        principal=principal,
        tool=tool,
        operation=operation,
        decision=decision,
        status=status,
    )


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone() if text else None
    except (ValueError, OverflowError) as error:
        raise InputError(
            "bad_time", f"{text!r} is not a time.", "Write it as 2027-01-31 or 2027-01-31T09:00."
        ) from error


def _row(record: Record) -> tuple[str, ...]:
    from knowgate.guard.audit.read import at

    what = f"{at(record, 'operation', 'method')} {at(record, 'operation', 'operation_id')}"
    return (
        str(at(record, "id")),
        str(at(record, "timestamp"))[:19].replace("T", " "),
        one_line(str(at(record, "principal", "name"))),
        one_line(what),
        str(at(record, "policy", "decision")),
        one_line(str(at(record, "policy", "rule"))),
        str(at(record, "response", "error") or at(record, "response", "status") or "begun"),
    )
