"""A sweep of random play, over boards above all: who wins, how long games are, and how many there are."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from connect4.combinatorics.estimates import ENOUGH
from experiments.engine.sweep.table import TABLE, Quantity, Setting, Sweep, join, label_of
from experiments.kinds.random_games.random_play_sheets import percent, power
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Row, Sheet, number
from numerics.statistics.intervals import NORMAL_95

if TYPE_CHECKING:
    import pandas as pd

_MODELS = ("random filling", "independent lines", "disjoint lines")
_COUNTED = {"games": ("finished", "column orders"), "positions": ("positions", "gravity and colours")}


def _row(setting: Setting) -> pd.DataFrame:
    """Return one run's summary with the models of P(draw), and its numbers of games and positions."""
    row = tables.read(setting.folder / "summary.csv")
    draws = tables.read(setting.folder / "draws.csv").set_index("source")["value"]
    added: dict[str, Any] = {f"draw_{source.replace(' ', '_')}": draws.get(source, math.nan) for source in _MODELS}
    for name, (quantity, bound) in _COUNTED.items() if (setting.folder / "counts.csv").exists() else ():
        counts = tables.read(setting.folder / "counts.csv")
        of_quantity = counts[counts["ply"].isna() & (counts["quantity"] == quantity)].set_index("source")
        cell = of_quantity.reindex([bound, "estimate", "exact", "published"]).to_dict("index")
        added[f"{name}_bound_log10"] = cell[bound]["log10"]
        for column in ("log10", "log10_low", "log10_high", "effective"):
            added[f"{name}_estimate_{column}"] = cell["estimate"][column]
        exact = cell["exact"]["value"]
        added[f"{name}_exact"] = exact if exact == exact else cell["published"]["value"]
    half = NORMAL_95 * row["length_error"]
    return row.assign(**added, length_low=row["length_mean"] - half, length_high=row["length_mean"] + half)


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    known = "; numbers: = exact, else estimated, ?: effective sample size too small"
    return "shares in percent with their 95 % intervals" + (known if "games_estimate_log10" in frame else "")


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    counts = {"distinct games": "games", "distinct positions": "positions"}
    return [
        Column("run", lambda row: label_of({key: row[key] for key in facts["varied"] or ["board"]}), number=False),
        number("games", form=",.0f"),
        *(
            Column(head, partial(_share, name=name), name)
            for head, name in (("first wins", "first"), ("second wins", "second"), ("draws", "draw"))
        ),
        number("plies", "length_mean", ".2f", optional=1),
        *(
            Column(head, partial(_number, name=name), f"{name}_estimate_log10")
            for head, name in counts.items()
            if f"{name}_estimate_log10" in frame
        ),
    ]


def _share(row: Row, name: str) -> str:
    share, low, high = (percent(row[f"{name}{end}"]).removesuffix(" %") for end in ("", "_low", "_high"))
    return f"{share} ({low} to {high})"


def _number(row: Row, name: str) -> str:
    exact = row[f"{name}_exact"]
    if exact == exact:
        return f"= {exact:,.0f}" if exact < 1e15 else f"= {exact:.4g}"
    estimate = row[f"{name}_estimate_log10"]
    if estimate != estimate:
        return "-"
    return power(estimate) + ("" if row[f"{name}_estimate_effective"] >= ENOUGH else " ?")


_EXACT, _KNUTH = "whiskers: 95 % intervals (Wilson; of draws Clopper-Pearson)", "Knuth's estimates, 95 % intervals"
SWEEP = Sweep(
    lambda settings: join(settings, _row),
    [
        *(
            Quantity("shares", name, f"{words} (% of the games)", _EXACT, scale=100.0)
            for name, words in (("first", "won by the first"), ("second", "won by the second"), ("draw", "drawn"))
        ),
        Quantity("lengths", "length_mean", "mean length of a game (plies)", "whiskers: 95 % intervals"),
        *(Quantity("counts", f"{name}_estimate_log10", f"log10 of distinct {name}", _KNUTH) for name in _COUNTED),
    ],
    lambda table, settings: "Play at random",
    sheets=(Sheet(TABLE, _title, _columns),),
)
