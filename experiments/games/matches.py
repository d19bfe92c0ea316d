"""Players in pairs at one game: the configuration, the tasks and the tables that experiments with games share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4.lines import LARGEST
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.executors.serial import Serial
from experiments.engine.experiment import SHARDS, Experiment, group
from experiments.engine.families import EXECUTOR
from experiments.engine.tasks import Task
from experiments.games import anytime
from experiments.games.playing import MatchSettings, Pair, facts_of, gather, in_whole_rounds, plan, source_digest
from experiments.games.rules import CONNECT, GAME, SIZE, Connect4, Rules
from experiments.players.specs import PlayerSpec
from numerics.output import tables
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd


class Matches(Experiment):
    """Players in pairs at one game, Connect 4 on a board of any size."""

    executor: Executor = group(EXECUTOR)
    games: int = parameter(100, low=1, most=10_000_000, help="of each pair, half of them with either moving first")
    openings: str = parameter(
        "none", help="first moves that are given: none, first_moves, pairs, or a file with an opening a line"
    )
    board: str | None = parameter(SIZE, help="columns x rows")
    connect: int | None = parameter(CONNECT, low=2, high=LARGEST, help="stones in a row that win")
    seed: int = parameter(0, low=0, help="decides all random numbers")
    anytime: bool = parameter(
        False, help="whether to add anytime-valid intervals, which may be inspected after every round of games"
    )

    unit = "games"
    paired = False  # whether game n of every pair has the same seed

    @property
    def pairs(self) -> Sequence[Pair]:
        """The pairs of players."""
        raise NotImplementedError

    @property
    def everybody(self) -> list[PlayerSpec]:
        """All players, as pairs name them."""
        return list({spec.label: spec for pair in self.pairs for spec in pair}.values())

    @property
    def who(self) -> str:
        """The text that announces the players."""
        names = [
            spec.label if spec.label in (spec.name, spec.name_with_budget) else f"{spec.label}: {spec.name_with_budget}"
            for spec in self.everybody
        ]
        return " against ".join(names) if len(names) == 2 else "; ".join(names)

    @functools.cached_property
    def rules(self) -> Rules:
        """The rules that are played by."""
        return Connect4().sized(self.board, self.connect)

    @functools.cached_property
    def terms(self) -> MatchSettings:
        """The settings that all games share."""
        openings = tuple(self.rules.openings(self.openings))
        return MatchSettings(self.rules, openings, self.games, self.seed, self.paired)

    @property
    def has_person(self) -> bool:
        """Whether a person at the terminal plays, whom no bar may disturb, and who need not play every opening."""
        return any(spec.is_human for spec in self.everybody)

    def adjusted(self) -> dict[str, Any]:
        return {} if self.has_person else in_whole_rounds(self.games, len(self.terms.openings))

    def prepare(self) -> None:
        self.rules.check_players(self.everybody)

    def announce(self) -> None:
        pairs = len(self.pairs)
        each = f"{self.games:,} game{'s' * (self.games > 1)}" + (f" of each of {pairs} pairs" if pairs > 1 else "")
        printing.say(f"{self.who}\n{each} {self.rules.title}, {self.opened}")

    @property
    def opened(self) -> str:
        """The text that announces the openings."""
        count = len(self.terms.openings)
        return "no openings" if self.openings == "none" else f"{count} opening{'s' * (count > 1)} ({self.openings})"

    def tasks(self, folder: Path) -> list[Task]:
        return plan(self.pairs, self.terms, folder / SHARDS)

    def watch(self) -> Callable[[Task], str] | None:
        return anytime.watcher(len(self.terms.openings), self.games) if self.anytime else None

    @property
    def executor_used(self) -> Executor:
        return Serial() if self.has_person else self.executor  # only the main thread can ask a person at the terminal

    def source_fingerprint(self) -> str:
        return source_digest(self.everybody, self.terms)

    def tables(self, folder: Path) -> dict[str, Any]:
        games, timings = gather(self.tasks(folder))
        tables.write(games, folder / "games.parquet")
        tables.write(timings, folder / "timings.parquet")
        self.write_results(games, folder)
        if self.anytime:
            anytime.write(games, len(self.terms.openings), folder)
        return facts_of(self.seed, self.everybody, timings)

    def write_results(self, games: pd.DataFrame, folder: Path) -> None:
        """Write the tables that are made of the games."""
        raise NotImplementedError


class AnyGame(Matches):
    """Players in pairs at one game: Connect 4, or one whose positions are objects of a class."""

    game: Rules = group(GAME)

    @functools.cached_property
    def rules(self) -> Rules:
        return self.game.sized(self.board, self.connect)

    def adjusted(self) -> dict[str, Any]:
        return {**super().adjusted(), **self.rules.settings}
