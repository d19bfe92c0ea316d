"""What is played: Connect 4, or another game of two players. The referee, openings and notation of each.

`game=NAME` chooses one: Connect 4 on a board, or a game whose positions are those of `numerics.positions`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from connect4 import Board, notation
from connect4.lines import LARGEST
from connect4.referee import GameRecord, play_game, refusal_of
from experiments.engine.experiment import Choice
from experiments.games import openings
from experiments.games.openings import Moves
from experiments.players.specs import PlayerSpec
from numerics.checks import prefix_errors
from numerics.families import Declared, Family
from numerics.parameters import parameter

SIZE, CONNECT = "7x6", 4  # of the board, unless given


class Rules(Declared):
    """The rules of a game of two players."""

    @property
    def title(self) -> str:
        """Where games are played, to follow a verb: "on 7x6 with 4 in a row", "at my_games.Nim"."""
        raise NotImplementedError

    def probe(self) -> None:
        """Refuse, before any work, a game that does not keep what it promises."""

    def sized(self, board: str | None, connect: int | None) -> Rules:
        """Return the rules on a board of Connect 4; refuse a board where there is none."""
        raise NotImplementedError

    @property
    def settings(self) -> dict[str, Any]:
        """The keys of an experiment that have another value with these rules."""
        return {}

    @property
    def varied(self) -> str:
        """The openings of games whose number is not known beforehand."""
        raise NotImplementedError

    def openings(self, option: str) -> list[Moves]:
        """Return the openings of a configuration."""
        raise NotImplementedError

    def balanced_openings(self, option: str, seed: int) -> list[Moves]:
        """Return the openings of a sequential test, in an order that the seed decides."""
        raise NotImplementedError

    def check_players(self, specs: Iterable[PlayerSpec]) -> None:
        """Refuse, before a game begins, players that cannot play it."""
        raise NotImplementedError

    def play(self, first: Any, other: Any, opening: Moves, seed: int) -> GameRecord:
        """Play a game after an opening; the seed decides chance."""
        raise NotImplementedError

    def movers(self, record: GameRecord, given: int) -> Sequence[int]:
        """Return who made each move after the opening's: 0 the first player, 1 the other."""
        raise NotImplementedError

    def write_opening(self, opening: Moves) -> str:
        """Return the moves of an opening as a text."""
        raise NotImplementedError

    def write_game(self, record: GameRecord) -> str:
        """Return the moves of a game as a text."""
        raise NotImplementedError

    def words(self, options: Sequence[Any]) -> list[str]:
        """Return the `options` of a position as one word each."""
        raise NotImplementedError

    def source_files(self) -> list[str]:
        """Return the user's files on which a game depends."""
        return []

    def reached(self, moves: Moves) -> Any:
        """Return the position after some moves, written as in an opening, which its receiver may change."""
        raise NotImplementedError

    def options(self, position: Any) -> Sequence[Any]:
        """Return moves as players answer them, in the order in which openings number them."""
        raise NotImplementedError

    def after(self, position: Any, move: Any) -> Any:
        """Return the position after a legal move, as players answer it; the given one does not change."""
        raise NotImplementedError

    def is_over(self, position: Any) -> bool:
        """Return whether the game has ended."""
        raise NotImplementedError

    def mover(self, position: Any) -> Any:
        """Return who moves in a position that goes on."""
        raise NotImplementedError

    def twins(self, position: Any) -> tuple[Any, ...]:
        """Return what equal positions share: keys for a set; none for a class that does not compare its positions."""
        raise NotImplementedError

    def legal_moves(self, position: Any) -> Sequence[Any]:
        """Return the legal moves, as players answer them."""
        raise NotImplementedError

    def refusal(self, position: Any, answer: Any) -> str:
        """Return what is wrong with a player's answer that is not a legal move."""
        raise NotImplementedError


