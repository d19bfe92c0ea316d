"""UCT: search a game tree with a rule of the bandits package, for a number of simulations or for a time.

Values lie in [0, 1] for the side that makes the move: 1 a win, 1/2 a draw, 0 a loss. At every node the rule ucb is

    mean + c sqrt(ln t / n)        n visits of the child, t = 1 + the visits of all children

Where results are -1, 0 and 1, means and their distances are twice ours, and so is the constant that explores as much:

    OpenSpiel (MCTSBot, uct_c)                 mean of [-1, 1] + uct_c sqrt(ln N / n)           uct_c = 2 c
    puissance4 (agent/uct.py, facteur_uct)     mean of [-1, 1] + facteur_uct sqrt(ln N / n)     facteur_uct = 2 c

so that our default c = 1 is uct_c = 2 there, OpenSpiel's customary 2 is 1 here, and puissance4's default 0.01 is 0.005.
N is the visits of the node. puissance4's result of a leaf is the best first move's wins less losses over 8 playouts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits import UCB, Policy
from bandits.hooks import IndexRule
from mcts.policy import HORIZON, children_up_to
from mcts.position import game_of, legal_moves
from mcts.result import SearchResult
from mcts.streams import TREE, streams_of
from numerics import checks, importing
from numerics.game import UNDECIDED, Playable

if TYPE_CHECKING:
    from mcts.parallel import ParallelSearch
    from mcts.transposition_kernel import Table
    from mcts.tree_kernel import Tree

Prior = str | Sequence[float] | npt.NDArray[np.float64]

SIMULATIONS = 10_000  # of a search without a budget
LEAST_MEMORY = 1_000_000  # bytes
_GIB = 1024**3
_FIRST_NODES = 4_096  # room for a short search; longer ones double it
_MOST_NODES_KEPT = 2**18  # of arrays that lie ready for the next search
_MOST_NODES = 2**31 - 1  # a child is an int32
_MOST_SIMULATIONS = 10**12
_MOST_MOVES = 2**15 - 1  # a move, and a number of children, is an int16
_CHECK = 0.002  # seconds between two looks at the clock, about
_FIRST_CHUNK = 64  # simulations before the first look
_COPIED_BYTES = 4  # a node's share of the one column of a tree half as long that lies beside its longer copy
_SLOT_BYTES = 14  # of the table of positions; it has no more slots than the tree has nodes


class Search:
    """A search that can go on: its tree grows with every call of `run` or `run_for`.

    Parameters
    ----------
    board : object with a ``game``
        The position, such as a ``connect4.Board``; not changed.
    rule : Policy, default UCB(c=1.0)
        The index policy that selects children; its scores are for values in [0, 1].
    simulations : int, optional
        The length of the whole search, told to rules that know their horizon.
    seed : int, default 0
        At least 0; the same seed gives the same visits to the last bit on any machine.
    playouts : str, default "uniform"
        The game's rollout; Connect 4 has "uniform" and "biased" (wins at once, else blocks, else uniform).
    playouts_per_leaf : int, default 1
        Their mean is the result of one simulation.
    solve : bool, default False
        Back up proven wins, losses and draws, and stop when the root is proven. A draw is proven only once everything
        else has been tried, for which some rules explore too little.
    transpositions : bool, default False
        Positions that different orders of moves reach have the same children, with the visits and values of all ways
        there. They are told apart by a 64-bit key: of b expanded positions two share one wrongly with probability about
        b^2 / 2^65.
    prior : str or sequence of float, optional
        For a rule that reads priors, such as puct: a prior of the game's by name, for every position (Connect 4 has
        "lines", each column's share of the winning lines through the cell where a stone would land); or a probability
        for each legal move of the root, in increasing order. Equal ones otherwise.
    memory : int, default 2 GiB
        Bytes for the tree, at most; a full tree goes on without new nodes. Only where a tree is kept for a later
        position, what is kept of it is there twice while it is copied.
    rng : uint64[3, 4], optional
        The streams of the rule, of the order of moves and of the playouts, which advance; made from the seed unless
        given.

    Raises
    ------
    ValueError
        A finished board, a policy that is no index policy, or a number out of its range.
    """

    def __init__(
        self,
        board: Playable,
        rule: Policy | None = None,
        *,
        simulations: int | None = None,
        seed: int = 0,
        playouts: str = "uniform",
        playouts_per_leaf: int = 1,
        solve: bool = False,
        transpositions: bool = False,
        prior: Prior | None = None,
        memory: int = 2 * _GIB,
        rng: npt.NDArray[np.uint64] | None = None,
    ):
        self._begun = time.perf_counter()
        self.policy = UCB(c=1.0) if rule is None else rule
        with importing.uncollected():
            self.game = game_of(board)
            hooks = index_hooks(self.policy, horizon=simulations is not None)
            from mcts import tree_kernel as kernel
            from numerics.addresses import address_of
        if self.game.most_moves > _MOST_MOVES:
            raise ValueError(f"board must have at most {_MOST_MOVES:,} moves; got {self.game.most_moves:,}")
        if playouts not in self.game.rollouts:
            raise ValueError(f"playouts must be one of {', '.join(self.game.rollouts)}; got {playouts!r}")
        checks.whole("playouts_per_leaf", playouts_per_leaf, 1)
        memory = checks.whole("memory", memory, LEAST_MEMORY)
        self.policy.probe(children_up_to(self.game.most_moves), simulations or HORIZON)
        rule_hook = hooks.rule
        self._method = hooks.method()
        self._options = kernel.Options(
            horizon=float(simulations or 0), weighs=rule_hook.reads("priors"), playouts=int(playouts_per_leaf),
            solve=bool(solve),
        )  # fmt: skip
        at_root, hook = self._prior(prior, hooks)
        with importing.uncollected():
            rule_itself = rule_hook.pointed
        parts = (rule_itself, self.game.legal, self.game.play, self.game.outcome, self.game.rollouts[playouts])
        self._compiled = tuple(address_of(part) for part in (*hook, *parts))
        self._rng = streams_of(seed, TREE) if rng is None else rng
        self._columns = _columns(self._method.spreads, self._options.weighs)
        bytes_a_node = sum(np.dtype(kind).itemsize for _, kind in self._columns) + _SLOT_BYTES * bool(transpositions)
        bytes_a_node += _SLOT_BYTES // 2 if transpositions else _COPIED_BYTES  # what lies twice while room is made
        least = (1 + self.game.most_moves) * bytes_a_node
        if memory < least:
            raise ValueError(f"memory must be at least {least} bytes for the root and its moves; got {memory}")
        self._most_nodes = min(_MOST_NODES, memory // bytes_a_node)
        self._transpositions = bool(transpositions)
        self._tree = _room(min(_FIRST_NODES, self._most_nodes), self._columns)
        self._table = self._slots()
        self._counters = np.zeros(kernel.COUNTERS, dtype=np.int64)
        self._counters[kernel.LONGEST] = self.game.most_plies
        self._seconds = 0.0
        self._plant()
        if at_root is not None:
            self._plant_moves(at_root)

    def _prior(self, prior: Prior | None, hooks: Any) -> tuple[npt.NDArray[np.float64] | None, tuple[Any, ...]]:
        """Return the priors of the root, if they are given, and the game's hook in a tuple, or none in an empty one."""
        if prior is None:
            return None, ()
        if not hooks.rule.reads("priors"):
            raise ValueError(f"prior must be left out unless the rule reads it, as puct does; got {self.policy.name}")
        if isinstance(prior, str):
            if prior not in self.game.priors:
                raise ValueError(f"prior must be one of {', '.join(self.game.priors) or 'none here'}; got {prior!r}")
            return None, (self.game.priors[prior],)
        moves = legal_moves(self.game)
        values = np.array([checks.number("prior", value, 0.0, 1.0) for value in prior])
        if values.size != moves.size:
            raise ValueError(f"prior must have a number for each of the {moves.size} legal moves; got {values.size}")
        if abs(values.sum() - 1.0) > 1e-6:
            raise ValueError(f"prior must sum to 1; got {values.sum():g}")
        return values, ()

    def _slots(self) -> Table:
        """Return an empty table of positions for the tree, none without transpositions."""
        from mcts.transposition_kernel import Table

        slots = 1 << (self._tree.visits.size.bit_length() - 1) if self._transpositions else 0
        return Table(np.empty(slots, np.uint64), np.empty(slots, np.int32), np.zeros(slots, np.int16))

    def run(self, simulations: int) -> None:
        """Run some more simulations, fewer if the root is proven."""
        left = checks.whole("simulations", simulations, 1, most=_MOST_SIMULATIONS)
        start, self._begun = time.perf_counter(), 0.0
        while left > 0 and self.proven is None:
            left -= self._grow(left)
        self._seconds += time.perf_counter() - start

    def run_for(self, seconds: float, simulations: int | None = None) -> None:
        """Search for some time, less if the root is proven or after a number of simulations."""
        start = self._begun or time.perf_counter()  # what it took to set up a new search counts too
        self._begun = 0.0
        seconds = checks.number("seconds", seconds, 0.0, above=True)
        left_to_run = _MOST_SIMULATIONS if simulations is None else checks.whole("simulations", simulations, 1)
        chunk = _FIRST_CHUNK
        while self.proven is None and left_to_run > 0:
            before = time.perf_counter()
            done = self._grow(min(chunk, left_to_run))
            left_to_run -= done
            now = time.perf_counter()
            left = seconds - (now - start)
            if left <= 0.0:
                break
            if done > 0:  # none where only the arrays were made longer
                rate = done / max(now - before, 1e-9)
                chunk = max(1, int(rate * min(left, max(_CHECK, left / 4.0))))
        self._seconds += time.perf_counter() - start

    def spend(self, simulations: int | None, seconds: float | None) -> None:
        """Run simulations, or for a time, or until the first of both."""
        if seconds is not None:
            self.run_for(seconds, simulations)
        elif simulations is not None:
            self.run(simulations)

    def _grow(self, simulations: int) -> int:
        """Call the kernel, with a longer tree when it asks; return how many simulations were run."""
        from mcts import tree_kernel as kernel

        before = int(self._counters[kernel.DONE])
        grow: Any = kernel.grow
        if len(self._compiled) > 5:
            from mcts import prior_kernel

            grow = prior_kernel.grow
        status = grow(
            *self._compiled, self._method, self._options, self.game.state, simulations, self._tree, self._table,
            self._rng, self._counters, self.game.most_moves,
        )  # fmt: skip
        if status == kernel.FULL:
            room = self._tree.visits.size
            if room < self._most_nodes:
                shorter = self._tree._asdict()
                del self._tree
                self._tree = _longer(shorter, min(2 * room, self._most_nodes), self._columns)
                self._refill(self._table, np.empty(0, np.int32))
            else:
                self._counters[kernel.FROZEN] = 1
        return int(self._counters[kernel.DONE]) - before

    def advance(self, board: Playable, moves: Sequence[int]) -> bool:
        """Go on from a later position of the same game, keeping what the tree knows of it.

        Parameters
        ----------
        board : object with a ``game``
            The later position.
        moves : sequence of int
            The moves from the last position to it.

        Returns
        -------
        bool
            Whether the tree knew the position; where not, the search has begun afresh.
        """
        from mcts import tree_kernel as kernel

        self._begun = time.perf_counter()
        self.game = game_of(board)
        tree, node = self._tree, 0
        for move in moves:
            first, count = int(tree.child[node]), max(int(tree.children[node]), 0)
            found = np.flatnonzero(tree.move[first : first + count] == move)
            node = first + int(found[0]) if count and found.size else -1
            if node < 0:
                break
        known = node >= 0 and tree.visits[node] > 0.0
        self._tree = _room(tree.visits.size if known else min(_FIRST_NODES, self._most_nodes), self._columns)
        late = self._counters[kernel.LATE] or self._counters[kernel.FROZEN]
        self._counters[:] = 0
        self._counters[kernel.LONGEST] = self.game.most_plies
        if known:
            self._counters[kernel.LATE] = late  # nodes without room for children may get some now
            move_subtree: Any = kernel.move_subtree
            where = np.full(tree.visits.size if self._transpositions else 0, -1, dtype=np.int32)
            self._counters[kernel.NODES] = move_subtree(tree, node, self._tree, where)
            self._refill(self._table, where)
        else:
            self._table = self._slots()
            self._plant()
        return known

    def begin_again(self, board: Playable, rng: npt.NDArray[np.uint64]) -> bool:
        """Forget the tree and begin at a position, as a new search with other streams would, but in the same arrays.

        Returns
        -------
        bool
            Whether it could: a position of the same kind of game, with as many moves at most, fits; and arrays that
            have become very long are better given back.
        """
        from mcts import tree_kernel as kernel

        begun, game = time.perf_counter(), game_of(board)
        same = game.legal is self.game.legal and game.most_moves == self.game.most_moves
        if not same or self._tree.visits.size > _MOST_NODES_KEPT:
            return False
        self._begun, self.game, self._rng, self._seconds = begun, game, rng, 0.0
        self._counters[:] = 0
        self._counters[kernel.LONGEST] = game.most_plies
        self._table = self._slots()
        self._plant()
        return True

    def __getstate__(self) -> dict[str, Any]:
        """Refuse to be pickled: the addresses of hooks mean nothing in another process."""
        raise TypeError("a search cannot be sent to another process; its result can")

    def _refill(self, table: Table, where: npt.NDArray[np.int32]) -> None:
        """Make a new table of positions for a new tree."""
        if self._transpositions:
            from mcts import transposition_kernel

            self._table = self._slots()
            refill: Any = transposition_kernel.refill
            refill(table, where, self._table)

    def _plant(self) -> None:
        """Make the root."""
        from mcts import tree_kernel as kernel

        tree = self._tree
        tree.visits[0], tree.values[0], tree.widths[0] = 0.0, 0.5, np.inf
        tree.variances[:1], tree.priors[:1] = 0.0, 1.0
        tree.child[0], tree.children[0], tree.move[0], tree.outcome[0] = -1, -1, -1, UNDECIDED
        self._counters[kernel.NODES] = 1

    def _plant_moves(self, priors: npt.NDArray[np.float64]) -> None:
        """Give the root its children, with priors that belong to the legal moves in increasing order."""
        from mcts import tree_kernel as kernel
        from mcts.shuffle import shuffle

        moves = np.sort(legal_moves(self.game))
        given = dict(zip(moves.tolist(), priors.tolist(), strict=True))
        with np.errstate(over="ignore"):  # the words of the stream wrap round, of which plain Python would warn
            shuffle(moves, moves.size, self._rng)  # type: ignore[no-untyped-call]
        tree, nodes = self._tree, slice(1, 1 + moves.size)
        tree.child[0], tree.children[0] = 1, moves.size
        tree.visits[nodes], tree.values[nodes], tree.widths[nodes] = 0.0, self._method.initial, np.inf
        tree.child[nodes], tree.children[nodes], tree.move[nodes], tree.outcome[nodes] = -1, -1, moves, kernel.UNSEEN
        tree.priors[nodes] = [given[move] for move in moves.tolist()]
        tree.variances[nodes] = 0.0
        self._counters[kernel.NODES] = 1 + moves.size

    @property
    def proven(self) -> float | None:
        """The proven value of the position for the side to move: 1, 1/2 or 0; None while it is not known."""
        known = int(self._tree.outcome[0])
        return None if known == UNDECIDED else 0.5 - 0.5 * known

    def result(self) -> SearchResult:
        """Return what is known now; later simulations do not change it."""
        return self._found(copied=True)

    def choose(self, by: str = "visits") -> int:
        """Return the move to play; see `SearchResult.choose`."""
        return self._found(copied=False).choose(by)

    def _found(self, *, copied: bool) -> SearchResult:
        from mcts import tree_kernel as kernel

        nodes = int(self._counters[kernel.NODES])
        parts = {name: getattr(self._tree, name)[:nodes] for name in self._tree._fields}
        return SearchResult(
            policy=self.policy,
            tree=kernel.Tree(**{name: part.copy() if copied else part for name, part in parts.items()}),
            simulations=int(self._counters[kernel.DONE]), depth=int(self._counters[kernel.DEEPEST]),
            seconds=self._seconds, full=bool(self._counters[kernel.FROZEN]), horizon=self._options.horizon,
        )  # fmt: skip


