"""Players judged by the exact solver: what their moves are worth on a fixed set of positions.

Every player is asked for one move in each position, from the start of its stream number (position's number), so that
nothing depends on who asks, in what order, or in how many parts, but for the moves of players with a budget in seconds,
which the machine's speed decides too. A move keeps the value of a position if it is still a win, or a draw, or a loss
after it; its loss is the score of the best move minus its own, as `connect4.solver` counts (one point: a win two plies
later). An illegal move, or none, keeps nothing.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.engine import console as report
from experiments.engine.families import EXECUTOR
from experiments.engine.store import RunFolder
from experiments.engine.tasks import complete
from experiments.exact_scores import strength_tables
from experiments.exact_scores.positions import (
    BOTH,
    RANDOM,
    SELF_PLAY,
    Graded,
    chance,
    graded_positions,
    sourced_positions,
)
from experiments.players import PLAYERS
from experiments.players.specs import PlayerSpec, player_specs, source_files
from mcts import MonteCarloPlayer, UCTPlayer
from numerics import checks
from numerics.kernels.sources import digest
from numerics.output import tables
from numerics.players import Player, failure
from numerics.random import Purpose, derived_seed

if TYPE_CHECKING:
    import pandas as pd

_SHARDS = 100  # of a run, about
_GAMES = {RANDOM: "random games", SELF_PLAY: "self-play", BOTH: "random games and from self-play"}
GROUP = 3  # plies that are told together where there is little room
CHOICES = {
    "player": "str", "name": "str", "simulations": "Int64", "position": "int64", "source": "str", "ply": "int64",
    "column": "int64", "keeps_value": "bool", "best": "bool", "loss": "float64", "failure": "str",
}  # fmt: skip
"""The columns of choices.parquet, one row a player and position.

player, name
    The label, and the name with every parameter that is not the default.
simulations
    Of a move; empty for a player without, or whose moves rest on exact scores.
position, source, ply
    The number in the set, whether it is of "random" games or of "self_play", and the stones on the board.
column
    The 0-based column that was chosen; -1 where there was none.
keeps_value, best
    Whether win, draw or loss is what it was; whether no move has a higher score.
loss
    The best score minus that of the move; NaN after an illegal move or none.
failure
    What went wrong: "illegal move 7", or an exception with its text; empty where nothing did.
"""
_THINKERS = (MonteCarloPlayer, UCTPlayer)  # players with budgets
TIMINGS = {"player": "str", "position": "int64", "seconds": "float64"}


@dataclass(frozen=True)
class Shard:
    """One player on positions `first` ... `first + count - 1`, and the file of its choices once they are made."""

    spec: PlayerSpec
    number: int
    positions_from: str
    seed: int
    first: int
    count: int
    folder: Path

    @property
    def path(self) -> Path:
        """The shard's file, there only when it is whole."""
        return self.folder / f"player{self.number:04d}_position{self.first:07d}.parquet"

    def __call__(self) -> None:
        """Ask the player and store what it chose."""
        import pandas as pd

        player = self.spec.player(derived_seed(self.seed, (Purpose.STRENGTH_PLAYER,)))
        who = {"player": self.spec.label, "name": player.name, "simulations": simulations_of(player)}
        rows = [
            {**who, **judged(player, position, self.positions_from)}
            for position in range(self.first, self.first + self.count)
        ]
        tables.write(pd.DataFrame(rows).astype({**CHOICES, "seconds": "float64"}), self.path)


def simulations_of(player: Player) -> int | None:
    """Return the simulations of a move; None for a player without, or whose moves rest on exact scores.

    Examples
    --------
    >>> simulations_of(UCTPlayer()), simulations_of(UCTPlayer(seconds=0.1))
    (1000, None)
    """
    if isinstance(player, UCTPlayer):
        return player.budget
    return player.simulations if isinstance(player, MonteCarloPlayer) else None


