"""What documents say of themselves, and the fields that are configured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from knowgate import Engine
from knowgate.config.knowledge import CustomField, Schema
from knowgate.knowledge.reading import checked_fields
from knowgate.model import SchemaField

STATUS = CustomField(type="enum", values=("draft", "final"), default="draft")


def test_front_matter_fills_the_fields_of_documents(tmp_path: Path, open_engine: Callable[..., Engine]) -> None:
    (tmp_path / "a.md").write_text("---\nstatus: final\nteam: Ink\n---\n\n# A\n\nText.\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("---\nstatus: finished\n---\n\n# B\n\nText.\n", encoding="utf-8")
    (tmp_path / "c.md").write_text("# C\n\nText.\n", encoding="utf-8")
    fields = {"status": STATUS, "team": CustomField(default="nobody"), "area": CustomField()}
    files = [tmp_path / name for name in ("a.md", "b.md", "c.md")]
    open_engine().ingest(files)
    engine = open_engine(schema=Schema(document_fields=fields))
    task = engine.ingest(files)
    assert task.completed == 3
    told = {each.name: dict(each.fields) for each in engine.documents().documents}
    assert {name: (each.get("status"), each.get("team"), each.get("area")) for name, each in told.items()} == {
        "a.md": ("final", "Ink", None),
        "b.md": ("draft", "nobody", None),
        "c.md": ("draft", "nobody", None),
    }
    warnings = {file.name: file.warnings for file in engine.task_files(task.id) if file.warnings}
    assert warnings == {
        "b.md": ("The field status is 'finished', but must be one of draft, final. Correct it in the document.",)
    }
    assert engine.ingest(files).skipped == 3


def test_a_wrong_value_without_a_default_is_left_out() -> None:
    fields, wrong = checked_fields({"size": 3, "other": "x"}, {"size": SchemaField("enum", ("s", "m"))})
    assert fields == {"other": "x"}
    assert len(wrong) == 1


def test_nothing_configured_changes_nothing() -> None:
    assert checked_fields({"size": 3}, {}) == ({"size": 3}, [])
