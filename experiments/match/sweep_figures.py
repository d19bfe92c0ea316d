"""The figure of a sweep of matches: the score against a number, name by name, or as a heat map of two numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.match.figures import LONG, draw_rows, draw_scores
from experiments.statistics.against_best import BEST, LIKE_BEST, LOWER
from experiments.statistics.doubling import BUDGETS, Doubling, elo_per_doubling
from numerics.output.style import apart, called, caption, error_arms, files, line_style, number, page, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_DECADE = 10.0  # a sweep that spans it has a logarithmic axis
_SCORES = ["score", "score_low", "score_high"]

Floats = npt.NDArray[np.float64]


def draw(folder: Path, table: pd.DataFrame, keys: Sequence[str]) -> list[Path]:
    """Draw the score of player 1, as `experiments.match.sweep.sweep_table` has it, against the swept keys."""
    place = folder / "figures" / "score"
    drawn, key, numeric = against(table, keys)
    if len(keys) == 2 and len(_numbers_of(table, keys)) == 2 and not table.duplicated(list(keys)).any():
        rows, columns = (table[one].nunique() for one in keys)
        with page(place, (2.6 + 0.85 * columns, 1.9 + 0.5 * rows)) as figure:
            draw_heat_map(figure.subplots(), table, keys[1], keys[0])
    elif numeric:
        with page(place, (7.6, 4.4)) as figure:
            draw_numbers(figure.subplots(), drawn, key)
    else:
        with page(place, (7.6, 1.5 + 0.36 * len(drawn))) as figure:
            draw_names(figure.subplots(), drawn, key)
    return files(place)


def against(table: pd.DataFrame, keys: Sequence[str]) -> tuple[pd.DataFrame, str, bool]:
    """Return the table with each row's value and line in a figure, the key of the values, and whether they are numbers.

    The one numeric key is drawn along the axis where there is just one, else the first key; the others make lines.
    """
    if not keys:
        return table.assign(value=table["player"], line=""), "player 1", False
    numbers = _numbers_of(table, keys)
    key = next(iter(numbers)) if len(numbers) == 1 else keys[0]
    others = [one for one in keys if one != key]
    line = [" ".join(f"{one}={row[one]}" for one in others) for row in table.to_dict("records")]
    return table.assign(value=numbers.get(key, table[key]), line=line), key, key in numbers


def _numbers_of(table: pd.DataFrame, keys: Sequence[str]) -> dict[str, pd.Series[Any]]:
    """Return the swept keys whose values are all numbers, with these."""
    import pandas as pd

    numbers = {key: pd.to_numeric(table[key], errors="coerce") for key in keys}
    return {key: values for key, values in numbers.items() if bool(np.isfinite(values).all())}


def fits_of(drawn: pd.DataFrame, key: str) -> dict[str, Doubling]:
    """Return the strength against a swept budget of player 1 for each line that has two budgets or more."""
    place, _, parameter = key.rpartition(".")
    if place == "player2" or parameter not in BUDGETS or drawn["value"].dtype.kind not in "if":
        return {}
    return {
        str(line): elo_per_doubling(own["value"], own["score"] * own["games"], own["games"])
        for line, own in drawn.groupby("line", sort=False)
        if own["value"].nunique() > 1 and bool((own["value"] > 0).all())
    }


def draw_numbers(axes: Axes, table: pd.DataFrame, key: str) -> None:
    """Draw the score of player 1 against a number, a line for each setting of all else, and a fit against a budget."""
    from matplotlib.ticker import NullLocator

    fits = fits_of(table, key)
    for place, (line, own) in enumerate(table.sort_values("value").groupby("line", sort=False)):
        style = line_style(place)
        if fit := fits.get(str(line)):
            x = np.geomspace(own["value"].min(), own["value"].max(), 200)
            low, high = (number(round(end)) for end in (fit.elo_low, fit.elo_high))
            label = f"fit: {number(round(fit.elo))} Elo a doubling [{low}, {high}]"
            axes.plot(x, 100.0 * fit.score(x), color=style["color"], linewidth=1.2, alpha=0.7, label=label)
            style["linestyle"] = "none"
        x, (score, low, high) = own["value"].to_numpy(np.float64), 100.0 * own[_SCORES].to_numpy(np.float64).T
        axes.errorbar(
            x, score, error_arms(score, low, high), label=called(str(line)) if line else None, capsize=3.0,
            linewidth=1.4, markersize=6.0, **style,
        )  # fmt: skip
        _mark(axes, x, score, own["standing"], style)
    values = np.unique(table["value"].to_numpy(np.float64))
    budget = key.rpartition(".")[2] in BUDGETS
    logarithmic = bool(values[0] > 0.0 and (budget or values[-1] >= _DECADE * values[0]))
    if logarithmic:
        axes.set_xscale("log", base=2 if budget else 10)
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(apart(values, logarithmic))
    axes.axhline(50.0, color="0.6", linewidth=0.8)
    axes.set_ylim(-2.0, 102.0)
    axes.set_xlabel(key + " (log scale)" * logarithmic)
    axes.set_ylabel("score of player 1 (% of the points)")
    caption(axes, f"{_said(table)}; level line: as strong as the opponent")
    plain(axes)
    axes.xaxis.set_major_formatter(lambda value, _: number(value, 4))


def draw_names(axes: Axes, table: pd.DataFrame, key: str) -> None:
    """Draw the score of player 1, a row for each name and line; for boards also the score with either moving first."""
    names = [f"{value}  {line}".rstrip() for value, line in zip(table["value"], table["line"], strict=True)]
    draw_rows(axes, 100.0 * table[_SCORES], [called(name, LONG) for name in names], " %", digits=1)
    style, rows = {**line_style(0), "linestyle": "none"}, np.arange(len(table), dtype=np.float64)
    _mark(axes, 100.0 * table["score"].to_numpy(np.float64), rows, table["standing"], style)
    if key == "board":
        for name, marker in (("first", 6), ("second", 7)):  # carets that point at the row
            score = 100.0 * table[f"score_moving_{name}"]
            shifted = rows + (0.22 if name == "first" else -0.22)
            axes.plot(score, shifted, color="0.55", linestyle="none", marker=marker, label=f"player 1 moving {name}")
    axes.axvline(50.0, color="0.6", linewidth=0.8)
    axes.set_xlim(-2.0, 102.0)
    axes.set_xlabel(f"score of player 1 (% of the points) by {key}")
    caption(axes, _said(table))
    plain(axes, "x")


def _mark(axes: Axes, x: Floats, y: Floats, standing: pd.Series[str], style: dict[str, Any]) -> None:
    """Mark the best of some points, and those that are lower."""
    lower, best = (standing == LOWER).to_numpy(), (standing == BEST).to_numpy()
    axes.plot(x[lower], y[lower], markersize=4.2, **{**style, "color": "white", "linestyle": "none"}, zorder=4.0)
    axes.plot(x[best], y[best], "o", color="0.1", markerfacecolor="none", markersize=12.0, zorder=5.0)


def draw_heat_map(axes: Axes, table: pd.DataFrame, across: str, down: str) -> None:
    """Draw a heat map of the score of player 1 for every combination of two numbers, such as player1.c."""
    score = 100.0 * table["score"]
    stars = np.where(table["standing"].isin((BEST, LIKE_BEST)), "*", "")
    numbers = {key: table[key].astype(float) for key in (across, down)}
    cells = table.assign(score=score, told=score.map("{:.1f}".format) + stars, **numbers)
    scores, told = (
        cells.pivot(index=down, columns=across, values=name).sort_index(ascending=False) for name in ("score", "told")
    )
    draw_scores(axes, scores, told)
    columns, rows = sorted(set(numbers[across])), sorted(set(numbers[down]), reverse=True)
    best = cells[cells["standing"] == BEST].iloc[0]
    middle = columns.index(best[across]) + 0.5, rows.index(best[down]) + 0.5
    for text in axes.texts:
        text.set_fontweight("bold" if text.get_position() == middle else "normal")
    axes.set_xticklabels([number(value, 4) for value in columns])
    axes.set_yticklabels([number(value, 4) for value in rows])
    counted = _counted(table["games"])
    caption(axes, f"Score of player 1 in %, {counted}; bold: best; star: not distinguishable from it")


def _said(table: pd.DataFrame) -> str:
    marks = "; circle: best; filled: not distinguishable from it" if len(table) > 1 else ""
    counted = _counted(table["games"])
    return f"Wins + draws / 2 of {counted}; bars: 95 % intervals{marks}"


def _counted(games: pd.Series[int]) -> str:
    low, high = int(games.min()), int(games.max())
    return f"{number(low)} games each" if low == high else f"{number(low)} to {number(high)} games each"
