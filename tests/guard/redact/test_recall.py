"""Real lines with secrets that nobody here wrote."""

from collections import defaultdict
from pathlib import Path

import orjson
import pytest

from knowgate.guard.redact import Redactor

LINES = Path(__file__).parents[4] / "shared" / "eval" / "secrets" / "lines.jsonl"


@pytest.mark.skipif(not LINES.exists(), reason="the evaluation data is not here")
def test_nineteen_of_twenty_secrets_go_from_each_source() -> None:
    redactor = Redactor()
    hits: defaultdict[str, list[bool]] = defaultdict(list)
    for line in map(orjson.loads, LINES.read_bytes().splitlines()):
        if line["is_secret"]:
            hits[line["source"]].append(bool(redactor.text(line["text"]).counts))
    assert len(hits) == 2
    assert all(sum(found) / len(found) >= 0.95 for found in hits.values())
