"""Scores of matches and tournaments, Elo, Elo per doubling, grades, and the best setting of a sweep.

Each experiment draws a simulated player's expected score and share of draws anew, so that coverage is averaged over
strengths; at a single strength the coverage for whole games varies by a point or two. Openings are drawn from 49 with
normally distributed luck, which favours the player who moves first; an advantage that "stays" favours the same player
with both colours.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtri

from benchmarks.calibration.claim import Claim, Outcome, family_of, interval
from experiments.games.match_sweep import fits_of
from experiments.kinds.grade.rates import fit_rates, grade_of, next_rates
from numerics.statistics.against_best import LOWER, against_best
from numerics.statistics.ratings import ELO, Observed, ratings
from numerics.statistics.scores import tally

LUCK: npt.NDArray[np.float64] = ndtri((np.arange(49) + 0.5) / 49)  # of the openings, in logits
PLAYERS: dict[str, tuple[float, ...]] = {
    "alike": (-60.0, -20.0, 0.0, 30.0, 50.0),
    "as in the README": (-700.0, -350.0, -100.0, 150.0, 400.0, 600.0),
    "600 apart": (-300.0, 300.0),
}
PERCENT = 100.0

Floats = npt.NDArray[np.float64]


def drawn_results(rng: np.random.Generator, expected: Floats, draws: float) -> npt.NDArray[np.int64]:
    """Return results of games, 1, 0 or -1, with these expected scores and, as far as they allow, share of draws."""
    drawn = np.minimum(draws, 1.8 * np.minimum(expected, 1.0 - expected))
    uniform, won = rng.random(expected.size), expected - drawn / 2.0
    return (uniform < won).astype(np.int64) - (uniform >= won + drawn)


def tallied(
    rng: np.random.Generator,
    size: int,
    logit: float,
    draws: float,
    first: float = 0.3,
    luck: float = 0.0,
    stays: float = 0.0,
) -> tuple[dict[str, Any], float]:
    """Return the tally of a simulated match, and the expected score.

    Parameters
    ----------
    logit, draws : float
        The logit of player 1's expected score without the first move, and the share of draws.
    first, luck, stays : float
        In logits: the advantage of the first move, the deviation that openings add to it, and the advantage that they
        give player 1. Without luck there are no openings, and each game is an observation.
    """
    number = np.arange(size)
    side = 1.0 - 2.0 * (number % 2)
    met = LUCK[rng.integers(0, 49, size // 2)][number // 2]
    result = drawn_results(rng, expected(logit + side * (first + luck * met) + stays * met), draws)
    truth = float(np.mean([expected(logit + side * (first + luck * LUCK) + stays * LUCK) for side in (1.0, -1.0)]))
    return tally(result, number // 2) if luck else tally(result, strata=side), truth


def expected(logits: Floats) -> Floats:
    """Return expected scores."""
    scores: Floats = 1.0 / (1.0 + np.exp(-logits))
    return scores


def score(luck: float, stays: float, least: float, most: float, size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a match of players of random strength."""
    rate = rng.uniform(least, most)
    draws, first = rng.choice([0.0, 0.1, 0.3, 0.6]), rng.choice([0.0, 0.5])
    return score_at(size, rng, rate, draws, luck, stays, first)


def score_at(
    size: int,
    rng: np.random.Generator,
    score: float,
    draws: float,
    luck: float = 0.0,
    stays: float = 0.0,
    first: float = 0.0,
) -> Outcome:
    """Simulate a match; without the first move and openings player 1 scores `score`."""
    counted, truth = tallied(rng, size, float(np.log(score / (1.0 - score))), draws, first, luck, stays)
    ends = PERCENT * counted["score_low"], PERCENT * counted["score_high"]
    return interval(*ends, PERCENT * truth, PERCENT * counted["score"])


def elo(strengths: Sequence[float], size: int, rng: np.random.Generator, draws: float | None = None) -> Outcome:
    """Simulate a tournament with `size` games for each pair; the outcome averages over the players."""
    truth = np.array(strengths)
    truth, draws = truth - truth.mean(), rng.choice([0.0, 0.3, 0.6]) if draws is None else draws
    points, observed = np.zeros((truth.size, truth.size)), []
    for a, b in itertools.combinations(range(truth.size), 2):
        chance = np.full(size, expected(np.array((truth[a] - truth[b]) / ELO)))
        won = (0.5 + 0.5 * drawn_results(rng, chance, draws)).reshape(-1, 2).sum(axis=1)
        points[a, b], points[b, a] = won.sum(), size - won.sum()
        observed.append(Observed(a, b, np.full(won.size, 2.0), won))
    estimate, low, high = ratings(points, observed)
    wider = float(
        (np.sign(truth) * (estimate - truth)).mean()
    )  # above 0 where players seem farther apart than they are
    return interval(low, high, truth)._replace(bias=wider)


