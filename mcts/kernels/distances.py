"""How soon a proven game ends: a walk through the proof once the root has it, so that the search itself pays nothing.

The side that wins takes the soonest of its proven wins, the other side the latest of its losses. The number of plies is
a bound, since a search stops at its first proof: moves that it did not prove might win sooner. Passes are no plies.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcts.kernels.nodes import Nodes
from mcts.kernels.proven import decide
from numerics.games import SIGNATURES, WON
from numerics.kernels.addresses import hook_at
from numerics.kernels.arrays import empty, zeros
from numerics.kernels.jit import kernel

_play_at, _plies_at = hook_at(SIGNATURES["play"]), hook_at(SIGNATURES["plies"])


@kernel(SIGNATURES["plies"])
def no_plies(_state):
    """Return the plies to the end of a game whose outcome the rules decide."""
    return 0


@kernel(SIGNATURES["plies"])
def unknown_plies(_state):
    """Return that the plies to the end of a decided game are not known."""
    return -1


@kernel()
def _plies_after(nodes, plies, first, count, best):
    """Return the plies after the move of a side that gets `best`: the winner hurries, the loser delays."""
    kept = -1
    for i in range(first, first + count):
        if nodes.outcome[i] == best and (kept < 0 or (plies[i] < kept) == (best == WON)):
            kept = plies[i]
    return kept


@kernel("void(int64, int64, Nodes, int64[::1], int64, int64, int32[::1])")
def measure(
    play: int,
    plies_of: int,
    tree: Nodes,
    root: npt.NDArray[np.int64],
    longest: int,
    pass_move: int,
    plies: npt.NDArray[np.int32],
) -> None:
    """Write the plies to the end, at most, of the root and of every node of its proof.

    Parameters
    ----------
    play, plies_of : int
        Addresses of the hooks.
    tree : Nodes
        The root is proven.
    root : int64[S]
        Its position.
    longest : int
        The most plies from there to the end of any game.
    pass_move : int
        The move of a side that waits; -1 where the game has none.
    plies : int32[N]
        Out; -1 before, and after for nodes that are no part of the proof.
    """
    play_on, plies_left = _play_at(play), _plies_at(plies_of)
    states = empty((longest + 1, root.size), np.int64)
    path, tried = zeros(longest + 1, np.int64), zeros(longest + 1, np.int64)
    for word in range(root.size):
        states[0, word] = root[word]
    depth = 0
    while depth >= 0:
        node, i = path[depth], tried[depth]
        first, count, best = np.int64(tree.child[node]), np.int64(tree.children[node]), -np.int64(tree.outcome[node])
        if i == 0:
            plies[node] = longest - depth  # what is right even if nothing more is known
            if count <= 0 or depth == longest or decide(tree, first, count) != best:
                known = plies_left(states[depth])
                if known >= 0:
                    plies[node] = known
                depth -= 1
                continue
        while i < count and (tree.outcome[first + i] != best or plies[first + i] >= 0):
            i += 1
        if i == count:
            plies[node] = (0 if tree.move[first] == pass_move else 1) + _plies_after(tree, plies, first, count, best)
            depth -= 1
            continue
        tried[depth] = i + 1
        depth += 1
        path[depth], tried[depth] = first + i, 0
        for word in range(root.size):
            states[depth, word] = states[depth - 1, word]
        play_on(states[depth], np.int64(tree.move[first + i]))
