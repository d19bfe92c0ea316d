"""Confidence sequences: intervals of a mean that are valid after every observation, at all times simultaneously.

An interval for a fixed number of observations misses too often if someone looks at it after each observation and stops
at a welcome result. The intervals here hold at all times jointly: with 95 % confidence none of them misses.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
_GRID = 10_000  # steps of [0, 1]
_MOST_STAKED = 0.75  # of the capital, in a bet
_ROOM, _MOST_TOGETHER = 2**16, 256  # most numbers, and most observations, in a batch


def hedged_capital(
    observations: npt.ArrayLike, level: float = LEVEL, block: int = 1, planned: int | None = None
) -> tuple[Floats, Floats]:
    """Return a confidence sequence for the mean of observations in [0, 1], by betting against every other mean.

    Two gamblers bet against each mean m: one that the observations exceed it, the other that they fall short of it. If
    m is true, either is unlikely ever to multiply their capital by 2 / (1 - level), however long they play (Ville's
    inequality). Once a gambler against m has done so, the interval excludes m.

    The observations are independent with equal means. Or they come in blocks, such as one observation of each opening.
    Means may differ within a block, and are the same in every block. Then the sequence covers the mean of these means.
    All bets in a block are equal, and would win most if the means were equal. So the probability of a miss is no
    larger.

    Parameters
    ----------
    observations : array_like
        float64 of shape (n,), in their order, each in [0, 1].
    level : float, default 0.95
        The chance that no interval misses, above 0 and below 1.
    block : int, default 1
        Observations in a block. The interval changes when a block is complete.
    planned : int, optional
        The number of observations, if known beforehand: half of each capital then bets in the way that is best at that
        number. Observation may still stop earlier or continue.

    Returns
    -------
    low, high : ndarray
        float64 of shape (n,): the ends of the interval after each observation, rounded outwards to ten-thousandths.
        Each interval lies within the previous (the running intersection). If no mean is left, which happens only after
        an interval has missed, the last interval stays.

    Raises
    ------
    ValueError
        An observation outside [0, 1], a level outside (0, 1), a block or a planned number below 1.

    References
    ----------
    Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86 (2024). The capital is
    the hedged capital of Theorem 3, with theta = 1/2 and c = 3/4. The bets are those of equation (26). For the half
    that is bet for a planned number, that number takes the place of t log(t + 1).

    Examples
    --------
    >>> low, high = hedged_capital([1.0, 0.5, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0] * 5)
    >>> float(low[7]), float(low[39]), float(high[39])
    (0.4757, 0.7531, 0.9568)
    """
    values = np.asarray(observations, dtype=np.float64).ravel()
    _check(values, level, block, planned)
    bets = _bets(values, level, block, planned)
    means = np.arange(1, _GRID) / _GRID
    exceed, fall_short = np.ones((2, len(bets), 1, means.size)) / len(bets)  # the parts of the capitals
    target = 2.0 / (1.0 - level)
    first, last, begin = 0, means.size, 0  # the remaining means: first ... last - 1
    left = [(first, last)]  # after each block
    whole = values.size // block * block
    while begin < whole and first < last:
        end = min(begin + max(1, min(_ROOM // (last - first), _MOST_TOGETHER) // block) * block, whole)
        m, x, bet = means[first:last], values[begin:end, None], bets[:, begin:end, None]
        with np.errstate(over="ignore"):  # an infinite capital is large enough
            exceed = exceed[..., -1:, :] * np.cumprod(1.0 + np.minimum(bet, _MOST_STAKED / m) * (x - m), axis=1)
            fall_short = fall_short[..., -1:, :] * np.cumprod(
                1.0 + np.minimum(bet, _MOST_STAKED / (1.0 - m)) * (m - x), axis=1
            )
            looks = slice(block - 1, None, block)
            # The first capital falls as m rises, the second rises: the excluded means lie below and above.
            below = np.maximum.accumulate((exceed.sum(axis=0)[looks] >= target).sum(axis=1))
            above = np.maximum.accumulate((fall_short.sum(axis=0)[looks] >= target).sum(axis=1))
        some = below + above < m.size
        left += zip((first + below[some]).tolist(), (last - above[some]).tolist(), strict=True)
        low, high = int(below[-1]), m.size - int(above[-1])
        exceed, fall_short = exceed[..., low:high], fall_short[..., low:high]
        first, last, begin = first + low, first + high, end
    seen = np.minimum(np.arange(1, values.size + 1) // block, len(left) - 1)
    ends = np.array(left)[seen]
    return ends[:, 0] / _GRID, (ends[:, 1] + 1.0) / _GRID


def _check(values: Floats, level: float, block: int, planned: int | None) -> None:
    outside = values[~((values >= 0.0) & (values <= 1.0))]
    if outside.size:
        raise ValueError(f"observations must lie in [0, 1]; got {outside[0]}")
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be above 0 and below 1; got {level}")
    for name, value in {"block": block, "planned": planned}.items():
        if value is not None and value < 1:
            raise ValueError(f"{name} must be a whole number of at least 1; got {value}")


def _bets(values: Floats, level: float, block: int, planned: int | None) -> Floats:
    """Return the sizes of the bets, a row for each part of the capital, from the observations of earlier blocks.

    The bets in a block are equal.
    """
    count = np.arange(1, values.size + 1)
    mean = (0.5 + np.cumsum(values)) / (count + 1)
    variance = np.concatenate([[0.25], (0.25 + np.cumsum((values - mean) ** 2)) / (count + 1)])
    before = np.arange(values.size) // block * block  # observations in earlier blocks
    after = before + block
    times = [after * np.log1p(after)] + ([] if planned is None else [np.full(values.size, planned)])
    sizes: Floats = np.sqrt(2.0 * math.log(2.0 / (1.0 - level)) / (variance[before] * np.array(times)))
    return sizes
