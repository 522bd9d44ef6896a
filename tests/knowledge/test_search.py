from pathlib import Path

import pytest

from knowgate import Engine
from knowgate.errors import ConflictError, InputError
from knowgate.knowledge.search import Query
from knowgate.model import EmbedderIdentity, Filter


@pytest.fixture
def filled(engine: Engine, docs: Path) -> Engine:
    for n in range(12):
        (docs / f"note{n:02d}.txt").write_text(f"Note {n}: the warehouse has {n} pallets.", encoding="utf-8")
    engine.ingest([docs])
    return engine


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
def test_finds_the_passage_and_says_where_it_is(filled: Engine, mode: str) -> None:
    hit = filled.search("when does the courier collect parcels", mode=mode, limit=1).hits[0]
    assert hit.document.name == "guides/parcels.md"
    assert hit.chunk.headings == ("Parcels",)
    assert 0 < hit.score <= 1
    text = Path(hit.document.source).read_text(encoding="utf-8")
    assert text[hit.chunk.start : hit.chunk.end] == hit.chunk.text


def test_meaning_finds_what_words_do_not(filled: Engine) -> None:
    assert filled.search("reimbursement", mode="keyword").hits == ()
    assert filled.search("reimbursement", mode="vector", limit=1).hits[0].document.name == "refunds.md"
    assert filled.search("reimbursement", limit=1).hits[0].document.name == "refunds.md"


def test_filters_hold_inside_retrieval(filled: Engine) -> None:
    for mode in ("hybrid", "keyword", "vector"):
        hits = filled.search("warehouse pallets", mode=mode, limit=3, where=Filter(names=("*.md",))).hits
        assert all(hit.document.name.endswith(".md") for hit in hits)
    assert len(filled.search("warehouse", where=Filter(names=("note0[0-9].txt",))).hits) == 0
    assert len(filled.search("warehouse", mode="keyword", where=Filter(names=("note0?.txt",))).hits) == 10
    assert filled.search("warehouse", where=Filter(types=())).hits == ()


def test_pages_follow_each_other_without_gap_or_repeat(filled: Engine) -> None:
    seen: list[str] = []
    cursor = ""
    while True:
        page = filled.search("warehouse", mode="keyword", limit=5, cursor=cursor)
        seen += [hit.chunk.id for hit in page.hits]
        cursor = page.cursor
        if not cursor:
            break
    whole = [hit.chunk.id for hit in filled.search("warehouse", mode="keyword", limit=100).hits]
    assert seen == whole
    assert len(seen) == 12


def test_a_cursor_belongs_to_its_query(filled: Engine) -> None:
    cursor = filled.search("warehouse", limit=2).cursor
    for other in ("courier", "warehouse "):
        with pytest.raises(InputError) as error:
            filled.search(other, limit=2, cursor=cursor)
        assert error.value.code == "bad_cursor"
    for junk in ("x", "!!!", "e30=", "bnVsbA=="):
        with pytest.raises(InputError, match="cursor"):
            filled.search("warehouse", cursor=junk)


def test_star_lists_everything_in_order(filled: Engine) -> None:
    first = filled.search("*", limit=10)
    rest = filled.search("*", limit=10, cursor=first.cursor)
    names = [hit.document.name for hit in (*first.hits, *rest.hits)]
    assert names == sorted(names)
    assert len(names) == 14
    assert rest.cursor == ""


def test_a_quoted_phrase_must_stand_there(filled: Engine) -> None:
    assert [hit.document.name for hit in filled.search('"has 7 pallets"', mode="keyword").hits] == ["note07.txt"]
    assert filled.search('"pallets 7 has"').hits == ()
    assert filled.search('pallets "at noon"', mode="keyword").hits[0].document.name == "guides/parcels.md"


def test_quotes_in_a_question_are_only_marks(filled: Engine) -> None:
    names = [hit.document.name for hit in filled.search('When is a "parcel post" collected by the courier?').hits]
    assert names[0] == "guides/parcels.md"


def test_a_threshold_cuts(filled: Engine) -> None:
    hits = filled.search("courier parcel noon", limit=20).hits
    limit = hits[0].score
    assert [hit.score for hit in filled.search("courier parcel noon", threshold=limit).hits] == [limit]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"query": "  "}, "empty_query"),
        ({"query": "x" * 20_000}, "long_query"),
        ({"query": "x", "limit": 0}, "bad_limit"),
        ({"query": "x", "limit": 5000}, "bad_limit"),
        ({"query": "x", "threshold": 1.5}, "bad_threshold"),
    ],
)
def test_bad_input(engine: Engine, changes: dict[str, object], code: str) -> None:
    with pytest.raises(InputError) as error:
        engine.search(**changes)
    assert error.value.code == code


def test_an_empty_index_finds_nothing(engine: Engine) -> None:
    assert engine.search("anything").hits == ()
    assert engine.search("*").hits == ()


def test_another_embedder_is_refused_with_the_command_while_keywords_work(filled: Engine) -> None:
    filled.store.start_space(EmbedderIdentity("openai", "other", 3))
    result = filled.search("courier")
    assert result.mode == "keyword"
    assert result.hits[0].document.name == "guides/parcels.md"
    assert "knowgate reembed" in result.warnings[0]
    with pytest.raises(ConflictError) as error:
        filled.search("courier", mode="vector")
    assert error.value.code == "embedder_changed"


def test_highlights_mark_the_words_of_the_query(filled: Engine) -> None:
    hit = filled.search("courier collecting", limit=1).hits[0]
    assert [hit.chunk.text[begin:end] for begin, end in hit.highlights] == ["courier", "collects"]


def test_the_default_query_is_hybrid() -> None:
    assert Query("x").mode == "hybrid"


def test_hybrid_pages_never_repeat_or_skip(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(260):
        (folder / f"{n:03d}.txt").write_text(f"Parcel {n} waits in hall {n % 7}, row {n % 13}.", encoding="utf-8")
    engine.ingest([folder])
    seen: list[str] = []
    cursor = ""
    while True:
        page = engine.search("parcel hall row", limit=25, cursor=cursor)
        seen += [hit.chunk.id for hit in page.hits]
        cursor = page.cursor
        if not cursor:
            break
    assert len(seen) == len(set(seen)) == 260


def test_a_model_that_refuses_leaves_the_words(filled: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    from knowgate.errors import NetworkError

    def refuse(_: str) -> None:
        raise NetworkError("embedder_refused_key", "The key was refused.", "Check it.")

    monkeypatch.setattr(filled.embedder(), "embed_query", refuse)
    result = filled.search("courier")
    assert (result.mode, result.hits[0].document.name) == ("keyword", "guides/parcels.md")
    assert "The key was refused." in result.warnings[0]
