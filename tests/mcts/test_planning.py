"""The search of processes: against a naive twin, exact values, and what changes nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bandits import UCB
from mcts import Process, exact_values
from mcts.kernels.planning import CHANCE, ORDER, PLAYOUT, STREAMS
from mcts.processes.pig import HOLD, ROLL, Pig
from mcts.processes.planning import LOOPS, plan
from mcts.processes.sailing import Sailing
from mcts.reference import uniform, word
from numerics.random import Purpose, streams
from tests.mcts.test_processes import lake

pytestmark = pytest.mark.kernels


class Node:
    """A decision of the twin: its actions in the order in which they are tried, and what followed each."""

    def __init__(self) -> None:
        self.visits, self.order = 0, None
        self.pulls: dict[int, int] = {}
        self.means: dict[int, float] = {}
        self.after: dict[tuple[int, Any], Node] = {}


def below(rng: Any, stream: int, count: int) -> int:
    return (int(word(rng, stream)) >> 32) * count >> 32


def twin(
    process: Process, simulations: int, c: float, bounds: tuple[float, float], loop: str, steps: int
) -> dict[int, int]:
    """UCT as a textbook has it, for one player, with the random numbers of seed 0."""
    rng = streams(0, (Purpose.TREE_SEARCH,), 0, STREAMS)
    root = Node()

    def outcomes(state: tuple[int, ...], action: int) -> list[tuple[float, tuple[int, ...], float]]:
        size = process.most_outcomes
        states, chances, rewards = np.zeros((size, len(state)), np.int64), np.zeros(size), np.zeros(size)
        hook = getattr(process.outcomes, "plain", None) or process.outcomes.function
        count = hook(np.array(state), action, states, chances, rewards)
        return [(float(chances[i]), tuple(states[i].tolist()), float(rewards[i])) for i in range(count)]

    def draw(known: list[Any], stream: int) -> Any:
        u = uniform(rng, stream)
        for chance, state, reward in known[:-1]:
            if u < chance:
                return state, reward
            u -= chance
        return known[-1][1:]

    def possible(state: tuple[int, ...]) -> list[int]:
        return [action for action in range(process.most_actions) if outcomes(state, action)]

    def playout(state: tuple[int, ...], left: int) -> float:
        if left == 0:
            return 0.0
        known: list[Any] = []
        for _ in range(4 * process.most_actions):
            known = outcomes(state, below(rng, PLAYOUT, process.most_actions))
            if known:
                break
        else:
            actions = possible(state)
            if not actions:
                return 0.0
            known = outcomes(state, actions[below(rng, PLAYOUT, len(actions))])
        state, reward = draw(known, PLAYOUT)
        return reward + process.discount * playout(state, left - 1)

    def choose(node: Node, actions: list[int]) -> int:
        for action in actions:
            if action not in node.pulls:
                return action
        total = sum(node.pulls[action] for action in actions)
        low, high = bounds
        scores = [
            (node.means[action] - low) / (high - low)
            + c * math.sqrt(math.log(total + 1)) / math.sqrt(node.pulls[action])
            for action in actions
        ]
        best = [action for action, score in zip(actions, scores, strict=True) if score == max(scores)]
        return best[int(uniform(rng, ORDER) * len(best))] if len(best) > 1 else best[0]

    def visit(node: Node, state: tuple[int, ...], left: int) -> float:
        node.visits += 1
        if left == 0:
            return 0.0
        if node.visits == 1 and node is not root:
            return playout(state, left)
        if node.order is None:
            node.order = list(range(process.most_actions)) if loop == "open" else possible(state)
            for j in range(len(node.order) - 1, 0, -1):
                i = below(rng, ORDER, j + 1)
                node.order[i], node.order[j] = node.order[j], node.order[i]
        actions = [action for action in node.order if action in possible(state)]
        if not actions:
            return 0.0
        action = choose(node, actions)
        state, reward = draw(outcomes(state, action), CHANCE)
        child = node.after.setdefault((action, None if loop == "open" else state), Node())
        result = reward + process.discount * visit(child, state, left - 1)
        node.pulls[action] = node.pulls.get(action, 0) + 1
        before = node.means.get(action, 0.0)
        node.means[action] = before + (result - before) / node.pulls[action]
        return result

    for _ in range(simulations):
        visit(root, tuple(process.state.tolist()), steps)
    return dict(sorted(root.pulls.items()))


@pytest.mark.parametrize("loop", LOOPS)
def test_visits_are_those_of_a_naive_twin(loop: str):
    for process, bounds in [(Sailing(3, wind=2, delay=3).process, (-70.0, 0.0)), (lake(0.9), (0.0, 1.0))]:
        visits = twin(process, 150, 0.7, bounds, loop, steps=25)
        found = plan(process, UCB(c=0.7), 150, scale=bounds, loop=loop, steps=25)
        assert dict(zip(found.actions.tolist(), found.visits.tolist(), strict=True)) == visits


@pytest.mark.jit
@pytest.mark.parametrize("scale", ["tree", "spread", (0.0, 1.0)], ids=str)
@pytest.mark.parametrize("loop", LOOPS)
def test_no_search_of_a_lake_finds_more_than_there_is(scale: Any, loop: str):
    process = lake()
    exact = exact_values(process, steps=100).value
    found = plan(process, "ucb", 60_000, scale=scale, loop=loop, steps=100)
    best = found.actions.tolist().index(found.best_action)
    error = math.sqrt(0.25 / found.visits[best])
    assert found.values[best] <= exact + 5.0 * error, "a search that knows the dice does better"


@pytest.mark.jit
def test_the_regret_of_a_boats_first_leg_falls():
    lost = []
    for simulations in (30, 30_000):
        total = 0.0
        for wind in range(8):
            boat = Sailing(4, wind, delay=3)
            values = exact_values(boat).action_values()
            found = plan(boat, "ucb", simulations, scale="tree", steps=100, seed=wind)
            total += np.nanmax(values) - values[found.best_action]
        lost.append(total / 8.0)
    assert lost[1] < 0.3 * lost[0]
    assert lost[1] < 0.3


def staged(a: float, b: float) -> Process:
    """Four steps, each of which pays a r + b."""

    def outcomes(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
        if state[0] == 4:
            return 0
        for i in range(2):
            states[i, 0], states[i, 1] = state[0] + 1, 3 * state[1] + action + i
            chances[i] = 0.75 if i == 0 else 0.25
            rewards[i] = a * ((5 * action + 3 * i + state[1]) % 4) + b
        return 2

    return Process(np.array([0, 0]), 3, 2, outcomes)


@pytest.mark.parametrize("scale", ["tree", "spread"])
@pytest.mark.parametrize("policy", ["ucb", "ucb_tuned", "kl_ucb"])
def test_visits_do_not_change_with_the_unit_and_the_zero_of_rewards(scale: str, policy: str):
    one = plan(staged(1.0, 0.0), policy, 400, scale=scale)
    other = plan(staged(4.0, -16.0), policy, 400, scale=scale)
    np.testing.assert_array_equal(one.visits, other.visits)
    np.testing.assert_allclose(other.values, 4.0 * one.values - 64.0, rtol=1e-12)


@pytest.mark.jit
@pytest.mark.parametrize("mover", [0, 1])
def test_each_player_searches_for_their_own_best(mover: int):
    for turn, chances in [(4, "rolls"), (40, "holds")]:
        state = Pig(60).process.state.copy()
        state[:4] = [10, 40 if turn == 4 else 0, turn, mover]
        process = Process(state, 2, 6, Pig(60).process.outcomes, to_move=3)
        values = exact_values(process).action_values()
        better = int(np.argmax(values) if mover == 0 else np.argmin(values))
        assert better == (ROLL if chances == "rolls" else HOLD)
        assert plan(process, "ucb", 20_000).best_action == better


def test_the_same_seed_gives_the_same_result_and_arrays_grow():
    one, other = (plan(Sailing(5), "ucb", 6_000, steps=8, seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.values, other.values)
    assert one.simulations == one.visits.sum() == 6_000
    assert one.states > 4_096
    assert (plan(Sailing(5), "ucb", 6_000, steps=8, seed=4).values != one.values).any()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"scale": "wide"}, "scale must be tree, spread, or"),
        ({"scale": (1.0, 0.0)}, "scale must have finite ends, the lower first; got"),
        ({"scale": 3}, "scale must be tree, spread, or"),
        ({"loop": "half"}, "loop must be one of closed, open; got 'half'"),
        ({"steps": 0}, "steps must be"),
        ({"simulations": 0}, "simulations must be"),
        ({"seed": -1}, "seed must be"),
        ({"policy": "exp3"}, "policy must be an index policy"),
        ({"process": 3}, "process must be a Process, or have one"),
        ({"process": Process(np.array([15]), 4, 3, lake().outcomes)}, "process must go on; no action is possible"),
    ],
)
def test_wrong_arguments_are_refused(given: dict[str, Any], sentence: str):
    with pytest.raises(ValueError, match="^" + sentence):
        plan(**{"process": Sailing(3), "simulations": 10, **given})
