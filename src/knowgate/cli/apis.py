"""`knowgate apis`: what your APIs can do, looked up and called as an assistant would."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli import (
    apis_accept,
    apis_doctor,
    apis_remove,
    apis_run,
    apis_setup,
    apis_show,
    apis_sign_in,
    apis_specs,
)
from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.screen import one_line

if TYPE_CHECKING:
    from knowgate.model import OperationPage

app = typer.Typer(help="Add APIs, look up their operations, call them.")
for command in (
    apis_setup.add,
    apis_remove.remove,
    apis_accept.accept,
    apis_show.show,
    apis_run.run,
    apis_doctor.doctor,
    apis_specs.diff,
    apis_specs.mock,
):
    app.command()(command)
app.command("sign-in")(apis_sign_in.sign_in)
app.command("sign-out")(apis_sign_in.sign_out)

Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="How many at most.")]
Cursor = Annotated[str, typer.Option("--cursor", metavar="TEXT", help="Go on where the last list ended.")]


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
    cursor: Cursor = "",
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Find operations by meaning."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        _show_page(call, engine.operations(query, api=api, limit=limit, cursor=cursor))


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
