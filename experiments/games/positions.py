"""Games whose positions are objects of a class, as `numerics.positions` describes it: a user's, or OpenSpiel's."""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from connect4.players.guest import import_callable
from connect4.referee import GameRecord
from experiments.games.openings import BUILT_IN, Moves
from experiments.games.referee import Played, play_position, replay_moves, words_of
from experiments.games.rules import CONNECT, GAMES, SIZE, Rules
from experiments.players.specs import PlayerSpec
from mcts.adapters import open_spiel, position_of
from numerics.checks import show
from numerics.parameters import parameter
from numerics.places import failure
from numerics.positions import CHANCE, after_move, compares, moves_of, player_of, try_out
from numerics.random import Purpose, derived_seed

_TWO = 2  # players of the games that experiments play


class PositionRules(Rules):
    """Rules of a class of positions; a subclass makes the one that games begin from."""

    def begin(self) -> Any:
        """Return the position that games begin from.

        Raises
        ------
        ValueError
            It cannot be made.
        """
        raise NotImplementedError

    @property
    def _what(self) -> str:
        """The parameter that names the game, and its value, as a sentence begins."""
        raise NotImplementedError

    @functools.cached_property
    def start(self) -> Any:
        """The position that games begin from."""
        begun = self.begin()
        try:
            adapted = position_of(begun)  # of a state of another library
        except ValueError as error:
            raise ValueError(f"{self._what}: {error}") from error
        return begun if adapted is None else adapted

    def __getstate__(self) -> dict[str, Any]:
        """A pickled game is made anew, so that a position need not be pickled."""
        return {name: value for name, value in vars(self).items() if name != "start"}

    @property
    def title(self) -> str:
        return f"at {GAMES.text(self)}"

    def probe(self) -> None:
        start = self.start
        try:
            players = try_out(start)
        except ValueError as error:
            raise ValueError(f"{self._what}: {error}") from error
        if players != _TWO:
            lone = "; for a game of one player, use experiment=planning" if players == 1 else ""
            raise ValueError(f"{self._what} must be a game of two players; it has {players}{lone}")

    def sized(self, board: str | None, connect: int | None) -> Rules:
        for name, value, usual in (("board", board, SIZE), ("connect", connect, CONNECT)):
            if value not in (None, usual):
                raise ValueError(f"{name} must be left out with games other than Connect 4; got {value}")
        return self

    def openings(self, option: str) -> list[Moves]:
        if option not in BUILT_IN:
            raise ValueError(
                f"openings must be {', '.join(BUILT_IN[:-1])} or {BUILT_IN[-1]} with games other than Connect 4; "
                f"got {option!r}"
            )
        reached: list[tuple[Moves, Any]] = [((), self.start)]
        for _ in range(BUILT_IN.index(option)):
            reached = [
                ((*opening, index), after_move(position, move)[0])
                for opening, position in reached
                for index, move in enumerate(self._moves_of(position, option))
            ]
        going_on = [opening for opening, position in reached if position.result() is None]
        if not going_on:
            raise ValueError(f"openings={option} end every game {self.title}; use none")
        return going_on

    def _moves_of(self, position: Any, option: str) -> Sequence[Any]:
        """Return the moves of a position that openings lead to; none where the game is over."""
        if position.result() is not None:
            return ()
        if player_of(position) == CHANCE:
            raise ValueError(f"openings={option} must not contain chance moves, but {self.title} they do; use none")
        return moves_of(position)

    def balanced_openings(self, option: str, seed: int) -> list[Moves]:
        openings = self.openings(option)
        order = np.random.default_rng(derived_seed(seed, (Purpose.OPENINGS,))).permutation(len(openings))
        return [openings[index] for index in order]

    @property
    def settings(self) -> dict[str, Any]:
        return {"board": None, "connect": None}

    @functools.cached_property
    def varied(self) -> str:
        """The option of the most openings that chance does not meet."""
        for option in reversed(BUILT_IN):
            try:
                self.openings(option)
            except ValueError:
                continue
            return option
        return BUILT_IN[0]

    def check_players(self, specs: Iterable[PlayerSpec]) -> None:
        for spec in specs:
            try:
                spec.made.check_board(self.start)
            except ValueError as error:
                raise ValueError(f"{spec.name} cannot play {self.title}: {error}") from error

    def play(self, first: Any, other: Any, opening: Moves, seed: int) -> GameRecord:
        return play_position(first, other, self.start, opening, _seed_of_chance(seed))

    def replayed(self, moves: str, seed: int) -> Iterator[tuple[int, str, Any]]:
        """Yield what `experiments.games.referee.replay_moves` does, of a stored game."""
        return replay_moves(self.start, moves.split(), _seed_of_chance(seed))

    def movers(self, record: GameRecord, given: int) -> Sequence[int]:
        assert isinstance(record, Played)
        return record.movers[given:]

    def write_opening(self, opening: Moves) -> str:
        position, words = self.start, list[str]()
        for index in opening:
            moves = moves_of(position)
            words.append(words_of(moves)[index])
            position = after_move(position, moves[index])[0]
        return " ".join(words)

    def line(self, opening: Moves) -> tuple[list[Any], Any]:
        """Return the moves of an opening as players answer them, and the position after them."""
        position, moves = self.start, list[Any]()
        for index in opening:
            moves.append(moves_of(position)[index])
            position = after_move(position, moves[-1])[0]
        return moves, position

    def write_game(self, record: GameRecord) -> str:
        assert isinstance(record, Played)
        return " ".join(record.words)

    def words(self, options: Sequence[Any]) -> list[str]:
        return words_of(options)

    def reached(self, moves: Moves) -> Any:
        return self.line(moves)[1]

    def options(self, position: Any) -> Sequence[Any]:
        return moves_of(position)

    def after(self, position: Any, move: Any) -> Any:
        return after_move(position, move)[0]

    def is_over(self, position: Any) -> bool:
        return position.result() is not None

    def mover(self, position: Any) -> Any:
        return player_of(position, _TWO)

    def twins(self, position: Any) -> tuple[Any, ...]:
        return (position,) if compares(position) else ()

    def legal_moves(self, position: Any) -> Sequence[Any]:
        return moves_of(position)

    def refusal(self, position: Any, answer: Any) -> str:
        return f"illegal move: returned {show(answer)}"


