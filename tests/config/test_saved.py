"""Settings that were changed while a server ran."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.config.load import load
from knowgate.config.saved import save
from knowgate.errors import InputError, StorageError


def loaded(data: Path, **environ: str):
    return load(flags={"data": str(data)}, environ=environ, cwd=data.parent)


def test_what_was_changed_is_in_force(tmp_path: Path) -> None:
    (tmp_path / "knowgate.toml").write_text('[chat]\nprovider = "ollama"\nmodel = "one"\n')
    save(tmp_path / "data", {"chat.model": "two", "parse.ocr": True, "chunk.tokens": 100})
    found = loaded(tmp_path / "data")
    assert (found.settings.chat.provider, found.settings.chat.model) == ("ollama", "two")
    assert (found.settings.parse.ocr, found.settings.chunk.tokens) == (True, 100)
    assert "settings.toml" in str(found.origins["chat.model"])


def test_the_environment_is_stronger(tmp_path: Path) -> None:
    save(tmp_path / "data", {"chat.model": "two"})
    assert loaded(tmp_path / "data", KNOWGATE_CHAT_MODEL="three").settings.chat.model == "three"


def test_a_change_keeps_the_others_and_can_be_taken_back(tmp_path: Path) -> None:
    save(tmp_path / "data", {"chat.model": "two", "chunk.tokens": 100})
    save(tmp_path / "data", {"chat.model": None})
    found = loaded(tmp_path / "data").settings
    assert (found.chat.model, found.chunk.tokens) == (None, 100)


def test_what_somebody_broke_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "settings.toml").write_text("[chunk]\ntokens = 3\n")
    with pytest.raises(InputError, match=r"settings\.toml:2"):
        loaded(tmp_path / "data")
    (tmp_path / "data" / "settings.toml").write_text("[chunk")
    with pytest.raises(StorageError, match="cannot be changed"):
        save(tmp_path / "data", {"chunk.tokens": 100})


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=50))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, prompt: str) -> None:
    data = tmp_path_factory.mktemp("saved")
    # A line end is a line end, however it was written; ${NAME} would be looked up.
    prompt = prompt.replace("$", "")
    save(data, {"chat.system_prompt": prompt})
    assert loaded(data).settings.chat.system_prompt == prompt
