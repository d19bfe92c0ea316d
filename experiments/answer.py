r"""`python -m experiments.answer player="uct seconds=0.05"`: any player as a program that answers positions.

A line is the moves so far, columns from 1. If there is a budget, a space and its seconds follow. The answer is a
column. A search adds a space and the value for the side to move, from 0 to 1. Players without `seconds` ignore the
budget. The player `program` asks like this:

    printf '4453\n4453 0.02\n' | python -m experiments.answer player=uct_best

A line that is no position, or whose game is over, is answered by "error" and a sentence.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import sys
from collections.abc import Sequence
from typing import Any

from connect4 import Board
from experiments.engine.errors import guarded, leave
from experiments.players.specs import program
from mcts import UCTPlayer
from numerics.commands import Command
from numerics.parameters import parameter
from numerics.places import failure
from numerics.players import Player
from numerics.texts import read_yaml


def _program(argument: str, value: Any) -> Player:
    """Return the player that a text means; what a user's module prints meanwhile is no answer."""
    with contextlib.redirect_stdout(sys.stderr):
        return program(argument, value)


class Answer(Command, module="experiments.answer"):
    """Who answers, on which board."""

    player: Player = parameter(
        "uct", check=_program, help='the player that answers, such as "uct c=0.7 simulations=2000"'
    )
    board: str | None = parameter(None, help="columns x rows; default: the environment variable BOARD, else 7x6")
    connect: int | None = parameter(
        None, low=2, help="stones in a row that win; default: the environment variable CONNECT, else 4"
    )


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, then answer line after line until the input ends."""
    given = Answer.read(words)
    connect = read_yaml(os.environ.get("CONNECT", "4"), "CONNECT") if given.connect is None else given.connect
    empty = Board.of_size(given.board or os.environ.get("BOARD", "7x6"), connect)
    player: Any = given.player
    player.check_board(empty)
    has_budget = "seconds" in {field.name for field in dataclasses.fields(player)}

    @functools.lru_cache(maxsize=2)
    def player_within(budget: str) -> Any:
        return dataclasses.replace(player, seconds=read_yaml(budget, "seconds")) if budget and has_budget else player

    for line in sys.stdin:
        moves, _, budget = line.strip("\r\n").partition(" ")
        try:
            board = Board.from_moves(moves, empty.width, empty.height, empty.connect)
            if board.is_finished():
                raise ValueError(f"the game is over after {moves}")
            with contextlib.redirect_stdout(sys.stderr):
                answer = ask_player(player_within(budget.strip()), board)
        except ValueError as error:
            answer = f"error {error}"
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


def ask_player(player: Any, board: Board) -> str:
    """Return a player's column, from 1, and for a search what the side to move gets.

    Examples
    --------
    >>> ask_player(program("player", "level_2"), Board.from_moves("112233"))
    '4'
    """
    player.reset(board.plies)  # an answer depends on nothing that was asked before
    if isinstance(player, UCTPlayer):
        search = player.think(board)
        return f"{search.choose(player.final) + 1} {search.result().value:.6f}"
    try:
        return f"{player.play(board) + 1}"
    except Exception as error:
        raise ValueError(failure(error)) from error


if __name__ == "__main__":
    leave(guarded(main))
