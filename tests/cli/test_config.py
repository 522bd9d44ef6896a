from __future__ import annotations

import tomllib

import orjson


def test_every_setting_with_its_origin(cli, tmp_path):
    (tmp_path / "knowgate.toml").write_text("[search]\nlimit = 7\n")
    ran = cli("config", "--config", tmp_path / "knowgate.toml")
    line = next(line for line in ran.out.splitlines() if line.startswith("search.limit"))
    assert line.split() == ["search.limit", f"{tmp_path / 'knowgate.toml'}:2", "7"]
    widest = max(len(line) for line in ran.out.splitlines() if "exclude" not in line)
    assert widest < 120 + len(str(tmp_path))


def test_json(cli):
    rows = {row["key"]: row for row in cli("config", "--json").json["settings"]}
    assert rows["server.port"]["value"] == "3000"


def test_the_example_is_a_file_that_works(cli, tmp_path):
    example = cli("config", "--example").out
    assert tomllib.loads(example)["search"]["limit"] == 10
    (tmp_path / "knowgate.toml").write_text(example, encoding="utf-8")
    assert cli("config", "--config", tmp_path / "knowgate.toml").code == 0


def test_a_mistake_is_told_with_its_line(cli, tmp_path):
    (tmp_path / "knowgate.toml").write_text("[search]\nlimti = 7\n")
    ran = cli("stats", "--config", tmp_path / "knowgate.toml", "--json")
    assert (ran.code, orjson.loads(ran.err)["code"]) == (2, "unknown_setting")
    assert "limit" in orjson.loads(ran.err)["fix"]
