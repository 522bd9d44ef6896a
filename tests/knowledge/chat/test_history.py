from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import InputError, NotFoundError
from knowgate.knowledge.chat.history import LONGEST_MESSAGE, Chats, title
from knowgate.model import Message
from knowgate.store.port import Store
from knowgate.store.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = SqliteStore(tmp_path / "data")
    yield store
    store.close()


@pytest.fixture
def chats(store: Store) -> Chats:
    return Chats(store)


def turn(text: str) -> list[Message]:
    return [Message("user", text, 1.0), Message("assistant", f"About {text}", 2.0)]


def test_a_conversation_is_kept_in_order(chats: Chats) -> None:
    chat = chats.start("ann", "How do refunds work?")
    for text in ("one", "two", "three"):
        chats.append("ann", chat.id, turn(text))
    kept = chats.get("ann", chat.id)
    assert kept.title == "How do refunds work?"
    assert [message.content for message in kept.messages] == [
        m.content for t in ("one", "two", "three") for m in turn(t)
    ]
    assert kept.count == 6
    assert kept.updated_at > kept.created_at


def test_nobody_sees_anothers(chats: Chats) -> None:
    chat = chats.start("ann", "secret")
    chats.append("ann", chat.id, turn("secret"))
    wanted: list[str] = []
    for owner, id in (("bob", chat.id), ("ann", "0" * 20), ("ann", f"{chat.id}/00000000"), ("ann", ""), ("an", "n")):
        for call in (chats.get, chats.delete, lambda owner, chat_id: chats.append(owner, chat_id, turn("x"))):
            with pytest.raises(NotFoundError) as caught:
                call(owner, id)
            assert caught.value.code == "chat_not_found"
            wanted.append(str(caught.value))
    assert len(set(wanted)) == 1
    assert chats.list("bob").chats == ()


def test_an_owner_is_not_taken_for_another_by_his_slashes(chats: Chats) -> None:
    for owner in ("a", "a/b", "a%2Fb", "ü @"):
        chat = chats.start(owner, owner)
        chats.append(owner, chat.id, turn("x"))
    for owner in ("a", "a/b", "a%2Fb", "ü @"):
        assert [chat.title for chat in chats.list(owner).chats] == [owner]


def test_lists_newest_activity_first_page_by_page(chats: Chats) -> None:
    ids = [chats.start("ann", f"chat {n}").id for n in range(5)]
    for id in (*ids, ids[1]):
        chats.append("ann", id, turn("x"))
    chats.start("ann", "nothing was said in this one")
    seen: list[str] = []
    cursor = ""
    while True:
        page = chats.list("ann", limit=2, cursor=cursor)
        seen += [chat.id for chat in page.chats]
        cursor = page.cursor
        if not cursor:
            break
    assert seen == [ids[1], ids[4], ids[3], ids[2], ids[0]]
    assert page.chats[0].messages == ()
    assert page.chats[0].count == 2


def test_two_who_write_at_once_both_are_heard(chats: Chats) -> None:
    chat = chats.start("ann", "crowd")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: chats.append("ann", chat.id, turn(f"message {n}")), range(24)))
    kept = chats.get("ann", chat.id)
    said = [message.content for message in kept.messages]
    assert kept.count == 48
    assert sorted(said[::2]) == sorted(f"message {n}" for n in range(24))
    assert all(answer == f"About {asked}" for asked, answer in zip(said[::2], said[1::2], strict=True))


def test_deleting_leaves_nothing(chats: Chats, store: Store) -> None:
    chat, other = chats.start("ann", "a"), chats.start("ann", "b")
    for id in (chat.id, other.id):
        chats.append("ann", id, turn("x"))
    chats.delete("ann", chat.id)
    assert len(store.scan_records("chat_message")) == 2
    assert [kept.id for kept in chats.list("ann").chats] == [other.id]
    with pytest.raises(NotFoundError):
        chats.append("ann", chat.id, turn("y"))


@pytest.mark.parametrize(("text", "code"), [(" \n", "empty_message"), ("x" * (LONGEST_MESSAGE + 1), "long_message")])
def test_a_blank_or_endless_message_is_refused(chats: Chats, text: str, code: str) -> None:
    chat = chats.start("ann", "hello")
    for call in (lambda: chats.start("ann", text), lambda: chats.append("ann", chat.id, turn(text))):
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.code == code


@pytest.mark.parametrize(("limit", "cursor"), [(0, ""), (1001, ""), (5, "?"), (5, "e30="), (5, "WzEsMl0sMw==")])
def test_a_wrong_page_is_refused(chats: Chats, limit: int, cursor: str) -> None:
    with pytest.raises(InputError):
        chats.list("ann", limit, cursor)


@given(st.text())
def test_a_title_is_one_short_line(text: str) -> None:
    assert len(title(text)) <= 60
    assert "\n" not in title(text)


def test_a_title_is_cut_between_words() -> None:
    long = "How do refunds work when the parcel was returned, but never arrived at the warehouse?"
    assert title(long) == "How do refunds work when the parcel was returned, but never…"
    assert title("退款" * 50) == "退款" * 29 + "退…"
