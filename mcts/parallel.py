"""Searching a position, by a search or by several in threads: root-parallel search.

The searches of several workers are independent, and their results at the root are added. Kernels release the
interpreter's lock, so that each worker can use a core. A worker's random numbers depend only on the seed and its
number: the result does not depend on how the threads are scheduled. Positions of an ordinary class need the lock, and
are searched in processes.

Chaslot, Winands and van den Herik, "Parallel Monte-Carlo tree search", CG 2008, section 3.2.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Unpack, cast, overload

import numpy as np
import numpy.typing as npt

from bandits import Policy
from mcts.ordinary.boards import plain
from mcts.ordinary.workers import check_workers, must_be_sent, run_elsewhere, search_once, shares_of
from mcts.policy import IN_A_TREE
from mcts.processes.planning import PlanResult
from mcts.processes.search import PlanOptions, is_planned, planned
from mcts.result import SearchResult
from mcts.streams import RULE, STREAMS, streams_of
from mcts.tree import LEAST_MEMORY, MEMORY
from mcts.tree_search import MOST_SIMULATIONS, Search, SearchOptions
from numerics import checks
from numerics.games import UNDECIDED, Playable
from numerics.parameters import must_be_one_of
from numerics.positions import OtherKind, is_ordinary
from numerics.random import Purpose, draw_uniform

_USUAL: SearchOptions = {
    "root_policy": None,
    "playouts": "uniform",
    "playouts_per_leaf": 1,
    "solve": False,
    "transpositions": False,
    "tactics": False,
    "exact": False,
    "prior": None,
}
SIMULATIONS = 10_000  # of a search without a budget
_LEAST = 1e-3  # seconds of a search that begins again
_MOST_IDLE = 4
_idle: dict[Any, Search] = {}
"""Short searches that have ended, by what they were asked: the next one that is asked the same begins in their arrays.

