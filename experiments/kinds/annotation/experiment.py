"""The annotation of a run's games: every move judged by its exact score; `python -m experiments.annotate` makes it.

Which scores are proven in time depends on the machine; every stored score is exact, and a stopped run resumes.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group
from experiments.engine.families import EXECUTOR, digests
from experiments.engine.tasks import Task, parts_of
from experiments.games.judged_moves import FORFEIT, MOVE, PHASES, START, UNKNOWN, check_exact, judge, read
from experiments.games.results import ground, played_in, rules_of
from experiments.games.rules import GAMES, Connect4, Rules
from experiments.kinds.annotation.loss_tables import by_ply, players_table
from numerics.output import tables
from numerics.output.captions import Caption
from numerics.output.figures import Figure
from numerics.output.plots import curves
from numerics.output.scales import Scale
from numerics.output.sheets import MISSING, Column, Facts, Row, Sheet, interval, number, word
from numerics.output.style import line_style
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def _column_of_third(name: str, optional: int) -> Column:
    """Return a column of the share of blunders in a third of the board, or of each game."""

    def cell(row: Row) -> str:
        moves = row[f"moves_{name}"]
        return f"{100 * row[f'blunders_{name}'] / moves:.1f}" if moves else MISSING

    return Column(f"{name}, %", cell, optional=optional)


PLAYERS = Sheet(
    "players.csv",
    "moves judged by exact scores; blunders: moves that lose value (win, draw, loss); intervals: 95 %",
    (
        word("player"),
        number("moves", optional=1),
        number("solved", "known", optional=3),
        interval("loss of score, mean", "loss", ".2f"),
        interval("blunders, %", "blunder_rate", scale=100),
        *(_column_of_third(name, optional=6 - third) for third, name in enumerate(PHASES)),
        Column("decided games", lambda row: f"{row['decided']:,} of {row['games']:,}", "decided", optional=2),
    ),
)


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Say how many moves have no score."""
    moves = tables.read(folder / "moves.parquet")
    unsolved = moves[moves["loss"].isna()]
    if unsolved.empty:
        return []
    plies = f"{unsolved['ply'].min()} to {unsolved['ply'].max()} stones"
    return [
        f"{len(unsolved):,} of {len(moves):,} moves could not be scored within the time limit "
        f"per position. They are excluded from all means; their positions have {plies}. Increase seconds= to score "
        "more."
    ]


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say what decided the games."""
    decisions = tables.read(folder / "decisions.parquet")
    endings = {
        MOVE: "by the last blunder",
        START: "already decided at the start",
        FORFEIT: "by a forfeit",
        UNKNOWN: "unknown (a position was not solved)",
    }
    counts = decisions["decided_by"].value_counts()
    parts = [f"{counts[key]:,} {text}" for key, text in endings.items() if key in counts]
    return [
        f"{len(decisions):,} game{'s' if len(decisions) > 1 else ''} decided: {'; '.join(parts)}",
        f"{', '.join(PHASES[:-1])} and {PHASES[-1]}: thirds {facts.get('thirds', 'of the board')}",
    ]


def _cells_of(rules: Rules) -> int | None:
    """Return the cells of a board of Connect 4; None for another game."""
    return rules.empty.width * rules.empty.height if isinstance(rules, Connect4) else None


_GROUP = 3  # plies of a point
_FEWEST = 5  # games that a point needs
_BARS = 6  # players; the intervals of more would hide each other
_STEP = 0.006  # of the axis, from an interval to that of the next player


def draw_loss(moves: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw each player's mean loss of score against the moves so far, with intervals of 95 %.

    Points of fewer than five games are left out, and those where fewer than half of the moves have a known loss.
    """
    cells = _cells_of(rules_of(facts["settings"]))
    table = by_ply(moves, cells, _GROUP)
    sure = table[(table["games"] >= _FEWEST) & (2 * table["known"] >= table["moves"])]
    players = dict.fromkeys(table["player"])
    barred = len(players) <= _BARS
    ends = curves(
        axes,
        sure.assign(ply=sure["ply"] + (_GROUP - 1) / 2.0),
        "ply",
        "loss",
        by="player",
        x_scale=Scale("stones on the board before the move" if cells else "moves so far", log=False, whole=True),
        y_scale=Scale("loss of score, mean", log=False, low=0.0),
        looks={player: line_style(index) for index, player in enumerate(players)},
        whiskers=barred,
        apart=_STEP,
    )
    bars = "; whiskers: 95 % intervals over games" if barred else ""
    partly = "; shown only where most moves have a score" if bool((2 * table["known"] < table["moves"]).any()) else ""
    text = f"Mean loss by exact scores, in groups of {_GROUP} plies{bars}{partly}"
    return Caption(text, f"What moves cost {ground(facts['settings'])}", ends=ends)


