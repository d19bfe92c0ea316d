"""`python -m experiments.record 4453`: how one rule, or two side by side, search a position, as one HTML file to open.

With arms=0.3,0.5,0.7 it is how they pull arms of these means; with command="python my_engine.py" it is a game of that
program against a player of this project, with every blunder marked. The file plays every step, needs nothing but a
browser, and has the same bytes whenever the same command writes it (and a program gives the same answers). A rule is a
policy's name and its parameters, as in rule="ucb c=0.5" rule2=thompson; `python -m experiments.catalogue policies`
lists them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bandits import Bernoulli
from bandits.policies.base import POLICIES
from connect4.referee import play_game
from experiments.engine import printing
from experiments.engine.errors import guarded, leave
from experiments.games.openings import unfinished_board
from experiments.games.trial import first_positions, try_out
from experiments.players import make_player
from experiments.players.specs import program
from experiments.recordings.bandit import bandit_recording
from experiments.recordings.game import game_recording, judged_game, row_of
from experiments.recordings.html import page_of
from experiments.recordings.search import search_recording
from mcts.policy import index_policy
from numerics.checks import prefix_errors
from numerics.commands import Command, dashed_option, word
from numerics.output.files import atomic_write
from numerics.parameters import parameter
from numerics.players import Player

_SEARCH, _BANDIT, _GAME = "search", "bandit", "game"
_KINDS = {  # what means something only in some kinds of recordings
    **dict.fromkeys(("moves", "board", "connect"), (_SEARCH, _GAME)),
    **dict.fromkeys(("simulations", "playouts", "exact"), (_SEARCH,)),
    **dict.fromkeys(("rule", "rule2"), (_SEARCH, _BANDIT)),
    **dict.fromkeys(("arms", "horizon"), (_BANDIT,)),
    **dict.fromkeys(("player", "first", "seconds", "limit"), (_GAME,)),
}


class Record(Command, module="experiments.record"):
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
    command: str | None = parameter(
        None, help='a program that plays a game, as "python my_engine.py", instead of a search'
    )
    player: Player = parameter("uct", check=program, help='the other player of that game, such as "minimax depth=5"')
    first: str = parameter("program", choices=("program", "player"), help="which of the two moves first")
    seconds: float | None = parameter(None, low=0.0, above=True, help="of a move, which the program is given")
    limit: float = parameter(10.0, low=0.0, above=True, help="seconds within which the program must answer")
    output: str | None = dashed_option(
        None, "-o", "--output", help="search.html, bandit.html or game.html unless given; FILE.json: only the data"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, record, and write the file."""
    given = Record.read(words)
    kind = _kind(given)
    path = Path(given.output or f"{kind}.html")
    if path.suffix not in (".html", ".json"):
        raise ValueError(f"--output must end in .html or .json; got {str(path)!r}")
    try:
        possible = path.parent.is_dir() and not path.is_dir()
    except OSError:  # too long a name
        possible = False
    if not possible:
        raise ValueError(f"--output must be a file in a folder that is there; got {str(path)!r}")
    recording = _game(given) if kind == _GAME else _of_rules(given, kind)
    _write(recording, path)
    printing.say(recording["title"])
    printing.say(f"{path}: {-(-path.stat().st_size // 1000)} kB")


def _kind(given: Record) -> str:
    """Return what is recorded, after refusing what it has not."""
    kind = _GAME if given.command is not None else _BANDIT if given.arms else _SEARCH
    for name, kinds in _KINDS.items():
        value, usual = getattr(given, name), getattr(Record, name, [])  # a list's default is made anew
        if kind not in kinds and str(value) != str(usual):
            if kind == _GAME:
                how = "without command"
            elif kinds == (_GAME,):
                how = "with command"
            else:
                how = "without arms" if kind == _BANDIT else "with arms"
            raise ValueError(f"{name} must be given {how}; got {value}")
    return kind


def _of_rules(given: Record, kind: str) -> dict[str, Any]:
    policy_of = index_policy if kind == _SEARCH else POLICIES.of
    rules = [policy_of(given.rule, "rule")]
    if given.rule2 is not None:
        rules.append(policy_of(given.rule2, "rule2"))
    if len(rules) == 2 and rules[0] == rules[1]:
        raise ValueError(f"rule2 must be another rule than rule; got {given.rule2!r}")
    if kind == _BANDIT:
        with prefix_errors("arms"):
            arms = Bernoulli(given.arms)
        return bandit_recording(arms, rules, given.horizon, given.seed)
    board = unfinished_board(given.board, given.connect, given.moves)
    return search_recording(board, rules, given.simulations, given.seed, playouts=given.playouts, exact=given.exact)


def _game(given: Record) -> dict[str, Any]:
    """Play a game of the program against the player."""
    board, other = unfinished_board(given.board, given.connect, given.moves), given.player
    other.check_board(board)
    engine = make_player("program", command=given.command, seconds=given.seconds, limit=given.limit)
    try_out(engine, first_positions(board.width, board.height, board.connect), "command")
    names = {engine: given.command or "", other: str(other)}
    first, second = (engine, other) if given.first == "program" else (other, engine)
    for number, player in enumerate((first, second), start=1):
        player.seed = given.seed
        player.reset(number)
    played = play_game(first, second, board)
    row = row_of(board, (names[first], names[second]), played.result, played.ending, given.moves)
    return game_recording(judged_game(row, board), "")


def _write(recording: dict[str, Any], path: Path) -> None:
    text = page_of(recording) if path.suffix == ".html" else json.dumps(recording, allow_nan=False)
    try:
        with atomic_write(path) as beside:
            beside.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ValueError(f"--output cannot be written: {error.strerror}; got {str(path)!r}") from error


if __name__ == "__main__":
    leave(guarded(main))
