"""`python -m experiments.play`: play against a player; UCT shows the result of its search after each of its moves.

Columns are counted from 1, as below the board. "u" takes a move back, "h" gives a hint, and "a" shows what every column
is worth. "r" shows what a search with each of two rules sees, and "q" leaves. With compare="ucb c=0.5,thompson" no game
is played: the two rules are compared on the position, and that is all. With game="my_games.Nim size=5" a game of yours
is played, whose moves are typed as their texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from bandits import Policy
from connect4 import Board
from experiments.engine import printing
from experiments.engine.errors import INTERRUPTED, guarded, leave
from experiments.games.openings import unfinished_board
from experiments.games.positions import PositionRules
from experiments.games.rules import GAMES, Rules, try_rules
from experiments.players.perfect import PerfectPlayer
from experiments.players.specs import PlayerSpec, program
from experiments.terminal import positions, two_rules
from experiments.terminal.game import play_on_terminal
from mcts.policy import index_policy
from numerics.commands import Command
from numerics.families import default_of
from numerics.parameters import parameter
from numerics.players import Player, Quit

_QUICK = 32  # cells of a board that is solved in seconds


def _two_rules(argument: str, texts: Sequence[str]) -> list[Policy]:
    if len(texts) not in (0, 2):
        raise ValueError(f"{argument} must hold two rules, such as ucb c=0.5,thompson; got {len(texts)}")
    return [index_policy(text, argument) for text in texts]


class Play(Command, module="experiments.play"):
    """Who plays, on which position; or which rules are compared on it."""

    player: Player = parameter(
        "uct", check=program, help='the computer, such as "uct simulations=2000" or "minimax depth=5"'
    )
    game: Rules = parameter(
        "connect4", of=GAMES, help='a game by its name, as "hex size=5", or your own class, as "my_games.Nim size=5"'
    )
    board: str = parameter("7x6", help="columns x rows")
    connect: int = parameter(4, low=2, help="stones in a row that win")
    moves: str = parameter("", help="moves played so far, as columns from 1, such as 4453")
    first: str = parameter("human", choices=("human", "computer"), help="who moves first")
    seed: int = parameter(0, low=0, help="random seed of the computer and of the rules")
    compare: list[Policy] = parameter(
        [], check=_two_rules, help='compare two rules, such as "ucb c=0.5,thompson", instead of playing'
    )
    simulations: int = parameter(two_rules.SIMULATIONS, low=1, help="simulations of each compared rule")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line and play, or compare."""
    given = Play.read(words)
    rules = try_rules(given.game, "game")
    if isinstance(rules, PositionRules):
        _play_positions(given, rules)
        return
    if not given.compare:
        _play(given)
        return
    for name in ("player", "first"):
        if (value := str(getattr(given, name))) != getattr(Play, name):
            raise ValueError(f"{name} must be left out with compare: no game is played; got {value!r}")
    board = unfinished_board(given.board, given.connect, given.moves)
    two_rules.show(board, given.compare, given.simulations, given.seed)


def _play(given: Play) -> None:
    computer, board = given.player, unfinished_board(given.board, given.connect, given.moves)
    computer.check_board(board)
    computer.seed = given.seed
    computer.reset(1)
    printing.say(f"you play {'X and move first' if given.first == 'human' else 'O and move second'}")
    printing.say(f"against {computer}")
    if isinstance(computer, PerfectPlayer) and board.width * board.height > _QUICK and given.board != "7x6":
        printing.say("there is no opening book for this board: the first moves may take minutes; Ctrl-C quits")
    try:
        play_on_terminal(computer, board, person_first=given.first == "human", simulations=given.simulations)
        printing.say(f"moves of the game: {board.notation}")
    except KeyboardInterrupt as stop:
        printing.say(f"\n{_farewell(board)}")
        if not isinstance(stop, Quit):
            raise SystemExit(INTERRUPTED) from None


def _play_positions(given: Play, rules: PositionRules) -> None:
    for name in ("board", "connect", "moves", "compare", "simulations"):
        if (value := getattr(given, name)) != default_of(Play.__dataclass_fields__[name]):
            raise ValueError(f"{name} must be left out with games other than Connect 4; got {value}")
    computer = given.player
    rules.check_players([PlayerSpec(str(computer), computer)])
    computer.seed = given.seed
    computer.reset(1)
    printing.say(f"you move {'first' if given.first == 'human' else 'second'} {rules.title}\nagainst {computer}")
    try:
        positions.play_on_terminal(computer, rules, person_first=given.first == "human", seed=given.seed)
    except KeyboardInterrupt as stop:
        printing.say("\nyou have left the game")
        if not isinstance(stop, Quit):
            raise SystemExit(INTERRUPTED) from None


def _farewell(board: Board) -> str:
    if not board.moves:
        return "you have left the game before its first move"
    moves = f"{board.plies} move{'s' if board.plies > 1 else ''}"
    return f"you have left the game after {moves}; to go on, repeat the command with moves={board.notation}"


if __name__ == "__main__":
    leave(guarded(main))
