"""The commands in README and docs are real: each is run in a folder where its files exist."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from knowgate.cli.main import run

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "cli.md")]
BLOCK = re.compile(r"```sh\n(.*?)```", re.S)
# Endless, or in need of something a test has not: their options are checked, but they are not run.
ONLY_PARSED = re.compile(r"serve|watch|apis mock|policy resume|--background|https?://|\bID\b|\bNAME\b|reembed")


def commands(page: Path) -> list[str]:
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    lines = [line.split(" #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("knowgate ")]


@pytest.fixture
def desk(tmp_path: Path, examples: Path) -> Path:
    shutil.copytree(examples, tmp_path / "docs")
    shutil.copy(examples / "handbook.pdf", tmp_path / "report.pdf")
    (tmp_path / "notes.md").write_text("# Notes\n\nCall the courier.\n", encoding="utf-8")
    (tmp_path / "knowgate.toml").write_text('data = "data"\n', encoding="utf-8")
    return tmp_path


def test_there_are_commands() -> None:
    assert sum(len(commands(page)) for page in PAGES) > 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_work_one_after_the_other(
    desk: Path, page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk)
    for line in commands(page):
        arguments = shlex.split(line)[1:]
        if ONLY_PARSED.search(line):
            # What comes last decides: every option before --help still has to exist.
            arguments.append("--help")
        # The server for apps takes standard input and output over, so it gets a process of its own.
        own = [sys.executable, "-m", "knowgate", *arguments]
        code = subprocess.run(own, check=False).returncode if arguments[0] == "mcp" else run(arguments)
        assert code == 0, f"{line}\n{capsys.readouterr().err}"
