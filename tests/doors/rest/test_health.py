from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from knowgate.version import __version__


def _read(http) -> dict[tuple[str, ...], float]:
    answer = http.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain")
    samples = [sample for family in text_string_to_metric_families(answer.text) for sample in family.samples]
    return {(sample.name, *sample.labels.values()): sample.value for sample in samples}


def test_health(http):
    assert http.get("/health").json() == {"status": "ok", "version": __version__}


def test_load_balancers_may_ask_for_the_head_alone(http):
    for path in ("/health", "/ready"):
        answer = http.head(path)
        assert (answer.status_code, answer.content) == (200, b"")


def test_ready(http, engine, monkeypatch):
    assert http.get("/ready").json() == {"status": "ready"}
    with monkeypatch.context() as broken:
        broken.setattr(engine.store, "ready", _closed)
        answer = http.get("/ready")
    assert (answer.status_code, answer.json()) == (503, {"status": "closed"})


def _closed(*_: object) -> None:
    from knowgate.errors import StorageError

    raise StorageError("closed", "The store is closed.")


def test_metrics(http):
    before = _read(http)
    http.get("/api/v1/search", params={"query": "money"})
    http.get("/v1/nothing")
    http.request("BREW", "/health")
    http.request("STEEP", "/health")
    after = _read(http)

    def more(*labels: str) -> float:
        return sum(after[key] - before.get(key, 0) for key in after if key[0] == labels[0] and set(labels) <= {*key})

    assert more("knowgate_requests_total", "GET", "200") >= 1
    assert more("knowgate_requests_total", "unmatched", "404") == 1
    assert more("knowgate_requests_total", "other", "405") == 2
    assert after["knowgate_stored", "documents"] == 2
    assert after["knowgate_stored", "unfinished_tasks"] == 0
    assert after["knowgate_requests_running",] == 1
    assert "search" in " ".join(label for key in after for label in key)


def test_metrics_with_keys(holding, http):
    """Last, since from now on a key is needed."""
    admin, reader = holding("admin"), holding("read")
    assert _read(admin)["knowgate_requests_running",] == 1
    assert (reader.get("/metrics").status_code, http.get("/metrics").status_code) == (200, 401)
    assert holding("write").get("/metrics").status_code == 403
    assert http.get("/health").status_code == http.get("/ready").status_code == 200
