"""What each signal counts for. Fitted by `python -m bench.chat_fit`, which prints these tables."""

from __future__ import annotations

RANK = {
    "here": 0.70,
    "near": 1.13,
    "order": 2.06,
    "kind": -1.89,
    "length": 0.26,
    "score": 5.02,
    "meaning": 1.14,
}
"""Which sentence answers best."""
TRUST = {
    "": -1.97,
    "here": 1.11,
    "opposite": -3.51,
    "negated": -1.63,
    "negation": -1.54,
    "names": -0.67,
    "numbers": -1.15,
    "kind": -0.73,
    "order": -1.49,
    "size": 0.83,
    "score": 1.57,
    "cosine": 2.20,
}
"""Whether it answers at all, as log-odds, of which "" is the constant; 0 is even."""
TRUST_WORDS = {
    "": -1.59,
    "here": 1.18,
    "opposite": -3.41,
    "negated": -1.57,
    "negation": -1.55,
    "names": -0.72,
    "numbers": -1.13,
    "kind": -0.57,
    "order": -1.39,
    "size": 0.99,
    "score": 2.85,
}
"""The same without vectors, or with those of a model whose cosines have another scale."""
UNRELATED = -2.0
"""Set by hand: hardly a question of the sets is put to documents about something else."""