def elo_apart(size: int, rng: np.random.Generator, players: int, apart: float, draws: float) -> Outcome:
    """Simulate a tournament of equal players but for one, who is that much stronger."""
    return elo((apart, *[0.0] * (players - 1)), size, rng, draws)


def standing(size: int, rng: np.random.Generator, player: int | None = None, draws: float | None = None) -> Outcome:
    """Simulate a player's games in a tournament."""
    truth = np.array(PLAYERS["as in the README"])
    player = int(rng.integers(0, truth.size)) if player is None else player
    draws = rng.choice([0.0, 0.3, 0.6]) if draws is None else draws
    chances = expected((truth[player] - np.delete(truth, player)) / ELO)
    opponent = np.repeat(np.arange(chances.size), size)
    counted = tally(drawn_results(rng, chances[opponent], draws), strata=opponent)
    ends = PERCENT * counted["score_low"], PERCENT * counted["score_high"]
    return interval(*ends, PERCENT * chances.mean(), PERCENT * counted["score"])


def sweep(rng: np.random.Generator, size: int, logits: Sequence[float], paired: bool) -> tuple[pd.DataFrame, Floats]:
    """Return settings compared with the best, by `size` games each, and their expected scores."""
    draws, pairs = rng.choice([0.0, 0.3, 0.6]), size // 2
    together = LUCK[rng.integers(0, 49, pairs)]
    scores: list[Floats] = []
    for logit in logits:
        met = together if paired else LUCK[rng.integers(0, 49, pairs)]
        won = [drawn_results(rng, expected(logit + (side + 0.3) * met), draws) for side in (1.0, -1.0)]
        scores.append(np.asarray(0.5 + 0.25 * (won[0] + won[1]), dtype=np.float64))
    truths = [np.mean([expected(logit + (side + 0.3) * LUCK) for side in (1.0, -1.0)]) for logit in logits]
    return against_best(scores, paired=paired), np.array(truths)


SWEPT: dict[str, tuple[float, ...]] = {
    "seven equal": (0.3,) * 7,
    "seven": (-0.6, -0.2, 0.1, 0.3, 0.35, 0.25, -0.1),
    "two strong": (3.0, 3.0),
    "three far apart": (-2.0, 0.0, 4.0),
}