FIGURES = (Figure("loss_by_ply", "moves.parquet", draw_loss, size=(7.6, 4.4)),)


class Annotation(Experiment, name="annotation"):
    """Each move of the games of a run judged by its exact score."""

    summary: ClassVar[str | None] = "players.csv"

    executor: Executor = group(EXECUTOR)
    run: str = parameter(help="folder of a match or tournament")
    seconds: float = parameter(10.0, low=0.0, above=True, help="time limit of one position of Connect 4")

    unit = "games"
    figures = FIGURES
    sheets = (PLAYERS,)
    caveats = staticmethod(caveats)
    notes = staticmethod(notes)

    @functools.cached_property
    def played(self) -> tuple[pd.DataFrame, Rules]:
        """The games of the run, and what was played."""
        games, rules = played_in(Path(self.run))
        if not isinstance(rules, Connect4) and self.seconds != Annotation.seconds:
            raise ValueError(f"seconds must be left out with another game than Connect 4; got {self.seconds:g}")
        try:
            check_exact(rules, games)
        except ValueError as error:
            raise ValueError(f"folder {self.run!r} cannot be annotated: {error}") from None
        return games, rules

    @property
    def config(self) -> dict[str, Any]:
        """The key of the annotation in its folder; it leaves out the path of the run, which may be moved."""
        _, rules = self.played
        if not isinstance(rules, Connect4):
            return {"kind": self.name, "game": GAMES.node(rules)}
        return {"kind": self.name, "seconds": self.seconds, "board": rules.board, "connect": rules.connect}

    def announce(self) -> None:
        games, rules = self.played
        time = f"at most {self.seconds:g} s per position" if isinstance(rules, Connect4) else rules.title
        printing.say(f"{len(games):,} games with {int(games['plies'].sum()):,} moves; {time}")

    def tasks(self, folder: Path) -> list[Task]:
        games, rules = self.played
        parts = [games.iloc[part[0] : part[-1] + 1] for part in parts_of(len(games))]
        return [
            Task(
                folder / SHARDS / f"game{part['game'].iloc[0]:09d}.parquet",
                judge,
                (part, rules, self.seconds),
                len(part),
            )
            for part in parts
        ]

    def source_fingerprint(self) -> str:
        _, rules = self.played
        games = hashlib.sha256(Path(self.run, "games.parquet").read_bytes()).hexdigest()
        return games + digests(rules.source_files())

    def tables(self, folder: Path) -> dict[str, Any]:
        parts = [read(task.path) for task in self.tasks(folder)]
        moves, decisions = (tables.join_tables(parts_of_table) for parts_of_table in zip(*parts, strict=True))
        games, rules = self.played
        tables.write(moves, folder / "moves.parquet")
        tables.write(decisions, folder / "decisions.parquet")
        cells = _cells_of(rules)
        tables.write(players_table(moves, decisions, cells), folder / "players.csv")
        tables.write(by_ply(moves, cells), folder / "by_ply.csv")
        return {"games": len(games), "thirds": "of the board" if cells else "of each game's moves", "timings": {}}
