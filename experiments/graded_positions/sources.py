"""Where positions of a game come from, random games and self-play, and the exact values of their moves."""

from __future__ import annotations

import functools
import itertools
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from connect4 import Board, Solver
from connect4.combinatorics.random_games import random_games
from connect4.solver.solver import check_solvable
from experiments.games.openings import Moves
from experiments.games.positions import PositionRules
from experiments.games.rules import Connect4, Rules
from experiments.graded_positions.positions import is_packed, value_of
from mcts import UCTPlayer
from numerics.positions import CHANCE, moves_of, player_of, scores_of, told
from numerics.random import derived_seed

_SIMULATIONS = 200  # of a move of self-play: UCT with ucb, c = 1, and uniform playouts
_MEASURED = 101  # random games whose median length says what the middle of a game is


class Reached(NamedTuple):
    """A position that goes on, and the moves that lead there, as openings have them."""

    moves: Moves
    position: Any


class Source:
    """The games and the exact values of one game; not to be shared by threads."""

    rules: Rules

    def check(self) -> None:
        """Refuse, before any work, a game that cannot be solved."""
        raise NotImplementedError

    @property
    def plies(self) -> tuple[int, int] | None:
        """The least and the most plies of positions; None where each kind has its own."""
        raise NotImplementedError

    def random(self, seed: int, numbers: range, plies: int) -> Iterator[Reached]:
        """Yield positions of uniform random games after `plies` plies, or as near to them as the game allows."""
        raise NotImplementedError

    def self_play(self, seed: int, numbers: range, plies: int) -> Iterator[Reached]:
        """Yield the same of games of UCT against itself."""
        raise NotImplementedError

    def wins_at_once(self, reached: Reached) -> bool:
        """Return whether the side to move can win with its next move."""
        raise NotImplementedError

    def value(self, reached: Reached, move: Any) -> float:
        """Return what a legal move that does not win at once leaves the other side: 1, 1/2 or 0."""
        raise NotImplementedError

    def scores(self, reached: Reached) -> Sequence[int | None]:
        """Return the exact scores, as `Graded` has them."""
        raise NotImplementedError


class OfConnect4(Source):
    """Connect 4 on a board of any size that the solver takes."""

    def __init__(self, rules: Connect4):
        self.rules: Connect4 = rules

    @functools.cached_property
    def _solver(self) -> Solver:
        return Solver(*self.rules.size)

    def check(self) -> None:
        check_solvable(self.rules.empty)

    @property
    def plies(self) -> tuple[int, int] | None:
        width, height, _ = self.rules.size
        cells = width * height
        return None if is_packed(self.rules) else (max(cells // 5, cells - 34), 2 * cells // 3)

    def random(self, seed: int, numbers: range, plies: int) -> Iterator[Reached]:
        games = random_games(*self.rules.size, len(numbers), seed, numbers.start)
        for moves, length in zip(games.moves, games.lengths, strict=True):
            if length > plies:
                yield self._reached(self.rules.reached(tuple(moves[:plies].tolist())))

    def self_play(self, seed: int, numbers: range, plies: int) -> Iterator[Reached]:
        player = UCTPlayer(simulations=_SIMULATIONS, seed=seed)
        for game in numbers:
            player.reset(game)
            board = self.rules.empty.copy()
            while board.plies < plies and not board.is_finished():
                board.play(player.play(board))
            if not board.is_finished():
                yield self._reached(board)

    def _reached(self, board: Board) -> Reached:
        return Reached(board.moves, board)

    def wins_at_once(self, reached: Reached) -> bool:
        return bool(reached.position.winning_moves())

    def value(self, reached: Reached, move: int) -> float:
        after = self.rules.after(reached.position, move)
        value = 0.5 if after.is_finished() else self._solver.solve(after, weak=True).value  # costs less than scores
        assert value is not None
        return value

    def scores(self, reached: Reached) -> Sequence[int | None]:
        return self._solver.scores(reached.position)


class OfPositions(Source):
    """A game whose positions have `scores`, as `numerics.positions` describes it."""

    def __init__(self, rules: PositionRules, plies: tuple[int, int] | None = None):
        self.rules: PositionRules = rules
        self._plies = plies
        self._last: tuple[Reached, list[int]] | None = None  # what was solved last

    def check(self) -> None:
        low, _ = self.plies
        for early in itertools.islice(self.random(0, range(1), low), 1):
            self.scores(early)

    @property
    def plies(self) -> tuple[int, int]:
        """From a fifth to two thirds of the median length of random games."""
        if self._plies is None:
            choose = _at_random(0)
            length = int(statistics.median(sum(1 for _ in self._play(choose)) for _ in range(_MEASURED)))
            self._plies = length // 5, 2 * length // 3
        return self._plies

    def random(self, seed: int, numbers: range, plies: int) -> Iterator[Reached]:
        for game in numbers:
            yield from self._nearest(_at_random(derived_seed(seed, (game,))), plies)

    def self_play(self, seed: int, numbers: range, plies: int) -> Iterator[Reached]:
        player = UCTPlayer(simulations=_SIMULATIONS, seed=seed)
        for game in numbers:
            player.reset(game)
            yield from self._nearest(lambda position, moves: player.play(position), plies)

    def _nearest(self, choose: Callable[[Any, Sequence[Any]], Any], plies: int) -> list[Reached]:
        """Return the positions of a game, those nearest to a ply first; none is outside of `plies` of the game."""
        low, high = self.plies
        played = [reached for reached in self._play(choose, high) if len(reached.moves) >= low]
        return sorted(played, key=lambda reached: abs(len(reached.moves) - plies))

    def _play(self, choose: Callable[[Any, Sequence[Any]], Any], most: float = float("inf")) -> Iterator[Reached]:
        """Yield the positions of a game that go on, up to a ply."""
        moves: Moves = ()
        played, position = list[Any](), self.rules.start
        try:
            while len(moves) <= most and position.result() is None:
                if player_of(position) == CHANCE:
                    raise ValueError(
                        f"game must be without chance, so that it can be solved; chance moves {self.rules.title}"
                    )
                yield Reached(moves, position)
                options = moves_of(position)
                played.append(choose(position, options))
                moves = (*moves, options.index(played[-1]))
                position = self.rules.after(position, played[-1])
        except Exception as error:
            raise told(error, played) from error

    def wins_at_once(self, reached: Reached) -> bool:
        options = self.rules.legal_moves(reached.position)
        return any(
            score > 0 and self.rules.is_over(self.rules.after(reached.position, move))
            for move, score in zip(options, self.scores(reached), strict=True)
        )

    def value(self, reached: Reached, move: Any) -> float:
        return 1.0 - value_of(self.scores(reached)[self.rules.legal_moves(reached.position).index(move)])

    def scores(self, reached: Reached) -> list[int]:
        if self._last is None or self._last[0] is not reached:
            try:
                self._last = reached, scores_of(reached.position)
            except Exception as error:
                raise told(error, [moves[place] for moves, place in self.rules.line(reached.moves)]) from error
        return self._last[1]


def source_of(rules: Rules, plies: tuple[int, int] | None = None) -> Source:
    """Return the source of a game's positions; `plies` are its own, if they are known."""
    if isinstance(rules, Connect4):
        return OfConnect4(rules)
    assert isinstance(rules, PositionRules)
    return OfPositions(rules, plies)


def _at_random(seed: int) -> Callable[[Any, Sequence[Any]], Any]:
    rng = random.Random(seed)
    return lambda position, moves: moves[int(rng.random() * len(moves))]
