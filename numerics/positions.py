"""The promises of a position, an object of an ordinary Python class, each checked where an answer is used.

    moves()        the moves that are possible, a sequence in an order of its own
    play(move)     the next position, or (position, rewards) with a number for each player
    player()       who moves: 0, 1, ...; or "chance"
    result()       None while the game goes on; else a number for each player
    chance()       where player() is "chance": [(probability, position), ...]; or else
    sample(rng)    a position that chance leads to, drawn with a `random.Random`

A position is never changed. A broken promise is a ValueError that names the class, the method and its answer.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from numerics import checks

CHANCE = "chance"
_NEEDED = ("moves", "play", "player", "result")
_SUM = 1e-9  # by which probabilities may miss 1

Numbers = list[float]


def is_position(value: Any) -> bool:
    """Return whether an object has a method of a position, and no hooks of a game or a process."""
    return not hasattr(value, "game") and any(callable(getattr(value, name, None)) for name in ("moves", "play"))


def check_methods(argument: str, position: Any) -> None:
    """Refuse a position that lacks a method."""
    missing = [f"{name}()" for name in _NEEDED if not callable(getattr(position, name, None))]
    if missing:
        raise ValueError(
            f"{argument} must have the methods moves(), play(move), player() and result(); {type(position).__name__} "
            f"lacks {' and '.join(missing)}"
        )


def check_moves(name: str, moves: Any) -> Sequence[Any]:
    """Return the answer of moves() if it is a sequence with a move in it; `name` is that of the class."""
    if type(moves) is list and moves:  # mostly, and it takes a tenth of the time
        return moves
    if isinstance(moves, str | bytes) or not isinstance(moves, Sequence | np.ndarray):
        raise ValueError(f"moves() of {name} must return a list, or another sequence; got {checks.show(moves)}")
    if not len(moves):
        raise ValueError(f"moves() of {name} must return a move as long as result() is None; got none")
    return moves.tolist() if isinstance(moves, np.ndarray) else moves


def play_move(name: str, position: Any, move: Any, players: int | None) -> tuple[Any, Numbers | None]:
    """Play a move, and return the next position and the rewards, None of a class that gives none."""
    after, rewards = position.play(move), None
    if type(after) is tuple:
        if len(after) != 2:
            raise ValueError(f"play(move) of {name} must return (position, rewards); got {len(after)} objects")
        after, given = after
        rewards = check_numbers(name, "play(move)", given, players)
    if after is None or after is position:
        got = "None" if after is None else "the same one"
        raise ValueError(f"play(move) of {name} must return another position, and leave its own as it is; got {got}")
    return after, rewards


def check_player(name: str, player: Any, players: int) -> int:
    """Return the answer of player() where a player moves."""
    if isinstance(player, bool) or not isinstance(player, int | np.integer) or not 0 <= player < players:
        allowed = "0, as there is one player," if players == 1 else f"from 0 to {players - 1}, for {players} players,"
        raise ValueError(f'player() of {name} must be {allowed} or "chance"; got {checks.show(player)}')
    return int(player)


def check_numbers(name: str, method: str, given: Any, players: int | None) -> Numbers:
    """Return a finite number for each player; a single number will do for one."""
    try:
        if isinstance(given, numbers.Real):
            found = [float(given)]
        elif isinstance(given, str | bytes) or not isinstance(given, Sequence | np.ndarray):
            found = []
        else:
            found = [float(one) for one in given]
    except (TypeError, ValueError, OverflowError):
        found = []
    if len(found) != (players or max(len(found), 1)) or not all(map(math.isfinite, found)):
        several = f"each of {players} players" if players else "each player"
        wanted = "a finite number" if players == 1 else f"a finite number for {several}"
        raise ValueError(f"{method} of {name} must return {wanted}; got {checks.show(given)}")
    return found


def check_chance(name: str, outcomes: Any) -> list[tuple[float, Any]]:
    """Return what chance() says is possible: probabilities above 0 that sum to 1, and positions."""
    try:
        found = [(float(chance), position) for chance, position in outcomes]
    except (TypeError, ValueError):
        raise ValueError(
            f"chance() of {name} must return [(probability, position), ...]; got {checks.show(outcomes)}"
        ) from None
    total = math.fsum(chance for chance, _ in found)
    if not abs(total - 1.0) <= _SUM or any(chance < 0.0 for chance, _ in found):
        raise ValueError(f"chance() of {name} must return probabilities that sum to 1; they sum to {total:.12g}")
    return [(chance, position) for chance, position in found if chance > 0.0]
