"""What docs/errors.md says about exit codes is so."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from knowgate import errors
from knowgate.cli import failure

PAGE_FILE = Path(__file__).parents[2] / "docs" / "errors.md"
PAGE = PAGE_FILE.read_text(encoding="utf-8")


def test_the_page_knows_every_family():
    table = PAGE.partition("## All codes")[0]
    rows = {int(code): status for code, status in re.findall(r"^\| (\d+) \| ([\d, ]*) ?\|", table, re.MULTILINE)}
    families = [family for family in vars(errors).values() if isinstance(family, type)]
    for family in families:
        assert str(family.http_status) in rows[family.exit_code], family
    assert {failure.INCOMPLETE, failure.INTERRUPTED} <= set(rows)


def test_the_list_of_codes_is_fresh():
    script = PAGE_FILE.parents[1] / "scripts" / "list_errors.py"
    assert runpy.run_path(str(script))["refreshed"](PAGE) == PAGE, "python scripts/list_errors.py"


def test_what_is_first_gathered_and_then_raised_is_listed_too():
    assert "`unset_variable`" in PAGE


def test_people_see_the_code_too(cli, tmp_path):
    ran = cli("ingest", tmp_path / "gone.md", "--data", tmp_path / "data")
    assert ran.code == 2
    assert ran.err.startswith("Error [file_not_found]: There is no file")
    assert "\nFix: " in ran.err
