"""Tables of sections that people give their own names, such as [schema.document_fields.status]."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from knowgate.config.knowledge import CustomField, Schema
from knowgate.config.load import load
from knowgate.config.settings import Settings
from knowgate.config.show import as_toml, describe
from knowgate.errors import InputError

STATUS = """
[schema.document_fields.status]
type = "enum"
values = ["draft", "final"]
default = "draft"
"""


def read(folder: Path, text: str, **environ: str) -> Settings:
    (folder / "knowgate.toml").write_text(text, encoding="utf-8")
    return load(environ=environ, cwd=folder).settings


def refused(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, text)
    return str(caught.value).replace(str(folder), "")


def test_sections_are_read_with_their_names(tmp_path: Path):
    fields = read(tmp_path, STATUS + '[schema.document_fields."team name"]\n').schema_.document_fields
    assert fields == {
        "status": CustomField(type="enum", values=("draft", "final"), default="draft"),
        "team name": CustomField(),
    }


def test_a_flag_has_the_whole_table(tmp_path: Path):
    (tmp_path / "knowgate.toml").write_text(STATUS, encoding="utf-8")
    flags = {"schema.document_fields": {"status": {"default": "final"}, "team": {}}}
    fields = load(flags=flags, environ={}, cwd=tmp_path).settings.schema_.document_fields
    assert fields["status"].default == "final"
    assert fields["team"] == CustomField()


def test_the_environment_changes_a_section_that_there_is(tmp_path: Path):
    settings = read(tmp_path, STATUS, KNOWGATE_SCHEMA_DOCUMENT_FIELDS_STATUS_DEFAULT="final")
    assert settings.schema_.document_fields["status"].default == "final"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[schema.document_fields.status]\ntyp = "enum"', r":2: .*no setting .*status\.typ\..*mean .*status\.type\?"),
        ('[schema.document_fields.status]\ntype = "enumm"', r":2: .*status\.type is \"enumm\".* type = \"enum\""),
        ('[schema.document_fields.status]\nvalues = ["a", 3]', r":2: .*status\.values, item 2, is 3"),
        ('[schema.document_fields.status]\ntype = "enum"', r":1: .*status: a field of type enum needs values"),
        ("[schema.document_fields]\nstatus = 3", r":2: .*status must be a table"),
        ("[schema]\ndocument_fields = 3", r":2: .*document_fields must be a table"),
        ("[schema.documents_fields.status]", r":1: .*Did you mean schema\.document_fields\?"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, told: str):
    assert re.search(told, refused(tmp_path, text))


def test_what_is_in_force_is_shown_and_can_be_written_down(tmp_path: Path):
    (tmp_path / "knowgate.toml").write_text(STATUS, encoding="utf-8")
    loaded = load(environ={}, cwd=tmp_path)
    rows = {row.key: row for row in describe(loaded)}
    assert rows["schema.document_fields.status.default"].value == '"draft"'
    assert rows["schema.document_fields.status.default"].origin.endswith("knowgate.toml:5")
    assert rows["schema.document_fields.status.filterable"].origin == "default"


def test_named_sections_survive_the_file(tmp_path: Path):
    fields = {"a b": CustomField(type="enum", values=("x",)), "c": CustomField(default="", filterable=True)}
    settings = Settings(data=tmp_path / "data", schema=Schema(entity_fields=fields, relation_fields=fields))
    assert read(tmp_path, as_toml(settings)) == settings


def test_the_example_shows_a_section_in_comments(tmp_path: Path):
    text = as_toml(Settings())
    assert "# [schema.document_fields.NAME]" in text
    shown = re.sub(r"^#( \[[\w.]+\.NAME]|   \w+ = )", r"\1", text, flags=re.MULTILINE)
    fields = read(tmp_path, shown).schema_.document_fields
    assert fields == {"NAME": CustomField(type="enum", values=("draft", "final"), default="draft")}
