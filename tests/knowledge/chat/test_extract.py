from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.chat.extract import THRESHOLD, Extract, extract
from knowgate.knowledge.embed.minilm import MiniLM
from knowgate.model import Chunk, Document, Hit

REFUNDS = """How refunds work

1. The customer has **30 days** from delivery to send something back.
2. They print a return label from their account. The label costs 3.50 euros, which we take off the refund.

Refunds above 250 euros are approved by Oskar Lund, the head of finance. The warehouse in Skerry Lane checks every
parcel in. The largest refund so far was paid in March 2021."""
PRICES = """| article | price |
| --- | --- |
| Skerry tent | 289.00 |
| Cairn socks | 16.50 |"""
GERMAN = "Rückgabe\n\nSie haben 30 Tage Zeit, um die Ware zurückzugeben. Das Porto kostet 3,50 Euro."
CHINESE = "退款政策规定客户可以在三十天内退货。退款由财务主管批准。"


def hit(text: str, score: float = 0.6, name: str = "a.md", headings: tuple[str, ...] = ()) -> Hit:
    document = Document(name, name, name, "text", "text/plain", name, "", "", len(text), "", 0.0, 0.0)
    return Hit(Chunk(f"{name}:0", name, 0, text, headings, 0, len(text)), document, score)


@pytest.fixture(scope="module")
def minilm() -> Iterator[MiniLM]:
    embedder = MiniLM()
    yield embedder
    embedder.close()


def quotes(answer: Extract, hits: Sequence[Hit]) -> list[str]:
    return [hits[quote.hit].chunk.text[quote.start : quote.end] for quote in answer.quotes]


HITS = [hit(REFUNDS), hit(PRICES, 0.45, "b.csv"), hit(GERMAN, 0.4, "c.md")]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who approves refunds above 250 euros?", "Oskar Lund"),
        ("How many days does the customer have to send something back?", "30 days"),
        ("What does the return label cost?", "3.50 euros"),
        ("What is the price of the Skerry tent?", "289.00"),
        ("When was the largest refund paid?", "March 2021"),
        ("return label", "label"),
        ("Tell me about refunds", "efund"),
    ],
)
@pytest.mark.parametrize("vectors", [True, False])
def test_quotes_the_sentence_that_answers(question: str, expected: str, vectors: bool, minilm: MiniLM) -> None:
    answer = extract(question, HITS, minilm if vectors else None)
    assert expected in quotes(answer, HITS)[0]
    assert len(answer.quotes) <= 3
    assert 0.5 <= answer.confidence <= 1


@pytest.mark.parametrize(
    "question",
    [
        "Who approves refunds below 250 euros?",
        "Who approves refunds above 900 euros in Japan?",
        "When was the smallest refund paid?",
        "Who doesn't approve refunds above 250 euros?",
    ],
)
@pytest.mark.parametrize("vectors", [True, False])
def test_abstains_when_the_question_differs_in_what_matters(question: str, vectors: bool, minilm: MiniLM) -> None:
    answer = extract(question, HITS, minilm if vectors else None)
    assert answer.quotes == ()
    assert answer.confidence < THRESHOLD


@pytest.mark.parametrize("question", ["What is the capital of France?", "Who won the world cup?", "qwer asdf zxcv"])
@pytest.mark.parametrize("vectors", [True, False])
def test_abstains_when_the_passages_are_about_something_else(question: str, vectors: bool, minilm: MiniLM) -> None:
    hits = [hit(REFUNDS, 0.15), hit(PRICES, 0.1, "b.csv")]
    assert extract(question, hits, minilm if vectors else None).quotes == ()


@pytest.mark.parametrize(
    ("question", "expected"),
    [("Wie viele Tage habe ich Zeit, die Ware zurückzugeben?", "30 Tage"), ("谁批准退款？", "财务主管")],
)
def test_other_languages(question: str, expected: str, minilm: MiniLM) -> None:
    hits = [hit(GERMAN), hit(CHINESE, 0.6, "zh.md")]
    assert expected in quotes(extract(question, hits, minilm), hits)[0]


def test_a_heading_is_context_and_not_an_answer(minilm: MiniLM) -> None:
    hits = [hit("How can I pay?\n\nBy card or by bank transfer.\n\nCan I cancel an order?\n\nUntil it is dispatched.")]
    assert quotes(extract("How can I pay for the order?", hits, minilm), hits)[0] == "By card or by bank transfer."


def test_no_passages_no_answer(minilm: MiniLM) -> None:
    assert extract("Who approves refunds?", [], minilm) == Extract((), 0.0)
    assert extract("Who approves refunds?", [hit("")], minilm) == Extract((), 0.0)


class Counted(MiniLM):
    """Counts its calls: each may be a journey to another machine."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []

    def embed_passages(self, texts: Sequence[str]):
        self.calls.append(len(texts))
        return super().embed_passages(texts)


def test_all_sentences_are_embedded_in_one_call_of_bounded_size() -> None:
    embedder = Counted()
    long = " ".join(f"Refund number {n} was paid by the customer service." for n in range(60))
    extract("Who paid the refund to the customer?", [hit(long, name=f"{n}") for n in range(5)], embedder)
    embedder.close()
    assert len(embedder.calls) == 1
    assert embedder.calls[0] <= 20


@given(st.text(max_size=80), st.lists(st.text(max_size=200), max_size=3), st.floats(0, 1))
def test_quotes_lie_within_their_passages(question: str, texts: list[str], score: float) -> None:
    hits = [hit(text, score, str(n)) for n, text in enumerate(texts)]
    answer = extract(question, hits, None)
    assert 0 <= answer.confidence <= 1
    assert all(text and text == text.strip() for text in quotes(answer, hits))