def best_is_kept(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a sweep; an error is to call a truly best setting lower."""
    table, truths = sweep(rng, size, SWEPT["seven equal"], paired=True)
    best = truths >= truths.max() - 1e-12
    return Outcome(float((best & (table["standing"] == LOWER).to_numpy()).any()))


def minus_the_best(size: int, rng: np.random.Generator, settings: str, paired: bool) -> Outcome:
    """Simulate a sweep; the intervals of the differences from the best-scoring setting must cover jointly."""
    table, truths = sweep(rng, size, SWEPT[settings], paired)
    at = int(np.argmax(table["standing"] == "best"))
    others = np.arange(len(truths)) != at
    differences = PERCENT * table.loc[others, ["difference_low", "difference_high", "difference"]].to_numpy(np.float64)
    return interval(
        differences[:, 0], differences[:, 1], PERCENT * (truths - truths[at])[others], differences[:, 2], together=True
    )


def doubling(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a sweep of five budgets against the same opponent."""
    return doubling_at(size, rng, rng.uniform(40.0, 200.0), rng.uniform(-500.0, 0.0), rng.choice([0.0, 0.3]))


def doubling_at(size: int, rng: np.random.Generator, slope: float, start: float, draws: float) -> Outcome:
    """Simulate such a sweep of a player who begins `start` Elo points above the opponent."""
    rows = []
    for doubled, budget in enumerate((100, 200, 400, 800, 1_600)):
        counted, _ = tallied(rng, size, (start + slope * doubled) / ELO, draws, first=0.0)
        rows.append({"player1.simulations": budget, **counted})
    (fit,) = fits_of(pd.DataFrame(rows), ["player1.simulations"])[1].values()
    return interval(fit.elo_low, fit.elo_high, slope, fit.elo)


def grade(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a search for a grade, with six rates and three rounds of two further rates."""
    return grade_at(size, rng, rng.uniform(1.0, 3.5), rng.uniform(0.02, 0.4), rng.choice([0.0, 0.3]))


def grade_at(size: int, rng: np.random.Generator, start: float, grade: float, draws: float) -> Outcome:
    """Simulate such a search; `start` is the logit of the score without worse moves."""
    truth, slope = grade, -start / np.sqrt(grade)
    rows: list[dict[str, Any]] = []
    tried = [0.0, 0.04, 0.16, 0.36, 0.64, 1.0]
    for _ in range(4):
        for rate in tried:
            counted, _ = tallied(rng, size, start + slope * np.sqrt(rate), draws, first=0.0)
            rows.append({"rate": rate, "round": 1, **counted})
        tried = next_rates(fit_rates(pd.DataFrame(rows)))
    graded = grade_of(pd.DataFrame(rows))
    return interval(graded.low, graded.high, truth, graded.rate)


EVEN, STRONG = (0.1, 0.9), (0.93, 0.995)
GAMES, DRAWS = (10, 20, 50, 100), (0.0, 0.3, 0.6)
SCORES = (0.5, 0.7, 0.9, 0.97, 0.99)
MATCH, TOURNAMENT = "experiment=match", "experiment=tournament"
CLAIMS = [
    Claim(
        "score of a match",
        MATCH,
        functools.partial(score, 0.0, 0.0, *EVEN),
        "games",
        family=family_of(score_at, score=SCORES, draws=DRAWS),
        family_sizes=GAMES,
    ),
    *(
        Claim(
            f"score of a match from {name}",
            MATCH,
            functools.partial(score, luck, stays, *EVEN),
            "games",
            family=family_of(score_at, score=SCORES, draws=(0.0, 0.6), luck=[luck], stays=[stays]),
            family_sizes=GAMES,
        )
        for name, luck, stays in (("openings", 1.0, 0.0), ("openings that one player knows", 0.5, 1.0))
    ),
    Claim("score near 100 %", MATCH, functools.partial(score, 0.0, 0.0, *STRONG), "games"),
    Claim(
        "score over all opponents",
        TOURNAMENT,
        standing,
        "games a pair",
        family=family_of(standing, player=(0, 2, 5), draws=DRAWS),
        family_sizes=(6, 20, 100),
    ),
    *(
        Claim(
            f"Elo of players {name}",
            TOURNAMENT,
            functools.partial(elo, strengths),
            "games a pair",
            (6, 20, 100),
            family=family_of(elo_apart, players=[players], apart=apart, draws=(0.0, 0.6)) if players else {},
            family_sizes=(6, 20, 100),
        )
        for (name, strengths), (players, apart) in zip(
            PLAYERS.items(), ((3, (0.0, 300.0, 800.0)), (0, ()), (2, (0.0, 300.0, 800.0, 900.0, 1_200.0))), strict=True
        )
    ),
    Claim(
        "the best of seven equal settings is not called lower",
        "experiment=uct_sweep",
        best_is_kept,
        "games",
    ),
    *(
        Claim(
            f"minus the best, {name} settings, {'' if paired else 'not '}paired",
            "experiment=uct_sweep",
            functools.partial(minus_the_best, settings=name, paired=paired),
            "games",
            family={} if paired else family_of(minus_the_best, settings=SWEPT, paired=(True, False)),
            family_sizes=(20, 100),
        )
        for name, paired in (("seven equal", True), ("seven", True), ("seven", False))
    ),
    Claim(
        "Elo per doubling",
        "experiment=uct_sweep",
        doubling,
        "games a budget",
        family=family_of(doubling_at, slope=(20.0, 250.0), start=(-700.0, 0.0), draws=(0.0, 0.6)),
        family_sizes=(20,),
    ),
    Claim(
        "grade",
        "experiment=grade",
        grade,
        "games a rate",
        family=family_of(grade_at, start=(0.5, 1.5), grade=(0.02, 0.3), draws=[0.0]),
        family_sizes=(20,),
        really=0.9,  # of a player near `graded` at rate 0, one search in 16 finds no grade, which counts as a miss
    ),
]
