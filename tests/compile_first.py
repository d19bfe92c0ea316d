"""Compile what nearly every test file needs, before processes of tests begin: each would compile it for itself.

`python -m tests.compile_first`: most of a minute on two cores from an empty cache, some seconds from a full one.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable

from bandits import Bernoulli, RandomBernoulli, RandomGaussian, simulate
from bandits.hooks import IndexRule
from connect4 import Board, solve
from experiments.players import make_player
from mcts import monte_carlo_values, search
from mcts.games.p_game import PGame
from numerics.kernels.jit import COMPILED
from tests.bandits.laws import FIXED
from tests.bandits.policies import EXAMPLES


def of_bandits() -> None:
    """Play every policy and every law."""
    for policy in EXAMPLES:
        simulate(policy, RandomBernoulli(3), 9, 2, block=2)
    for arms in (Bernoulli([0.3, 0.6]), RandomBernoulli(70)):
        simulate("ucb", arms, 90, 2)
    for arms in (RandomGaussian(3), *(arms for arms, _ in FIXED)):
        simulate("ucb", arms, 9, 2)


def of_games() -> None:
    """Search with every index rule, solve, and let the players play."""
    late, small = Board.from_moves("44455554221"), Board.from_moves("44", 9, 8)
    for policy in EXAMPLES:
        if isinstance(policy.spec().rule, IndexRule):
            search(late, policy, simulations=9)
    for board in (small, PGame(2, 3)):
        search(board, simulations=9)
    for options in ({"playouts": "biased"}, {"playouts": "careful", "tactics": True}):
        search(late, simulations=9, solve=True, **options)
    monte_carlo_values(late, simulations=9)
    solve(late)
    for name in ("level_4", "minimax"):
        make_player(name).play(late)


def main() -> None:
    """Compile for bandits in one process and for games in another."""
    rooms: tuple[Callable[[], None], ...] = (of_bandits, of_games)
    compilers = [multiprocessing.get_context("spawn").Process(target=room) for room in rooms if COMPILED]
    for process in compilers:
        process.start()
    for process in compilers:
        process.join()
    sys.exit(any(process.exitcode for process in compilers))


if __name__ == "__main__":
    main()
