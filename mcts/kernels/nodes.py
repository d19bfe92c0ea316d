"""The nodes of a search tree as a structure of arrays, and how a part of a tree is copied.

The children of a node lie side by side, so that their statistics are the vectors that a rule takes; node 0 is the root:

    node      0 | 1 2 3 4 5 6 7 | 8 9 ...
              ^   ^ children of 0    ^ children of the first node that was expanded
    visits    n   1 / sqrt(n) = widths; values = mean result for the side that moved INTO the node, in [0, 1]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from numerics.kernels.jit import Vector, kernel

UNSEEN = 3  # outcome of a node that was never reached; those of `numerics.games` of all others


class Nodes(NamedTuple):
    """The node arrays, all of shape [N]; variances and priors of shape [0] where the rule does not read them."""

    visits: Vector[np.float64]
    values: Vector[np.float64]
    widths: Vector[np.float64]
    variances: Vector[np.float64]
    priors: Vector[np.float64]
    child: Vector[np.int32]  # the first child; -1 before they are made
    children: Vector[np.int16]  # how many; -1 before they are made
    move: Vector[np.int16]  # that leads into the node; -1 at the root
    outcome: Vector[np.int8]  # of the game for the side that moved into the node; proven ones too


@kernel()
def _copy_node(tree, i, fresh, j):
    fresh.visits[j], fresh.values[j], fresh.widths[j] = tree.visits[i], tree.values[i], tree.widths[i]
    fresh.child[j], fresh.children[j], fresh.move[j] = tree.child[i], tree.children[i], tree.move[i]
    fresh.outcome[j] = tree.outcome[i]
    if tree.variances.size > 0:
        fresh.variances[j] = tree.variances[i]
    if tree.priors.size > 0:
        fresh.priors[j] = tree.priors[i]


@kernel("int64(Nodes, int64, Nodes, int32[::1])")
def copy_subtree(tree: Nodes, node: int, fresh: Nodes, where: npt.NDArray[np.int32]) -> int:
    """Copy the tree below `node` into the empty arrays `fresh`, `node` becoming its root; return how many nodes it has.

    Breadth first, so that children stay side by side and come after their parents. Where children are shared, `where`
    has an entry -1 for each node, and gets the new places of first children; else it is empty.
    """
    _copy_node(tree, node, fresh, 0)
    nodes = 1
    for i in range(fresh.visits.size):
        if i == nodes:
            break
        count = fresh.children[i]
        if count > 0:
            first = fresh.child[i]  # still its place in the old tree
            if where.size > 0:
                if where[first] >= 0:
                    fresh.child[i] = where[first]
                    continue
                where[first] = nodes
            fresh.child[i] = nodes
            for j in range(count):
                _copy_node(tree, first + j, fresh, nodes + j)
            nodes += count
    return nodes
