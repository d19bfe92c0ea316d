"""A game of an ordinary class, of two players, without chance, that ends in a win, a draw or a loss: its hooks.

A search knows it as it knows Connect 4, by `numerics.games`. Its hooks, `mcts.kernels.positions`, ask a store.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from mcts.kernels import positions as kernels
from mcts.kernels.positions import BITS, COUNT, MOVES, OUTCOME, PACKED, PASS, PLAY, WHOLE, WORDS
from numerics.games import DRAWN, LOST, UNDECIDED, WON, Game
from numerics.kernels.addresses import Callback
from numerics.positions import (
    CHANCE,
    MOST_STEPS,
    WIN_DRAW_LOSS,
    BrokenPromise,
    OtherKind,
    after_move,
    check_unfinished,
    checked_move,
    compares,
    endless,
    kind_of,
    locate,
    moves_of,
    name_of,
    payoffs,
    player_of,
)

MOST_MOVES = 4_096
_RESULTS = (((1.0, 0.0), (0.5, 0.5), (0.0, 1.0)), ((1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)))
_OUTCOMES = {result: outcome for kind in _RESULTS for result, outcome in zip(kind, (WON, DRAWN, LOST), strict=True)}
_GAMES, _MOVES = 4, 50  # that are played to know the kind of a game
_SUM = 1e-9  # by which results may miss their sum
_FACTOR, _ADDEND, _WORD = 6364136223846793005, 1442695040888963407, 2**64 - 1  # Knuth's random numbers (MMIX)


class OrdinaryGame(Game):
    """A position of an ordinary class with the hooks of a game.

    Attributes
    ----------
    store : Store
        The positions.
    """

    store: Store

    @property
    def is_shared(self) -> bool:
        """Whether positions that the class calls equal share what is known."""
        return self.store.compares

    @property
    def names(self) -> Sequence[Any]:
        """The moves of the class by their numbers; a pass is PASS."""
        return self.store.names


def takes_turns(root: Any) -> bool:
    """Return whether a class is a game of two players, without chance, that ends in a win, a draw or a loss.

    The class says so, by its `kind`, or some random games tell. A later result of another kind raises `OtherKind`.

    Raises
    ------
    ValueError
        A class without one of the methods, a position that has ended, or a broken promise.
    """
    global _latest
    position, known = _latest
    if position is not root:
        known = _takes_turns(root)
        _latest = root, known
    return known


_latest: tuple[Any, bool] = (None, False)  # the last answer: a search asks more than once


def _takes_turns(root: Any) -> bool:
    check_unfinished(root)
    if (kind := kind_of(root)) is not None:
        return kind == WIN_DRAW_LOSS
    if hasattr(root, "chance") or hasattr(root, "sample"):
        return False
    rng, played = random.Random(0), 0
    for _ in range(_GAMES):
        line: list[Any] = []
        try:
            if not _ends_by_turns(root, rng, line):
                return False
        except Exception as error:
            raise locate(error, line) from error.__cause__
        played += len(line)
        if played >= _MOVES:
            break
    return True


def _ends_by_turns(root: Any, rng: random.Random, line: list[Any]) -> bool:
    """Play a random game, and return whether it has no rewards on the way and ends as `takes_turns` says."""
    position, result = root, None
    while result is None:
        if len(line) == MOST_STEPS:
            raise endless(root)
        if player_of(position) == CHANCE:
            return False
        line.append(rng.choice(moves_of(position)))
        position, rewards = after_move(position, line[-1])
        if rewards is not None:
            return False
        result = position.result()
    return payoffs(position, "result", result) in _OUTCOMES


def game_of_turns(root: Any, *, is_shared: bool = True) -> OrdinaryGame:
    """Return a position as a game; `takes_turns` says whether it is one.

    Positions that the class calls equal are one, unless they are not to be shared.
    """
    store = Store(root, is_shared=is_shared)
    state = np.zeros(WORDS, np.int64)
    callback = Callback(store.answer)
    state[kernels.STORE], state[kernels.SIDE] = callback.address, store.player_at(0)
    game = OrdinaryGame(
        state,
        MOST_MOVES,
        MOST_STEPS,
        kernels.legal,
        kernels.play,
        kernels.outcome,
        {"uniform": kernels.playout},
        pass_move=PASS,
    )
    object.__setattr__(game, "store", store)
    object.__setattr__(game, "callback", callback)  # which lives as long as the game
    return game


class _Draws(random.Random):
    """A generator that begins at a word, a hundred times as fast as Python's own is seeded (Knuth's of MMIX)."""

    word = 0

    def random(self) -> float:
        self.word = self.word * _FACTOR + _ADDEND & _WORD
        return (self.word >> 11) * 2.0**-53


class Store:
    """The positions that a search has met, by their numbers; the first is the root.

    Equal positions have one number where the class has __eq__ and __hash__. So have equal moves.

    Attributes
    ----------
    names : list
        The moves by their numbers.
    compares : bool
        Whether equal positions have one number.
    """

    def __init__(self, root: Any, *, is_shared: bool):
        self.names: list[Any] = []
        self._numbers: dict[Hashable, int] = {}  # of moves
        self._positions: list[Any] = []
        self._known: dict[Hashable, int] = {}
        self.compares = is_shared and compares(root)
        self._moves: list[list[int] | None] = []
        self._after: list[dict[int, int]] = []  # answers to PLAY
        self._outcomes: list[int] = []  # for player 0
        self._movers: list[int] = []
        self._before: list[tuple[int, int]] = []
        self._has_playout, self._rng = callable(getattr(root, "playout", None)), _Draws()
        self._playing: list[Any] = []  # moves of the playout that is running
        self._number(root, -1, -1)

    def answer(self, question: int, number: int, argument: int, side: int) -> int:
        """Answer a question of a kernel; see `mcts.kernels.positions`."""
        try:
            if question == PLAY:
                known = self._after[number].get(argument)
                return self._play(number, argument) if known is None else known
            if question == OUTCOME:
                known = self._outcomes[number]
                return 1 + (known if side == 0 or known == UNDECIDED else -known)
            if question == COUNT:
                return self._count(number, argument)
            if question == MOVES:
                packed = 0
                for move in reversed(self._moves_at(number)[argument : argument + PACKED]):
                    packed = packed << BITS | move
                return packed
            return self._play_on(number, argument, side)
        except BaseException as error:
            moves, self._playing = [*self._line(number), *self._playing], []
            raise locate(error, moves) from error.__cause__

    def player_at(self, number: int) -> int:
        """Return who moves in a position that goes on."""
        return self._movers[number]

    def _play(self, number: int, move: int) -> int:
        self._playing = [self.names[move]]
        position, rewards = after_move(self._positions[number], self.names[move])
        if rewards is not None:
            raise _no_turns(position, "play(move)", "must return a position alone", rewards)
        there = self._number(position, number, move)
        self._playing = []
        mover = self._movers[there] if self._outcomes[there] == UNDECIDED else 1 - self._movers[number]
        self._after[number][move] = answer = there << 1 | mover
        return answer

    def _number(self, position: Any, before: int, move: int) -> int:
        """Return the number of a position."""
        if self.compares and (known := self._known.get(position)) is not None:
            return known
        outcome, number = self._outcome(position), len(self._positions)
        self._movers[number:] = [_mover(position) if outcome == UNDECIDED else 0]
        self._outcomes[number:] = [outcome]
        self._moves[number:] = [None]
        self._after[number:] = [{}]
        self._before[number:] = [(before, move)]
        self._positions.append(position)  # the last: an interrupt before it leaves entries that the next one replaces
        if self.compares:
            self._known[position] = number
        return number

    def _outcome(self, position: Any) -> int:
        """Return the outcome for player 0."""
        result = position.result()
        return UNDECIDED if result is None else self._outcome_of(position, result)

    def _outcome_of(self, position: Any, result: Any) -> int:
        """Return the outcome of a result for player 0."""
        numbers = result if type(result) is tuple else tuple(result) if isinstance(result, list | tuple) else ()
        if (known := _OUTCOMES.get(numbers)) is not None:
            return known
        if (numbers := payoffs(position, "result", result, 2)) not in _OUTCOMES:
            raise _no_turns(position, "result()", "must return a win, a draw or a loss", result)
        return _OUTCOMES[numbers]

    def _count(self, number: int, most: int) -> int:
        count = len(self._moves_at(number))
        if count > most:
            name = name_of(self._positions[number])
            raise BrokenPromise(f"moves() of {name} must return at most {most:,} moves; got {count:,}")
        return count

    def _moves_at(self, number: int) -> list[int]:
        """Return the numbers of the moves of a position."""
        known = self._moves[number]
        if known is None:
            position = self._positions[number]
            known = [self._number_of_move(position, move) for move in moves_of(position)]
            self._moves[number] = known
        return known

    def _number_of_move(self, position: Any, move: Any) -> int:
        known = self._numbers.get(move)
        if known is None:
            known = len(self._numbers)
            if known == PASS:
                raise BrokenPromise(
                    f"moves() of {name_of(position)} must return at most {PASS:,} different moves in total; equal "
                    "moves of different positions must compare equal"
                )
            self.names[known:] = [move]
            self._numbers[move] = known
        return known

    def _play_on(self, number: int, seed: int, side: int) -> int:
        """Return the result of a game that is played on from a position, for a side, in units of 1 / WHOLE."""
        self._playing = []
        position = self._positions[number]
        if self._has_playout:
            self._rng.word = seed
            numbers = payoffs(position, "playout", position.playout(self._rng, MOST_STEPS), 2)
            return round(_share(position, numbers[side], numbers[1 - side]) * WHOLE)
        outcome = self._outcomes[number]
        if outcome == UNDECIDED:
            outcome = self._outcome_of(*self._random_end(position, seed))
            self._playing = []
        return (1 + (outcome if side == 0 else -outcome)) * WHOLE // 2

    def _random_end(self, position: Any, seed: int) -> tuple[Any, Any]:
        """Return the end of a game that goes on, by moves at random, each possible one as likely, and its result."""
        played, result = self._playing, None
        while result is None:
            moves = position.moves()
            count = len(moves) if type(moves) in (list, tuple) else 0
            if not count:
                moves = moves_of(position)
                count = len(moves)
            seed = seed * _FACTOR + _ADDEND & _WORD
            move = moves[(seed >> 32) * count >> 32]
            played.append(move)
            after = position.play(move)
            if type(after) is not type(position) or after is position:
                after, rewards = checked_move(position, after)
                if after.result() is None:
                    _mover(after)
                if rewards is not None:
                    raise _no_turns(position, "play(move)", "must return a position alone", rewards)
            position, result = after, after.result()
            if len(played) == MOST_STEPS:
                raise endless(position)
        return position, result

    def _line(self, number: int) -> list[Any]:
        """Return the moves from the root to a position."""
        line: list[Any] = []
        while (before := self._before[number])[0] >= 0:
            line.append(self.names[before[1]])
            number = before[0]
        return line[::-1]


def _mover(position: Any) -> int:
    """Return who moves, of two players without chance."""
    player = player_of(position, 2)
    if isinstance(player, str):
        raise _no_turns(position, "player()", "must return who moves", player)
    return player


def _share(position: Any, own: float, other: float) -> float:
    """Return a result in [0, 1] of numbers for both players that sum to 1, or to 0."""
    for total, share in ((1.0, own), (0.0, 0.5 + 0.5 * own)):
        if abs(own + other - total) <= _SUM and 0.0 <= share <= 1.0:
            return share
    error = _no_turns(
        position, "playout(rng, steps)", "must return the results of both players, such as 0.7 and 0.3", (own, other)
    )
    raise error if max(abs(own), abs(other)) > 1.0 else BrokenPromise(str(error))


def _no_turns(position: Any, method: str, must: str, got: Any) -> ValueError:
    """Return the error of a game that was taken for one of two players, without chance, rewards or points."""
    broken = f"{method} of {name_of(position)} {must}, as in its first games; got {got!r}"
    return OtherKind(f"{broken}; set kind = 'points' or 'process' in the class")
