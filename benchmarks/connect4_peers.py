"""Random playouts of Connect 4 in other libraries, as each one's own search makes them; only what is installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

Play = Callable[[int], object]  # plays that many playouts from the empty 7 x 6 board


def label(name: str) -> str:
    """Return a library's name with its version.

    Raises
    ------
    ImportError
        It is not installed.
    """
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        raise ImportError("not installed") from None


def open_spiel() -> Play:
    """Return C++ playouts of OpenSpiel: everything between two calls from Python is C++.

    Its `RandomRolloutEvaluator` cannot be called from Python, but the search that uses it can. A search of two
    simulations asks it for half of the playouts from the root. The other half start from a child of the root, one stone
    later. The tree of eight nodes costs nothing beside them. (`pyspiel.evaluate_bots`, a game a call, is slower.)
    """
    pyspiel = importlib.import_module("pyspiel")
    game = pyspiel.load_game("connect_four")

    def play(count: int) -> object:
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=count // 2, seed=1)
        bot = pyspiel.MCTSBot(
            game, evaluator, uct_c=1.0, max_simulations=2, max_memory_mb=10, solve=False, seed=1, verbose=False
        )
        return bot.step(game.new_initial_state())

    return play


def puissance4(biased: bool) -> Play:
    """Return the playouts of puissance4, in Python, to the end of the game (its own default stops after 30 moves)."""
    ai, grid = (importlib.import_module(f"puissance4.{name}") for name in ("agent.ai", "env.grille"))

    def play(count: int) -> object:
        player = ai.AI("X", bias_to_obvious_steps=biased)
        player.max_num_steps_to_explore = None
        return [player.simulate_end_game(grid.Grille()) for _ in range(count)]

    return play
