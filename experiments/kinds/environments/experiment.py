"""Players in PettingZoo's Connect Four and on the board of this project: the same games, and their times there.

Both games of a number have the same players, made anew from the same seed, so that players who draw only from their own
streams play them move for move alike. What can differ is what is compared: the results, and the time.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from connect4 import pettingzoo
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.executors.serial import Serial
from experiments.engine.experiment import SHARDS, Experiment, list_of
from experiments.engine.tasks import Task
from experiments.games import playing
from experiments.games.rules import Connect4
from experiments.kinds.environments.both_places import GAMES, PLACES, TIMINGS, play_games, summary_of, times_of, verdict
from experiments.players.specs import PLAYER, PlayerSpec, check_programs
from numerics.output import plots, style, tables
from numerics.output.captions import Caption, caption, label_of
from numerics.output.figures import Figure
from numerics.output.scales import Scale
from numerics.output.sheets import Column, Facts, Row, Sheet, number, p_value, share, word
from numerics.output.style import PALETTE
from numerics.parameters import parameter

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd

THERE, HERE = PALETTE[1], PALETTE[0]  # the environment, and this project's own referee


def draw(played: pd.DataFrame, timings: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw scores on the left, times on the right."""
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    summary = summary_of(played)
    pairs = zip(summary["player"], summary["opponent"], strict=True)
    names = [f"{label_of(str(player), 28)}: {label_of(str(other), 28)}" for player, other in pairs]
    scores = [
        (plots.estimates(summary, f"{venue}_score", 100.0), {"color": colour, "label": label})
        for venue, label, colour in (("environment", "PettingZoo", THERE), ("native", "native", HERE))
    ]
    middle, low, high = (100.0 * summary[name].to_numpy(np.float64) for name in ("difference", "low", "high"))
    ends = zip(middle, (high - low) / 2.0, strict=True)
    texts = [f"{style.number(difference, 2)} ± {style.number(arm, 2)}" for difference, arm in ends]
    scale = Scale("score of the player named first (%)", log=False, low=-2.0, high=102.0)
    plots.rows(left, names, *scores, beside=texts, scale=scale)
    left.axvline(50.0, color="0.6", linewidth=0.8)
    games = style.number(int(summary["games"].iloc[0]))
    caption(left, f"{games} games of each pair, 95 % intervals; right: PettingZoo minus native, in %")
    times = times_of(played, timings)
    there, here = (1e3 * times[f"{venue}_seconds"].to_numpy(np.float64) for venue in ("environment", "native"))
    series = [((values, values, values), {"color": colour}) for values, colour in ((there, THERE), (here, HERE))]
    texts = [f"\u00d7 {style.number(ratio, 2)}" for ratio in there / here]
    plots.rows(right, names, *series, beside=texts, apart=0.0, scale=Scale("time of a game (ms)", log=True))
    right.hlines(range(len(times)), here, there, color="0.75", linewidth=1.2, zorder=1)
    caption(right, "Medians, players' thinking included; right: their ratio")
    return Caption("", "The same games in PettingZoo and here")


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the summary with the median times of a game."""
    games = tables.read(folder / "games.parquet")
    times = times_of(games, tables.read(folder / "timings.parquet"))
    return summary_of(games).assign(**{f"{venue}_seconds": times[f"{venue}_seconds"] for venue in PLACES})


def _difference(row: Row) -> str:
    return f"{100 * row['difference']:+.1f} ± {50 * (row['high'] - row['low']):.1f} %"


RESULTS = Sheet(
    "summary.csv",
    "the player's score in PettingZoo and here; illegal: games lost by an illegal move; ms: median of a game's time",
    (
        word("player"),
        word("opponent"),
        number("games"),
        share("PettingZoo", "environment_score"),
        share("native", "native_score"),
        Column("difference", _difference, "difference"),
        p_value("adjusted p", "p_adjusted"),
        number("illegal", "environment_illegal", optional=2),
        number("illegal, native", "native_illegal", optional=2),
        number("same", "identical", optional=1),
        number("ms", "environment_seconds", ".2f", 1e3, optional=3),
        number("ms, native", "native_seconds", ".2f", 1e3, optional=3),
        Column("verdict", verdict, number=False),
    ),
    read=_read,
)


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say how many games are the same, and how long a game takes in both places."""
    rows = _read(folder, facts)
    same, total = int(rows["identical"].sum()), int(rows["games"].sum())
    there, here = (1e3 * float(rows[f"{venue}_seconds"].median()) for venue in PLACES)
    return [
        f"{'all ' if same == total else ''}{same:,} of {total:,} games are identical in both places, move for move; "
        f"a game takes {there:.2f} ms there and {here:.2f} ms here (median), {there / here:.1f} times as long"
    ]


