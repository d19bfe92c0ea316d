"""Search of a process: UCT with the rules of bandits, for chance, rewards on the way, and one or two players."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits import Policy
from mcts.kernels import planning as kernels
from mcts.kernels.planning import (
    BOUNDS,
    COUNTERS,
    DECISIONS,
    DEEPEST,
    HIGH,
    LOW,
    MEASURES,
    SPREAD,
    STEPS,
    TREE,
)
from mcts.policy import IN_A_TREE, index_rule_of
from mcts.processes.process import Process
from numerics import checks
from numerics.kernels.addresses import address_of
from numerics.kernels.users import user_errors
from numerics.random import Purpose, streams

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]

SCALES = ("tree", "spread")
LOOPS = ("closed", "open")
_FIRST = 4_096
_MOST = 50_000_000  # decisions, or actions, of a tree
_kernels: Any = kernels  # which have no types


@dataclass(frozen=True, eq=False, repr=False)
class PlanResult:
    """The result of a search of a process.

    Attributes
    ----------
    process : Process
    policy : Policy
        The rule that chose the actions.
    simulations : int
    steps : int
        Simulated steps.
    depth : int
        Steps to the deepest state of the tree.
    states : int
        In the tree.
    actions : int64[k]
        The actions that are possible at first, in increasing order.
    visits : int64[k]
        N(a) of each.
    values : float64[k]
        The mean return of each for player 0; NaN before a visit.
    """

    process: Process
    policy: Policy
    simulations: int
    steps: int
    depth: int
    states: int
    actions: Words
    visits: Words
    values: Floats

    def __repr__(self) -> str:
        best = int(np.argmax(self.visits))
        return (
            f"PlanResult(best {self.best_action}, value {self.values[best]:.4g}, {self.visits[best]:,} of "
            f"{self.simulations:,} visits)"
        )

    @property
    def best_action(self) -> int:
        """The most visited action; of several the one with the best mean for the player to move."""
        process = self.process
        lower = process.to_move is not None and process.state[process.to_move] == 1
        means = -self.values if lower else self.values
        return int(max(zip(self.visits.tolist(), np.nan_to_num(means).tolist(), self.actions.tolist(), strict=True))[2])


def plan(
    process: Process,
    policy: Policy | str | Mapping[str, Any] = "ucb",
    simulations: int = 10_000,
    *,
    scale: str | tuple[float, float] = "tree",
    loop: str = "closed",
    steps: int = 1_000,
    seed: int = 0,
) -> PlanResult:
    """Search a process for the best action.

    Parameters
    ----------
    process : Process
        Or what has one as its attribute `process`, such as `Sailing`.
    policy : Policy, str or mapping, default "ucb"
        The index policy that chooses actions; its scores are for values in [0, 1]. c of ucb is 1 unless given.
    simulations : int, default 10,000
        At least 1.
    scale : "tree", "spread" or (float, float), default "tree"
        What turns returns into values in [0, 1]. (low, high) are known bounds of returns. "tree" takes the lowest and
        the highest mean of an action so far, as MuZero does. "spread" takes two standard deviations of the means
        (Schmoecker, Schnell and Dockhorn, arXiv 2510.21275). Both look at actions of one depth alone. So neither the
        unit nor the zero of rewards changes a search of episodes that are equally long.
    loop : "closed" or "open", default "closed"
        Whether a tree tells the outcomes of an action apart, or has one node for all.
    steps : int, default 1,000
        Of a simulation, at most; what comes later counts as 0.
    seed : int, default 0
        The same seed gives the same result to the last bit.

    Returns
    -------
    PlanResult

    Raises
    ------
    ValueError
        A process that has ended, a policy that is no index policy, or an argument out of its range.

    Examples
    --------
    >>> from mcts.processes.sailing import Sailing
    >>> plan(Sailing(3, wind=1), simulations=2_000).best_action
    1
    """
    process = getattr(process, "process", process)
    if not isinstance(process, Process):
        raise ValueError(f"process must be a Process, or have one as its process; got {checks.show(process)}")
    simulations = checks.check_whole("simulations", simulations, 1, most=10**9)
    steps = checks.check_whole("steps", steps, 1, most=10**6)
    if loop not in LOOPS:
        raise ValueError(f"loop must be one of {', '.join(LOOPS)}; got {checks.show(loop)}")
    kind, measures = _measures_of(scale, steps)
    chosen = IN_A_TREE.of(policy, "policy")
    rule, spec = index_rule_of(chosen, horizon=True), chosen.spec()
    chosen.probe()
    given = kernels.Plan(
        actions=process.most_actions,
        discount=process.discount,
        to_move=-1 if process.to_move is None else process.to_move,
        horizon=float(simulations),
        explore=max(1.0, float(spec.estimates.explore)),
        steps=steps,
        is_open=loop == "open",
        scale=kind,
        clips=bool(chosen.unit_rewards),
    )
    room, counters = _room(process, steps), np.zeros(COUNTERS, np.int64)
    counters[DECISIONS] = 1
    decisions, actions = _decisions(_FIRST), _actions(_FIRST + process.most_actions)
    decisions.visits[0], decisions.first[0], decisions.sibling[0] = 0.0, -1, -1
    rng, params = (
        streams(checks.check_whole("seed", seed, 0), (Purpose.TREE_SEARCH,), 0, kernels.STREAMS),
        np.array(spec.params, float),
    )
    hook: Any = process.outcomes
    addresses, left = (address_of(rule.pointed), address_of(hook)), simulations
    with user_errors((process,)):
        while True:
            tree = decisions, actions, room, measures, rng, counters
            left -= _kernels.simulate(*addresses, given, params, process.state, left, *tree)
            if left == 0:
                break
            decisions, actions = _longer(decisions, _decisions), _longer(actions, _actions)
    count = int(decisions.size[0])
    if not int(counters[STEPS]):
        raise ValueError("process must go on; no action is possible in its state")
    found = slice(int(decisions.first[0]), int(decisions.first[0]) + count)
    order = np.argsort(actions.action[found])
    visits, values = actions.visits[found][order], actions.values[found][order]
    tried = visits > 0.0
    kept = tried if given.is_open else np.ones(count, np.bool_)
    return PlanResult(
        process,
        chosen,
        simulations,
        int(counters[STEPS]),
        int(counters[DEEPEST]),
        int(counters[DECISIONS]),
        actions.action[found][order][kept].astype(np.int64),
        visits[kept].astype(np.int64),
        np.where(tried, values, np.nan)[kept],
    )


def _measures_of(scale: Any, steps: int) -> tuple[int, Floats]:
    """Return the kind of a scale, and the measures with which each depth begins."""
    measures = np.zeros((steps, MEASURES))
    if isinstance(scale, str):
        if scale not in SCALES:
            raise ValueError(f"scale must be tree, spread, or (low, high); got {checks.show(scale)}")
        measures[:, LOW], measures[:, HIGH] = np.inf, -np.inf
        return (TREE if scale == "tree" else SPREAD), measures
    try:
        low, high = (float(end) for end in scale)
    except (TypeError, ValueError):
        raise ValueError(f"scale must be tree, spread, or (low, high); got {checks.show(scale)}") from None
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"scale must have finite ends, the lower first; got {checks.show(scale)}")
    measures[:, LOW], measures[:, HIGH] = low, high
    return BOUNDS, measures


def _room(process: Process, steps: int) -> kernels.Room:
    most, size = process.most_outcomes, process.state.size
    return kernels.Room(
        state=np.empty(size, np.int64),
        states=np.empty((most, size), np.int64),
        chances=np.empty(most),
        rewards=np.empty(most),
        path=np.empty(steps, np.int64),
        decided=np.empty(steps, np.int64),
        earned=np.empty(steps),
        places=np.empty(process.most_actions, np.int64),
        arms=np.zeros((6, process.most_actions)),
    )


def _decisions(size: int) -> kernels.Decisions:
    whole = (np.empty(size, np.int32) for _ in range(3))
    return kernels.Decisions(np.empty(size), np.empty(size, np.uint64), *whole)


def _actions(size: int) -> kernels.Actions:
    visits, values, variances = (np.empty(size) for _ in range(3))
    return kernels.Actions(visits, values, variances, np.empty(size, np.int32), np.empty(size, np.int32))


def _longer(table: Any, make: Any) -> Any:
    """Return arrays that are twice as long, with what the given ones hold."""
    size = len(table[0])
    if size >= _MOST:
        raise ValueError(f"simulations must be fewer: the tree would have more than {_MOST:,} states or actions")
    longer = make(2 * size)
    for old, new in zip(table, longer, strict=True):
        new[:size] = old
    return longer
