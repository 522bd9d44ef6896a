"""Fits the weights of the extractive answer: `python -m bench.chat_fit [SET] [--eval ../shared/eval] [--cache FOLDER]`.

Prints the tables of knowgate.knowledge.chat.weights, and what weights fitted on four fifths of the articles do on
the last fifth. Only those figures say what to expect of other questions.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from bench.chat import Case, area, cases, holds, opened, share
from knowgate.knowledge.chat.extract import Candidate, candidates
from knowgate.knowledge.chat.weights import RANK, RANK_WORDS, TRUST, TRUST_WORDS
from knowgate.knowledge.chat.wording import Question

Array = np.ndarray[Any, Any]
FOLDS = 5
RANK_PENALTY, TRUST_PENALTY = 3.0, 10.0
WRONG = (0.15, 0.2, 0.25, 0.3)
SEEDS = (0, 1, 2)
console = Console()


def fit(rows: Array, labels: Array, penalty: float) -> Array:
    """Logistic regression by Newton's method, on standardised columns; a constant column takes the mean."""
    middle, spread = rows.mean(0), rows.std(0)
    constant = spread == 0
    design = np.where(constant, 1.0, (rows - middle) / np.where(constant, 1.0, spread))
    ridge = np.diag(np.where(constant, 1e-9, penalty))
    slopes = np.zeros(rows.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-design @ slopes))
        curvature = design.T @ (design * (chance * (1 - chance))[:, None]) + ridge
        slopes += np.linalg.solve(curvature, design.T @ (labels - chance) - ridge @ slopes)
    found = slopes / np.where(constant, 1.0, spread)
    return np.where(constant, slopes - (found * middle)[~constant].sum(), found)


@dataclass(frozen=True)
class Asked:
    """A question with the signals of its candidates, and which of them are right."""

    answerable: bool
    article: str
    signals: tuple[object, ...]
    right: Array
    gold: Array

    def rows(self, names: Sequence[str]) -> Array:
        return np.array([[getattr(each, name) for name in names] for each in self.signals])


def asked(case: Case, found: Sequence[Candidate]) -> Asked:
    hits = [case.hits[each.hit] for each in found]
    gold = np.array([hit.document.id in case.gold for hit in hits])
    right = np.array([holds(each.text, case.answers) for each in found])
    articles = [hit.document.title for hit in case.hits if hit.document.id in case.gold] or [hits[0].document.title]
    return Asked(case.answerable, articles[0], tuple(each.signals for each in found), gold & right, gold)


def fit_rank(questions: Sequence[Asked], names: Sequence[str]) -> Array:
    learned = [each for each in questions if each.answerable]
    rows = np.concatenate([each.rows([*names, "always"]) for each in learned])
    return fit(rows, np.concatenate([each.right for each in learned]), RANK_PENALTY)[:-1]


def fit_trust(questions: Sequence[Asked], best: Sequence[int], names: Sequence[str]) -> Array:
    rows = np.array([each.rows(names)[place] for each, place in zip(questions, best, strict=True)])
    return fit(rows, np.array([each.answerable for each in questions]), TRUST_PENALTY)


def chosen(questions: Sequence[Asked], rank: Array, names: Sequence[str]) -> list[int]:
    return [int((each.rows(names) @ rank).argmax()) for each in questions]


def crossed(questions: Sequence[Asked], ranks: Sequence[str], trusts: Sequence[str], seed: int) -> None:
    articles = sorted({each.article for each in questions})
    np.random.default_rng(seed).shuffle(articles)
    fold = {article: place % FOLDS for place, article in enumerate(articles)}
    trust = np.zeros(len(questions))
    gold = np.zeros(len(questions), bool)
    for held in range(FOLDS):
        learned = [each for each in questions if fold[each.article] != held]
        rank = fit_rank(learned, ranks)
        weights = fit_trust(learned, chosen(learned, rank, ranks), trusts)
        for place, each in enumerate(questions):
            if fold[each.article] == held:
                best = int((each.rows(ranks) @ rank).argmax())
                trust[place], gold[place] = (each.rows(trusts) @ weights)[best], each.gold[best]
    answerable = np.array([each.answerable for each in questions])
    console.print(f"held-out articles, seed {seed}: area {area(trust, answerable):.4f}")
    for wrong in WRONG:
        threshold = np.quantile(trust[answerable], wrong)
        answered = answerable & (trust >= threshold)
        abstained = float((trust[~answerable] < threshold).mean())
        chance = 1 / (1 + np.exp(-threshold))
        console.print(
            f"  threshold {chance:.2f}: abstains on answerable {wrong:.2f}, unanswerable {abstained:.3f};"
            f" gold {gold[answered].mean():.3f}"
        )


def show(name: str, names: Sequence[str], weights: Array) -> None:
    listed = (f'    "{key}": {value:.2f},' for key, value in zip(names, weights.tolist(), strict=True))
    console.print(f"{name} = {{", *listed, "}", sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", nargs="?", default="squad2_1500")
    parser.add_argument("--eval", type=Path, default=Path(__file__).parents[2] / "shared" / "eval")
    parser.add_argument("--cache", type=Path, help="keep the index here")
    arguments = parser.parse_args()
    folder: Path = arguments.eval / "retrieval" / arguments.set
    with opened(folder, arguments.cache) as engine:
        put = [(case, candidates(Question(case.text), case.hits, engine.embedder())) for case in cases(folder, engine)]
    questions = [asked(case, found) for case, found in put if found]
    console.print(f"{len(questions)} questions, {share([each.answerable for each in questions]):.2f} answerable")
    for suffix, ranks, trusts in (("", list(RANK), list(TRUST)), ("_WORDS", list(RANK_WORDS), list(TRUST_WORDS))):
        for seed in SEEDS:
            crossed(questions, ranks, trusts, seed)
        rank = fit_rank(questions, ranks)
        show(f"RANK{suffix}", ranks, rank)
        show(f"TRUST{suffix}", trusts, fit_trust(questions, chosen(questions, rank, ranks), trusts))


if __name__ == "__main__":
    main()
