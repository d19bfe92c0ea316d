"""Games that break a promise of docs/guides/own_game.md, each in one place, and the sentence that says so.

All are the same game with something wrong: two sides take one or two stones in turn, and who takes the last wins.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from numerics.games import DRAWN, LOST, UNDECIDED, WON, Game
from numerics.random import next_uniform

STONES, MOVER, SEED = range(3)  # words of the state


def legal(state, moves):
    count = min(2, state[STONES])
    for i in range(count):
        moves[i] = i + 1
    return count


def play(state, move):
    state[STONES] -= move
    state[MOVER] = -state[MOVER]


def outcome(state):
    return WON if state[STONES] == 0 else UNDECIDED


def playout(state, rng, r):
    me = state[MOVER]
    while state[STONES] > 0:
        state[STONES] -= min(1 + int(2.0 * next_uniform(rng, r)), state[STONES])
        state[MOVER] = -state[MOVER]
    return 1.0 if state[MOVER] != me else 0.0


def prior(state, moves, out):
    out[:] = 1.0 / moves.size


def game(**changes: Any) -> Game:
    """Return the game, with changes."""
    state = np.array([7, 1, 4])
    right = {"legal": legal, "play": play, "outcome": outcome, "playouts": {"uniform": playout}}
    return Game(**{"state": state, "most_moves": 2, "most_plies": 7, **right, "to_move": MOVER, **changes})


class Board:
    """The game at its beginning."""

    @property
    def game(self) -> Game:
        return game()


class Twice:
    """One whose `legal` gives a move twice."""

    @property
    def game(self) -> Game:
        return game(legal=legal_with_a_move_twice)


# --- legal -----------------------------------------------------------------------------------------------------------


def legal_with_a_move_twice(state, moves):
    moves[0] = moves[1] = 1
    return 2


def legal_that_takes(state, moves):
    state[STONES] -= 1
    moves[0] = 1
    return 1


def legal_below_zero(state, moves):
    moves[0] = -1
    return 1


def legal_above_an_int16(state, moves):
    moves[0] = 40_000
    return 1


def legal_of_nothing(state, moves):
    return 0


def legal_that_counts_too_far(state, moves):
    moves[0] = 1
    return 2


def legal_of_three(state, moves):
    moves[0], moves[1] = 1, 2
    return 3


def legal_that_writes_outside(state, moves):
    for i in range(5):
        moves[i] = i
    return 2


_calls = itertools.count()


def legal_by_chance(state, moves):  # a chance that never gives the same twice, so that it is always seen
    moves[0] = 1 + next(_calls) % 2 if state[STONES] > 1 else 1
    return 1


def legal_of_two_first(state, moves):
    moves[0] = min(2, state[STONES])
    return 1


def legal_without_two(state, moves):
    moves[0] = 1
    return 1


# --- play ------------------------------------------------------------------------------------------------------------


def play_by_chance(state, move):
    state[STONES] -= min(state[STONES], np.random.randint(1, 3))  # noqa: NPY002
    state[MOVER] = -state[MOVER]


def play_of_nothing(state, move):
    pass


def play_outside(state, move):
    state[3] = move
    play(state, move)


def play_that_does_not_pass_the_turn(state, move):
    state[STONES] -= move


def play_again_after_two(state, move):
    state[STONES] -= move
    if move == 1:
        state[MOVER] = -state[MOVER]


def play_of_three_sides(state, move):
    state[STONES] -= move
    state[MOVER] = state[MOVER] % 3 + 1


_HIDDEN = [0]


def play_with_a_memory(state, move):
    _HIDDEN[0] += 1
    state[STONES] -= move
    state[SEED] = _HIDDEN[0]


def play_with_dice_of_the_state(state, move):
    state[SEED] = (5 * state[SEED] + 3) % 16
    state[STONES] -= min(state[STONES], 1 + state[SEED] % 2)
    state[MOVER] = -state[MOVER]


# --- outcome ---------------------------------------------------------------------------------------------------------


def outcome_of_a_side(state):
    return -state[MOVER] if state[STONES] == 0 else UNDECIDED


def outcome_of_the_side_to_move(state):
    return LOST if state[STONES] == 0 else UNDECIDED


def outcome_before_the_end(state):
    return DRAWN if state[STONES] <= 1 else UNDECIDED


def outcome_that_takes(state):
    state[STONES] = max(state[STONES] - 1, 0)
    return WON if state[STONES] == 0 else UNDECIDED


def outcome_by_chance(state):
    return WON if state[STONES] == 0 or (state[STONES] < 5 and np.random.random() < 0.5) else UNDECIDED  # noqa: NPY002


def outcome_that_is_none(state):
    return 7 if state[STONES] == 0 else UNDECIDED


def outcome_of_a_bool(state):
    return state[STONES] == 0


# --- playout ---------------------------------------------------------------------------------------------------------


def playout_of_the_other_side(state, rng, r):
    return 1.0 - playout(state, rng, r)


def playout_by_chance(state, rng, r):
    return float(np.random.random())  # noqa: NPY002


def playout_of_another_stream(state, rng, r):
    return playout(state, rng, 0)


def playout_of_points(state, rng, r):
    return 2.0 * playout(state, rng, r)


def playout_from_minus_one(state, rng, r):
    return 2.0 * playout(state, rng, r) - 1.0


def playout_that_is_no_number(state, rng, r):
    return np.nan


def playout_outside(state, rng, r):
    state[5] = 1
    return 0.5


def playout_again_after_two(state, rng, r):
    """Return the result as somebody sees it who moves again after taking two."""
    me = state[MOVER]
    while True:
        move = min(1 + int(2.0 * next_uniform(rng, r)), state[STONES])
        state[STONES] -= move
        if state[STONES] == 0:
            return 1.0 if state[MOVER] == me else 0.0
        if move == 1:
            state[MOVER] = -state[MOVER]


def play_of_one_player(state, move):
    state[STONES] = max(state[STONES] - move, 0)
    state[SEED] -= 1


def legal_of_one_player(state, moves):
    moves[0], moves[1] = 1, 2
    return 2


def outcome_of_one_player(state):
    """Return whether no stone is left after four moves, all of them the player's."""
    if state[SEED] > 0:
        return UNDECIDED
    return WON if state[STONES] == 0 else LOST


