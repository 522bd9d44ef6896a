from __future__ import annotations

import pytest

from knowgate.cli.start import serves_mcp


@pytest.mark.parametrize(
    ("line", "serves"),
    [
        ("mcp", True),
        ("mcp --read-only", True),
        ("--data mcp mcp", True),
        ("--data /tmp/x --config y mcp --toolset openrag", True),
        ("--json mcp", True),
        ("search mcp", False),
        ("--data mcp", False),
        ("--data mcp search mcp", False),
        ("mcp --help", False),
        ("mcp install --client cursor", False),
        ("--data x mcp --data y install", False),
        ("", False),
    ],
)
def test_the_command_is_told_from_a_word(line: str, serves: bool):
    assert serves_mcp(line.split()) == serves
