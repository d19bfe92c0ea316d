"""`python -m experiments.judge --command "./engine --flag"`: how good an engine is at Connect 4, by exact scores.

    python -m experiments.judge --command "python my_engine.py" --positions 60     in a minute
    python -m experiments.judge --command "python my_engine.py"                    all 6,000 positions of the test set
    python -m experiments.judge --player uct c=0.7 --budget 10,50
    python -m experiments.judge --command ./engine --columns 6 --rows 5 --positions 60
    python -m experiments.judge --reference                                        the known engines, on this machine

The engine is a program that reads positions and answers columns, a line each (connect4.players.program says which), or
a player of this project with its parameters. The report tells how often its move keeps the value of a position (a win
stays a win, a draw a draw), how often it is a best one, how many points it loses, how far its values are to be trusted,
and where it stands among known engines. An answer that fails is counted as lost, and told.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from connect4.lines import LARGEST
from experiments.engine import console as report
from experiments.engine import runs
from experiments.engine.errors import guarded, leave
from experiments.engine.experiment import build, checked, node_of
from experiments.engine.options import named, number
from experiments.kinds.judge import reference
from experiments.kinds.judge.experiment import Judge
from experiments.kinds.judge.sheets import LEAGUE, name_of
from experiments.players import PLAYERS
from numerics import checks
from numerics.output import tables
from numerics.parameters import must_be_one_of

_BUDGET = 50.0  # milliseconds of a move
_PATIENCE = 5.0  # budgets, and a second, within which a program must answer
_OPTIONS = (
    (r"players\[\d+\]\.command", "--command"),
    (r"players\[\d+\]\.limit", "--limit"),
    (r"players\[\d+\]\.seconds", "--budget: seconds"),
    (r"players\[\d+\]", "--player"),
    (r"(?=positions|seed|connect)", "--"),
)
_KNOWN = 1_500  # positions on which known engines are measured, unless --positions says


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, ask the engine, and print the report."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.judge", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE", help="any parameter of --player: c=0.7")
    parser.add_argument("--command", help="the engine's command line, as 'python my_engine.py'")
    parser.add_argument("--player", help="or a player of this project, as uct")
    parser.add_argument("--label", help="what the report calls the engine")
    parser.add_argument(
        "--positions",
        help="how many, the first ones; 6,000 when left out, at most 9,000, of which "
        "the last 3,000 are the held-out ones",
    )
    parser.add_argument("--held-out", action="store_true", help="those of the held-out set instead")
    parser.add_argument(
        "--budget",
        metavar="MS",
        help="milliseconds of a move, which the engine is told; several separated by commas; 50 when left out",
    )
    parser.add_argument(
        "--limit",
        metavar="SECONDS",
        help="within which a program must answer; when left out, five budgets and a second",
    )
    parser.add_argument("--columns", default="7")
    parser.add_argument("--rows", default="6", help="of another board, on which positions are drawn and solved first")
    parser.add_argument("--connect", default="4", help="stones in a row that win")
    parser.add_argument("--seed", default="0", help="of the random numbers of players, and of drawn positions")
    parser.add_argument("--workers", help="positions at once; one a core when left out")
    parser.add_argument("--reference", action="store_true", help="measure the known engines on this machine first")
    parser.add_argument(
        "--folder",
        type=Path,
        help="of tables and figures; the same command with the same folder goes on where it was stopped",
    )
    given = parser.parse_args(arguments)
    shared = _shared(given)
    if given.reference and (shared["board"], shared["connect"]) != ("7x6", 4):
        raise ValueError("--reference must be left out on another board than 7x6, where known engines are not compared")
    if given.command is None and given.player is None:
        if not given.reference:
            raise ValueError("--command or --player must be given, as --command 'python my_engine.py'")
        measure(shared, given.folder)
        return
    config = configured(given, shared)
    try:
        build(checked(config))  # all mistakes are found before known engines are measured
    except ValueError as error:
        raise ValueError(_with_options(str(error))) from error
    if given.reference:
        config["reference"] = str(measure(shared, None))
    folder = given.folder or Path("results", "judge", f"{datetime.datetime.now():%Y-%m-%d_%H-%M-%S_%f}")
    run(config, folder)


def _with_options(sentence: str) -> str:
    """Return a sentence about a configuration with the options that its keys come from."""
    for key, option in _OPTIONS:
        found = re.match(key, sentence)
        if found:
            return option + sentence[found.end() :]
    return sentence


def _shared(given: argparse.Namespace) -> dict[str, Any]:
    """Return what of the configuration is no engine's."""
    workers, connect = number("workers", given.workers, int), number("connect", given.connect, int)
    columns, rows = (
        checks.whole(f"--{name}", number(name, getattr(given, name), int), 1, LARGEST) for name in ("columns", "rows")
    )
    return {
        "positions": number("positions", given.positions, int),
        "seed": number("seed", given.seed, int),
        "board": f"{columns}x{rows}",
        "connect": connect,
        "positions_from": "held_out" if given.held_out else "all",
        "executor": {"name": "threads", "workers": None if workers is None else checks.whole("--workers", workers, 1)},
    }


