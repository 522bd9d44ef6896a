"""`knowgate approvals`: what waits for a person's yes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.person import ask_a_person
from knowgate.cli.screen import one_line
from knowgate.errors import NotFoundError

if TYPE_CHECKING:
    from knowgate.engine import Engine
    from knowgate.guard.approvals import Approval

app = typer.Typer(help="Answer what assistants ask for: give or refuse an approval, once and for exactly one call.")
_ELSEWHERE = "Run it in a terminal, or answer at the server with somebody else's admin key."

Chosen = Annotated[str, typer.Argument(metavar="ID", help="An approval's id, or enough of its beginning.")]


@app.callback(invoke_without_command=True)
def approvals(ctx: typer.Context, config: Config = None, data: Data = None, json: Json = False) -> None:
    # What stands in front of the subcommand is for it too.
    ctx.obj = Call.of(ctx, config, data, json)
    if ctx.invoked_subcommand is None:
        list_approvals(ctx)


@app.command("list")
def list_approvals(
    ctx: typer.Context,
    all: Annotated[bool, typer.Option("--all", help="Those that were answered, too.")] = False,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """List what waits for an answer, newest first."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        found = engine.approvals() if all else engine.approvals("asked", "outcome_unknown")
    if call.json:
        call.screen.answer({"approvals": found})
        return
    if not found:
        call.screen.note("Nothing waits for an approval.")
        return
    rows = [(each.id, each.state.replace("_", " "), one_line(each.asker), one_line(each.summary)) for each in found]
    call.screen.table(("id", "state", "asked by", "call"), rows, whole=("call",), extra=("asked by",))


@app.command()
def give(ctx: typer.Context, id: Chosen, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Let the call be made, once. Asks at the terminal: an assistant cannot say yes to itself."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        found = _find(engine, id)
        question = f"Let {one_line(found.asker)} do this once: {one_line(found.summary)}?"
        ask_a_person(question, _ELSEWHERE, told=partial(engine.turn_away, "give_approval"))
        _tell(call, engine.give_approval(found.id, "cli"), "It may be made once now.")


@app.command()
def refuse(
    ctx: typer.Context,
    id: Chosen,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Told to who asked.")] = "",
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Say no."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        _tell(call, engine.refuse_approval(_find(engine, id).id, "cli", reason), "It is refused.")


@app.command()
def clear(ctx: typer.Context, id: Chosen, config: Config = None, data: Data = None, json: Json = False) -> None:
    """Allow a call again whose answer was lost, after you looked whether it was done."""
    call = Call.of(ctx, config, data, json)
    with call.engine() as engine:
        found = _find(engine, id)
        question = f"It may have been done already. Allow it again: {one_line(found.summary)}?"
        ask_a_person(question, _ELSEWHERE, told=partial(engine.turn_away, "clear_approval"))
        _tell(call, engine.clear_approval(found.id, "cli"), "It may be made again.")


def _find(engine: Engine, id: str) -> Approval:
    found = [each for each in engine.approvals() if each.id.startswith(id)]
    if len(found) != 1:
        many = f"{len(found)} approvals begin with {id!r}." if found else f"There is no approval {id!r}."
        raise NotFoundError("approval_not_found", many, "See `knowgate approvals list`.")
    return found[0]


def _tell(call: Call, approval: Approval, sentence: str) -> None:
    if call.json:
        call.screen.answer({"approval": approval})
    else:
        call.screen.show(sentence)
