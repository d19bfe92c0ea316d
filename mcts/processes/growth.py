"""The tree of a search of any problem: its arrays, which become longer as it grows, and what they say in the end."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts.clocks import Clocks
from mcts.kernels import planning as kernels
from mcts.kernels.planning import (
    ACTIONS,
    COUNTERS,
    DECISIONS,
    HIGH,
    LOW,
    MEASURES,
    STREAMS,
    Plan,
)
from mcts.kernels.problems import FAILED
from mcts.processes.asked import Asked
from numerics.kernels.addresses import entry_of
from numerics.random import Purpose, streams

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]

_FIRST_CHUNK = 1  # simulation before the first look at the clock: it may play long games in Python
_FIRST = 4_096
_MOST = 50_000_000  # decisions, or actions
_simulate: Any = kernels.simulate


class Growth:
    """A tree that grows.

    Parameters
    ----------
    asked : Asked
        The problem.
    options : Plan
    score : int
        The address of the rule.
    params : float64[k]
        Its numbers.
    bounds : (float, float)
        With which the scale begins.
    seed : int
    """

    def __init__(self, asked: Asked, options: Plan, score: Any, params: Floats, bounds: tuple[float, float], seed: int):
        self._asked, self._options, self._score, self._params = asked, options, score, params
        answers, steps, players = asked.answers, options.steps, asked.players
        self._room = kernels.Room(
            state=np.empty(asked.root.size, np.int64),
            states=answers.states,
            chances=answers.chances,
            rewards=answers.rewards,
            returns=answers.returns,
            path=np.empty(steps, np.int64),
            decided=np.empty(steps, np.int64),
            earned=np.empty((steps, players)),
            moves=answers.moves,
            places=np.empty(answers.moves.size, np.int64),
            arms=np.zeros((6, answers.moves.size)),
        )
        self._measures = np.zeros((steps, players, MEASURES))
        self._measures[:, :, LOW], self._measures[:, :, HIGH] = bounds
        if asked.opposed and bounds[0] < bounds[1]:
            self._measures[:, 1, LOW], self._measures[:, 1, HIGH] = -bounds[1], -bounds[0]
        self._rng = streams(seed, (Purpose.TREE_SEARCH,), 0, STREAMS)
        self.counters = np.zeros(COUNTERS, np.int64)
        self.counters[DECISIONS] = 1
        self._decisions = self._make_decisions(_FIRST + answers.chances.size)
        self._actions = _make_actions(_FIRST + answers.moves.size)
        columns: Any = self._decisions
        for column, value in zip(columns, (0.0, asked.root, 1.0, 0.0, -1, -1), strict=True):
            if column.size:
                column[0] = value

    def run(self, simulations: int, seconds: float | None) -> None:
        """Run simulations, for some time if one is given, or until the first of both."""
        asked, grow, left, done = self._asked, entry_of(_simulate), simulations, 0
        clocks = None if seconds is None else Clocks(seconds, None, time.perf_counter(), 0.0)
        chunk = simulations if clocks is None else _FIRST_CHUNK
        problem = asked.hooks, asked.given, asked.root
        while left > 0 and done != FAILED:
            tree = self._decisions, self._actions, self._room, self._measures, self._rng, self.counters
            wanted = min(chunk, left)
            with asked.watch():
                done = grow(self._score, *problem, self._options, self._params, wanted, *tree)
            if 0 <= done < wanted:
                self._make_room()
            left -= max(done, 0)
            if clocks is not None and done > 0 and not (chunk := clocks.fitting(done)):
                break
        if done == FAILED and asked.fail is not None:
            asked.fail(self._room.state)

    def _make_room(self) -> None:
        """Make arrays that are twice as long where they are nearly full."""
        made, answers = self.counters[[DECISIONS, ACTIONS]].tolist(), self._asked.answers
        if made[0] + answers.chances.size > self._decisions.visits.size:
            self._decisions = _longer(self._decisions, self._make_decisions, made[0])
        else:
            self._actions = _longer(self._actions, _make_actions, made[1])

    def _make_decisions(self, size: int) -> kernels.Decisions:
        words, players = (0, 0) if self._options.is_open else (self._asked.root.size, self._asked.players)
        return kernels.Decisions(
            visits=np.empty(size),
            state=np.empty((size, words), np.int64),
            chance=np.empty(size),
            rewards=np.empty((size, players)),
            sibling=np.empty(size, np.int32),
            first=np.empty(size, np.int32),
        )

    # ------------------------------------------------------------ what the tree says

    def actions_of(self, d: int) -> Words:
        """Return the places of the actions of a decision, in increasing order of the actions."""
        e, places = int(self._decisions.first[d]), list[int]()
        while e >= 0:
            places.append(e)
            e = int(self._actions.sibling[e])
        return np.array(sorted(places, key=self._actions.action.__getitem__), np.int64)

    def numbers_of(self, places: Words) -> tuple[list[int], Words, Floats]:
        """Return the numbers of actions, their visits, and their mean returns for the player who chooses."""
        visits = self._actions.visits[places]
        values = np.where(visits > 0.0, self._actions.values[places], np.nan)
        return self._actions.action[places].tolist(), visits.astype(np.int64), values

    def line(self) -> list[int]:
        """Return the most visited action, then that after its most visited outcome, and so on."""
        d, line = 0, list[int]()
        while (places := self.actions_of(d)).size:
            actions, visits, values = self.numbers_of(places)
            best = most_visited(visits, values)
            d = int(self._actions.outcome[places[best]])
            if not visits[best]:
                break
            line.append(actions[best])
            after = int(self._decisions.sibling[d])
            while after >= 0:
                d = after if self._decisions.visits[after] > self._decisions.visits[d] else d
                after = int(self._decisions.sibling[after])
        return line


def most_visited(visits: Words, values: Floats) -> int:
    """Return which action is visited most; of several that with the best mean, then the first."""
    return int(np.lexsort((-np.nan_to_num(values), -visits))[0])


def _make_actions(size: int) -> kernels.Actions:
    visits, values, variances = (np.empty(size) for _ in range(3))
    return kernels.Actions(visits, values, variances, *(np.empty(size, np.int32) for _ in range(4)))


def _longer(table: Any, make: Any, made: int) -> Any:
    """Return arrays that are twice as long, with the rows that have been made."""
    size = len(table[0])
    if size >= _MOST:
        raise ValueError(f"simulations must be fewer; the tree has reached its limit of {_MOST:,} states or actions")
    longer = make(2 * size)
    for old, new in zip(table, longer, strict=True):
        new[:made] = old[:made]
    return longer
