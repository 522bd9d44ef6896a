"""The process that reads hostile files: `python -m knowgate.knowledge.parse.worker MEMORY_BYTES SECONDS`.

It answers one request after the other until its standard input ends, which also happens when its parent is killed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import IO

from knowgate.errors import DocumentError, KnowgateError
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.wire import (
    EXIT_MEMORY,
    Frame,
    Request,
    decode_request,
    encode_error,
    encode_parsed,
    receive,
    send,
)
from knowgate.model import Parsed

Parse = Callable[[bytes, str, ParseOptions], Parsed]

_ORPHAN_GRACE_SECONDS = 1.0


def parse_any(data: bytes, name: str, options: ParseOptions) -> Parsed:
    from knowgate.knowledge.parse import parse

    return parse(data, name, options)


def serve(parse: Parse, memory_bytes: int, seconds: float) -> None:
    requests, answers = _claim_pipes()
    _limit_memory(memory_bytes)
    inbox: SimpleQueue[Request] = SimpleQueue()
    threading.Thread(target=_receive, args=(requests, inbox), daemon=True).start()
    try:
        while True:
            request = inbox.get()
            _set_alarm(seconds + _ORPHAN_GRACE_SECONDS)
            answer = _answer(parse, request)
            _set_alarm(0)
            send(answers, answer)
            del request, answer
    except MemoryError:
        os._exit(EXIT_MEMORY)
    except BrokenPipeError:
        os._exit(0)


def _answer(parse: Parse, request: Request) -> Frame:
    try:
        return encode_parsed(parse(request.data, request.name, request.options))
    except MemoryError:
        raise
    except KnowgateError as error:
        return encode_error(error)
    except Exception as error:  # noqa: BLE001 - whatever a library raises on a hostile file is that one file's failure
        return encode_error(
            DocumentError(
                "parse_crash",
                f"The reader failed on this file ({type(error).__name__}).",
                "It is probably damaged: open it in its own program, save it again and ingest that copy.",
            )
        )


def _receive(requests: IO[bytes], inbox: SimpleQueue[Request]) -> None:
    """Reads ahead in a thread of its own, so that the end of the parent is noticed while a file is being parsed."""
    try:
        while (frame := receive(requests)) is not None:
            inbox.put(decode_request(frame))
            del frame
    except MemoryError:
        os._exit(EXIT_MEMORY)
    os._exit(0)


def _claim_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keeps the pipes for the protocol alone: a library that prints, prints to nowhere."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    return requests, answers


def _limit_memory(memory_bytes: int) -> None:
    """Where the system keeps such a limit. macOS accepts and ignores it; there the sandbox watches from outside."""
    if sys.platform != "win32" and sys.platform != "darwin":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = memory_bytes if most == resource.RLIM_INFINITY else min(memory_bytes, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _set_alarm(seconds: float) -> None:
    """The last resort when the parent is gone and a library spins without letting any other thread run."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    serve(parse_any, int(sys.argv[1]), float(sys.argv[2]))