class Connect4(Rules, name="connect4"):
    """Connect 4 on a board of any size, which the keys board and connect give."""

    board: str = parameter(SIZE, help="columns x rows")
    connect: int = parameter(CONNECT, low=2, high=LARGEST, help="stones in a row that win")

    @functools.cached_property
    def empty(self) -> Board:
        """The board that games begin on, which nobody changes."""
        return Board.of_size(self.board, self.connect)

    @property
    def title(self) -> str:
        return f"on {self.board} with {self.connect} in a row"

    @property
    def varied(self) -> str:
        return openings.BALANCED

    def sized(self, board: str | None, connect: int | None) -> Rules:
        return Connect4(board=SIZE if board is None else board, connect=CONNECT if connect is None else connect)

    def openings(self, option: str) -> list[Moves]:
        return openings.openings_of(option, self.empty)

    def balanced_openings(self, option: str, seed: int) -> list[Moves]:
        return openings.balanced_openings(option, self.empty, seed)

    def check_players(self, specs: Iterable[PlayerSpec]) -> None:
        for spec in specs:
            spec.made.check_board(self.empty)

    def play(self, first: Any, other: Any, opening: Moves, seed: int) -> GameRecord:
        board = self.empty.copy()
        for column in opening:
            board.play(column)
        return play_game(first, other, board)

    def movers(self, record: GameRecord, given: int) -> Sequence[int]:
        return [ply % 2 for ply in range(given, len(record.moves))]

    def write_opening(self, opening: Moves) -> str:
        return notation.write(tuple(opening), self.empty.width)

    def write_game(self, record: GameRecord) -> str:
        return notation.write(tuple(record.moves), self.empty.width)

    def words(self, options: Sequence[Any]) -> list[str]:
        return [notation.write((column,), self.empty.width) for column in options]

    @property
    def size(self) -> tuple[int, int, int]:
        """Columns, rows and the stones in a row that win."""
        return self.empty.width, self.empty.height, self.empty.connect

    def reached(self, moves: Moves) -> Board:
        return Board.from_moves(moves, *self.size)

    def options(self, position: Board) -> Sequence[int]:
        return range(position.width)  # full columns too, so that a column is its own number

    def after(self, position: Board, move: int) -> Board:
        board = position.copy()
        board.play(move)
        return board

    def is_over(self, position: Board) -> bool:
        return position.is_finished()

    def mover(self, position: Board) -> int:
        return position.to_move

    def twins(self, position: Board) -> tuple[Board, ...]:
        return position, position.mirror()

    def legal_moves(self, position: Board) -> Sequence[int]:
        return position.legal_moves()

    def refusal(self, position: Board, answer: Any) -> str:
        return refusal_of(answer, position.width)


def _hint(name: str) -> str:
    """Return how a game of the user's or of OpenSpiel is given, whose name is no member."""
    if all(part.isidentifier() for part in name.split(".")) and "." in name:
        return f"; for your own class, use game=custom game.cls={name}"
    return f"; for a game of OpenSpiel, use game=open_spiel game.string={name!r}"


GAMES: Family[Rules] = Family(
    "game", Rules, "my_games.Nim size=5", hidden=("board", "connect"), dotted=("custom", "cls"), hint=_hint
)
Rules.members.modules.update(dict.fromkeys(("custom", "open_spiel"), "experiments.games.positions"))
Rules.members.modules.update(dict.fromkeys(("dots_and_boxes", "breakthrough", "hex"), "experiments.games.solved"))


def try_rules(rules: Rules, key: str) -> Rules:
    """Return the rules that a key gives; a user's game is tried here, before any work."""
    if rules.name == Connect4.name and rules != Connect4():
        raise ValueError(f"{key}.board and {key}.connect are not keys: the keys of the board are board and connect")
    with prefix_errors(key):
        rules.probe()
    return rules


GAME = Choice(GAMES, lambda label, rules, key: try_rules(rules, key))
