"""`python -m experiments.judge command="./engine --flag"`: the strength of an engine, by exact scores.

    python -m experiments.judge command="python my_engine.py" positions=60     in a minute
    python -m experiments.judge command="python my_engine.py"                  all 6,000 positions of the test set
    python -m experiments.judge player="uct c=0.7" budget=10,50
    python -m experiments.judge command=./engine board=6x5 positions=60
    python -m experiments.judge player=uct budget=1 game=breakthrough positions=200
    python -m experiments.judge reference=true                                 the known engines, on this machine

The engine is a program or a player of this project with its parameters. A program reads a position and writes a column,
each on its own line; see connect4.players.program. The report says how often its move keeps the value of a position (a
win stays a win, a draw a draw). It says how often the move is optimal and how many points it loses. It also has the
calibration of the engine's values, and a comparison with known engines. A failed answer counts as a loss and is
reported. An engine that gives no legal move in the first three positions is not judged.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from experiments.engine import printing, runs
from experiments.engine.errors import guarded, leave
from experiments.engine.experiment import build
from experiments.engine.presets import preset
from experiments.games.rules import GAMES, Connect4, Rules
from experiments.games.trial import TRIED, first_positions, try_out
from experiments.graded_positions.positions import ALL, SETS
from experiments.kinds.judge import reference
from experiments.kinds.judge.experiment import Judge
from experiments.kinds.judge.judge_sheets import LEAGUE, name_of
from experiments.players import make_player
from experiments.players.specs import program
from numerics import checks
from numerics.commands import Command
from numerics.output import tables
from numerics.parameters import parameter
from numerics.players import Player
from numerics.random import Purpose, derived_seed
from numerics.texts import read

_BUDGET = 50.0  # milliseconds of a move
_KNOWN = 1_500  # positions on which known engines are measured, unless positions= is given
_PATIENCE = 5.0  # budgets, and a second, within which a program must answer


class Judged(Command, module="experiments.judge"):
    """Which engine, in which positions; the keys of `experiment=judge` mean the same here."""

    command: str | None = parameter(None, help='command line of the engine, as "python my_engine.py"')
    player: Player | None = parameter(None, check=program, help='a player of this project instead, as "uct c=0.7"')
    label: str | None = parameter(None, help="name of the engine in the report")
    budget: list[float] = parameter([], help="time budgets per move in milliseconds, sent to the engine; default: 50")
    limit: float | None = parameter(
        None, low=0.0, above=True, help="time limit for an answer, in seconds; default: five budgets and 1 s"
    )
    positions: int | None = parameter(
        None,
        low=1,
        help="number of positions; default: 6,000, and 1,500 for known engines; those after the first "
        "6,000 are held out",
    )
    positions_from: str = parameter(ALL, choices=SETS, help="set of positions")
    game: Rules = parameter("connect4", of=GAMES, help='a game with exact values, as "hex size=4" or "my_games.Nim"')
    board: str = parameter(
        "7x6", help="columns x rows; for boards other than 7x6, positions are drawn and solved first"
    )
    connect: int = parameter(4, low=2, help="stones in a row that win")
    seed: int = parameter(0, low=0, help="random seed of the players and of drawn positions")
    workers: int | None = parameter(None, low=1, help="number of threads; default: one per core")
    reference: bool = parameter(False, help="first measure the known engines on this machine")
    folder: str | None = parameter(
        None, help="folder of tables and figures; the same command with the same folder resumes an interrupted run"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, ask the engine, and print the report."""
    given = Judged.read(words)
    if given.reference and (given.board, given.connect, given.game) != ("7x6", 4, Connect4()):
        raise ValueError(
            "reference must be left out with another game or board: the known engines play Connect 4 on 7x6"
        )
    engine, folder = given.command is not None or given.player is not None, given.folder
    if engine:
        config = _config(given, given.positions or 6_000, _engines(given))
        judge, _ = build(config)  # all mistakes are found before known engines are measured
        assert isinstance(judge, Judge)
        boards: list[Any]
        if judge.is_packed:  # else early positions, because those of the game are not drawn yet
            boards = [graded.board for graded, _ in judge.chosen(Path())[:TRIED]]
        elif isinstance(judge.rules, Connect4):
            boards = first_positions(*judge.rules.size)
        else:
            boards = [judge.rules.reached(())]
        player = judge.asked[0].player(derived_seed(judge.seed, (Purpose.STRENGTH_PLAYER,)))
        try_out(player, boards, "player" if given.command is None else "command", judge.rules)
    elif not given.reference:
        raise ValueError('command or player must be given, as command="python my_engine.py"')
    if given.reference:
        table = measure(_config(given, given.positions or _KNOWN, reference.nodes()), None if engine else folder)
        if not engine:
            return
        config["reference"] = str(table)
    _run(config, Path(folder or f"results/judge/{datetime.datetime.now():%Y-%m-%d_%H-%M-%S_%f}"))


