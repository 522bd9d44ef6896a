from __future__ import annotations

import orjson


def test_there_and_back(cli, shop_data, tmp_path):
    archive = tmp_path / "shop.knowgate.zip"
    assert cli("export", archive, "--data", shop_data, "--json").json["documents"] == 20
    assert cli("import", archive, "--data", tmp_path / "new", "--json").json["added"] == 20
    assert cli("stats", "--data", tmp_path / "new", "--json").json["vectors"] > 20
    refused = cli("export", archive, "--data", shop_data, "--json")
    assert refused.code != 0
    assert set(orjson.loads(refused.err)) == {"error", "code", "fix"}
    again = cli("export", archive, "--overwrite", "--data", shop_data)
    assert again.code == 0
    assert "Exporting: 1 of 20 documents." in again.err
    assert "Importing: 1 of 40 steps." in cli("import", archive, "--data", tmp_path / "new").err


def test_without_vectors(cli, docs, tmp_path):
    archive = tmp_path / "docs.knowgate.zip"
    cli("ingest", docs, "--data", tmp_path / "old")
    assert cli("export", archive, "--no-vectors", "--data", tmp_path / "old", "--json").json["vectors"] == 0
    ran = cli("import", archive, "--data", tmp_path / "new")
    assert ran.code == 0
    assert "`knowgate ingest` makes them" in ran.err
    assert cli("ingest", "--data", tmp_path / "new", "--json").json == {"tasks": [], "vectors": 2}
