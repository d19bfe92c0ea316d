"""A person at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, TextIO

from connect4 import screen
from connect4.board import Board, for_player
from connect4.notation import SIGNS, number_of_column
from numerics.players import Player, Quit

QUIT = "q"
_LEAVE = {QUIT: "quits"}


class Human(Player, name="human"):
    """A person at the terminal: shows board, last move and whose turn it is, and asks for a column.

    Columns are counted from 1, as below the board. "q" or the end of the input ends the whole program.

    Attributes
    ----------
    source, sink : text stream or None
        Where answers come from and the board is shown; standard input and output unless set.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.source: TextIO | None = None
        self.sink: TextIO | None = None

    def check_board(self, board: Any) -> None:
        """Refuse a position of another game."""
        for_player(self.name, board)

    def play(self, board: Board) -> int:
        """Return the column that the person chose.

        Raises
        ------
        Quit
            The person leaves the game.
        """
        board = for_player(self.name, board)
        self.show(board)
        answer = self.ask(board)
        if isinstance(answer, str):
            raise Quit("the player at the terminal has quit")
        return answer

    def show(self, board: Board) -> None:
        """Show the position and whose turn it is."""
        self._show(board, f"{SIGNS[board.to_move]} to move.")

    def ask(self, board: Board, commands: Mapping[str, str] = _LEAVE) -> int | str:
        """Return a column that can be played, 0-based, or a command.

        Parameters
        ----------
        board : Board
            The position.
        commands : mapping of str to str, default {"q": "quits"}
            Other answers that are allowed, and what each does. The end of the input counts as "q".
        """
        command_help = ", ".join(f"{key} {what}" for key, what in commands.items())
        columns = f"1 to {board.width}"
        while True:
            self.say(f"Column ({columns}; {command_help}): ")
            line = (self.source or sys.stdin).readline()
            answer = line.strip().lower() if line else QUIT
            if not line:
                self.say("\n")
            if answer in commands:
                return answer
            try:
                column = int(answer) - number_of_column(0)
            except ValueError:
                self.say(f"{line.strip()!r} is no column; the columns are {columns}; {command_help}.\n")
                continue
            if why := board.why_not(column, first=number_of_column(0)):
                self.say(f"{why}.\n")
                continue
            return column

    def watch(self, board: Board, ending: str) -> None:
        """Show the last position and who has won."""
        self._show(board, ending)

    def say(self, text: str) -> None:
        """Write a text where the board is shown."""
        sink = self.sink or sys.stdout
        sink.write(text)
        sink.flush()

    def _show(self, board: Board, state: str) -> None:
        colour = screen.has_colour(self.sink or sys.stdout)
        picture = "\n".join(screen.lines(board, colour=colour))
        last = f"{SIGNS[-board.to_move]} played column {number_of_column(board.moves[-1])}; " if board.moves else ""
        self.say(f"\n{picture}\n{last}{state}\n")
