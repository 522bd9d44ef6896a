from knowgate.knowledge.chat.support import Signals, read, signals, weigh
from knowgate.knowledge.chat.wording import Question
from knowgate.model import Chunk, Document, Hit


def signs(question: str, text: str, sentence: str, score: float = 0.6) -> Signals:
    document = Document("a", "a", "a", "text", "text/plain", "a", "", "", len(text), "", 0.0, 0.0)
    asked = Question(question)
    passage = read(asked, Hit(Chunk("a:0", "a", 0, text, ("Harbour",), 0, len(text)), document, score))
    place = next(n for n in range(len(passage.units)) if sentence in passage.text(n))
    return signals(asked, weigh(asked, [passage]), passage, place)


TEXT = "Prices\n\nThe tent costs 289 euros. It was dearer in 2019. Maja Holm sells the lowest stock."


def test_words_count_here_and_near() -> None:
    found = signs("Was the tent dearer?", TEXT, "dearer")
    assert 0 < found.here < found.near == 1


def test_headings_of_the_passage_are_near() -> None:
    assert signs("prices of the Harbour tent", TEXT, "289").near == 1


def test_a_slip_of_the_pen_still_counts() -> None:
    assert signs("sells the lowest stcok to Holmm", "Maja Holm sells the lowest stock.", "Maja").here > 0.5


def test_missing_names_and_numbers_are_told() -> None:
    found = signs("When did the Skerry shop sell 12 of the tents?", TEXT, "289")
    assert (found.names, found.numbers) == (1, 1)
    found = signs("When did Maja Holm sell it for 289?", "In 2019 Maja Holm sold it for 289 euros.", "Maja")
    assert (found.names, found.numbers) == (0, 0)


def test_opposites_and_negations_are_told() -> None:
    assert signs("Who sells the highest stock?", TEXT, "lowest").opposite > 0
    assert signs("Who sells the lowest stock?", TEXT, "lowest").opposite == 0
    assert signs("Who does not sell the stock?", TEXT, "lowest").negation == 1
    assert signs("Who does not sell it?", "Maja never sells it.", "Maja").negation == 0


def test_an_answer_of_the_wrong_kind_is_told() -> None:
    assert signs("How many tents are there?", "There are tents.", "tents").kind == 1
    assert signs("How many tents are there?", "There are nine tents.", "tents").kind == 0


def test_passages_about_something_else_are_told() -> None:
    assert signs("capital of France", TEXT, "289", score=0.1).unrelated == 1
    assert signs("capital of France", TEXT, "289", score=0.7).unrelated == 0
    assert signs("tent costs", TEXT, "289", score=0.1).unrelated == 0
