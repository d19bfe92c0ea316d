"""The rows of the table of Connect 4: what is compared with what, and the ratio that is wanted.

Speeds are playouts per second from the empty 7 x 6 board to the end of the game, of one core. Ours go through the hook
that a search calls, each from a copy of the position.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks import c_compiler, connect4_c, connect4_floor, connect4_loop, connect4_peers
from benchmarks.row import Row, row, within
from benchmarks.timing import Loop, compare, processor_seconds
from connect4 import Board
from connect4.combinatorics.random_games import random_games
from connect4.referee import play_game
from experiments.players import make_player

BOARD = Board()


@dataclass(frozen=True)
class Size:
    """How long to measure: playouts of a round, of ours and C, of OpenSpiel, of puissance4; and rounds."""

    ours: int
    compiled: int
    python: int
    rounds: int


FULL = Size(ours=1_000_000, compiled=50_000, python=200, rounds=7)
QUICK = Size(ours=200_000, compiled=10_000, python=50, rounds=3)


def ours(name: str, size: Size) -> Loop:
    """Return our own playouts by the name of their hook."""
    return Loop(size.ours, functools.partial(connect4_loop.play, BOARD.game.playouts[name], BOARD, size.ours))


def c_rows(size: Size) -> Iterator[Row]:
    """Uniform playouts beside C, which plays the same games from the same stream."""
    names = {"twin": "any board", "constants": "7x6 known to the compiler"}
    for variant, what in names.items():
        what = f"uniform playouts: C bitboard, {what}"
        if c_compiler.compiler() is None:
            yield Row(what, skipped="no C compiler (cc)")
            continue
        library = c_compiler.build(connect4_c.SOURCE)
        play = functools.partial(connect4_c.play, library, variant, BOARD, size.ours)
        comparison = compare(ours("uniform", size), Loop(size.ours, play), 2 * size.rounds)
        yield row(f"{what}, -O3 -march=native", comparison, 0.85)


def peer_rows(size: Size) -> Iterator[Row]:
    """Playouts beside other libraries."""
    peers: tuple[tuple[str, str, str, Callable[[], connect4_peers.Play], float | None, int], ...] = (
        ("uniform", "open-spiel", ", C++ playouts in MCTSBot", connect4_peers.open_spiel, 25.0, size.compiled),
        ("uniform", "puissance4", "", functools.partial(connect4_peers.puissance4, False), 500.0, size.python),
        ("biased", "puissance4", "", functools.partial(connect4_peers.puissance4, True), None, size.python // 10),
    )
    for kind, name, how, load, target, count in peers:
        what = f"{kind} playouts: "
        try:
            what += connect4_peers.label(name) + how
            play = load()
        except ImportError as error:
            yield Row(f"{kind} playouts: {name}", skipped=str(error))
            continue
        other = Loop(count, functools.partial(play, count))
        yield row(what, compare(ours(kind, size), other, size.rounds), target)


def own_rows(size: Size) -> Iterator[Row]:
    """Biased playouts beside uniform ones, and whole tasks within their limits, their kernels compiled."""
    comparison = compare(ours("biased", size), ours("uniform", size), size.rounds)
    yield row("biased playouts, win or block first: our uniform ones", comparison, 1.0 / 3.0)
    yield within("10,000 random games with their records", _median(_random_games, size), 1.0)
    yield within("50 games, minimax of depth 5 against random", _median(_minimax_games, size), 2.0)


def floor_line(size: Size) -> str:
    """Return what a uniform playout must do, beside the time that it takes here."""
    loop = ours("uniform", size)
    speed, needed = compare(loop, loop, size.rounds).ours, connect4_floor.operations_a_playout()
    return (
        f"A uniform playout is {connect4_floor.MOVES} moves, {connect4_floor.DRAWS} draws and {needed:.0f} operations "
        f"on 64-bit words; it takes {1e9 / speed:.0f} ns, {needed * speed / 1e9:.1f} operations a nanosecond "
        "(counted in benchmarks/connect4_floor.py)."
    )


def _random_games() -> None:
    random_games(BOARD.width, BOARD.height, BOARD.connect, games=10_000, seed=0)


def _minimax_games() -> None:
    pair = make_player("minimax", depth=5, seed=1), make_player("random", seed=2)
    for game in range(50):
        for player in pair:
            player.reset(game)
        play_game(*(pair if game % 2 == 0 else reversed(pair)), Board())


def _median(task: Callable[[], None], size: Size) -> float:
    """Return the processor time of a task, the median over the rounds after one that loads what it needs."""
    task()
    taken = []
    for _ in range(size.rounds):
        start = processor_seconds()
        task()
        taken.append(processor_seconds() - start)
    return sorted(taken)[len(taken) // 2]
