"""Positions as objects of an ordinary class: the methods of a game, and what they promise.

    moves()        the moves that are possible: a sequence of hashable moves, in an order of its own
    play(move)     the next position, or (position, rewards) with a number for each player
    player()       who moves: 0, 1, ...; or "chance"
    result()       None while the game goes on; else a number for each player
    chance()       where player() is "chance": [(probability, position), ...], or (probability, position, rewards)
                   where chance brings rewards, which belong to the move before; or else
    sample(rng)    a position that chance leads to, drawn with a random.Random, or (position, rewards)
    scores()       if it is there: the exact score of each move for the player who moves, in the order of moves(): whole
                   numbers, above 0 for a win, 0 for a draw and below 0 for a loss when both sides play best
    kind           if it is there: what every game of the class is, "win draw loss" (of two players, without chance),
                   "points", or "process"; else random games tell
    playout(rng, steps)    if it is there: what each player gets in a game that is played on from here, for so many
                   moves at most, as seen from here; else moves are random. One that takes a third argument, discount,
                   is given that of the search, by which a reward one move later counts less

A position never changes. `moves` is asked only where a player moves. The functions here ask one method each and raise
`BrokenPromise`, with the method's name and its answer, where a promise is broken. `try_out` plays random games.
"""

from __future__ import annotations

import math
import numbers
import random
import time
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from numerics import checks
from numerics.games import Game
from numerics.kernels.users import Told
from numerics.places import failure, place_of

METHODS = {"moves": "moves()", "play": "play(move)", "player": "player()", "result": "result()"}
_MORE_METHODS = {"playout": "playout(rng, steps)", "chance": "chance()", "sample": "sample(rng)"}
CHANCE = "chance"
WIN_DRAW_LOSS = "win draw loss"
KINDS = (WIN_DRAW_LOSS, "points", "process")
MOST_STEPS = 10_000  # moves and draws of chance in a game
_GAMES, _SECONDS = 10, 1.0  # of a trial
_MOST_KNOWN = 100_000  # positions that are compared
_TWICE = 2  # games of it in which every move is played twice
_MOST = 1e100  # of a reward or a result, in size: its square, and the sum of many, are finite
_SUM = 1e-9  # by which probabilities may miss 1
_SHOWN = 12  # last moves that a sentence names


class BrokenPromise(Told):
    """A method of a user's class broke a promise; the text is a sentence."""


class OtherKind(BrokenPromise):
    """A game that was taken for one of two players, wins, draws and losses is another one."""


def kind_of(position: Any) -> str | None:
    """Return what a class says that its games are; None where it does not say."""
    kind = getattr(position, "kind", None)
    return kind if isinstance(kind, str) and kind in KINDS else None


def is_position(board: Any) -> bool:
    """Return whether an object has some methods of a position; all of them, if it has the hooks of a game, too.

    Examples
    --------
    >>> is_position(3)
    False
    """
    has = sum(callable(getattr(board, name, None)) for name in METHODS)
    return has == len(METHODS) or (has > 1 and not _has_hooks(board))


def is_ordinary(board: Any) -> bool:
    """Return whether an object is a position of an ordinary class: one without the hooks of a game."""
    return is_position(board) and not _has_hooks(board)


def _has_hooks(board: Any) -> bool:
    return isinstance(getattr(board, "game", None), Game)


def compares(position: Any) -> bool:
    """Return whether a class says which of its positions are equal, by __eq__ and __hash__."""
    hashes: Any = type(position).__hash__
    if hashes is None or hashes is object.__hash__:
        return False
    try:
        hash(position)
    except TypeError:  # of what it holds
        return False
    return True


def check_methods(position: Any) -> None:
    """Raise BrokenPromise for an object that lacks a method, or a class instead of an object."""
    if isinstance(position, type):
        raise BrokenPromise(f"a position must be an object of the class {position.__name__}; got the class itself")
    lacking = [written for name, written in METHODS.items() if not callable(getattr(position, name, None))]
    if lacking:
        raise BrokenPromise(
            f"a position must have the methods {', '.join(METHODS.values())}; {name_of(position)} has no "
            f"{' and no '.join(lacking)}"
        )


def check_unfinished(root: Any) -> None:
    """Raise ValueError for a position that lacks a method, or that is finished."""
    check_methods(root)
    if (result := root.result()) is not None:
        raise ValueError(
            f"board must be a position that is not finished; result() of {name_of(root)} is {checks.show(result)}"
        )


