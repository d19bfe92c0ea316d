"""Figures of random play: lengths with their laws, the share of draws, numbers of games and positions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.games.results import ground
from experiments.kinds.random_games.random_play_sheets import percent, power, verdict
from numerics.output.captions import Caption, caption, label_of
from numerics.output.figures import Facts, Figure
from numerics.output.plots import curves, legend_below, panels, rows
from numerics.output.scales import Scale
from numerics.output.style import PALETTE, plain

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes

WINNERS = {1: ("first", PALETTE[0]), -1: ("second", PALETTE[1]), 0: ("draw", PALETTE[6])}
_DARK = {1: "#013a5c", -1: "#6b4400"}  # of the laws on the bars of either winner
_KNOWN = {"exact": "exact, counted here", "published": "exact, published"}
_KNUTH, _FEW = "Knuth's estimate, 95 %", "small effective sample size"
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
    return list(dict.fromkeys(map(str, lengths["first_player"]))) or ["random"]


def _games_of(lengths: pd.DataFrame) -> str:
    players = _players(lengths)
    return "random games" if players == ["random"] else f"games of {' and '.join(players)}"


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
    total = float(lengths["games"].sum())
    won = lengths.groupby("winner")["games"].sum() / total
    present = [winner for winner in (0, -1, 1) if winner in won]  # the first stands on top: draws on wins
    plain(axes)
    if present:
        _draw_bars(axes, lengths, present)
    for winner in reversed(present):  # the bars come first in the legend
        name, colour = WINNERS[winner]
        label = f"{'drawn' if winner == 0 else f'won by the {name}'}: {percent(won[winner])}"
        axes.plot([], [], "s", color=colour, alpha=0.75, markersize=6.0, label=label)
    for winner in reversed(present):
        _draw_law(axes, laws, curves, winner, won[winner])
    if chances is not None and len(chances):
        exact = 100.0 * chances.groupby("plies")["probability"].sum()
        look: dict[str, Any] = {"color": EXACT, "markersize": 11.0, "markeredgewidth": 1.8, "zorder": 4.0}
        axes.plot(exact.index, exact, "_", label="exact, as far as it was counted", **look)
    low, high = axes.get_xlim()
    Scale("length of the game (plies)", log=False, low=low, high=high, whole=True).set(axes.xaxis, [])
    Scale("games (%)", log=False, low=0.0, high=axes.get_ylim()[1]).set(axes.yaxis, [])
    games = f"{total:,.0f} games" + (f" begun by {label_of(player, 60)}" if player else "")
    fitted = bool(laws["won_by"].isin(["first", "second"]).any())
    dots = "; dots: best-fitting distribution for each winner, on the plies of its parity" if fitted else ""
    caption(axes, games + dots, title=title)


def _draw_bars(axes: Axes, lengths: pd.DataFrame, present: Sequence[int]) -> None:
    """Draw the share of games of each length, stacked by winner."""
    import seaborn

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


def _draw_law(axes: Axes, laws: pd.DataFrame, curves: pd.DataFrame, winner: int, share: float) -> None:
    """Draw the nearest law of a winner's lengths, if one was fitted."""
    name = WINNERS[winner][0]
    for law in laws[laws["won_by"] == name].head(1).to_dict("records"):
        curve = curves[(curves["won_by"] == name) & (curves["law"] == law["law"])]
        p = law["p_value"]
        verdict_text = f"p {'< 0.001' if p < 0.001 else f'= {p:.3f}'}, {verdict(law)}" if p == p else verdict(law)
        label = f"{law['law']} ({name}): off by {percent(law['total_variation'])}; {verdict_text}"
        look: dict[str, Any] = {"color": _DARK[winner], "marker": "oD"[winner < 0], "markersize": 5.5, "zorder": 3.0}
        look |= {"linestyle": "none", "markeredgecolor": "white", "markeredgewidth": 0.7}
        axes.plot(curve["plies"], 100.0 * curve["probability"] * share, label=label, **look)


