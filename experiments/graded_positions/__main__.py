"""`python -m experiments.graded_positions`: draw positions of Connect 4 by ply and kind, and solve every move.

The packed sets are those of

    python -m experiments.graded_positions positions_from=test positions=6000 seed=0
    python -m experiments.graded_positions positions_from=test positions=3000 seed=19 apart_from=test
    python -m experiments.graded_positions positions_from=early positions=1000 seed=0 apart_from=all
    python -m experiments.graded_positions positions_from=early positions=1000 seed=19 apart_from=all

The last command's positions that the one before draws, too, are left out, and the rest is packed with as many of each
ply.

Position number i of a kind comes from a separate range of games of the seed. It is the first suitable position after
the right number of plies. A suitable position is unfinished and of the kind. Its side to move has no immediate win, but
a legal move that loses its value. Positions of smaller numbers, of previous kinds or of the excluded sets, and their
mirror images, are skipped. Nothing else matters: an interrupted command can be resumed, and any number of workers
writes the same bytes. `experiments.graded_positions.candidates` describes the kinds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from experiments.engine import printing
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.threads import Threads
from experiments.engine.manifest import read_finished
from experiments.engine.runs import carry_out
from experiments.engine.store import RunFolder
from experiments.engine.tasks import Task, parts_of
from experiments.graded_positions.drawing import found_by, search, settle
from experiments.graded_positions.positions import (
    MIXTURES,
    RANDOM,
    SETS,
    TABLES,
    TEST,
    Graded,
    graded_positions,
    read,
    sign,
    write,
)
from numerics import checks
from numerics.commands import Command
from numerics.kernels.sources import digest
from numerics.parameters import parameter

_BLOCK = 7  # positions of a part: a third of all plies, so that parts take equally long
_MOST = 1_000_000


def draw(
    kind: str, positions: int, seed: int, folder: Path, workers: int | None, apart_from: Mapping[str, Sequence[Graded]]
) -> list[Graded]:
    """Return graded positions of a kind and store them in a folder, reusing what it already has.

    None of them is in `apart_from`, a mapping from names of sets, which the folder records, to their positions.
    """
    execute = Threads(workers=workers).run
    table = folder / TABLES[kind]
    config = {"positions_from": kind, "positions": positions, "seed": seed, "apart_from": list(apart_from)}
    with RunFolder.open(folder, config, digest(__file__)) as store:
        if read_finished(folder) is not None:
            return read(table.read_bytes())
        parts = parts_of(positions, _BLOCK)
        graded: dict[int, list[Graded]] = {}
        others = [position for positions in apart_from.values() for position in positions]
        spare = 0  # further candidates of each number, in case the first is a smaller number's position
        while parts:
            tasks = [
                Task(
                    store.shards / f"spare{spare}_position{part[0]:07d}.json",
                    search,
                    (kind, seed, part, 1 + spare),
                    len(part),
                )
                for part in parts
            ]
            carry_out(tasks, execute, "positions")
            fresh = found_by(tasks)
            if spare and all(len(positions) <= spare for positions in fresh.values()):
                raise ValueError(f"seed {seed} has no {kind} position number {min(fresh)}; use another seed")
            graded |= fresh
            kept, without = settle(graded, others)
            parts, spare = [range(number, number + 1) for number in without], spare + 1
        write(kept, table)
        store.finish({"seed": seed, "positions": positions})
    return kept


class Draw(Command, module="experiments.graded_positions"):
    """Which positions are drawn."""

    positions_from: str = parameter(
        RANDOM,
        choices=(*TABLES, TEST),
        help="kind of games; test: a third random, a third self-play, a sixth traps, a sixth misleading",
    )
    positions: int = parameter(2_000, low=1, most=_MOST, help="number of positions")
    seed: int = parameter(0, low=0, help="random seed of the games")
    apart_from: str | None = parameter(None, choices=SETS, help="a packed set whose positions are excluded")
    workers: int | None = parameter(None, low=1, help="number of threads; default: one per core")
    folder: str | None = parameter(None, help="output folder; default: results/graded_positions/FROM_POSITIONS_SEED")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, draw, and say where the tables lie."""
    given = Draw.read(words)
    name, seed = given.positions_from, given.seed
    turns = MIXTURES.get(name, (name,))
    positions = checks.check_whole("positions", given.positions, len(turns))
    folder = Path(given.folder or f"results/graded_positions/{name}_{positions}_{seed}")
    others = {given.apart_from: graded_positions(None, given.apart_from)} if given.apart_from else {}
    for kind in (name for name in TABLES if name in turns):
        target = folder / kind if len(turns) > 1 else folder
        drawn = draw(kind, positions * turns.count(kind) // len(turns), seed, target, given.workers, others)
        wins, draws = (sum(sign(position.top) == value for position in drawn) for value in (1, 0))
        printing.say(f"{kind}: {len(drawn):,} positions, {wins:,} won and {draws:,} drawn for the side to move")
        printing.say(f"table: {target / TABLES[kind]}")
        others = {**others, kind: drawn}


if __name__ == "__main__":
    leave(guarded(main))
