"""The positions that a search has met, objects of an ordinary class, which kernels ask about through one function.

Every position has a number, which is its state in the search, and every move has one. What a position answers is
looked at by `mcts.processes.ordinary`.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Hashable
from typing import Any, NoReturn

import numpy as np

from mcts.kernels.callbacks import Callback
from mcts.kernels.problems import DRAWN, FAILED, FOLLOW, MOVER, MOVES, PLAY_ON
from mcts.processes.asked import Answers, Asked, hooks_of
from mcts.processes.ordinary import (
    CHANCE,
    Numbers,
    check_chance,
    check_methods,
    check_moves,
    check_numbers,
    check_player,
    play_move,
)
from numerics import checks

MOST_MOVES = 2**15 - 1
MOST_OUTCOMES = 4_096
_MOST_DRAWS = 10_000  # of chance, one after another
_SHOWN = 12  # moves before a failure that a note names


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
        check_methods("problem", root)
        self.name: str = type(root).__name__
        if (result := root.result()) is not None:
            raise ValueError(f"problem must go on; result() of {self.name} is {checks.show(result)}")
        if root.player() == CHANCE:
            raise ValueError(f'problem must be a position where a player moves; player() of {self.name} is "chance"')
        self._discount, self._is_open, self._is_widened = discount, is_open, is_widened
        self._rng = random.Random(seed)
        self._all: list[Any] = []
        self._before: list[tuple[int, Any]] = []  # the number of the position before, and the move
        self._ended: list[bool] = []
        self._known: dict[Hashable, int] = {}
        self._is_told_apart = _has_equals(root)
        self._numbers: dict[Hashable, int] = {}  # of moves
        self.moves: list[Any] = []  # by their numbers; those of the root come first
        self._at, self._then = 0, list[Any]()  # what is being asked: a position, and moves from there on
        self._error: BaseException | None = None
        self._number_of(root, -1, None, has_ended=False)
        self.players: int = self._count_players(root, steps)
        self.answers = Answers(MOST_MOVES, MOST_OUTCOMES, 1, self.players)
        self.callback = Callback(self._answer)

    @property
    def asked(self) -> Asked:
        """How a search asks them."""
        return Asked(
            hooks_of("positions", self.callback.address),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            self.answers,
            opposed=False,
            names=self.moves,
            fail=self._fail,
            watch=contextlib.nullcontext,
        )

    def _fail(self, _state: object) -> NoReturn:
        """Raise what a method raised, with a note of the moves that led there."""
        error, self._error = self._error, None
        assert error is not None
        raise error

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
            return check_player(self.name, self._all[number].player(), self.players)
        except BaseException as error:  # a kernel cannot pass it on
            error.add_note(self._where())
            self._error = error
            return FAILED

    def _where(self) -> str:
        """Return what has been played up to what is being asked."""
        line = [*self._line(self._at), *self._then]
        shown = ", ".join(map(repr, line[-_SHOWN:]))
        return f"after the moves {'..., ' * (len(line) > _SHOWN)}{shown}" if line else "at the root"

    def _write_moves(self, number: int) -> int:
        if self._is_open and number == 0:  # the next simulation begins
            del self._all[1:], self._before[1:], self._ended[1:]
        if self._ended[number]:
            return 0
        moves = check_moves(self.name, self._all[number].moves())
        if len(moves) > MOST_MOVES:
            raise ValueError(f"moves() of {self.name} must return at most {MOST_MOVES:,} moves; got {len(moves):,}")
        try:
            found = [self._numbers.setdefault(move, len(self._numbers)) for move in moves]
        except TypeError:
            raise ValueError(
                f"moves() of {self.name} must return moves with a hash; got {checks.show(moves)}"
            ) from None
        if len(self._numbers) > len(self.moves):
            self.moves.extend(itertools.islice(self._numbers, len(self.moves), None))
        if len({*found}) < len(found):
            raise ValueError(f"moves() of {self.name} must return each move once; got {checks.show(moves)}")
        self.answers.moves[: len(found)] = found
        return len(found)

    def _follow(self, number: int, k: int) -> int:
        """Write what may follow a move."""
        move, answers, players = self.moves[k], self.answers, self.players
        self._then.append(move)
        position, rewards = play_move(self.name, self._all[number], move, players)
        outcomes = self._outcomes(position)
        for i, (chance, after, result) in enumerate(outcomes):
            answers.states[i, 0] = self._number_of(after, number, move, has_ended=result is not None)
            answers.chances[i] = chance
            answers.rewards[i * players : (i + 1) * players] = self._earned(rewards, result)
        return len(outcomes)

    def _play_on(self, number: int, left: int) -> int:
        """Play at random, and write the discounted rewards of each player."""
        total, worth, steps, position = [0.0] * self.players, 1.0, 0, self._all[number]
        name, players, played, draw = self.name, self.players, self._then, self._rng.random
        is_over = self._ended[number]
        while steps < left and not is_over:
            moves = check_moves(name, position.moves())
            move = moves[int(draw() * len(moves))]
            played.append(move)
            position, rewards = play_move(name, position, move, players)
            position, result = self._settled(position)
            steps += 1
            is_over = result is not None
            if is_over or rewards is not None:
                earned = self._earned(rewards, result)
                total = [one + worth * more for one, more in zip(total, earned, strict=True)]
            worth *= self._discount
        self.answers.returns[:] = total
        return steps

    def _earned(self, rewards: Numbers | None, result: Any) -> Numbers:
        """Return the rewards of a step and of an end to which it led."""
        if result is None:
            return [0.0] * self.players if rewards is None else rewards
        numbers = check_numbers(self.name, "result()", result, self.players)
        return numbers if rewards is None else [one + more for one, more in zip(rewards, numbers, strict=True)]

    # ------------------------------------------------------------ chance

    def _outcomes(self, position: Any) -> list[tuple[float, Any, Any]]:
        """Return the positions that chance may lead to, with probabilities and results; or one that was drawn."""
        found: list[tuple[float, Any, Any]] = []
        waiting = [(1.0, position)]
        while waiting:
            share, at = waiting.pop()
            if (result := at.result()) is not None or at.player() != CHANCE:
                found.append((share, at, result))
            elif hasattr(at, "chance"):
                waiting.extend(
                    (share * chance, after) for chance, after in reversed(check_chance(self.name, at.chance()))
                )
            else:
                drawn = self._settled(position)
                self._check_told_apart()
                return [(DRAWN, *drawn)]
            if len(found) + len(waiting) > MOST_OUTCOMES:
                raise ValueError(f"chance() of {self.name} must lead to at most {MOST_OUTCOMES:,} positions")
        return found

    def _settled(self, position: Any) -> tuple[Any, Any]:
        """Return a position that is not chance's, and its result: draw as long as it is."""
        for _ in range(_MOST_DRAWS):
            if (result := position.result()) is not None or position.player() != CHANCE:
                return position, result
            if hasattr(position, "chance"):
                outcomes, u = check_chance(self.name, position.chance()), self._rng.random()
                for chance, position in outcomes:  # noqa: B007 (the last one stays where rounding leaves none)
                    if u < chance:
                        break
                    u -= chance
            elif hasattr(position, "sample"):
                position = position.sample(self._rng)
            else:
                raise ValueError(f'{self.name} must have chance() or sample(rng), as player() is "chance"')
        raise ValueError(f"chance of {self.name} must come to an end; it was asked {_MOST_DRAWS:,} times in a row")

    def _check_told_apart(self) -> None:
        """Refuse drawn positions that a closed loop cannot compare."""
        if not (self._is_told_apart or self._is_open or self._is_widened):
            raise ValueError(
                f"loop must be open unless {self.name} has __eq__ and __hash__: outcomes of sample(rng) are compared"
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
                move = self._rng.choice(check_moves(self.name, position.moves()))
                self._then.append(move)
                position, rewards = play_move(self.name, position, move, None)
                position, result = self._settled(position)
                if rewards is not None:
                    return len(rewards)
                if result is not None:
                    return len(check_numbers(self.name, "result()", result, None))
        except BaseException as error:
            error.add_note(self._where())
            raise
        raise ValueError(f"result() of {self.name} must end a game; a random one went on after {steps:,} moves")


def _has_equals(position: Any) -> bool:
    """Return whether positions of a class can be compared, not only with themselves."""
    own: Any = type(position).__hash__
    if own is None or own is object.__hash__:
        return False
    try:
        hash(position)
    except TypeError:  # of what it holds
        return False
    return True
