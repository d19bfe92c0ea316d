"""`python -m experiments.record 4453`: how one rule, or two side by side, search a position, as one HTML file to open.

With --bandit 0.3,0.5,0.7 it is how they pull arms of these means. The file plays every step, needs nothing but a
browser, and has the same bytes whenever the same command writes it. A rule is a policy's name and its parameters, as in
--rule "ucb c=0.5" --rule2 thompson; `python -m experiments.catalogue policies` lists them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bandits import Bernoulli, Policy
from bandits.policies.base import POLICIES
from connect4 import Board
from experiments.engine import console as report
from experiments.engine.errors import guarded, leave
from experiments.engine.options import number
from experiments.page.recordings.bandit import bandit_recording
from experiments.page.recordings.html import page_of
from experiments.page.recordings.search import search_recording
from mcts.policy import index_policy
from numerics.checks import under
from numerics.output.files import written_whole

_SEARCH: dict[str, Any] = {"simulations": 2_000, "board": "7x6", "connect": 4, "playouts": "uniform", "exact": False}
_BANDIT: dict[str, Any] = {"horizon": 1_000}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, record, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m experiments.record", description=__doc__)
    parser.add_argument("moves", nargs="?", help="that lead to the position, columns from 1; none: the empty board")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="search.html or bandit.html unless given; a name that ends in .json gets the data alone",
    )
    parser.add_argument("--rule", default="ucb", help="name and parameters; ucb when left out, with c = 1 in a search")
    parser.add_argument("--rule2", metavar="RULE", help="a second rule, with the same seed")
    parser.add_argument("--c", help="the parameter c of --rule, such as the exploration constant of ucb")
    parser.add_argument("--seed", default="0", help="of all random numbers; 0 when left out")
    search = parser.add_argument_group("a search")
    search.add_argument("--simulations", metavar="N", help="2,000 when left out")
    search.add_argument("--board", help="columns x rows; 7x6 when left out")
    search.add_argument("--connect", help="stones in a row that win; 4 when left out")
    search.add_argument("--playouts", help="uniform or biased; uniform when left out")
    search.add_argument("--exact", action="store_true", help="tell the exact score of every column too")
    bandit = parser.add_argument_group("a bandit")
    bandit.add_argument("--bandit", metavar="MEANS", help="of Bernoulli arms, such as 0.3,0.5,0.7")
    bandit.add_argument("--horizon", metavar="T", help="pulls; 1,000 when left out")
    given = parser.parse_args(arguments)
    kind, others = ("search", _BANDIT) if given.bandit is None else ("bandit", {"moves": None, **_SEARCH})
    for name in others:
        if getattr(given, name):
            option, needs = name if name == "moves" else f"--{name}", "without" if kind == "bandit" else "with"
            raise ValueError(f"{option} must be given {needs} --bandit")
    place = _place(given.output, kind)
    policy_of = index_policy if kind == "search" else POLICIES.of
    rules = [policy_of(given.rule if given.c is None else f"{given.rule} c={given.c}", "--rule")]
    if given.rule2 is not None:
        rules.append(policy_of(given.rule2, "--rule2"))
    if len(rules) == 2 and rules[0] == rules[1]:
        raise ValueError(f"--rule2 must be another rule than --rule; got {given.rule2!r}")
    try:
        recording = _search(given, rules) if kind == "search" else _bandit(given, rules)
    except ValueError as error:
        said = str(error)
        raise ValueError(said if said.startswith(("moves", "--")) else f"--{said}") from error
    _write(recording, place)
    report.say(recording["title"])
    report.say(f"{place}: {-(-place.stat().st_size // 1000)} kB")


def _place(given: Path | None, kind: str) -> Path:
    """Return where to write, checked before any work."""
    place = given or Path(f"{kind}.html")
    if place.suffix not in (".html", ".json"):
        raise ValueError(f"--output must end in .html or .json; got {str(place)!r}")
    try:
        possible = place.parent.is_dir() and not place.is_dir()
    except OSError:  # too long a name
        possible = False
    if not possible:
        raise ValueError(f"--output must be a file in a folder that is there; got {str(place)!r}")
    return place


def _search(given: argparse.Namespace, rules: Sequence[Policy]) -> dict[str, Any]:
    told = {name: getattr(given, name) or usual for name, usual in _SEARCH.items()}
    empty = Board.of_size(told["board"], number("connect", str(told["connect"]), int))
    board = Board.from_moves(given.moves or "", empty.width, empty.height, empty.connect)
    if board.is_finished():
        raise ValueError(f"moves must leave a game that goes on; got {given.moves!r}, after which it is over")
    return search_recording(
        board,
        rules,
        number("simulations", str(told["simulations"]), int),
        number("seed", given.seed, int),
        playouts=told["playouts"],
        exact=told["exact"],
    )


def _bandit(given: argparse.Namespace, rules: Sequence[Policy]) -> dict[str, Any]:
    means = [number("bandit", text.strip(), float) for text in given.bandit.split(",")]
    with under("--bandit"):
        arms = Bernoulli(means)
    horizon = number("horizon", str(given.horizon or _BANDIT["horizon"]), int)
    return bandit_recording(arms, rules, horizon, number("seed", given.seed, int))


def _write(recording: dict[str, Any], place: Path) -> None:
    text = page_of(recording) if place.suffix == ".html" else json.dumps(recording, allow_nan=False)
    try:
        with written_whole(place) as beside:
            beside.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"--output cannot be written: {error.strerror}; got {str(place)!r}") from error


if __name__ == "__main__":
    leave(guarded(main))
