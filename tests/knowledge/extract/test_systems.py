"""Real architecture documents, against graphs that people drew of them."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import fmean

import pytest

ROOT = Path(__file__).parents[3]
SYSTEMS = ROOT.parent / "shared" / "eval" / "arch"
sys.path.append(str(ROOT))


@pytest.mark.skipif(not SYSTEMS.is_dir(), reason="the evaluation data is not beside the repository")
def test_relations_are_better_than_company() -> None:
    from bench.graph import measure_system

    drawn = [each for each in map(measure_system, sorted(SYSTEMS.iterdir())) if each.gold_edges]
    for system in drawn:
        assert system.edges.f1 > max(system.sentence.f1, system.passage.f1), system.name
    assert fmean(system.edges.f1 for system in drawn) >= 0.70
    assert fmean(system.nodes.f1 for system in drawn) >= 0.85
