r"""`python -m experiments.answer --player uct seconds=0.05`: any player as a program that answers positions.

A line is the moves so far, columns from 1, and where it has a budget a space and the seconds of it; the answer is a
column, and for a search a space and what the side to move gets, from 0 to 1. Players without `seconds` ignore the
budget. It is what `player=program` asks:

    printf '4453\n4453 0.02\n' | python -m experiments.answer --player uct_best

A line that is no position, or whose game is over, is answered by "error" and a sentence.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import os
import sys
from collections.abc import Sequence
from typing import Any

from connect4 import Board
from experiments.engine.errors import guarded, leave
from experiments.engine.options import named, number
from experiments.players import PLAYERS, make_player
from mcts import UCTPlayer
from numerics.parameters import must_be_one_of
from numerics.players import Player, failure


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, then answer line after line until the input ends."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.answer", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE", help="any parameter of the player: c=0.7")
    parser.add_argument("--player", default="uct", help="its kind; uct when left out")
    parser.add_argument(
        "--board",
        default=os.environ.get("BOARD", "7x6"),
        help="columns x rows; else that of the environment's BOARD, else 7x6",
    )
    parser.add_argument(
        "--connect",
        default=os.environ.get("CONNECT", "4"),
        help="stones in a row that win; else that of the environment's CONNECT, else 4",
    )
    given = parser.parse_args(arguments)
    kinds = sorted(name for name in PLAYERS.members if name != "human")
    if given.player not in kinds:
        raise ValueError(must_be_one_of("--player", given.player, kinds))
    parameters = named(given.parameters)
    empty = Board.of_size(given.board, number("connect", given.connect, int))
    with contextlib.redirect_stdout(sys.stderr):
        make_player(given.player, **parameters).check_board(empty)
    has_budget = "seconds" in {one.name for one in dataclasses.fields(PLAYERS.members[given.player])}

    @functools.lru_cache(maxsize=2)
    def player_of(budget: str) -> Player:
        own = {"seconds": number("seconds", budget, float)} if budget and has_budget else {}
        return make_player(given.player, **{**parameters, **own})

    for line in sys.stdin:
        moves, _, budget = line.strip("\r\n").partition(" ")
        try:
            board = Board.from_moves(moves, empty.width, empty.height, empty.connect)
            if board.is_finished():
                raise ValueError(f"the game is over after {moves}")
            with contextlib.redirect_stdout(sys.stderr):  # what somebody's code prints is no answer
                answer = answered(player_of(budget.strip()), board)
        except ValueError as error:
            answer = f"error {str(error).removeprefix('--')}"
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


def answered(player: Any, board: Board) -> str:
    """Return a player's column, from 1, and for a search what the side to move gets.

    Examples
    --------
    >>> answered(make_player("level_2"), Board.from_moves("112233"))
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
