"""What an ordinary class promises, tried on random games."""

from __future__ import annotations

import random
from typing import Any

from mcts.ordinary import protocol
from mcts.ordinary.protocol import CHANCE, LONGEST, after, name_of
from numerics.kernels.users import Told


def try_class(root: Any, games: int, *, seed: int = 0) -> int:
    """Play random games, and compare what the methods of the positions say; return the number of players.

    Parameters
    ----------
    root : object
        A position of an ordinary class that goes on.
    games : int
        How many games to play.
    seed : int, default 0
        Of the random moves.

    Raises
    ------
    ValueError
        A promise is broken: one sentence names the method, what it returned, and the moves that lead to the position.
    """
    protocol.check_methods(root)
    trial = _Trial(root, random.Random(seed))
    for _ in range(games):
        try:
            trial.play()
        except Exception as error:
            raise protocol.located(error, trial.line) from error.__cause__
    return trial.players or 1


class _Trial:
    """Random games of a class."""

    def __init__(self, root: Any, rng: random.Random):
        self._root, self._rng = root, rng
        self.line: list[Any] = []
        self.players: int | None = None  # as far as the first result or reward says

    def play(self) -> None:
        """Play a game."""
        position, self.line, movers = self._root, [], set[int]()
        while position.result() is None:
            if len(self.line) == LONGEST:
                raise protocol.endless(position)
            if position.player() == CHANCE:
                position = self._after_chance(position)
                continue
            movers.add(protocol.player_of(position, self.players or 2**15))
            move = self._rng.choice(self._moves(position))
            self.line.append(move)
            position = self._after(position, move)
        self._count("result()", position, position.result())
        wrong = [mover for mover in movers if mover >= (self.players or 1)]
        if wrong:
            raise Told(
                f"player() of {name_of(position)} must return 0 to {(self.players or 1) - 1}, since result() has "
                f"{self.players} numbers; it returned {wrong[0]}"
            )

    def _moves(self, position: Any) -> list[Any]:
        first, second = (list(protocol.moves_of(position)) for _ in range(2))
        if first != second:
            raise Told(
                f"moves() of {name_of(position)} must return the same moves each time, in one order; got {first!r} and "
                f"{second!r}"
            )
        return first

    def _after(self, position: Any, move: Any) -> Any:
        """Return the position after a move, which two calls must agree on, and which must leave its own as it is."""
        name, before = name_of(position), _seen(position)
        there, rewards = after(position, move)
        if _seen(position) != before:
            raise Told(f"play(move) of {name} must not change its own position; moves(), player() or result() changes")
        again, others = after(position, move)
        if rewards is not None:
            self._count("play(move)", position, rewards)
        if _seen(there) != _seen(again) or _listed(rewards) != _listed(others):
            raise Told(f"play(move) of {name} must not use chance; {move!r} leads to two positions")
        if protocol.compares(position) and (there != again or hash(there) != hash(again)):
            raise Told(f"__eq__ and __hash__ of {name} must agree on positions after the same moves; they do not")
        return there

    def _after_chance(self, position: Any) -> Any:
        if not hasattr(position, "chance") and not hasattr(position, "sample"):
            raise Told(f"{name_of(position)} must have chance() or sample(rng), since player() returns 'chance'")
        there = protocol.drawn_from(position, self._rng)
        if there is None or there is position:
            got = "None" if there is None else "the same one"
            raise Told(f"chance of {name_of(position)} must lead to another position; got {got}")
        return there

    def _count(self, method: str, position: Any, given: Any) -> None:
        """Check that there is a number for each player."""
        self.players = len(protocol.numbers_of(position, method, given, self.players))


def _seen(position: Any) -> tuple[Any, Any, Any]:
    """Return what a search sees of a position."""
    result, player = position.result(), None
    if result is None:
        player = position.player()
    moves = list(position.moves()) if result is None and player != CHANCE else None
    return _listed(result), player, moves


def _listed(numbers: Any) -> Any:
    """Return numbers in a form that == compares."""
    return numbers if numbers is None or isinstance(numbers, int | float) else [float(number) for number in numbers]
