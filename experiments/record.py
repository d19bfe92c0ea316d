"""`python -m experiments.record 4453`: how one rule, or two side by side, search a position, as one HTML file to open.

With arms=0.3,0.5,0.7 it is how they pull arms of these means. The file plays every step, needs nothing but a
browser, and has the same bytes whenever the same command writes it. A rule is a policy's name and its parameters, as in
rule="ucb c=0.5" rule2=thompson; `python -m experiments.catalogue policies` lists them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bandits import Bernoulli, Policy
from bandits.policies.base import POLICIES
from connect4 import Board
from experiments.engine import printing
from experiments.engine.errors import guarded, leave
from experiments.page.recordings.bandit import bandit_recording
from experiments.page.recordings.html import page_of
from experiments.page.recordings.search import search_recording
from mcts.policy import index_policy
from numerics.checks import under
from numerics.commands import Command, dashed, word
from numerics.output.files import atomic_write
from numerics.parameters import parameter

_OF_A_SEARCH, _OF_A_BANDIT = ("moves", "simulations", "board", "connect", "playouts", "exact"), ("horizon",)


class Record(
    Command,
    module="experiments.record",
    replaced={"--c": 'rule="ucb c=0.5"', "--bandit": "arms=0.3,0.5,0.7"},
):
    """What is recorded, and where it is written."""

    moves: str = word("", help="that lead to the position, columns from 1, such as 4453; none: the empty board")
    rule: str = parameter("ucb", help="a policy with its parameters; ucb has c = 1 in a search unless given")
    rule2: str | None = parameter(None, help="a second rule, with the same seed")
    seed: int = parameter(0, low=0, help="of all random numbers")
    simulations: int = parameter(2_000, low=1, help="of each search")
    board: str = parameter("7x6", help="columns x rows")
    connect: int = parameter(4, low=2, help="stones in a row that win")
    playouts: str = parameter("uniform", help="uniform, biased or careful")
    exact: bool = parameter(False, help="show the exact score of every column too")
    arms: list[float] = parameter([], help="means of Bernoulli arms, such as 0.3,0.5,0.7, instead of a search")
    horizon: int = parameter(1_000, low=1, help="pulls of the arms")
    output: str | None = dashed(
        None, "-o", "--output", help="search.html or bandit.html unless given; FILE.json gets the data alone"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, record, and write the file."""
    given = Record.read(words)
    kind, others = ("bandit", _OF_A_SEARCH) if given.arms else ("search", _OF_A_BANDIT)
    for name in others:
        if getattr(given, name) != getattr(Record, name):
            raise ValueError(
                f"{name} must be given {'without' if given.arms else 'with'} arms; got {getattr(given, name)!r}"
            )
    path = _writable(given.output, kind)
    policy_of = index_policy if kind == "search" else POLICIES.of
    rules = [policy_of(given.rule, "rule")]
    if given.rule2 is not None:
        rules.append(policy_of(given.rule2, "rule2"))
    if len(rules) == 2 and rules[0] == rules[1]:
        raise ValueError(f"rule2 must be another rule than rule; got {given.rule2!r}")
    recording = _search(given, rules) if kind == "search" else _bandit(given, rules)
    _write(recording, path)
    printing.say(recording["title"])
    printing.say(f"{path}: {-(-path.stat().st_size // 1000)} kB")


def _writable(given: str | None, kind: str) -> Path:
    """Return where to write, checked before any work."""
    path = Path(given or f"{kind}.html")
    if path.suffix not in (".html", ".json"):
        raise ValueError(f"--output must end in .html or .json; got {str(path)!r}")
    try:
        possible = path.parent.is_dir() and not path.is_dir()
    except OSError:  # too long a name
        possible = False
    if not possible:
        raise ValueError(f"--output must be a file in a folder that is there; got {str(path)!r}")
    return path


def _search(given: Record, rules: Sequence[Policy]) -> dict[str, Any]:
    empty = Board.of_size(given.board, given.connect)
    board = Board.from_moves(given.moves, empty.width, empty.height, empty.connect)
    if board.is_finished():
        raise ValueError(f"moves must leave a game that goes on; got {given.moves!r}, after which it is over")
    return search_recording(board, rules, given.simulations, given.seed, playouts=given.playouts, exact=given.exact)


def _bandit(given: Record, rules: Sequence[Policy]) -> dict[str, Any]:
    with under("arms"):
        arms = Bernoulli(given.arms)
    return bandit_recording(arms, rules, given.horizon, given.seed)


def _write(recording: dict[str, Any], path: Path) -> None:
    text = page_of(recording) if path.suffix == ".html" else json.dumps(recording, allow_nan=False)
    try:
        with atomic_write(path) as beside:
            beside.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"--output cannot be written: {error.strerror}; got {str(path)!r}") from error


if __name__ == "__main__":
    leave(guarded(main))
