"""Positions of a user's class as text: a stored game move by move, and a game of a person against a player."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, TextIO

from connect4.players.human import QUIT
from experiments.engine import printing
from experiments.games.positions import PositionRules
from experiments.games.referee import Played, place_of, play_position, text_of, words_of
from experiments.games.results import ending_text
from numerics.players import Player, Quit
from numerics.positions import moves_of

_SHOWN = 40  # moves that a question lists


def show_game(row: Mapping[Any, Any], rules: PositionRules, *, step: bool) -> None:
    """Print a stored game, with the position after each move; with `step`, the next one when Enter is pressed."""
    players = (str(row["player1"]), str(row["player2"]))
    players = players if row["first_player"] == 1 else players[::-1]
    given, moves = len(str(row["opening"]).split()), list(rules.replayed(str(row["moves"]), int(row["seed"])))
    printing.say(f"game {row['game']} {rules.title}: {players[0]} moves first, {players[1]} second")
    _say(text_of(moves[0][-1]))
    for number, (mover, move, position) in enumerate(moves[1:], start=1):
        if step and number > 1:
            printing.say(f"Enter: move {number} of {row['plies']}; q: quit")
            answer = sys.stdin.readline()
            if not answer or answer.strip().lower() == QUIT:
                return
        opening = " (opening)" if number <= given else ""
        printing.say(f"{number}. {players[mover]}: {move}{opening}")
        _say(text_of(position))
    printing.say(ending_text(row))


def _say(position: str) -> None:
    """Print a position that has a text, with an empty line below."""
    if position:
        printing.say(f"{position}\n")


class Person:
    """A person at the terminal, who moves in positions of a class.

    Parameters
    ----------
    source, sink : text stream, optional
        Where answers come from, and where questions go; standard input and output unless given.
    """

    def __init__(self, source: TextIO | None = None, sink: TextIO | None = None):
        self.source, self.sink = source, sink

    def play(self, position: Any) -> Any:
        """Return the move that the person chose.

        Raises
        ------
        Quit
            The person leaves the game.
        """
        possible = moves_of(position)
        moves = dict(zip(words_of(possible), possible, strict=True))
        listed = ", ".join([*list(moves)[:_SHOWN], *(["..."] if len(moves) > _SHOWN else [])])
        lines = [text_of(position), f"moves: {listed}"]
        self._say("\n" + "".join(f"{line}\n" for line in lines if line))
        while True:
            self._say(f"Move ({QUIT} quits): ")
            line = (self.source or sys.stdin).readline()
            answer = "_".join(line.replace(", ", ",").split())
            if answer in moves:
                return moves[answer]
            if not line or answer == QUIT:
                raise Quit("you have left the game")
            self._say(f"{line.strip()!r} is not a legal move.\n")

    def _say(self, text: str) -> None:
        sink = self.sink or sys.stdout
        sink.write(text)
        sink.flush()


class _Showing:
    """A player that says which move it has made."""

    def __init__(self, player: Player):
        self.player = player

    def play(self, position: Any) -> Any:
        move = self.player.play(position)
        possible = moves_of(position)
        printing.say(f"\nthe computer plays {words_of(possible)[place_of(move, possible)]}")
        return move


def play_on_terminal(
    computer: Player, rules: PositionRules, *, person_first: bool, seed: int, person: Person | None = None
) -> Played:
    """Play a game of a person against a player; the seed decides chance.

    Raises
    ------
    Quit
        The person leaves the game.
    """
    person, showing = person or Person(), _Showing(computer)
    first, other = (person, showing) if person_first else (showing, person)
    played = play_position(first, other, rules.start, seed=seed)
    won = "you win" if (played.result > 0) == person_first and played.result else "the computer wins"
    ending = f" ({played.ending})" if played.totals[0] != played.totals[0] else ""
    printing.say(f"\n{won if played.result else 'a draw'}{ending}; moves: {rules.write_game(played)}")
    return played