def playout_of_one_player(state, rng, r):
    while state[SEED] > 0:
        play_of_one_player(state, 1 + int(2.0 * next_uniform(rng, r)))
    return 1.0 if state[STONES] == 0 else 0.0


def playout_without_two(state, rng, r):
    return float(state[STONES] % 2)


def playout_with_dice_of_the_state(state, rng, r):
    me = state[MOVER]
    while state[STONES] > 0:
        play_with_dice_of_the_state(state, 1)
    return 1.0 if state[MOVER] != me else 0.0


# --- prior -----------------------------------------------------------------------------------------------------------


def prior_above_one(state, moves, out):
    out[:] = 1.0


def prior_that_is_no_number(state, moves, out):
    out[:] = np.nan


def prior_that_takes(state, moves, out):
    out[:] = 1.0 / moves.size
    state[STONES] -= 1


def _playing(hook: Any, **others: Any) -> dict[str, Any]:
    return {"playouts": {"uniform": hook}, **others}


_SIDES = r"gives the side to move \S+, but with alternating sides the outcomes allow only [^,]+,"

BROKEN: dict[str, tuple[dict[str, Any], str]] = {  # changes of the game, and what the sentence says
    "a move twice": ({"legal": legal_with_a_move_twice}, "each move once; it gives 1 twice"),
    "a pass among other moves": ({"pass_move": 1}, "must give pass_move, 1, as the only move"),
    "legal changes the state": ({"legal": legal_that_takes}, "must not change the state; it does"),
    "a move below 0": ({"legal": legal_below_zero}, "each from 0 to 32767"),
    "a move above 32767": ({"legal": legal_above_an_int16}, "each from 0 to 32767"),
    "no move": ({"legal": legal_of_nothing}, "must give 1 to most_moves moves"),
    "a count above what is written": ({"legal": legal_that_counts_too_far}, "each from 0 to 32767"),
    "a count above most_moves": ({"legal": legal_of_three}, "must give 1 to most_moves moves"),
    "most_moves too small": ({"most_moves": 1}, "writes an array out of bounds"),
    "moves outside the array": ({"legal": legal_that_writes_outside}, "writes an array out of bounds"),
    "legal by chance": ({"legal": legal_by_chance}, "two different lists"),
    "play by chance": ({"play": play_by_chance}, "must not use chance"),
    "play does nothing": ({"play": play_of_nothing}, "must change the state; move"),
    "play outside the state": ({"play": play_outside}, "writes an array out of bounds"),
    "one side moves on": ({"play": play_that_does_not_pass_the_turn}, "must alternate between two values; it is 1"),
    "two moves in a row": ({"play": play_again_after_two}, "must alternate between two values; it is"),
    "two moves in a row, unsaid": (
        {
            "legal": legal_of_two_first,
            "play": play_again_after_two,
            "to_move": None,
            **_playing(playout_again_after_two),
        },
        _SIDES,
    ),
    "three sides": ({"play": play_of_three_sides}, "must alternate between two values; it is 3"),
    "play remembers": ({"play": play_with_a_memory, "to_move": None}, "must not use chance"),
    "outcome of a side": ({"outcome": outcome_of_a_side}, _SIDES),
    "outcome of the side to move": ({"outcome": outcome_of_the_side_to_move}, _SIDES),
    "outcome before the end": ({"outcome": outcome_before_the_end}, _SIDES),
    "outcome changes the state": ({"outcome": outcome_that_takes}, "must not change the state; it does"),
    "outcome by chance": ({"outcome": outcome_by_chance}, f"it gives two different answers|{_SIDES}"),
    "outcome of 7": ({"outcome": outcome_that_is_none}, "must return WON, DRAWN, LOST or UNDECIDED"),
    "outcome of a bool": ({"outcome": outcome_of_a_bool}, "must return WON, DRAWN, LOST or UNDECIDED; got False"),
    "playout of the other side": (_playing(playout_of_the_other_side), _SIDES),
    "playout by chance": (_playing(playout_by_chance), "the same row gives two results"),
    "playout of another stream": (_playing(playout_of_another_stream), "from row r of rng alone; it changes another"),
    "playout of points": (_playing(playout_of_points), "must return a number from 0 to 1"),
    "playout from -1": (_playing(playout_from_minus_one), "must return a number from 0 to 1"),
    "playout of NaN": (_playing(playout_that_is_no_number), "must return a number from 0 to 1"),
    "playout outside the state": (_playing(playout_outside), "writes an array out of bounds"),
    "one player": (
        {
            "play": play_of_one_player,
            "legal": legal_of_one_player,
            "outcome": outcome_of_one_player,
            "to_move": None,
            **_playing(playout_of_one_player),
        },
        _SIDES,
    ),
    "prior above 1": ({"priors": {"mine": prior_above_one}}, "they must sum to 1"),
    "prior of NaN": ({"priors": {"mine": prior_that_is_no_number}}, "they must sum to 1"),
    "prior changes the state": ({"priors": {"mine": prior_that_takes}}, "must not change the state; it does"),
    "most_plies too small": ({"most_plies": 3}, "most_plies is 3, but a game is not over after the moves"),
    "most_plies is no whole number": ({"most_plies": 7.0}, "most_plies must be a whole number"),
    "most_plies beyond any game": ({"most_plies": 10**9}, "most_plies must be a whole number of at most 1000000"),
    "most_moves of 0": ({"most_moves": 0}, "most_moves must be a whole number of at least 1; got 0"),
    "state of fractions": ({"state": [7.0, 1.0, 4.0]}, "state must be a vector of whole numbers"),
    "state of other length": ({"state": [7], "to_move": None}, "reads or writes an array out of bounds"),
    "a word that the state lacks": ({"to_move": 3}, "to_move must be a whole number from 0 to 2; got 3"),
}

NOT_SEEN: dict[str, dict[str, Any]] = {
    "legal leaves a move out": {"legal": legal_without_two, **_playing(playout_without_two)},
    "two moves in a row, unsaid, where no line is forced": {
        "play": play_again_after_two,
        "to_move": None,
        **_playing(playout_again_after_two),
    },
    "dice in the state": {"play": play_with_dice_of_the_state, **_playing(playout_with_dice_of_the_state)},
}
"""What no check sees: a rule that nobody else states, sides that no word names, chance that a search can look into."""
