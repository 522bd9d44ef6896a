from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowgate.errors import InputError
from knowgate.tools.native.graph import PathInput
from knowgate.tools.native.ingest import IngestInput
from knowgate.tools.native.search import SearchInput
from knowgate.tools.openrag.settings import UpdateInput
from knowgate.tools.reading import read_input
from knowgate.tools.tool import Given


def test_a_null_is_what_was_left_out():
    assert read_input(SearchInput, {"query": "a", "mode": None, "limit": None}).mode == "hybrid"


def test_numbers_in_quotes_are_numbers():
    assert read_input(SearchInput, {"query": "a", "limit": "7"}).limit == 7


@pytest.mark.parametrize(
    ("model", "arguments", "told"),
    [
        (SearchInput, {}, "query is required. Call again with query."),
        (SearchInput, {"query": ""}, "query is required. Call again with query."),
        (SearchInput, {"query": 7}, "query is 7. It must be a text."),
        (SearchInput, {"query": "a", "limit": 101}, "limit is 101. Use at most 100."),
        (SearchInput, {"query": "a", "limit": 1.5}, "limit is 1.5. It must be a whole number."),
        (SearchInput, {"query": "a", "score_threshold": "high"}, "score_threshold is 'high'. It must be a number."),
        (SearchInput, {"query": "a", "data_sources": "a.md"}, "data_sources is 'a.md'. It must be a list."),
        (SearchInput, {"query": "a", "data_sources": [7]}, "data_sources.0 is 7. It must be a text."),
        (SearchInput, {"query": "a" * 10_001}, "query is too long. Use at most 10000 characters."),
        (SearchInput, {"query": "a", "max": 1}, "There is no argument max. There are "),
        (PathInput, {"from": "a", "to": "b", "max_depth": 3}, "There is no argument max_depth. Did you mean maxDepth?"),
        (IngestInput, {"url": "ftp://x"}, "url is 'ftp://x'. It must match '^https?://'."),
        (IngestInput, {"path": "a", "wait": "perhaps"}, "wait is 'perhaps'. It must be true or false."),
        (UpdateInput, {"chunk_size": 0}, "chunk_size is 0. Use at least 1."),
    ],
)
def test_what_is_wrong_is_told_in_words(model: type[Given], arguments: dict[str, object], told: str):
    with pytest.raises(InputError) as error:
        read_input(model, arguments)
    assert str(error.value).startswith(told)


@given(
    st.dictionaries(
        st.sampled_from([*SearchInput.model_fields, "other"]),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.lists(st.integers()),
    )
)
def test_whatever_is_sent_is_read_or_refused_in_words(arguments: dict[str, object]):
    try:
        assert read_input(SearchInput, arguments).query
    except InputError as error:
        assert error.message
        assert error.fix
        assert "pydantic" not in str(error)