def judged(player: Player, position: int, positions_from: str) -> dict[str, Any]:
    """Ask a player for its move in a position of a set; return what it is worth, and the seconds it took."""
    graded, source = _all_positions(positions_from)[position]
    board, column, why = graded.board, -1, ""
    start = time.perf_counter()
    try:
        player.reset(position)
        column = int(player.play(board))
    except Exception as error:
        why = failure(error)
    seconds = time.perf_counter() - start
    if not why and column not in graded.board.legal_moves():
        why = f"illegal move {column}"
    loss = np.nan if why else graded.loss(column)
    return {
        "position": position, "source": source, "ply": len(graded.moves), "column": column,
        "keeps_value": not why and graded.keeps_value(column), "best": loss == 0, "loss": loss, "failure": why,
        "seconds": seconds,
    }  # fmt: skip


@functools.cache
def _all_positions(positions_from: str) -> list[tuple[Graded, str]]:
    return sourced_positions(positions_from)


def run_strength(config: Mapping[str, Any], folder: Path) -> None:
    """Ask every player for its move in every position and leave the tables and figures in `folder`."""
    positions_from = str(config["positions_from"])
    positions = _all_positions(positions_from)
    players = player_specs(with_budgets(config["players"], config["simulations"], config["seconds"]), least=1)
    for place, one in enumerate(players):
        if one.is_human:
            raise ValueError(f"players[{place}] must be no person, who would have to judge each position; got 'human'")
    count = checks.whole("positions", config["positions"], 1, len(positions))
    seed = checks.whole("seed", config["seed"], 0)
    execute = EXECUTOR.build(config["executor"], "executor").run
    with RunFolder.open(folder, config, _source_digest(players, positions_from)) as store:
        report.say(
            f"{count:,} positions of 8 to 28 plies from {_GAMES[positions_from]} in which a move can lose the value; "
            f"a legal move at random keeps it in {100 * chance([one for one, _ in positions[:count]]):.1f} %"
        )
        planned = plan(players, positions_from, count, seed, store.shards)

        def leave() -> dict[str, Any]:
            seconds = {"thinking": round(_leave_results(planned, folder), 3)}
            named = [{"label": one.label, "name": one.name} for one in players]
            return {"seed": seed, "timings": seconds, "players": named}

        complete(store, planned, execute, "moves", leave)
    choices, timings = (tables.read(folder / f"{name}.parquet") for name in ("choices", "timings"))
    summary = strength_tables.summary_of(choices)
    report.console().print(strength_tables.strength_table(summary, timings))
    if len(players) > 1:
        report.console().print(strength_tables.best_pairs_table(strength_tables.differences_of(choices), summary))
    if choices["source"].nunique() > 1:
        report.console().print(strength_tables.sources_table(strength_tables.by_source(choices)))
    _say_failures(choices)
    report.say_places(folder)


def with_budgets(nodes: Sequence[Any], simulations: Sequence[Any], seconds: Sequence[Any]) -> list[Any]:
    """Return the nodes of players, each one that thinks as long as it is told once for each budget.

    Parameters
    ----------
    nodes : sequence
        Names, or nodes such as ``{name: uct, policy: kl_ucb}``.
    simulations, seconds : sequence of numbers
        The budgets of a move of the players of mcts. One without such a parameter, or whose node gives one of the two,
        stays as it is.

    Examples
    --------
    >>> with_budgets(["random", "uct"], [10, 100], [])
    ['random', {'name': 'uct', 'simulations': 10}, {'name': 'uct', 'simulations': 100}]
    """
    found: list[Any] = []
    for node in nodes:
        values = {"name": node} if isinstance(node, str) else node
        thinker = PLAYERS.get(str(values.get("name"))) if isinstance(values, Mapping) else None
        known = {one.name for one in dataclasses.fields(thinker)} if thinker in _THINKERS else set()
        if {"simulations", "seconds"} & set(values):
            known = set()
        own = []
        for name, budgets in (("simulations", simulations), ("seconds", seconds)):
            for budget in budgets if name in known else ():
                label = {"label": f"{values['label']} {name}={budget:g}"} if values.get("label") else {}
                own.append({**values, name: budget, **label})
        found += own or [node]
    return found


