"""A person at the terminal."""

from __future__ import annotations

import sys
from typing import TextIO

from connect4.board import Board
from connect4.notation import SIGNS
from numerics.players import Player, Quit


class Human(Player, kind="human"):
    """A person at the terminal: shows board, last move and whose turn it is, and asks for a column.

    "q" or the end of the input ends the whole program.

    Attributes
    ----------
    source, sink : text stream or None
        Where answers come from and the board is shown; standard input and output unless set.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.source: TextIO | None = None
        self.sink: TextIO | None = None

    def play(self, board: Board) -> int:
        """Return the column that the person chose.

        Raises
        ------
        Quit
            The person wants to leave.
        """
        self._say(f"\n{board}\n{_last_move(board)}{SIGNS[board.to_move]} to move.\n")
        while True:
            self._say(f"Column (0 to {board.width - 1}, q quits): ")
            line = (self.source or sys.stdin).readline()
            answer = line.strip()
            if not line or answer.lower() == "q":
                self._say("\n")
                raise Quit("the person at the terminal has left the game")
            try:
                column = int(answer)
            except ValueError:
                self._say(f"{answer!r} is no column; the columns are 0 to {board.width - 1}.\n")
                continue
            try:
                board.copy().play(column)
            except ValueError as error:
                self._say(f"{error}.\n")
                continue
            return column

    def watch(self, board: Board, ending: str) -> None:
        """Show the last position and who has won."""
        self._say(f"\n{board}\n{_last_move(board)}{ending}\n")

    def _say(self, text: str) -> None:
        sink = self.sink or sys.stdout
        sink.write(text)
        sink.flush()


def _last_move(board: Board) -> str:
    return f"{SIGNS[-board.to_move]} played column {board.moves[-1]}; " if board.moves else ""