def draw_draws(draws: pd.DataFrame, lengths: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the share of draws as measured, exact, and by each model, with intervals where there are any."""
    value, low, high = (draws[name].to_numpy(np.float64) for name in ("value", "low", "high"))
    positive = np.concatenate([part[part > 0.0] for part in (value, low, high)])
    left, right = (0.4 * positive.min(), min(1.0, 2.0 * positive.max())) if positive.size else (1e-6, 1.0)
    colours = [{"measured": ESTIMATE, "exact": EXACT}.get(str(source), BOUND) for source in draws["source"]]
    texts = [
        percent(middle) + (f"   [{percent(least)}, {percent(most)}]" if np.isfinite(least) else "")
        for middle, least, most in zip(value, low, high, strict=True)
    ]
    scale = Scale("P(draw)", log=True, low=left, high=right, form=share_text)
    rows(axes, [_SOURCES[str(source)] for source in draws["source"]], beside=texts, scale=scale)
    axes.hlines(range(len(draws)), np.maximum(low, left), high, color=colours, linewidth=1.8)
    axes.scatter(np.where(value > 0.0, value, np.nan), range(len(draws)), 36.0, colours, zorder=3, clip_on=False)
    sentence = (
        "Whiskers: 95 % (Clopper-Pearson). The models colour a full board at random, half of the cells each. In random "
        "games, vertical neighbours differ more often, so fewer lines have one colour."
    )
    return Caption(sentence, f"How often {_games_of(lengths)} are drawn {ground(facts['settings'])}", wide=True)


def draw_counts(counts: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw the numbers of finished games and of positions by ply: bound, estimate with its interval, exact."""
    by_ply = counts[counts["ply"].notna()]
    games = by_ply[(by_ply["quantity"] == "finished") | (by_ply["source"] == "column orders")]
    positions = by_ply[by_ply["quantity"] == "positions"]
    left, right = panels(figure, 2)
    _draw_numbers(left, games, "column orders", Scale("length of the game (plies)", log=False, whole=True))
    _draw_numbers(right, positions, "gravity and colours", Scale("ply", log=False, whole=True))
    caption(left, "Finished games; dotted: bound by column orders", legend=False)
    caption(right, "Positions; dotted: bound by gravity and colours", legend=False)
    left.set_ylabel("number of distinct finished games")
    right.set_ylabel("number of distinct positions")
    legend_below(figure, [left, right])
    text = f"{_total(counts, 'finished')}. {_total(counts, 'positions')}"
    return Caption(text, f"How many games and positions there are {ground(facts['settings'])}")


def _draw_numbers(axes: Axes, numbers: pd.DataFrame, bound: str, scale: Scale) -> None:
    """Draw numbers of `counts.csv` as powers of ten: the upper bound, estimates, exact numbers.

    Estimates are hollow where too few paths contribute to trust their interval.
    """
    numbers = numbers[numbers["log10"].notna()]
    bounded = {"color": BOUND, "marker": "", "linestyle": (0, (2, 1)), "linewidth": 1.1}
    plain(axes)
    scale.set(axes.xaxis, numbers["ply"])
    power_of_ten = Scale(log=False, low=-0.6, whole=True, form=lambda log10: f"$10^{{{log10:.0f}}}$")
    power_of_ten.set(axes.yaxis, numbers["log10"], measured=True)
    curves(axes, numbers[numbers["source"] == bound], "ply", "log10", look=bounded, whiskers=False)
    known = numbers[numbers["source"].isin(_KNOWN)].drop_duplicates("ply")  # counted here comes first
    known, looks = known.assign(label=known["source"].map(_KNOWN)), {_KNOWN["published"]: {"marker": "_"}}
    style = {"color": EXACT, "marker": "o", "markerfacecolor": "none", "markersize": 9.0, "zorder": 5}
    curves(axes, known, "ply", "log10", by="label", look=style, looks=looks, joined=False, whiskers=False)
    estimated = numbers[numbers["source"] == "estimate"]
    sure = np.where(estimated["reliable"] == "yes", _KNUTH, _FEW)
    style = {"color": ESTIMATE, "marker": "o", "markersize": 3.6, "capsize": 2.0, "zorder": 4}
    looks = {_FEW: {"markerfacecolor": "white"}}
    curves(axes, estimated.assign(label=sure), "ply", "log10", by="label", look=style, looks=looks, joined=False)


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


def share_text(share: float) -> str:
    """Write a share in percent, as a power of ten if it is tiny."""
    return f"{100.0 * share:g} %" if share >= 0.9e-5 else f"$10^{{{math.log10(100.0 * share):.0f}}}$ %"


FIGURES = (
    Figure(
        "lengths",
        ("lengths.csv", "law_curves.csv", "laws.csv", "chances.csv"),
        draw_lengths,
        size=lambda lengths, *_: (9.0, 1.2 + 4.0 * len(_players(lengths))),
        panels=True,
    ),
    Figure("draws", ("draws.csv", "lengths.csv"), draw_draws, size=lambda draws, *_: (8.0, 1.6 + 0.36 * len(draws))),
    Figure("counts", "counts.csv", draw_counts, size=(10.4, 5.2), panels=True),
)
