"""`python -m experiments.record 4453`: record the search of a position by one rule or two, as one HTML file.

With arms=0.3,0.5,0.7 it records pulls of arms with these means. With command="python my_engine.py" it records a game of
that program against a player of this project, with every blunder marked. With player=uct player2=random it records a
game of these two players. With game="my_games.Nim size=5" it records a search of your own game.

The file plays every step and needs only a browser. The same command writes the same bytes (if a program gives the same
answers). A rule is a policy with its parameters, as in rule="ucb c=0.5" rule2=thompson. `python -m
experiments.catalogue policies` lists them.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bandits import Bernoulli
from bandits.policies.base import POLICIES
from connect4.referee import play_game
from experiments.engine import printing
from experiments.engine.errors import guarded, leave
from experiments.games.openings import unfinished_board
from experiments.games.positions import PositionRules
from experiments.games.rules import GAMES, Connect4, Rules, try_rules
from experiments.games.trial import first_positions, try_out
from experiments.players import make_player
from experiments.players.specs import PlayerSpec, program
from experiments.recordings.bandit import bandit_recording
from experiments.recordings.game import game_recording, judged_game, row_of
from experiments.recordings.html import page_of
from experiments.recordings.positions import rules_game, rules_recording
from experiments.recordings.rules import COMMAND
from experiments.recordings.search import search_recording
from mcts.policy import index_policy
from numerics.checks import prefix_errors
from numerics.commands import Command, dashed_option, word
from numerics.output.files import atomic_write
from numerics.parameters import parameter
from numerics.players import Player

_SEARCH, _BANDIT, _GAME = "search", "bandit", "game"
_KINDS = {  # what means something only in some kinds of recordings
    **dict.fromkeys(("moves", "game", "board", "connect"), (_SEARCH, _GAME)),
    **dict.fromkeys(("simulations", "playouts", "exact"), (_SEARCH,)),
    **dict.fromkeys(("rule", "rule2"), (_SEARCH, _BANDIT)),
    **dict.fromkeys(("arms", "horizon"), (_BANDIT,)),
    **dict.fromkeys(("player", "first", "seconds", "limit"), (_GAME,)),
}
_OF_PROGRAMS = ("first", "seconds", "limit")  # what means nothing in a game of two players of this project
_ELSEWHERE = "with games other than Connect 4"
_OF_CONNECT4 = ("board", "connect", "playouts", "exact", "command")


class Record(Command, module="experiments.record"):
    """What is recorded, and where it is written."""

    moves: str = word(
        "", help="moves that lead to the position, as columns from 1, such as 4453; default: the empty board"
    )
    rule: str = parameter("ucb", help="a policy with its parameters; the default c of ucb in a search is 1")
    rule2: str | None = parameter(None, help="a second rule to show beside it, with the same seed")
    seed: int = parameter(0, low=0, help="random seed")
    simulations: int | None = parameter(
        None, low=1, help="simulations of each search; default: 2,000, or fewer if a file of 1 MB has no room for them"
    )
    board: str = parameter("7x6", help="columns x rows")
    connect: int = parameter(4, low=2, help="stones in a row that win")
    game: Rules = parameter(
        "connect4", of=GAMES, help='a game by its name, as "hex size=5", or your own class, as "my_games.Nim size=5"'
    )
    playouts: str = parameter("uniform", help="playouts of the search: uniform, biased or careful")
    exact: bool = parameter(False, help="also show the exact score of every column")
    arms: list[float] = parameter(
        [], help="means of Bernoulli arms, such as 0.3,0.5,0.7; record a bandit instead of a search"
    )
    horizon: int = parameter(1_000, low=1, help="number of pulls")
    command: str | None = parameter(
        None, help='a program, as "python my_engine.py"; record its game against player instead of a search'
    )
    player: Player = parameter("uct", check=program, help='the opponent in that game, such as "minimax depth=5"')
    player2: Player | None = parameter(
        None, check=program, help="a second player; record its game against player, who moves first"
    )
    first: str = parameter("program", choices=("program", "player"), help="who moves first")
    seconds: float | None = parameter(None, low=0.0, above=True, help="time budget per move, sent to the program")
    limit: float = parameter(10.0, low=0.0, above=True, help="time limit for an answer of the program, in seconds")
    output: str | None = dashed_option(
        None,
        "-o",
        "--output",
        help="output file; default: search.html, bandit.html or game.html; FILE.json: only the data",
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, record, and write the file."""
    given = Record.read(words)
    kind, rules = _kind(given), try_rules(given.game, "game")
    path = Path(given.output or f"{kind}.html")
    if path.suffix not in (".html", ".json"):
        raise ValueError(f"--output must end in .html or .json; got {str(path)!r}")
    try:
        possible = path.parent.is_dir() and not path.is_dir()
    except OSError:  # too long a name
        possible = False
    if not possible:
        raise ValueError(f"--output must be a file in an existing folder; got {str(path)!r}")
    recording = _game(given, rules) if kind == _GAME else _of_rules(given, kind, rules)
    _write(recording, path)
    printing.say(recording["title"])
    printing.say(f"{path}: {-(-path.stat().st_size // 1000)} kB")


