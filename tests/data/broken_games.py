"""Games that break a promise of docs/guides/own_game.md, each in one place, and what the sentence names.

All are the same game with something wrong: two sides take one or two stones in turn, and who takes the last wins.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from numerics.games import LOST, UNDECIDED, WON, Game
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


# --- hooks that break a promise ---


def legal_with_a_move_twice(state, moves):
    moves[0] = moves[1] = 1
    return 2


def legal_that_takes(state, moves):
    state[STONES] -= 1
    moves[0] = 1
    return 1


def legal_above_an_int16(state, moves):
    moves[0] = 40_000
    return 1


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


def play_with_a_memory(state, move):
    state[STONES] -= move
    state[SEED] = next(_calls)


def play_with_dice_of_the_state(state, move):
    state[SEED] = (5 * state[SEED] + 3) % 16
    state[STONES] -= min(state[STONES], 1 + state[SEED] % 2)
    state[MOVER] = -state[MOVER]


def outcome_of_a_side(state):
    return -state[MOVER] if state[STONES] == 0 else UNDECIDED


def outcome_that_takes(state):
    state[STONES] = max(state[STONES] - 1, 0)
    return WON if state[STONES] == 0 else UNDECIDED


def outcome_by_chance(state):
    return WON if state[STONES] == 0 or next(_calls) % 2 else UNDECIDED


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


def playout_with_dice_of_the_state(state, rng, r):
    me = state[MOVER]
    while state[STONES] > 0:
        play_with_dice_of_the_state(state, 1)
    return 1.0 if state[MOVER] != me else 0.0


def prior_that_takes(state, moves, out):
    prior(state, moves, out)
    state[STONES] -= 1


def _playing(hook: Any, **others: Any) -> dict[str, Any]:
    return {"playouts": {"uniform": hook}, **others}


_AGAIN = {"play": play_again_after_two, "to_move": None, **_playing(playout_again_after_two)}
# Changes of the game, and what the sentence begins with or says: the hook or the argument, and the value.
BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "a move twice": ({"legal": legal_with_a_move_twice}, "legal .* 1 "),
    "a pass among other moves": ({"pass_move": 1}, "legal .*pass_move, 1"),
    "legal changes the state": ({"legal": legal_that_takes}, "legal .*state"),
    "a move above 32767": ({"legal": legal_above_an_int16}, "legal .*32767"),
    "no move": ({"legal": lambda state, moves: 0}, "legal .*most_moves.* 0"),
    "a count above what is written": ({"legal": lambda state, moves: 2}, "legal .*32767"),
    "a count above most_moves": ({"legal": lambda state, moves: 3}, "legal .*most_moves.* 3"),
    "most_moves too small": ({"most_moves": 1}, "array"),
    "legal by chance": ({"legal": legal_by_chance}, "legal .*lists"),
    "play by chance": ({"play": play_with_a_memory, "to_move": None}, "play .*chance"),
    "play does nothing": ({"play": lambda state, move: None}, "play .*move [12]"),
    "play outside the state": ({"play": play_outside}, "array"),
    "one side moves on": ({"play": play_that_does_not_pass_the_turn}, r"state\[1\].* 1"),
    "three sides": ({"play": play_of_three_sides}, r"state\[1\].* 3"),
    "two moves in a row": ({"play": play_again_after_two}, r"state\[1\]"),
    "two moves in a row, unsaid": ({"legal": legal_of_two_first, **_AGAIN}, "playout .*gives"),
    "outcome of a side": ({"outcome": outcome_of_a_side}, "playout .*gives"),
    "outcome of the side to move": ({"outcome": lambda s: LOST if s[STONES] == 0 else UNDECIDED}, "playout .*gives"),
    "outcome changes the state": ({"outcome": outcome_that_takes}, "outcome .*state"),
    "outcome by chance": ({"outcome": outcome_by_chance}, "outcome .*answers"),
    "outcome of 7": ({"outcome": lambda state: 7 if state[STONES] == 0 else UNDECIDED}, "outcome .*UNDECIDED"),
    "outcome of a bool": ({"outcome": lambda state: state[STONES] == 0}, "outcome .*UNDECIDED.*False"),
    "playout of the other side": (_playing(lambda state, rng, r: 1.0 - playout(state, rng, r)), "playout .*gives"),
    "playout by chance": (_playing(lambda state, rng, r: 1.0 / (1 + next(_calls))), "playout .*two"),
    "playout of another stream": (_playing(lambda state, rng, r: playout(state, rng, 0)), "playout .*another"),
    "playout of points": (_playing(lambda state, rng, r: 2.0 * playout(state, rng, r)), "playout .*0 to 1"),
    "playout from -1": (_playing(lambda state, rng, r: playout(state, rng, r) - 1.0), "playout .*0 to 1"),
    "playout of NaN": (_playing(lambda state, rng, r: np.nan), "playout .*0 to 1"),
    "prior of NaN": ({"priors": {"mine": lambda state, moves, out: out.fill(np.nan)}}, "prior .* 1"),
    "prior above 1": ({"priors": {"mine": lambda state, moves, out: out.fill(1.0)}}, "prior .* 1"),
    "prior changes the state": ({"priors": {"mine": prior_that_takes}}, "prior .*state"),
    "most_plies too small": ({"most_plies": 3}, "most_plies .*3"),
    "most_plies is no whole number": ({"most_plies": 7.0}, r"most_plies .*7\.0"),
    "most_plies beyond any game": ({"most_plies": 10**9}, "most_plies .*1000000"),
    "most_moves of 0": ({"most_moves": 0}, "most_moves .*0"),
    "state of fractions": ({"state": [7.0, 1.0, 4.0]}, "state .*7"),
    "state of other length": ({"state": [7], "to_move": None}, "array"),
    "a word that the state lacks": ({"to_move": 3}, "to_move .*2.*3"),
}

NOT_SEEN: dict[str, dict[str, Any]] = {
    "legal leaves a move out": {
        "legal": legal_without_two,
        **_playing(lambda state, rng, r: float(state[STONES] % 2)),
    },
    "two moves in a row, unsaid, where no line is forced": _AGAIN,
    "dice in the state": {"play": play_with_dice_of_the_state, **_playing(playout_with_dice_of_the_state)},
}
"""What no check sees: a rule that nobody else states, sides that no word names, chance that a search can look into."""
