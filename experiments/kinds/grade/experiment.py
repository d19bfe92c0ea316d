"""The grade of a player: the rate of worse moves at which perfect play scores one half against it.

`graded` (experiments.players.perfect) plays perfectly except for a rate of worse moves. In a first round it plays the
player at several rates over all of [0, 1]. Each further round plays at the two rates where scores of 2/3 and 1/3 are
expected after all games so far. These rates locate 1/2 most precisely (see `experiments.kinds.grade.rates`). Only the
seed decides which rates are tried, so that a resumed run tries the same.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from experiments.engine import printing
from experiments.engine.experiment import SHARDS, group
from experiments.engine.tasks import Task
from experiments.games import score_sheets
from experiments.games.matches import AnyGame
from experiments.games.playing import Pair, facts_of, gather, labelled_apart, plan
from experiments.games.results import ground
from experiments.games.score_sheets import RESULTS
from experiments.kinds.grade.rates import DIGITS, Grade, fit_rates, grade_of, next_rates, rates_of
from experiments.players.perfect import GradedPlayer
from experiments.players.specs import PLAYER, PlayerSpec, check_programs
from numerics import checks
from numerics.output import plots, style, tables
from numerics.output.captions import Caption, label_of
from numerics.output.figures import Figure
from numerics.output.scales import Scale
from numerics.output.sheets import Facts, Sheet, number, share
from numerics.output.style import DARK, PALETTE
from numerics.parameters import parameter
from numerics.statistics.intervals import NORMAL_95

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_TICKS = (0.0, 0.01, 0.04, 0.1, 0.2, 0.4, 0.7, 1.0)  # of a rate
_ROOTS = Scale(
    "rate of worse moves of graded (drawn by its square root)",
    log=False,
    low=-0.02,
    high=1.02,
    form=lambda root: f"{root * root:.3g}",
)


def draw_grade(table: pd.DataFrame, grade: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the scores at all rates with their 95 % intervals, the fitted curve, and the grade with its interval."""
    fit, player = grade_of(table), str(grade["player"].iloc[0])
    roots = np.linspace(0.0, 1.0, 400)
    lower, upper = (100.0 * fit.line.score(roots, errors) for errors in (-NORMAL_95, NORMAL_95))
    band: dict[str, Any] = {"color": PALETTE[0], "alpha": DARK, "linewidth": 0.0}
    axes.fill_between(roots, lower, upper, label="95 % interval of the fit", **band)
    axes.plot(roots, 100.0 * fit.line.score(roots), color=PALETTE[0], linewidth=1.4, label="fitted score")
    rounds = {True: "first round", False: "later rounds"}
    plots.curves(
        axes,
        table.assign(root=np.sqrt(table["rate"]), first=table["round"] == 1),
        "root",
        "score",
        by="first",
        factor=100.0,
        x_scale=_ROOTS,
        y_scale=Scale("score of graded (% of the points)", log=False, low=-2.0, high=102.0),
        names=rounds,
        look={"color": PALETTE[0], "marker": "o", "markersize": 5.0},
        looks={True: {"markerfacecolor": "white"}},
        joined=False,
    )
    axes.set_xticks(np.sqrt(_TICKS))
    axes.axhline(50.0, color="0.6", linewidth=0.8)
    known = fit.rate == fit.rate
    if known:
        rate, low, high = (style.number(end, 3) for end in (fit.rate, fit.low, fit.high))
        ends = np.sqrt([[fit.rate], [fit.low], [fit.high]])
        look = {"fmt": "D", "color": PALETTE[1], "markersize": 6.0, "capsize": 4.0, "elinewidth": 1.8, "zorder": 4.0}
        label = f"grade {rate} [{low}, {high}]"
        plots.draw_whiskers(axes, [50.0], (ends[0], ends[1], ends[2]), across=True, label=label, **look)
    fewest, most = int(table["games"].min()), int(table["games"].max())
    counted = style.number(fewest) if fewest == most else f"{style.number(fewest)} to {style.number(most)}"
    without = "" if known else "; no rate gives a score of 50 %"
    name = label_of(player)
    text = f"{counted} games at a rate; whiskers: 95 % intervals (score test){without}"
    return Caption(text, f"The grade of {name} {ground(facts['settings'])}")


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say what the grade is."""
    table, player = tables.read(folder / "rates.csv"), facts["players"][0]["label"]
    return [grade_text(player, grade_of(table), table)]


def grade_text(player: str, grade: Grade, table: pd.DataFrame) -> str:
    """Say what a grade is, or why there is none."""
    if np.isnan(grade.rate):
        worst = table.iloc[-1]
        return (
            f"{player} has no grade: graded scores {100 * worst['score']:.1f} % against it at a rate of "
            f"{worst['rate']:g}, and no rate up to 1 gives a score of 50 %"
        )
    interval = f"95 % interval {grade.low:.4f} to {grade.high:.4f}"
    every = f", one move in {1.0 / grade.rate:.3g}" if grade.rate > 0.0 else ""
    return f"{player} scores 50 % against graded at a rate of {grade.rate:.4f} ({interval}){every}"


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    table = tables.read(folder / "rates.csv")
    return table.assign(fitted=fit_rates(table).score(np.sqrt(table["rate"])))


RATES = Sheet(
    "rates.csv",
    "graded against the player, by its rate of worse moves",
    (number("rate", form="g"), number("round"), *RESULTS, share("fitted")),
    read=_read,
)


@dataclass(frozen=True)
class Round:
    """Games at some rates; `before` is the number of games of the rounds before it."""

    number: int
    rates: Sequence[float]
    before: int
    planned: Sequence[Task]

    @functools.cached_property
    def played(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """All games, with their round and rate, and their timings."""
        games, timings = gather(self.planned)
        rate_index = (games["game"] - self.before) // (len(games) // len(self.rates))
        return games.assign(round=self.number, rate=rate_index.map(dict(enumerate(self.rates)))), timings


class Grading(AnyGame, name="grade"):
    """A player against `graded`, which plays worse moves at a rate, to find the rate at which it scores one half."""

    summary: ClassVar[str | None] = "grade.csv"

    player: PlayerSpec = group(PLAYER)
    rates: list[float] = parameter([0.0, 0.04, 0.16, 0.36, 0.64, 1.0], help="of worse moves, in the first round")
    rounds: int = parameter(3, low=0, most=100, help="further rounds, at two rates each")
    games: int = parameter(98, low=1, help="at each rate")
    simulations: int = parameter(1_000, low=1, help="by which graded chooses between equal moves")
    openings: str = parameter(
        "pairs", help="first moves that are given: none, first_moves, pairs, or a file with an opening a line"
    )

    figures = (Figure("grade", ("rates.csv", "grade.csv"), draw_grade, size=(7.6, 4.6)),)
    caveats = staticmethod(score_sheets.of_games)
    sheets = (RATES,)
    notes = staticmethod(notes)
    hint = "each move of a game by its exact score: python -m experiments.annotate {folder} game=0"

    @property
    def first_rates(self) -> list[float]:
        """The rates of the first round."""
        rates = [
            round(checks.number(f"rates[{index}]", rate, 0.0, 1.0), DIGITS) for index, rate in enumerate(self.rates)
        ]
        if len(rates) < 2 or len(set(rates)) < len(rates):
            given = ",".join(f"{rate:g}" for rate in rates)
            raise ValueError(f"rates must hold at least 2 different ones, such as [0,0.1,0.4,1]; got [{given}]")
        return rates

    def graded(self, rate: float) -> PlayerSpec:
        """Return the graded player at a rate."""
        return PlayerSpec(f"graded {rate:g}", GradedPlayer(rate=rate, simulations=self.simulations))

    @property
    def pairs(self) -> list[Pair]:
        """The tasks of the first round."""
        return self._against(self.first_rates)

    def _against(self, rates: Sequence[float]) -> list[Pair]:
        """Return the player against graded at each of some rates."""
        return [labelled_apart((self.graded(rate), self.player)) for rate in rates]

    def prepare(self) -> None:
        check_programs({"player": self.player}, "play every game of a search for its grade")
        self.graded(self.first_rates[0])  # checked here, before any work
        super().prepare()

    def announce(self) -> None:
        each = f"{self.games:,} games at each rate of worse moves of its opponent, graded"
        printing.say(f"{self.player.name_with_budget}\n{each}, {self.rules.title}")
        self._say_round(1, self.first_rates)

    def _say_round(self, number: int, tried: Sequence[float]) -> None:
        printing.say(f"round {number} of {self.rounds + 1}: rates {', '.join(f'{rate:g}' for rate in tried)}")

    def stages(self, folder: Path) -> Iterator[Sequence[Task]]:
        for round_ in self._rounds(folder):
            if round_.number > 1:
                self._say_round(round_.number, round_.rates)
            yield round_.planned

    def _rounds(self, folder: Path) -> Iterator[Round]:
        """Yield every round; the rates of one depend on the games of those before it."""
        import pandas as pd

        done: list[Round] = []
        tried, before = self.first_rates, 0
        while True:
            planned = plan(self._against(tried), self.terms, folder / SHARDS, before)
            done.append(Round(len(done) + 1, tried, before, planned))
            yield done[-1]
            if len(done) > self.rounds:
                return
            before += len(done[-1].played[0])
            games = pd.concat([round_.played[0] for round_ in done])
            tried = next_rates(fit_rates(rates_of(games)))

    def tables(self, folder: Path) -> dict[str, Any]:
        played = [round_.played for round_ in self._rounds(folder)]
        games, timings = (tables.join_tables(parts) for parts in zip(*played, strict=True))
        table = rates_of(games)
        grade = grade_of(table)
        row = {
            "player": games["player2"].iloc[0],
            "rate": grade.rate,
            "rate_low": grade.low,
            "rate_high": grade.high,
            "start": grade.line.start,
            "slope": grade.line.slope,
            "games": int(table["games"].sum()),
        }
        tables.write(games, folder / "games.parquet")
        tables.write(timings, folder / "timings.parquet")
        tables.write(table, folder / "rates.csv")
        tables.write(tables.table_of([row]), folder / "grade.csv")
        return facts_of(self.seed, [self.player], timings)
