from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.chat.sentences import units


def quoted(text: str) -> list[str]:
    return [text[unit.start : unit.end] for unit in units(text)]


@given(st.text(alphabet="aB1. ?!\n|-#*:。ü\t", max_size=200))
def test_units_are_in_order_apart_and_never_blank(text: str) -> None:
    end = 0
    for place, unit in enumerate(units(text)):
        assert end <= unit.start < unit.end <= len(text)
        assert text[unit.start : unit.end] == text[unit.start : unit.end].strip() != ""
        assert all(above < place for above in unit.above)
        end = unit.end


@given(st.lists(st.sampled_from(["Rain fell.", "Who knows?", "Stop!"]), min_size=1))
def test_nothing_but_space_is_lost_from_prose(sentences: list[str]) -> None:
    assert quoted(" ".join(sentences)) == sentences


def test_abbreviations_and_decimals_end_no_sentence() -> None:
    assert quoted("Dr. Holm paid 3.50 euros. U.S. law, e.g. this one, applies.") == [
        "Dr. Holm paid 3.50 euros.",
        "U.S. law, e.g. this one, applies.",
    ]


def test_chinese_sentences_need_no_space() -> None:
    assert quoted("退款需要五天。谁批准？经理。") == ["退款需要五天。", "谁批准？", "经理。"]


def test_wrapped_lines_are_one_sentence_and_items_are_their_own() -> None:
    text = (
        "Every parcel that comes back is opened and looked at\nby two people.\n\n- first item\n- second item\n  goes on"
    )
    assert quoted(text) == [
        "Every parcel that comes back is opened and looked at\nby two people.",
        "- first item",
        "- second item",
        "goes on",
    ]


def test_lines_of_settings_stay_apart() -> None:
    text = "services.ledger.environment.EVENT_BUS_ADDRESS_AND_PORT: redpanda:9092\nservices.ledger.image: ledger:2"
    assert quoted(text) == text.split("\n")


def test_rows_know_the_head_of_their_table_and_the_rule_is_no_row() -> None:
    text = "Prices\n\n| what | cost |\n| --- | --- |\n| tent | 289 |\n| hat | 24 |"
    found = units(text)
    assert quoted(text) == ["Prices", "| what | cost |", "| tent | 289 |", "| hat | 24 |"]
    assert [unit.heading for unit in found] == [True, True, False, False]
    assert found[3].above == (0, 1)


def test_rows_without_a_head_are_all_rows() -> None:
    assert not any(unit.heading for unit in units("| tent | 289 |\n| hat | 24 |"))


def test_a_question_above_its_answer_is_a_heading() -> None:
    found = units("How can I pay?\n\nBy card.\n\nMay I cancel?\n\nYes.")
    assert [unit.heading for unit in found] == [True, False, True, False]
    assert [unit.above for unit in found if not unit.heading] == [(0,), (2,)]