def configured(given: argparse.Namespace, shared: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of the run that judges the engine."""
    positions = 6_000 if shared["positions"] is None else shared["positions"]
    return node_of(Judge) | shared | {"positions": positions, "players": engines(given)}


def engines(given: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the engine as a node of a configuration, once for each budget.

    Raises
    ------
    ValueError
        Both a command and a player, an unknown player, or options that do not go together.
    """
    if given.command is not None and given.player is not None:
        raise ValueError("--command must be left out where --player is given")
    kinds = sorted(name for name in PLAYERS.members if name != "human")
    if given.player is not None and given.player not in kinds:
        raise ValueError(must_be_one_of("--player", given.player, kinds))
    if given.command is not None and given.parameters:
        raise ValueError(f"{given.parameters[0]} must stand within --command: it is for a --player")
    own = {"name": "program", "command": given.command} if given.command is not None else {"name": given.player}
    own |= named(given.parameters)
    known = {one.name for one in dataclasses.fields(PLAYERS.members[own["name"]])}
    if given.limit is not None and "limit" not in known:
        raise ValueError(f"--limit must be left out for {given.player}, which answers by itself")
    budgets = [number("budget", one, float) for one in (given.budget or f"{_BUDGET:g}").split(",")]
    has_own = {"seconds", "simulations"} & set(own)
    if "seconds" not in known or has_own:
        if given.budget is not None:
            why = f"{sorted(has_own)[0]} is given" if has_own else f"{given.player} has no budget"
            raise ValueError(f"--budget must be left out where {why}")
        budgets = []
    label = given.label or given.command
    found = []
    for budget in budgets or [None]:
        one = {
            **own,
            **({} if budget is None else {"seconds": checks.number("--budget", budget, 0.0, above=True) / 1e3}),
        }
        if own["name"] == "program":
            limit = number("limit", given.limit, float)
            one["limit"] = _PATIENCE * one["seconds"] + 1.0 if limit is None else limit
        if label is not None:
            one["label"] = f"{label}, {budget:g} ms" if len(budgets) > 1 else label
        found.append(one)
    return found


def run(config: dict[str, Any], folder: Path, *, figures: bool = True) -> None:
    """Run a configuration in a folder, which the sentence of an interrupt names."""
    try:
        for _ in runs.start(config, folder, figures=figures):
            pass
    except KeyboardInterrupt as stop:
        raise type(stop)(f"--folder {folder}") from None


def measure(shared: dict[str, Any], folder: Path | None) -> Path:
    """Measure the known engines, or go on; print them, and return the path of their table."""
    positions = _KNOWN if shared["positions"] is None else shared["positions"]
    folder = folder or Path("results", "judge", f"reference_{positions}_{shared['seed']}")
    config = node_of(Judge) | shared | {"positions": positions, "players": reference.nodes()}
    report.say(f"known engines on {positions:,} positions: {folder}")
    with report.muted():
        run(config, folder, figures=False)
    found, path = reference.table_of(folder), folder / "known.csv"
    tables.write(found, path)
    whole = found[found["kind"] == reference.TOTAL]
    engines = whole.assign(player=list(map(name_of, whole.to_dict("records")))).sort_values("keeps_value")
    for filled in LEAGUE.of(engines, {"positions": int(engines["positions"].iloc[0])}):
        report.show(filled)
    report.say(f"table: {path}")
    return path


if __name__ == "__main__":
    leave(guarded(main))
