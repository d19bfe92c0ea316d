"""Random small games whose positions return, right ones and such that break a promise: never a write outside an array.

A game is a graph: a place has an outcome, or up to three places that follow it. The hooks read it from the state, so
that they are compiled once. With bounds checks, and in plain Python, every kernel is watched too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from mcts import Search, UCTPlayer, identify_move, monte_carlo_values, playout_values, search
from mcts.recording import record
from numerics import promises
from numerics.games import DRAWN, LOST, UNDECIDED, WON, Game
from numerics.random import next_uniform

pytestmark = pytest.mark.kernels

PLACE, MOVER, WRONG, FIRST = range(4)  # words of the state, before those of the places: an outcome, and three places
WIDTH, MOST = 4, 3
MISTAKES = [
    "none",
    "no move",
    "a move too many",
    "a move below 0",
    "a move above 32767",
    "a write outside",
    "outcome 7",
]
MISTAKES += ["playout of 2", "playout of NaN", "a state that changes", "chance", "a move twice"]


def legal(state, moves):
    count = 0
    for i in range(MOST):
        if state[FIRST + WIDTH * state[PLACE] + 1 + i] >= 0:
            moves[count] = i
            count += 1
    if state[PLACE] % 3 == 2:
        if state[WRONG] == 1:
            return 0
        if state[WRONG] == 2:
            return MOST + 1
        if state[WRONG] == 3:
            moves[0] = -7
        if state[WRONG] == 4:
            moves[0] = 40_000
        if state[WRONG] == 9:
            state[MOVER] = 5
        if state[WRONG] == 10:
            return np.random.randint(1, count + 1)  # noqa: NPY002
        if state[WRONG] == 11:
            moves[:] = moves[0]
            return MOST
    return count


def play(state, move):
    if state[WRONG] == 5 and state[PLACE] % 3 == 2:
        state[state.size + 3] = 1
    after = state[FIRST + WIDTH * state[PLACE] + 1 + move]
    if state[WRONG] == 10 and np.random.random() < 0.5:  # noqa: NPY002
        after = 0
    state[PLACE] = after
    state[MOVER] = -state[MOVER]


def outcome(state):
    if state[WRONG] == 6 and state[PLACE] % 3 == 2:
        return 7
    return state[FIRST + WIDTH * state[PLACE]]


def playout(state, rng, r):
    if state[PLACE] % 3 == 2 and state[WRONG] == 7:
        return 2.0
    if state[PLACE] % 3 == 2 and state[WRONG] == 8:
        return np.nan
    return next_uniform(rng, r)


def prior(state, moves, out):
    for i in range(out.size):
        out[i] = 1.0 / out.size


class Graph:
    """A random game, at one of its places."""

    def __init__(self, number: int, most_plies: int, mistake: int = 0, place: int = 0, moves: tuple[int, ...] = ()):
        self.number, self.most_plies, self.mistake, self.place, self.moves = number, most_plies, mistake, place, moves
        draws = np.random.default_rng(number)
        places = int(draws.integers(2, 9))
        table = np.full((places, WIDTH), -1)
        table[:, 0] = np.where(draws.random(places) < 0.3, draws.choice([WON, DRAWN, LOST], places), UNDECIDED)
        table[0, 0] = UNDECIDED
        for row in table:
            count = int(draws.integers(1, MOST + 1))
            row[1 : 1 + count] = draws.integers(places, size=count)
        self.table = table

    @property
    def game(self) -> Game:
        state = np.concatenate([[self.place, 1 - 2 * (len(self.moves) % 2), self.mistake], self.table.reshape(-1)])
        playouts, priors = {"uniform": playout}, {"mine": prior}
        return Game(state, MOST, self.most_plies, legal, play, outcome, playouts, priors)

    def after(self, most_plies: int) -> Graph:
        """Return the position after the first move from which a game goes on, and another number of plies."""
        for move in range(MOST):
            place = int(self.table[self.place, 1 + move])
            if place >= 0 and self.table[place, 0] == UNDECIDED:
                return Graph(self.number, most_plies, self.mistake, place, (*self.moves, move))
        return self


def searched(board: Graph, **options: Any) -> None:
    result = search(board, simulations=60, **options)
    assert result.simulations <= 60
    assert np.isfinite(result.tree.values[: result.tree.move.size]).all()
    assert (result.tree.visits >= 0.0).all()
    assert result.depth <= board.most_plies
    assert len(result.principal_variation) <= result.tree.move.size
    assert len(result.proofs) == result.moves.size
    assert len(result.to_frame()) == result.tree.move.size
    assert repr(result)


def kept(board: Graph) -> None:
    """Go on from later positions, whose games last longer, or not so long, as they say."""
    running = Search(board, seed=1, solve=True, transpositions=True)
    player = UCTPlayer(simulations=30, keep=True, transpositions=True)
    for most_plies in (board.most_plies, 3 * board.most_plies, 1, 40):
        board = board.after(most_plies) if most_plies != board.most_plies else board
        if running.game.state[PLACE] != board.place:
            running.advance(board, board.moves[-1:])
        running.run(40)
        assert running.result().principal_variation is not None
        player.play(board)


def recorded(board: Graph) -> None:
    kept = record(board, "ucb", 60)
    assert kept.lengths.max() <= board.most_plies
    assert ((kept.results >= 0.0) & (kept.results <= 1.0)).all()


CALLS: tuple[Callable[[Graph], Any], ...] = (
    searched,
    lambda board: searched(board, transpositions=True),
    lambda board: searched(board, transpositions=True, solve=True, playouts_per_leaf=2),
    lambda board: searched(board, policy="puct", prior="mine", transpositions=True),
    lambda board: searched(board, root_policy="sequential_halving", solve=True, transpositions=True),
    lambda board: searched(board, root_policy="kl_lucb", policy="ucb_v"),
    kept,
    recorded,
    lambda board: monte_carlo_values(board, 30, "ucb"),
    lambda board: playout_values(board, 5, playouts="uniform"),
    lambda board: identify_move(board, depth=1, most=50),
    lambda board: identify_move(board, depth=9, rule="ugape", most=50),
)
SENTENCE = re.compile(r"^(legal|play|outcome|playout) hook |^depth ")
OUTSIDE = "a hook of the game "


@pytest.fixture(autouse=True)
def unchecked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let searches begin with games that the check before them would refuse."""
    monkeypatch.setattr(promises, "try_promises", lambda *_, **__: None)
    yield
    promises._TRIED.clear()


def tried(number: int, mistake: int) -> None:
    draws = np.random.default_rng((number, mistake))
    board = Graph(number, int(draws.choice([1, 2, 5, 12])), mistake)
    for call in CALLS:
        said = ""
        try:
            call(board)
        except ValueError as error:
            said = str(error)
        assert not said or MISTAKES[mistake] != "none", "a right game is searched, however long it is"
        in_a_hook = MISTAKES[mistake] in ("a write outside", "chance") and said.startswith(OUTSIDE)
        assert not said or in_a_hook or SENTENCE.match(said), said


@pytest.mark.parametrize("mistake", range(len(MISTAKES)), ids=MISTAKES)
def test_no_game_of_a_users_leads_outside_an_array(mistake: int):
    for number in range(4 if mistake == 0 else 1):
        tried(number, mistake)


@pytest.mark.long
@pytest.mark.parametrize("part", range(2))
def test_no_game_of_many_leads_outside_an_array(part: int):
    for number in range(6 * part, 6 * part + 6):
        for mistake in range(len(MISTAKES)):
            tried(1_000 + number, mistake)
