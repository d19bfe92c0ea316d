"""What a sequential test says: the five lines, the score, the accepted hypothesis, what limits that; and its figure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.games.results import ground
from experiments.games.score_sheets import of_games
from experiments.sequential.lines import caveats_of, five_lines, score_line, verdict_line
from numerics.output import tables
from numerics.output.captions import Caption, label_of
from numerics.output.figures import Facts, Figure
from numerics.output.scales import Scale
from numerics.output.style import PALETTE, number, plain
from numerics.statistics.sprt import Sprt, strength

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

COUNTS = ["ll", "ld", "wl_dd", "wd", "ww"]
_ROOM = 0.12  # beyond the bounds, of the distance between them


def read(table: pd.DataFrame, facts: Facts) -> tuple[Mapping[Any, Any], list[int], Sprt]:
    """Return the row of a run's sprt.csv, the counts of its pairs, and its test."""
    row = table.to_dict("records")[0]
    return row, [int(row[name]) for name in COUNTS], Sprt(**facts["test"])


def notes(folder: Path, facts: Facts) -> list[str]:
    """Return the five lines, the score, and which hypothesis is accepted."""
    row, counts, test = read(tables.read(folder / "sprt.csv"), facts)
    beyond = facts["games_beyond"]
    return [
        f"{row['player']} against {row['opponent']}",
        *five_lines(counts, test, {name: int(row[name]) for name in ("wins", "losses", "draws")}),
        score_line(counts, strength(counts, test)),
        verdict_line(counts, test, row["player"]),
        *([f"{beyond:,} games were started after the end of the test and are not counted"] if beyond else []),
    ]


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Return the caveats of a test: no decision, large differences, and those of any games."""
    row, counts, test = read(tables.read(folder / "sprt.csv"), facts)
    undecided = [f"{verdict_line(counts, test).capitalize()}."] if row["accepted"] == "none" else []
    return [*undecided, *caveats_of(counts, test), *of_games(folder)]


def draw_llr(path: pd.DataFrame, table: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the log-likelihood ratio after each pair, and the bounds that end the test."""
    row, counts, test = read(table, facts)
    low, high = test.bounds
    names = [label_of(row[side]) for side in ("player", "opponent")]
    pairs, llr = [0, *path["pair"]], [0.0, *path["llr"]]
    for bound, colour, hypothesis, elo, above in (
        (high, PALETTE[2], "H1", test.elo1, True),
        (low, PALETTE[3], "H0", test.elo0, False),
    ):
        axes.axhline(bound, color=colour, linewidth=1.2)
        axes.annotate(
            f"{hypothesis} accepted: {elo:g} Elo",
            (0.0, bound),
            xycoords=("axes fraction", "data"),
            xytext=(6, 4 if above else -4),
            textcoords="offset points",
            va="bottom" if above else "top",
            color=colour,
        )
    axes.axhline(0.0, color="0.6", linewidth=0.8)
    axes.plot(pairs, llr, color=PALETTE[0], linewidth=1.3)
    axes.plot(pairs[-1], llr[-1], "o", color=PALETTE[0], markersize=5.0)
    room = _ROOM * (high - low)
    plain(axes)
    ends = min(low, *llr) - room, max(high, *llr) + room
    Scale("log-likelihood ratio of H1 against H0", log=False, low=ends[0], high=ends[1]).set(axes.yaxis, [])
    Scale("pairs of games", log=False, low=0.0, high=1.03 * pairs[-1], whole=True).set(axes.xaxis, [])
    ended = "undecided after" if row["accepted"] == "none" else f"{row['accepted']} accepted after"
    text = f"{test.model} Elo, alpha {test.alpha:g}, beta {test.beta:g}; LL, LD, WL+DD, WD, WW: " + ", ".join(
        number(count) for count in counts
    )
    title = f"{names[0]} against {names[1]} {ground(facts['settings'])}: {ended} {number(sum(counts))} pairs"
    return Caption(text, title, legend=False)


FIGURES = (Figure("llr", ("llr.parquet", "sprt.csv"), draw_llr, size=(7.6, 4.2)),)