def search(
    board: Playable,
    rule: Policy | None = None,
    simulations: int | None = None,
    seconds: float | None = None,
    *,
    workers: int = 1,
    **options: Any,
) -> SearchResult:
    """Search a position for a number of simulations, for a time, or until the first of both.

    Parameters
    ----------
    board : object with a ``game``
        The position, such as a ``connect4.Board``; not changed.
    rule : Policy, default UCB(c=1.0)
        The index policy that selects children.
    simulations : int, optional
        At least 1; 10,000 when neither this nor `seconds` is given.
    seconds : float, optional
        Above 0, of wall time.
    workers : int, default 1
        Independent searches in as many threads, which share the simulations; see `mcts.parallel`.
    **options
        Of `Search`: seed, playouts, playouts_per_leaf, solve, transpositions, prior, memory.

    Returns
    -------
    SearchResult
        Visits and values of the moves, the best move, the principal variation, the tree.

    Raises
    ------
    ValueError
        A finished board, a policy that is no index policy, or a number out of its range.

    Examples
    --------
    >>> from bandits import UCB
    >>> from connect4 import Board
    >>> search(Board.from_moves("112233"), rule=UCB(c=1.0), simulations=1_000, seed=0).best_move
    3
    """
    check_budget(simulations, seconds)
    if simulations is None and seconds is None:
        simulations = SIMULATIONS
    running = begin(board, rule, workers=workers, simulations=simulations, **options)
    running.spend(simulations, seconds)
    return running.result()


