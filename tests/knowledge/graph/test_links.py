from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.graph.links import HOPS, MOST_DEFINITIONS, graph_list, join
from knowgate.knowledge.graph.names import title_names
from knowgate.store.port import Definition, Scored

FILMS = {
    "Sankat City": "Sankat City is a film directed by Pankaj Advani. It was shot in Mumbai.",
    "Pankaj Advani (director)": "Pankaj Advani was a film maker, born in Porto and married to Ann Hui.",
    "Pankaj Advani (player)": "Pankaj Advani is a player of billiards.",
    "Mumbai": "Mumbai is a city.",
    "Porto": "Porto is a city on the Douro River. Its mayor is Rui Moreira.",
    "Douro River": "The Douro River is long.",
    "Ann Hui": "Ann Hui is an engineer.",
    "Rui Moreira": "Rui Moreira studied law.",
}


class Shelf:
    """Passages by title, of which only some may be seen."""

    def __init__(self, passages: Mapping[str, str], allowed: Collection[str] | None = None) -> None:
        self.passages = {title: text for title, text in passages.items() if allowed is None or title in allowed}
        self.looks: list[str] = []
        self.defined: dict[str, list[Definition]] = {}
        for title, text in self.passages.items():
            for key, weight in title_names(title, text).items():
                self.defined.setdefault(key, []).append(Definition(title, weight))

    def definitions(self, keys: Sequence[str]) -> Mapping[str, Sequence[Definition]]:
        assert keys
        self.looks.append("definitions")
        return {key: self.defined[key] for key in keys if key in self.defined}

    def texts(self, chunk_ids: Sequence[str]) -> Mapping[str, str]:
        assert chunk_ids
        self.looks.append("texts")
        return {id: self.passages[id] for id in chunk_ids if id in self.passages}


def found(query: str, seeds: Sequence[str], shelf: Shelf) -> list[str]:
    return [hit.chunk_id for hit in graph_list(query, ranking(*seeds), shelf)]


def ranking(*ids: str) -> list[Scored]:
    return [Scored(id, 0.8 / (place + 1)) for place, id in enumerate(ids)]


def test_a_passage_leads_to_what_it_names() -> None:
    shelf = Shelf(FILMS)
    assert found("Who directed Sankat City?", ["Sankat City"], shelf)[:2] == ["Sankat City", "Pankaj Advani (director)"]


def test_a_passage_that_the_question_names_needs_no_seed_of_its_own() -> None:
    assert "Sankat City" in found("Who directed Sankat City?", ["Rui Moreira"], Shelf(FILMS))


def test_links_that_the_question_speaks_of_come_before_others() -> None:
    shelf = Shelf(FILMS)
    order = found("Where was Sankat City shot?", ["Sankat City"], shelf)
    assert order.index("Mumbai") < order.index("Pankaj Advani (director)")
    order = found("Who directed Sankat City?", ["Sankat City"], shelf)
    assert order.index("Pankaj Advani (director)") < order.index("Mumbai")


def test_the_walk_goes_on_where_the_question_does() -> None:
    query = "Who is the mayor of the city where the person who directed Sankat City was born?"
    order = found(query, ["Sankat City"], Shelf(FILMS))
    assert order.index("Porto") < order.index("Ann Hui")
    assert "Rui Moreira" in order
    assert "Douro River" not in order


def test_four_hops() -> None:
    chain = {
        "Alpha Relay": "Alpha Relay feeds Beta Relay.",
        "Beta Relay": "Beta Relay wakes Gamma Relay.",
        "Gamma Relay": "Gamma Relay stops Delta Relay.",
        "Delta Relay": "Delta Relay guards Omega Relay.",
        "Omega Relay": "Omega Relay is red.",
    }
    query = "What colour has that which is guarded by what is stopped by what is waked by what Alpha Relay feeds?"
    order = found(query, ["Alpha Relay"], Shelf(chain))
    assert order[:2] == ["Alpha Relay", "Beta Relay"]
    assert set(order) == chain.keys()


def test_a_question_that_names_nothing_is_left_alone() -> None:
    assert found("What do I need for a good soup?", ["Sankat City", "Porto"], Shelf(FILMS)) == []


