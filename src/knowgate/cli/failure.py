"""The last word when a command fails: one sentence, the fix, the exit code. With --json the same as JSON."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from knowgate.errors import KnowgateError

INCOMPLETE = 10
"""Exit code of work that was done, but not all of it."""
INTERRUPTED = 130
_BUG = "This is a bug; please report it with the output of the same command under KNOWGATE_DEBUG=1."


def known(error: KnowgateError, json: bool) -> int:
    show(error.as_dict(), json)
    return error.exit_code


def usage(message: str, command: str, json: bool) -> int:
    show({"error": message, "code": "usage", "fix": f"See `{command} --help`."}, json)
    return 2


def interrupted(kept: str, fix: str, json: bool) -> int:
    show({"error": f"Stopped. {kept}", "code": "interrupted", "fix": fix}, json)
    return INTERRUPTED


def unexpected(error: Exception, json: bool, debug: bool) -> int:
    if debug:
        import traceback

        sys.stderr.write("".join(traceback.format_exception(error)))
    # The first line only: more of it may be somebody's data.
    told = str(error).partition("\n")[0]
    name = type(error).__name__
    show({"error": f"{name}: {told}" if told else name, "code": "internal_error", "fix": _BUG}, json)
    return 1


def show(error: Mapping[str, str], json: bool) -> None:
    if json:
        import orjson

        sys.stderr.write(orjson.dumps(dict(error)).decode() + "\n")
        return
    from knowgate.cli.screen import Screen, clean

    console = Screen(json).err
    console.print(f"Error [{error['code']}]: {clean(error['error'].rstrip())}", style="red")
    if error["fix"]:
        console.print(f"Fix: {clean(error['fix'])}")