def begin(board: Playable, rule: Policy | None = None, *, workers: int = 1, **options: Any) -> Search | ParallelSearch:
    """Return a search of one worker or of several, with the options of `Search`."""
    if workers == 1:
        return Search(board, rule, **options)
    from mcts.parallel import ParallelSearch

    return ParallelSearch(board, rule, workers=workers, **options)


def check_budget(simulations: int | None, seconds: float | None) -> None:
    """Refuse a budget that is none, before any work."""
    if simulations is not None:
        checks.whole("simulations", simulations, 1, most=_MOST_SIMULATIONS)
    if seconds is not None:
        checks.number("seconds", seconds, 0.0, above=True)


def index_hooks(policy: Policy, *, horizon: bool) -> Any:
    """Return the hooks of an index policy.

    Raises
    ------
    ValueError
        Not a policy, one that chooses without an index, or one that needs a horizon where there is none.
    """
    if not isinstance(policy, Policy):
        raise ValueError(f"rule must be a policy such as UCB(c=1.0), or made by bandits.make('ucb'); got {policy!r}")
    hooks = policy.hooks()
    if not isinstance(hooks.rule, IndexRule):
        raise ValueError(f"rule must be an index policy, such as ucb, kl_ucb or thompson; got {policy.name}")
    if not horizon and hooks.rule.reads("horizon"):
        raise ValueError(f"rule must not need the horizon where a clock decides; got {policy.name}; give simulations")
    return hooks


