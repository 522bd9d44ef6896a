"""A bundle that Claude Desktop and others install by a double click: python scripts/build_mcpb.py

It holds our wheel, and uv, which the app brings along, fetches what the wheel needs. Written to dist/.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

from knowgate.tools.toolsets import find_toolset
from knowgate.version import __version__

ROOT = Path(__file__).parents[1]
_ENTRY = "server/main.py"
_MAIN = """from knowgate.cli.start import main

if __name__ == "__main__":
    main()
"""


def manifest() -> dict[str, Any]:
    """https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md"""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = [{"name": tool.name, "description": tool.title} for tool in find_toolset("native").tools]
    return {
        "manifest_version": "0.4",
        "name": project["name"],
        "display_name": "Knowgate",
        "version": __version__,
        "description": project["description"],
        "author": {"name": "The Knowgate authors"},
        "license": project["license"],
        "keywords": project["keywords"],
        "server": {
            "type": "uv",
            "entry_point": _ENTRY,
            "mcp_config": {"command": "uv", "args": ["run", "--directory", "${__dirname}", _ENTRY, "mcp"]},
        },
        "tools": tools,
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": project["requires-python"]},
        },
    }


def project_file(wheel: str) -> str:
    """What uv is told to install."""
    return (
        f'[project]\nname = "knowgate-bundle"\nversion = "{__version__}"\nrequires-python = ">=3.11"\n'
        f'dependencies = ["knowgate"]\n\n[tool.uv.sources]\nknowgate = {{ path = "{wheel}" }}\n'
    )


def build(target: Path) -> Path:
    """The bundle, in the folder `target`."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "build", "--wheel", "--outdir", folder, str(ROOT)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        [wheel] = Path(folder).glob("*.whl")
        target.mkdir(exist_ok=True)
        bundle = target / f"knowgate-{__version__}.mcpb"
        with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("manifest.json", json.dumps(manifest(), indent=2))
            file.writestr("pyproject.toml", project_file(wheel.name))
            file.writestr(_ENTRY, _MAIN)
            file.write(wheel, wheel.name, zipfile.ZIP_STORED)
    return bundle


if __name__ == "__main__":
    print(build(ROOT / "dist"))
