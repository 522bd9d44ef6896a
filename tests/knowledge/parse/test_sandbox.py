"""The sandbox turns whatever happens to a worker into one file's failure, and goes on."""

import json
import os
import select
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from knowgate.errors import DocumentError
from knowgate.knowledge.parse.reader import ParseOptions
from knowgate.knowledge.parse.sandbox import Sandbox, resident_bytes
from knowgate.knowledge.parse.wire import MAX_TEXT_CHARACTERS
from knowgate.model import Parsed

ROGUE = (sys.executable, "-P", str(Path(__file__).with_name("rogue_worker.py")))
OPTIONS = ParseOptions()
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals, named pipes and memory limits of POSIX")


def rogue(*mode: str, timeout_seconds: float = 60, **settings: int) -> Sandbox:
    return Sandbox(timeout_seconds, command=(*ROGUE, *mode), **settings)


def read(sandbox: Sandbox, deed: str, name: str = "a.txt") -> Parsed:
    return sandbox.parse(deed.encode(), name, OPTIONS)


def failure(sandbox: Sandbox, deed: str) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        read(sandbox, deed)
    assert caught.value.message
    assert caught.value.fix
    return caught.value


def is_gone(pid: int) -> bool:
    """Ended and reaped: a zombie still answers to signal 0."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_what_the_reader_made_comes_back_whole():
    with rogue() as sandbox:
        parsed = read(sandbox, "echo Käse & 漢字 😀")
    assert parsed.text == "Käse & 漢字 😀"
    assert [(block.kind, block.start, block.end) for block in parsed.blocks] == [("text", 0, len(parsed.text))]
    assert (parsed.type, parsed.mime) == ("text", "text/plain")


def test_name_and_options_reach_the_reader():
    with rogue() as sandbox:
        parsed = sandbox.parse(b"options", "Bericht ü\udce4.txt", ParseOptions(ocr=True, max_expanded_bytes=7))
    assert parsed.text == "Bericht ü\ufffd.txt True 7"


def test_a_readers_typed_error_keeps_code_and_fix():
    with rogue() as sandbox:
        error = failure(sandbox, "refuse")
    assert (error.code, error.message, error.fix) == ("encrypted_document", "a.txt is locked \ufffd.", "Unlock it.")


@pytest.mark.parametrize("deed", ["recurse", "no-such-deed"])
def test_an_exception_of_a_reader_is_a_typed_error_and_the_child_lives_on(deed: str):
    with rogue(workers=1) as sandbox:
        pid = read(sandbox, "pid").text
        assert failure(sandbox, deed).code == "parse_crash"
        assert read(sandbox, "pid").text == pid


@pytest.mark.parametrize("deed", ["sleep", "spin"])
def test_a_file_that_takes_too_long_is_given_up(deed: str):
    with rogue(timeout_seconds=0.5, workers=1) as sandbox:
        error = failure(sandbox, deed)
        assert error.code == "parse_timeout"
        assert "0.5 seconds" in error.message


@posix_only
@pytest.mark.parametrize("deed", ["abort", "segfault", "exit 3", "exit 0"])
def test_a_crash_costs_one_file(deed: str):
    with rogue(workers=1) as sandbox:
        pid = int(read(sandbox, "pid").text)
        assert failure(sandbox, deed).code == "parse_crash"
        assert is_gone(pid)
        assert read(sandbox, "echo still here").text == "still here"


@posix_only
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS keeps no limit on address space")
def test_a_file_that_needs_too_much_memory_is_given_up():
    with rogue(workers=1, memory_bytes=2**28) as sandbox:
        error = failure(sandbox, "grow")
        assert error.code == "parse_memory"
        assert "256 MB" in error.message
        assert read(sandbox, "echo still here").text == "still here"


@posix_only
def test_a_file_larger_than_the_memory_limit_is_given_up():
    with rogue(workers=1, memory_bytes=2**27) as sandbox, pytest.raises(DocumentError) as caught:
        sandbox.parse(bytes(2**27), "a.txt", OPTIONS)
    assert caught.value.code == "parse_memory"


@posix_only
def test_resident_memory_is_watched_where_the_system_keeps_no_limit():
    with rogue("unlimited", workers=1, memory_bytes=2**27) as sandbox:
        assert failure(sandbox, f"hold {2**28}").code == "parse_memory"


@posix_only
def test_a_worker_the_system_killed_ran_out_of_memory():
    with rogue(workers=1) as sandbox:
        assert failure(sandbox, "be-killed").code == "parse_memory"


def test_resident_memory_of_a_process_that_does_not_exist_is_nothing():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert resident_bytes(process.pid) == 0


def test_what_a_library_prints_does_not_reach_the_protocol():
    with rogue(workers=1) as sandbox:
        assert read(sandbox, "print one").text == "one"
        assert read(sandbox, "print two").text == "two"
        assert read(sandbox, "read-stdin").text == "''"


def test_large_files_and_answers_pass():
    with rogue() as sandbox:
        text = read(sandbox, f"large {3 * 2**20}").text
        assert text == "ä€😀" * 2**20
        assert read(sandbox, "echo " + text).text == text


def test_an_answer_above_the_cap_is_a_typed_error():
    with rogue() as sandbox:
        assert len(read(sandbox, "largest").text) == MAX_TEXT_CHARACTERS
        assert failure(sandbox, "too-large").code == "too_large"


def test_what_json_cannot_carry_is_replaced_in_place():
    with rogue() as sandbox:
        parsed = read(sandbox, "surrogates")
    assert (parsed.text, parsed.title) == ("a\ufffdb", "\ufffd")
    assert parsed.fields == {"n": "nan", "i": str(2**70)}


@pytest.mark.parametrize(
    "answer",
    [
        "endless",
        "",
        "not json",
        "[]",
        "{}",
        '{"error": {"code": 1, "message": "", "fix": ""}}',
        '{"parsed": {"text": "", "blocks": [], "type": "text"}}',
        '{"parsed": {"text": "", "blocks": [{"kind": "text", "start": 0, "end": 4}], "type": "t", "mime": "m"}}',
    ],
)
def test_a_worker_that_lies_is_not_believed(answer: str):
    with rogue("lie", json.dumps(answer)) as sandbox:
        assert failure(sandbox, "echo").code == "parse_crash"


def test_a_worker_that_cannot_start_is_a_typed_error(tmp_path: Path):
    with Sandbox(command=(str(tmp_path / "nothing"),)) as sandbox:
        assert failure(sandbox, "echo").code == "parse_crash"
    with Sandbox(command=(sys.executable, "-c", "import nothing_of_the_kind")) as sandbox:
        assert failure(sandbox, "echo").code == "parse_crash"


def test_threads_share_the_workers_and_each_gets_its_own_answer():
    with rogue(workers=2, files_per_child=1000) as sandbox, ThreadPoolExecutor(8) as pool:
        texts = [f"file {number} " + "x" * (number * 997 % 70_000) for number in range(200)]
        assert list(pool.map(lambda text: read(sandbox, "echo " + text).text, texts)) == texts
        pids = set(pool.map(lambda _: read(sandbox, "pid").text, range(50)))
    assert 1 <= len(pids) <= 2


def test_a_crash_in_one_thread_leaves_the_others_alone():
    def run(number: int) -> str:
        if number % 5:
            return read(sandbox, f"echo {number}").text
        return failure(sandbox, "exit 1").code

    with rogue(workers=2) as sandbox, ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(run, range(40)))
    assert outcomes == [str(number) if number % 5 else "parse_crash" for number in range(40)]


def test_a_child_is_replaced_after_its_share_of_files():
    with rogue(workers=1, files_per_child=3) as sandbox:
        pids = [read(sandbox, "pid").text for _ in range(7)]
    assert [pids.index(pid) for pid in pids] == [0, 0, 0, 3, 3, 3, 6]
    assert sys.platform == "win32" or all(is_gone(int(pid)) for pid in pids)


@posix_only
def test_a_child_that_died_between_files_is_replaced_unnoticed():
    with rogue(workers=1) as sandbox:
        pid = int(read(sandbox, "pid").text)
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert read(sandbox, "echo here").text == "here"
        assert is_gone(pid)


@posix_only
def test_closing_ends_idle_and_busy_workers(tmp_path: Path):
    pipe = named_pipe(tmp_path)
    sandbox = rogue(workers=2)
    outcome: list[str] = []
    busy = threading.Thread(target=lambda: outcome.append(failure(sandbox, f"announce-and-sleep {pipe}").code))
    busy.start()
    with pipe.open() as announced:
        assert announced.read(1)
        idle_pid = int(read(sandbox, "pid").text)
        sandbox.close()
        announced.read()  # ends when the worker has
    busy.join()
    assert outcome == ["parse_stopped"]
    assert is_gone(idle_pid)
    assert failure(sandbox, "echo").code == "parse_stopped"
    sandbox.close()


@posix_only
def test_what_a_worker_started_ends_with_it(tmp_path: Path):
    pipe = named_pipe(tmp_path)
    with rogue(timeout_seconds=600, workers=1) as sandbox, ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(failure, sandbox, f"announce-grandchild {pipe}")
        with pipe.open() as announced:
            assert announced.readline() == "born\n"
            sandbox._timeout = 0  # now the time is up, however long it took to be born
            assert announced.read() == ""  # the pipe's end: the grandchild is no more
        assert outcome.result().code == "parse_timeout"


@posix_only
@pytest.mark.parametrize("deed", ["announce-and-sleep", "announce-and-spin"])
def test_workers_end_when_their_parent_is_killed(tmp_path: Path, deed: str):
    pipe = named_pipe(tmp_path)
    script = (
        "import sys\n"
        "from knowgate.knowledge.parse.reader import ParseOptions\n"
        "from knowgate.knowledge.parse.sandbox import Sandbox\n"
        "sandbox = Sandbox(1.5, command=sys.argv[2:])\n"
        "sandbox._timeout = 600\n"  # the worker is to be ended by its own clock
        "sandbox.parse(sys.argv[1].encode(), 'a.txt', ParseOptions())\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, f"{deed} {pipe}", *ROGUE])
    with pipe.open("rb", buffering=0) as announced:
        assert announced.read(1)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        while select.select([announced], [], [], 60)[0]:
            if not announced.read(100):
                break  # the pipe's end: the worker is no more
        else:
            pytest.fail("The worker outlived its parent.")


def test_the_real_worker_reads_a_real_file():
    with Sandbox() as sandbox:
        parsed = sandbox.parse(b"# Refunds\n\nThey take 5 days.\n", "refunds.md", OPTIONS)
    assert [block.kind for block in parsed.blocks] == ["heading", "text"]
    assert "They take 5 days." in parsed.text


def named_pipe(folder: Path) -> Path:
    path = folder / "pipe"
    os.mkfifo(path)
    return path
