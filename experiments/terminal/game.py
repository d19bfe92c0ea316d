"""A game of a person at the terminal against a player: moves taken back, hints, an analysis, two rules compared."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from connect4 import Board
from connect4.notation import SIGNS, number_of_column
from connect4.players.human import QUIT, Human
from connect4.referee import GameRecord, play_game
from experiments.engine import printing
from experiments.players.advice import advise
from experiments.terminal import two_rules
from experiments.terminal.searches import show_analysis, show_search
from mcts.policy import index_policy
from mcts.uct import UCTPlayer
from numerics.players import Player, Quit

_COMMANDS = {"u": "undo", "h": "hint", "a": "analysis", "r": "two rules", QUIT: "quits"}


class TakenBack(BaseException):
    """Raised when the person takes a move back; not an `Exception`, which the referee would count as a failure."""


class Person(Human):
    """A person who may also take moves back and ask for advice."""

    simulations = two_rules.SIMULATIONS  # of each rule that is compared

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
                raise Quit("you have left the game")
            if answer == "h":
                self.say(f"{advise(board).sentence}\n")
            elif answer == "a":
                show_analysis(board)
            elif answer == "r":
                self._compare(board)
            elif board.plies < 2:
                self.say("there is no move to take back\n")
            else:
                raise TakenBack

    def _compare(self, board: Board) -> None:
        """Ask for two rules and print what each sees."""
        self.say(f"Two rules, separated by a comma (Enter: {', '.join(two_rules.USUAL)}): ")
        words = [word.strip() for word in (self.source or sys.stdin).readline().split(",")]
        try:
            if words != [""] and len(words) != 2:
                raise ValueError(f"rules must be two, such as ucb c=0.5, thompson; got {len(words)}")
            rules = [index_policy(word, "rule") for word in (words if words != [""] else two_rules.USUAL)]
            two_rules.show(board, rules, self.simulations)
        except ValueError as error:
            self.say(f"{error}\n")


class Showing:
    """A player that says which move it has made and, where it searches a tree, what the search saw."""

    def __init__(self, player: Player):
        self.player = player

    def play(self, board: Board) -> Any:
        """Return the player's move, after saying it."""
        sign = SIGNS[board.to_move]
        if isinstance(self.player, UCTPlayer):
            search: Any = self.player.think(board)
            column = search.choose(self.player.final)
            show_search(search.result(), column, sign)
        else:
            column = self.player.play(board)
            printing.say("")
        if board.allows(column):
            printing.say(f"{sign} plays column {number_of_column(column)}.")
        return column


def play_on_terminal(
    computer: Player,
    board: Board,
    *,
    person_first: bool,
    simulations: int = two_rules.SIMULATIONS,
    source: TextIO | None = None,
    sink: TextIO | None = None,
) -> GameRecord:
    """Play a game of the person at the terminal, or of other text streams, against a player, from a position on.

    `simulations` are those of each rule that the person compares.

    Raises
    ------
    Quit
        The person leaves the game.
    """
    person = Person()
    person.source, person.sink, person.simulations = source, sink, simulations
    showing = Showing(computer)
    while True:
        try:
            return play_game(person, showing, board) if person_first else play_game(showing, person, board)
        except TakenBack:
            for _ in range(2):  # the computer's move and the person's own
                board.undo()
