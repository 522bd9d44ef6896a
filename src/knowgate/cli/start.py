"""Where the console scripts begin.

An AI app reads our stdout from its first byte on, so it is taken hold of before anything is loaded that might print.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from knowgate.doors.mcp.pipe import is_pipe, take_stdout

_WITH_VALUE = ("--config", "--data")


def main() -> None:
    """`knowgate`."""
    arguments = sys.argv[1:]
    if serves_mcp(arguments):
        pipe = take_stdout()
        from knowgate.cli.mcp import run

        sys.exit(run(arguments, pipe))
    from knowgate.cli.main import main

    main()


def openrag_mcp() -> None:
    """`openrag-mcp`."""
    pipe = take_stdout()
    key = os.environ.get("OPENRAG_API_KEY", "").strip()
    if not key:
        sys.stderr.write(
            "Configuration error: OPENRAG_API_KEY is not set. Create a key with `knowgate keys create NAME` and put it "
            "into the env of this server's entry in the app's configuration.\n"
        )
        sys.exit(1)
    from knowgate.cli.mcp import run_openrag

    run_openrag(key, os.environ.get("OPENRAG_URL", "").strip() or "http://localhost:3000", pipe)


def flowrag_mcp() -> None:
    """`flowrag-mcp`."""
    pipe = take_stdout()
    from knowgate.cli.flowrag import run

    sys.exit(run(sys.argv[1:], pipe))


def mrapids_agent() -> None:
    """`mrapids-agent`. Started with a pipe, it talks MCP over it."""
    arguments = sys.argv[1:]
    talks = arguments[:1] == ["start"] and not {"--help", "--daemon"} & {*arguments} and is_pipe(0)
    pipe = take_stdout() if talks else None
    from knowgate.cli.agent.app import run

    sys.exit(run(arguments, pipe))


def serves_mcp(arguments: Sequence[str]) -> bool:
    """Whether the command is `mcp`, and not a word about it."""
    if "--help" in arguments or "-h" in arguments:
        return False
    words = iter(arguments)
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            return word == "mcp" and "install" not in words
    return False


if __name__ == "__main__":
    main()
