"""The searches of root regret: every policy on some positions, in a tree and on the bandits without one."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from connect4 import notation
from experiments.engine.families import LabelledPolicy
from experiments.graded_positions.positions import WIDTH, graded_positions
from experiments.kinds.root_regret.arms import KINDS, Root, over_columns, steps_of
from experiments.kinds.root_regret.tables import MEANS, PLAYED, VALUES, VISITS, group_of
from numerics.output import tables

_positions = functools.cache(graded_positions)


def positions_path(path: Path) -> Path:
    """Return the file of the positions whose visits are in `path`."""
    return path.with_name(path.name.replace("visits", "positions"))


def search_positions(
    path: Path, policies: Sequence[LabelledPolicy], simulations: int, playouts_per_move: int, seed: int, numbers: range
) -> None:
    """Search some positions; store what they are, and then N_n(a) at the checkpoints."""
    import pandas as pd

    steps, visits, positions = steps_of(simulations), [], []
    for number in numbers:
        one = _positions()[number]
        root = Root.of(number, one, playouts_per_move, seed)
        exact, playouts = (over_columns(root, means, np.nan) for means in (root.exact, root.playouts))
        positions.append(
            {"position": number, "ply": len(one.moves), "moves": notation.write(one.moves, WIDTH)}
            | dict(zip(VALUES, exact.tolist(), strict=True))
            | dict(zip(PLAYED, playouts.tolist(), strict=True))
            | {"group": group_of(exact, playouts)}
        )
        for entry in policies:
            for kind in KINDS:
                counts = root.counts(kind, one.board, entry.policy, steps, seed)
                own = pd.DataFrame({"position": number, "policy": entry.label, "arms": kind, "n": steps})
                own[VISITS] = over_columns(root, counts.visits, 0).astype(np.int32)
                own[MEANS] = over_columns(root, counts.means, np.nan)
                visits.append(own)
    tables.write(pd.DataFrame(positions), positions_path(path))
    tables.write(pd.concat(visits, ignore_index=True), path)
