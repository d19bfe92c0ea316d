"""Search of any problem by UCT: chance, rewards on the way, a discount, and any number of players.

A problem is a process of one compiled hook, or a position of an ordinary class. Each player seeks the highest return of
their own (max-n; Luckhardt and Irani, AAAI 1986).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits import Policy
from mcts.kernels.planning import BOUNDS, DECISIONS, DEEPEST, DONE, SPREAD, STEPS, TREE, Plan
from mcts.policy import IN_A_TREE, index_rule_of
from mcts.processes.asked import ask_process
from mcts.processes.growth import Growth, most_visited
from mcts.processes.positions import Positions
from mcts.processes.process import Process
from numerics import checks
from numerics.kernels.addresses import address_of
from numerics.output.notebook import bar, paragraph, table
from numerics.positions import compares, is_position
from numerics.random import Purpose, derived_seed

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]

SCALES = ("tree", "spread")
LOOPS = ("closed", "open")
SIMULATIONS = 10_000  # unless given
_MOST_SIMULATIONS = 10**9
_SHOWN = 20  # moves in the table of a notebook, the most visited


@dataclass(frozen=True, eq=False, repr=False)
class PlanResult:
    """The result of a search of any problem.

    Attributes
    ----------
    problem : Process or object
        What was searched.
    policy : Policy
        The rule that chose the moves.
    simulations : int
    steps : int
        Simulated steps.
    depth : int
        Steps to the deepest state of the tree.
    states : int
        In the tree.
    moves : list
        The moves that are possible at first: actions of a process in increasing order, or what moves() returned.
    visits : int64[k]
        N(a) of each.
    values : float64[k]
        The mean return of each for the player to move; NaN before a visit.
    principal_variation : list
        The most visited move, then that after its most visited outcome, and so on.
    """

    problem: Any
    policy: Policy
    simulations: int
    steps: int
    depth: int
    states: int
    moves: list[Any]
    visits: Words
    values: Floats
    principal_variation: list[Any]

    def __repr__(self) -> str:
        best = self._best
        return (
            f"PlanResult(best {self.moves[best]!r}, value {self.values[best]:.4g}, {self.visits[best]:,} of "
            f"{self.simulations:,} visits)"
        )

    def _repr_html_(self) -> str:
        """Return a table of the moves, with sentences above and below it."""
        order = np.sort(np.argsort(-self.visits, kind="stable")[:_SHOWN]).tolist()
        share = self.visits / self.simulations
        rows = [
            [
                str(self.moves[k]),
                f"{self.visits[k]:,}",
                bar(share[k]),
                f"{100.0 * share[k]:.1f} %",
                "" if np.isnan(self.values[k]) else f"{self.values[k]:.4g}",
            ]
            for k in order
        ]
        more = f"; the {len(order)} most visited of {len(self.moves)} moves" if len(order) < len(self.moves) else ""
        return (
            paragraph(f"best move {self.best_move}, value {self.value:.4g}: {self.simulations:,} simulations{more}")
            + table(["move", "visits", "", "share", "value"], rows, order.index(self._best))
            + paragraph("values are mean returns of the player to move")
        )

    @property
    def value(self) -> float:
        """The mean return of all simulations for the player to move."""
        return float(np.nansum(self.values * self.visits) / self.visits.sum())

    @property
    def best_move(self) -> Any:
        """The most visited move; of several the one with the best mean, then the first."""
        return self.moves[self._best]

    def choose(self, by: str | None = None) -> Any:
        """Return the move to play: that of most visits, or by "value" the one of the highest mean."""
        if by not in (None, "visits", "value"):
            raise ValueError(
                f"final must be visits or value for problems with chance or rewards; got {checks.show(by)}"
            )
        return self.moves[int(np.nanargmax(self.values))] if by == "value" else self.best_move

    @property
    def _best(self) -> int:
        return most_visited(self.visits, self.values)


def plan(
    problem: Any,
    policy: Policy | str | Mapping[str, Any] = "ucb",
    simulations: int | None = None,
    seconds: float | None = None,
    *,
    scale: str | tuple[float, float] = "tree",
    loop: str | None = None,
    steps: int = 1_000,
    discount: float | None = None,
    widen_moves: tuple[float, float] | None = None,
    widen_outcomes: tuple[float, float] | None = None,
    seed: int = 0,
) -> PlanResult:
    """Search a problem for the best move of the player to move.

    Parameters
    ----------
    problem : Process or object
        A process, or what has one as its attribute `process`, such as `Sailing`. Or a position: an object of an
        ordinary class with the methods moves(), play(move), player() and result(). Where player() is "chance", it has
        chance() or sample(rng). `numerics.positions` says what each returns.
    policy : Policy, str or mapping, default "ucb"
        The index policy that chooses moves; its scores are for values in [0, 1]. c of ucb is 1 unless given.
    simulations : int, optional
        At least 1; 10,000 where `seconds` is not given either.
    seconds : float, optional
        Above 0. With both budgets the search ends at the first.
    scale : "tree", "spread" or (float, float), default "tree"
        What turns returns into values in [0, 1]. (low, high) are known bounds of each player's returns, and of player
        0's where player 1 has the opposite ones. "tree" takes the lowest and the highest mean of a move so far, as
        MuZero does. "spread" takes two standard deviations of the means (Schmoecker, Schnell and Dockhorn, arXiv
        2510.21275). Both look at moves of one depth and player alone. So neither the unit nor the zero of rewards
        changes a search of episodes that are equally long.
    loop : "closed" or "open", optional
        Whether a tree tells the outcomes of a move apart, or has one node for all. It is closed unless given; but open
        where outcomes can only be drawn, by sample(rng), and a class does not compare them.
    steps : int, default 1,000
        Of a simulation, at most; what comes later counts as 0.
    discount : float, optional
        What a reward one step later is worth, from 0 to 1: that of a process, and 1 of a position, unless given.
        Rewards that chance brings count with the move before.
    widen_moves : (float, float), optional
        Progressive widening: at a node of N visits a new move is tried only while at most k N^alpha of them have been.
        Given as (k, alpha), k above 0, alpha from 0 to 1.
    widen_outcomes : (float, float), optional
        The same for chance in a closed loop: a new outcome of a move is drawn only while there are at most k N^alpha.
        Otherwise one of the old ones follows, each as often as it was drawn (Couetoux et al., LION 2011).
    seed : int, default 0
        The same seed gives the same result to the last bit, unless the budget is in seconds.

    Returns
    -------
    PlanResult

    Raises
    ------
    ValueError
        A problem that has ended or breaks a promise, a policy that is no index policy, or an argument out of its range.

    Examples
    --------
    >>> from mcts.processes.sailing import Sailing
    >>> plan(Sailing(3, wind=1), simulations=2_000).best_move
    1

    Take one or two matches; whoever takes the last wins:

    >>> class Matches:
    ...     def __init__(self, left, mover=0):
    ...         self.left, self.mover = left, mover
    ...     def moves(self):
    ...         return [1, 2][: self.left]
    ...     def play(self, move):
    ...         return Matches(self.left - move, 1 - self.mover)
    ...     def player(self):
    ...         return self.mover
    ...     def result(self):
    ...         return None if self.left else (0, 1) if self.mover == 0 else (1, 0)
    >>> plan(Matches(7), simulations=1_000).best_move
    1
    """
    if isinstance(process := getattr(problem, "process", None), Process):
        problem = process
    if not isinstance(problem, Process) and not is_position(problem):
        raise ValueError(
            "problem must be a Process, an object with the attribute process, or a position with moves(), play(move), "
            f"player() and result(); got {checks.show(problem)}"
        )
    if simulations is None and seconds is None:
        simulations = SIMULATIONS
    if simulations is not None:
        simulations = checks.check_whole("simulations", simulations, 1, most=_MOST_SIMULATIONS)
    if seconds is not None:
        seconds = checks.number("seconds", seconds, 0.0, above=True)
    steps = checks.check_whole("steps", steps, 1, most=10**6)
    seed = checks.check_whole("seed", seed, 0)
    if discount is not None:
        discount = checks.number("discount", discount, 0.0, 1.0)
    if loop is None:
        is_told_apart = widen_outcomes is not None or isinstance(problem, Process) or compares(problem)
        loop = "closed" if is_told_apart or hasattr(problem, "chance") or not hasattr(problem, "sample") else "open"
    if loop not in LOOPS:
        raise ValueError(f"loop must be one of {', '.join(LOOPS)}; got {checks.show(loop)}")
    if widen_outcomes is not None and loop == "open":
        raise ValueError("widen_outcomes must be left out with loop=open, which has no nodes for outcomes")
    kind, bounds = _bounds_of(scale)
    chosen = IN_A_TREE.of(policy, "policy")
    rule, spec = index_rule_of(chosen, horizon=simulations is not None), chosen.spec()
    chosen.probe()
    options = Plan(
        1.0 if discount is None else discount,
        float(simulations or 0),
        max(1.0, float(spec.estimates.explore)),
        steps,
        loop == "open",
        kind,
        bool(chosen.unit_rewards),
        *_widening_of("widen_outcomes", widen_outcomes),
        *_widening_of("widen_moves", widen_moves),
    )
    if isinstance(problem, Process):
        options = options._replace(discount=problem.discount if discount is None else discount)
        asked = ask_process(problem)
    else:
        is_widened = widen_outcomes is not None
        drawn = derived_seed(seed, (Purpose.TREE_SEARCH,))
        asked = Positions(problem, options.discount, drawn, is_open=options.is_open, is_widened=is_widened).asked
    tree = Growth(asked, options, address_of(rule.pointed), np.array(spec.params, float), bounds, seed)
    tree.run(simulations or _MOST_SIMULATIONS, seconds)
    actions, visits, values = tree.numbers_of(tree.actions_of(0))
    if not actions:
        raise ValueError("problem must not have ended; no action is possible in its state")
    line, names = tree.line(), asked.names
    return PlanResult(
        problem,
        chosen,
        int(tree.counters[DONE]),
        int(tree.counters[STEPS]),
        int(tree.counters[DEEPEST]),
        int(tree.counters[DECISIONS]),
        actions if names is None else [names[action] for action in actions],
        visits,
        values,
        line if names is None else [names[action] for action in line],
    )


def _bounds_of(scale: Any) -> tuple[int, tuple[float, float]]:
    """Return the kind of a scale, and the bounds with which it begins."""
    if isinstance(scale, str):
        if scale not in SCALES:
            raise ValueError(f"scale must be tree, spread, or (low, high); got {checks.show(scale)}")
        return (TREE if scale == "tree" else SPREAD), (math.inf, -math.inf)
    try:
        low, high = (float(end) for end in scale)
    except (TypeError, ValueError):
        raise ValueError(f"scale must be tree, spread, or (low, high); got {checks.show(scale)}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"scale must be (low, high) with finite low < high; got {checks.show(scale)}")
    return BOUNDS, (low, high)


def _widening_of(name: str, given: Any) -> tuple[float, float]:
    """Return k and alpha; 0 of k where nothing widens."""
    if given is None:
        return 0.0, 0.0
    try:
        k, alpha = given
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be (k, alpha); got {checks.show(given)}") from None
    return checks.number(f"{name}[0]", k, 0.0, above=True), checks.number(f"{name}[1]", alpha, 0.0, 1.0)
