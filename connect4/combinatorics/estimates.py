r"""Estimates of numbers too large to count: distinct games and positions, by Knuth's random paths.

Walk at random from the empty board, and let k_i be the number of open columns before move i. A given sequence of p
moves is walked with probability 1 / W_p, W_p = k_1 k_2 ... k_p. The mean of W_p over all walks (0 for a walk that ended
before ply p) is therefore the number of sequences of p moves. See Knuth, "Estimating the efficiency of backtrack
programs", Mathematics of Computation 29 (1975), theorem 1. If N sequences end in a position, the mean of W_p / N is the
number of distinct positions of ply p. N is counted for each walk. It is the number of orders in which the stones can be
dropped, with alternating colours and no win before the last stone.

Both means are unbiased and have heavy tails: a few long walks carry most of the weight. Every estimate therefore comes
with the number of walks that effectively contribute, (sum w)^2 / sum w^2 (Kish, "Survey sampling", 1965). With few of
these the standard error is itself usually an underestimate, and `Estimate.reliable` is False.

Weights are stored as logarithms, because the square of 8^64 is near the limit of float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from connect4.board import Board
from connect4.combinatorics import estimate_kernels
from connect4.combinatorics.random_games import RandomGames, random_games
from connect4.lines import winning_lines
from numerics import checks
from numerics.random import Purpose, streams

MOST_STATES = 1 << 26  # of the table in which orders are counted: 512 MB
ENOUGH = 100.0  # effective walks from which on a standard error counts as reliable

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """An estimate with its error.

    Attributes
    ----------
    log : float
        The natural logarithm of the estimate; -inf for an estimate of 0.
    relative_error : float
        The standard error over the estimate; NaN for fewer than two walks or an estimate of 0.
    effective : float
        How many walks effectively contribute.
    """

    log: float
    relative_error: float
    effective: float

    @property
    def value(self) -> float:
        """The estimate, infinite if beyond float64."""
        return math.exp(self.log) if self.log < 709.0 else math.inf

    @property
    def reliable(self) -> bool:
        """Whether enough walks contribute for the standard error, and so the interval, to be trusted."""
        return self.effective >= ENOUGH

    def interval(self) -> tuple[float, float]:
        """Return the logarithms of the ends of an interval of 95 %.

        It is symmetric for the logarithm, log +- z (relative error), by the delta method. For a small error it is the
        usual interval. For a large error it is skewed, as the weights are, and stays above 0.
        """
        from scipy.special import ndtri

        half = float(ndtri(0.975)) * self.relative_error
        return self.log - half, self.log + half


@dataclass(frozen=True)
class Sums:
    """Sums of non-negative weights and of their squares, a pair for each of C columns, scaled against overflow.

    Attributes
    ----------
    count : int
        Walks, including those with weight 0.
    peak : float64[C]
        The logarithm of the largest weight; -inf where all are 0.
    total, squares : float64[C]
        The sums of exp(log w - peak) and of its square.
    """

    count: int
    peak: Floats
    total: Floats
    squares: Floats

    @classmethod
    def of(cls, logs: Floats) -> Sums:
        """Add up the weights whose logarithms, float64[walks, columns], are given; -inf is a weight of 0."""
        peak = logs.max(axis=0)
        scaled = np.exp(logs - np.where(np.isneginf(peak), 0.0, peak))
        return cls(len(logs), peak, scaled.sum(axis=0), np.square(scaled).sum(axis=0))

    @classmethod
    def join(cls, parts: Sequence[Sums]) -> Sums:
        """Add sums of several parts, in their order."""
        peak = np.max([part.peak for part in parts], axis=0)
        finite = np.where(np.isneginf(peak), 0.0, peak)
        scales = [np.exp(part.peak - finite) for part in parts]
        return cls(
            sum(part.count for part in parts),
            peak,
            np.sum([part.total * scale for part, scale in zip(parts, scales, strict=True)], axis=0),
            np.sum([part.squares * np.square(scale) for part, scale in zip(parts, scales, strict=True)], axis=0),
        )

    def estimates(self) -> list[Estimate]:
        """Return the estimate of each column's mean."""
        estimates = []
        for peak, total, squares in zip(self.peak.tolist(), self.total.tolist(), self.squares.tolist(), strict=True):
            if total == 0.0:
                estimates.append(Estimate(-math.inf, math.nan, 0.0))
                continue
            effective = total * total / squares
            # sample variance over count, divided by the squared mean
            spread = max(self.count / effective - 1.0, 0.0) / (self.count - 1) if self.count > 1 else math.nan
            estimates.append(Estimate(peak + math.log(total / self.count), math.sqrt(spread), effective))
        return estimates


@dataclass(frozen=True)
class GameSums:
    """Sums over random paths that estimate the numbers of a board's games.

    Attributes
    ----------
    sequences : Sums, a column for each ply from 0 to the number of cells
        Move sequences of each ply, a won game not extended.
    finished : Sums, as many
        Finished games of each length.
    all : Sums, one column
        Finished games of all lengths.
    """

    sequences: Sums
    finished: Sums
    all: Sums


