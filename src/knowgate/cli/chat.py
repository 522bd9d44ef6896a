"""`knowgate chat`: questions to the documents, one or many."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from knowgate.cli.call import Call, Config, Data, Json
from knowgate.cli.filters import make_filter
from knowgate.cli.screen import Screen, clean, one_line
from knowgate.errors import InputError

if TYPE_CHECKING:
    from knowgate.engine import Engine
    from knowgate.model import ChatAnswer, Filter

Many = list[str] | None


def chat(
    ctx: typer.Context,
    message: Annotated[
        list[str] | None, typer.Argument(metavar="MESSAGE...", help="The question; without one you are asked for it.")
    ] = None,
    chat_id: Annotated[str, typer.Option("--chat", metavar="ID", help="Go on with this conversation.")] = "",
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", help="How many passages are looked at; not set, search.limit.")
    ] = None,
    file: Annotated[Many, typer.Option("--file", metavar="NAME", help="Only this file, or a pattern: '*.md'.")] = None,
    type: Annotated[Many, typer.Option("--type", metavar="TYPE", help="Only this type, such as pdf or md.")] = None,
    config: Config = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Ask the documents, and get an answer with its sources.

    The best sentences are quoted; with a model configured (chat.provider), it words the answer.
    """
    call = Call.of(ctx, config, data, json)
    where = make_filter(file or (), type or (), (), "", "", ())
    with call.engine() as engine:
        if message:
            _answer(call, engine, " ".join(message), chat_id, where, limit)
            return
        if not sys.stdin.isatty() or call.json:
            raise InputError("no_message", "There is no message.", 'Ask: knowgate chat "a question"')
        call.screen.note("Ask something; an empty line ends it.")
        while question := typer.prompt(">", default="", show_default=False, prompt_suffix=" ").strip():
            chat_id = _answer(call, engine, question, chat_id, where, limit)


def _answer(call: Call, engine: Engine, message: str, chat_id: str, where: Filter, limit: int | None) -> str:
    from knowgate import answers

    if call.json:
        answer = engine.chat(message, chat_id=chat_id, where=where, limit=limit)
        call.screen.answer(answers.chat(answer))
        return answer.chat_id
    answer = asyncio.run(_stream(call.screen, engine, message, chat_id, where, limit))
    for warning in answer.warnings:
        call.screen.warn(warning)
    _sources(call.screen, answer)
    call.screen.note(f"Go on: {call.command('chat', '--chat', answer.chat_id, '…')}")
    return answer.chat_id


async def _stream(
    screen: Screen, engine: Engine, message: str, chat_id: str, where: Filter, limit: int | None
) -> ChatAnswer:
    from rich.text import Text

    from knowgate.knowledge.chat.chat import Delta, Done

    answer: ChatAnswer | None = None
    async for event in engine.stream_chat(message, chat_id=chat_id, where=where, limit=limit):
        if isinstance(event, Delta):
            screen.out.print(Text(clean(event.text)), end="", soft_wrap=True)
        elif isinstance(event, Done):
            answer = event.answer
    screen.show()
    screen.show()
    assert answer
    return answer


def _sources(screen: Screen, answer: ChatAnswer) -> None:
    from rich.text import Text

    for number in answer.cited:
        hit = answer.sources[number - 1]
        page = f", page {hit.chunk.page}" if hit.chunk.page else ""
        place = f"  {one_line(' > '.join(hit.chunk.headings))}" if hit.chunk.headings else ""
        screen.show(Text.assemble(f"[{number}] ", (one_line(hit.document.name), "bold"), page, (place, "dim")))
