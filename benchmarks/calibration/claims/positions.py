"""Moves judged by exact scores: rates, losses, differences of players, growth of regret, blunders; also P-games."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.calibration.claim import Claim, Outcome, family_of, interval
from experiments.graded_positions.choices import differences_of, summary_of
from experiments.graded_positions.positions import BOTH, graded_positions
from experiments.kinds.annotation.loss_tables import players_table
from experiments.kinds.judge.results import brier_of
from experiments.kinds.p_game.searches import summary_of as failures_of
from experiments.kinds.root_regret.root_regret_tables import growth_of, means_of

PERCENT = 100.0
CARELESS = 0.2  # rate at which a simulated player moves at random

Floats = npt.NDArray[np.float64]


@functools.cache
def losses() -> list[npt.NDArray[np.int64]]:
    """Return the losses of all legal moves in each position of `strength`."""
    return [np.array([graded.top - score for score in graded.legal_scores]) for graded in graded_positions(None, BOTH)]


@functools.cache
def mean_loss() -> float:
    """Return the mean loss of a player who moves at random."""
    return float(np.mean([lost.mean() for lost in losses()]))


def choices(player: str, kept: npt.NDArray[np.bool_], loss: npt.ArrayLike = 0.0) -> pd.DataFrame:
    """Return choices as `strength` stores them."""
    columns = {"player": player, "name": player, "simulations": pd.NA, "position": np.arange(kept.size), "failure": ""}
    return pd.DataFrame({**columns, "keeps_value": kept, "best": kept, "loss": loss})


def kept(size: int, rng: np.random.Generator, rate: float | None = None) -> Outcome:
    """Simulate a player who keeps the value at some rate, which is random by default."""
    rate = rng.uniform(0.3, 0.97) if rate is None else rate
    row = summary_of(choices("one", rng.random(size) < rate)).iloc[0]
    ends = PERCENT * row["keeps_value_low"], PERCENT * row["keeps_value_high"]
    return interval(*ends, PERCENT * rate, PERCENT * row["keeps_value"])


def loss(size: int, rng: np.random.Generator, careless: float = CARELESS) -> Outcome:
    """Simulate a player who moves at random at some rate and otherwise best, in positions of the set."""
    drawn = [losses()[index] for index in rng.integers(0, len(losses()), size)]
    lost = np.array(
        [rng.choice(lost_by_move) if rng.random() < careless else 0 for lost_by_move in drawn], dtype=np.float64
    )
    row = summary_of(choices("one", lost == 0.0, lost)).iloc[0]
    return interval(row["loss_low"], row["loss_high"], careless * mean_loss(), row["loss"])


def three(of_tests: bool, size: int, rng: np.random.Generator, rate: float | None = None) -> Outcome:
    """Simulate three players of equal strength on the same positions, compared with the best of them.

    Of their tests an error is any adjusted p below 0.05.
    """
    hard, drawn = rng.random(size) ** 0.5, rng.uniform(0.5, 0.95)
    rate = drawn if rate is None else rate
    luck = 0.5 * hard + 0.5 * rng.random((3, size))
    every = luck < np.quantile(0.5 * np.linspace(0, 1, 999)[:, None] ** 0.5 + 0.5 * np.linspace(0, 1, 999), rate)
    table = pd.concat([choices(str(number), kept) for number, kept in enumerate(every)], ignore_index=True)
    differences = differences_of(table)
    if of_tests:
        return Outcome(float((differences["p_adjusted"] < 0.05).any()))
    best = str(int(every.sum(axis=1).argmax()))
    of_best = differences[(differences["player_a"] == best) | (differences["player_b"] == best)]
    ends = PERCENT * of_best["difference_low"], PERCENT * of_best["difference_high"]
    return interval(*ends, 0.0, together=True)


FIRST, ALL = 1_000, 10_000  # simulations


def at_roots(size: int, rng: np.random.Generator, misled: float) -> tuple[Floats, tuple[float, float]]:
    """Return regret at the roots of positions after `FIRST` and `ALL` simulations, float64[size, 2], and its means.

    A loss of value costs 1/2. Early, two in five simulations go to losing moves, later one in six of these, but in some
    positions, which mislead the search all the time, nearly all of them.
    """
    early = rng.beta(2.0, 3.0, size)
    late = early * np.where(rng.random(size) < misled, rng.uniform(0.8, 1.0, size), rng.beta(1.0, 5.0, size))
    before, after = 0.5 * FIRST * early, 0.5 * (ALL - FIRST) * late
    means = 0.2 * FIRST, 0.2 * FIRST + 0.2 * (ALL - FIRST) * (0.9 * misled + (1.0 - misled) / 6.0)
    return np.stack([before, before + after], axis=1), means


def growth(size: int, rng: np.random.Generator, misled: float = 0.1) -> Outcome:
    """Simulate the growth of regret at the roots of `size` positions."""
    regret, (before, after) = at_roots(size, rng, misled)
    estimate, low, high = growth_of(regret, np.array([FIRST, ALL]))
    return interval(low, high, np.log10(after / before), estimate)


def root_regret(size: int, rng: np.random.Generator, misled: float = 0.1) -> Outcome:
    """Simulate the mean regret at the roots of `size` positions after all simulations."""
    regret, (_, truth) = at_roots(size, rng, misled)
    (mean,), (low,), (high,) = means_of(regret[:, 1:], np.zeros(1), np.array([float(ALL)]))
    return interval(low, high, truth, mean)


def judged(what: str, size: int, rng: np.random.Generator, rate: float = 0.08, evenness: float = 2.0) -> Outcome:
    """Simulate the moves of a player whose form changes from game to game; the less `evenness`, the more."""
    moves = rng.integers(5, 20, size)
    form = np.repeat(rng.beta(evenness, evenness / rate - evenness, size), moves)
    wrong = rng.random(form.size) < form
    lost = np.where(wrong, rng.geometric(0.2, form.size), 0.0)
    table = pd.DataFrame(
        {
            "player": "one",
            "game": np.repeat(np.arange(size), moves),
            "ply": 0,
            "keeps_value": ~wrong,
            "loss": lost.astype(np.float64),
        }
    )
    row = players_table(table, pd.DataFrame({"player": []}), 42).iloc[0]
    truth = {"loss": rate / 0.2, "blunder_rate": PERCENT * rate}[what]
    unit = PERCENT if what == "blunder_rate" else 1.0
    return interval(unit * row[f"{what}_low"], unit * row[f"{what}_high"], truth, unit * row[what])


def failures(size: int, rng: np.random.Generator, rate: float | None = None) -> Outcome:
    """Simulate wrong root moves of five searches in each of `size` trees."""
    rate = rng.uniform(0.05, 0.6) if rate is None else rate
    hard = np.repeat(rng.beta(2.0 * rate, 2.0 - 2.0 * rate, size), 5)
    table = pd.DataFrame(
        {
            "branching": 2,
            "depth": 8,
            "method": "one",
            "iterations": 100,
            "tree": np.repeat(np.arange(size), 5),
            "failure": (rng.random(hard.size) < hard).astype(np.float64),
        }
    )
    row = failures_of(table).iloc[0]
    ends = PERCENT * row["rate_low"], PERCENT * row["rate_high"]
    return interval(*ends, PERCENT * rate, PERCENT * row["rate"])


def brier(size: int, rng: np.random.Generator, blunders: float = 0.05) -> Outcome:
    """Simulate the values of an engine that is nearly right but at some rate, where it is far off."""
    wrong = rng.random(size) < blunders
    off = np.where(wrong, rng.uniform(0.9, 1.0, size), rng.uniform(0.0, 0.2, size))
    scores = brier_of(pd.DataFrame({"position": np.arange(size), "value": off, "result": 0.0}))
    truth = blunders * 2.71 / 3.0 + (1.0 - blunders) * 0.04 / 3.0  # the mean squares
    return interval(scores["brier_low"], scores["brier_high"], truth, scores["brier"])


JUDGED = {what: functools.partial(judged, what) for what in ("loss", "blunder_rate")}
FORMS: dict[str, tuple[float, ...]] = {"rate": (0.002, 0.01, 0.03, 0.2), "evenness": (0.3, 2.0)}
RATES = (0.5, 0.8, 0.95, 0.99)
_strength = functools.partial(Claim, command="experiment=strength", unit="positions")
_three = {of_tests: functools.partial(three, of_tests) for of_tests in (False, True)}
CLAIMS = [
    _strength(
        "positions whose value is kept", simulate=kept, family=family_of(kept, rate=RATES), family_sizes=(10, 20, 100)
    ),
    _strength(
        "loss of score a position",
        simulate=loss,
        family=family_of(loss, careless=(0.003, 0.01, 0.03, 0.1)),
        family_sizes=(20, 30, 100, 1_000),
    ),
    _strength(
        "difference from the best of three equal players",
        simulate=_three[False],
        family=family_of(_three[False], rate=(0.5, 0.95)),
        family_sizes=(20, 100),
    ),
    _strength(
        "adjusted p of three equal players",
        simulate=_three[True],
        nominal=0.05,
        test=True,
    ),
    Claim(
        "Brier score",
        "experiment=judge",
        brier,
        "pairs",
        (30, 100, 1_000),
        family=family_of(brier, blunders=(0.005, 0.02, 0.05, 0.2)),
    ),
    *(
        Claim(
            name,
            "experiment=root_regret",
            simulate,
            "positions",
            family=family_of(simulate, misled=(0.0, 0.01, 0.03, 0.1, 0.3)),
            family_sizes=(20, 30, 100),
        )
        for name, simulate in (("regret at the root", root_regret), ("growth of regret at the root", growth))
    ),
    *(
        Claim(
            name,
            "experiments.annotate",
            simulate,
            "games",
            family=family_of(simulate, **FORMS),
            family_sizes=(20, 100, 300),
        )
        for name, simulate in (("loss of score a move", JUDGED["loss"]), ("blunders", JUDGED["blunder_rate"]))
    ),
    Claim(
        "wrong moves in P-games",
        "experiment=p_game",
        failures,
        "trees",
        family=family_of(failures, rate=(0.01, 0.05, 0.2, 0.5)),
        family_sizes=(20, 30, 100),
    ),
]