@dataclass(frozen=True)
class PositionSums:
    """Sums over random paths that estimate the numbers of a board's positions.

    Attributes
    ----------
    by_ply : Sums, a column for each ply from 0 to `last_ply_counted`
        Distinct positions of each ply.
    all : Sums, one column
        Distinct positions of all these plies.
    """

    by_ply: Sums
    all: Sums


def walk_games(width: int, height: int, connect: int, paths: int, seed: int, first: int = 0) -> GameSums:
    """Weigh random paths number `first` ... `first + paths - 1` of a seed, which are the games of `random_games`.

    Parameters
    ----------
    width, height, connect : int
        The board, as in `connect4.Board`.
    paths : int
        At least 1; a million take about a second and (8 cells) MB.
    seed, first : int
        At least 0, as in `random_games`.

    Raises
    ------
    ValueError
        A board or a number out of range; the sentence names it.

    Examples
    --------
    >>> estimate = walk_games(4, 4, 4, paths=20_000, seed=1).all.estimates()[0]  # there are 47,982,540
    >>> abs(estimate.log - math.log(47_982_540)) < 4 * estimate.relative_error, estimate.reliable
    (True, True)
    """
    record = random_games(width, height, connect, checks.check_whole("paths", paths, 1), seed, first)
    sequences = _log_weights(record, width, height)
    finished, rows = np.full_like(sequences, -np.inf), np.arange(paths)
    finished[rows, record.lengths] = sequences[rows, record.lengths]
    return GameSums(Sums.of(sequences), Sums.of(finished), Sums.of(finished.max(axis=1, keepdims=True)))


def walk_positions(width: int, height: int, connect: int, paths: int, seed: int, first: int = 0) -> PositionSums:
    """Weigh random paths for the numbers of positions; the parameters are those of `walk_games`.

    A table of the parts of a path's last position counts the orders of all its positions. It has up to 7^7 words on 7 x
    6, for 3,000 paths a second.

    Examples
    --------
    >>> estimate = walk_positions(4, 4, 4, paths=2000, seed=1).all.estimates()[0]  # there are 161,029
    >>> abs(estimate.log - math.log(161_029)) < 4 * estimate.relative_error, estimate.reliable
    (True, True)
    """
    record = random_games(width, height, connect, checks.check_whole("paths", paths, 1), seed, first)
    last = last_ply_counted(width, height)
    by_ply = _log_weights(record, width, height)[:, : last + 1].copy()
    shape = np.array([width, height, connect], dtype=np.int64)
    divide: Any = estimate_kernels.divide_by_orders
    divide(record.moves, record.lengths, record.results, shape, by_ply)
    peak = by_ply.max(axis=1, keepdims=True)  # finite: every path begins at the empty board
    return PositionSums(Sums.of(by_ply), Sums.of(peak + np.log(np.exp(by_ply - peak).sum(axis=1, keepdims=True))))


def _log_weights(record: RandomGames, width: int, height: int) -> Floats:
    """Return log W_p of every path, float64[paths, cells + 1]; -inf after its end."""
    weights = np.full((record.lengths.size, width * height + 1), -np.inf)
    weigh: Any = estimate_kernels.weigh_paths
    weigh(record.moves, record.lengths, width, height, weights)
    return weights


def last_ply_counted(width: int, height: int) -> int:
    """Return the last ply whose orders always fit a table of `MOST_STATES` numbers.

    Examples
    --------
    >>> last_ply_counted(7, 6), last_ply_counted(8, 8), last_ply_counted(9, 9)
    (42, 64, 57)
    """
    ply, states = 0, 1
    while ply < width * height:
        full, more = divmod(ply + 1, width)  # the table is largest where the columns are level
        states = (full + 2) ** more * (full + 1) ** (width - more)
        if states > MOST_STATES:
            break
        ply += 1
    return ply


def mixed_fillings(width: int, height: int, connect: int, fillings: int, seed: int, first: int = 0) -> int:
    """Return how many random fillings of the full board have no winning line in one colour.

    This is the random-filling model of `combinatorics.bounds`: all ways to give half of the cells, rounded up, to the
    first player are equally likely.

    Parameters
    ----------
    width, height, connect : int
        The board, as in `connect4.Board`.
    fillings : int
        At least 1.
    seed, first : int
        At least 0; filling g has its own stream.

    Examples
    --------
    >>> 0 < mixed_fillings(4, 4, 4, fillings=1000, seed=0) < 1000
    True
    """
    board = Board(width, height, connect)
    fillings = checks.check_whole("fillings", fillings, 1)
    seed, first = checks.check_whole("seed", seed, 0), checks.check_whole("first", first, 0)

    lines = [[row * board.width + column for row, column in line] for line in winning_lines(width, height, connect)]
    table = np.array(lines, dtype=np.int64).reshape(len(lines), board.connect)
    count: Any = estimate_kernels.count_mixed
    return int(count(table, board.width * board.height, streams(seed, (Purpose.RANDOM_FILLING,), first, fillings)))
