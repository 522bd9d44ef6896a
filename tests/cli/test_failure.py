"""What docs/errors.md says about exit codes is so."""

from __future__ import annotations

import re
from pathlib import Path

from knowgate import errors
from knowgate.cli import failure

PAGE = (Path(__file__).parents[2] / "docs" / "errors.md").read_text(encoding="utf-8")


def test_the_page_knows_every_family():
    rows = {int(code): status for code, status in re.findall(r"^\| (\d+) \| ([\d, ]*) ?\|", PAGE, re.MULTILINE)}
    families = [family for family in vars(errors).values() if isinstance(family, type)]
    for family in families:
        assert str(family.http_status) in rows[family.exit_code], family
    assert {failure.INCOMPLETE, failure.INTERRUPTED} <= set(rows)
