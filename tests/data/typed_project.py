"""A user's program with types throughout: tests/test_wheel.py has mypy --strict read it against the installed wheel."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bandits import UCB, Arms, Bernoulli, Custom, Policy, Result, bonus_rule, make, simulate
from connect4 import Analysis, Board, analyse
from mcts import SearchResult, search


@bonus_rule
def narrower(t: float, c: float = 1.0) -> float:
    return math.sqrt(c * math.log(t))


def compared(arms: Arms, names: Sequence[str]) -> dict[str, float]:
    """Return the mean regret of each policy."""
    policies: list[Policy] = [UCB(c=0.5), Custom("typed_project.narrower", c=0.5), *(make(name) for name in names)]
    results: list[Result] = [simulate(policy, arms, horizon=1_000, runs=100, seed=0) for policy in policies]
    return {result.label: float(result.pseudo_regret.mean()) for result in results}


def best_of(board: Board) -> tuple[int, list[int]]:
    """Return the move of a search, and those that are best."""
    found: SearchResult = search(board, simulations=1_000, seed=0)
    exact: Analysis = analyse(board)
    return found.best_move, list(exact.best)


if __name__ == "__main__":
    print(compared(Bernoulli([0.1, 0.5, 0.9]), ["greedy"]))
