"""UCT: search a game tree with a policy of the bandits package, for a number of simulations or for a time.

Values lie in [0, 1] for the side that makes the move: 1 a win, 1/2 a draw, 0 a loss. At every node UCB1 scores a child

    mean + c sqrt(ln t / n)        n visits of the child, t = 1 + the visits of all children

Where results are -1, 0 and 1, means and their distances are twice ours, and so is the constant that explores as much:

    OpenSpiel (MCTSBot, uct_c)                 mean of [-1, 1] + uct_c sqrt(ln N / n)           uct_c = 2 c
    puissance4 (agent/uct.py, facteur_uct)     mean of [-1, 1] + facteur_uct sqrt(ln N / n)     facteur_uct = 2 c

so that our default c = 1 is uct_c = 2 there, OpenSpiel's customary 2 is 1 here, and puissance4's default 0.01 is 0.005.
N is the visits of the node. puissance4's result of a leaf is the best first move's wins less losses over 8 playouts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypedDict

import numpy as np
import numpy.typing as npt

from bandits import Policy
from mcts.at_root.policies import AtRoot, recommends_by, root_policy_of
from mcts.at_root.priors import Prior, priors_of_root
from mcts.clocks import Clocks
from mcts.exact import POSITIONS, ExactSearch
from mcts.kernels.distances import measure, no_plies, unknown_plies
from mcts.kernels.nodes import Nodes, copy_subtree
from mcts.kernels.transpositions import refill
from mcts.kernels.tree import (
    DEEPEST,
    DONE,
    FROZEN,
    FULL,
    NODES,
    UNPREPARED,
    Options,
    Scratch,
    SearchHooks,
    equal_priors,
    grow,
)
from mcts.ordinary.boards import game_of, keep_board, names_of, shares
from mcts.policy import IN_A_TREE, index_rule_of
from mcts.result import SearchResult
from mcts.scratch import scratch_for
from mcts.streams import STREAMS, checked_streams, shuffle, streams_of
from mcts.tree import LEAST_MEMORY, MEMORY, Tree
from numerics import checks
from numerics.games import DRAWN, UNDECIDED, Game, Playable
from numerics.kernels.addresses import address_of, entry_of
from numerics.kernels.jit import compile_elsewhere, compile_now
from numerics.kernels.users import user_errors
from numerics.random import Purpose

MOST_SIMULATIONS = 10**12
_MOST_MOVES = 2**15 - 1  # a move, and a number of children, is an int16
_FIRST_CHUNK = 1  # simulation before the first look at the clock: it may play a long game in Python


class SearchOptions(TypedDict, total=False):
    """The options of `Search` that several searches of one position share."""

    root_policy: Policy | str | Mapping[str, Any] | None
    playouts: str
    playouts_per_leaf: int
    solve: bool
    transpositions: bool
    tactics: bool
    exact: bool
    prior: Prior | None


class Search:
    """A search that can go on: its tree grows with every call of `run` or `run_for`.

    Threads that use one search take turns; the tree is that of all their simulations one after another.

    Parameters
    ----------
    board : object with a ``game``
        The position, such as a ``connect4.Board``; not changed.
    policy : Policy, str or mapping, default "ucb"
        The index policy that selects children; its scores are for values in [0, 1]. A text such as ``"ucb c=0.7"``, or
        a mapping such as ``{"name": "ucb", "c": 0.7}``, stands for a policy; c of ucb is 1 unless given.
    simulations : int, optional
        The length of the whole search, the horizon of policies that need one.
    seed : int, default 0
        At least 0; the same seed gives the same visits to the last bit on any machine.
    root_policy : Policy, str or mapping, optional
        Policy at the root, if another one than `policy`, such as "sequential_halving" or "kl_lucb". An index policy, or
        one that depends only on visits and values. A policy that plans does so for `simulations` and the legal moves.
        Once `solve` proves one of the moves, it plans again for what is left of both. It also plans again for a later
        position, and then counts only the simulations of that position.
    playouts : str, default "uniform"
        The game's playouts by name. In Connect 4 they are "uniform", "biased" (wins at once, else blocks, else
        uniform) and "careful" (wins at once, else gives no cell away where a side would win).
    playouts_per_leaf : int, default 1
        Their mean is the result of one simulation.
    solve : bool, default False
        Back up proven wins, losses and draws, and stop when the root is proven. A draw is proven only once everything
        else has been tried, for which some policies explore too little.
    transpositions : bool, default False
        Positions that different orders of moves reach have the same children, with the visits and values of all ways
        there. They are told apart by a 64-bit key: of b expanded positions two share one wrongly with probability about
        b^2 / 2^65.
    tactics : bool, default False
        Leave out moves that lose at once, and see an end that threats decide before it comes: Connect 4 has
        tactics, see `connect4.kernels.tactics`. The result does not list a move that is left out.
    exact : bool, default False
        Search the moves of the root exactly beside the simulations, by a hook of the game. The exact search visits
        sixteen positions for each simulation. Once the root is proven, it goes on for as long as the budget lasts, to
        find how soon the game ends. Connect 4 has such a hook. Needs `solve`.
    prior : str or sequence of float, optional
        For a policy that reads priors, such as puct. A text names a prior of the game, for every position. Connect 4
        has "lines", each column's share of the winning lines through the cell where a stone would land. A sequence has
        a probability for each legal move of the root, in increasing order. Equal ones otherwise.
    memory : int, default 2 GiB
        Bytes for the tree, at most; in a full tree the search goes on without new nodes. When a tree is kept for a
        later position, the kept part occupies memory twice while it is copied.
    rng : uint64[3, 4], optional
        The streams of the policy, of the order of moves and of the playouts, which the search advances; made from the
        seed by default.

    Raises
    ------
    ValueError
        A finished board, a policy that is no index policy, or a number out of its range.
    """

    game: Game
    _board: Any
    _exact: ExactSearch | None
    _measured: npt.NDArray[np.int64] | None
    _wanted: int  # simulations, also those that a proof makes needless

    def __init__(
        self,
        board: Playable,
        policy: Policy | str | Mapping[str, Any] = "ucb",
        *,
        simulations: int | None = None,
        seed: int = 0,
        root_policy: Policy | str | Mapping[str, Any] | None = None,
        playouts: str = "uniform",
        playouts_per_leaf: int = 1,
        solve: bool = False,
        transpositions: bool = False,
        tactics: bool = False,
        exact: bool = False,
        prior: Prior | None = None,
        memory: int = MEMORY,
        rng: npt.NDArray[np.uint64] | None = None,
    ):
        self._turn = threading.RLock()  # of the threads that use the tree: the kernel does not hold the interpreter's
        if simulations is not None:
            simulations = checks.check_whole("simulations", simulations, 1, most=MOST_SIMULATIONS)
        compile_elsewhere(grow)
        self._tactics, self._is_exact, self._length, self._playouts = bool(tactics), bool(exact), simulations, playouts
        self.game, self._board = self._game_of(board), keep_board(board)
        self.policy: Policy = IN_A_TREE.of(policy, "policy")
        self._rule = index_rule_of(self.policy, horizon=simulations is not None)
        self._check_game(solve=bool(solve))
        leaf, memory = (
            checks.check_whole("playouts_per_leaf", playouts_per_leaf, 1),
            checks.check_whole("memory", memory, LEAST_MEMORY),
        )
        self.policy.probe()
        at_root = root_policy_of(root_policy, self.policy, simulations)
        self._options = self._options_of(at_root, leaf, solve=bool(solve))
        self._at_root = AtRoot(at_root, self.game.most_moves, simulations or 0)
        priors = priors_of_root(prior, self.game, self.policy, read=self._options.needs_priors)
        self._prior, self._params = (
            prior if isinstance(prior, str) else None,
            np.array(self.policy.spec().params, float),
        )
        self._hooks = self._addresses(self.game)
        self._shares = bool(transpositions) or shares(self.game)
        self._load(transpositions=self._shares, orders=priors is not None)
        self._begun, processor, self._seconds = time.perf_counter(), time.thread_time(), 0.0
        self._rng = streams_of(seed, Purpose.TREE_SEARCH) if rng is None else checked_streams(rng)
        self._tree = Tree(self._options, transpositions=self._shares, memory=memory, simulations=simulations or 0)
        self._scratch, self._is_planted = scratch_for(self.game, self.policy.spec()), False
        self.__dict__.update(self._of_root(self.game, self._board))
        self._settle()
        if priors is not None:
            self._plant_children(priors)
        self._set_up = time.thread_time() - processor  # processor time before the first simulation

    def _check_game(self, *, solve: bool) -> None:
        """Refuse a game that is too wide, or that lacks what the search needs."""
        if self.game.most_moves > _MOST_MOVES:
            raise ValueError(f"board must have at most {_MOST_MOVES:,} moves; got {self.game.most_moves:,}")
        self.game.playout(self._playouts)
        if self._is_exact:
            self.game.exact_search()
            if not solve:
                raise ValueError("exact must be false unless solve is true")

    def _options_of(self, at_root: Policy | None, playouts: int, *, solve: bool) -> Options:
        """Return what the kernel needs to know."""
        needs = {*self._rule.needs, *(at_root.spec().rule.needs if at_root is not None else ())}
        return Options(
            horizon=float(self._length or 0),
            estimates=self.policy.spec().estimates,
            needs_variances="variances" in needs,
            needs_priors="priors" in needs,
            playouts=playouts,
            solve=solve,
            most_moves=self.game.most_moves,
            pass_move=-1 if self.game.pass_move is None else self.game.pass_move,
        )

    def _plant_children(self, priors: Sequence[float]) -> None:
        """Make the root's children, in random order, with priors of a user's: one for each move in increasing order."""
        moves = np.sort(self.game.legal_moves())
        given = dict(zip(moves.tolist(), priors, strict=True))
        with np.errstate(over="ignore"):  # the words of the stream wrap round, of which plain Python would warn
            shuffle(moves, moves.size, self._rng)
        self._tree.plant_children(moves, [given[move] for move in moves.tolist()])

    def _load(self, *, transpositions: bool, orders: bool) -> None:
        """Load, or compile, what the search calls: a process does it once, and no budget in time pays for it."""
        entry_of(grow)
        if transpositions:
            compile_now(refill)
        if orders:
            shuffle(np.empty(0, np.int64), 0, np.ones((STREAMS, 4), np.uint64))
        if self._is_exact:
            compile_now(self.game.exact_search().narrow)
        if self._options.solve:
            compile_now(measure)

    def _of_root(self, game: Game, board: Any) -> dict[str, Any]:
        """Return the attributes that belong to a root, as they are before the first simulation."""
        exact = ExactSearch(game_of(board), self._length) if self._is_exact else None
        return {"game": game, "_board": board, "_exact": exact, "_measured": None, "_wanted": 0}

    def _game_of(self, board: Playable) -> Game:
        game = game_of(board)
        return game.tactical() if self._tactics else game

    def _addresses(self, game: Game) -> SearchHooks:
        """Load the hooks of a game and return their addresses."""
        playout, prior = game.playout(self._playouts), self._prior
        parts = [self._rule.pointed, game.legal, game.play, game.outcome, playout]
        if self._options.needs_priors:
            parts.append(equal_priors if prior is None else game.prior(prior))
        addresses = [address_of(part) for part in parts]
        return SearchHooks._make(addresses if self._options.needs_priors else [*addresses, 0])

    def run(self, simulations: int) -> None:
        """Run some more simulations, fewer if the root is proven."""
        simulations = checks.check_whole("simulations", simulations, 1, most=MOST_SIMULATIONS)
        start, self._begun, self._set_up = time.perf_counter(), 0.0, 0.0
        with self._turn:
            self._go_on(simulations, None)
            self._seconds += time.perf_counter() - start

    def run_for(
        self, seconds: float | None = None, simulations: int | None = None, *, cpu_seconds: float | None = None
    ) -> None:
        """Search for some time on the clock, or of this thread's processor time, or until the first of both.

        It takes less if the root is proven, or after a number of simulations. Loading and compiling, which the first
        search of a process does, are over before the time begins.
        """
        begun = self._begun or time.perf_counter()  # what it took to make the arrays of a new search counts too
        clocks, self._begun, self._set_up = Clocks(seconds, cpu_seconds, begun, self._set_up), 0.0, 0.0
        most = MOST_SIMULATIONS
        if simulations is not None:
            most = checks.check_whole("simulations", simulations, 1, most=MOST_SIMULATIONS)
        self._go_on(most, clocks)
        with self._turn:
            self._seconds += time.perf_counter() - begun

    def _go_on(self, simulations: int, clocks: Clocks | None) -> None:
        """Run simulations, and the exact search in turn, until time is over or there is nothing left to do."""
        left, exact, self._wanted = simulations, self._exact, self._wanted + simulations
        chunks = [MOST_SIMULATIONS, MOST_SIMULATIONS]  # of simulations, and of positions of the exact search
        if clocks is not None:
            chunks = [_FIRST_CHUNK, POSITIONS * _FIRST_CHUNK]
            if exact is not None:
                exact.expect(clocks.left)
        while True:
            due = self._positions_due()
            if exact is not None and due > 0:
                with self._turn, user_errors((self.game,)):
                    done, self._measured = exact.search(self._tree.nodes, min(due, chunks[1])), None
            elif left > 0 and self.proven is None:
                until = left if exact is None else exact.until_turn(int(self._tree.counters[DONE]))
                done = self._grow(min(left, chunks[0], until))
                left -= done
            else:
                break
            if clocks is not None and done > 0:  # none where only the arrays were made longer
                chunks[due > 0] = clocks.fitting(done)
                if not chunks[due > 0]:
                    break

    def _positions_due(self) -> int:
        """Return how many positions the exact search looks at before the next simulation."""
        if self._exact is None or self._tree.nodes.children[0] <= 0:
            return 0
        most = None if self.proven is None else POSITIONS * self._wanted
        return self._exact.due(int(self._tree.counters[DONE]), most)

    def spend(self, simulations: int | None, seconds: float | None, cpu_seconds: float | None = None) -> None:
        """Run simulations, or for a time, or until the first of the budgets is spent."""
        if seconds is not None or cpu_seconds is not None:
            self.run_for(seconds, simulations, cpu_seconds=cpu_seconds)
        elif simulations is not None:
            self.run(simulations)

    def _grow(self, simulations: int) -> int:
        """Call the kernel, and make room when it asks; return how many simulations were run."""
        with self._turn:
            self._settle()
            tree = self._tree
            before = int(tree.counters[DONE])
            with user_errors((self._rule, *self._at_root.hooks, self.game)):
                status = entry_of(grow)(  # all arguments are made here, or checked
                    self._hooks,
                    self._options,
                    self._at_root.root,
                    self._params,
                    self.game.state,
                    simulations,
                    tree.nodes,
                    tree.table,
                    self._scratch,
                    self._rng,
                    tree.counters,
                )
            if status == FULL:
                tree.make_room()
            elif status == UNPREPARED:
                self._at_root.prepare(tree.nodes, int(tree.counters[DONE]), solve=self._options.solve)
            return int(tree.counters[DONE]) - before

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
        game = self._game_of(board)
        if names_of(game) is not None:  # whose moves have other numbers in each search
            raise ValueError(f"board must have hooks for a search to go on from it; got {checks.show(board)}")
        if not self._is_like(game):
            raise ValueError(f"board must be a later position of the same game; got {checks.show(board)}")
        compile_now(copy_subtree)
        begun, processor = time.perf_counter(), time.thread_time()
        with self._turn:
            self._settle()
            kept = keep_board(board)
            known = moves if names_of(game) is None else [-1]  # the positions of a class number their moves anew
            tree, is_known = self._tree.advanced(known, game.most_plies)
            self._scratch = self._fitting(game)
            self._at_root.forget()
            self.__dict__.update(self._of_root(game, kept), _tree=tree, _begun=begun)  # at once, or not at all
            self._set_up = time.thread_time() - processor
            return is_known

    def begin_again(self, board: Playable, rng: npt.NDArray[np.uint64]) -> bool:
        """Forget the tree and begin at a position, as a new search with other streams would, but in the same arrays.

        Returns
        -------
        bool
            True if the search could be reused. The new position must be of the same kind of game, with at most as many
            moves. Very long arrays are released instead.
        """
        game = self._game_of(board)
        is_like = self._is_like(game)
        begun, processor = time.perf_counter(), time.thread_time()
        with self._turn:
            if not is_like or self._tree.is_long:
                return False
            words, kept = checked_streams(rng), keep_board(board)
            self._scratch = self._fitting(game)
            self.__dict__.update(
                self._of_root(game, kept), _begun=begun, _rng=words, _seconds=0.0, _is_planted=False
            )  # at once, or not at all
            self._settle()
            self._set_up = time.thread_time() - processor
            return True

    def _settle(self) -> None:
        """Begin the tree of a position that has none yet."""
        if not self._is_planted:
            self._at_root.forget()
            self._tree.plant(self.game.most_plies)
            self._is_planted = True

    def _is_like(self, game: Game) -> bool:
        """Return whether a position has the hooks of this search, and as many moves at most."""
        same = [(each.most_moves, each.pass_move, shares(each)) for each in (game, self.game)]
        return same[0] == same[1] and self._addresses(game) == self._hooks

    def _fitting(self, game: Game) -> Scratch:
        """Return room for a path and a state as long as those of a position."""
        fits = game.most_plies < self._scratch.path.size and game.state.size == self._scratch.state.size
        return self._scratch if fits else scratch_for(game, self.policy.spec())

    def know(self, scores: Mapping[int, int]) -> None:
        """Take scores of the root's moves, as `numerics.games.Narrow` has them, instead of searching these moves.

        It needs `exact`. If all moves are given, the search ends after its first simulations.
        """
        if self._exact is None:
            raise ValueError("exact must be true where scores are known")
        with self._turn:
            self._exact.know(scores)

    @property
    def is_short(self) -> bool:
        """Whether the tree's arrays are short, so that a result copies them at once, and keeping them takes little."""
        return self._tree.is_short

    def __getstate__(self) -> NoReturn:
        """Refuse to be pickled: addresses of hooks mean nothing in another process."""
        raise TypeError("a search cannot be pickled; send its result to another process instead")

    @property
    def proven(self) -> float | None:
        """The proven value of the position for the side to move: 1, 1/2 or 0; None while it is not known."""
        with self._turn:
            self._settle()
            known = int(self._tree.nodes.outcome[0])
        return None if known == UNDECIDED else 0.5 - 0.5 * known

    @property
    def is_finished(self) -> bool:
        """Whether more of a budget can tell nothing: the root is proven, and an exact search knows its score."""
        return self.proven is not None and (self._exact is None or self._exact.solved)

    def result(self, *, copied: bool = True) -> SearchResult:
        """Return what is known now; later simulations do not change it if it is `copied`, which takes time and room."""
        with self._turn:
            return self._found(copied=copied)

    def choose(self, by: str | None = None) -> Any:
        """Return the move to play; see `SearchResult.choose`."""
        with self._turn:
            return self._found(copied=False).choose(by)

    def _found(self, *, copied: bool) -> SearchResult:
        self._settle()
        nodes, counters = self._tree.used, self._tree.counters
        return SearchResult(
            policy=self.policy,
            tree=Nodes._make([column.copy() for column in nodes]) if copied else nodes,
            simulations=int(counters[DONE]),
            depth=int(counters[DEEPEST]),
            seconds=self._seconds,
            full=bool(counters[FROZEN]),
            horizon=self._options.horizon,
            board=self._board,
            plies=self._plies,
            recommends=recommends_by(self._at_root.policy),
            names=names_of(self.game),
            pass_move=self._options.pass_move,
        )

    @property
    def _plies(self) -> npt.NDArray[np.int64]:
        """The plies to the end after each child of a root that is proven won or lost; empty for other roots."""
        tree, game = self._tree, self.game
        if tree.nodes.outcome[0] in (UNDECIDED, DRAWN):
            return np.empty(0, dtype=np.int64)
        if self._measured is None:
            plies = np.full(int(tree.counters[NODES]), -1, dtype=np.int32)
            left: Any = (game.tactics.plies or unknown_plies) if self._tactics and game.tactics else no_plies
            play: Any = game.play
            with user_errors((game,)):
                given = address_of(play), address_of(left), tree.nodes, game.state, game.most_plies
                measure(*given, self._options.pass_move, plies)
            first = int(tree.nodes.child[0])
            measured = plies[first : first + max(int(tree.nodes.children[0]), 0)].astype(np.int64)
            self._measured = measured if self._exact is None else self._exact.plies(measured)
        return self._measured
