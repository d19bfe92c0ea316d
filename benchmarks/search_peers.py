"""UCT of other libraries on Connect 4, one uniform playout a simulation; only what is installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

import numpy as np

C = 1.0  # of ours, for values in [0, 1]; libraries whose values lie in [-1, 1] get twice as much

_CELLS = 42

Search = Callable[[Sequence[int], int], int]  # moves to the position, simulations -> move; made anew each time


def open_spiel(*, solve: bool = False, seed: int = 0) -> Search:
    """Return OpenSpiel's C++ `MCTSBot`: the whole search is one call of C++, its tree freed at the end."""
    pyspiel = importlib.import_module("pyspiel")
    game = pyspiel.load_game("connect_four")

    def search(moves: Sequence[int], simulations: int) -> int:
        bot = pyspiel.MCTSBot(
            game,
            pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed),
            uct_c=2.0 * C,
            max_simulations=simulations,
            max_memory_mb=4_000,
            solve=solve,
            seed=seed,
            verbose=False,
        )
        return int(bot.step(_state(game, moves)))

    return search


def open_spiel_python(seed: int = 0) -> Search:
    """Return OpenSpiel's `MCTSBot` in Python, whose positions are C++."""
    pyspiel = importlib.import_module("pyspiel")
    mcts = importlib.import_module("open_spiel.python.algorithms.mcts")
    game = pyspiel.load_game("connect_four")

    def search(moves: Sequence[int], simulations: int) -> int:
        random = np.random.RandomState(seed)
        bot = mcts.MCTSBot(
            game, 2.0 * C, simulations, mcts.RandomRolloutEvaluator(1, random), solve=False, random_state=random
        )
        return int(bot.step(_state(game, moves)))

    return search


def _state(game: object, moves: Sequence[int]) -> object:
    state = game.new_initial_state()
    for move in moves:
        state.apply_action(move)
    return state


def puissance4() -> Search:
    """Return puissance4's `UCT.play_witout_bias`: a descent and one playout at random to the end a simulation.

    Its defaults are 8 playouts a descent, which look for wins and blocks and stop after 30 moves. Its nodes stand in a
    table of the class, which is emptied after each search.
    """
    uct, grid, node = (
        importlib.import_module(f"puissance4.{name}") for name in ("agent.uct", "env.grille", "lib.node")
    )

    def search(moves: Sequence[int], simulations: int) -> int:
        board = grid.Grille()
        for ply, move in enumerate(moves):
            board.drop("XO"[ply % 2], move)
        player = uct.UCT("XO"[len(moves) % 2], num_descentes_dans_arbre=simulations, facteur_uct=2.0 * C)
        player.num_tirages_MC, player.bias_to_obvious_steps, player.max_num_steps_to_explore = 1, False, _CELLS
        try:
            return int(player.play_witout_bias(board))
        finally:
            node.Node.byname.clear()

    return search