def player_of(position: Any, players: int | None = None) -> int | str:
    """Return who moves in a position that goes on: a player from 0 on, below `players` if given; or "chance"."""
    player = position.player()
    if type(player) is int and 0 <= player < (players or math.inf):  # as nearly always
        return player
    if isinstance(player, str) and player == CHANCE:
        if not (hasattr(position, "chance") or hasattr(position, "sample")):
            raise BrokenPromise(f"player() of {name_of(position)} is 'chance'; the class needs chance() or sample(rng)")
        return CHANCE
    if (
        isinstance(player, bool | np.bool_)
        or not isinstance(player, numbers.Integral)
        or not (0 <= int(player) < (players or math.inf))
    ):
        allowed = "0, 1, ..." if players is None else " or ".join(map(str, range(players)))
        raise BrokenPromise(
            f"player() of {name_of(position)} must return {allowed} or 'chance'; got {checks.show(player)}"
        )
    return int(player)


def moves_of(position: Any) -> Sequence[Any]:
    """Return the moves of a position in which a player moves: at least one, and each once."""
    moves = position.moves()
    if isinstance(moves, str | set | frozenset | dict) or not hasattr(moves, "__iter__"):
        raise BrokenPromise(f"moves() of {name_of(position)} must return a sequence of moves; got {checks.show(moves)}")
    listed = moves if isinstance(moves, list | tuple) else list(moves)
    if not listed:
        raise BrokenPromise(f"moves() of {name_of(position)} must return a move where result() is None; got none")
    try:
        different = len(set(listed))
    except TypeError:
        raise BrokenPromise(
            f"moves() of {name_of(position)} must return hashable moves, as numbers or tuples; got {checks.show(moves)}"
        ) from None
    if different < len(listed):
        raise BrokenPromise(f"moves() of {name_of(position)} must return each move once; got {checks.show(moves)}")
    return listed


def after_move(position: Any, move: Any) -> tuple[Any, Any]:
    """Return the position after a move, and the rewards, or None."""
    return checked_move(position, position.play(move))


def checked_move(position: Any, given: Any) -> tuple[Any, Any]:
    """Return the position and the rewards, or None, of what `play` has returned."""
    after, rewards = given, None
    if type(after) is tuple and len(after) == 2 and not isinstance(position, tuple):
        after, rewards = after
    if after is None or after is position:
        got = "None" if after is None else "the position itself"
        raise BrokenPromise(f"play(move) of {name_of(position)} must return a new position; got {got}")
    if isinstance(after, type) or (type(after) is not type(position) and not is_position(after)):
        raise BrokenPromise(
            f"play(move) of {name_of(position)} must return a position, or (position, rewards); got "
            f"{checks.show(after)}"
        )
    return after, rewards


def payoffs(position: Any, method: str, given: Any, players: int | None = None) -> tuple[float, ...]:
    """Return the numbers of all players that `result` or `play` gave; one number is that of a single player."""
    single = isinstance(given, numbers.Real) and not isinstance(given, bool)
    try:
        values = () if isinstance(given, Mapping | Set | bytes) else tuple(map(_float, [given] if single else given))
    except (TypeError, ValueError, OverflowError):
        values = ()
    if not values or not all(map(math.isfinite, values)) or players not in (None, len(values)):
        each = "each player" if players is None else f"each of {players} players"
        called = METHODS.get(method) or _MORE_METHODS[method]
        raise BrokenPromise(
            f"{called} of {name_of(position)} must return a finite number for {each}; got {checks.show(given)}"
        )
    if max(values) > _MOST or min(values) < -_MOST:
        raise BrokenPromise(
            f"{METHODS.get(method, f'{method}(rng, steps)')} of {name_of(position)} must return numbers from -1e100 to "
            f"1e100; got {checks.show(given)}"
        )
    return values


def _float(value: Any) -> float:
    """Return a number; raise TypeError for a text."""
    if isinstance(value, str | bytes):
        raise TypeError
    return float(value)


def draw_from(position: Any, rng: random.Random) -> tuple[Any, Any]:
    """Return a position that chance leads to, and the rewards, or None."""
    if not hasattr(position, "chance"):
        drawn = position.sample(rng)
        is_pair = type(drawn) is tuple and len(drawn) == 2 and not isinstance(position, tuple)
        after, rewards = drawn if is_pair else (drawn, None)
        if type(after) is not type(position) and not is_position(after):
            raise BrokenPromise(
                f"sample(rng) of {name_of(position)} must return a position, or (position, rewards); got "
                f"{checks.show(drawn)}"
            )
        return after, rewards
    outcomes = outcomes_of(position)
    at = rng.random()
    for chance, after, rewards in outcomes:
        at -= chance
        if at < 0.0:
            return after, rewards
    return outcomes[-1][1:]


def how_drawn(position: Any) -> str:
    """Return the method that says what chance leads to."""
    return "chance" if hasattr(position, "chance") else "sample"


