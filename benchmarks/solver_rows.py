"""The rows of the table of the exact solver: time and positions searched beside other solvers, and the opening book.

Times are those of one core, without a book. The positions of a set are solved in one call. The table is empty at first
and is kept from one position to the next. Our times start from boards and include their conversion into words.
"""

from __future__ import annotations

import functools
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks import solver_peers
from benchmarks.connect4_peers import label
from benchmarks.row import Row, within
from benchmarks.timing import processor_seconds
from connect4 import Board, Solver
from connect4.solver.book import DATA, Book, packaged_book
from tests.data import read

# Pascal Pons's means of positions searched, https://github.com/PascalPons/connect4 and his series of articles.
PUBLISHED_NODES = {"L3_R1": 51.0, "L2_R1": 449.0, "L1_R1": 3_300.0}
EARLIEST, LATEST = 12, 28  # plies of the random positions
SLOW = 3.0  # a way of another solver that takes so many times longer than its best is timed once only


@dataclass(frozen=True)
class Size:
    """How much to measure: each `step`-th position of a published set; random positions; rounds; look-ups."""

    step: int
    random: int
    rounds: int
    lookups: int


FULL = Size(step=1, random=170, rounds=7, lookups=2_000)
QUICK = Size(step=10, random=34, rounds=3, lookups=200)


def sets(size: Size) -> dict[str, list[Board]]:
    """Return the positions by the name of their set."""
    pons = read("pons_sets")
    positions = {name: [Board.from_moves(moves) for moves, _ in pons[name][:: size.step]] for name in PUBLISHED_NODES}
    return {**positions, f"random, {EARLIEST} to {LATEST} stones": random_positions(size.random)}


def random_positions(count: int) -> list[Board]:
    """Return positions of uniform random play, as many of each ply, none that is over or won at once."""
    rng = random.Random(7)
    boards: list[Board] = []
    while len(boards) < count:
        board, plies = Board(), EARLIEST + len(boards) % (LATEST - EARLIEST + 1)
        while board.plies < plies and not board.is_finished():
            board.play(rng.choice(board.legal_moves()))
        if not board.is_finished() and not board.winning_moves():
            boards.append(board)
    return boards


def peer_rows(size: Size) -> Iterator[Row]:
    """Time per position beside bitbully, and positions searched beside what Pons tells."""
    for name, boards in sets(size).items():
        solver = Solver(book=None)
        ours = functools.partial(solver.solve_many, boards)
        what = f"{name}, {len(boards):,} positions: "
        try:
            other = label("bitbully")
            yield beside(what + other, ours, solver.clear, solver_peers.bitbully(boards), size.rounds)
        except ImportError as error:
            yield Row(what + "bitbully", skipped=str(error))
        if name in PUBLISHED_NODES:
            solver.clear()
            before = solver.nodes
            ours()
            nodes, published = (solver.nodes - before) / len(boards), PUBLISHED_NODES[name]
            what = f"{name}: positions searched for one, Pons's published mean"
            yield Row(what, f"{nodes:,.1f}", f"{published:,.0f}", published / nodes, 1.0, nodes <= published)


def beside(
    what: str,
    solve_ours: Callable[[], list[int]],
    forget: Callable[[], None],
    peers: Sequence[solver_peers.Peer],
    rounds: int,
) -> Row:
    """Return the line of our solver beside the fastest way of another; both have to find the same scores."""
    scores = solve_ours()
    once = {}
    for peer in peers:
        peer.forget()
        once[peer.how] = _seconds(peer.solve, scores)
    near = [peer for peer in peers if once[peer.how] <= SLOW * min(once.values())]
    taken: dict[str, list[float]] = {peer.how: [] for peer in near}
    ours: list[float] = []
    for _ in range(rounds):
        forget()
        ours.append(_seconds(solve_ours, scores))
        for peer in near:
            peer.forget()
            taken[peer.how].append(_seconds(peer.solve, scores))
    best = min(taken, key=lambda how: statistics.median(taken[how]))
    ratio = statistics.median(other / seconds for seconds, other in zip(ours, taken[best], strict=True))
    count = len(scores)
    texts = (_short(statistics.median(times) / count) for times in (ours, taken[best]))
    return Row(f"{what}, {best}", *texts, ratio, 1.0, ratio >= 1.0)


def _seconds(solve: Callable[[], list[int]], scores: list[int]) -> float:
    start = processor_seconds()
    solved = solve()
    taken = processor_seconds() - start
    if solved != scores:
        wrong = sum(got != score for got, score in zip(solved, scores, strict=True))
        raise AssertionError(f"two solvers differ on {wrong} of {len(scores)} positions")
    return taken


def book_rows(size: Size) -> Iterator[Row]:
    """What the opening book costs: to load it, and to look up a position and all its moves."""
    file = DATA / "book_7x6_connect4.npz"
    yield limited("loading the opening book", lambda: Book.load(file), 0.2, 20)
    book, rng = packaged_book(7, 6, 4), random.Random(8)
    assert book is not None
    solver = Solver()
    for plies, task, what in (
        (book.plies, solver.solve, "score of a position of up to 8 stones, looked up"),
        (book.plies - 1, solver.scores, "score of every column, up to 7 stones, looked up"),
    ):
        boards = iter([_opening(rng, rng.randint(0, plies)) for _ in range(size.lookups)])
        yield limited(what, lambda task=task, boards=boards: task(next(boards)), 1e-3, size.lookups)  # type: ignore[misc]
    assert solver.nodes == 0


def limited(what: str, task: Callable[[], object], limit: float, times: int) -> Row:
    """Return the line of a short task's median time on the wall."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        task()
        taken.append(time.perf_counter() - start)
    seconds = statistics.median(taken)
    return Row(what, _short(seconds), f"limit {_short(limit)}", limit / seconds, 1.0, seconds < limit)


def empty_board_row(board: Board | None = None, table_bits: int = 26, limit: float = 480.0) -> Row:
    """Return the line of the empty board without a book, which takes about a minute."""
    board = Board() if board is None else board
    solver = Solver(board.width, board.height, table_bits=table_bits, book=None)
    start = processor_seconds()
    score = solver.solve(board).score
    seconds = processor_seconds() - start
    what = f"empty {board.width}x{board.height} board, no book, {solver.nodes / 1e6:,.1f} M positions: score {score:+d}"
    return within(what, seconds, limit)


def floor_line(size: Size) -> str:
    """Return what a position searched takes here."""
    boards, solver = random_positions(size.random), Solver(book=None)
    start = processor_seconds()
    solver.solve_many(boards)
    taken = processor_seconds() - start
    return (
        "Times are per position, and the ratio is the other's time by ours, the median of the rounds. A position "
        f"searched takes {1e9 * taken / solver.nodes:.0f} ns on the random ones."
    )


def _opening(rng: random.Random, plies: int) -> Board:
    while True:
        board = Board()
        while board.plies < plies and not board.is_finished():
            board.play(rng.choice(board.legal_moves()))
        if not board.is_finished():
            return board


def _short(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:.2f} ms" if seconds < 1.0 else f"{seconds:.2f} s"