A thread takes a search out while it uses it.
"""


class AnyOptions(SearchOptions, PlanOptions, total=False):
    """The options of a search of any problem."""


_OPTIONS = [*SearchOptions.__annotations__, *PlanOptions.__annotations__]


@overload
def search(
    board: Playable,
    policy: Policy | str | Mapping[str, Any] = ...,
    simulations: int | None = ...,
    seconds: float | None = ...,
    *,
    cpu_seconds: float | None = ...,
    workers: int = ...,
    seed: int = ...,
    memory: int = ...,
    **options: Unpack[AnyOptions],
) -> SearchResult: ...


@overload
def search(
    board: object,
    policy: Policy | str | Mapping[str, Any] = ...,
    simulations: int | None = ...,
    seconds: float | None = ...,
    *,
    cpu_seconds: float | None = ...,
    workers: int = ...,
    seed: int = ...,
    memory: int = ...,
    **options: Unpack[AnyOptions],
) -> Any: ...


def search(
    board: Any,
    policy: Policy | str | Mapping[str, Any] = "ucb",
    simulations: int | None = None,
    seconds: float | None = None,
    *,
    cpu_seconds: float | None = None,
    workers: int = 1,
    seed: int = 0,
    memory: int = MEMORY,
    **options: Unpack[AnyOptions],
) -> Any:
    """Search a problem for a number of simulations, for a time, or until the first of both.

    Parameters
    ----------
    board : object
        What is searched; not changed. A board with a ``game``, such as a ``connect4.Board``. Or a position of an
        ordinary class, with the methods of `numerics.positions`. Or a `Process`. Or a state of OpenSpiel, Gymnasium,
        PettingZoo or python-chess, see `mcts.adapters`.
    policy : Policy, str or mapping, default "ucb"
        The index policy that selects children; see `Search`.
    simulations : int, optional
        At least 1; 10,000 without any budget.
    seconds : float, optional
        Above 0, of wall time.
    cpu_seconds : float, optional
        Above 0, of the processor time of each worker's thread, which other work on the machine changes little.
    workers : int, default 1
        Independent searches that share the simulations: in as many threads, or processes for an ordinary class.
    seed, memory, **options
        As for `Search`: playouts, playouts_per_leaf, solve, transpositions, tactics, prior. Where there is chance, one
        player or several, or rewards, instead those of `mcts.processes.planning.plan`: scale, loop, steps, discount,
        widen_moves, widen_outcomes.

    Returns
    -------
    SearchResult or PlanResult
        Visits and values of the moves, the best move, the principal variation; a `PlanResult` for what `plan` searches.

    Raises
    ------
    ValueError
        If the board is finished, the policy is not an index policy, or a number is out of range. Also if an option is
        unknown, the problem does not take it, or a class breaks its contract.

    Examples
    --------
    >>> from bandits import UCB
    >>> from connect4 import Board
    >>> search(Board.from_moves("112233"), policy=UCB(c=1.0), simulations=1_000, seed=0)
    SearchResult(best 3, value 0.94, 878 of 1,000 visits)
    """
    for name in options:
        if name not in _OPTIONS:
            raise ValueError(must_be_one_of("option", name, _OPTIONS))
    if simulations is not None:
        simulations = checks.check_whole("simulations", simulations, 1, most=MOST_SIMULATIONS)
    if seconds is not None:
        checks.number("seconds", seconds, 0.0, above=True)
    if cpu_seconds is not None:
        checks.number("cpu_seconds", cpu_seconds, 0.0, above=True)
    if simulations is None and seconds is None and cpu_seconds is None:
        simulations = SIMULATIONS
    policy = IN_A_TREE.of(policy, "policy")
    workers, board = check_workers(workers, None), plain(board)
    kind = (policy, policy.spec().rule, simulations, memory, repr(options))
    idle = _idle.pop(kind, None) if workers == 1 and not is_planned(board, options) else None
    if idle is not None and idle.begin_again(board, streams_of(seed, Purpose.TREE_SEARCH)):
        running: AnySearch = idle
    else:
        running = begin(board, policy, workers=workers, simulations=simulations, seed=seed, memory=memory, **options)

    def begin_again(**more: Any) -> AnySearch:
        budget: dict[str, Any] = {"workers": workers, "simulations": simulations, "memory": memory}
        return begin(board, policy, seed=seed, **budget, **options, **more)

    running = spend(running, begin_again, simulations, seconds, cpu_seconds)
    if not isinstance(running, Search) or not running.is_short or not isinstance(options.get("prior"), str | None):
        return running.result(copied=False)
    result = running.result()
    if len(_idle) >= _MOST_IDLE:
        _idle.clear()
    _idle[kind] = running
    return result


def spend(
    search: AnySearch,
    begin_again: Callable[..., AnySearch],
    simulations: int | None,
    seconds: float | None,
    cpu_seconds: float | None,
) -> AnySearch:
    """Spend a budget on a search, and return the search.

    If a game that was taken for one of wins, draws and losses is another one, another search spends what is left.

    Parameters
    ----------
    search : Search or other
        As `begin` returns it.
    begin_again : callable
        Calls `begin` with the same arguments, and with those that it is given.
    simulations, seconds, cpu_seconds
        The budget.
    """
    begun = time.perf_counter()
    try:
        search.spend(simulations, seconds, cpu_seconds)
    except OtherKind:
        search = begin_again(loop=None)  # an option of `plan`, at its default: any problem is searched
        left = None if seconds is None else max(seconds - (time.perf_counter() - begun), _LEAST)
        search.spend(simulations, left, cpu_seconds)
    return search


def begin(
    board: Playable,
    policy: Policy | str | Mapping[str, Any] = "ucb",
    *,
    workers: int = 1,
    simulations: int | None = None,
    seed: int = 0,
    memory: int = MEMORY,
    rng: npt.NDArray[np.uint64] | None = None,
    **options: Unpack[AnyOptions],
) -> AnySearch:
    """Return a search of one worker, or of several that share simulations and memory; see `Search` and `search`."""
    workers = check_workers(workers, None)
    board = plain(board)
    if is_planned(board, options):
        seed = seed if rng is None else int(draw_uniform(rng, RULE) * 2**53)  # type: ignore[no-untyped-call]
        workers, usual = check_workers(workers, simulations), {**_USUAL, "memory": MEMORY}
        return FreshSearch(planned(board, policy, workers, seed, {**options, "memory": memory}, usual))
    known = cast(SearchOptions, options)
    if workers == 1:
        return Search(board, policy, simulations=simulations, seed=seed, memory=memory, rng=rng, **known)
    if simulations is not None:
        simulations = checks.check_whole("simulations", simulations, 1, most=MOST_SIMULATIONS)
    workers, memory = check_workers(workers, simulations), checks.check_whole("memory", memory, LEAST_MEMORY)
    if memory < LEAST_MEMORY * workers:
        raise ValueError(f"memory must be at least {LEAST_MEMORY} bytes for each of {workers} workers; got {memory}")
    streams = streams_of_workers(streams_of(seed, Purpose.TREE_SEARCH) if rng is None else rng, workers)
    asked: list[dict[str, Any]] = [
        {"simulations": share, "memory": memory // workers, "rng": words, **known}
        for share, words in zip(shares_of(simulations, workers), streams, strict=True)
    ]
    if not is_ordinary(board):
        return ParallelSearch([Search(board, policy, **given) for given in asked])
    must_be_sent(board)

    def run(simulations: int | None, seconds: float | None, cpu_seconds: float | None) -> SearchResult:
        budgets = [(share, seconds, cpu_seconds) for share in shares_of(simulations, workers)]
        each = [(board, policy, given, budget) for given, budget in zip(asked, budgets, strict=True)]
        return add_results(run_elsewhere(search_once, each))

    return FreshSearch(run)


class ParallelSearch:
    """Several searches with the interface of a single search. Make it with `begin`.

    Parameters
    ----------
    searches : sequence of Search
        Searches of the same position with the same options and separate streams.
    """

    def __init__(self, searches: Sequence[Search]):
        self.searches: list[Search] = list(searches)

    def spend(self, simulations: int | None, seconds: float | None, cpu_seconds: float | None = None) -> None:
        """Run some simulations, divided evenly, or for some time, or until the first of the budgets is spent."""
        workers = len(self.searches)
        with ThreadPoolExecutor(workers) as pool:
            shares = shares_of(simulations, workers)
            done = [
                pool.submit(part.spend, share, seconds, cpu_seconds)
                for part, share in zip(self.searches, shares, strict=True)
            ]
        for future in done:
            future.result()

    def advance(self, board: Playable, moves: Sequence[int]) -> bool:
        """Continue from a later position of the same game; return whether every search has it."""
        known = [part.advance(board, moves) for part in self.searches]
        return all(known)

    def know(self, scores: Mapping[int, int]) -> None:
        """Take exact scores of the root's moves; see `Search.know`."""
        for part in self.searches:
            part.know(scores)

    @property
    def proven(self) -> float | None:
        """The value of the position that any of the searches has proven, or None."""
        return next((part.proven for part in self.searches if part.proven is not None), None)

    def choose(self, by: str | None = None) -> Any:
        """Return the move to play; see `SearchResult.choose`."""
        return self.result().choose(by)

    def result(self, *, copied: bool = True) -> SearchResult:
        """Return the sums at the root and its moves, with the first search's tree below them."""
        return add_results([part.result(copied=copied) for part in self.searches])


