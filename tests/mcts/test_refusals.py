"""What this package refuses by code of its own: each refusal names the argument and the value or the limit."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from mcts import (
    MonteCarloPlayer,
    Process,
    Search,
    UCTPlayer,
    exact_values,
    identify_branch,
    identify_move,
    monte_carlo_values,
    playout_values,
    search,
)
from mcts.adapters import position_of as known
from mcts.recording import record
from mcts.tree import LEAST_MEMORY
from tests.internals import Breakthrough, DotsAndBoxes, Hex, PGame, Sailing, plan
from tests.mcts.classes import Nim, PigGame
from tests.mcts.games import TicTacToe
from tests.mcts.test_processes import forever, lake
from tests.refusals import refused

WON, START = Board.from_moves("1122334"), Board()
PIG, BOXES = PigGame(9), DotsAndBoxes(1, 1)
FINISHED = BOXES.play(0).play(1).play(2).play(3)
ENDED = Process(np.array([15]), 4, 3, lake().outcomes)


class Mine:
    """Any object that is no position."""


# The function, its position, its options, how the message begins, and another fact of it.
REFUSED: list[tuple[Callable[..., object], Any, dict[str, Any], str, str]] = [
    *((ask, WON, {}, "board", "finished") for ask in (search, identify_move, monte_carlo_values, playout_values)),
    *((ask, "4453", {}, "board", "'4453'") for ask in (search, identify_move, monte_carlo_values, playout_values)),
    (search, Nim((0, 0)), {}, "board", "(0, 1)"),
    (search, Nim, {}, "a position", "Nim"),
    (search, PigGame(9, rolls=True), {}, "board", "chance"),
    (search, START, {"simulations": 10**13}, "simulations", "1000000000000"),
    (search, START, {"policy": 3}, "policy", "3"),
    (search, START, {"policy": "moss", "seconds": 1.0}, "policy", "moss"),
    (search, START, {"playouts": "clever"}, "playouts", "'clever'"),
    (search, START, {"memory": 0}, "memory", "1000000"),
    (search, START, {"exact": True}, "exact", "solve"),
    (search, TicTacToe(), {"exact": True, "solve": True}, "exact", "exact search"),
    (search, Nim((1, 2)), {"tactics": True}, "tactics", "false"),
    (search, Nim((1, 2)), {"playouts": "biased"}, "playouts", "uniform"),
    (search, START, {"scale": "tree"}, "scale", "'tree'"),
    (search, START, {"discount": 0.5}, "discount", "0.5"),
    *((search, PIG, {key: value}, key, "left out") for key, value in (("solve", True), ("playouts", "biased"))),
    *((search, PIG, {key: value}, key, "left out") for key, value in (("memory", 10**7), ("cpu_seconds", 1.0))),
    (search, PIG, {"simulations": 50, "workers": 60}, "workers", "60"),
    (search, START, {"root_policy": "halving"}, "root_policy 'halving'", "gumbel_halving"),
    (search, START, {"root_policy": "exp3"}, "root_policy", "exp3"),
    (search, START, {"root_policy": "optimistic"}, "root_policy", "ucb"),
    (search, START, {"root_policy": "sequential_halving", "seconds": 0.1}, "root_policy", "anytime_halving"),
    (search, START, {"root_policy": "sequential_halving", "prior": "lines"}, "prior", "left out"),
    (search, START, {"prior": "lines"}, "prior", "ucb"),
    (search, START, {"prior": "centre", "policy": "puct"}, "prior", "'centre'"),
    (search, START, {"prior": [0.5] * 6, "policy": "puct"}, "prior", "6"),
    (search, START, {"prior": [0.5] * 7, "policy": "puct"}, "prior", "3.5"),
    (search, START, {"prior": [-0.5] * 7, "policy": "puct"}, "prior", "-0.5"),
    (search, TicTacToe(), {"prior": "lines", "policy": "puct"}, "prior", "none"),
    (search, START, {"workers": 3, "simulations": 2}, "workers", "2"),
    (search, START, {"workers": 2, "memory": LEAST_MEMORY}, "memory", "1000000"),
    (identify_move, START, {"depth": 40}, "depth", "40"),
    (identify_move, START, {"rule": "ucb"}, "rule", "'ucb'"),
    (identify_move, START, {"rate": "best"}, "rate", "'best'"),
    (identify_branch, [[0.5, 0.6], [0.5]], {}, "means", "equal length"),
    (identify_branch, [0.5, math.nan], {}, "means", "nan"),
    (identify_branch, np.zeros((1500, 1500)), {}, "means", "(1500, 1500)"),
    (monte_carlo_values, TicTacToe(), {"playouts": "biased"}, "playouts", "'biased'"),
    (monte_carlo_values, START, {"policy": None}, "policy", "ucb"),
    (record, START, {"policy": "softmax", "simulations": 10}, "policy", "index"),
    (record, START, {"policy": "ucb", "simulations": 10**7}, "simulations", "1000000"),
    (plan, 3, {}, "problem", "3"),
    (plan, START, {}, "problem", "moves()"),
    (plan, ENDED, {}, "problem", "ended"),
    *((plan, Sailing(3), {"scale": scale}, "scale", str(scale)) for scale in ("wide", 3, (1.0, 0.0))),
    (plan, Sailing(3), {"simulations": None, "seconds": 1.0, "policy": "moss"}, "policy", "moss"),
    (plan, Sailing(3), {"widen_moves": 3}, "widen_moves", "3"),
    (plan, Sailing(3), {"widen_outcomes": (1.0, 2.0)}, "widen_outcomes[1]", "2"),
    (plan, Sailing(3), {"widen_outcomes": (1.0, 0.5), "loop": "open"}, "widen_outcomes", "open"),
    (exact_values, 3, {}, "process", "3"),
    (exact_values, Process([0], 1, 1, forever), {}, "process", "discount"),
    (exact_values, Process([0], 1, 1, forever, to_move=0, players=2), {}, "process", "players=2"),
    (exact_values, Process([0], 2**15, 2**15, forever), {}, "most_actions * most_outcomes", ""),
    (exact_values(lake()).of, [16], {}, "state", "16"),
    (Hex(3).play, 9, {}, "move", "9"),
    (FINISHED.play, 3, {}, "the game is over", "3"),
    (DotsAndBoxes, 6, {"columns": 5}, "rows and columns", "71"),
    (Breakthrough, 9, {"columns": 8}, "rows and columns", "64"),
    (UCTPlayer(keep=True).play, Nim((1, 2)), {}, "keep", "Nim"),
    (UCTPlayer(solve=True).check_board, PIG, {}, "solve", ""),
    (UCTPlayer(simulations=20, final="index").play, PIG, {}, "final", "'index'"),
    *((ask, PIG, {}, "board", "PigGame") for ask in (Search, MonteCarloPlayer().play)),
]


@pytest.mark.parametrize(("ask", "position", "options", "start", "fact"), REFUSED)
def test_a_refusal_names_the_argument_and_the_value(
    ask: Callable[..., object], position: Any, options: dict[str, Any], start: str, fact: str
):
    refused(lambda: ask(position, **options), start, fact)


@pytest.mark.parametrize(
    ("make", "start", "fact"),
    [
        (lambda: Process([0.5], 1, 1, forever), "state", "0.5"),
        (lambda: Process([0], 1, 1, forever, to_move=1), "to_move", "1"),
        (lambda: Process([0], 1, 1, forever, players=2), "players", "2"),
        (lambda: Process([0], 1, 1, lambda state: 0), "outcomes hook", "it takes 1"),
        (lambda: UCTPlayer(exact=True), "exact", "solve"),
        (lambda: UCTPlayer(c=1.0, policy="kl_ucb"), "c ", "1.0"),
        (lambda: UCTPlayer(prior="lines"), "prior", "ucb"),
        (lambda: Search(START).run_for(), "seconds or cpu_seconds", ""),
        (lambda: Search(START).result().draw(Path("tree")), "result", "0"),
        (lambda: search(START, simulations=9).draw(Path("tree"), share=0.0), "share", "0"),
        (lambda: search(START, simulations=9).choose("luck"), "choose", "'luck'"),
        (lambda: Search(Mine()), "board", "Mine"),
        (BOXES.play(0).play(1).play(2).play(3).scores, "board", "finished"),
        (DotsAndBoxes(3, 4).scores, "board", "31"),
        (Hex(6).scores, "board", "36"),
        (Breakthrough(15, 2, 7).scores, "board", "120"),
    ],
)
def test_what_has_other_arguments_names_them_too(make: Callable[[], object], start: str, fact: str):
    refused(make, start, fact)


@pytest.mark.parametrize("words", [np.ones((3, 4)), np.ones((2, 4), np.uint64), np.ones((3, 8), np.uint64)[:, ::2]])
def test_streams_that_are_none_are_refused(words: np.ndarray):
    for made in (lambda: Search(START, rng=words), lambda: Search(START).begin_again(START, words)):
        refused(made, "rng", "uint64[3, 4]")


def test_a_game_of_too_many_moves_and_memory_that_is_too_small_for_the_root_are_refused():
    for moves, options, start, fact in [
        (40_000, {}, "board", "40,000"),
        (32_000, {"memory": LEAST_MEMORY}, "memory", "1000000"),
    ]:
        game = PGame(branching=2, depth=3).game
        wide = SimpleNamespace(game=type(game)(**{**vars(game), "most_moves": moves}))
        refused(lambda wide=wide, options=options: Search(wide, **options), start, fact)  # type: ignore[misc]


def test_anything_else_is_no_state_of_another_library_and_none_is_imported():
    assert [known(other) for other in (None, 3, "hex", Board(), object, [0])] == [None] * 6
    libraries = ("pyspiel", "pettingzoo", "gymnasium", "chess", "numba")
    code = f"import sys, mcts.adapters as a; a.position_of(3); print([n for n in {libraries} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
