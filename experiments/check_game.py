"""`python -m experiments.check_game my_game.Board`: check the assumptions of a search on your own game.

It plays random games by the methods of a class, or by the hooks of a game in Numba, and compares their answers. See
docs/guides/own_problem.md. The first violation is printed as a sentence, with the moves that lead to the position, and
the exit status is 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from experiments.engine.errors import guarded, leave
from experiments.engine.printing import say
from numerics.commands import Command, word
from numerics.games import Game
from numerics.importing import import_named
from numerics.parameters import parameter
from numerics.places import failure
from numerics.positions import is_ordinary, is_position, try_out
from numerics.promises import try_promises, unfinished_game


class Checked(Command, module="experiments.check_game"):
    """Which game."""

    board: str = word(help="dotted path of your board, as my_game.Board: a class without arguments, or an object")
    games: int = parameter(1_000, low=1, help="number of random games")
    seed: int = parameter(0, low=0, help="random seed of the moves")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, play the games, and say what was tried."""
    given = Checked.read(words)
    board = board_of(given.board)
    if is_position(board):
        players = try_out(board, given.games, seed=given.seed, seconds=math.inf, is_thorough=True)
        say(
            f"{given.board}: {given.games:,} random games of {players} player{'s' * (players > 1)} found no violation. "
            "Checked: the answers of all methods, chance, changes of a position, and the length of games."
        )
    if is_ordinary(board):
        return
    game = _game_of(board, given.board)
    played = try_promises(game, given.games, seed=given.seed)
    say(
        f"{given.board}: {played:,} random games found no violation. Checked: the answers of all "
        "hooks, chance, changes "
        "of the state, results of alternating sides, and the length of games."
    )
    if game.to_move is None and not game.is_ours:
        say(
            "Not checked: alternation of the sides. Give Game(..., to_move=index), the word of the "
            "state with the side to move."
        )


def board_of(path: str) -> Any:
    """Return the board that a dotted path names.

    Raises
    ------
    ValueError
        No such board, or one that cannot be made.

    Examples
    --------
    >>> board_of("connect4.Board").game.most_plies
    42
    """
    board: Any = import_named("board", path, "my_game.Board")
    if callable(board):
        try:
            board = board()
        except (Exception, SystemExit) as error:
            raise ValueError(f"board {path} cannot be called without arguments: {failure(error)}") from error
    return board


def _game_of(board: Any, path: str) -> Game:
    try:
        return unfinished_game(board)
    except AttributeError as error:
        raise ValueError(f"board {path} has no readable game: {failure(error)}") from error


if __name__ == "__main__":
    leave(guarded(main))
