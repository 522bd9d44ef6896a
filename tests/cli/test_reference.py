from __future__ import annotations

from pathlib import Path

from knowgate.cli.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_page_is_not_stale():
    assert PAGE.read_text(encoding="utf-8") == reference(), "python -m knowgate.cli.reference > docs/cli.md"


def test_every_value_has_a_name():
    assert " None`" not in reference()
