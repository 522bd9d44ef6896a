"""`flowrag-mcp`: FlowRAG's tools, started with its flags and its files."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer
from typer.main import get_command

from knowgate.cli import failure
from knowgate.cli.call import Call
from knowgate.cli.mcp import in_process, run_flowrag
from knowgate.config.flowrag import Flowrag, as_settings, read_flowrag
from knowgate.errors import InputError, KnowgateError

if TYPE_CHECKING:
    from knowgate.config.flowrag_model import FlowragConfig
    from knowgate.config.load import Loaded
    from knowgate.engine import Engine

_Folder = Annotated[Path | None, typer.Option(metavar="FOLDER")]


@dataclass(frozen=True)
class FlowragCall(Call):
    """A call whose settings are FlowRAG's."""

    settings: Mapping[str, object] | None = None

    def load(self, flags: Mapping[str, object] | None = None) -> Loaded:
        from knowgate.config.load import load

        return load(self.config, {**(self.settings or {}), **(flags or {})})

    def engine(self) -> Engine:
        engine = super().engine()
        for change in engine.rooms.config_changes():
            _note(change)
        return engine


def run(arguments: Sequence[str], pipe: BinaryIO) -> int:
    """Serve until the app hangs up; the exit code, if it could not begin."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

    # FlowRAG passes over what it does not know, and so must we: it stands in people's configurations.
    @app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
    def serve(
        ctx: typer.Context,
        config: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
        data: _Folder = None,
        docs: _Folder = None,
    ) -> None:
        if ctx.args:
            _note(f"These arguments mean nothing here and are passed over: {' '.join(ctx.args)}")
        _serve(_given(config, data, docs), pipe)

    _ = serve
    try:
        get_command(app).main(list(arguments), prog_name="flowrag-mcp", standalone_mode=False)
    except KnowgateError as error:
        return failure.known(error, json=False)
    except typer.TyperException as error:
        return failure.usage(error.format_message(), "flowrag-mcp", json=False)
    return 0


def _given(config: Path | None, data: Path | None, docs: Path | None) -> Flowrag:
    cwd = Path.cwd()
    found = read_flowrag(config, os.environ, cwd)
    stronger = {name: cwd / path for name, path in (("data", data), ("docs", docs)) if path}
    return replace(found, config=found.config.model_copy(update=stronger))


def _serve(flowrag: Flowrag, pipe: BinaryIO) -> None:
    config = flowrag.config
    settings, without = as_settings(flowrag)
    for warning in (*flowrag.warnings, *without, *_unlike_flowrag(config)):
        _note(warning)
    if "extract.provider" in settings:
        model = f"{config.extractor.provider} ({config.extractor.model})"
        _note(f"Passages are sent to {model}, which reads entities and relations in them.")
    call = FlowragCall(settings=settings)
    call.load()  # what is wrong is told now, and not by the first tool
    if config.transport == "stdio":
        run_flowrag(call, pipe)
        return
    if config.auth is None:
        raise InputError(
            "token_missing",
            "transport is http, and there is no token that callers have to show.",
            'Add "auth": {"token": "${NAME}"} to flowrag.config.json, or use the transport stdio.',
        )
    from knowgate.doors.mcp.flowrag_http import serve_http

    with ExitStack() as closers:
        token = config.auth.token.get_secret_value()
        serve_http(partial(in_process, call, closers), token, config.port, lambda url: _note(f"Listening at {url}/mcp"))


def _unlike_flowrag(config: FlowragConfig) -> Iterator[str]:
    if (config.data / "kv").is_dir() and not (config.data / "store.db").exists():
        bring = shlex.join(["knowgate", "import", "flowrag", str(config.data), "--data", str(config.data)])
        yield f"What FlowRAG has indexed in {config.data} is not used yet. Bring it over with `{bring}`."


def _note(text: str) -> None:
    typer.echo(f"flowrag-mcp: {text}", err=True)
