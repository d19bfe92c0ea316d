"""`python -m experiments.play`: a person against UCT, which shows after each of its moves what its search saw."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Sequence
from typing import Any, TextIO

from connect4 import Board
from connect4.notation import SIGNS, shown
from connect4.players.human import Human
from connect4.referee import GameRecord, play_game
from experiments.engine import console as report
from experiments.engine.errors import guarded, leave
from experiments.players import PLAYERS, make_player
from experiments.players.specs import PlayerSpec, check_board
from mcts.result import SearchResult
from mcts.uct import UCTPlayer
from numerics.parameters import must_be_one_of
from numerics.players import Player, Quit

_LINE = 12  # moves of the principal variation that are shown


class Showing:
    """A player that says which move it has made and, where it searches a tree, what the search saw."""

    def __init__(self, player: Player):
        self.player = player

    def play(self, board: Board) -> int:
        """Return the player's move, after saying it."""
        if not isinstance(self.player, UCTPlayer):
            column = self.player.play(board)
            report.say(f"\n{SIGNS[board.to_move]} plays column {shown(column)}.")
            return column
        search = self.player.think(board)
        column = search.choose(self.player.final)
        show_search(search.result(), column, SIGNS[board.to_move])
        return column


def show_search(found: SearchResult, column: int, sign: str) -> None:
    """Print what a search saw of each column and which line of play it expects; values are for the side that moves."""
    from rich.table import Table

    table = Table(title=f"what {sign} saw in {found.simulations:,} simulations ({found.seconds:.2f} s)")
    proves = any(found.outcomes)
    for name in ("column", "visits", "share of visits", "value for " + sign, *(["proven"] if proves else [])):
        table.add_column(name, justify="right")
    total = max(1, int(found.visits.sum()))
    for move, visits, value, proven in zip(found.moves, found.visits, found.values, found.outcomes, strict=True):
        chosen = "bold" if move == column else None
        text = "-" if value != value else f"{100 * value:.1f} %"
        share = f"{100 * visits / total:.1f} %"
        table.add_row(str(shown(move)), f"{visits:,}", share, text, *([proven] if proves else []), style=chosen)
    report.console().print()
    report.console().print(table)
    line = found.principal_variation
    told = " ".join(str(shown(move)) for move in line[:_LINE]) + (" ..." if len(line) > _LINE else "")
    report.say(f"expected play, by columns: {told}; depth of the tree: {found.depth}")
    report.say(f"{sign} plays column {shown(column)}.")


def play(
    computer: Player, board: Board, *, person_first: bool, source: TextIO | None = None, sink: TextIO | None = None
) -> GameRecord:
    """Play one game of the person at the terminal, or of other text streams, against a player.

    Raises
    ------
    Quit
        The person leaves the game.
    """
    person = Human()
    person.source, person.sink = source, sink
    showing = Showing(computer)
    return play_game(person, showing, board) if person_first else play_game(showing, person, board)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(prog="python -m experiments.play", description=__doc__)
    parser.add_argument("--player", default="uct", help=f"the computer: {', '.join(_programs())}; uct when left out")
    parser.add_argument("--simulations", metavar="N", help="of each of its moves; of uct 1,000 when left out")
    parser.add_argument("--seconds", metavar="S", help="for each of its moves, instead or as a second bound")
    parser.add_argument("--c", help="the exploration constant of uct; 1 when left out")
    parser.add_argument("--rate", help="of worse moves of graded, from 0 to 1; 0.1 when left out")
    parser.add_argument("--board", default="7x6", help="columns x rows; 7x6 when left out")
    parser.add_argument("--connect", default="4", help="stones in a row that win; 4 when left out")
    parser.add_argument("--first", default="human", help="human or computer: who moves first")
    parser.add_argument("--seed", default="0", help="of the computer; 0 when left out")
    given = parser.parse_args(arguments)
    if given.player not in _programs():
        raise ValueError(must_be_one_of("--player", given.player, _programs()))
    if given.first not in ("human", "computer"):
        raise ValueError(f"--first must be human or computer; got {given.first!r}")
    kinds = {"simulations": int, "seconds": float, "c": float, "rate": float, "seed": int}
    options = {name: _number(name, getattr(given, name), kind) for name, kind in kinds.items()}
    parameters = {name: value for name, value in options.items() if value is not None}
    try:
        computer = make_player(given.player, **parameters)
    except ValueError as error:
        raise ValueError(f"--{error}") from error
    board = Board.of_size(given.board, _number("connect", given.connect, int))
    check_board([PlayerSpec(given.player, given.player, parameters)], board)
    computer.reset(1)
    report.say(f"you play {'X and move first' if given.first == 'human' else 'O and move second'}")
    report.say(f"against {computer.name}")
    try:
        play(computer, board, person_first=given.first == "human")
    except Quit:
        raise KeyboardInterrupt from None  # a quiet end: nothing is there to be finished later


def _programs() -> list[str]:
    return sorted(name for name in PLAYERS if name not in ("human", "custom"))


def _number(name: str, text: str | None, kind: type[int] | type[float]) -> Any:
    """Return the number that an option holds; a whole one may be written as 1e4."""
    if text is None:
        return None
    for read in (kind, float):
        with contextlib.suppress(ValueError, OverflowError):  # of inf
            value = read(text)
            if kind is float or value == int(value):
                return kind(value)
    what = "a whole number" if kind is int else "a number"
    raise ValueError(f"--{name} must be {what}; got {text!r}")


if __name__ == "__main__":
    leave(guarded(main))
