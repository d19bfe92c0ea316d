"""UCT of any problem in a hundred lines of plain Python, for reading: the algorithm of `mcts.kernels.planning`.

A position is an object of an ordinary class, see `numerics.positions`, whose chance has probabilities. The loop is
closed and the scale is "tree". It draws the same random numbers in the same order, so that its visits equal those of
`mcts.search`.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bandits import Policy
from mcts.kernels.planning import CHANCE, ORDER, RULE, STREAMS
from mcts.reference import uniform, word
from numerics.positions import after_move, draw_from, moves_of, outcomes_of, payoffs
from numerics.random import Purpose, derived_seed, streams


@dataclass
class Move:
    """A move at a decision, and what may follow it."""

    move: Any
    visits: int = 0
    value: float = 0.0  # the mean return for the player who chooses it
    variance: float = 0.0  # of these returns
    outcomes: list[Outcome] = field(default_factory=list)


@dataclass
class Outcome:
    """A position that may follow a move, with the rewards on the way there."""

    position: Any
    rewards: list[float] = field(default_factory=list)
    chance: float = 1.0
    visits: int = 0
    moves: list[Move] = field(default_factory=list)


class Search:
    """A search; its scale is the lowest and the highest mean so far, at each depth and for each player."""

    def __init__(self, position: Any, policy: Policy, simulations: int, seed: int = 0, discount: float = 1.0):
        self.rng, self.dice = (
            streams(seed, (Purpose.TREE_SEARCH,), 0, STREAMS),
            random.Random(derived_seed(seed, (Purpose.TREE_SEARCH,))),
        )
        self.policy, self.simulations, self.discount = policy, simulations, discount
        self.scale: dict[tuple[int, int], list[float]] = defaultdict(lambda: [math.inf, -math.inf])
        self.root, self.players = Outcome(position), 0
        while not self.players:  # a random game tells how many players there are
            position, paid = self.play(position, self.dice.choice(moves_of(position)))
            self.players = len(self.earned(position, paid) if paid else position.result() or ())

    def run(self) -> Outcome:
        """Run all simulations, and return the root."""
        for _ in range(self.simulations):
            self.visit(self.root, 0)
        return self.root

    def visit(self, node: Outcome, depth: int) -> list[float]:
        """Return what each player gets from a position on, in one simulation."""
        node.visits += 1
        if node.position.result() is not None:
            return [0.0] * self.players
        if node.visits == 1 and depth > 0:
            return self.play_at_random(node.position)
        if not node.moves:
            node.moves = [Move(move) for move in self.shuffled(moves_of(node.position))]
        player = node.position.player()
        move = self.select(node.moves, self.scale[depth, player])
        after = self.follow(node.position, move)
        later = self.visit(after, depth + 1)
        returns = [now + self.discount * then for now, then in zip(after.rewards, later, strict=True)]
        self.count(move, returns[player], self.scale[depth, player])
        return returns

    def select(self, moves: list[Move], scale: list[float]) -> Move:
        """Return each move in turn at first; then the one of the highest score."""
        fewest = min(moves, key=lambda move: move.visits)
        spec, (low, high) = self.policy.spec(), scale
        if fewest.visits < max(1.0, spec.estimates.explore):
            return fewest
        width = max(high - low, 0.0)
        pulls = np.array([float(move.visits) for move in moves])
        means = np.array([(move.value - low) / width if width else 0.5 for move in moves])
        variances = np.array([move.variance / width**2 if width else 0.0 for move in moves])
        priors, scores = np.full(pulls.size, 1.0 / pulls.size), np.empty(pulls.size)
        statistics = (pulls, means, 1.0 / np.sqrt(pulls), variances, priors)
        rule: Any = spec.rule.compiled
        numbers, draws = np.array(spec.params, float), self.rng[RULE : RULE + 1]
        rule(*statistics, pulls.sum() + 1.0, float(self.simulations), numbers, draws, scores)
        best = np.flatnonzero(scores == scores.max())
        return moves[int(best[int(uniform(self.rng, ORDER) * best.size)] if best.size > 1 else best[0])]

    def follow(self, position: Any, move: Move) -> Outcome:
        """Return a position that chance chooses after a move."""
        if not move.outcomes:
            after, rewards = after_move(position, move.move)
            for chance, there, paid in self.settled(after, [rewards]):
                earned = self.earned(there, paid)
                same = [known for known in move.outcomes if known.position == there and known.rewards == earned]
                if same:
                    same[0].chance += chance
                else:
                    move.outcomes.append(Outcome(there, earned, chance))
        u = uniform(self.rng, CHANCE) if len(move.outcomes) > 1 else 0.0
        for outcome in move.outcomes[:-1]:
            if u < outcome.chance:
                return outcome
            u -= outcome.chance
        return move.outcomes[-1]

    def settled(self, position: Any, paid: list[Any]) -> Iterator[tuple[float, Any, list[Any]]]:
        """Yield the positions to which chance leads until a player moves: probabilities, positions and all rewards."""
        if position.result() is not None or position.player() != "chance":
            yield 1.0, position, paid
            return
        for chance, after, rewards in outcomes_of(position):
            yield from ((chance * share, *there) for share, *there in self.settled(after, [*paid, rewards]))

    def count(self, move: Move, result: float, scale: list[float]) -> None:
        """Add a return to a move."""
        before, move.visits = move.value, move.visits + 1
        move.value += (result - before) / move.visits
        move.variance += ((result - before) * (result - move.value) - move.variance) / move.visits
        scale[:] = min(scale[0], move.value), max(scale[1], move.value)

    def play_at_random(self, position: Any) -> list[float]:
        """Return what each player gets in a game of random moves."""
        total, worth = [0.0] * self.players, 1.0
        while position.result() is None:
            moves = moves_of(position)
            position, paid = self.play(position, moves[int(self.dice.random() * len(moves))])
            earned = self.earned(position, paid)
            total = [so_far + worth * more for so_far, more in zip(total, earned, strict=True)]
            worth *= self.discount
        return total

    def play(self, position: Any, move: Any) -> tuple[Any, list[Any]]:
        """Return the position after a move and chance, and the rewards that they gave."""
        position, rewards = after_move(position, move)
        paid = [rewards]
        while position.result() is None and position.player() == "chance":
            position, rewards = draw_from(position, self.dice)
            paid.append(rewards)
        return position, [rewards for rewards in paid if rewards is not None]

    def earned(self, position: Any, paid: list[Any]) -> list[float]:
        """Return what a step has brought each player: its rewards, and a result to which it led."""
        given = [*(("play", rewards) for rewards in paid), ("result", position.result())]
        parts = [payoffs(position, method, numbers) for method, numbers in given if numbers is not None]
        return [math.fsum(numbers) for numbers in zip(*parts, strict=True)] if parts else [0.0] * self.players

    def shuffled(self, moves: Any) -> list[Any]:
        """Return moves in random order."""
        order = list[Any](moves)
        for j in range(len(order) - 1, 0, -1):
            i = (int(word(self.rng, ORDER)) >> 32) * (j + 1) >> 32
            order[i], order[j] = order[j], order[i]
        return order
