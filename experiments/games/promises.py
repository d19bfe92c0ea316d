"""What a game of positions does in a run: its moves and its chance, a trial of what it promises, and its faults.

`numerics.positions` checks each answer of a method; here is what takes more than one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

from numerics import checks
from numerics.places import failure, place_of
from numerics.positions import (
    CHANCE,
    check_chance,
    check_methods,
    check_moves,
    check_numbers,
    check_player,
    is_position,
    play_move,
)

MOST_STEPS = 10_000  # moves and draws of chance in a game
_GAMES, _SECONDS = 10, 1.0  # of a trial
_TWICE = 2  # games of it in which every move is played twice
_ANY = 2**31  # players, where their number is not known
_SHOWN = 12  # last moves that a sentence names


def name_of(position: Any) -> str:
    """Return the name of a position's class."""
    return type(position).__name__


def drawn(position: Any, rng: random.Random) -> Any:
    """Return a position that chance leads to."""
    if not (hasattr(position, "chance") or hasattr(position, "sample")):
        raise ValueError(f'{name_of(position)} must have chance() or sample(rng), as player() is "chance"')
    if not hasattr(position, "chance"):
        after, method = position.sample(rng), "sample(rng)"
    else:
        outcomes, at, method = check_chance(name_of(position), position.chance()), rng.random(), "chance()"
        for chance, after in outcomes:  # noqa: B007 (the last one stays where rounding leaves none)
            at -= chance
            if at < 0.0:
                break
    if not is_position(after):
        raise ValueError(f"{method} of {name_of(position)} must lead to a position; got {checks.show(after)}")
    return after


def endless(position: Any) -> ValueError:
    """Return the error of a game that does not end."""
    return ValueError(
        f"result() of {name_of(position)} must end a game within {MOST_STEPS:,} moves and draws of chance; it is still "
        "None"
    )


def fault(error: Exception, moves: Sequence[Any]) -> str:
    """Return a sentence on what a game did wrong: a broken promise, or an exception of the user's class.

    Parameters
    ----------
    error : Exception
    moves : sequence
        The moves up to there, of which the last ones are named.

    Examples
    --------
    >>> fault(ValueError("moves() of Nim must return a list, or another sequence; got 3"), [3, 1])
    'moves() of Nim must return a list, or another sequence; got 3 (after the moves 3, 1)'
    """
    is_ours = isinstance(error, ValueError) and not place_of(error)
    text = str(error) if is_ours else f"{_failing(error)} fails: {failure(error)}"
    shown = ", ".join(checks.show(move) for move in moves[-_SHOWN:])
    where = f"after the moves {'..., ' * (len(moves) > _SHOWN)}{shown}" if moves else "in the first position"
    return f"{text} ({where})"


def _failing(error: Exception) -> str:
    """Return the method of the user's that was asked when an exception was raised."""
    trace, before = error.__traceback__, ""
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__"))
        if before and not module.startswith(("experiments.", "numerics.", "mcts.")):
            return f"{trace.tb_frame.f_code.co_name}()"
        before, trace = module, trace.tb_next
    return "a method"


def try_out(
    start: Any, argument: str, games: int = _GAMES, *, seed: int = 0, seconds: float = _SECONDS, twice: int = _TWICE
) -> int:
    """Play random games from a position, and return how many players its game has.

    Parameters
    ----------
    start : object
        The position.
    argument : str
        What the user gave it as.
    games, seconds : int and float
        How many games, and after which time no further one begins; one is always played.
    seed : int
        Of the random moves.
    twice : int
        The first games in which every move is played twice, to see whether it changes or leads elsewhere.

    Raises
    ------
    ValueError
        The first broken promise, or the first exception of a method, with the moves that led there.
    """
    check_methods(argument, start)
    rng, end, played, seen, counts = random.Random(seed), time.perf_counter() + seconds, 0, {0}, set[int]()
    while played < games and (played == 0 or time.perf_counter() < end):
        moves: list[Any] = []
        try:
            if (result := start.result()) is not None:
                raise ValueError(
                    f"result() of {name_of(start)} must be None in the first position; got {checks.show(result)}"
                )
            _random_game(start, rng, moves, seen, counts, twice=played < twice)
            if len(counts) > 1:
                given = " and ".join(map(str, sorted(counts)))
                raise ValueError(
                    f"results and rewards of {name_of(start)} must hold a number for each player; they hold {given} "
                    "numbers"
                )
            check_player(name_of(start), max(seen), max(counts))
        except Exception as error:
            raise ValueError(fault(error, moves)) from error
        played += 1
    return max(counts)


def _random_game(
    position: Any, rng: random.Random, moves: list[Any], seen: set[int], counts: set[int], *, twice: bool
) -> None:
    """Play a game to its end; note its moves, who moved, and how many players were paid."""
    name = name_of(position)
    for _ in range(MOST_STEPS):
        if (result := position.result()) is not None:
            counts.add(len(check_numbers(name, "result()", result, None)))
            return
        if (player := position.player()) == CHANCE:
            position = drawn(position, rng)
            continue
        seen.add(check_player(name, player, _ANY))
        possible = check_moves(name, position.moves())
        _check_different(name, possible)
        move = possible[int(rng.random() * len(possible))]
        moves.append(move)
        after, rewards = position_after(position, move)
        if rewards is not None:
            counts.add(len(rewards))
        if twice:
            _play_again(position, move, (None, player, list(possible)), _facts(after))
        position = after
    raise endless(position)


def position_after(position: Any, move: Any, players: int | None = None) -> tuple[Any, Sequence[float] | None]:
    """Return the position after a move, and the rewards, or None."""
    after, rewards = play_move(name_of(position), position, move, players)
    if not is_position(after):
        name, got = name_of(position), checks.show(after)
        raise ValueError(f"play(move) of {name} must return a position, or (position, rewards); got {got}")
    return after, rewards


def _check_different(name: str, moves: Sequence[Any]) -> None:
    try:
        different = len(set(moves))
    except TypeError:
        raise ValueError(f"moves() of {name} must return moves with a hash; got {checks.show(moves)}") from None
    if different < len(moves):
        raise ValueError(f"moves() of {name} must return each move once; got {checks.show(moves)}")


def _play_again(position: Any, move: Any, before: Any, first: Any) -> None:
    """Refuse a position that has changed when a move was played, and a move that leads somewhere else the next time."""
    name = name_of(position)
    if _facts(position) != before:
        raise ValueError(
            f"play({checks.show(move)}) of {name} must not change the position itself; its moves, player or result "
            "have changed"
        )
    if _facts(position_after(position, move)[0]) != first:
        raise ValueError(
            f"play({checks.show(move)}) of {name} must lead to the same position each time; chance belongs in chance() "
            "or sample(rng)"
        )


def _facts(position: Any) -> tuple[Any, Any, Any]:
    """Return result, player and moves of a position, as far as they may be asked."""
    name = name_of(position)
    if (result := position.result()) is not None:
        return check_numbers(name, "result()", result, None), None, None
    if (player := position.player()) == CHANCE:
        return None, player, None
    return None, player, list(check_moves(name, position.moves()))
