"""`python -m experiments.play`: a person against a player; UCT shows after each of its moves what its search saw.

Columns are counted from 1, as below the board. u takes a move back, h gives a hint, a shows what every column is worth,
q leaves.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TextIO

from connect4 import Board, screen
from connect4.notation import SIGNS, shown
from connect4.players.human import QUIT, Human
from connect4.referee import GameRecord, play_game
from connect4.solver.results import signed
from experiments.engine import console as report
from experiments.engine.errors import INTERRUPTED, guarded, leave
from experiments.engine.options import named, number
from experiments.players import PLAYERS, make_player
from experiments.players.advice import advise
from experiments.players.specs import PlayerSpec, check_board
from mcts.result import SearchResult
from mcts.uct import UCTPlayer
from numerics.parameters import must_be_one_of
from numerics.players import Player, Quit

_LINE = 12  # moves of the principal variation that are shown
_COMMANDS = {"u": "undo", "h": "hint", "a": "analysis", QUIT: "quits"}


class TakenBack(BaseException):
    """The person takes a move back; a referee that counts failures as losses does not see it."""


class Person(Human):
    """A person who may also take moves back and ask for advice."""

    def play(self, board: Board) -> int:
        """Return the column that the person chose.

        Raises
        ------
        Quit
            The person wants to leave.
        TakenBack
            The person takes the last move back.
        """
        self.show(board)
        while True:
            answer = self.ask(board, _COMMANDS)
            if isinstance(answer, int):
                return answer
            if answer == QUIT:
                raise Quit("the person at the terminal has left the game")
            if answer == "h":
                self.say(f"{advise(board).sentence}\n")
            elif answer == "a":
                show_analysis(board)
            elif board.plies < 2:
                self.say("you have made no move that could be taken back\n")
            else:
                raise TakenBack


class Showing:
    """A player that says which move it has made and, where it searches a tree, what the search saw."""

    def __init__(self, player: Player):
        self.player = player

    def play(self, board: Board) -> int:
        """Return the player's move, after saying it."""
        sign = SIGNS[board.to_move]
        if isinstance(self.player, UCTPlayer):
            search = self.player.think(board)
            column = search.choose(self.player.final)
            show_search(search.result(), column, sign)
        else:
            column = self.player.play(board)
            report.say("")
        if board.allows(column):
            report.say(f"{sign} plays column {shown(column)}.")
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


def show_analysis(board: Board) -> None:
    """Print what every column is worth for the side to move."""
    advice = advise(board)
    if advice.found is not None:
        show_search(advice.found, advice.found.best_move, SIGNS[board.to_move])
        return
    assert advice.scores is not None
    report.say(
        f"\nexact scores for {SIGNS[board.to_move]}: above 0 wins, 0 is a draw, below 0 loses; greater is better"
    )
    below = ["" if score is None else signed(score) for score in advice.scores]
    report.say_screen(screen.lines(board, below, colour=True))


def play(
    computer: Player, board: Board, *, person_first: bool, source: TextIO | None = None, sink: TextIO | None = None
) -> GameRecord:
    """Play a game of the person at the terminal, or of other text streams, against a player, from a position on.

    Raises
    ------
    Quit
        The person leaves the game.
    """
    person = Person()
    person.source, person.sink = source, sink
    showing = Showing(computer)
    while True:
        try:
            return play_game(person, showing, board) if person_first else play_game(showing, person, board)
        except TakenBack:
            for _ in range(2):  # the computer's move and the person's own
                board.undo()


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(prog="python -m experiments.play", description=__doc__)
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE", help="any parameter of the computer, as depth=5")
    parser.add_argument("--player", default="uct", help=f"the computer: {', '.join(_programs())}; uct when left out")
    parser.add_argument("--simulations", metavar="N", help="of each of its moves; of uct 1,000 when left out")
    parser.add_argument("--seconds", metavar="S", help="for each of its moves, instead or as a second bound")
    parser.add_argument("--c", help="the exploration constant of uct; 1 when left out")
    parser.add_argument("--rate", help="of worse moves of graded, from 0 to 1; 0.1 when left out")
    parser.add_argument("--board", default="7x6", help="columns x rows; 7x6 when left out")
    parser.add_argument("--connect", default="4", help="stones in a row that win; 4 when left out")
    parser.add_argument("--moves", default="", help="of a game to go on with, columns from 1, such as 4453")
    parser.add_argument("--first", default="human", help="human or computer: who moves first")
    parser.add_argument("--seed", default="0", help="of the computer; 0 when left out")
    given = parser.parse_args(arguments)
    if given.player not in _programs():
        raise ValueError(must_be_one_of("--player", given.player, _programs()))
    if given.first not in ("human", "computer"):
        raise ValueError(f"--first must be human or computer; got {given.first!r}")
    kinds = {"simulations": int, "seconds": float, "c": float, "rate": float, "seed": int}
    options = {name: number(name, getattr(given, name), kind) for name, kind in kinds.items()}
    parameters = {name: value for name, value in options.items() if value is not None} | named(given.parameters)
    try:
        computer = make_player(given.player, **parameters)
    except ValueError as error:
        raise ValueError(f"--{error}") from error
    empty = Board.of_size(given.board, number("connect", given.connect, int))
    check_board([PlayerSpec(given.player, given.player, parameters)], empty)
    try:
        board = Board.from_moves(given.moves, empty.width, empty.height, empty.connect)
    except ValueError as error:
        raise ValueError(f"--{error}") from None
    if board.is_finished():
        raise ValueError(f"--moves must leave a game that goes on; got {given.moves!r}, after which it is over")
    computer.reset(1)
    report.say(f"you play {'X and move first' if given.first == 'human' else 'O and move second'}")
    report.say(f"against {computer.name}")
    try:
        play(computer, board, person_first=given.first == "human")
    except KeyboardInterrupt as stop:
        report.say(f"\n{_farewell(board)}")
        if not isinstance(stop, Quit):
            raise SystemExit(INTERRUPTED) from None


def _farewell(board: Board) -> str:
    if not board.moves:
        return "you have left the game before its first move"
    moves = f"{board.plies} move{'s' if board.plies > 1 else ''}"
    return f"you have left the game after {moves}; the same command with --moves {board.notation} goes on"


def _programs() -> list[str]:
    return sorted(name for name in PLAYERS if name != "human")


if __name__ == "__main__":
    leave(guarded(main))