def test_without_a_name_a_link_needs_the_words_of_the_question() -> None:
    shelf = Shelf({**FILMS, "Sankat City": "Directed by Ann Hui. It was shot near the Douro River, in Porto."})
    assert found("place shot where?", ["Sankat City"], shelf) == ["Douro River"]


def test_without_a_name_a_single_word_leads_on_only_when_it_is_coined() -> None:
    manual = {"Payments": "All money is sent to LedgerService and to Billing.", "Ledger Service": "", "Billing": ""}
    assert found("where is money sent?", ["Payments"], Shelf(manual)) == ["Ledger Service"]
    assert "Billing" in found("where does Ledger Service send?", ["Payments"], Shelf(manual))


def test_a_question_without_capitals_may_still_name_something() -> None:
    assert "Sankat City" in found("who directed sankat city", ["Porto"], Shelf(FILMS))
    assert found("what is a porto", ["Ann Hui"], Shelf(FILMS)) == []


def test_a_name_that_many_passages_define_names_nothing() -> None:
    crowd = {f"Overview ({n})": "Overview of things." for n in range(MOST_DEFINITIONS + 1)}
    assert found("What does the Overview say?", ["Sankat City"], Shelf({**FILMS, **crowd})) == []


def test_a_passage_does_not_lead_to_its_namesakes() -> None:
    shelf = Shelf(FILMS)
    order = found("What did Ann Hui build?", ["Pankaj Advani (player)"], shelf)
    assert "Pankaj Advani (director)" not in order


def test_nothing_comes_of_nothing() -> None:
    assert graph_list("Who directed Sankat City?", [], Shelf(FILMS)) == []
    assert graph_list("Who directed Sankat City?", [Scored("Porto", 0.0)], Shelf(FILMS)) == []


def test_the_number_of_look_ups_is_bounded() -> None:
    shelf = Shelf(FILMS)
    found("Who is the mayor of the city where the person who directed Sankat City was born?", list(FILMS), shelf)
    assert len(shelf.looks) <= 1 + 2 * HOPS


titles = st.sampled_from(["Ann Bo", "Bo Cy", "Cy Dee", "Dee Eff", "Eff Gee", "Gee Ann"])
sentences = st.lists(st.one_of(titles, st.sampled_from(["made", "by", "in", "old", "."])), max_size=8).map(" ".join)
corpora = st.dictionaries(titles, sentences, min_size=1)


@given(corpora, st.sets(titles), sentences, st.permutations(["Ann Bo", "Cy Dee", "Eff Gee"]))
def test_a_filter_hides_passages_as_if_they_were_not_there(
    passages: dict[str, str], allowed: set[str], query: str, order: list[str]
) -> None:
    seeds = ranking(*(id for id in order if id in allowed and id in passages))
    alone = {title: text for title, text in passages.items() if title in allowed}
    proposed = graph_list(query, seeds, Shelf(passages, allowed))
    assert proposed == graph_list(query, seeds, Shelf(alone))
    assert {hit.chunk_id for hit in proposed} <= alone.keys()


@given(corpora, sentences, st.permutations(["Ann Bo", "Cy Dee", "Eff Gee"]))
def test_no_score_falls_and_the_best_stays_the_best(passages: dict[str, str], query: str, order: list[str]) -> None:
    seeds = ranking(*order)
    proposed = graph_list(query, seeds, Shelf(passages))
    joined = join(seeds, proposed)
    scores = {hit.chunk_id: hit.score for hit in joined}
    assert joined[0].chunk_id == seeds[0].chunk_id
    assert len(scores) == len(joined)
    assert [hit.score for hit in joined] == sorted((hit.score for hit in joined), reverse=True)
    assert all(scores[hit.chunk_id] >= hit.score for hit in (*seeds, *proposed))
    assert all(0 < hit.score <= seeds[0].score for hit in proposed)


def test_joining_with_nothing_changes_nothing() -> None:
    assert join(ranking("a", "b"), []) == ranking("a", "b")
    assert join([], []) == []
