"""The commands of `mrapids-agent`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

import typer
from typer.main import get_command

from knowgate.cli import failure
from knowgate.cli.agent import auth, checking, init, logs, serving
from knowgate.errors import KnowgateError


def run(arguments: Sequence[str], pipe: BinaryIO | None) -> int:
    """Do what the arguments say; the exit code. With a pipe, an AI app has started us."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

    @app.callback()
    def before(ctx: typer.Context) -> None:
        """An API behind a gate for AI assistants: policy, credentials, redaction, audit."""
        ctx.meta[serving.PIPE] = pipe

    _ = before
    for command in (
        init.init,
        serving.start,
        serving.stop,
        serving.status,
        checking.validate,
        checking.test,
        logs.logs,
    ):
        app.command()(command)
    app.add_typer(auth.app, name="auth")
    app.add_typer(checking.policy_app, name="policy")
    try:
        code: object = get_command(app).main(
            list(arguments) or ["--help"], prog_name="mrapids-agent", standalone_mode=False
        )
    except KnowgateError as error:
        return failure.known(error, json=False)
    except typer.Abort:
        return failure.INTERRUPTED
    except typer.TyperException as error:
        return failure.usage(error.format_message(), "mrapids-agent", json=False)
    return code if isinstance(code, int) else 0
