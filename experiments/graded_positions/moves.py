"""Players judged by exact scores: the worth of their moves on a fixed set of positions of a game.

On Connect 4 7 x 6 the positions are the packed ones. Those of other boards and games are drawn and solved first. Every
player makes a move in each position, with the random stream of the position's number. So its moves do not depend on the
order or division of the work. Only the moves of players with a budget in seconds also depend on
the machine's speed. A move keeps the value of a position if a win remains a win, a draw a draw and a loss a loss. Its
loss is the score of the best move minus its own. In Connect 4 one point of `connect4.solver` is a win two plies later;
another game has its own scores, such as boxes. A missing or illegal move keeps nothing.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from connect4.lines import LARGEST
from connect4.players.open_spiel import OpenSpielPlayer
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import SHARDS, Experiment, group, list_of
from experiments.engine.families import EXECUTOR, digests
from experiments.engine.tasks import Task, parts_of
from experiments.games.rules import CONNECT, GAME, GAMES, SIZE, Connect4, Rules
from experiments.graded_positions.choices import (
    TIMINGS,
    ask,
    columns_of,
    differences_of,
    rates_by,
    summary_of,
    worst_loss,
)
from experiments.graded_positions.drawing import Drawing, say_fewer
from experiments.graded_positions.positions import (
    ALL,
    BOTH,
    EARLY,
    HELD_OUT,
    MISLEADING,
    RANDOM,
    SELF_PLAY,
    SETS,
    TEST,
    TRAPS,
    Graded,
    chance,
    is_packed,
    sourced_positions,
)
from experiments.players import PLAYERS
from experiments.players.specs import PLAYER, PlayerSpec, check_programs
from mcts import MonteCarloPlayer, UCTPlayer
from numerics import checks
from numerics.checks import accept_any
from numerics.output import tables
from numerics.output.sheets import Facts, interval
from numerics.parameters import parameter

KEEPS_VALUE = interval("keeps the value, %", "keeps_value", scale=100)
BEST_MOVE = interval("plays a best move, %", "best", scale=100, optional=3)
LOSS = interval("loss of score, mean", "loss", ".2f", optional=1)


def plies_in(facts: Facts) -> str:
    """Return what the plies of positions are, to readers."""
    return "moves so far" if "game" in facts else "stones on the board"


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Return what a reader must know: few positions, answers that failed, budgets that were not kept."""
    choices = tables.read(folder / "choices.parquet")
    positions = choices["position"].nunique()
    sentences = say_fewer(positions, facts.get("wanted", 0))
    for player, failed in choices[choices["failure"] != ""].groupby("player", sort=False):
        first = failed.iloc[0]
        sentences.append(
            f"{player} gave no legal move in {len(failed):,} of {positions:,} positions. Each counts as a loss of "
            "value "
            f"(first in position {first.position}: {first.failure})."
        )
    seconds = tables.read(folder / "timings.parquet").groupby("player", sort=False)["seconds"].agg(["median", "max"])
    for player in facts["players"]:
        budget, (median, longest) = player["seconds"], seconds.loc[player["label"]]
        if budget is not None and median > _OVER * budget + _SLACK:
            sentences.append(
                f"{player['label']} takes {median / budget:.1f} times its budget of {1e3 * budget:,.3g} ms. A "
                f"move took {1e3 * median:,.3g} ms (median), {1e3 * longest:,.3g} ms at most."
            )
    return sentences


_OVER, _SLACK = 1.5, 0.002  # budgets, and seconds besides for the way there and back, from which a move is too long
_KINDS = {
    RANDOM: "from random games",
    SELF_PLAY: "from self-play",
    BOTH: "from random games and from self-play",
    TRAPS: "that hold traps",
    MISLEADING: "that mislead playouts",
    EARLY: "that come early",
    TEST: "of all four kinds",
    ALL: "of all four kinds",
}
_THINKERS = (MonteCarloPlayer, UCTPlayer, OpenSpielPlayer)  # players with budgets
_NODES = dataclasses.replace(PLAYER, is_raw=True)  # a node gives a player for each budget


