"""Any problem as a search that players and `mcts.search` use: what is spent on it, and the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypedDict

import numpy as np

from mcts.ordinary.turns import takes_turns
from mcts.ordinary.workers import must_be_sent, run_elsewhere, shares_of
from mcts.processes.growth import most_visited
from mcts.processes.planning import PlanResult, plan
from mcts.processes.process import Process
from numerics import checks
from numerics.positions import is_ordinary, is_position
from numerics.random import Purpose, derived_seed


class PlanOptions(TypedDict, total=False):
    """The options of `plan` that `mcts.search` takes."""

    scale: str | tuple[float, float]
    loop: str | None
    steps: int
    discount: float | None
    widen_moves: tuple[float, float] | None
    widen_outcomes: tuple[float, float] | None


_PLANNED = frozenset(PlanOptions.__annotations__)


def is_planned(board: Any, options: Mapping[str, Any]) -> bool:
    """Return whether a problem is searched as `plan` does: a process, or a position that is no game of turns.

    A position of any class is, where an option of `plan` asks for it.

    Raises
    ------
    ValueError
        A board with hooks and an option of `plan`, or a position that breaks a promise.
    """
    if isinstance(getattr(board, "process", board), Process):
        return True
    given = sorted(_PLANNED.intersection(options))
    if is_position(board):
        return bool(given) or (is_ordinary(board) and not takes_turns(board))
    if given:
        raise ValueError(
            f"{given[0]} must be left out for a game with hooks, such as Connect 4: results are in [0, 1]; got "
            f"{checks.show(options[given[0]])}"
        )
    return False


def planned(
    board: Any, policy: Any, workers: int, seed: int, options: Mapping[str, Any], usual: Mapping[str, Any]
) -> Callable[[int | None, float | None, float | None], PlanResult]:
    """Return what searches any problem by `plan`, given simulations, seconds and seconds of a processor.

    Parameters
    ----------
    board : object
        The problem.
    policy : Policy, str or mapping
    workers : int
        Independent searches whose visits are added: threads for a process, processes for positions.
    seed : int
    options : mapping
        Those of `plan`, and the options of `Search` as they are when left out.
    usual : mapping
        The options of `Search` by their defaults.

    Raises
    ------
    ValueError
        An option of `Search` that is not the default; or positions that workers cannot have.
    """
    for name, value in usual.items():
        given = options.get(name, value)
        if given is not value and (value is None or given != value):  # no array is compared
            raise ValueError(
                f"{name} must be left out for problems with chance or rewards, or results other than win, draw and "
                f"loss; got {checks.show(given)}"
            )
    if workers > 1 and is_position(board):
        must_be_sent(board)
    chosen = {name: value for name, value in options.items() if name in _PLANNED}

    def run(simulations: int | None, seconds: float | None, cpu_seconds: float | None) -> PlanResult:
        if cpu_seconds is not None:
            raise ValueError(
                f"cpu_seconds must be left out for problems with chance or rewards; got {cpu_seconds:g}; give seconds"
            )
        if workers == 1:
            return plan(board, policy, simulations, seconds, seed=seed, **chosen)
        seeds = [derived_seed(seed, (Purpose.TREE_SEARCH, number)) for number in range(workers)]
        asked = [
            (board, policy, share, seconds, {**chosen, "seed": each})
            for share, each in zip(shares_of(simulations, workers), seeds, strict=True)
        ]
        if is_position(board):
            return add_plans(run_elsewhere(_plan, asked))
        with ThreadPoolExecutor(workers) as pool:
            return add_plans(list(pool.map(_plan, asked)))

    return run


def _plan(asked: tuple[Any, Any, int | None, float | None, dict[str, Any]]) -> PlanResult:
    board, policy, simulations, seconds, options = asked
    return plan(board, policy, simulations, seconds, **options)


def add_plans(results: list[PlanResult]) -> PlanResult:
    """Return the first result, with the visits and values of all results added.

    Best play is that of the search with the most visits of the best move, among those that prefer it.
    """
    first = results[0]
    visits = np.zeros((len(results), len(first.moves)))
    sums = np.zeros_like(visits)
    for row, result in enumerate(results):
        for move, count, value in zip(result.moves, result.visits, result.values, strict=True):
            column = first.moves.index(move)
            visits[row, column], sums[row, column] = count, count * value if count else 0.0
    total = visits.sum(axis=0)
    with np.errstate(invalid="ignore"):
        values = sums.sum(axis=0) / total
    best = most_visited(total, values)
    move, most_first = first.moves[best], np.argsort(-visits[:, best], kind="stable").tolist()
    lines = (results[row].principal_variation for row in most_first)
    return PlanResult(
        first.problem,
        first.policy,
        sum(result.simulations for result in results),
        sum(result.steps for result in results),
        max(result.depth for result in results),
        sum(result.states for result in results),
        first.moves,
        total.astype(np.int64),
        values,
        next((line for line in lines if line[:1] == [move]), [move]),
    )
