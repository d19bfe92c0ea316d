"""Games whose positions return, by retrograde analysis and a naive twin, and whose players move again, by minimax."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import pytest

from bandits import UCB
from mcts import search
from mcts.ordinary.boards import game_of
from mcts.recording import record
from mcts.reference import Node, select, shuffle_moves
from mcts.streams import PLAYOUT, streams_of
from numerics.games import UNDECIDED, Game
from numerics.random import Purpose
from tests.internals import DotsAndBoxes
from tests.mcts.classes import Tree

pytestmark = pytest.mark.kernels

Place = tuple[int, int]  # a vertex, and who moves
RESULTS = {1: (1.0, 0.0), 0: (0.5, 0.5), -1: (0.0, 1.0)}


@cache
def graph_of(word: int) -> tuple[Any, list[bool]]:
    """The successors of each vertex, or the result of player 0 there; and where the mover moves again."""
    draws = random.Random(word)
    size = draws.randint(5, 9)
    ends = draws.sample(range(1, size), draws.randint(2, 3))
    graph: list[Any] = [sorted(draws.sample(range(size), draws.randint(2, 3))) for _ in range(size)]
    for end in ends:
        graph[end] = draws.choice([-1, 0, 1])
    return graph, [draws.random() < 0.3 for _ in range(size)]


@dataclass(frozen=True)
class Walk:
    """A walk on a graph."""

    word: int
    at: int = 0
    mover: int = 0
    again: ClassVar[bool] = False

    def moves(self) -> list[int]:
        successors: list[int] = graph_of(self.word)[0][self.at]
        return successors

    def play(self, move: int) -> Walk:
        stays = self.again and graph_of(self.word)[1][self.at]
        return type(self)(self.word, move, self.mover if stays else 1 - self.mover)

    def player(self) -> int:
        return self.mover

    def result(self) -> tuple[float, float] | None:
        known = graph_of(self.word)[0][self.at]
        return RESULTS.get(known) if isinstance(known, int) else None


class WalkAgain(Walk):
    """The same, where a mover moves twice at some vertices."""

    again = True


@cache
def exact(kind: type[Walk], word: int) -> dict[Place, int]:
    """The result of player 0 from each place that a player can force, backwards from the ends; 0 of all others."""
    graph, _ = graph_of(word)
    places = [(at, mover) for at in range(len(graph)) for mover in (0, 1)]
    known = {place: graph[place[0]] for place in places if isinstance(graph[place[0]], int)}
    size = -1
    while len(known) > size:
        size = len(known)
        for at, mover in places:
            if (at, mover) not in known:
                after = [kind(word, at, mover).play(move) for move in graph[at]]
                values = [known.get((one.at, one.mover)) for one in after]
                wanted = 1 if mover == 0 else -1
                if wanted in values:
                    known[at, mover] = wanted
                elif all(value == -wanted for value in values):
                    known[at, mover] = -wanted
    return {place: known.get(place, 0) for place in places}


def values_of(kind: type[Walk], word: int) -> list[int]:
    """The exact value of each move of the first position, where player 0 moves."""
    after = [kind(word).play(move) for move in kind(word).moves()]
    return [exact(kind, word)[one.at, one.mover] for one in after]


def graphs(kind: type[Walk], count: int) -> list[int]:
    """Graphs whose ends can be reached at random, and whose first moves differ in value."""
    found, word = [], 0
    while len(found) < count:
        if isinstance(graph_of(word)[0][0], list) and all(ends(kind, word)) and len(set(values_of(kind, word))) > 1:
            found.append(word)
        word += 1
    return found


def ends(kind: type[Walk], word: int) -> list[bool]:
    """For each vertex, whether an end can be reached from there."""
    graph, _ = graph_of(word)
    near = [isinstance(one, int) for one in graph]
    for _ in graph:
        near = [known or any(near[after] for after in one) for known, one in zip(near, graph, strict=True)]
    return near


def shared_uct(game: Game, simulations: int, seed: int) -> Node:
    """UCT whose equal positions have the same children, and whose walks end as a draw where a position returns."""
    rng, spec, root = streams_of(seed, Purpose.TREE_SEARCH), UCB(c=1.0).spec(), Node(value=0.5)
    known: dict[bytes, list[Node]] = {}
    for _ in range(simulations):
        state, path, seen = game.state.copy(), [root], set[bytes]()
        returns = False
        while game.outcome(state) == UNDECIDED and (path[-1].visits > 0 or path[-1] is root):
            returns = state.tobytes() in seen
            if returns:
                break
            seen.add(state.tobytes())
            if state.tobytes() not in known:
                known[state.tobytes()] = [Node(move) for move in shuffle_moves(game, state, rng)]
            path[-1].children = known[state.tobytes()]
            path.append(select(path[-1], spec, simulations, rng))
            game.play(state, path[-1].move)
        outcome = game.outcome(state)
        result = 0.5 if returns or outcome != UNDECIDED else 1.0 - game.playouts["uniform"](state, rng, PLAYOUT)
        if outcome != UNDECIDED:
            result = 0.5 + 0.5 * outcome
        for node in reversed(path):
            node.visits += 1
            node.value += (result - node.value) * (1.0 / node.visits)
            result = 1.0 - result
    return root


@pytest.mark.parametrize("kind", [Walk, WalkAgain])
def test_where_positions_return_visits_and_values_are_those_of_the_naive_twin(kind: type[Walk]):
    for word in graphs(kind, 3):
        found = search(kind(word), simulations=300, seed=word)
        twin = shared_uct(game_of(kind(word)), 300, word)
        children = {child.move: child for child in twin.children}
        assert found.visits.tolist() == [children[number].visits for number in range(len(found.moves))]
        assert found.values.tolist() == [children[number].value for number in range(len(found.moves))]
        assert found.tree.visits[0] == twin.visits == 300


@pytest.mark.parametrize("options", [{}, {"solve": True}, {"policy": "puct"}, {"playouts_per_leaf": 2}], ids=str)
def test_visits_of_the_root_sum_to_the_simulations_on_any_graph(options: dict[str, Any]):
    for board in (*map(Walk, graphs(Walk, 3)), *map(WalkAgain, graphs(WalkAgain, 3))):
        found = search(board, simulations=400, seed=1, **options)
        assert found.visits.sum() == found.tree.visits[0] == found.simulations <= 400
        assert found.depth <= 18, "no walk passes one of nine vertices twice for a player"


@pytest.mark.parametrize("kind", [Walk, WalkAgain])
def test_what_is_proven_where_positions_return_is_true(kind: type[Walk]):
    proven = 0
    for word in graphs(kind, 30):
        found, best = search(kind(word), simulations=300, seed=word, solve=True), max(values_of(kind, word))
        known = {"won": 1, "drawn": 0, "lost": -1, "": None}
        for outcome, value in zip(found.outcomes, values_of(kind, word), strict=True):
            assert known[outcome] in (None, value), word
        if found.tree.outcome[0] != UNDECIDED:
            assert found.value == 0.5 + 0.5 * best
            assert values_of(kind, word)[found.moves.tolist().index(found.best_move)] == best
            proven += 1
    assert proven >= 10


# --- a player who moves again: the pass in between is no move in any result -------------------------------------------


@dataclass(frozen=True)
class Sticks:
    """Take one or two; who takes two moves again, who takes the last wins."""

    left: int
    mover: int = 0

    def moves(self) -> list[int]:
        return [1, 2][: self.left]

    def play(self, taken: int) -> Sticks:
        left = self.left - taken
        return Sticks(left, self.mover if taken == 2 and left else 1 - self.mover)

    def player(self) -> int:
        return self.mover

    def result(self) -> tuple[int, int] | None:
        return None if self.left else (0, 1) if self.mover == 0 else (1, 0)


def boxes(rows: int, columns: int, moves: int) -> DotsAndBoxes:
    """Dots and Boxes after as many moves, most of which leave no box to close."""
    board = DotsAndBoxes(rows, columns)
    for number in range(moves):
        board = board.play(board.moves()[number * 5 % len(board.moves())])
    return board


@cache
def by_minimax(board: Any) -> tuple[float, int]:
    """The result of player 0, and the moves to the end: a win as soon and a loss as late as possible."""
    result = board.result()
    if result is not None:
        return (result[0] - result[1]) / 2.0 + 0.5, 0
    replies = [by_minimax(board.play(move)) for move in board.moves()]
    best = (max if board.player() == 0 else min)(value for value, _ in replies)
    lengths = [1 + moves for value, moves in replies if value == best]
    return best, (min if best == 1 - board.player() else max)(lengths)


@cache
def longest(board: Any) -> int:
    """The most moves to the end."""
    return 0 if board.result() is not None else 1 + max(longest(board.play(move)) for move in board.moves())


BOARDS: dict[str, list[Any]] = {
    "sticks": [Sticks(left, left % 2) for left in range(2, 12)],
    "trees": [Tree(word, 5) for word in range(12)],
    "boxes": [boxes(1, 2, 3), boxes(1, 3, 3), boxes(2, 2, 6)],
}
EACH = list(itertools.chain(*BOARDS.values()))


@pytest.mark.parametrize("kind", BOARDS)
def test_distances_count_moves_as_a_plain_minimax_does(kind: str):
    proven = 0
    for board in BOARDS[kind]:
        found = search(board, simulations=3_000, seed=1, solve=True)
        if found.distance is None:
            continue
        proven += 1
        value, moves = by_minimax(board)
        assert found.value == (value if board.player() == 0 else 1.0 - value)
        assert moves <= found.distance <= longest(board)
        if kind != "sticks":  # all games are equally long, so that a bound is exact
            assert found.distance == moves
        word = "won" if found.value == 1.0 else "lost"
        for move, proof, plies in zip(found.moves.tolist(), found.proofs, found.distances.tolist(), strict=True):
            after = board.play(move)
            assert plies < 0 or 1 + by_minimax(after)[1] <= plies <= 1 + longest(after)
            assert plies < 0 or proof == f"{word} in {plies}"
    assert proven >= 2
    if kind == "sticks":
        assert search(Sticks(3), simulations=100, solve=True).proofs == ["", "won in 2"]  # two, then the last


def test_depth_lines_and_tables_leave_passes_out():
    passes = 0
    for board in EACH:
        found = search(board, simulations=300, seed=2)
        frame = found.to_frame()
        assert found.depth <= longest(board)
        if not isinstance(board, Sticks):  # whose positions have several parents
            assert found.depth == frame.depth[frame.visits > 0].max()
        passes += (frame.move == found.pass_move).sum() + (frame.move == "pass").sum()
        position = board
        for move in found.principal_variation:
            assert move in position.moves()
            position = position.play(move)
    assert passes > 30


def test_a_recorded_path_is_played_as_it_stands():
    for board in EACH:
        kept, start = record(board, simulations=60, seed=3), 0
        for length in kept.lengths.tolist():
            position = board
            for move in kept.path[start : start + length].tolist():
                assert move in position.moves()
                position = position.play(move)
            start += length
        assert start == kept.path.size
        assert kept.lengths.min() >= 1
        assert kept.lengths.max() == kept.result.depth
