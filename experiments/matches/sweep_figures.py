"""Figures of a sweep of matches: the score against one number or name, row by row, or as a heat map of two numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.matches.figures import LONG, score_texts
from experiments.statistics.against_best import BEST, LIKE_BEST, LOWER
from experiments.statistics.doubling import BUDGETS
from numerics.output.style import PALETTE, SMALL, apart, called, caption, error_arms, line_style, number, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from experiments.statistics.doubling import Doubling

_DECADE = 10.0  # a sweep that spans it has a logarithmic axis


def draw_sweep(axes: Axes, table: pd.DataFrame, key: str, *, numeric: bool) -> None:
    """Draw the score of player 1, with its 95 % interval, against what was swept.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    table : pandas.DataFrame
        One row a match: value, line (what else was swept, one line each), games, score, score_low, score_high,
        score_moving_first, score_moving_second and standing, as in `experiments.matches.sweep.sweep_table`.
    key : str
        What the values are, such as "player1.depth".
    numeric : bool
        Whether the values are numbers, on an axis that is logarithmic where they span a decade, or names.
    """
    lines = list(dict.fromkeys(table["line"]))
    names = list(dict.fromkeys(table["value"]))
    for place, line in enumerate(lines):
        own = table[table["line"] == line]
        own = own.sort_values("value") if numeric else own
        score, low, high = (100.0 * own[name].to_numpy(np.float64) for name in ("score", "score_low", "score_high"))
        style = line_style(place) if len(lines) > 1 else {"color": PALETTE[0], "marker": "o", "linestyle": "-"}
        x = np.array([value if numeric else names.index(value) for value in own["value"]], dtype=np.float64)
        if not numeric or axes.lines:  # names have no order, and a fitted curve is there already
            style["linestyle"] = "none"
        if not numeric:
            x += 0.5 * (place - (len(lines) - 1) / 2) / len(lines)
        axes.errorbar(
            x, score, error_arms(score, low, high), label=called(line) if line else None, capsize=3.0, linewidth=1.4,
            markersize=6.0, **style,
        )  # fmt: skip
        lower = (own["standing"] == LOWER).to_numpy()
        style["linestyle"] = "none"
        axes.plot(x[lower], score[lower], markersize=4.2, **{**style, "color": "white"}, zorder=4.0)
        best = (own["standing"] == BEST).to_numpy()
        axes.plot(x[best], score[best], "o", color="0.1", markerfacecolor="none", markersize=12.0, zorder=5.0)
        if key == "board" and len(lines) == 1:
            for name, marker, shift in (("first", "^", -0.14), ("second", "v", 0.14)):
                share = 100.0 * own[f"score_moving_{name}"].to_numpy(np.float64)
                axes.plot(x + shift, share, marker, color="0.55", markersize=4.5, label=f"player 1 moving {name}")
    if numeric:
        values = np.unique(table["value"].to_numpy(np.float64))
        budget = key.rpartition(".")[2] in BUDGETS
        logarithmic = bool(values[0] > 0.0 and (budget or values[-1] >= _DECADE * values[0]))
        if logarithmic:
            from matplotlib.ticker import NullLocator

            axes.set_xscale("log", base=2 if budget else 10)
            axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(apart(values, logarithmic))
    axes.axhline(50.0, color="0.6", linewidth=0.8)
    axes.set_ylim(-2.0, 102.0)
    axes.set_xlabel(key + " (log scale)" * (axes.get_xscale() == "log"))
    axes.set_ylabel("score of player 1 (% of the points)")
    marks = "; circle: best; filled: not distinguishable from it" if len(table) > 1 else ""
    counted = _counted(table["games"])
    caption(axes, f"Wins + draws / 2 of {counted}; bars: 95 % intervals{marks}; level line: as strong as the opponent")
    plain(axes, "both" if numeric else "y")
    if numeric:
        axes.xaxis.set_major_formatter(lambda value, _: number(value, 4))
    else:
        axes.set_xticks(range(len(names)), [called(str(name), 32) for name in names])
        for text in axes.get_xticklabels() if len(names) > 4 else ():
            text.set(rotation=20.0, ha="right", rotation_mode="anchor")
        axes.set_xlim(-0.6, len(names) - 0.4)


def draw_rows(axes: Axes, table: pd.DataFrame, key: str) -> None:
    """Draw the score of player 1, with its 95 % interval, one row a value that has a long name.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    table : pandas.DataFrame
        One row a match: value, games, score, score_low, score_high and standing.
    key : str
        What the values are, such as "player.settings".
    """
    score, low, high = (100.0 * table[name].to_numpy(np.float64) for name in ("score", "score_low", "score_high"))
    rows = np.arange(len(table))
    axes.axvline(50.0, color="0.6", linewidth=0.8)
    axes.errorbar(
        score, rows, xerr=error_arms(score, low, high), fmt="o", color=PALETTE[0], markersize=6.0, capsize=3.0,
        linewidth=1.4,
    )  # fmt: skip
    lower = (table["standing"] == LOWER).to_numpy()
    axes.plot(score[lower], rows[lower], "o", color="white", markersize=4.2, zorder=4.0)
    best = (table["standing"] == BEST).to_numpy()
    axes.plot(score[best], rows[best], "o", color="0.1", markerfacecolor="none", markersize=12.0, zorder=5.0)
    for place, text in enumerate(score_texts(table)):
        axes.text(1.015, place, text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    axes.set_yticks(rows, [called(str(value), LONG) for value in table["value"]])
    axes.set_ylim(len(table) - 0.4, -0.6)
    axes.set_xlim(-2.0, 102.0)
    axes.set_xlabel(f"score of player 1 (% of the points) by {key}")
    caption(
        axes,
        f"Wins + draws / 2 of {_counted(table['games'])}; bars: 95 % intervals;\n"
        "circle: best; filled: not distinguishable from it",
    )
    plain(axes, "x")


def draw_doubling(axes: Axes, fit: Doubling, budgets: pd.Series[float], place: int) -> None:
    """Draw the fitted score against a budget, as curve number `place`, before `draw_sweep` draws what was measured."""
    low, high = float(budgets.min()), float(budgets.max())
    x = low * (high / low) ** np.linspace(0.0, 1.0, 200)
    text = f"fit: {number(round(fit.elo))} Elo a doubling [{number(round(fit.elo_low))}, {number(round(fit.elo_high))}]"
    axes.plot(x, 100.0 * fit.score(x), color=PALETTE[place % len(PALETTE)], linewidth=1.2, alpha=0.7, label=text)


def draw_heat_map(figure: Figure | SubFigure, axes: Axes, table: pd.DataFrame, across: str, down: str) -> None:
    """Draw the score of player 1 for every combination of two numbers, with the numbers in the cells.

    Parameters
    ----------
    figure, axes : matplotlib.figure.Figure, matplotlib.axes.Axes
        Where to draw, the scale beside it.
    table : pandas.DataFrame
        One row a combination: the two keys, games, score and standing.
    across, down : str
        The keys of the horizontal and of the vertical axis.
    """
    x, y = (table[key].astype(float) for key in (across, down))
    columns, rows = sorted(set(x)), sorted(set(y), reverse=True)
    scores = np.full((len(rows), len(columns)), np.nan)
    for row, value, standing, score in zip(y, x, table["standing"], 100.0 * table["score"], strict=True):
        i, j = rows.index(row), columns.index(value)
        scores[i, j] = score
        told = f"{score:.1f}" + ("*" if standing in (BEST, LIKE_BEST) else "")
        axes.text(
            j, i, told, ha="center", va="center", fontsize=SMALL + 1.0, fontweight="bold" if standing == BEST else None,
            color="white" if abs(score - 50.0) > 32.0 else "0.1",
        )  # fmt: skip
    axes.set_facecolor("0.88")  # of a combination that was refused
    image = axes.imshow(scores, cmap="PuOr_r", vmin=0.0, vmax=100.0, aspect="auto")
    axes.set_xticks(range(len(columns)), [number(value, 4) for value in columns], fontsize=SMALL)
    axes.set_yticks(range(len(rows)), [number(value, 4) for value in rows], fontsize=SMALL)
    axes.set_xlabel(across, fontsize=SMALL + 1.0)
    axes.set_ylabel(down, fontsize=SMALL + 1.0)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0.0)
    scale = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
    scale.ax.tick_params(labelsize=SMALL)
    scale.set_label("score (%)", fontsize=SMALL)
    counted = _counted(table["games"])
    caption(axes, f"Score of player 1 in %, {counted}; bold: best; star: not distinguishable from it")


def _counted(games: pd.Series[int]) -> str:
    low, high = int(games.min()), int(games.max())
    return f"{number(low)} games each" if low == high else f"{number(low)} to {number(high)} games each"