def _source_digest(players: Sequence[PlayerSpec], positions_from: str) -> str:
    """Return a digest of what the choices depend on besides the configuration: all source code, and the positions."""
    total = hashlib.sha256(repr(_all_positions(positions_from)).encode())
    for file in sorted({__file__, *(file for one in players for file in source_files(one))}):
        total.update(digest(file).encode())
    return total.hexdigest()[:16]


def plan(players: Sequence[PlayerSpec], positions_from: str, positions: int, seed: int, folder: Path) -> list[Shard]:
    """Cut the questions into shards; the cut does not depend on the workers."""
    block = -(-len(players) * positions // _SHARDS)
    return [
        Shard(one, number, positions_from, seed, first, min(block, positions - first), folder)
        for number, one in enumerate(players)
        for first in range(0, positions, block)
    ]


def _gather(planned: Sequence[Shard]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return all choices and their timings, by player and position."""
    import pandas as pd

    rows = pd.concat([tables.read(shard.path) for shard in planned], ignore_index=True)
    return rows[list(CHOICES)], rows[list(TIMINGS)]


def _leave_results(planned: Sequence[Shard], folder: Path) -> float:
    """Write the choices and the tables that are made of them, draw the figures, and return the seconds of thinking."""
    choices, timings = _gather(planned)
    tables.write(choices, folder / "choices.parquet")
    tables.write(timings, folder / "timings.parquet")
    tables.write(strength_tables.summary_of(choices), folder / "summary.csv")
    tables.write(strength_tables.by_ply(choices), folder / "by_ply.csv")
    tables.write(strength_tables.by_source(choices), folder / "by_source.csv")
    if choices["player"].nunique() > 1:
        tables.write(strength_tables.differences_of(choices), folder / "differences.csv")
    draw_strength(folder, choices, timings)
    return float(timings["seconds"].sum())


def _say_failures(choices: pd.DataFrame) -> None:
    """Say which players gave no legal move, and why first."""
    for player, own in choices[choices["failure"] != ""].groupby("player", sort=False):
        first = own.iloc[0]
        report.say(f"{player} gave no legal move in {len(own)} (first in position {first.position}: {first.failure})")


def draw_strength(folder: Path, choices: pd.DataFrame | None = None, timings: pd.DataFrame | None = None) -> list[Path]:
    """Draw the figures of a run, from the tables in its folder unless they are given."""
    from experiments.exact_scores import strength_figures
    from numerics.output.style import files, page

    choices = tables.read(folder / "choices.parquet") if choices is None else choices
    timings = tables.read(folder / "timings.parquet") if timings is None else timings
    summary = strength_tables.summary_of(choices)
    summary["seconds"] = summary["player"].map(timings.groupby("player")["seconds"].median())
    rows, sources = len(summary), list(choices["source"].unique())
    place = folder / "figures"
    drawn = ["players", "by_ply", "seconds"]
    with page(place / "players", (8.6, 1.5 + 0.38 * rows)) as figure:
        asked = graded_positions(len(choices) // rows, sources[0] if len(sources) == 1 else BOTH)
        strength_figures.draw_players(figure, summary, 100.0 * chance(asked))
    with page(place / "by_ply", (8.6, 1.7 + 0.36 * rows)) as figure:
        strength_figures.draw_by_ply(figure, figure.subplots(), choices, GROUP)
    with page(place / "seconds", (7.6, 4.6)) as figure:
        strength_figures.draw_against(figure.subplots(), summary, "seconds")
    if summary["simulations"].nunique() > 1:
        drawn.append("simulations")
        with page(place / "simulations", (7.6, 4.6)) as figure:
            strength_figures.draw_against(figure.subplots(), summary, "simulations")
    return [file for name in drawn for file in files(place / name)]
