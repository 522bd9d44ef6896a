from __future__ import annotations

import pytest

from knowgate.engine import Engine


def test_hits_name_file_score_headings_and_passage(cli, shop_data):
    ran = cli("search", "how do refunds work", "--limit", "1", "--data", shop_data)
    first, second, third, *_ = ran.out.splitlines()
    assert first.startswith("1. refund-policy.md  0.")
    assert second == "   Refund policy > How refunds work"
    assert third.startswith("   1. The customer has")
    assert "--cursor" in ran.err


def test_a_page_is_named(cli, shop_data):
    assert "handbook.pdf, page 3" in cli("search", "express order", "--file", "handbook.pdf", "--data", shop_data).out


def test_json(cli, shop_data):
    found = cli("search", "which service writes to the ledger", "--data", shop_data, "--json").json
    assert set(found) == {"hits", "mode", "cursor", "warnings"}
    best = found["hits"][0]
    assert best["document"]["name"] == "services/ledger.md"
    start, end = best["highlights"][0]
    assert best["chunk"]["text"][start:end].lower() in ("ledger", "service", "services", "writes", "write")


def test_the_cursor_goes_on(cli, shop_data):
    arguments = ("search", "order", "--limit", "3", "--data", shop_data, "--json")
    first = cli(*arguments).json
    second = cli(*arguments, "--cursor", first["cursor"]).json
    ids = [hit["chunk"]["id"] for hit in (*first["hits"], *second["hits"])]
    assert len(set(ids)) == 6


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        (["--file", "ledger.md"], {"services/ledger.md"}),
        (["--file", "services/l*.md", "--file", "faq.html"], {"services/ledger.md", "faq.html"}),
        (["--type", "pdf", "--type", "docx"], {"handbook.pdf", "security-policy.docx"}),
        (["--owner", "nobody"], set()),
        (["--until", "1999-12-31"], set()),
    ],
)
def test_filters(cli, shop_data, filters, names):
    found = cli("search", "*", "--limit", "200", *filters, "--data", shop_data, "--json").json
    assert {hit["document"]["name"] for hit in found["hits"]} == names


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["zebra", "--mode", "keyword"], "--mode vector"),
        (["refund", "--threshold", "1"], "--threshold"),
        (["refund", "--type", "pptx"], "no document fits the filter"),
    ],
)
def test_no_results_says_what_to_try(cli, shop_data, arguments, advice):
    ran = cli("search", *arguments, "--data", shop_data)
    assert (ran.code, ran.out) == (0, "")
    assert advice in ran.err


def test_an_empty_index_says_so(cli, tmp_path):
    assert "knowgate ingest FOLDER" in cli("search", "refund", "--data", tmp_path / "data").err


def test_what_a_terminal_would_obey_is_not_printed(cli, tmp_path, open_engine):
    engine: Engine = open_engine()
    engine.ingest(text="# Refunds\n\nAsk \u009b31m here for refunds.\n", filename="trap\x1b[2J.md")
    ran = cli("search", "refunds", "--mode", "keyword", "--data", tmp_path / "data")
    assert ran.code == 0
    assert "here for refunds." in ran.out
    assert "trap" in ran.out
    assert not {"\x1b", "\u009b"} & set(ran.out + ran.err)


def test_words_need_no_quotes(cli, shop_data):
    quoted = cli("search", "how do refunds work", "--data", shop_data)
    assert cli("search", "how", "do", "refunds", "work", "--data", shop_data).out == quoted.out


def test_documents_of_one_name_are_told_apart(cli, docs, tmp_path):
    (docs / "guides" / "refunds.md").write_text("# Refunds\n\nAnother text.\n")
    cli("ingest", docs / "refunds.md", docs / "guides" / "refunds.md", "--data", tmp_path / "data")
    ran = cli("search", "refunds", "--data", tmp_path / "data")
    for listing in (ran.out, cli("documents", "--data", tmp_path / "data").out):
        assert str(docs / "refunds.md") in listing
        assert str(docs / "guides" / "refunds.md") in listing


def test_sources_are_not_told_where_names_do(cli, shop_data, examples):
    assert str(examples) not in cli("search", "refunds", "--data", shop_data).out
