"""The five lines that engine testers read: Elo, the test, its log-likelihood ratio, games, pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from numerics.statistics.sprt import KINDS, LARGE_STEP, Sprt, Strength, strength


def five_lines(counts: Sequence[int], test: Sprt, games: Mapping[str, int] | None = None) -> list[str]:
    r"""Return the lines as OpenBench, fishtest and fastchess write them.

    Parameters
    ----------
    counts : sequence of int
        Pairs LL, LD, WL or DD, WD, WW.
    test : Sprt
    games : mapping, optional
        wins, losses, draws; left out, only their difference is known, because a pair of one point may be WL or DD.

    Examples
    --------
    >>> print(*five_lines([21, 134, 309, 203, 60], Sprt(elo0=0, elo1=5)), sep="\n")
    Elo   | 34.68 +- 12.20 (95%), normalized 52.20 +- 18.23
    SPRT  | normalized Elo, alpha 0.05, beta 0.05
    LLR   | 3.00 (-2.94, 2.94) [0.00, 5.00]
    Games | N: 1454 W - L: 147
    Penta | [21, 134, 309, 203, 60]
    """
    measured, (low, high) = strength(counts, test), test.bounds
    won = sum((outcome - 2) * count for outcome, count in enumerate(counts))
    results = f"W: {games['wins']} L: {games['losses']} D: {games['draws']}" if games else f"W - L: {won}"
    return [
        f"Elo   | {_give_or_take(measured.elo)} (95%), normalized {_give_or_take(measured.normalized)}",
        f"SPRT  | {test.model} Elo, alpha {test.alpha:g}, beta {test.beta:g}",
        f"LLR   | {hundredths(float(test.llr(counts)))} ({low:.2f}, {high:.2f}) [{test.elo0:.2f}, {test.elo1:.2f}]",
        f"Games | N: {2 * sum(counts)} {results}",
        f"Penta | [{', '.join(map(str, counts))}]",
    ]


def _give_or_take(values: tuple[float, float, float]) -> str:
    """Write an estimate and half of its interval; the only end of an interval that has but one.

    Examples
    --------
    >>> _give_or_take((7.0, 5.0, 9.0)), _give_or_take((7.0, 5.0, math.inf)), _give_or_take((7.0, -math.inf, 9.0))
    ('7.00 +- 2.00', 'at least 5.00', 'at most 9.00')
    >>> _give_or_take((-1e-9, -2.0, 2.0))
    '0.00 +- 2.00'
    """
    middle, low, high = values
    if high == math.inf:
        return f"at least {hundredths(low)}"
    if low == -math.inf:
        return f"at most {hundredths(high)}"
    return f"{hundredths(middle)} +- {(high - low) / 2.0:.2f}"


def hundredths(value: float) -> str:
    """Write a number with two decimals, and no sign before zero.

    Examples
    --------
    >>> hundredths(-0.001), hundredths(-0.005001)
    ('0.00', '-0.01')
    """
    return f"{round(value, 2) + 0.0:.2f}"


def score_line(counts: Sequence[int], measured: Strength) -> str:
    """Return the points of the games, and the estimated score with its 95 % interval.

    Examples
    --------
    >>> counts = [21, 134, 309, 203, 60]
    >>> score_line(counts, strength(counts, Sprt(elo0=0, elo1=5)))
    'points: 55.06 % of 1,454 games; score, adjusted for early stopping: 54.97 % (95 % interval 53.24 to 56.71)'
    """
    pairs = sum(counts)
    points = 25.0 * sum(outcome * count for outcome, count in enumerate(counts)) / pairs
    score, low, high = (100.0 * end for end in measured.score)
    allowing = ", adjusted for early stopping" if measured.stopped else ""
    interval = f"{score:.2f} % (95 % interval {low:.2f} to {high:.2f})"
    return f"points: {points:.2f} % of {2 * pairs:,} games; score{allowing}: {interval}"


def verdict_line(counts: Sequence[int], test: Sprt, first: str = "player 1") -> str:
    """Return which hypothesis is accepted, if any."""
    accepted, pairs = test.verdict(float(test.llr(counts))), sum(counts)
    if not accepted:
        return f"no decision after {_pairs(pairs)}: the LLR is between the bounds; play more pairs"
    elo, other = (test.elo1, test.elo0) if accepted == "H1" else (test.elo0, test.elo1)
    return (
        f"{accepted} is accepted after {_pairs(pairs)}: {elo:+g} {test.model} Elo for {first} is more likely than "
        f"{other:+g}"
    )


def _pairs(count: int) -> str:
    """Return a number of pairs in words.

    Examples
    --------
    >>> _pairs(1), _pairs(1_000)
    ('1 pair', '1,000 pairs')
    """
    return f"{count:,} pair{'s' * (count != 1)}"


def caveats_of(counts: Sequence[int], test: Sprt) -> list[str]:
    """Return a caveat if differences are too large for the method to be exact."""
    largest = test.largest_step(counts)
    if largest <= LARGE_STEP:
        return []
    return [
        f"One pair changes the LLR by up to {largest:.2f}. The test is accurate for small differences. Here its error "
        "rates are near alpha and beta, but the interval of the strength is approximate."
    ]


def counts_of_text(text: str) -> list[int]:
    """Read five counts.

    Raises
    ------
    ValueError
        Not five whole numbers of at least 0, or all of them 0.

    Examples
    --------
    >>> counts_of_text("21,134,309,203,60")
    [21, 134, 309, 203, 60]
    """
    cells = [cell.strip() for cell in text.strip("[] ").split(",")]
    counts = [int(cell) for cell in cells if cell.isascii() and cell.isdigit()]
    if len(counts) != len(cells) or len(counts) != len(KINDS) or not any(counts):
        raise ValueError(
            f"COUNTS must be five whole numbers of at least 0, pairs {','.join(KINDS)}, such as 21,134,309,203,60; "
            f"got {text.strip()!r}"
        )
    return counts
