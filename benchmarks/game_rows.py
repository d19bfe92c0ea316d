"""Our search of OpenSpiel's states beside OpenSpiel's own `MCTSBot` in Python, and states that it does not take.

Both search the same state, which is C++ and is called from Python, with one uniform playout a simulation and no proofs.
Speeds are simulations per second of one core, each search in a new tree, by the call that a user makes.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.connect4_peers import label
from benchmarks.row import Row, row
from benchmarks.search_peers import C
from benchmarks.timing import Loop, compare
from mcts import search

TARGET = 3.0
GAMES = {  # the simulations of a search
    "tic_tac_toe": 4_000,
    "connect_four": 2_000,
    "hex(board_size=5)": 2_000,
    "breakthrough(rows=6,columns=6)": 1_000,
    "pig": 200,
}
REJECTED = {"2048": 200, "cliff_walking": 500}  # of these the bot says that a game must have terminal rewards

Search = Callable[[Any, int], object]  # a state, simulations


@dataclass(frozen=True)
class Size:
    """How long to measure."""

    rounds: int
    share: float = 1.0  # of the simulations


FULL = Size(rounds=7)
QUICK = Size(rounds=3, share=0.25)


def ours(state: Any, simulations: int) -> object:
    """Search a state as a user does."""
    return search(state, simulations=simulations, seed=0)


def open_spiel_python(state: Any, simulations: int, seed: int = 0) -> int:
    """Return the move of OpenSpiel's `MCTSBot` in Python."""
    algorithms = importlib.import_module("open_spiel.python.algorithms.mcts")
    random = np.random.RandomState(seed)  # the kind that it takes
    evaluator = algorithms.RandomRolloutEvaluator(1, random)
    bot = algorithms.MCTSBot(state.get_game(), 2.0 * C, simulations, evaluator, solve=False, random_state=random)
    return int(bot.step(state))


def rows(size: Size, search: Search = ours) -> Iterator[Row]:
    """Yield a row for each game, and one for each that the bot does not take."""
    try:
        bot, pyspiel = f"{label('open-spiel')}, Python MCTSBot", importlib.import_module("pyspiel")
    except ImportError as error:
        yield Row("open-spiel, Python MCTSBot", skipped=str(error))
        return
    for name, simulations in {**GAMES, **REJECTED}.items():
        state = pyspiel.load_game(name).new_initial_state()
        while state.is_chance_node():  # to where a player moves
            state.apply_action(state.legal_actions()[0])
        count = max(1, round(size.share * simulations))
        mine = Loop(count, functools.partial(search, state, count))
        if name in REJECTED:
            alone = compare(mine, mine, 1)
            yield Row(f"{name}: {bot} does not take it", f"{alone.ours / 1e6:.4f}")
            continue
        other = Loop(count, functools.partial(open_spiel_python, state, count))
        yield row(f"{name}: {bot}", compare(mine, other, size.rounds), TARGET)
