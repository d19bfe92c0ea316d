"""The positions that a search of any problem has met, objects of an ordinary class, which kernels ask about.

Every position has a number, which is its state in the search, and every move has one.
"""

from __future__ import annotations

import contextlib
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
    steps : int
        After how many moves a game that is played at random must have had a result or a reward.
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

    def __init__(self, root: Any, steps: int, discount: float, seed: int, *, is_open: bool, is_widened: bool):
        check_unfinished(root)
        self.name: str = name_of(root)
        if root.player() == CHANCE:
            raise ValueError(f"board must not be a chance node; player() of {self.name} is 'chance'")
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
        self._has_playout = callable(getattr(root, "playout", None))
        self._number_of(root, -1, None, has_ended=False)
        self.players: int = self._count_players(root, steps)
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
        for i, (chance, after, result) in enumerate(outcomes):
            answers.states[i, 0] = self._number_of(after, number, move, has_ended=result is not None)
            answers.chances[i] = chance
            answers.rewards[i * players : (i + 1) * players] = self._earned(after, rewards, result)
        return len(outcomes)

    def _play_on(self, number: int, left: int) -> int:
        """Play at random, and write the discounted rewards of each player."""
        position, steps, worth = self._all[number], 0, 1.0
        if self._has_playout and not self._ended[number] and self._discount == 1.0:
            self.answers.returns[:] = payoffs(position, "playout", position.playout(self._rng, left), self.players)
            return 1
        total, played, draw, is_over = [0.0] * self.players, self._then, self._rng.random, self._ended[number]
        while steps < left and not is_over:
            moves = position.moves()
            if type(moves) not in (list, tuple) or not moves:
                moves = moves_of(position)
            move = moves[int(draw() * len(moves))]
            played.append(move)
            position, rewards = self._played(position, move)
            position, result = self._settled(position)
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
        if result is None:
            return (0.0,) * self.players if rewards is None else rewards
        numbers = payoffs(position, "result", result, self.players)
        return numbers if rewards is None else tuple(map(sum, zip(rewards, numbers, strict=True)))

    # ------------------------------------------------------------ chance

    def _outcomes(self, position: Any) -> list[tuple[float, Any, Any]]:
        """Return the positions that chance may lead to, with probabilities and results; or one that was drawn."""
        settled: list[tuple[float, Any, Any]] = []
        waiting = [(1.0, position)]
        while waiting:
            share, at = waiting.pop()
            if (result := at.result()) is not None or at.player() != CHANCE:
                settled.append((share, at, result))
            elif hasattr(at, "chance"):
                waiting.extend((share * chance, after) for chance, after in reversed(outcomes_of(at)))
            else:
                there = self._settled(position)
                self._check_told_apart()
                return [(DRAWN, *there)]
            if len(settled) + len(waiting) > MOST_OUTCOMES:
                raise BrokenPromise(f"chance() of {self.name} must lead to at most {MOST_OUTCOMES:,} positions")
        return settled

    def _settled(self, position: Any) -> tuple[Any, Any]:
        """Return a position that is not chance's, and its result: draw as long as it is."""
        for _ in range(MOST_STEPS):
            if (result := position.result()) is not None or player_of(position) != CHANCE:
                return position, result
            position = draw_from(position, self._rng)
        raise BrokenPromise(
            f"chance nodes of {self.name} must lead to a player or a result; got {MOST_STEPS:,} of them in a row"
        )

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

    def _count_players(self, position: Any, steps: int) -> int:
        """Return how many players there are, by the first rewards or result of a random game."""
        try:
            for _ in range(steps):
                self._then.append(self._rng.choice(moves_of(position)))
                after, rewards = after_move(position, self._then[-1])
                if rewards is not None:
                    return len(payoffs(position, "play", rewards))
                position, result = self._settled(after)
                if result is not None:
                    return len(payoffs(position, "result", result))
        except BaseException as error:
            raise locate(error, self._then) from error.__cause__
        raise BrokenPromise(
            f"result() of {self.name} must end a game, or play(move) return rewards; got neither in {steps:,} moves"
        )
