"""Positions of a class of one's own, which a search asks through a function: no Numba, no vectors.

    moves()        the moves that are possible, a sequence in an order of its own
    play(move)     the next position, or (position, rewards) with a number for each player
    player()       who moves: 0, 1, ...; or "chance"
    result()       None while the game goes on; else a number for each player
    chance()       where player() is "chance": [(probability, position), ...]; or else
    sample(rng)    a position that chance leads to, drawn with a random.Random

Every position has a number, which is its state in the search. A position is never changed.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts.kernels.problems import FAILED, FOLLOW, MOVER, MOVES, PLAY_ON
from numerics import checks
from numerics.kernels.callbacks import Callback

NEEDED = ("moves", "play", "player", "result")
MOST_MOVES = 2**15 - 1
MOST_OUTCOMES = 4_096
_SUM = 1e-9  # by which probabilities may miss 1
_SHOWN = 12  # moves before a failure that a note names

Moves = Sequence[Any]


def is_position(board: Any) -> bool:
    """Return whether an object has some of the methods of a position, and no hooks."""
    return not hasattr(board, "game") and any(callable(getattr(board, name, None)) for name in ("moves", "play"))


class Positions:
    """The positions that a search has met, by their numbers; the first is the root.

    Parameters
    ----------
    root : object
        A position in which a player is to move.
    steps : int
        After how many moves a game that is played at random must have had a result or a reward.
    seed : int
        Of the random play.

    Raises
    ------
    ValueError
        A root without one of the methods, or that breaks a promise; the sentence names the method.
    """

    def __init__(self, root: Any, steps: int, seed: int):
        self.name: str = type(root).__name__
        missing = [f"{name}()" for name in NEEDED if not callable(getattr(root, name, None))]
        if missing:
            raise ValueError(
                f"board must have the methods moves(), play(move), player() and result(); {self.name} lacks "
                f"{', '.join(missing)}"
            )
        self._kind = type(root)
        self._has_chance = hasattr(root, "chance") or hasattr(root, "sample")
        self._rng = random.Random(seed)
        self._all: list[Any] = [root]
        self._moves: list[Moves | None] = [None]
        self._before: list[tuple[int, Any]] = [(-1, None)]
        self._known: dict[Hashable, int] = {}
        self._doing: Callable[[], list[Any]] = list  # the moves up to what is being asked
        self.error: BaseException | None = None
        if root.result() is not None:
            raise ValueError(f"board must be a position that goes on; result() of {self.name} is {root.result()!r}")
        if root.player() == "chance":
            raise ValueError("board must be a position where a player moves; player() is 'chance'")
        self.players: int = self._count_players(root, steps)
        self.callback = Callback(self._answer)

    def write_into(
        self,
        states: npt.NDArray[np.int64],
        chances: npt.NDArray[np.float64],
        rewards: npt.NDArray[np.float64],
        returns: npt.NDArray[np.float64],
        discount: float,
    ) -> None:
        """Have answers written into the arrays of the search."""
        self._states, self._chances, self._rewards, self._returns = states, chances, rewards, returns
        self._discount = discount

    def moves_of(self, number: int) -> Moves:
        """Return the moves of a position; none where it has ended."""
        known = self._moves[number]
        if known is None:
            position = self._all[number]
            known = () if position.result() is not None else self._checked_moves(position)
            self._moves[number] = known
        return known

    def raise_error(self) -> None:
        """Raise what a method raised, with the moves that led there."""
        error, self.error = self.error, None
        assert error is not None
        raise error

    # ------------------------------------------------------------ what the kernels ask

    def _answer(self, kind: int, number: int, b: int, _c: int) -> int:
        try:
            if kind == MOVES:
                self._doing = lambda: self._line(number)
                count = len(self.moves_of(number))
                if count > b:
                    raise ValueError(f"moves() of {self.name} must return at most {b:,} moves; got {count:,}")
                return count
            if kind == FOLLOW:
                return self._follow(number, b)
            if kind == MOVER:
                self._doing = lambda: self._line(number)
                return 0 if not self.moves_of(number) else self._checked_player(self._all[number])
            assert kind == PLAY_ON
            return self._play_on(number, b)
        except BaseException as error:
            line = self._doing()
            shown = ", ".join(map(repr, line[-_SHOWN:]))
            error.add_note(f"after the moves {'..., ' * (len(line) > _SHOWN)}{shown}" if line else "at the root")
            self.error = error
            return FAILED

    def _follow(self, number: int, k: int) -> int:
        """Write what may follow a move."""
        move = self.moves_of(number)[k]
        self._doing = lambda: [*self._line(number), move]
        position, rewards = self._played(self._all[number], move)
        outcomes = self._outcomes(position)
        count = len(outcomes)
        if count > self._chances.size:
            raise ValueError(f"chance() of {self.name} must return at most {self._chances.size:,} outcomes; got {count:,}")
        for i, (chance, after) in enumerate(outcomes):
            self._states[i, 0] = self._number_of(after, number, move, is_drawn=chance == 0.0)
            self._chances[i] = chance
            self._rewards[i] = self._added(rewards, after)
        return count

    def _play_on(self, number: int, left: int) -> int:
        """Play at random, and write the discounted rewards of each player."""
        played: list[Any] = []
        self._doing = lambda: [*self._line(number), *played]
        total, worth, steps = [0.0] * self.players, 1.0, 0
        position = self._all[number]
        while steps < left and position.result() is None:
            moves = self._checked_moves(position)
            move = moves[int(self._rng.random() * len(moves))]
            played.append(move)
            position, rewards = self._played(position, move)
            while self._has_chance and position.result() is None and position.player() == "chance":
                position = self._drawn(position)
            steps += 1
            if rewards is not None:
                total = [one + worth * more for one, more in zip(total, rewards, strict=True)]
            worth *= self._discount
        if steps and (result := position.result()) is not None:
            last = worth / self._discount if self._discount else 0.0 if steps > 1 else 1.0
            total = [one + last * more for one, more in zip(total, self._checked_numbers("result", result), strict=True)]
        self._returns[:] = total
        return steps

    # ------------------------------------------------------------ promises

    def _played(self, position: Any, move: Any) -> tuple[Any, Sequence[float] | None]:
        """Return the position after a move, and the rewards, if it has some."""
        after = position.play(move)
        if type(after) is tuple and len(after) == 2 and self._kind is not tuple:
            return after[0], self._checked_numbers("play", after[1])
        if after is position or after is None:
            got = "the same one" if after is position else "None"
            raise ValueError(f"play(move) of {self.name} must return another position and leave its own; got {got}")
        return after, None

    def _checked_moves(self, position: Any) -> Moves:
        moves = position.moves()
        if not isinstance(moves, Sequence) or isinstance(moves, str):
            if isinstance(moves, set | frozenset | dict) or not hasattr(moves, "__iter__"):
                raise ValueError(
                    f"moves() of {self.name} must return a sequence, in an order of its own; got {checks.show(moves)}"
                )
            moves = list(moves)
        if not moves:
            raise ValueError(f"moves() of {self.name} must return a move where result() is None; got none")
        return moves

    def _checked_player(self, position: Any) -> int:
        player = position.player()
        if isinstance(player, bool) or not isinstance(player, int | np.integer) or not 0 <= player < self.players:
            raise ValueError(
                f"player() of {self.name} must return 0 to {self.players - 1}, or 'chance'; got {checks.show(player)}"
            )
        return int(player)

    def _checked_numbers(self, method: str, given: Any) -> list[float]:
        """Return a number for each player."""
        try:
            numbers = [float(given)] if isinstance(given, int | float | np.number) else [float(one) for one in given]
        except (TypeError, ValueError):
            numbers = [math.nan]
        wanted = getattr(self, "players", len(numbers))
        if len(numbers) != wanted or not all(map(math.isfinite, numbers)):
            what = "a finite number" if wanted == 1 else f"a finite number for each of {wanted} players"
            raise ValueError(f"{method}() of {self.name} must return {what}; got {checks.show(given)}")
        return numbers

    def _outcomes(self, position: Any) -> list[tuple[float, Any]]:
        """Return the positions that chance may lead to, with probabilities; 0 of one that was drawn."""
        if not self._has_chance or position.result() is not None or position.player() != "chance":
            return [(1.0, position)]
        if not hasattr(position, "chance"):
            while position.result() is None and position.player() == "chance":
                position = self._drawn(position)
            return [(0.0, position)]
        found: list[tuple[float, Any]] = []
        for chance, after in self._checked_chance(position):
            for share, last in self._outcomes(after):
                if share == 0.0:
                    raise ValueError(f"chance() of {self.name} must not lead to a position that has only sample(rng)")
                found.append((chance * share, last))
        return found

    def _checked_chance(self, position: Any) -> list[tuple[float, Any]]:
        outcomes = [(float(chance), after) for chance, after in position.chance()]
        total = math.fsum(chance for chance, _ in outcomes)
        if not abs(total - 1.0) <= _SUM or any(chance < 0.0 for chance, _ in outcomes):
            raise ValueError(f"chance() of {self.name} must return probabilities that sum to 1; they sum to {total:g}")
        return [(chance, after) for chance, after in outcomes if chance > 0.0]

    def _drawn(self, position: Any) -> Any:
        """Return one of the positions that chance may lead to."""
        if not hasattr(position, "chance"):
            return position.sample(self._rng)
        u = self._rng.random()
        outcomes = self._checked_chance(position)
        for chance, after in outcomes[:-1]:
            if u < chance:
                return after
            u -= chance
        return outcomes[-1][1]

    def _added(self, rewards: Sequence[float] | None, position: Any) -> list[float]:
        """Return the rewards of a step and of an end to which it led."""
        result = position.result()
        if result is None:
            return list(rewards) if rewards is not None else [0.0] * self.players
        numbers = self._checked_numbers("result", result)
        return numbers if rewards is None else [one + more for one, more in zip(rewards, numbers, strict=True)]

    def _number_of(self, position: Any, before: int, move: Any, *, is_drawn: bool) -> int:
        """Return the number of a position: that of an equal one if it was drawn, else a new one."""
        if is_drawn:
            try:
                known = self._known.get(position)
            except TypeError:  # it has no hash
                known = None
            if known is not None:
                return known
        number = len(self._all)
        self._all.append(position)
        self._moves.append(None)
        self._before.append((before, move))
        if is_drawn and type(position).__hash__ is not None:
            self._known[position] = number
        return number

    def _line(self, number: int) -> list[Any]:
        """Return the moves from the root to a position."""
        line: list[Any] = []
        while (before := self._before[number])[0] >= 0:
            line.append(before[1])
            number = before[0]
        return line[::-1]

    def _count_players(self, position: Any, steps: int) -> int:
        """Return how many players there are, by the first rewards or result of a random game."""
        for _ in itertools.repeat(None, steps):
            moves = self._checked_moves(position)
            position, rewards = self._played(position, moves[int(self._rng.random() * len(moves))])
            while self._has_chance and position.result() is None and position.player() == "chance":
                position = self._drawn(position)
            if rewards is not None:
                return len(rewards)
            if (result := position.result()) is not None:
                return len(self._checked_numbers("result", result))
        raise ValueError(f"result() of {self.name} must end a game; one that was played at random had {steps:,} moves")