def _columns(spreads: bool, weighs: bool) -> list[tuple[str, type]]:
    """Return the node arrays that a search needs, and their types."""
    return [
        ("visits", np.float64), ("values", np.float64), ("widths", np.float64),
        *([("variances", np.float64)] if spreads else []), *([("priors", np.float64)] if weighs else []),
        ("child", np.int32), ("children", np.int16), ("move", np.int16), ("outcome", np.int8),
    ]  # fmt: skip


def _room(nodes: int, columns: Sequence[tuple[str, type]]) -> Tree:
    """Return room for a tree; what is never written takes no memory."""
    from mcts.tree_kernel import Tree

    arrays: dict[str, Any] = {name: np.empty(nodes, kind) for name, kind in columns}
    return Tree(**{"variances": np.empty(0), "priors": np.empty(0), **arrays})


def _longer(shorter: dict[str, Any], nodes: int, columns: Sequence[tuple[str, type]]) -> Tree:
    """Return a tree with room for more nodes; of the shorter one a column at a time is copied and let go."""
    from mcts.tree_kernel import Tree

    for name, kind in columns:
        longer: npt.NDArray[Any] = np.empty(nodes, kind)
        before = shorter.pop(name)
        longer[: before.size] = before
        shorter[name] = longer
        del before  # before the next column is made
    return Tree(**shorter)
