from __future__ import annotations

import pytest

from knowgate.config.settings import Settings


def test_what_is_in_force(http):
    assert http.get("/api/v1/settings").json() == {
        "agent": {"llm_provider": "none", "llm_model": None, "system_prompt": ""},
        "knowledge": {
            "embedding_provider": "minilm",
            "embedding_model": "all-MiniLM-L6-v2",
            "chunk_size": Settings().chunk.tokens,
            "chunk_overlap": 0,
            "table_structure": True,
            "ocr": False,
            "picture_descriptions": False,
        },
    }


def test_changing(http, engine):
    asked = {"system_prompt": "Be \x7f brief \x00.", "chunk_size": 200, "chunk_overlap": 20, "table_structure": True}
    told = http.post("/api/v1/settings", json=asked).json()["message"]
    assert "In force after the next start: chunk_size." in told
    assert "Not used here: chunk_overlap." in told
    shown = http.get("/v1/settings").json()
    assert (shown["agent"]["system_prompt"], shown["knowledge"]["chunk_size"]) == (asked["system_prompt"], 200)
    assert http.post("/api/v1/settings", json={}).json() == {"message": "Settings updated."}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"chunk_size": 0}, "bad_setting"),
        ({"chunk_size": 10**30}, "bad_request"),
        ({"chunk_size": 100, "chunk_overlap": 100}, "bad_setting"),
        ({"llm_provider": "nobody"}, "bad_setting"),
        ({"llm_model": ""}, "bad_setting"),
        ({"chunk_size": "many"}, "bad_request"),
        ({"ocr": "perhaps"}, "bad_request"),
        ({"index_name": "x"}, "bad_request"),
    ],
)
def test_what_cannot_be_set(http, change, code):
    before = http.get("/api/v1/settings").json()
    refused = http.post("/api/v1/settings", json=change)
    assert (refused.status_code, refused.json()["code"]) == (400, code)
    assert http.get("/api/v1/settings").json() == before


@pytest.mark.parametrize("provider", ["nobody", "a/b", "openai", "%00"])
def test_models_of_nobody(http, provider):
    refused = http.get(f"/api/v1/models/{provider}")
    assert refused.status_code == 400
    assert refused.json()["code"] in ("unknown_provider", "provider_not_configured")
