"""The positions that a search of any problem has met, objects of an ordinary class, which kernels ask about.

Every position has a number, which is its state in the search, and every move has one.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import random
from collections.abc import Hashable
from typing import Any

import numpy as np

from mcts.kernels.problems import DRAWN, FOLLOW, MOVER, MOVES, PLAY_ON
from mcts.processes.asked import Answers, Asked, hooks_of
from numerics.kernels.addresses import Callback
from numerics.positions import (
    CHANCE,
    MOST_STEPS,
    BrokenPromise,
    after_move,
    check_unfinished,
    compares,
    draw_from,
    how_drawn,
    locate,
    moves_of,
    name_of,
    outcomes_of,
    payoffs,
    player_of,
)

MOST_MOVES = 2**15 - 1
MOST_OUTCOMES = 4_096

Numbers = tuple[float, ...]


class Positions:
    """The positions that a search has met, by their numbers; the first is the root.

    Parameters
    ----------
    root : object
        A position in which a player is to move.
    discount : float
    seed : int
        Of the random play.
    is_open : bool
        Whether positions are forgotten after each simulation, as an open loop meets them anew.
    is_widened : bool
        Whether drawn outcomes need not be told apart.

    Raises
    ------
    ValueError
        A root without one of the methods, or that breaks a promise; the sentence names the method.
    """

    def __init__(self, root: Any, discount: float, seed: int, *, is_open: bool, is_widened: bool):
        check_unfinished(root)
        self.name: str = name_of(root)
        if root.player() == CHANCE:
            raise ValueError(
                f"board must not be a chance node; player() of {self.name} is 'chance'; apply an outcome first"
            )
        self._discount, self._is_open, self._is_widened = discount, is_open, is_widened
        self._rng = random.Random(seed)
        self._all: list[Any] = []
        self._before: list[tuple[int, Any]] = []  # the number of the position before, and the move
        self._ended: list[bool] = []
        self._known: dict[Hashable, int] = {}
        self._is_told_apart = compares(root)
        self._numbers: dict[Hashable, int] = {}  # of moves
        self.moves: list[Any] = []  # by their numbers; those of the root come first
        self._at, self._then = 0, list[Any]()  # what is being asked: a position, and moves from there on
        self._playouts: dict[type, tuple[float, ...] | None] = {}  # what `playout` takes more, by the class
        self._number_of(root, -1, None, has_ended=False)
        self.players = 0  # until they are counted
        self.players = self._count_players(root)
        self.answers = Answers(MOST_MOVES, MOST_OUTCOMES, 1, self.players)

    @property
    def asked(self) -> Asked:
        """How a search asks them."""
        callback = Callback(self._answer)
        return Asked(
            hooks_of("positions", callback.address),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            self.answers,
            opposed=False,
            names=self.moves,
            watch=contextlib.nullcontext,
            held=callback,
        )

    def _answer(self, kind: int, number: int, second: int, _third: int) -> int:
        self._at, self._then = number, []
        try:
            if kind == PLAY_ON:
                return self._play_on(number, second)
            if kind == FOLLOW:
                return self._follow(number, second)
            if kind == MOVES:
                return self._write_moves(number)
            assert kind == MOVER
            return self._mover(self._all[number])
        except BaseException as error:
            raise locate(error, [*self._line(self._at), *self._then]) from error.__cause__

    def _mover(self, position: Any) -> int:
        player = player_of(position, self.players)
        assert not isinstance(player, str)  # chance has been settled
        return player

    def _write_moves(self, number: int) -> int:
        if self._is_open and number == 0:  # the next simulation begins
            del self._all[1:], self._before[1:], self._ended[1:]
        if self._ended[number]:
            return 0
        moves = moves_of(self._all[number])
        if len(moves) > MOST_MOVES:
            raise BrokenPromise(f"moves() of {self.name} must return at most {MOST_MOVES:,} moves; got {len(moves):,}")
        numbers = [self._numbers.setdefault(move, len(self._numbers)) for move in moves]
        if len(self._numbers) > len(self.moves):
            self.moves.extend(itertools.islice(self._numbers, len(self.moves), None))
        self.answers.moves[: len(numbers)] = numbers
        return len(numbers)

    def _follow(self, number: int, k: int) -> int:
        """Write what may follow a move."""
        move, answers, players = self.moves[k], self.answers, self.players
        self._then.append(move)
        position, rewards = self._played(self._all[number], move)
        outcomes = self._outcomes(position)
        for i, (chance, after, paid, result) in enumerate(outcomes):
            answers.states[i, 0] = self._number_of(after, number, move, has_ended=result is not None)
            answers.chances[i] = chance
            answers.rewards[i * players : (i + 1) * players] = self._earned(after, _sum_of(rewards, paid), result)
        return len(outcomes)

    def _play_on(self, number: int, left: int) -> int:
        """Play at random, and write the discounted rewards of each player."""
        position, steps, worth = self._all[number], 0, 1.0
        kind: type = type(position)
        if kind not in self._playouts:
            self._playouts[kind] = _playout_arguments(position, self._discount)
        if (more := self._playouts[kind]) is not None and not self._ended[number]:
            given = position.playout(self._rng, left, *more)
            self.answers.returns[:] = payoffs(position, "playout", given, self.players)
            return 1
        total, played, draw, is_over = [0.0] * self.players, self._then, self._rng.random, self._ended[number]
        while steps < left and not is_over:
            moves = position.moves()
            if type(moves) not in (list, tuple) or not moves:
                moves = moves_of(position)
            move = moves[int(draw() * len(moves))]
            played.append(move)
            position, rewards = self._played(position, move)
            position, paid, result = self._settled(position)
            rewards = _sum_of(rewards, paid)
            steps += 1
            is_over = result is not None
            if is_over or rewards is not None:
                earned = self._earned(position, rewards, result)
                total = [paid + worth * more for paid, more in zip(total, earned, strict=True)]
            worth *= self._discount
        self.answers.returns[:] = total
        return steps

    def _played(self, position: Any, move: Any) -> tuple[Any, Numbers | None]:
        """Return the position after a move, and the rewards, None of a class that gives none."""
        after, rewards = after_move(position, move)
        return after, None if rewards is None else payoffs(position, "play", rewards, self.players)

    def _earned(self, position: Any, rewards: Numbers | None, result: Any) -> Numbers:
        """Return the rewards of a step and of an end to which it led."""
        numbers = None if result is None else payoffs(position, "result", result, self.players)
        return _sum_of(rewards, numbers) or (0.0,) * self.players

    # ------------------------------------------------------------ chance

    def _outcomes(self, position: Any) -> list[tuple[float, Any, Numbers | None, Any]]:
        """Return what chance may lead to: probabilities, positions, rewards and results; or one outcome that was drawn.

        The rewards are None of a class that gives none.
        """
        settled: list[tuple[float, Any, Numbers | None, Any]] = []
        waiting: list[tuple[float, Any, Numbers | None]] = [(1.0, position, None)]
        while waiting:
            share, at, paid = waiting.pop()
            if (result := at.result()) is not None or at.player() != CHANCE:
                settled.append((share, at, paid, result))
            elif hasattr(at, "chance"):
                outcomes = [(share * p, after, self._paid(at, paid, more)) for p, after, more in outcomes_of(at)]
                waiting.extend(reversed(outcomes))
            else:
                there = self._settled(position)
                self._check_told_apart()
                return [(DRAWN, *there)]
            if len(settled) + len(waiting) > MOST_OUTCOMES:
                raise BrokenPromise(f"chance() of {self.name} must lead to at most {MOST_OUTCOMES:,} positions")
        return settled

    def _settled(self, position: Any) -> tuple[Any, Numbers | None, Any]:
        """Return a position that is not chance's, the rewards of chance, and a result: draw as long as it is."""
        paid: Numbers | None = None
        for _ in range(MOST_STEPS):
            if (result := position.result()) is not None or player_of(position) != CHANCE:
                return position, paid, result
            after, rewards = draw_from(position, self._rng)
            paid, position = self._paid(position, paid, rewards), after
        raise BrokenPromise(
            f"chance nodes of {self.name} must lead to a player or a result; got {MOST_STEPS:,} of them in a row"
        )

    def _paid(self, position: Any, before: Numbers | None, rewards: Any) -> Numbers | None:
        """Return what chance has paid, with the rewards that it brings in a position."""
        if rewards is None:
            return before
        return _sum_of(before, payoffs(position, how_drawn(position), rewards, self.players or None))

    def _check_told_apart(self) -> None:
        """Refuse drawn positions that a closed loop cannot compare."""
        if not (self._is_told_apart or self._is_open or self._is_widened):
            raise ValueError(
                f"loop must be open unless {self.name} has __eq__ and __hash__ to compare the outcomes of sample(rng)"
            )

    # ------------------------------------------------------------ numbers

    def _number_of(self, position: Any, before: int, move: Any, *, has_ended: bool) -> int:
        """Return the number of a position: that of an equal one, or a new one."""
        number = len(self._all)
        if self._is_told_apart and not self._is_open:
            number = self._known.setdefault(position, number)
        if number == len(self._all):
            self._all.append(position)
            self._before.append((before, move))
            self._ended.append(has_ended)
        return number

    def _line(self, number: int) -> list[Any]:
        """Return moves from the root to a position."""
        line: list[Any] = []
        while number > 0:
            number, move = self._before[number]
            line.append(move)
        return line[::-1]

    def _count_players(self, position: Any) -> int:
        """Return how many players there are, by the first rewards or result of a random game."""
        try:
            for _ in range(MOST_STEPS):
                self._then.append(self._rng.choice(moves_of(position)))
                after, rewards = after_move(position, self._then[-1])
                if rewards is not None:
                    return len(payoffs(position, "play", rewards))
                position, paid, result = self._settled(after)
                if paid is not None:
                    return len(paid)
                if result is not None:
                    return len(payoffs(position, "result", result))
        except BaseException as error:
            raise locate(error, self._then) from error.__cause__
        raise BrokenPromise(
            f"result() of {self.name} must end a game, or play(move) return rewards; got neither in {MOST_STEPS:,} "
            "moves"
        )


def _sum_of(one: Numbers | None, other: Numbers | None) -> Numbers | None:
    """Return the rewards of two sources, each of which may give none."""
    if one is None or other is None:
        return other if one is None else one
    return tuple(map(sum, zip(one, other, strict=True)))


def _playout_arguments(position: Any, discount: float) -> tuple[float, ...] | None:
    """Return what `playout` takes after the generator and the steps: a discount, or nothing; None if there is none."""
    method = getattr(position, "playout", None)
    if not callable(method):
        return None
    try:
        named = "discount" in inspect.signature(method).parameters
    except (TypeError, ValueError):  # of a method in C
        named = False
    return (discount,) if named else ()
