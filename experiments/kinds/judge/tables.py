"""The tables of the judge beside those of strength: by kind, by ply, and of the engine's values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from experiments.graded_positions.candidates import DEPTHS, trap_depth
from experiments.graded_positions.positions import MISLEADING, RANDOM, SELF_PLAY, TRAPS, Graded, sign
from experiments.graded_positions.rates import rates_by
from experiments.kinds.judge.calibration import REPLIES, brier_of, pairs_of, reliability_of, result_of
from numerics.output import tables

_TRAPS = {
    ends: f"traps, {ends[0]} to {ends[1]} plies" if ends[1] < 42 else f"traps, {ends[0]} plies and more"
    for ends in DEPTHS
}
KINDS = ("random games", "self-play", *_TRAPS.values(), "misleading playouts")
"""What the kinds of positions are called, in the order of reports."""
_SAID = dict(zip((RANDOM, SELF_PLAY, MISLEADING), (KINDS[0], KINDS[1], KINDS[-1]), strict=True))
_PLIES = 3  # that are told together


def write_tables(folder: Path, chosen: Sequence[tuple[Graded, str]], replies: Sequence[Path]) -> None:
    """Write by_kind.csv, by_plies.csv, replies.parquet, calibration.csv and reliability.csv into a run folder."""
    import pandas as pd

    choices = tables.read(folder / "choices.parquet")
    said = pd.concat(
        [pd.DataFrame(columns=list(REPLIES)).astype(REPLIES), *map(tables.read, replies)], ignore_index=True
    )
    positions = choices["position"].to_numpy()
    kinds, first = [kind_of(*one) for one in chosen], min(len(one.moves) for one, _ in chosen)
    starts = [len(one.moves) - (len(one.moves) - first) % _PLIES for one, _ in chosen]
    chances = np.array([one.chance for one, _ in chosen])
    for name, labels in (("kind", np.array(kinds, dtype=object)), ("ply", np.array(starts))):
        told = rates_by(choices.assign(**{name: labels[positions]}), name)
        told["chance"] = [float(chances[labels == label].mean()) for label in told[name]]
        tables.write(told, folder / f"by_{'kind' if name == 'kind' else 'plies'}.csv")
    results = [result_of(sign(one.top)) for one, _ in chosen]
    pairs = pairs_of(choices, said, results)
    tables.write(said, folder / "replies.parquet")
    players = list(dict.fromkeys(choices["player"]))
    scores = [{"player": player} | brier_of(pairs[pairs["player"] == player]) for player in players]
    tables.write(pd.DataFrame(scores), folder / "calibration.csv")
    curves = [reliability_of(pairs[pairs["player"] == player]).assign(player=player) for player in players]
    tables.write(pd.concat(curves, ignore_index=True), folder / "reliability.csv")


def kind_of(one: Graded, kind: str) -> str:
    """Return what a report calls the kind of a position: that of traps with their depths.

    Examples
    --------
    >>> kind_of(Graded((), (0,) * 7), "self_play")
    'self-play'
    """
    if kind != TRAPS:
        return _SAID[kind]
    depths = trap_depth(one)
    assert depths is not None
    return _TRAPS[depths]
