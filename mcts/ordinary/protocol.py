"""A problem as an ordinary class: its methods, and each of their promises, which is checked where it is relied on.

    moves()        the moves that are possible: a sequence, in an order of its own
    play(move)     the next position, or (position, rewards) with a number for each player
    player()       who moves: 0, 1, ...; or "chance"
    result()       None while it goes on; else a number for each player
    chance()       where player() is "chance": [(probability, position), ...]; or else
    sample(rng)    a position that chance leads to, drawn with a random.Random
    playout(rng)   if it is there: a number for each player, of a game played on from here; else moves are random

A position is never changed. A broken promise is a ValueError: one sentence names the method and what it returned.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from numerics import checks
from numerics.kernels.users import Told

CHANCE = "chance"
LONGEST = 10_000  # moves of a game
NEEDED = ("moves", "play", "player", "result")
_SUM = 1e-9  # by which probabilities may miss 1
_SHOWN = 12  # moves of a line that a note names

Numbers = tuple[float, ...]


def is_position(board: Any) -> bool:
    """Return whether an object has some of the methods of a position, and no hooks."""
    has = (callable(getattr(board, name, None)) for name in NEEDED)
    return not isinstance(board, type) and not hasattr(board, "game") and sum(has) >= 2


def check_methods(position: Any) -> None:
    """Refuse an object that lacks a method."""
    missing = [f"{name}()" for name in NEEDED if not callable(getattr(position, name, None))]
    if missing:
        wanted = "board must have the methods moves(), play(move), player() and result()"
        raise ValueError(f"{wanted}; {type(position).__name__} lacks {', '.join(missing)}")


def compares(position: Any) -> bool:
    """Return whether a class says which of its positions are equal."""
    hashes: Any = type(position).__hash__
    return hashes is not None and hashes is not object.__hash__


def moves_of(position: Any) -> Sequence[Any]:
    """Return the moves of a position that goes on, at least one and each once."""
    moves = position.moves()
    if isinstance(moves, str | Set | Mapping) or not isinstance(moves, Iterable):
        raise _broken(position, "moves()", "must return a sequence of moves, in an order of its own", moves)
    moves = moves if isinstance(moves, list | tuple) else list(moves)
    if not moves:
        raise Told(f"moves() of {name_of(position)} must return a move where result() is None; got none")
    try:
        different = len(set(moves))
    except TypeError:
        raise _broken(position, "moves()", "must return hashable moves, as numbers or tuples", moves) from None
    if different < len(moves):
        raise _broken(position, "moves()", "must return each move once", moves)
    return moves


def after(position: Any, move: Any) -> tuple[Any, Any]:
    """Return the position after a move, and the rewards on the way there, or None."""
    made = position.play(move)
    rewards = None
    if type(made) is tuple and len(made) == 2 and not isinstance(position, tuple):
        made, rewards = made
    if made is position or made is None:
        got = "None" if made is None else "the same one"
        raise Told(f"play(move) of {name_of(position)} must return another position and not change its own; got {got}")
    return made, rewards


def player_of(position: Any, players: int) -> int:
    """Return who moves."""
    player = position.player()
    if isinstance(player, bool) or not isinstance(player, int | np.integer) or not 0 <= player < players:
        raise _broken(position, "player()", f"must return 0 to {players - 1}, or 'chance'", player)
    return int(player)


def numbers_of(position: Any, method: str, given: Any, players: int | None = None) -> Numbers:
    """Return a finite number for each player; `players` of them, where that is known."""
    try:
        numbers = (float(given),) if isinstance(given, int | float | np.number) else tuple(map(float, given))
    except (TypeError, ValueError):
        numbers = ()
    if not numbers or len(numbers) != (players or len(numbers)) or not all(map(math.isfinite, numbers)):
        what = "a finite number" if players == 1 else f"a finite number for each of {players or 'the'} players"
        raise _broken(position, method, f"must return {what}", given)
    return numbers


def outcomes_of(position: Any) -> list[tuple[float, Any]]:
    """Return what chance may lead to, with probabilities, from a position that has chance()."""
    given = position.chance()
    try:
        outcomes = [(float(chance), there) for chance, there in given]
    except (TypeError, ValueError):
        raise _broken(position, "chance()", "must return [(probability, position), ...]", given) from None
    total = math.fsum(chance for chance, _ in outcomes)
    if not abs(total - 1.0) <= _SUM or any(chance < 0.0 for chance, _ in outcomes):
        raise Told(f"chance() of {name_of(position)} must return probabilities that sum to 1; they sum to {total:g}")
    return [outcome for outcome in outcomes if outcome[0] > 0.0]


def drawn_from(position: Any, rng: random.Random) -> Any:
    """Return a position that chance leads to."""
    if not hasattr(position, "chance"):
        return position.sample(rng)
    u, outcomes = rng.random(), outcomes_of(position)
    for chance, there in outcomes[:-1]:
        if u < chance:
            return there
        u -= chance
    return outcomes[-1][1]


def endless(position: Any) -> ValueError:
    """Return the error of a game that never ends."""
    return Told(f"result() of {name_of(position)} must end a game within {LONGEST:,} moves; it still returns None")


def located(error: BaseException, moves: Sequence[Any]) -> BaseException:
    """Return an error with the moves that led there from the position of the search.

    A broken promise says so in its sentence; an exception of the class keeps its traceback, and has a note.
    """
    shown = f"{'..., ' * (len(moves) > _SHOWN)}{', '.join(map(repr, moves[-_SHOWN:]))}"
    where = f"after the moves {shown}" if moves else "in the position of the search"
    if isinstance(error, Told):
        return Told(f"{error}, {where}")
    error.add_note(where)
    return error


def name_of(position: Any) -> str:
    """Return what a sentence calls the class of a position."""
    return type(position).__name__


def _broken(position: Any, method: str, must: str, got: Any) -> ValueError:
    return Told(f"{method} of {name_of(position)} {must}; got {checks.show(got)}")
