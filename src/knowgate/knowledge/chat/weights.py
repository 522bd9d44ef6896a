"""What each signal counts for. Fitted by `python -m bench.chat_fit`, which prints these tables."""

from __future__ import annotations

RANK = {
    "here": 1.36,
    "near": 0.97,
    "order": 3.08,
    "kind": -1.93,
    "score": 3.23,
    "cosine": 3.84,
}
"""Which sentence answers best."""
RANK_WORDS = {
    "here": 2.06,
    "near": 0.44,
    "order": 3.98,
    "kind": -2.00,
    "score": 5.33,
}
"""The same without vectors."""
TRUST = {
    "always": -2.39,
    "here": 0.93,
    "opposite": -3.31,
    "negated": -1.53,
    "negation": -1.77,
    "names": -0.65,
    "numbers": -1.33,
    "kind": -1.56,
    "order": -1.24,
    "size": 0.76,
    "score": 1.74,
    "cosine": 1.91,
}
"""Whether it answers at all, as log-odds: 0 is even."""
TRUST_WORDS = {
    "always": -2.27,
    "here": 0.97,
    "opposite": -2.97,
    "negated": -1.43,
    "negation": -2.13,
    "names": -0.70,
    "numbers": -1.44,
    "kind": -1.34,
    "order": -1.01,
    "size": 0.91,
    "score": 2.90,
}
"""The same without vectors, or with those of a model whose cosines have another scale."""
UNRELATED = -2.0
"""Set by hand: hardly a question of the sets is put to documents about something else."""