class FreshSearch:
    """A search that begins afresh with every budget, and keeps only its result. Make it with `begin`.

    Parameters
    ----------
    run : callable
        Takes simulations, seconds and seconds of a processor, and returns a result.
    """

    def __init__(self, run: Callable[[int | None, float | None, float | None], SearchResult | PlanResult]):
        self._run = run
        self._result: SearchResult | PlanResult | None = None

    def spend(self, simulations: int | None, seconds: float | None, cpu_seconds: float | None = None) -> None:
        """Search for some simulations, or for some time, or until the first of the budgets is spent."""
        self._result = self._run(simulations, seconds, cpu_seconds)

    @property
    def proven(self) -> float | None:
        """The value of the position if the search has proven it, or None."""
        known = int(self._result.tree.outcome[0]) if isinstance(self._result, SearchResult) else UNDECIDED
        return None if known == UNDECIDED else 0.5 - 0.5 * known

    def choose(self, by: str | None = None) -> Any:
        """Return the move to play; see `SearchResult.choose`."""
        return self.result().choose(by)

    def result(self, *, copied: bool = True) -> SearchResult | PlanResult:
        """Return what the last budget has brought."""
        if self._result is None:
            raise ValueError("result requires at least one simulation; call spend() first")
        return self._result


AnySearch = Search | ParallelSearch | FreshSearch


