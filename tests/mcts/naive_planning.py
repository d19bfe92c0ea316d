"""UCT for any problem as a textbook has it, with the random numbers of `mcts.processes.planning` at seed 0."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Hashable
from typing import Any

import numpy as np

from bandits import UCB
from mcts import Process
from mcts.kernels.planning import CHANCE, ORDER, PLAYOUTS, STREAMS
from mcts.reference import uniform, word
from numerics.positions import after_move
from numerics.random import Purpose, streams
from tests.internals import Search

Outcome = tuple[float, Any, list[float]]  # the probability, the state and the rewards; -1 of one that was drawn


def below(rng: Any, stream: int, count: int) -> int:
    return (int(word(rng, stream)) >> 32) * count >> 32


def draw(outcomes: list[Any], u: float) -> Any:
    """Return one of the outcomes, whose first entries are probabilities."""
    for outcome in outcomes[:-1]:
        if u < outcome[0]:
            return outcome
        u -= outcome[0]
    return outcomes[-1]


class OfProcess:
    """What the twin asks of a process."""

    def __init__(self, process: Process, rng: Any):
        self.process, self.rng = process, rng
        self.root: Any = tuple(process.state.tolist())
        self.players = process.players or (1 if process.to_move is None else 2)

    def outcomes(self, state: Any, action: int) -> list[Outcome]:
        process, each = self.process, self.process.players or 1
        size = process.most_outcomes
        states, chances, rewards = np.zeros((size, len(state)), np.int64), np.zeros(size), np.zeros(size * each)
        hook: Any = process.outcomes
        hook = getattr(hook, "plain", None) or hook.function
        count = hook(np.array(state), action, states, chances, rewards)
        found = []
        for i in range(count):
            given = rewards[i * each : (i + 1) * each].tolist()
            given = [given[0], -given[0]] if self.players == 2 and each == 1 else given
            found.append((float(chances[i]), tuple(states[i].tolist()), given))
        return found

    def moves(self, state: Any) -> list[int]:
        return [action for action in range(self.process.most_actions) if self.outcomes(state, action)]

    def player(self, state: Any) -> int:
        return 0 if self.process.to_move is None else state[self.process.to_move]

    def playout(self, state: Any, left: int, discount: float) -> list[float]:
        total, worth, actions = [0.0] * self.players, 1.0, self.process.most_actions
        for _ in range(left):
            known: list[Outcome] = []
            for _ in range(4 * actions):
                known = self.outcomes(state, below(self.rng, PLAYOUTS, actions))
                if known:
                    break
            else:
                moves = self.moves(state)
                if not moves:
                    break
                known = self.outcomes(state, moves[below(self.rng, PLAYOUTS, len(moves))])
            _, state, rewards = known[0] if len(known) == 1 else draw(known, uniform(self.rng, PLAYOUTS))
            total = [one + worth * more for one, more in zip(total, rewards, strict=True)]
            worth *= discount
        return total


class OfPosition:
    """What the twin asks of a position of an ordinary class, with the reference's games and rewards."""

    def __init__(self, root: Any):
        self.root, self.plain = root, Search(root, UCB(), 0)
        self.players = self.plain.players

    def outcomes(self, position: Any, move: Any) -> list[Outcome]:
        after, rewards = after_move(position, move)
        if after.result() is None and after.player() == "chance" and not hasattr(after, "chance"):
            after, paid = self.plain.play(position, move)
            return [(-1.0, after, self.plain.earned(after, paid))]
        known = self.plain.settled(after, [rewards])
        return [(chance, there, self.plain.earned(there, paid)) for chance, there, paid in known]

    def moves(self, position: Any) -> list[Any]:
        return [] if position.result() is not None else list(position.moves())

    def player(self, position: Any) -> int:
        return int(position.player())

    def playout(self, position: Any, left: int, discount: float) -> list[float]:
        total, worth = [0.0] * self.players, 1.0
        for _ in range(left):
            if position.result() is not None:
                break
            moves = position.moves()
            position, paid = self.plain.play(position, moves[int(self.plain.dice.random() * len(moves))])
            earned = self.plain.earned(position, paid)
            total = [one + worth * more for one, more in zip(total, earned, strict=True)]
            worth *= discount
        return total


class Node:
    """A decision: who chose what how often, with which mean, and what followed."""

    def __init__(self) -> None:
        self.visits = 0
        self.order: list[tuple[int, Any]] = []
        self.pulls: dict[tuple[int, Any], int] = {}
        self.means: dict[tuple[int, Any], float] = {}
        self.after: dict[tuple[int, Any], list[list[Any]]] = defaultdict(list)  # chance, state, rewards and node


