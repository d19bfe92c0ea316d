"""The root of a search as a bandit: N_n(a), how many of the first n simulations went to move a, in a tree and without.

Three kinds of arms under one policy; they differ in what a simulation of move a pays:

    tree        The result of a playout from a leaf below a, of a tree that grows. The mean of the arm drifts.
    playouts    1 with the probability that is the mean result of playouts after a, else 0. The tree begins like this.
    exact       1 with the probability that is the value of a under best play, else 0. The tree should end like this.

The value of a move under best play is 1, 1/2 or 0: a win, a draw or a loss. Its exact score also tells how soon a win
comes; this changes no reward of a search, and so no gap here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bandits import Bernoulli, Policy
from bandits.simulation import replicate_steps
from experiments.graded_positions.positions import Graded, value_of
from mcts.flat import playout_values
from mcts.tree_search import Search
from numerics.games import Playable
from numerics.random import Purpose, derived_seed, streams

TREE, PLAYOUTS, EXACT = KINDS = ("tree", "playouts", "exact")

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


class Counts(NamedTuple):
    """The visits and the mean result of each arm up to each of C checkpoints."""

    visits: Whole  # int64[C, K], N_n(a)
    means: Floats  # float64[C, K], the mean result; NaN before the first


@dataclass(frozen=True)
class Root:
    """A position as a bandit of its K legal moves.

    Attributes
    ----------
    number : int
        Of the position in its set.
    places : int64[K]
        Where the legal moves stand among the moves of the tables: of Connect 4 their columns.
    exact : float64[K]
        Their values under best play: 1, 1/2 or 0.
    playouts : float64[K]
        The mean results of uniform playouts after them, estimated.
    """

    number: int
    places: Whole
    exact: Floats
    playouts: Floats

    @classmethod
    def of(cls, number: int, graded: Graded, playouts_per_move: int, seed: int) -> Root:
        """Return a position of the set, its playouts' means estimated by some after each move."""
        playout_seed = derived_seed(seed, (Purpose.ROOT_PLAYOUTS, number))
        values = playout_values(graded.board, playouts_per_move, playouts="uniform", seed=playout_seed)
        places = np.array([graded.place(move) for move in values.moves])
        return cls(number, places, exact_values(graded)[places], values.means)

    def counts(self, kind: str, board: Playable, policy: Policy, checkpoints: Whole, seed: int) -> Counts:
        """Play a policy on one kind of arms; the same seed gives every policy the same random streams."""
        if kind == TREE:
            return tree_counts(board, policy, checkpoints, derived_seed(seed, (Purpose.ROOT_SEARCH, self.number)))
        means = self.exact if kind == EXACT else self.playouts
        # The first pulls of every arm are in turn, and a tree takes its moves in random order: so does the bandit.
        order = np.argsort(streams(seed, (Purpose.ROOT_MOVE_ORDER, self.number), 0, means.size)[:, 0])
        bandit_seed = derived_seed(seed, (Purpose.ROOT_BANDIT, KINDS.index(kind)))
        shuffled = bandit_counts(means[order], policy, checkpoints, bandit_seed, self.number)
        back = np.argsort(order)
        return Counts(shuffled.visits[:, back], shuffled.means[:, back])


def exact_values(graded: Graded) -> Floats:
    """Return 1, 1/2 or 0 for a move that wins, draws or loses under best play, float64[K]; NaN for a full column.

    Examples
    --------
    >>> exact_values(Graded((), (-2, 0, 7, None, 1, 1, 1))).tolist()
    [0.0, 0.5, 1.0, nan, 1.0, 1.0, 1.0]
    """
    return np.array([np.nan if score is None else value_of(score) for score in graded.scores])


def steps_of(simulations: int) -> Whole:
    """Return the checkpoints n of a search: ten a decade, a tenth of all simulations, and all of them.

    Examples
    --------
    >>> steps_of(45).tolist()
    [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 45]
    """
    spread = np.rint(10.0 ** (np.arange(61) / 10.0)).astype(np.int64)
    steps = np.unique([*spread[spread <= simulations], max(1, simulations // 10), simulations])
    return steps.astype(np.int64)


def tree_counts(board: Playable, policy: Policy, checkpoints: Sequence[int] | Whole, seed: int) -> Counts:
    """Search a position with a policy and record its root after n simulations of its moves.

    Policies that need a horizon get the last checkpoint.
    """
    search, done = Search(board, policy, simulations=int(checkpoints[-1]), seed=seed), 0
    visits, means = [], []
    for n in checkpoints:
        search.run(int(n) - done)
        done = int(n)
        result = search.result()
        visits.append(result.visits)
        means.append(result.values)
    return Counts(np.array(visits), np.array(means))


def bandit_counts(
    arms: Sequence[float] | Floats, policy: Policy, checkpoints: Sequence[int] | Whole, seed: int, run: int
) -> Counts:
    """Play replication `run` of a policy on Bernoulli arms: the one that `bandits.simulate` plays under this seed.

    Examples
    --------
    >>> from bandits import UCB
    >>> bandit_counts([1.0, 0.0], UCB(), [2, 10], seed=0, run=0).visits.tolist()
    [[1, 1], [8, 2]]
    """
    size, times = len(arms), np.asarray(checkpoints)
    horizon = int(times[-1])
    _, steps = replicate_steps(policy, Bernoulli([float(mean) for mean in arms]), horizon, seed, run)
    # Each step falls between two checkpoints; what falls there is summed over them.
    cell = np.searchsorted(times, np.arange(1, horizon + 1)) * size + steps.arm
    shape = (times.size, size)
    visits = np.bincount(cell, minlength=times.size * size).reshape(shape).cumsum(axis=0)
    gains = np.bincount(cell, weights=steps.reward, minlength=times.size * size).reshape(shape).cumsum(axis=0)
    means = np.full(shape, np.nan)
    np.divide(gains, visits, out=means, where=visits > 0)
    return Counts(visits, means)


def over_options(root: Root, values: Floats | Whole, absent: float, width: int) -> Floats:
    """Return values of the legal moves, [..., K], as values of all options and of more, float64[..., width]."""
    wide = np.full((*values.shape[:-1], width), absent)
    wide[..., root.places] = values
    return wide