def add_results(results: Sequence[SearchResult]) -> SearchResult:
    """Return the first result, with the visits and values of all results added at the root and its children."""
    first = results[0]
    tree = first.tree
    groups = [(0, [0] * len(results))]
    for node in first.children(0):
        same = [result.children(0)[result.tree.move[result.children(0)] == tree.move[node]] for result in results]
        groups.append((int(node), [int(matches[0]) if matches.size else -1 for matches in same]))
    for node, places in groups:
        parts = [(result.tree, index) for result, index in zip(results, places, strict=True) if index >= 0]
        visits = np.array([part.visits[index] for part, index in parts])
        total = visits.sum()
        if total > 0.0:
            means = np.array([part.values[index] for part, index in parts])
            mean = float(np.average(means, weights=visits))
            if tree.variances.size:
                spread = np.array([part.variances[index] for part, index in parts]) + (means - mean) ** 2
                tree.variances[node] = np.average(spread, weights=visits)
            tree.visits[node], tree.values[node], tree.widths[node] = total, mean, 1.0 / np.sqrt(total)
        known = [int(part.outcome[index]) for part, index in parts if part.outcome[index] <= UNDECIDED]
        tree.outcome[node] = min(known, default=tree.outcome[node])  # an outcome that any search has proven comes first
    outcomes = tree.outcome[first.children(0)]
    if tree.outcome[0] == UNDECIDED and outcomes.size and (outcomes < UNDECIDED).all():
        tree.outcome[0] = -outcomes.max()  # moves that several searches have proven decide it
    return SearchResult(
        policy=first.policy,
        tree=tree,
        simulations=sum(result.simulations for result in results),
        depth=max(result.depth for result in results),
        seconds=max(result.seconds for result in results),
        full=any(result.full for result in results),
        horizon=first.horizon,
        board=first.board,
        plies=_tightest_bounds(results, groups[1:]),
        recommends=first.recommends,
        names=first.names,
        pass_move=first.pass_move,
    )


def _tightest_bounds(results: Sequence[SearchResult], groups: Sequence[tuple[int, list[int]]]) -> npt.NDArray[np.int64]:
    """Return the tightest bound of any search on the plies after each child of the root; none if it is not proven."""
    bounds = []
    for _, places in groups:
        known = [
            result.plies[index - result.tree.child[0]]
            for result, index in zip(results, places, strict=True)
            if index >= 0 and result.plies.size
        ]
        bounds.append(min((plies for plies in known if plies >= 0), default=-1))
    proven = any(result.plies.size for result in results)
    return np.array(bounds if proven else [], dtype=np.int64)


def streams_of_workers(first: npt.NDArray[np.uint64], workers: int) -> list[npt.NDArray[np.uint64]]:
    """Return the streams of each worker, uint64[STREAMS, 4]: the given streams, and others derived from them."""
    key = [int(word) for word in first.ravel()]
    others = [np.random.SeedSequence(key, spawn_key=(Purpose.TREE_SEARCH, number)) for number in range(1, workers)]
    words = [np.asarray(sequence.generate_state(STREAMS * 4, np.uint64), dtype=np.uint64) for sequence in others]
    return [first, *(state.reshape(-1, 4) for state in words)]
