from __future__ import annotations

import orjson


def test_there_and_back(cli, shop_data, tmp_path):
    archive = tmp_path / "shop.kgz"
    assert cli("export", archive, "--data", shop_data, "--json").json["documents"] == 20
    assert cli("import", archive, "--data", tmp_path / "new", "--json").json["added"] == 20
    assert cli("stats", "--data", tmp_path / "new", "--json").json["vectors"] > 20
    refused = cli("export", archive, "--data", shop_data, "--json")
    assert refused.code != 0
    assert set(orjson.loads(refused.err)) == {"error", "code", "fix"}
    assert cli("export", archive, "--overwrite", "--data", shop_data).code == 0


def test_without_vectors(cli, docs, tmp_path):
    archive = tmp_path / "docs.kgz"
    cli("ingest", docs, "--data", tmp_path / "old")
    assert cli("export", archive, "--no-vectors", "--data", tmp_path / "old", "--json").json["vectors"] == 0
    ran = cli("import", archive, "--data", tmp_path / "new")
    assert ran.code == 0
    assert "`knowgate ingest` makes them" in ran.err
    assert cli("ingest", "--data", tmp_path / "new", "--json").json == {"tasks": [], "vectors": 2}
