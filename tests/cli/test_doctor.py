from __future__ import annotations

import os
from dataclasses import replace

import pytest

from knowgate.store.sqlite import store as store_module


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Of somebody with no apps: those of whoever runs the tests are not to be started."""
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return tmp_path / "home"


def _checks(ran) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in ran.json["checks"]}


def test_healthy(cli, shop_data):
    ran = cli("doctor", "--data", shop_data)
    assert ran.code == 0
    assert "✓ database  20 documents, " in ran.out
    assert "✓ embedder" in ran.out
    assert "✓ reader" in ran.out
    assert cli("doctor", "--data", shop_data, "--json").json["healthy"]


def test_an_app_whose_server_is_gone(cli, home, tmp_path):
    config = home / ".cursor" / "mcp.json"
    config.parent.mkdir(parents=True)
    config.write_text('{"mcpServers": {"docs": {"command": "/gone/knowgate", "args": ["mcp"]}}}')
    ran = cli("doctor", "--data", tmp_path / "data")
    assert ran.code == 1
    assert "✗ Cursor: docs  There is no program /gone/knowgate." in ran.out
    assert "knowgate mcp install" in ran.out


@pytest.mark.embedded
def test_before_anything_is_indexed(cli, tmp_path):
    ran = cli("doctor", "--data", tmp_path / "data", "--json")
    assert ran.code == 0
    assert _checks(ran)["database"]["found"] == "nothing is indexed yet"
    assert not (tmp_path / "data").exists()


@pytest.mark.embedded
@pytest.mark.parametrize("keep", [0, 4096], ids=["no database", "damaged inside"])
def test_a_corrupt_database(cli, indexed, keep):
    database = indexed / "store.db"
    content = database.read_bytes()
    database.write_bytes(content[:keep] + b"\xa5" * (len(content) - keep))
    ran = cli("doctor", "--data", indexed, "--json")
    assert ran.code == 1
    assert _checks(ran)["database"]["status"] == "wrong"
    assert "knowgate import" in _checks(ran)["database"]["fix"]


@pytest.mark.embedded
def test_a_damaged_segment_costs_nothing_but_its_file(cli, tmp_path, open_engine, monkeypatch):
    monkeypatch.setattr(store_module, "WORD_CODEC", replace(store_module.WORD_CODEC, tail_rows=4))
    engine = open_engine()
    for number in range(6):
        engine.ingest(text=f"Parcel number {number} is on its way.", filename=f"{number}.md")
    engine.store.maintain()
    engine.close()
    segment, *_ = (tmp_path / "data" / "segments").iterdir()
    content = bytearray(segment.read_bytes())
    content[-64] ^= 1
    segment.write_bytes(content)
    ran = cli("doctor", "--data", tmp_path / "data", "--json")
    assert ran.code == 1
    assert segment.name in _checks(ran)["database"]["found"]
    assert "delete the file" in _checks(ran)["database"]["fix"]
    segment.unlink()
    assert cli("doctor", "--data", tmp_path / "data", "--json").json["healthy"]


def test_a_bad_configuration(cli, tmp_path):
    (tmp_path / "knowgate.toml").write_text("nonsense = 1\n")
    ran = cli("doctor", "--config", tmp_path / "knowgate.toml")
    assert ran.code == 1
    assert "✗ configuration" in ran.out
    assert "Fix: " in ran.out


def test_a_missing_extra_and_a_missing_folder(cli, tmp_path):
    (tmp_path / "knowgate.toml").write_text('docs = ["gone"]\n[parse]\nocr = true\n')
    checks = _checks(cli("doctor", "--config", tmp_path / "knowgate.toml", "--data", tmp_path / "data", "--json"))
    assert checks["docs"]["status"] == "wrong"
    assert checks["extra ocr"]["fix"] == "Run `pip install 'knowgate[ocr]'`."


def test_a_cluster_is_named_even_if_nobody_is_there(cli, tmp_path):
    (tmp_path / "knowgate.toml").write_text(
        '[store]\nprovider = "opensearch"\nurl = ["http://127.0.0.1:1"]\nprefix = "kb"\n'
    )
    checks = _checks(cli("doctor", "--config", tmp_path / "knowgate.toml", "--data", tmp_path / "data", "--json"))
    assert checks["address of the cluster"]["found"] == "http://127.0.0.1:1, indexes kb-*"
    assert checks["cluster"]["status"] == "wrong"


def test_another_embedder(cli, shop_data, tmp_path):
    (tmp_path / "knowgate.toml").write_text(
        '[embedder]\nprovider = "ollama"\nmodel = "m"\ndimension = 8\nbase_url = "http://127.0.0.1:9"\n'
    )
    ran = cli("doctor", "--config", tmp_path / "knowgate.toml", "--data", shop_data, "--json")
    assert ran.code == 1
    assert _checks(ran)["embedder"]["status"] == "wrong"


def test_interrupted_tasks(cli, docs, tmp_path, open_engine):
    open_engine().submit([docs])
    checks = _checks(cli("doctor", "--data", tmp_path / "data", "--json"))
    assert checks["tasks"]["fix"] == "Run `knowgate tasks resume`."


@pytest.mark.skipif(
    os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_a_read_only_folder(cli, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    checks = _checks(cli("doctor", "--data", locked, "--json"))
    assert checks["data folder"]["status"] == "wrong"
