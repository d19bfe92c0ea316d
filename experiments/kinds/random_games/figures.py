"""Figures of random play, and of its sweeps: lengths with their laws, the share of draws, numbers of games."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.games.results import ground
from experiments.kinds.random_games.sheets import percent, power, verdict
from experiments.players.labels import short_columns
from numerics.output.captions import Caption, called, caption
from numerics.output.figures import Facts, Figure
from numerics.output.style import PALETTE, SMALL, estimates, line_style, plain, ticks

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

WINNERS = {1: ("first", PALETTE[0]), -1: ("second", PALETTE[1]), 0: ("draw", PALETTE[6])}
_DARK = {1: "#013a5c", -1: "#6b4400"}  # of the laws on the bars of either winner
ESTIMATE, BOUND, EXACT = PALETTE[0], "0.55", "0.1"
_SOURCES = {
    "measured": "measured",
    "exact": "exact",
    "random filling": "full board at random, simulated",
    "independent lines": "full board at random, lines independent",
    "disjoint lines": "full board at random, proved upper bound",
}

Floats = npt.NDArray[np.float64]


def _players(lengths: pd.DataFrame) -> list[str]:
    """Return who moved first in some games, by short labels."""
    return list(dict.fromkeys(map(str, short_columns(lengths, "first_player")["first_player"]))) or ["random"]


def _games_of(lengths: pd.DataFrame) -> str:
    players = _players(lengths)
    return "random games" if players == ["random"] else f"games of {' and '.join(players)}"


def size_of_lengths(lengths: pd.DataFrame, *others_and_facts: Any) -> tuple[float, float]:
    """Return the width and height in inches for `draw_lengths`."""
    return 9.0, 1.2 + 4.0 * len(_players(lengths))


def draw_lengths(
    lengths: pd.DataFrame,
    curves: pd.DataFrame,
    laws: pd.DataFrame,
    chances: pd.DataFrame | None,
    figure: matplotlib.figure.Figure,
    facts: Facts,
) -> None:
    """Draw a panel for each player who moves first."""
    players, title = _players(lengths), f"How long {_games_of(lengths)} last {ground(facts['settings'])}"
    lengths, curves, laws = (short_columns(table, "first_player") for table in (lengths, curves, laws))
    panels = np.atleast_1d(figure.subplots(len(players), 1, sharex=True))
    for axes, player in zip(panels, players, strict=True):
        games, fits, points = (table[table["first_player"] == player] for table in (lengths, laws, curves))
        above = title if axes is panels[0] else ""
        _draw_lengths(axes, games, fits, points, chances, player if len(players) > 1 else "", above)


def _draw_lengths(
    axes: Axes,
    lengths: pd.DataFrame,
    laws: pd.DataFrame,
    curves: pd.DataFrame,
    chances: pd.DataFrame | None,
    player: str,
    title: str,
) -> None:
    """Draw the share of games by length and winner, the nearest law of either winner, and what is known exactly.

    The title names `player` as the side that moves first in these games, unless it is empty.
    """
    import seaborn
    from matplotlib.ticker import MaxNLocator

    total = float(lengths["games"].sum())
    won = lengths.groupby("winner")["games"].sum() / total
    present = [winner for winner in (0, -1, 1) if winner in won]  # the first stands on top: draws on wins
    if present:
        seaborn.histplot(
            lengths,
            x="plies",
            weights="games",
            hue="winner",
            hue_order=present,
            palette=[WINNERS[winner][1] for winner in present],
            stat="percent",
            discrete=True,
            multiple="stack",
            shrink=0.86,
            alpha=0.75,
            linewidth=0.0,
            legend=False,
            ax=axes,
        )
    for winner in reversed(present):  # the bars come first in the legend
        name, colour = WINNERS[winner]
        label = f"{'drawn' if winner == 0 else f'won by the {name}'}: {percent(won[winner])}"
        axes.plot([], [], "s", color=colour, alpha=0.75, markersize=6.0, label=label)
    for winner in reversed(present):
        name = WINNERS[winner][0]
        for law in laws[laws["won_by"] == name].head(1).to_dict("records"):
            curve = curves[(curves["won_by"] == name) & (curves["law"] == law["law"])]
            p = law["p_value"]
            verdict_text = f"p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}, {verdict(law)}" if p == p else verdict(law)
            axes.plot(
                curve["plies"],
                100.0 * curve["probability"] * won[winner],
                "oD"[winner < 0],
                color=_DARK[winner],
                markeredgecolor="white",
                markeredgewidth=0.7,
                markersize=5.5,
                zorder=3.0,
                label=f"{law['law']} ({name}): off by {percent(law['total_variation'])}; {verdict_text}",
            )
    if chances is not None and len(chances):
        exact = chances.groupby("plies")["probability"].sum()
        axes.plot(
            exact.index,
            100.0 * exact,
            "_",
            color=EXACT,
            markersize=11.0,
            markeredgewidth=1.8,
            label="exact, as far as it was counted",
            zorder=4,
        )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("length of the game (plies)")
    axes.set_ylabel("games (%)")
    axes.set_ylim(bottom=0.0)
    games = f"{total:,.0f} games" + (f" begun by {called(player, 60)}" if player else "")
    fitted = bool(laws["won_by"].isin(["first", "second"]).any())
    dots = "; dots: the nearest usual law of each winner, fitted on the plies of its parity" if fitted else ""
    caption(axes, games + dots, title=title)
    plain(axes)


def draw_draws(draws: pd.DataFrame, lengths: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the share of draws as measured, exact, and by each model, with intervals where there are any."""
    rows = draws.reset_index(drop=True)
    value, low, high = (rows[name].to_numpy(np.float64) for name in ("value", "low", "high"))
    positive = np.concatenate([part[part > 0.0] for part in (value, low, high)])
    left = 0.4 * float(positive.min()) if positive.size else 1e-6
    y_of_rows = np.arange(len(rows))
    colours = [{"measured": ESTIMATE, "exact": EXACT}.get(str(source), BOUND) for source in rows["source"]]
    axes.hlines(y_of_rows, np.maximum(low, left), high, color=colours, linewidth=1.8)
    axes.scatter(np.where(value > 0.0, value, np.nan), y_of_rows, 36.0, colours, zorder=3, clip_on=False)
    for y in y_of_rows:
        interval = f"   [{percent(low[y])}, {percent(high[y])}]" if np.isfinite(low[y]) else ""
        text = percent(value[y]) + interval
        axes.text(1.02, float(y), text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    axes.set_xscale("log")
    right = min(1.0, 2.0 * float(positive.max())) if positive.size else 1.0
    axes.set_xlim(left, right)
    axes.set_yticks(y_of_rows, [_SOURCES[str(source)] for source in rows["source"]])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("P(draw)")
    sentence = (
        "Bars: 95 % (Clopper-Pearson). The models colour a full board at random, half of the cells each; in a game of "
        "random players neighbours in a column differ more often, so that fewer lines have one colour."
    )
    plain(axes, "x")
    _shares_axis(axes.xaxis, left, right)
    return Caption(sentence, f"How often {_games_of(lengths)} are drawn {ground(facts['settings'])}", wide=True)


def draw_counts(counts: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw the numbers of finished games and of positions by ply: bound, estimate with its interval, exact."""
    from matplotlib.ticker import MaxNLocator

    rows = counts[counts["ply"].notna()].rename(columns={"ply": "x"})
    games = rows[(rows["quantity"] == "finished") | (rows["source"] == "column orders")]
    positions = rows[rows["quantity"] == "positions"]
    left, right = figure.subplots(1, 2)
    _numbers(left, games, ["column orders"], "Finished games; dotted: bound by column orders")
    _numbers(right, positions, ["gravity and colours"], "Positions; dotted: bound by gravity and colours")
    _legend_below(figure, [left, right])
    for axes, what, of in (
        (left, "distinct finished games", "length of the game (plies)"),
        (right, "distinct positions", "ply"),
    ):
        axes.set_ylabel(f"number of {what}")
        axes.set_xlabel(of)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    text = f"{_total(counts, 'finished')}. {_total(counts, 'positions')}"
    return Caption(text, f"How many games and positions there are {ground(facts['settings'])}")


def _numbers(axes: Axes, rows: pd.DataFrame, bounds: Sequence[str], caption_text: str) -> None:
    """Draw numbers of `counts.csv`, each at its `x`, as powers of ten: upper bounds, estimates, exact numbers.

    Estimates are hollow where too few paths contribute to trust their interval.
    """
    from matplotlib.ticker import MaxNLocator

    for index, bound in enumerate(bounds):
        of_source = rows[rows["source"] == bound]
        axes.plot(
            of_source["x"],
            of_source["log10"],
            color=BOUND,
            marker="v^<"[index] if len(bounds) > 1 else "",
            markersize=4.5,
            linestyle=(0, (2, 1 + 2 * index)),
            linewidth=1.1,
            label=f"bound: {bound}" if len(bounds) > 1 else None,
        )
    positive = rows[rows["log10"].notna()]
    known = positive[positive["source"].isin(["exact", "published"])].drop_duplicates("x")  # counted here comes first
    for source, marker in (("exact", "o"), ("published", "_")):
        of_source = known[known["source"] == source]
        if len(of_source):
            label = "exact, counted here" if source == "exact" else "exact, published"
            axes.plot(
                of_source["x"],
                of_source["log10"],
                marker,
                color=EXACT,
                markerfacecolor="none",
                markersize=9.0,
                label=label,
                zorder=5,
            )
    estimated = positive[positive["source"] == "estimate"]
    x, (value, low, high) = estimated["x"].to_numpy(np.float64), estimates(estimated, "log10")
    axes.errorbar(x, value, [value - low, high - value], fmt="none", ecolor=ESTIMATE, elinewidth=1.2, capsize=2.0)
    sure = (estimated["reliable"] == "yes").to_numpy()
    for kept, face, label in ((sure, ESTIMATE, "Knuth's estimate, 95 %"), (~sure, "white", "from few effective paths")):
        if kept.any():
            axes.plot(
                x[kept], value[kept], "o", color=ESTIMATE, markerfacecolor=face, markersize=3.6, label=label, zorder=4
            )
    axes.set_ylim(bottom=-0.6)
    caption(axes, caption_text, legend=False)
    plain(axes)
    axes.yaxis.set_major_locator(MaxNLocator(9, integer=True))
    axes.yaxis.set_major_formatter(lambda log10, _: f"$10^{{{log10:.0f}}}$")


def _legend_below(figure: matplotlib.figure.Figure, panels: Sequence[Axes]) -> None:
    """Write one legend of all panels below them, so that they keep one height."""
    entries: dict[str, Any] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        entries = dict(zip(labels, handles, strict=True)) | entries
    figure.legend(
        entries.values(),
        entries.keys(),
        loc="outside lower center",
        ncols=4,
        frameon=False,
        fontsize=SMALL,
        handlelength=1.6,
    )


def _total(counts: pd.DataFrame, quantity: str) -> str:
    """Return the total number in words: estimated, bounded, exact."""
    totals = counts[counts["ply"].isna() & (counts["quantity"] == quantity)]
    rows: dict[str, dict[Any, Any]] = {row["source"]: row for row in totals.to_dict("records")}
    name, bound = ("games", "column orders") if quantity == "finished" else ("positions", "gravity and colours")
    parts = []
    if (row := rows.get("estimate")) is not None:
        parts.append(f"estimated {power(row['log10'])} (95 %: {power(row['log10_low'])} to {power(row['log10_high'])})")
    if (row := rows.get("exact", rows.get("published"))) is not None:
        parts.append(f"exactly {row['value']:,.0f}")
    parts.append(f"at most {power(rows[bound]['log10'])} by {bound}")
    return f"All {name}: {', '.join(parts)}"


def draw_sweep_lengths(lengths: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw, for each run of a sweep, the share of games that have ended by a ply."""
    from matplotlib.ticker import MaxNLocator

    for index, (label, table) in enumerate(lengths.groupby("label", sort=False)):
        by_ply = table.groupby("plies")["games"].sum().sort_index()
        total = float(by_ply.sum())
        mean = float((by_ply.index.to_numpy(np.float64) * by_ply).sum()) / total
        style = line_style(index) | {"markevery": 0.12}
        axes.plot(
            by_ply.index,
            100.0 * by_ply.cumsum() / total,
            drawstyle="steps-post",
            linewidth=1.5,
            markersize=4.5,
            label=f"{called(str(label))}: {mean:.1f} plies in the mean",
            **style,
        )
    axes.set_xlabel("ply")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("games that have ended (%)")
    axes.set_ylim(0.0, 101.0)
    plain(axes)
    return Caption("A jump at a board's last ply is its draws", "How long games last")


def draw_sweep_shares(table: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw, for each run of a sweep, the shares of wins on the left and of draws on the right, with intervals."""
    left, right = figure.subplots(1, 2)
    x = np.arange(len(table), dtype=np.float64)
    for winner, shift in ((1, -0.08), (-1, 0.08)):
        name, colour = WINNERS[winner]
        _shares(left, x + shift, table, name, f"won by the {name}", colour, 100.0)
    left.set_ylabel("games (%)")
    left.set_ylim(bottom=0.0)
    caption(left, "Who wins; bars: 95 % (Wilson)")
    plain(left, "y")
    _shares(right, x, table, "draw", "measured", EXACT, 1.0)
    for source, marker, index in (("random filling", "s", 5), ("independent lines", "^", 4)):
        column = f"draw_{source.replace(' ', '_')}"
        if column in table and bool((table[column] > 0.0).any()):
            right.plot(
                x + 0.14,
                table[column].where(table[column] > 0.0),
                marker,
                color=PALETTE[index],
                label=source,
                markersize=5.0,
                markerfacecolor="none",
            )
    right.set_yscale("log")
    low, high = right.get_ylim()
    plain(right, "y")
    _shares_axis(right.yaxis, low, high)
    right.set_ylabel("P(draw)")
    none = "; triangle: no draw, upper end of the interval" if bool((table["draw"] == 0.0).any()) else ""
    caption(right, f"Draws; bars: 95 % (Clopper-Pearson){none}; models: full board coloured at random")
    for axes in (left, right):
        _categories(axes, [str(label) for label in table["label"]])
    return Caption("", "Who wins, and how often nobody does")


def _shares(axes: Axes, x: Floats, table: pd.DataFrame, name: str, label: str, colour: str, scale: float) -> None:
    value, low, high = estimates(table, name, scale)
    value = np.where(value > 0.0, value, np.nan) if scale == 1.0 else value
    low = np.where(np.isnan(value), high, low)  # no draw at all: only the upper end of the interval is drawn
    axes.vlines(x, low, high, color=colour, linewidth=1.6)
    axes.plot(x[np.isnan(value)], high[np.isnan(value)], "v", color=colour, markersize=6.0)
    axes.plot(x, value, "o", color=colour, markersize=5.0, label=label)


def draw_sweep_counts(counts: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw, for each board of a sweep, the numbers of games and of positions: bounds, estimate, exact."""
    labels = list(map(str, dict.fromkeys(counts["label"])))
    places = {label: float(index) for index, label in enumerate(labels)}
    rows = counts[counts["ply"].isna()].assign(x=counts["label"].map(places))
    left, right = figure.subplots(1, 2)
    for axes, quantity, bounds, what in (
        (left, "finished", ("width^cells", "column orders"), "distinct finished games"),
        (right, "positions", ("3^cells", "gravity", "gravity and colours"), "distinct positions"),
    ):
        _numbers(axes, rows[rows["quantity"] == quantity], bounds, what.capitalize())
        axes.set_ylabel(what)
        _categories(axes, labels)
    _legend_below(figure, [left, right])
    return Caption("", "How many games and positions there are")


def _categories(axes: Axes, names: Sequence[str]) -> None:
    """Write the labels of a sweep's runs below the axis."""
    labels = [called(name) for name in names]
    long = max(len(label) for label in labels) > 8
    axes.set_xticks(range(len(labels)), labels, rotation=25 if long else 0, ha="right" if long else "center")
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.grid(False, axis="x")


def _shares_axis(axis: Axis, low: float, high: float) -> None:
    """Write the shares of a logarithmic axis in percent."""
    from matplotlib.ticker import NullLocator

    def text(share: float, _: object) -> str:
        return f"{100.0 * share:g} %" if share >= 0.9e-5 else f"$10^{{{math.log10(100.0 * share):.0f}}}$ %"

    ticks(axis, low, high)
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(text)


FIGURES = (
    Figure(
        "lengths",
        ("lengths.csv", "law_curves.csv", "laws.csv", "chances.csv"),
        draw_lengths,
        size=size_of_lengths,
        panels=True,
    ),
    Figure("draws", ("draws.csv", "lengths.csv"), draw_draws, size=lambda draws, *_: (8.0, 1.6 + 0.36 * len(draws))),
    Figure("counts", "counts.csv", draw_counts, size=(10.4, 5.2), panels=True),
)
LENGTHS, SWEEP, COUNTS = "lengths", "sweep", "counts"
SWEEP_FIGURES = (
    Figure("lengths", LENGTHS, draw_sweep_lengths, size=(8.4, 5.0)),
    Figure("shares", SWEEP, draw_sweep_shares, size=(10.4, 4.6), panels=True),
    Figure("counts", COUNTS, draw_sweep_counts, size=(10.4, 5.0), panels=True),
)
"""The figures of a sweep: of lengths.csv and counts.csv of all runs, with a column `label`, and of its own table."""