def outcomes_of(position: Any) -> list[tuple[float, Any, Any]]:
    """Return what chance may lead to: probabilities, which are above 0 and sum to 1, positions, and rewards or None."""
    given = position.chance()
    try:
        outcomes = [(float(chance), after, *more) for chance, after, *more in given]
    except (TypeError, ValueError):
        outcomes = []
    if not outcomes or not all(len(outcome) < 4 and is_position(outcome[1]) for outcome in outcomes):
        raise BrokenPromise(
            f"chance() of {name_of(position)} must return (probability, position) or (probability, position, rewards) "
            f"tuples; got {checks.show(given)}"
        )
    total = math.fsum(outcome[0] for outcome in outcomes)
    if not abs(total - 1.0) <= _SUM or min(outcome[0] for outcome in outcomes) < 0.0:
        raise BrokenPromise(
            f"chance() of {name_of(position)} must return probabilities of at least 0 that sum to 1; they sum to "
            f"{total:.10g}"
        )
    return [(outcome[0], outcome[1], outcome[2] if len(outcome) > 2 else None) for outcome in outcomes if outcome[0]]


def scores_of(position: Any) -> list[int]:
    """Return the exact score of each move of a position that goes on, as its class says it.

    Raises
    ------
    ValueError
        A class without `scores`, or a position whose scores it does not know.
    BrokenPromise
        Other than one whole number for each move.
    """
    if not callable(getattr(position, "scores", None)):
        raise ValueError(
            "game must have exact values: Connect 4, dots_and_boxes, breakthrough, hex, or a class with scores(); got "
            f"{name_of(position)}"
        )
    given, count = position.scores(), len(moves_of(position))
    scores = list(given) if isinstance(given, Sequence | np.ndarray) else []
    if len(scores) != count or not all(map(_is_whole, scores)):
        raise BrokenPromise(
            f"scores() of {name_of(position)} must return a whole number for each of {count} moves; got "
            f"{checks.show(given)}"
        )
    return [int(score) for score in scores]


def _is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)


def locate(error: BaseException, moves: Sequence[Any]) -> BaseException:
    """Return an error with the moves that led there from the position of a search.

    A broken promise says so in its sentence. An exception of the class keeps its traceback, and has a note.
    """
    if isinstance(error, BrokenPromise):
        return type(error)(f"{error} ({_where(moves)})")
    error.add_note(_where(moves))
    return error


def fault(error: BaseException, moves: Sequence[Any]) -> str:
    """Return a sentence on what a game did wrong: a broken promise, or an exception of the user's class.

    Parameters
    ----------
    error : BaseException
        What one of the functions here raised.
    moves : sequence
        The moves up to there, of which the last ones are named.

    Examples
    --------
    >>> fault(BrokenPromise("moves() of Nim must return a move where result() is None; got none"), [3, 1])
    'moves() of Nim must return a move where result() is None; got none (after the moves 3, 1)'
    """
    text = str(error) if isinstance(error, BrokenPromise) else f"{_failing(error)} fails: {failure(error)}"
    return f"{text} ({_where(moves)})"


def told(error: Exception, moves: Sequence[Any]) -> Exception:
    """Return what to raise in place of an error: a sentence with the moves, or the error itself if it is one of ours.

    Parameters
    ----------
    error : Exception
        What a method of a position has raised, or a function here.
    moves : sequence
        The moves up to there.

    Examples
    --------
    >>> told(ValueError("board must have at most 24 edges"), [3, 1])
    ValueError('board must have at most 24 edges')
    """
    is_ours = isinstance(error, ValueError) and not isinstance(error, BrokenPromise) and not place_of(error)
    return error if is_ours else ValueError(fault(error, moves))


def _where(moves: Sequence[Any]) -> str:
    shown = ", ".join(checks.show(move) for move in moves[-_SHOWN:])
    return f"after the moves {'..., ' * (len(moves) > _SHOWN)}{shown}" if moves else "in the first position"


def _failing(error: BaseException) -> str:
    """Return the method that a function of this module asked when an exception was raised."""
    called, trace = "a method", error.__traceback__
    while trace is not None and trace.tb_next is not None:
        if trace.tb_frame.f_globals.get("__name__") == __name__:
            called = f"{trace.tb_next.tb_frame.f_code.co_name}()"
        trace = trace.tb_next
    return called


def endless(position: Any) -> BrokenPromise:
    """Return the error of a game that does not end."""
    return BrokenPromise(
        f"result() of {name_of(position)} must end a game within {MOST_STEPS:,} moves and chance draws; it is still "
        "None"
    )


