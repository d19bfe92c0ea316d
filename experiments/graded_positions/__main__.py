"""`python -m experiments.graded_positions`: draw positions of games by ply and solve every move of them.

Position number i comes after 8 + i mod 21 plies: it is the first one, of the games numbered 1,000 i, 1,000 i + 1, ...
of the seed, that goes on after so many plies, has no win at once for the side to move, has a legal move that loses its
value, and is not the position of a smaller number, nor its mirror image. The games are uniform random ones or, with
--from self_play, those of UCT against itself. What is found depends on nothing else, so that a command that was killed
goes on where it was, and any number of workers writes the same bytes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from connect4 import Board, Solver
from connect4.combinatorics.random_games import random_games
from experiments.engine import console
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.threads import Threads
from experiments.engine.runs import carry_out
from experiments.engine.store import RunFolder, write_text
from experiments.engine.tasks import Task
from experiments.graded_positions.positions import RANDOM, SELF_PLAY, TABLES, Graded, read, sign, write
from mcts import UCTPlayer
from numerics import checks
from numerics.kernels.sources import digest
from numerics.random import Purpose, derived_seed

LEAST_PLIES, MOST_PLIES = 8, 28
_PURPOSES = {RANDOM: Purpose.GRADED_FROM_RANDOM, SELF_PLAY: Purpose.GRADED_FROM_SELF_PLAY}
_GAMES = 1_000  # that one position may be looked for in
_SIMULATIONS = 200  # of a move of self-play: UCT with ucb, c = 1, and uniform playouts
_BLOCK = 7  # positions of a part: a third of all plies, so that parts take equally long
_MOST = 1_000_000


def search(path: Path, positions_from: str, seed: int, numbers: Sequence[int], count: int) -> None:
    """Store the first `count` positions that each of these numbers may be."""
    solver = Solver()
    found = {number: candidates(positions_from, number, seed, count, solver) for number in numbers}
    plain = {number: [[one.moves, one.scores] for one in own] for number, own in found.items()}
    write_text(path, json.dumps(plain))


def found_by(tasks: Sequence[Task]) -> dict[int, list[Graded]]:
    """Return what tasks found for each number."""
    return {
        int(number): [Graded(tuple(moves), tuple(scores)) for moves, scores in own]
        for task in tasks
        for number, own in json.loads(task.path.read_text(encoding="utf-8")).items()
    }


def candidates(positions_from: str, number: int, seed: int, count: int, solver: Solver) -> list[Graded]:
    """Return the first positions that position `number` may be."""
    plies = LEAST_PLIES + number % (MOST_PLIES - LEAST_PLIES + 1)
    own = derived_seed(seed, (_PURPOSES[positions_from],))
    found: list[Graded] = []
    for board in (_random if positions_from == RANDOM else _self_play)(own, _GAMES * number, plies):
        if not board.winning_moves() and moves_differ(board, solver):
            found.append(Graded(board.moves, tuple(solver.scores(board))))
            if len(found) == count:
                break
    return found


def _random(seed: int, first: int, plies: int) -> Iterator[Board]:
    """Yield the position after so many plies of each random game that goes on then."""
    games = random_games(7, 6, 4, _GAMES, seed, first)
    for moves, length in zip(games.moves, games.lengths, strict=True):
        if length > plies:
            yield Board.from_moves(moves[:plies].tolist())


def _self_play(seed: int, first: int, plies: int) -> Iterator[Board]:
    """Yield the position after so many plies of each game of UCT against itself that goes on then."""
    player = UCTPlayer(simulations=_SIMULATIONS, seed=seed)
    for game in range(first, first + _GAMES):
        player.reset(game)
        board = Board()
        while board.plies < plies and not board.is_finished():
            board.play(player.play(board))
        if not board.is_finished():
            yield board


def moves_differ(board: Board, solver: Solver) -> bool:
    """Return whether two moves that do not end the game in a win differ in value, which costs less than their scores.

    A move of the higher value then keeps that of the position, or is below it too: either way one is lost by the other.
    """
    seen: set[float | None] = set()
    for column in board.legal_moves():
        after = board.copy()
        after.play(column)
        seen.add(0.5 if after.is_finished() else solver.solve(after, weak=True).value)
        if len(seen) > 1:
            return True
    return False


def settle(found: Mapping[int, Sequence[Graded]]) -> tuple[list[Graded], list[int]]:
    """Return of each number's candidates the first that is no smaller number's position, nor its mirror image.

    And the numbers that have none.
    """
    taken: set[Board] = set()
    kept, without = [], []
    for number in sorted(found):
        fresh = next((one for one in found[number] if one.board not in taken), None)
        if fresh is None:
            without.append(number)
        else:
            kept.append(fresh)
            taken |= {fresh.board, fresh.board.mirror()}
    return kept, without


def draw(positions_from: str, positions: int, seed: int, folder: Path, workers: int | None) -> list[Graded]:
    """Return graded positions and leave them in a folder; what was found there before is not looked for again."""
    execute = Threads(workers=workers).run
    table = folder / TABLES[positions_from]
    config = {"positions_from": positions_from, "positions": positions, "seed": seed}
    with RunFolder.open(folder, config, digest(__file__)) as store:
        if store.manifest is not None:
            return read(table.read_bytes())
        parts = [range(first, min(first + _BLOCK, positions)) for first in range(0, positions, _BLOCK)]
        found: dict[int, list[Graded]] = {}
        spare = 0  # candidates of a number, besides the first, in case that it is the position of a smaller one
        while parts:
            tasks = [
                Task(
                    store.shards / f"spare{spare}_position{part[0]:07d}.json",
                    search,
                    (positions_from, seed, part, 1 + spare),
                    len(part),
                )
                for part in parts
            ]
            carry_out(tasks, execute, "positions")
            found |= found_by(tasks)
            kept, without = settle(found)
            parts, spare = [range(number, number + 1) for number in without], spare + 1
        write(kept, table)
        store.finish({"seed": seed, "positions": positions})
    return kept


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, draw, and say where the table lies."""
    parser = argparse.ArgumentParser(prog="python -m experiments.graded_positions", description=__doc__)
    parser.add_argument("--from", dest="positions_from", default=RANDOM, help="random (unless given) or self_play")
    parser.add_argument("--positions", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=None, help="threads; one a core unless given")
    parser.add_argument("--folder", type=Path, help="where; results/graded_positions/FROM_POSITIONS_SEED unless given")
    given = parser.parse_args(arguments)
    if given.positions_from not in TABLES:
        raise ValueError(f"--from must be one of {', '.join(TABLES)}; got {given.positions_from!r}")
    name = str(given.positions_from)
    positions = checks.whole("--positions", given.positions, 1, most=_MOST)
    seed = checks.whole("--seed", given.seed, 0)
    folder: Path = given.folder or Path("results", "graded_positions", f"{name}_{positions}_{seed}")
    found = draw(name, positions, seed, folder, given.workers)
    wins, draws = (sum(sign(one.top) == value for one in found) for value in (1, 0))
    console.say(f"{positions:,} positions, {wins:,} won and {draws:,} drawn for the side to move")
    console.say(f"table: {folder / TABLES[name]}")


if __name__ == "__main__":
    leave(guarded(main))
