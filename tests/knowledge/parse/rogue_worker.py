"""A worker whose reader does what the file's text says: everything that real readers do only on bad days."""

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.wire import MAX_TEXT_CHARACTERS, Frame, receive, send
from knowgate.knowledge.parse.worker import serve
from knowgate.model import Block, Parsed


def misbehave(data: bytes, name: str, options: ParseOptions) -> Parsed:
    deed, _, rest = data.decode().partition(" ")
    match deed:
        case "echo":
            return said(rest)
        case "pid":
            return said(str(os.getpid()))
        case "options":
            return said(f"{name} {options.ocr} {options.max_expanded_bytes}")
        case "sleep":
            time.sleep(600)
        case "spin":  # never lets another thread run
            re.match(r"(a+)+$", "a" * 64 + "b")
        case "abort":
            os.abort()
        case "segfault":
            ctypes.string_at(0)
        case "exit":
            os._exit(int(rest))
        case "be-killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "grow":
            hoard = [bytearray(2**24)]
            while True:
                hoard.append(bytearray(2**24))
        case "hold":
            hoard = b"x" * int(rest)
            time.sleep(600)
            return said(str(len(hoard)))
        case "recurse":
            return misbehave(data, name, options)
        case "print":
            for stream in (sys.stdout, sys.stderr):
                stream.write("from Python")
                stream.flush()
            os.write(1, b"from C")
            subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
            return said(rest)
        case "read-stdin":
            return said(repr(sys.stdin.read()))
        case "refuse":
            raise DocumentError("encrypted_document", f"{name} is locked \ud800.", "Unlock it.")
        case "large":
            return said("ä€😀" * (int(rest) // 3))
        case "largest":
            return said("ä" * MAX_TEXT_CHARACTERS)
        case "too-large":
            return said("a" * (MAX_TEXT_CHARACTERS + 1))
        case "surrogates":
            return Parsed(
                "a\ud800b", (Block("text", 0, 3),), "text", "text/plain", "\udfff", {"n": float("nan"), "i": 2**70}
            )
        case "announce-and-sleep" | "announce-and-spin":
            with Path(rest).open("w") as pipe:  # open as long as this process lives
                pipe.write("born")
                pipe.flush()
                return misbehave(deed.removeprefix("announce-and-").encode(), name, options)
        case "announce-grandchild":
            code = "import time; print('born', flush=True); time.sleep(600)"
            with Path(rest).open("w") as pipe:
                subprocess.Popen([sys.executable, "-c", code], stdout=pipe)
            time.sleep(600)
        case _:
            raise LookupError(deed)
    raise AssertionError("unreachable")


def said(text: str) -> Parsed:
    return Parsed(text, (Block("text", 0, len(text)),), "text", "text/plain")


def lie(answer: bytes) -> None:
    """Speaks the frames but not the truth."""
    while receive(sys.stdin.buffer) is not None:
        if answer == b"endless":
            sys.stdout.buffer.write(bytes([1] * 16))
            sys.stdout.buffer.flush()
        else:
            send(sys.stdout.buffer, Frame(answer, b"abc"))


if __name__ == "__main__":
    *mode, memory, seconds = sys.argv[1:]
    if mode[:1] == ["lie"]:
        lie(json.loads(mode[1]).encode())
    else:
        serve(misbehave, 2**50 if mode == ["unlimited"] else int(memory), float(seconds))
