import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.chat.wording import Question, denies, may_answer, words


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who approves it?", "who"),
        ("When does it start?", "when"),
        ("In what year was it built?", "when"),
        ("Where is the warehouse?", "where"),
        ("How many days are left?", "number"),
        ("What percentage is refunded?", "number"),
        ("How does it work?", "other"),
        ("refund policy", "other"),
    ],
)
def test_the_kind_of_answer(question: str, kind: str) -> None:
    assert Question(question).kind == kind


def test_words_that_only_ask_are_no_content() -> None:
    assert [word.low for word in Question("Tell me about the refund policy").content] == ["refund", "policy"]
    assert Question("What is it?").content, "a question of such words alone still has content"


def test_keywords_and_requests_do_not_ask() -> None:
    assert not Question("vacuum interval").asks
    assert not Question("Tell me about refunds").asks
    assert Question("refunds?").asks
    assert Question("explain why it failed").asks
    assert Question("退款要多久？").asks


def test_a_capital_is_a_name_in_english_but_not_in_german() -> None:
    english = Question("When did the Northpay contract end?")
    assert [word.text for word in english.words if english.names(word)] == ["Northpay"]
    german = Question("Wie lange dauert die Prüfung durch den Händler?")
    assert not any(german.names(word) for word in german.words)


def test_numbers_are_the_same_in_words_and_digits() -> None:
    assert [word.number for word in words("3rd third three thrice")] == ["3", "3", "3", ""]


def test_negation() -> None:
    assert Question("What isn't refunded?").negated
    assert Question("Which fee is never refunded?").negated
    assert not Question("What happens when a payment failed?").negated
    text = "The fee lacks a ceiling."
    assert denies(text, words(text))


def test_what_may_answer() -> None:
    def fits(kind: str, text: str) -> bool:
        return any(may_answer(kind, word) for word in words(text))  # pyright: ignore[reportArgumentType]

    assert fits("number", "about twelve boxes") and not fits("number", "some boxes")
    assert fits("when", "since 1999") and fits("when", "within five days") and not fits("when", "in the box")
    assert fits("who", "said Maja") and fits("who", "the platform team") and not fits("who", "said they")
    assert fits("where", "in the cellar") and not fits("where", "the cellar")


def test_scripts_without_spaces_are_read_in_pairs() -> None:
    assert [word.text for word in words("退款政策 ok")] == ["退款", "款政", "政策", "ok"]


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    question = Question(text)
    assert (question.kind, question.asks, question.negated) is not None
    assert all(word.terms for word in question.words)