class Environments(Experiment, name="environments"):
    """Players against each other in PettingZoo's Connect Four and on the board of this project."""

    players: Sequence[PlayerSpec] = list_of(PLAYER)
    games: int = parameter(100, low=1, most=10_000_000, help="games of each pair, in each place")
    seed: int = parameter(0, low=0, help="decides all random numbers")

    unit = "games"
    figures = (
        Figure(
            "environments",
            ("games.parquet", "timings.parquet"),
            draw,
            size=lambda played, *_: (10.0, 2.2 + 0.34 * len(played[["player1", "player2"]].drop_duplicates())),
            panels=True,
        ),
    )
    sheets = (RESULTS,)
    notes = staticmethod(notes)

    @property
    def pairs(self) -> list[playing.Pair]:
        """Who plays whom."""
        return list(combinations(self.players, 2))

    @property
    def terms(self) -> playing.MatchSettings:
        """What all games have in common; the environment has no other board."""
        return playing.MatchSettings(Connect4(), ((),), self.games, self.seed)

    @property
    def version(self) -> str:
        """The other place, and which."""
        return f"PettingZoo {importlib.metadata.version('pettingzoo')}"

    def adjusted(self) -> dict[str, Any]:
        return playing.in_whole_rounds(self.games)

    def prepare(self) -> None:
        players = {f"players[{index}]": spec for index, spec in enumerate(self.players)}
        check_programs(players, "play a game in both places")
        self.terms.rules.check_players(self.players)
        try:
            pettingzoo.environment()
        except ImportError as error:
            raise ValueError(f"experiment=environments cannot run: {error}") from error

    def announce(self) -> None:
        games, pairs = f"{self.games:,} games", len(self.pairs)
        each = f"{games} of each of {pairs} pairs" if pairs > 1 else games
        names = "; ".join(spec.label for spec in self.players)
        printing.say(f"{names}\n{each}, in {self.version} and, from the same seeds, here")

    def tasks(self, folder: Path) -> list[Task]:
        planned = playing.plan(self.pairs, self.terms, folder / SHARDS)
        return [dataclasses.replace(task, function=play_games) for task in planned]

    @property
    def executor_used(self) -> Executor:
        """Plays one game after another, because simultaneous games would disturb the times."""
        return Serial()

    def source_fingerprint(self) -> str:
        return f"{super().source_fingerprint()}\n{self.version}"

    def tables(self, folder: Path) -> dict[str, Any]:
        rows = tables.join_tables([tables.read(task.path) for task in self.tasks(folder)])
        tables.write(rows[list(GAMES)], folder / "games.parquet")
        tables.write(rows[list(TIMINGS)], folder / "timings.parquet")
        tables.write(summary_of(rows), folder / "summary.csv")
        seconds = float(np.sum(rows[[f"{venue}_seconds" for venue in PLACES]].to_numpy()))
        players = [{"label": spec.label, "name": spec.name} for spec in self.players]
        timings = {"playing": round(seconds, 3)}
        return {"seed": self.seed, "timings": timings, "players": players, "environment": self.version}
