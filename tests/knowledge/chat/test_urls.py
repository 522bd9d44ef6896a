from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.knowledge.chat.urls import ingest_request

ONE = "https://shop.example/guide"


@pytest.mark.parametrize(
    "message",
    [
        f"Please ingest the content from this URL into the knowledge base: {ONE}",
        f"add {ONE}",
        f"Add {ONE} to the knowledge base.",
        f"Can you index {ONE}?",
        f"I'd like you to save {ONE}",
        f"I want to add stuff, please ingest {ONE}.",
        f"{ONE} - please add this to your knowledge",
        f"{ONE} ingest it please",
        f"Here is the guide: {ONE}. Please index it.",
        f"I found a nice page, please add {ONE}!",
        f"Ingest {ONE}, then tell me what it says about refunds.",
        f"Learn this page: <{ONE}>",
        f"Add [the guide]({ONE}) to the docs",
        f"Import the Kubernetes guide at {ONE}",
        f"Add to your knowledge base: {ONE}",
        f"Crawl the docs of our shop from {ONE}",
        f"Füge {ONE} zur Wissensbasis hinzu",
        f"Kannst du {ONE} bitte importieren?",
        f"Peux-tu indexer {ONE} ?",
        f"Añade {ONE} a la base de conocimiento",
    ],
)
def test_a_request_is_one(message: str) -> None:
    assert ingest_request(message) == (ONE,)


@pytest.mark.parametrize(
    "message",
    [
        f"what does {ONE} say about refunds?",
        f"how do I add {ONE} to my config?",
        f"Please tell me how to add {ONE}",
        f"Don't ingest {ONE}",
        f"Do not read, add or import {ONE}",
        f"never, ever ingest {ONE}",
        f"Bitte {ONE} nicht importieren",
        f"See {ONE}. You should not add it, save it or index it.",
        f"ingest https://{'x' * 3000}.example",
        f"Should I add {ONE}?",
        f"Did you ingest {ONE}?",
        f"Can I add {ONE}?",
        f"Why not add {ONE}?",
        f"What happens when I import {ONE}?",
        f"Add {ONE} to my config",
        f"Load {ONE} in the browser",
        f"Index of {ONE}",
        f"Import errors at {ONE}",
        f"load balancing docs: {ONE}",
        f"The index at {ONE} is broken",
        f"Save money with {ONE}",
        f"add the following header to requests to {ONE}",
        f"summarise {ONE}",
        "ingest file:///etc/passwd",
        "ingest https://",
        "add this to the knowledge base",
    ],
)
def test_a_question_or_another_wish_is_none(message: str) -> None:
    assert ingest_request(message) == ()


def test_several_addresses_in_their_order_and_once() -> None:
    message = f"Please add these pages:\n- {ONE}\n2. https://b.example/x\n- {ONE}\nThanks! See https://c.example too."
    assert ingest_request(message) == (ONE, "https://b.example/x")


@pytest.mark.parametrize("tail", [".", "!", "?", ",", ");", '".', "'", "**", ">"])
def test_the_punctuation_around_an_address_is_not_part_of_it(tail: str) -> None:
    assert ingest_request(f"ingest {ONE}{tail}") == (ONE,)


def test_brackets_of_the_address_itself_are() -> None:
    assert ingest_request("add (https://en.example/wiki/Gate_(door))") == ("https://en.example/wiki/Gate_(door)",)


@pytest.mark.parametrize("part", ["-, ", "and ", "please, ", "\n", ")", "bitte die ", "add it ", "laden, ", "add , "])
def test_a_long_row_of_anything_is_read_once(part: str) -> None:
    row = part * (25_000 // len(part))
    for message in (f"{row} {ONE}", f"{ONE} {row}", f"{ONE}{row}"):
        assert set(ingest_request(message)) <= {ONE}


def test_many_verbs_before_much_text_are_read_once() -> None:
    assert ingest_request(f"add {ONE} , " * 300 + "to " + "x to y " * 1500) == ()


def test_a_text_that_somebody_pasted_is_no_request() -> None:
    assert ingest_request(f"Add {ONE}") == (ONE,)
    assert ingest_request(f"Add {ONE}\n" + "and so on " * 3000) == ()


@given(st.text())
def test_whatever_is_said_only_addresses_of_the_message_come_out(text: str) -> None:
    for url in ingest_request(text):
        assert url in text
        assert url.lower().startswith(("http://", "https://"))


@given(st.text(alphabet=st.characters(exclude_characters=".!?\n"), max_size=60), st.sampled_from(["add", "ingest"]))
def test_what_follows_does_not_make_a_question_a_request(text: str, verb: str) -> None:
    assert ingest_request(f"How do I {verb} {ONE} {text}") == ()


@given(st.from_regex(r"[a-z]{1,12}(\.[a-z]{2,5}){1,2}(/[\w~%-]{0,8}){0,3}(\?[a-z]=[a-z0-9]{1,4})?", fullmatch=True))
def test_any_plain_address_is_found_as_it_stands(rest: str) -> None:
    url = f"https://{rest}".rstrip("_")
    assert ingest_request(f"Please ingest {url}") == (url,)