def twin(
    problem: Any,
    simulations: int,
    c: float,
    scale: Any,
    loop: str = "closed",
    steps: int = 1_000,
    discount: float = 1.0,
    widen_moves: tuple[float, float] | None = None,
    widen_outcomes: tuple[float, float] | None = None,
) -> dict[Hashable, int]:
    """Return the visits of each move at the root."""
    rng = streams(0, (Purpose.TREE_SEARCH,), 0, STREAMS)
    asked: Any = OfProcess(problem, rng) if isinstance(problem, Process) else OfPosition(problem)
    opposed = isinstance(problem, Process) and problem.players is None
    means: dict[tuple[int, int], dict[Any, float]] = defaultdict(dict)  # by depth and player
    every: dict[tuple[int, int], list[float]] = defaultdict(list)
    root = Node()

    def scaled(value: float, depth: int, player: int) -> float:
        if scale == "spread":
            known = list(means[depth, player].values())
            width = 2.0 * statistics.pstdev(known)
            low = statistics.fmean(known) - width / 2.0
        elif scale == "tree":
            low, width = min(every[depth, player]), max(every[depth, player]) - min(every[depth, player])
        else:
            low, high = (-scale[1], -scale[0]) if opposed and player == 1 else scale
            width = high - low
        return (value - low) / width if width > 0.0 else 0.5

    def choose(node: Node, keys: list[tuple[int, Any]], depth: int) -> tuple[int, Any]:
        for key in keys:
            if key not in node.pulls:
                return key
        total = sum(node.pulls[key] for key in keys)
        scores = [
            scaled(node.means[key], depth, key[0]) + c * math.sqrt(math.log(total + 1)) / math.sqrt(node.pulls[key])
            for key in keys
        ]
        best = [key for key, score in zip(keys, scores, strict=True) if score == max(scores)]
        return best[int(uniform(rng, ORDER) * len(best))] if len(best) > 1 else best[0]

    def child(node: Node, key: tuple[int, Any], state: Any, rewards: list[float]) -> list[Any]:
        for known in node.after[key]:
            if known[1] == state and known[2] == rewards:
                return known
        node.after[key].append([0.0, state, rewards, Node()])
        return node.after[key][-1]

    def follow(node: Node, key: tuple[int, Any], state: Any) -> tuple[Any, list[float], Node]:
        known = node.after[key]
        if loop == "open":
            found = asked.outcomes(state, key[1])
            _, state, rewards = found[0] if len(found) == 1 else draw(found, uniform(rng, CHANCE))
            if not known:
                known.append([1.0, None, None, Node()])
            return state, rewards, known[0][3]
        is_new = not known
        if known and known[0][0] < 0.0:
            few = widen_outcomes and len(known) <= widen_outcomes[0] * node.pulls.get(key, 0) ** widen_outcomes[1]
            is_new = widen_outcomes is None or few
        if is_new:
            found = asked.outcomes(state, key[1])
            if found[0][0] < 0.0 or widen_outcomes:
                _, state, rewards = found[0] if len(found) == 1 else draw(found, uniform(rng, CHANCE))
                after = child(node, key, state, rewards)
                after[0] -= 1.0
                return after[1], after[2], after[3]
            for chance, state, rewards in found:
                child(node, key, state, rewards)[0] += chance
        weights = [(abs(after[0]), *after[1:]) for after in known]
        total = sum(weight[0] for weight in weights) if known[0][0] < 0.0 else 1.0
        after = weights[0] if len(known) == 1 else draw(weights, total * uniform(rng, CHANCE))
        return after[1], after[2], after[3]

    def visit(node: Node, state: Any, depth: int) -> list[float]:
        node.visits += 1
        if depth == steps:
            return [0.0] * asked.players
        if node.visits == 1 and depth > 0:
            return asked.playout(state, steps - depth, discount)
        moves = asked.moves(state)
        if not moves:
            return [0.0] * asked.players
        keys = [(asked.player(state), move) for move in moves]
        new = [key for key in keys if key not in node.order]
        for j in range(len(new) - 1, 0, -1):
            i = below(rng, ORDER, j + 1)
            new[i], new[j] = new[j], new[i]
        node.order += new
        possible = [key for key in node.order if key in keys]
        if widen_moves:
            possible = possible[: 1 + int(widen_moves[0] * (node.visits - 1) ** widen_moves[1])]
        key = choose(node, possible, depth)
        state, rewards, after = follow(node, key, state)
        later = visit(after, state, depth + 1)
        returns = [now + discount * then for now, then in zip(rewards, later, strict=True)]
        result, before = returns[key[0]], node.means.get(key, 0.0)
        node.pulls[key] = node.pulls.get(key, 0) + 1
        node.means[key] = before + (result - before) / node.pulls[key]
        means[depth, key[0]][id(node), key] = node.means[key]
        every[depth, key[0]].append(node.means[key])
        return returns

    for _ in range(simulations):
        visit(root, asked.root, 0)
    return {move: root.pulls.get((asked.player(asked.root), move), 0) for move in asked.moves(asked.root)}
