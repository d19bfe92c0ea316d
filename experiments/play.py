"""`python -m experiments.play`: a person against a player; UCT shows after each of its moves what its search saw.

Columns are counted from 1, as below the board. u takes a move back, h gives a hint, a shows what every column is worth,
r what a search with each of two rules sees, q leaves. With --compare no game is played: the two rules are compared on
the position, and that is all.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from connect4 import Board
from experiments.engine import console as report
from experiments.engine.errors import INTERRUPTED, guarded, leave
from experiments.engine.options import named, number
from experiments.page.terminal import two_rules
from experiments.page.terminal.game import play
from experiments.players import PLAYERS, PerfectPlayer, make_player
from experiments.players.specs import PlayerSpec, check_board
from mcts.policy import index_policy
from numerics.parameters import must_be_one_of
from numerics.players import Quit

_QUICK = 32  # cells of a board that is solved in seconds
_OF_A_GAME = ("player", "seconds", "c", "rate", "first", "parameters")  # options that a comparison does not take


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and play, or compare."""
    parser = argparse.ArgumentParser(prog="python -m experiments.play", description=__doc__)
    parser.add_argument(
        "parameters",
        nargs="*",
        metavar="NAME=VALUE",
        help="any parameter of the computer: depth=5; path=my_players.Mine of custom",
    )
    parser.add_argument("--player", help=f"the computer: {', '.join(_programs())}; uct when left out")
    parser.add_argument(
        "--simulations",
        metavar="N",
        help="of each of its moves; of uct, and of each rule that is compared, 1,000 when left out",
    )
    parser.add_argument("--seconds", metavar="S", help="for each of its moves, instead or as a second bound")
    parser.add_argument("--c", help="the exploration constant of uct; 1 when left out")
    parser.add_argument("--rate", help="of worse moves of graded, from 0 to 1; 0.1 when left out")
    parser.add_argument("--board", default="7x6", help="columns x rows; 7x6 when left out")
    parser.add_argument("--connect", default="4", help="stones in a row that win; 4 when left out")
    parser.add_argument("--moves", default="", help="of a game to go on with, columns from 1, such as 4453")
    parser.add_argument("--first", help="human or computer: who moves first; human when left out")
    parser.add_argument("--seed", default="0", help="of the computer, and of the rules; 0 when left out")
    parser.add_argument(
        "--compare",
        nargs=2,
        metavar="RULE",
        help='two rules, each a name and its parameters, such as --compare "ucb c=0.5" thompson',
    )
    given = parser.parse_args(arguments)
    if given.compare is not None:
        _compare(given)
    else:
        _play(given)


def _play(given: argparse.Namespace) -> None:
    kind, first = given.player or "uct", given.first or "human"
    if kind not in _programs():
        raise ValueError(must_be_one_of("--player", kind, _programs()))
    if first not in ("human", "computer"):
        raise ValueError(f"--first must be human or computer; got {first!r}")
    kinds = {"simulations": int, "seconds": float, "c": float, "rate": float, "seed": int}
    options = {name: number(name, getattr(given, name), kind) for name, kind in kinds.items()}
    parameters = {name: value for name, value in options.items() if value is not None} | named(given.parameters)
    try:
        computer = make_player(kind, **parameters)
    except ValueError as error:
        raise ValueError(f"--{error}") from error
    board = _board(given, [PlayerSpec(kind, computer)])
    computer.reset(1)
    report.say(f"you play {'X and move first' if first == 'human' else 'O and move second'}")
    report.say(f"against {computer}")
    if isinstance(computer, PerfectPlayer) and board.width * board.height > _QUICK and given.board != "7x6":
        report.say("the first moves on this board may take it minutes, for there is no book of it; Ctrl-C leaves")
    simulations = options["simulations"] or two_rules.SIMULATIONS
    try:
        play(computer, board, person_first=first == "human", simulations=simulations)
        report.say(f"moves of the game: {board.notation}")
    except KeyboardInterrupt as stop:
        report.say(f"\n{_farewell(board)}")
        if not isinstance(stop, Quit):
            raise SystemExit(INTERRUPTED) from None


def _compare(given: argparse.Namespace) -> None:
    for name in _OF_A_GAME:
        if getattr(given, name):
            option = "parameters" if name == "parameters" else f"--{name}"
            raise ValueError(
                f"{option} must be left out with --compare, which plays no game; got {getattr(given, name)!r}"
            )
    rules = [index_policy(text, "--compare") for text in given.compare]
    simulations, seed = (number(name, getattr(given, name), int) for name in ("simulations", "seed"))
    board = _board(given, [])
    try:
        two_rules.show(board, rules, two_rules.SIMULATIONS if simulations is None else simulations, seed)
    except ValueError as error:
        raise ValueError(f"--{error}") from error


def _board(given: argparse.Namespace, players: Sequence[PlayerSpec]) -> Board:
    """Return the position to begin with, on a board that the players can play on."""
    empty = Board.of_size(given.board, number("connect", given.connect, int))
    check_board(players, empty)
    try:
        board = Board.from_moves(given.moves, empty.width, empty.height, empty.connect)
    except ValueError as error:
        raise ValueError(f"--{error}") from None
    if board.is_finished():
        raise ValueError(f"--moves must leave a game that goes on; got {given.moves!r}, after which it is over")
    return board


def _farewell(board: Board) -> str:
    if not board.moves:
        return "you have left the game before its first move"
    moves = f"{board.plies} move{'s' if board.plies > 1 else ''}"
    return f"you have left the game after {moves}; the same command with --moves {board.notation} goes on"


def _programs() -> list[str]:
    return sorted(name for name in PLAYERS.members if name != "human")


if __name__ == "__main__":
    leave(guarded(main))