def _config(given: Judged, positions: int, players: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the configuration of a run of `experiment=judge`."""
    shared = {key: getattr(given, key) for key in ("positions_from", "board", "connect", "seed")}
    shared["game"] = GAMES.node(given.game)
    executor = {"name": "threads", "workers": given.workers}
    defaults = {key: value for key, value in preset("experiment", "judge").items() if key != "defaults"}
    return defaults | shared | {"positions": positions, "players": players, "executor": executor}


def _engines(given: Judged) -> list[dict[str, Any]]:
    """Return the engine as a node of a configuration, once for each budget."""
    if given.command is not None and given.player is not None:
        raise ValueError("command must be left out if player is given")
    player: Any = given.player or make_player("program", command=given.command)
    node, known = read(str(player), "player"), {field.name for field in dataclasses.fields(player)}
    if given.limit is not None and "limit" not in known:
        raise ValueError(f"limit must be left out for {node['name']}: only programs have a time limit")
    label = given.label or given.command
    node |= {} if label is None else {"label": label}
    fixed = sorted({"seconds", "simulations", "cpu_seconds"} & set(node))
    if "seconds" in known and not fixed:
        return [_with_budget(given, node, known, budget) for budget in given.budget or [_BUDGET]]
    if given.budget:
        why = f"{fixed[0]} is given" if fixed else f"{node['name']} has no budget"
        raise ValueError(f"budget must be left out: {why}")
    return [node]


def _with_budget(given: Judged, node: Mapping[str, Any], known: Set[str], budget: float) -> dict[str, Any]:
    """Return an engine with the milliseconds of a move, and the time within which it must answer if it takes one."""
    engine = {**node, "seconds": checks.number("budget", budget, 0.0, above=True) / 1e3}
    if "limit" in known and "limit" not in node:
        engine["limit"] = given.limit or _PATIENCE * engine["seconds"] + 1.0
    if given.command is not None:
        make_player("program", command=given.command, seconds=engine["seconds"], limit=engine["limit"])
    if "label" in node and len(given.budget) > 1:
        engine["label"] = f"{node['label']}, {budget:g} ms"
    return engine


def _run(config: dict[str, Any], folder: Path, *, figures: bool = True) -> None:
    """Run a configuration in a folder, which the sentence of an interrupt names."""
    try:
        runs.start(config, folder, figures=figures)
    except KeyboardInterrupt as stop:
        raise type(stop)(f"folder={folder}") from None


def measure(config: dict[str, Any], given: str | None) -> Path:
    """Measure the known engines, or go on; print them, and return the path of their table."""
    positions = config["positions"]
    folder = Path(given or f"results/judge/reference_{positions}_{config['seed']}")
    printing.say(f"known engines on {positions:,} positions: {folder}")
    with printing.mute():
        _run(config, folder, figures=False)
    known, path = reference.table_of(folder), folder / "known.csv"
    tables.write(known, path)
    whole = known[known["kind"] == reference.TOTAL]
    engines = whole.assign(player=list(map(name_of, whole.to_dict("records")))).sort_values("keeps_value")
    for filled in LEAGUE.of(engines, {"positions": int(engines["positions"].iloc[0])}):
        printing.show(filled)
    printing.say(f"table: {path}")
    return path


if __name__ == "__main__":
    leave(guarded(main))
