"""What registries and apps are told about us agrees with what we are."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from knowgate import __version__

ROOT = Path(__file__).parents[2]
VALIDATOR = ("@anthropic-ai/mcpb", "2.1.2", "dist/cli/cli.js")


@pytest.fixture(scope="module")
def server() -> dict[str, Any]:
    return json.loads((ROOT / "server.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_registry_is_told_the_truth(server: dict[str, Any], project: dict[str, Any]) -> None:
    [package] = server["packages"]
    assert server["version"] == package["version"] == __version__
    assert server["description"] == project["description"]
    assert (package["registryType"], package["identifier"]) == ("pypi", project["name"])
    # What the registry refuses.
    assert len(server["description"]) <= 100
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])


def test_the_registry_starts_our_server(server: dict[str, Any]) -> None:
    [package] = server["packages"]
    arguments = [argument["value"] for argument in package["packageArguments"]]
    command = [sys.executable, "-m", package["identifier"], *arguments, "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "MCP" in shown
    assert {"KNOWGATE_URL", "KNOWGATE_API_KEY"} <= {each["name"] for each in package["environmentVariables"]}


def test_the_manifest_of_the_bundle(tmp_path: Path, project: dict[str, Any]) -> None:
    manifest = runpy.run_path(str(ROOT / "scripts" / "build_mcpb.py"))["manifest"]()
    assert (manifest["version"], manifest["name"]) == (__version__, project["name"])
    assert "knowgate_search" in [tool["name"] for tool in manifest["tools"]]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    npm = runpy.run_path(str(ROOT / "scripts" / "conformance.py"))
    try:
        validator = npm["program"](*VALIDATOR)
    except npm["Unavailable"] as error:
        pytest.skip(str(error))
    done = subprocess.run([*validator, "validate", str(tmp_path / "manifest.json")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_bundle_installs_the_wheel_that_it_holds() -> None:
    wheel = f"knowgate-{__version__}-py3-none-any.whl"
    written = tomllib.loads(runpy.run_path(str(ROOT / "scripts" / "build_mcpb.py"))["project_file"](wheel))
    assert written["project"]["dependencies"] == ["knowgate"]
    assert written["tool"]["uv"]["sources"]["knowgate"] == {"path": wheel}
