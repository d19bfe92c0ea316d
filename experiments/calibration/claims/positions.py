"""Moves judged by exact scores: rates, losses, differences of players, growth of regret, blunders; also P-games."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.calibration.claim import Claim, Outcome, interval
from experiments.graded_positions.choices import differences_of, summary_of
from experiments.graded_positions.positions import BOTH, graded_positions
from experiments.kinds.annotation.tables import players_table
from experiments.kinds.p_game.searches import summary_of as failures_of
from experiments.kinds.root_regret.tables import growth_of

PERCENT = 100.0
CARELESS = 0.2  # rate at which a simulated player moves at random

Floats = npt.NDArray[np.float64]


@functools.cache
def losses() -> list[npt.NDArray[np.int64]]:
    """Return the losses of all legal moves in each position of `strength`."""
    return [np.array([graded.top - score for score in graded.legal_scores]) for graded in graded_positions(None, BOTH)]


@functools.cache
def mean_loss() -> float:
    """Return the mean loss of a player who moves at random at rate `CARELESS`, and otherwise best."""
    return CARELESS * float(np.mean([lost.mean() for lost in losses()]))


def choices(player: str, kept: npt.NDArray[np.bool_], loss: npt.ArrayLike = 0.0) -> pd.DataFrame:
    """Return choices as `strength` stores them."""
    columns = {"player": player, "name": player, "simulations": pd.NA, "position": np.arange(kept.size), "failure": ""}
    return pd.DataFrame({**columns, "keeps_value": kept, "best": kept, "loss": loss})


def kept(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a player who keeps the value at a random rate."""
    rate = rng.uniform(0.3, 0.97)
    row = summary_of(choices("one", rng.random(size) < rate)).iloc[0]
    ends = PERCENT * row["keeps_value_low"], PERCENT * row["keeps_value_high"]
    return interval(*ends, PERCENT * rate, PERCENT * row["keeps_value"])


def loss(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate a player who is sometimes careless, in positions of the set."""
    drawn = [losses()[index] for index in rng.integers(0, len(losses()), size)]
    lost = np.array(
        [rng.choice(lost_by_move) if rng.random() < CARELESS else 0 for lost_by_move in drawn], dtype=np.float64
    )
    row = summary_of(choices("one", lost == 0.0, lost)).iloc[0]
    return interval(row["loss_low"], row["loss_high"], mean_loss(), row["loss"])


def three(of_tests: bool, size: int, rng: np.random.Generator) -> Outcome:
    """Simulate three players of equal strength on the same positions, compared with the best of them.

    Of their tests an error is any adjusted p below 0.05.
    """
    hard, rate = rng.random(size) ** 0.5, rng.uniform(0.5, 0.95)
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


def growth(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate regret at the roots of `size` positions after 1,000 and 10,000 simulations."""
    truth, wide, noise = rng.uniform(0.1, 0.9), 0.8, 0.4
    before = np.exp(wide * rng.standard_normal(size))
    after = before * 10.0**truth * np.exp(noise * rng.standard_normal(size) - noise**2 / 2.0)
    estimate, low, high = growth_of(np.stack([before, after], axis=1), np.array([1_000, 10_000]))
    return interval(low, high, truth, estimate)


def judged(what: str, size: int, rng: np.random.Generator) -> Outcome:
    """Simulate the moves of a player whose form changes from game to game."""
    rate = 0.08
    moves = rng.integers(5, 20, size)
    form = np.repeat(rng.beta(2.0, 2.0 / rate - 2.0, size), moves)
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


def failures(size: int, rng: np.random.Generator) -> Outcome:
    """Simulate wrong root moves of five searches in each of `size` trees."""
    rate = rng.uniform(0.05, 0.6)
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


FROM_BEST, P_VALUES = functools.partial(three, False), functools.partial(three, True)
_strength = functools.partial(Claim, command="experiment=strength", unit="positions")
CLAIMS = [
    _strength("positions whose value is kept", simulate=kept),
    _strength("loss of score a position", simulate=loss, conservative=True),
    _strength("difference from the best of three equal players", simulate=FROM_BEST, conservative=True),
    _strength("adjusted p of three equal players", simulate=P_VALUES, nominal=0.05, test=True),
    Claim("growth of regret at the root", "experiment=root_regret", growth, "positions"),
    Claim(
        "loss of score a move", "experiments.annotate", functools.partial(judged, "loss"), "games", conservative=True
    ),
    Claim("blunders", "experiments.annotate", functools.partial(judged, "blunder_rate"), "games"),
    Claim("wrong moves in P-games", "experiment=p_game", failures, "trees"),
]
