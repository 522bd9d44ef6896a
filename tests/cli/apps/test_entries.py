from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.cli.apps.entries import Entry, Held, entries, load, save, this_program, with_entry
from knowgate.cli.apps.places import App
from knowgate.errors import InputError, StorageError

APP = App("An app", Path("mcp.json"), None)
TYPED = App("Another", Path("mcp.json"), None, below="servers", typed=True)
ENTRY = Entry("/opt/knowgate", ["mcp", "--read-only"])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)
_OBJECTS = st.dictionaries(st.text(max_size=8), _JSON, max_size=4)


def _held(tmp_path: Path, text: str, below: str = "mcpServers") -> Held:
    path = tmp_path / "mcp.json"
    path.write_text(text, encoding="utf-8")
    return load(path, below)


def test_where_nothing_was(tmp_path):
    held = load(tmp_path / "mcp.json", "servers")
    assert json.loads(with_entry(held, TYPED, "knowgate", ENTRY)) == {
        "servers": {"knowgate": {"type": "stdio", "command": "/opt/knowgate", "args": ["mcp", "--read-only"]}}
    }
    assert not (tmp_path / "mcp.json").exists()


@pytest.mark.parametrize("text", ["", " \n", "{}", "\ufeff{}"])
def test_an_empty_file(tmp_path, text):
    assert "knowgate" in with_entry(_held(tmp_path, text), APP, "knowgate", ENTRY)


@given(rest=_OBJECTS, servers=_OBJECTS, name=st.text(max_size=8))
def test_everything_else_is_kept(tmp_path_factory, rest, servers, name):
    config = {**rest, "mcpServers": servers}
    held = _held(tmp_path_factory.mktemp("app"), json.dumps(config, indent=4))
    text = with_entry(held, APP, name, ENTRY)
    after = json.loads(text.encode("utf-8"))
    assert after["mcpServers"].pop(name)["command"] == ENTRY.command
    config["mcpServers"] = {key: value for key, value in servers.items() if key != name}
    assert after == config
    assert list(after) == list(config)
    again = _held(tmp_path_factory.mktemp("app"), text)
    assert with_entry(again, APP, name, ENTRY) == text


def test_what_was_added_to_ours_is_kept(tmp_path):
    before = {"command": "/old/knowgate", "args": ["mcp"], "env": {"KNOWGATE_API_KEY": "k"}, "disabled": True}
    held = _held(tmp_path, json.dumps({"mcpServers": {"knowgate": before}}))
    after = json.loads(with_entry(held, APP, "knowgate", ENTRY))["mcpServers"]["knowgate"]
    assert after == {**before, "command": "/opt/knowgate", "args": ["mcp", "--read-only"]}


def test_a_server_elsewhere_becomes_one_that_is_started(tmp_path):
    before = {"type": "http", "url": "https://example.com/mcp", "headers": {}}
    held = _held(tmp_path, json.dumps({"mcpServers": {"knowgate": before}}))
    after = json.loads(with_entry(held, APP, "knowgate", ENTRY))["mcpServers"]["knowgate"]
    assert after == {"command": "/opt/knowgate", "args": ["mcp", "--read-only"]}


@pytest.mark.parametrize("indent", [2, 4, "\t"])
def test_the_indentation_stays(tmp_path, indent):
    text = json.dumps({"mcpServers": {"é": {"command": "a"}}, "theme": "dark"}, indent=indent, ensure_ascii=False)
    after = with_entry(_held(tmp_path, text), APP, "knowgate", ENTRY)
    assert after == json.dumps(json.loads(after), indent=indent, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(
    "text",
    ["// mine\n{}", '{"servers": {}, }', "[]", "7", '{"mcpServers": []}', '{"mcpServers": null}', "{"],
)
def test_what_cannot_be_kept_is_refused(tmp_path, text):
    with pytest.raises(InputError) as refusal:
        _held(tmp_path, text)
    assert refusal.value.code == "app_config_not_json"
    assert str(tmp_path / "mcp.json") in refusal.value.message


def test_a_file_that_is_no_text(tmp_path):
    (tmp_path / "mcp.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(StorageError) as refusal:
        load(tmp_path / "mcp.json", "mcpServers")
    assert refusal.value.code == "app_config_unreadable"


def test_the_backup_is_what_was_there_last(tmp_path):
    path = tmp_path / "deep" / "mcp.json"
    assert save(path, "one") is None
    backup = save(path, "two")
    assert backup == tmp_path / "deep" / "mcp.json.knowgate.bak"
    assert (backup.read_text(), path.read_text()) == ("one", "two")
    assert save(path, "three") == backup
    assert (backup.read_text(), path.read_text()) == ("two", "three")
    assert sorted(each.name for each in path.parent.iterdir()) == ["mcp.json", "mcp.json.knowgate.bak"]


@pytest.mark.skipif(os.name == "nt", reason="rights and links are of another kind there")
def test_rights_and_links_stay(tmp_path):
    real, link = tmp_path / "dotfiles.json", tmp_path / "mcp.json"
    real.write_text("{}")
    real.chmod(0o600)
    link.symlink_to(real)
    backup = save(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert [stat.S_IMODE(each.stat().st_mode) for each in (real, backup)] == [0o600, 0o600]


def test_a_folder_in_the_way(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError) as refusal:
        save(tmp_path / "file" / "mcp.json", "{}")
    assert refusal.value.code == "app_config_unwritable"


def test_the_servers_that_are_programs(tmp_path):
    servers = {
        "plain": {"command": "a"},
        "full": {"command": "b", "args": ["c", 1], "env": {"D": 2}},
        "remote": {"url": "https://example.com"},
        "odd": [1],
        "bad": {"command": 7},
        "loose": {"command": "e", "args": "mcp", "env": []},
    }
    found = entries(_held(tmp_path, json.dumps({"mcpServers": servers})))
    assert found == {"plain": Entry("a", []), "full": Entry("b", ["c", "1"], {"D": "2"}), "loose": Entry("e", [])}


@pytest.mark.parametrize(
    ("command", "args", "ours"),
    [
        ("/opt/bin/knowgate", ["mcp"], True),
        ("C:\\Tools\\knowgate.exe", ["mcp"], True),
        ("python", ["-P", "-m", "knowgate", "mcp"], True),
        ("openrag-mcp", [], True),
        ("uvx", ["knowgate", "mcp"], True),
        ("npx", ["-y", "something"], False),
        ("cat", ["/home/knowgate/notes.txt"], False),
    ],
)
def test_which_are_ours(command, args, ours):
    assert Entry(command, args).ours is ours


def test_this_program_is_found_from_anywhere():
    command, *rest = this_program()
    assert Path(command).is_absolute()
    assert Path(command).is_file()
    assert not rest or rest == ["-P", "-m", "knowgate"]
    assert Path(command).parent == Path(sys.executable).parent