def try_out(
    start: Any, games: int = _GAMES, *, seed: int = 0, seconds: float = _SECONDS, is_thorough: bool = False
) -> int:
    """Play random games from a position, and return how many players its game has.

    At least one game is played, and no further one begins after `seconds`. In the first two games, or in all if it
    `is_thorough`, every move is played twice, the positions are compared, and `playout` is tried. `scores` is tried
    only if it `is_thorough`.

    Raises
    ------
    ValueError
        The first broken promise, or the first exception of a method, with the moves that led there.
    """
    check_methods(start)
    rng, end, played, seen, counts = random.Random(seed), time.perf_counter() + seconds, 0, {0}, set[int]()
    known: dict[Any, Any] = {}
    while played < games and (played == 0 or time.perf_counter() < end):
        moves: list[Any] = []
        try:
            if start.result() is not None:
                raise BrokenPromise(
                    f"result() of {name_of(start)} must be None in the first position; got "
                    f"{checks.show(start.result())}"
                )
            twice = is_thorough or played < _TWICE
            _random_game(start, rng, moves, seen, counts, known, twice=twice, scored=is_thorough)
            if len(counts) > 1 or max(seen) >= max(counts):
                raise BrokenPromise(_contradiction(start, seen, counts))
        except (Exception, SystemExit) as error:  # SystemExit(0) would end the program as if all were well
            raise ValueError(fault(error, moves)) from error
        played += 1
    return max(counts)


def _contradiction(start: Any, seen: set[int], counts: set[int]) -> str:
    if len(counts) > 1:
        given = " and ".join(map(str, sorted(counts)))
        return f"results and rewards of {name_of(start)} must hold a number for each player; they hold {given} numbers"
    return (
        f"player() of {name_of(start)} must be below the number of players, {max(counts)} by its results; got "
        f"{max(seen)}"
    )


def _random_game(
    position: Any,
    rng: random.Random,
    moves: list[Any],
    seen: set[int],
    counts: set[int],
    known: dict[Any, Any],
    *,
    twice: bool,
    scored: bool,
) -> None:
    """Play a game to its end; note its moves, who moved, and how many players were paid."""
    draws = random.Random(0)  # of playouts, which change no move
    for _ in range(MOST_STEPS):
        result = position.result()
        if result is not None:
            numbers = payoffs(position, "result", result)
            counts.add(len(numbers))
            _compare(position, numbers, known)
            return
        player = player_of(position)
        if player == CHANCE:
            _compare(position, CHANCE, known)
            after, rewards = draw_from(position, rng)
            if rewards is not None:
                counts.add(len(payoffs(position, how_drawn(position), rewards)))
            position = after
            continue
        seen.add(int(player))
        possible = moves_of(position)
        _compare(position, (player, frozenset(possible)), known)
        if twice and callable(getattr(position, "playout", None)):
            counts.add(len(payoffs(position, "playout", position.playout(draws, MOST_STEPS))))
        if scored and callable(getattr(position, "scores", None)):
            _try_scores(position)
        move = possible[int(rng.random() * len(possible))]
        after, rewards = after_move(position, move)
        moves.append(move)
        if rewards is not None:
            counts.add(len(payoffs(position, "play", rewards)))
        if twice:
            _play_again(position, move, (None, player, list(possible)), after)
        position = after
    raise endless(position)


def _compare(position: Any, facts: Any, known: dict[Any, Any]) -> None:
    """Refuse a position that is equal to an earlier one with another result, player or moves."""
    if compares(position) and len(known) < _MOST_KNOWN and known.setdefault(position, facts) != facts:
        raise BrokenPromise(
            f"__eq__ of {name_of(position)} must tell positions with different results, players or moves apart; "
            "it does not"
        )


def _try_scores(position: Any) -> None:
    """Refuse wrong scores. A class that does not know those of a position says so by a ValueError."""
    try:
        scores_of(position)
    except BrokenPromise:
        raise
    except ValueError:
        pass


def _play_again(position: Any, move: Any, before: Any, first: Any) -> None:
    """Refuse a position that has changed when a move was played, and a move that leads somewhere else the next time."""
    called = f"play({checks.show(move)}) of {name_of(position)}"
    if facts_of(position) != before:
        raise BrokenPromise(f"{called} must not change the position itself; its moves, player or result have changed")
    second = after_move(position, move)[0]
    if facts_of(second) != facts_of(first):
        raise BrokenPromise(
            f"{called} must lead to the same position each time; chance belongs in chance() or sample(rng)"
        )
    if compares(position) and (first != second or hash(first) != hash(second)):
        raise BrokenPromise(
            f"__eq__ and __hash__ of {name_of(position)} must agree on positions after the same moves; they do not"
        )


def facts_of(position: Any) -> tuple[Any, Any, Any]:
    """Return result, player and moves of a position, as far as they may be asked."""
    result = position.result()
    if result is not None:
        return payoffs(position, "result", result), None, None
    player = player_of(position)
    return None, player, None if player == CHANCE else list(moves_of(position))


def name_of(position: Any) -> str:
    """Return what a sentence calls the class of a position."""
    return type(position).__name__
