"""Exact values of a process over all states that it can reach.

    V(s) = max over a of Q(s, a),   Q(s, a) = sum over outcomes of p (r + discount V(s'))

The minimum stands for the maximum where player 1 moves. The strongly connected parts of the states are solved one after
another, the last first: by value iteration (Puterman, "Markov decision processes", 1994, section 6.3.3, Gauss-Seidel),
and by policy iteration where that takes too long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts.kernels import processes as kernels
from mcts.kernels.processes import STATES, TRANSITIONS, Model
from mcts.processes.policy_iteration import Part
from mcts.processes.process import Process
from numerics import checks
from numerics.kernels.addresses import address_of
from numerics.kernels.users import user_errors

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]

MOST_TRANSITIONS = 10_000_000
_MOST_STEPS = 100_000
_SWEEPS = 500  # of a part, before policy iteration
_MOST_SOLVED = 50_000  # states of a part that policy iteration takes
_MOST_TURNS = 200  # of so many sweeps of a larger part
_FIRST = 1_024  # states for which there is room at first


@dataclass(frozen=True, eq=False, repr=False)
class ExactValues:
    """The value of every state that a process can reach.

    Attributes
    ----------
    process : Process
    states : int64[N, S]
        All states, the first one of the process first.
    values : float64[N]
        The value of each for player 0: the expected sum of discounted rewards from there on.
    steps : int, optional
        The most steps that are left in each state; None where they are not limited.
    """

    process: Process
    states: Words
    values: Floats
    steps: int | None
    _model: Model
    _later: Floats  # the values after a step

    def __repr__(self) -> str:
        return f"<exact values of {len(self.values):,} states; the first one's is {self.value:.10g}>"

    @property
    def value(self) -> float:
        """The value of the state where the process begins."""
        return float(self.values[0])

    def of(self, state: Any) -> float:
        """Return the value of a state.

        Raises
        ------
        ValueError
            A state that the process cannot reach.
        """
        return float(self.values[self._number(state)])

    def action_values(self, state: Any = None) -> Floats:
        """Return Q(s, a) of every action, float64[A], in a state, by default the first; NaN where it is not possible.

        Raises
        ------
        ValueError
            A state that the process cannot reach.
        """
        process, out = self.process, np.empty(self.process.most_actions)
        number = 0 if state is None else self._number(state)
        _kernels.write_action_values(self._model, number, process.most_actions, process.discount, self._later, out)
        return out

    def _number(self, state: Any) -> int:
        words = np.ascontiguousarray(state, dtype=np.int64)
        number = -1
        if words.shape == self.process.state.shape:
            number = int(_kernels.number_of(self._model.states, self._model.slots, words))
        if number < 0:
            raise ValueError(f"state must be reachable from the initial state; got {checks.show(state)}")
        return number


_kernels: Any = kernels  # which have no types


def exact_values(process: Process, *, steps: int | None = None) -> ExactValues:
    """Return the exact values of a process.

    The errors are below 1e-10 of the largest value or reward that a strongly connected part of the states meets.

    Without a discount, a value is the expected sum of rewards until the end, or until nothing more is paid.

    Parameters
    ----------
    process : Process
        Or what has one as its attribute `process`, such as `Sailing`.
    steps : int, optional
        The most steps that may be made: the values of the best play that knows how many are left.

    Raises
    ------
    ValueError
        A process of more than 10,000,000 transitions, or with `players` above 1; steps below 1. Without a discount and
        `steps`: rewards that can go on for ever and have no finite sum.

    Examples
    --------
    >>> from mcts.processes.sailing import Sailing
    >>> exact_values(Sailing(2)).value
    -2.0
    """
    process = getattr(process, "process", process)
    if not isinstance(process, Process):
        raise ValueError(
            f"process must be a Process, or an object with the attribute process; got {checks.show(process)}"
        )
    if (process.players or 1) > 1:
        raise ValueError(
            f"process must have one player, or two players with zero-sum rewards; got players={process.players}"
        )
    if steps is not None:
        steps = checks.check_whole("steps", steps, 1, most=_MOST_STEPS)
    model, count = _model_of(process)
    values, later = np.zeros((2, count))
    if steps is not None:
        to_move = -1 if process.to_move is None else process.to_move
        for _ in range(steps):
            values, later = later, values
            _kernels.sweep(model, count, process.most_actions, process.discount, to_move, later, values)
    else:
        _settle(process, model, values)
        later = values
    return ExactValues(process, model.states, values, steps, model, later)


def _settle(process: Process, model: Model, values: Floats) -> None:
    """Write the values, those of later parts first."""
    count, actions, discount, to_move = values.size, process.most_actions, process.discount, process.to_move
    order, starts = np.empty(count, np.int32), np.empty(count + 1, np.int64)
    parts, done, turns = _kernels.find_parts(model, count, actions, order, starts), 0, 0
    given = model, actions, discount, -1 if to_move is None else to_move, order, starts
    while (unsettled := _kernels.settle(*given, done, parts, _SWEEPS, values)) < parts:
        turns, done = turns + 1 if unsettled == done else 1, unsettled
        states = order[starts[done] : starts[done + 1]].astype(np.int64)
        if states.size <= _MOST_SOLVED:
            Part(model, states, actions, discount, to_move).solve(values)
            done += 1
        elif turns > _MOST_TURNS:
            raise ValueError(
                f"process must end sooner, or have a smaller discount; {states.size:,} of its states did not settle"
            )
    rewards = model.rewards[: count * actions]
    if discount == 1.0 and to_move is None and rewards.min() < 0.0 < rewards.max():
        for part in _mixed_parts(model, count, actions, order, starts[: parts + 1]):
            states = order[starts[part] : starts[part + 1]].astype(np.int64)
            Part(model, states, actions, discount, to_move).check_loops(values)


def _mixed_parts(
    model: Model, count: int, actions: int, order: npt.NDArray[np.int32], starts: npt.NDArray[np.int64]
) -> list[int]:
    """Return the parts in which one can stay for ever and rewards have both signs."""
    part = np.empty(count, np.int64)
    part[order] = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    sizes = np.diff(model.first[: count * actions + 1])
    pairs = np.flatnonzero(sizes)
    made = model.first[count * actions]
    stays = part[model.after[:made]] == np.repeat(part.repeat(actions), sizes)
    pairs = pairs[np.logical_and.reduceat(stays, model.first[pairs])] if pairs.size else pairs
    parts, rewards = part[pairs // actions], model.rewards[pairs]
    both: list[int] = np.intersect1d(parts[rewards < 0.0], parts[rewards > 0.0]).tolist()
    return both


def _model_of(process: Process) -> tuple[Model, int]:
    """Return all states and transitions, and how many states there are."""
    actions, most = process.most_actions, process.most_actions * process.most_outcomes
    if most > MOST_TRANSITIONS:
        raise ValueError(f"most_actions * most_outcomes must be at most {MOST_TRANSITIONS:,}; got {most:,}")
    counters, (rows, places) = np.zeros(3, np.int64), (_FIRST + most, 4 * (_FIRST + most))
    counters[STATES] = 1
    model = _room(rows, places, process)
    model.states[0], model.first[0] = process.state, 0
    _kernels.refill(model.states, 1, model.slots)
    hook: Any = process.outcomes
    with user_errors((process,)):
        while not _kernels.expand(address_of(hook), actions, process.most_outcomes, model, counters):
            if counters[TRANSITIONS] + most > MOST_TRANSITIONS:
                raise ValueError(f"process must have at most {MOST_TRANSITIONS:,} transitions; this one has more")
            rows, places = 2 * rows, min(2 * places, MOST_TRANSITIONS + most)
            longer = _room(rows, places, process)
            pairs: list[Any] = list(zip(model, longer, strict=True))
            for old, new in pairs:
                if old is not model.slots:
                    new[: len(old)] = old
            _kernels.refill(longer.states, int(counters[STATES]), longer.slots)
            model = longer
    count = int(counters[STATES])
    return model._replace(states=model.states[:count].copy()), count


def _room(rows: int, places: int, process: Process) -> Model:
    """Return empty arrays for so many states and transitions."""
    pairs = rows * process.most_actions
    return Model(
        np.empty((rows, process.state.size), np.int64),
        np.full(1 << (2 * rows).bit_length(), -1, np.int32),
        np.empty(pairs + 1, np.int64),
        np.empty(pairs),
        np.empty(places, np.int32),
        np.empty(places),
    )
