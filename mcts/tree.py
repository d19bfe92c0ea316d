"""The tree of a search: arrays that grow with it, and that searches of later positions of the game can reuse."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mcts.kernels.nodes import UNSEEN, Nodes, copy_subtree
from mcts.kernels.transpositions import Table, refill
from mcts.kernels.tree import COUNTERS, FROZEN, LATE, LONGEST, NODES, Options
from numerics.games import UNDECIDED, WON

LEAST_MEMORY = 1_000_000  # bytes
MEMORY = 2 * 1024**3  # default, in bytes
FIRST_NODES = 4_096  # room for a short search, or one of unknown length
MOST_FIRST_NODES = 2**22
_NODES_A_SIMULATION = 2.2  # a little more than a search of Connect 4 makes
_MOST_NODES_KEPT = 2**18  # longer arrays are not kept for the next search
_FEW_NODES = 2**14  # half a megabyte
_MOST_NODES = 2**31 - 1  # a child is an int32
_COPIED_BYTES = 4  # bytes a node for the old, half as long copy of a column while it is copied
_SLOT_BYTES = 14  # bytes of a slot of the table of positions, which has at most as many slots as the tree has nodes

Columns = Sequence[tuple[str, type[np.generic]]]


class Tree:
    """The arrays of a search.

    Parameters
    ----------
    options : Options
        Which columns the nodes need, and their start values.
    transpositions : bool
        Whether positions reached by different orders of moves share their children.
    memory : int
        Limit in bytes.
    simulations : int, default 0
        How many are expected, so that there is room for them from the start.

    Attributes
    ----------
    nodes : Nodes
        The node arrays, longer than their used part.
    table : Table
        The children of positions, by key.
    counters : int64[COUNTERS]
        The kernel's counters.

    Raises
    ------
    ValueError
        Too little memory for the root and its moves.
    """

    def __init__(self, options: Options, *, transpositions: bool, memory: int, simulations: int = 0):
        self._initial, self._transpositions = options.estimates.initial, transpositions
        self._columns = _columns(options.needs_variances, options.needs_priors)
        bytes_a_node = sum(np.dtype(kind).itemsize for _, kind in self._columns) + _SLOT_BYTES * transpositions
        bytes_a_node += _SLOT_BYTES // 2 if transpositions else _COPIED_BYTES  # the temporary copy when arrays grow
        least = (1 + options.most_moves) * bytes_a_node
        if memory < least:
            raise ValueError(f"memory must be at least {least} bytes for the root and its moves; got {memory}")
        self._most_nodes = min(_MOST_NODES, memory // bytes_a_node)
        self._first_nodes = min(self._most_nodes, _nodes_for(simulations))
        self.nodes = _room(self._first_nodes, self._columns)
        self.counters = np.zeros(COUNTERS, dtype=np.int64)

    @property
    def used(self) -> Nodes:
        """Views of the existing nodes, which further simulations change."""
        count = int(self.counters[NODES])
        return Nodes._make([column[:count] for column in self.nodes])

    @property
    def is_long(self) -> bool:
        """Whether the arrays are too long to be kept for another search."""
        return self.nodes.outcome.size > _MOST_NODES_KEPT

    @property
    def is_short(self) -> bool:
        """Whether the arrays are so short that a process may keep some."""
        return self.nodes.outcome.size <= _FEW_NODES

    def plant(self, longest: int) -> None:
        """Begin a new tree in the same arrays, for games of at most `longest` moves."""
        nodes = self.nodes
        nodes.visits[0], nodes.values[0], nodes.widths[0] = 0.0, 0.5, np.inf
        nodes.variances[:1], nodes.priors[:1] = 0.0, 1.0
        nodes.child[0], nodes.children[0], nodes.move[0], nodes.outcome[0] = -1, -1, -1, UNDECIDED
        self.table = self._slots(nodes.outcome.size)
        self.counters[:] = 0
        self.counters[NODES], self.counters[LONGEST] = 1, longest

    def plant_children(self, moves: npt.NDArray[np.int64], priors: Sequence[float]) -> None:
        """Give a new root its children, with their priors."""
        nodes, children = self.nodes, slice(1, 1 + moves.size)
        nodes.child[0], nodes.children[0] = 1, moves.size
        nodes.visits[children], nodes.values[children], nodes.widths[children] = 0.0, self._initial, np.inf
        nodes.child[children], nodes.children[children], nodes.move[children], nodes.outcome[children] = (
            -1,
            -1,
            moves,
            UNSEEN,
        )
        nodes.variances[children], nodes.priors[children] = 0.0, priors
        self.counters[NODES] = 1 + moves.size

    def make_room(self) -> None:
        """Make the arrays longer or, at the memory limit, let the search go on without new nodes."""
        room = self.nodes.outcome.size
        if room == self._most_nodes:
            self.counters[FROZEN] = 1
            return
        size = min(2 * room, self._most_nodes)
        for name, kind in self._columns:  # copy and free one column at a time
            longer: Any = np.empty(size, kind)
            longer[:room] = getattr(self.nodes, name)[:room]
            if (
                name == "outcome"
            ):  # the last, which says what room there is: an interrupt before it leaves all as it was
                self._refill(size, np.empty(0, np.int32))
            self.nodes = self.nodes._replace(**{name: longer})

    def advanced(self, moves: Sequence[int], longest: int) -> tuple[Tree, bool]:
        """Return the subtree that these moves lead to, and whether it exists; if it does not, a new tree.

        This tree stays as it is.
        """
        tree = copy.copy(self)
        tree.counters = self.counters.copy()
        return tree, tree._keep(moves, longest)

    def _keep(self, moves: Sequence[int], longest: int) -> bool:
        """Keep the subtree that these moves lead to, in arrays of its own; return whether it exists."""
        nodes, node = self.nodes, self._node_after(moves)
        known = node is not None and bool(nodes.visits[node] > 0.0)
        self.nodes = _room(nodes.outcome.size if known else self._first_nodes, self._columns)
        if node is None or not known:
            self.plant(longest)
            return False
        late = self.counters[LATE] or self.counters[FROZEN]
        self.counters[:] = 0
        self.counters[LATE] = late  # nodes that had no room for children may get them now
        self.counters[LONGEST] = longest
        where = np.full(nodes.outcome.size if self._transpositions else 0, -1, dtype=np.int32)
        self.counters[NODES] = copy_subtree(nodes, node, self.nodes, where)
        first, count = int(self.nodes.child[0]), int(self.nodes.children[0])
        outcomes = self.nodes.outcome[first : first + max(count, 0)]
        if not (outcomes == WON).any() and (count < 0 or np.isin(outcomes, (UNDECIDED, UNSEEN)).any()):
            self.nodes.outcome[0] = UNDECIDED  # tactics or an exact search may have decided it; its move is to be found
        self._refill(self.nodes.outcome.size, where)
        return True

    def _node_after(self, moves: Sequence[int]) -> int | None:
        nodes, node = self.nodes, 0
        for move in moves:
            first, count = int(nodes.child[node]), max(int(nodes.children[node]), 0)
            matches = np.flatnonzero(nodes.move[first : first + count] == move)
            if not matches.size:
                return None
            node = first + int(matches[0])
        return node

    def _slots(self, size: int) -> Table:
        """Return an empty table of positions for a tree of a size, without slots unless it has transpositions."""
        slots = 1 << (size.bit_length() - 1) if self._transpositions else 0
        return Table(np.empty(slots, np.uint64), np.empty(slots, np.int32), np.zeros(slots, np.int16))

    def _refill(self, size: int, where: npt.NDArray[np.int32]) -> None:
        """Make a table for new arrays of a size, in which node i has index where[i], or i if `where` is empty."""
        if self._transpositions:
            table = self._slots(size)
            refill(self.table, where, table)
            self.table = table


def _nodes_for(simulations: int) -> int:
    """Return how many nodes a search of so many simulations begins with, so that it seldom has to make room."""
    nodes = FIRST_NODES
    while nodes < _NODES_A_SIMULATION * simulations and nodes < MOST_FIRST_NODES:
        nodes *= 2
    return nodes


def _columns(needs_variances: bool, needs_priors: bool) -> Columns:
    """Return the names and types of the node arrays that a search needs."""
    return [
        ("visits", np.float64),
        ("values", np.float64),
        ("widths", np.float64),
        *([("variances", np.float64)] if needs_variances else []),
        *([("priors", np.float64)] if needs_priors else []),
        ("child", np.int32),
        ("children", np.int16),
        ("move", np.int16),
        ("outcome", np.int8),
    ]


def _room(count: int, columns: Columns) -> Nodes:
    """Return arrays for `count` nodes; unwritten pages take no memory."""
    arrays: dict[str, npt.NDArray[np.generic]] = {name: np.empty(count, kind) for name, kind in columns}
    return Nodes(**{"variances": np.empty(0), "priors": np.empty(0), **arrays})  # type: ignore[arg-type]