def _kind(given: Record) -> str:
    """Return what is recorded, after refusing what it has not."""
    of_two = given.player2 is not None
    kind = _GAME if given.command is not None or of_two else _BANDIT if given.arms else _SEARCH
    if of_two and given.command is not None:
        raise ValueError(f"player2 must be left out with command; got {given.player2}")
    of_game = "player2" if of_two else "command"
    for name, kinds in _KINDS.items():
        value = getattr(given, name)
        if kind not in kinds and _is_given(given, name):
            if kind == _GAME:
                how = f"must be left out with {of_game}"
            elif kinds == (_GAME,):
                how = "requires command or player2" if name == "player" else "requires command"
            else:
                how = "must be left out with arms" if kind == _BANDIT else "requires arms"
            raise ValueError(f"{name} {how}; got {value}")
    for names, where in ((_OF_PROGRAMS * of_two, "in a game of player and player2"), (_other(given), _ELSEWHERE)):
        for name in names:
            if _is_given(given, name):
                raise ValueError(f"{name} must be left out {where}; got {getattr(given, name)}")
    return kind


def _other(given: Record) -> tuple[str, ...]:
    return () if given.game.name == Connect4.name else _OF_CONNECT4


def _is_given(given: Record, name: str) -> bool:
    value, usual = getattr(given, name), getattr(Record, name, [])  # a list's default is made anew
    return str(value) != str(usual)


def _of_rules(given: Record, kind: str, game: Rules) -> dict[str, Any]:
    policy_of = index_policy if kind == _SEARCH else POLICIES.of
    rules = [policy_of(given.rule, "rule")]
    if given.rule2 is not None:
        rules.append(policy_of(given.rule2, "rule2"))
    if len(rules) == 2 and rules[0] == rules[1]:
        raise ValueError(f"rule2 must differ from rule; got {given.rule2!r}")
    if kind == _BANDIT:
        with prefix_errors("arms"):
            arms = Bernoulli(given.arms)
        return bandit_recording(arms, rules, given.horizon, given.seed)
    if isinstance(game, PositionRules):
        return rules_recording(game, given.moves, rules, given.simulations, given.seed)
    board = unfinished_board(given.board, given.connect, given.moves)
    return search_recording(board, rules, given.simulations, given.seed, playouts=given.playouts, exact=given.exact)


def _game(given: Record, rules: Rules) -> dict[str, Any]:
    """Play a game of the program, or of the second player, against the player."""
    if isinstance(rules, PositionRules):
        return _game_of_positions(given, rules)
    board, other = unfinished_board(given.board, given.connect, given.moves), given.player
    other.check_board(board)
    if given.player2 is None:
        engine = make_player("program", command=given.command, seconds=given.seconds, limit=given.limit)
        try_out(engine, first_positions(board.width, board.height, board.connect), "command")
        pairs = [(given.command or "", engine), (str(other), other)]
    else:
        given.player2.check_board(board)
        pairs = [(str(other), other), (str(given.player2), given.player2)]
    (first, one), (second, two) = pairs if given.first == "program" else pairs[::-1]
    _seed(given.seed, one, two)
    played = play_game(one, two, board)
    row = row_of(board, (first, second), played.result, played.ending, given.moves)
    return game_recording(judged_game(row, board), "")


def _game_of_positions(given: Record, rules: PositionRules) -> dict[str, Any]:
    """Play a game of two players at a game of the user's."""
    assert given.player2 is not None
    players = [(str(player), player) for player in (given.player, given.player2)]
    rules.check_players([PlayerSpec(name, player) for name, player in players])
    _seed(given.seed, given.player, given.player2)
    words = [given.moves] if given.moves else []
    words += [f"game={GAMES.text(rules)}", f"player={players[0][0]}", f"player2={players[1][0]}"]
    words += [f"seed={given.seed}"] if given.seed else []
    return rules_game(rules, players, given.moves, given.seed, f"{COMMAND} {shlex.join(words)}")


def _seed(seed: int, *players: Player) -> None:
    for number, player in enumerate(players, start=1):
        player.seed = seed
        player.reset(number)


def _write(recording: dict[str, Any], path: Path) -> None:
    text = page_of(recording) if path.suffix == ".html" else json.dumps(recording, allow_nan=False)
    try:
        with atomic_write(path) as beside:
            beside.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ValueError(f"--output cannot be written: {error.strerror}; got {str(path)!r}") from error


if __name__ == "__main__":
    leave(guarded(main))