def _seed_of_chance(seed: int) -> int:
    return derived_seed(seed, (Purpose.GAME_CHANCE,))


def _path(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be the dotted path of your class, such as my_games.Nim; got {show(value)}")
    return value


class CustomRules(PositionRules, name="custom"):
    """Your own game, by the path of the class of its positions, or of a function that returns the first position.

    It may return a state of another library, too, such as chess.Board of python-chess.

    Further keys are the arguments of the call, as in ``+game.size=5``. A position has the methods moves(), play(move),
    player() and result(), and chance() or sample(rng) where there is chance.
    """

    cls: str = parameter(
        "", check=_path, help="dotted path of the class, such as my_games.Nim; my_games.py may be in the current folder"
    )
    given: tuple[tuple[str, Any], ...] = dataclasses.field(default=(), init=False)  # of the call

    def __init__(self, cls: str = "", **given: Any):
        object.__setattr__(self, "cls", cls)
        object.__setattr__(self, "given", tuple(sorted(given.items())))
        self.__post_init__()

    @property
    def more(self) -> dict[str, Any]:
        """The arguments of the call."""
        return dict(self.given)

    @property
    def _what(self) -> str:
        return f"cls {self.cls!r}"

    def begin(self) -> Any:
        maker: Callable[..., Any] = import_callable("cls", self.cls, "my_games.Nim", "a class or a function")
        try:
            return maker(**self.more)
        except Exception as error:
            arguments = ", ".join(f"{name}={show(value)}" for name, value in self.given)
            called = getattr(maker, "__name__", type(maker).__name__)
            raise ValueError(f"{self._what}: {called}({arguments}) fails: {failure(error)}") from error

    def source_files(self) -> list[str]:
        _ = self.start  # imports it
        files = (sys.modules[name].__file__ for name in {self.cls.rpartition(".")[0], type(self.start).__module__})
        return [file for file in files if file is not None]


class OpenSpielRules(PositionRules, name="open_spiel"):
    """A game of OpenSpiel with two players and perfect information, by its game string."""

    string: str = parameter("", help='game string, such as tic_tac_toe or "hex(board_size=5)"')

    @property
    def title(self) -> str:
        return f"at {self.string}"

    @property
    def _what(self) -> str:
        return f"string {self.string!r}"

    def begin(self) -> Any:
        if not self.string:
            raise ValueError("string must name a game of OpenSpiel, such as tic_tac_toe; got ''")
        try:
            return open_spiel.position_of(self.string)
        except (ImportError, ValueError) as error:
            raise ValueError(f"{self._what}: {error}") from error