class GradedMoves(Experiment):
    """The moves of players in positions of a game whose moves have exact scores."""

    players: Sequence[Any] = list_of(_NODES)
    game: Rules = group(GAME)
    executor: Executor = group(EXECUTOR)
    positions: int = parameter(2_000, check=accept_any, help="number of positions")
    positions_from: str = parameter(BOTH, choices=SETS, help="set of positions, by their games")
    simulations: list[int] = parameter([], help="simulations per move of players without a budget of their own")
    seconds: list[float] = parameter([], help="seconds per move of players without a budget of their own")
    seed: int = parameter(0, low=0, help="random seed")
    board: str | None = parameter(
        SIZE, help="columns x rows; for boards other than 7x6, positions are drawn and solved first"
    )
    connect: int | None = parameter(CONNECT, low=2, high=LARGEST, help="stones in a row that win")

    unit = "moves"
    caveats: ClassVar[Callable[..., list[str]]] = staticmethod(caveats)

    @functools.cached_property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.game.sized(self.board, self.connect)

    def adjusted(self) -> dict[str, Any]:
        return self.rules.settings

    @property
    def asked(self) -> list[PlayerSpec]:
        """The players, each once for each of its budgets."""
        nodes = with_budgets(self.players, self.simulations, self.seconds)
        return dataclasses.replace(PLAYER, least=1).build_list(nodes, "players")

    @property
    def is_packed(self) -> bool:
        """Whether the positions come with the package."""
        return is_packed(self.rules)

    @property
    def is_connect4(self) -> bool:
        """Whether the game is Connect 4, on a board of any size."""
        return isinstance(self.rules, Connect4)

    @functools.cached_property
    def _drawing(self) -> Drawing:
        return Drawing(self.rules, self.positions, self.positions_from, self.seed)

    def chosen(self, folder: Path) -> Sequence[tuple[Graded, str]]:
        """Return the positions of a run in a folder, and the kind of each; drawn ones after the first stage."""
        return self._packed if self.is_packed else self._drawing.read(folder / SHARDS)

    @property
    def _packed(self) -> Sequence[tuple[Graded, str]]:
        return sourced_positions(self.positions_from)[: self.positions]

    def prepare(self) -> None:
        players = {f"players[{index}]": spec for index, spec in enumerate(self.asked)}
        check_programs(players, "move in every position")
        self.rules.check_players(self.asked)
        if self.is_packed:
            # Not in the declaration, because the limit depends on the set.
            checks.check_whole("positions", self.positions, 1, len(sourced_positions(self.positions_from)))
        else:
            self._drawing.check()

    def announce(self) -> None:
        if not self.is_packed:
            low, high = self._drawing.plies or (0, 0)
            printing.say(
                f"{self.positions:,} positions {self.rules.title} will be drawn and solved, after {low} to {high} moves"
            )
            return
        held_out = self.positions_from.startswith(HELD_OUT)
        kind = self.positions_from.removeprefix(HELD_OUT).removeprefix("_") or TEST
        plies = "7 to 13" if kind == EARLY else "8 to 28"
        printing.say(
            f"{self.positions:,} {'held-out ' if held_out else ''}positions of {plies} plies {_KINDS[kind]}, in which "
            f"a move can lose the value; a random legal move keeps it in {_chance(self._packed):.1f} %"
        )

    def stages(self, folder: Path) -> Iterator[Sequence[Task]]:
        if not self.is_packed:
            yield self._drawing.tasks(folder / SHARDS)
        yield self.tasks(folder)

    def tasks(self, folder: Path) -> list[Task]:
        return self.asking(folder)

    def asking(self, folder: Path) -> list[Task]:
        """Return the tasks that ask all players for their moves."""
        players, chosen = self.asked, self.chosen(folder)
        return [
            Task(
                folder / SHARDS / f"player{number:04d}_position{part[0]:07d}.parquet",
                ask,
                (spec, self.seed, part[0], chosen[part[0] : part[-1] + 1]),
                len(part),
            )
            for number, spec in enumerate(players)
            for part in parts_of(len(chosen), among=len(players))
        ]

    def source_fingerprint(self) -> str:
        positions = (
            repr(sourced_positions(self.positions_from)) if self.is_packed else digests(self.rules.source_files())
        )
        return "\n".join([positions, *map(PLAYER.source_fingerprint, self.asked)])

    def tables(self, folder: Path) -> dict[str, Any]:
        rows = tables.join_tables([tables.read(task.path) for task in self.asking(folder)])
        chosen = self.chosen(folder)
        choices, timings, players = rows[list(columns_of(self.rules))], rows[list(TIMINGS)], self.asked
        worst = worst_loss([graded for graded, _ in chosen])
        tables.write(choices, folder / "choices.parquet")
        tables.write(timings, folder / "timings.parquet")
        tables.write(summary_of(choices, worst), folder / "summary.csv")
        tables.write(rates_by(choices, "ply", worst).drop(columns=["loss_low", "loss_high"]), folder / "by_ply.csv")
        tables.write(rates_by(choices, "source", worst), folder / "by_source.csv")
        if len(players) > 1:
            tables.write(differences_of(choices), folder / "differences.csv")
        return {
            "seed": self.seed,
            "timings": {"thinking": round(float(timings["seconds"].sum()), 3)},
            "players": [
                {"label": spec.label, "name": spec.name, "seconds": getattr(spec.made, "seconds", None)}
                for spec in players
            ],
            "chance": _chance(chosen),
            **({} if self.is_packed else {"positions": len(chosen), "wanted": self.positions}),
            **({} if self.is_connect4 else {"game": GAMES.text(self.rules)}),
        }


def _chance(chosen: Sequence[tuple[Graded, str]]) -> float:
    """Return the percentage of random legal moves that keep the value."""
    return 100 * chance([graded for graded, _ in chosen])


def with_budgets(nodes: Sequence[Any], simulations: Sequence[Any], seconds: Sequence[Any]) -> list[Any]:
    """Return the names and nodes of players, with a node for each budget of searches without a budget of their own.

    Examples
    --------
    >>> with_budgets(["random", "uct"], [10, 100], [])
    ['random', {'name': 'uct', 'simulations': 10}, {'name': 'uct', 'simulations': 100}]
    >>> with_budgets(["uct_best"], [10], [])
    [{'name': 'uct_best', 'simulations': 10}]
    """
    players: list[Any] = []
    for node in nodes:
        values: Mapping[str, Any] = {"name": node} if isinstance(node, str) else node
        thinker, known = PLAYERS.members[values["name"]], set[str]()
        if issubclass(thinker, _THINKERS) and not {"simulations", "seconds", "cpu_seconds"} & set(values):
            known = {parameter.name for parameter in dataclasses.fields(thinker)}
        with_budget = []
        for name, budgets in (("simulations", simulations), ("seconds", seconds)):
            for budget in budgets if name in known else ():
                with_budget.append({**values, name: budget})
                if values.get("label"):
                    with_budget[-1]["label"] = f"{values['label']} {name}={checks.number(name, budget):g}"
        players += with_budget or [node]
    return players
