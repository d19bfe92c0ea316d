"""The surely best move of a tree: against a naive twin, against the truth, against the paper, and bad input."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from connect4 import Board
from mcts import MoveIntervals, identify_branch, identify_move
from mcts.confidence import moves
from mcts.streams import PLAYOUT, STREAMS
from numerics.games import UNDECIDED, Game
from numerics.random import Purpose, derived_seed, streams
from tests import naive
from tests.internals import PGame, lower_bound, means_of, minimax, tail_of_exponential, upper_bound
from tests.mcts.games import TicTacToe

pytestmark = pytest.mark.kernels

RATES = {
    "mixture": lambda n, x: tail_of_exponential(x) + 3.0 * math.log(1.0 + math.log(n)),
    "paper": lambda n, x: x + 3.0 * math.log(x) + 1.5 * math.log(1.0 + math.log(n)),
    "heuristic": lambda n, x: x + math.log(1.0 + math.log(n)),
}


class Leaf:
    """A leaf: what it paid, and its interval from the definition."""

    def __init__(self, draw: Callable[[], float] | None = None, value: float = math.nan):
        self.draw, self.value, self.rewards = draw, value, []

    def mean(self) -> float:
        if self.draw is None:
            return self.value
        return sum(self.rewards) / len(self.rewards) if self.rewards else 0.5

    def bounds(self, level: Callable[[int], float]) -> tuple[float, float]:
        if self.draw is None:
            return self.value, self.value
        if not self.rewards:
            return 0.0, 1.0
        mean, share = self.mean(), level(len(self.rewards)) / len(self.rewards)
        return lower_bound(mean, share), upper_bound(mean, share)  # those of the kernel: rounding decides ties


def twin(tree: Sequence[Any], rule: str, rate: str, delta: float, epsilon: float, most: int) -> tuple[Any, ...]:
    """Search nested lists of leaves; every interval is computed anew from the leaves before every round."""

    def leaves(node: Any) -> list[Leaf]:
        return [leaf for child in node for leaf in leaves(child)] if isinstance(node, list) else [node]

    unknown = sum(leaf.draw is not None for leaf in leaves(tree))

    def level(n: int) -> float:
        return RATES[rate](n, math.log(unknown / delta))

    def look(node: Any, maximises: bool) -> tuple[float, float, float, Leaf]:
        if isinstance(node, Leaf):
            return *node.bounds(level), node.mean(), node
        lows, highs, means, leaf = zip(*(look(child, not maximises) for child in node), strict=True)
        best = max if maximises else min
        path = highs.index(max(highs)) if maximises else lows.index(min(lows))
        return best(lows), best(highs), best(means), leaf[path]

    samples = 0
    while True:
        lows, highs, means, path = zip(*(look(child, False) for child in tree), strict=True)
        moves = range(len(tree))

        def rival_of(move: int, highs: Sequence[float] = highs) -> int:
            return max((other for other in range(len(highs)) if other != move), key=highs.__getitem__)

        if rule == "lucb":
            best = max(moves, key=means.__getitem__)
        else:
            best = min(moves, key=lambda move: highs[rival_of(move)] - lows[move])
        rival = rival_of(best)
        sure = highs[rival] - lows[best] <= epsilon
        if sure or samples >= most:
            return best, sure, samples, lows, highs, means
        wider = sorted((best, rival), key=lambda move: lows[move] - highs[move])
        for move in wider[: 2 if rule == "lucb" else 1]:
            leaf = path[move]
            if leaf.draw is not None and samples < most:
                leaf.rewards.append(leaf.draw())
                samples += 1


def coins(means: Any, rng: naive.Xoshiro) -> Any:
    if isinstance(means, list):
        return [coins(part, rng) for part in means]
    return Leaf(lambda: float(rng.uniform() < means))


def positions(game: Game, state: Any, depth: int, rng: Any, at_root: bool = True) -> Any:
    """The tree of a game as nested lists."""
    outcome = game.outcome(state)
    if outcome != UNDECIDED:
        return Leaf(value=0.5 - 0.5 * outcome if at_root else 0.5 + 0.5 * outcome)
    if depth == 0:
        play: Any = game.playout("uniform")

        def draw() -> float:
            reward = play(state.copy(), rng, PLAYOUT)
            return reward if at_root else 1.0 - reward

        return Leaf(draw)
    moves, children = np.empty(game.most_moves, np.int64), []
    for move in moves[: game.legal(state, moves)].tolist():
        after = state.copy()
        game.play(after, move)
        children.append(positions(game, after, depth - 1, rng, not at_root))
    return children


def assert_alike(found: MoveIntervals, wanted: tuple[Any, ...]) -> None:
    best, sure, samples, low, high, means = wanted
    assert (found.best_move, found.sure, found.samples) == (int(found.moves[best]), sure, samples)
    np.testing.assert_allclose(found.low, low, atol=1e-9)
    np.testing.assert_allclose(found.high, high, atol=1e-9)
    np.testing.assert_allclose(found.means, means, atol=1e-12)


@pytest.mark.parametrize("rule", ["lucb", "ugape"])
@pytest.mark.parametrize(
    ("shape", "rate", "most"), [((3,), "mixture", 10**6), ((2, 3), "heuristic", 501), ((3, 2, 3), "paper", 500)]
)
def test_a_tree_of_coins_is_searched_as_by_the_naive_twin(rule: str, shape: tuple[int, ...], rate: str, most: int):
    means = means_of(5, shape, 1)
    found = identify_branch(means, rule, delta=0.2, epsilon=0.1, rate=rate, most=most, seed=3)
    rng = naive.Xoshiro(naive.stream(3, (Purpose.SURE_SEARCH,), PLAYOUT))
    assert found.leaves == means.size
    assert_alike(found, twin(coins(means.tolist(), rng), rule, rate, 0.2, 0.1, most))


@pytest.mark.parametrize("rule", ["lucb", "ugape"])
@pytest.mark.parametrize(
    ("board", "depth"),
    [(PGame(branching=3, depth=5), 2), (TicTacToe("XXO.O...."), 3), (Board.from_moves("1122", 4, 4), 3)],
)
def test_a_game_is_searched_as_by_the_naive_twin(rule: str, board: Any, depth: int):
    found = identify_move(board, depth, rule, delta=0.2, epsilon=0.1, most=400, seed=3)
    game, rng = board.game, streams(3, (Purpose.SURE_SEARCH,), 0, STREAMS)
    wanted = twin(positions(game, game.state, depth, rng), rule, "mixture", 0.2, 0.1, 400)
    assert_alike(found, wanted)
    assert found.moves.tolist() == game.legal_moves().tolist()


@pytest.mark.jit
def test_a_pause_of_the_kernel_changes_nothing(monkeypatch):
    means = means_of(1, (3, 3), 0)
    whole = [identify_branch(means, rule, epsilon=0.02, seed=1) for rule in ("lucb", "ugape")]
    monkeypatch.setattr(moves, "_SAMPLES_A_CALL", 7)
    paused = [identify_branch(means, rule, epsilon=0.02, seed=1) for rule in ("lucb", "ugape")]
    assert [(one.samples, one.low.tolist()) for one in whole] == [(one.samples, one.low.tolist()) for one in paused]


@pytest.mark.jit
@pytest.mark.parametrize("rule", ["lucb", "ugape"])
def test_of_near_ties_moves_are_as_rarely_wrong_as_promised_and_values_in_their_intervals(rule: str):
    means, delta, runs = np.array([[0.50, 0.9], [0.56, 0.56], [0.50, 0.51]]), 0.3, 50
    values, wrong, missed, samples = minimax(means), 0, 0, 0
    for seed in range(runs):
        found = identify_branch(means, rule, delta=delta, epsilon=0.02, rate="heuristic", seed=seed)
        assert found.sure
        wrong += values[found.best_move] < values.max() - 0.02
        missed += bool(((values < found.low) | (values > found.high)).any())
        samples += found.samples
    assert binomtest(missed, runs, delta, alternative="greater").pvalue > 1e-6
    assert wrong <= missed
    assert samples / runs > 500.0  # it is no easy tree


@pytest.mark.jit
def test_equal_moves_meet_the_cap_unless_epsilon_lets_either_be_right():
    for rule in ("lucb", "ugape"):
        capped = identify_branch([0.5, 0.5], rule, epsilon=0.0, most=20_001)
        assert (capped.sure, capped.samples) == (False, 20_001)
        assert identify_branch([0.5, 0.5], rule, epsilon=0.1).sure


def test_known_leaves_cost_no_samples():
    for rule in ("lucb", "ugape"):
        for cells, best in (
            ("XOXXOOOX.", 8),
            ("XX..O....", 2),
        ):  # one cell is left; all games are searched
            found = identify_move(TicTacToe(cells), 9, rule, epsilon=0.0)
            assert (found.best_move, found.sure, found.samples, found.leaves) == (best, True, 0, 0)
            assert found.low.tolist() == found.high.tolist()
            assert max(found.low) == found.low[found.moves == best] == 0.5


@pytest.mark.long  # the twin guards the rules; this is the paper's number
@pytest.mark.jit
def test_random_trees_take_as_many_samples_as_in_the_paper():
    samples, trees = [], 30
    for tree in range(trees):
        means, seed = means_of(0, (10, 10, 10), tree), derived_seed(0, (Purpose.SURE_SEARCH, tree))
        samples.append(identify_branch(means, "lucb", delta=0.1, epsilon=0.01, rate="paper", seed=seed).samples)
    assert abs(np.mean(samples) - 141_811) < 5.0 * np.std(samples) / math.sqrt(trees)
