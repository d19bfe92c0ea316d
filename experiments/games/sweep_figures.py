"""The figure of a sweep of matches: the score against a number, name by name, or as a heat map of two numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.games.figures import LONG, draw_rows, draw_scores
from experiments.games.sweep_settings import blocks_of, conditions, shown_key, value_text
from experiments.players.labels import short_columns
from numerics.output.captions import Caption, called, caption
from numerics.output.figures import Facts
from numerics.output.figures import Figure as Declared
from numerics.output.line_ends import End, name_ends
from numerics.output.style import apart, draw_estimates, estimates, line_style, number, plain
from numerics.statistics.against_best import BEST, LIKE_BEST, LOWER
from numerics.statistics.doubling import BUDGETS, Doubling, elo_per_doubling
from numerics.statistics.scores import sure_games

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DECADE = 10.0  # a sweep that spans it has a logarithmic axis
_OF_A_NAME = re.compile(r"^[\w.]+=(?!true|false)(?=[A-Za-z_]\S*$)")  # the key of a value that tells enough alone
_STACKED = 3  # panels above each other, which leaves names their room
_STEP = 0.008  # of the axis, from an error bar to that of the next line
TABLE = "sweep.csv"
_SCORES = ["score", "score_low", "score_high"]

Floats = npt.NDArray[np.float64]


def size_of(table: pd.DataFrame, facts: Facts) -> tuple[float, float]:
    """Return the width and height in inches for `draw`."""
    layout = _layout(table, facts["keys"])
    rows, columns = layout.grid
    width, height = layout.size if columns == 1 else (max(0.66 * layout.size[0], 3.6), layout.size[1])
    return columns * width, rows * height


def draw(table: pd.DataFrame, figure: Figure, facts: Facts) -> Caption | None:
    """Draw the score of player 1, as `experiments.games.sweep_settings.sweep_table` has it, against the swept keys.

    Each opponent, and each board, has a separate panel, whose title names the players.

    Parameters
    ----------
    table : pandas.DataFrame
    figure : matplotlib.figure.Figure
    facts : mapping
        The swept `keys` and the `title`.
    """
    layout, title = _layout(table, facts["keys"]), facts["title"]
    rows, columns = layout.grid
    grid = list(figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=columns > 1).ravel())
    for axes in grid[len(layout.blocks) :]:
        axes.set_visible(False)
    grid = grid[: len(layout.blocks)]
    if layout.cells:
        for axes, (name, block) in zip(grid, layout.blocks.items(), strict=True):
            draw_heat_map(axes, block, layout.keys[1], layout.keys[0], name)
        return Caption(f"Score in %, {_counted(table['games'])}; frame: best; bold: not distinguishable from it", title)
    numeric = all(is_number for _, _, is_number in layout.drawn.values())
    text = f"Wins + draws / 2 of {_counted(table['games'])}; whiskers: 95 % intervals (score test)"
    text += "; level line: as strong as the opponent" if numeric else ""
    fitted = any(fits_of(points, key) for points, key, _ in layout.drawn.values())
    text += "; Elo: what a doubling adds" if fitted else ""
    for axes, (name, (points, key, _)) in zip(grid, layout.drawn.items(), strict=True):
        named = (draw_numbers if numeric else draw_names)(axes, points, key)
        marks = _standings(table) if axes is grid[0] else {}
        above = _capitalised(name) if name else text
        caption(axes, above, marks or None, title="" if name else title, legend=not named)
    if len(grid) == 1:
        return None
    for panel, axes in enumerate(grid):
        if panel + columns < len(grid):
            axes.set_xlabel("")
        axes.tick_params(labelbottom=panel + columns >= len(grid))
    return Caption(text, title)


@dataclass(frozen=True)
class _Layout:
    """What is drawn of a sweep: its blocks, a panel each, and how large a panel is that stands alone."""

    blocks: Mapping[str, pd.DataFrame]
    keys: Sequence[str]  # but for those that tell the blocks apart
    drawn: Mapping[str, tuple[pd.DataFrame, str, bool]]
    cells: tuple[int, int] | None  # rows and columns of a map of two numbers, where that is what is drawn

    @property
    def size(self) -> tuple[float, float]:
        """The width and height in inches of one panel."""
        if self.cells:
            return 2.6 + 0.85 * self.cells[1], 2.0 + 0.5 * self.cells[0]
        if all(numeric for _, _, numeric in self.drawn.values()):
            return 7.6, 4.6 if len(self.blocks) == 1 else 3.4
        return 7.6, 1.6 + 0.36 * sum(map(len, self.blocks.values())) / len(self.blocks)

    @property
    def grid(self) -> tuple[int, int]:
        """The rows and columns of panels."""
        numeric = all(numeric for _, _, numeric in self.drawn.values())
        most = 3 if self.cells else 2 if numeric and len(self.blocks) > _STACKED else 1
        columns = min(most, len(self.blocks))
        return -(-len(self.blocks) // columns), columns


def _layout(table: pd.DataFrame, keys: Sequence[str]) -> _Layout:
    blocks = blocks_of(table, keys)
    within = list(keys) if "" in blocks else [key for key in keys if key not in conditions(keys)]
    drawn = {name: against(block, within) for name, block in blocks.items()}
    cells = None
    if len(within) == len(_numbers_of(table, within)) == 2 and not table.duplicated(list(keys)).any():
        cells = table[within[0]].nunique(), table[within[1]].nunique()
    return _Layout(blocks, within, drawn, cells)


def against(table: pd.DataFrame, keys: Sequence[str]) -> tuple[pd.DataFrame, str, bool]:
    """Return the table with each row's value and line in a figure, the key of the values, and whether they are numbers.

    The number of the most values is drawn along the axis, else the first key; the other keys make lines.
    """
    short = short_columns(table, "player", "opponent")
    numbers = _numbers_of(table, keys)
    if not numbers and keys and len(conditions(keys)) == len(keys) and not {"board", "connect"} & set(keys):
        return table.assign(value=short["opponent"], line=""), "opponent", False
    if not keys:
        return table.assign(value=short["player"], line=""), "player 1", False
    key = max(numbers, key=lambda name: numbers[name].nunique()) if numbers else keys[0]
    others = [name for name in keys if name != key]
    line = [
        " ".join(f"{shown_key(name)}={value_text(row[name])}" for name in others) for row in table.to_dict("records")
    ]
    return table.assign(value=numbers.get(key, table[key].map(value_text)), line=line), key, key in numbers


def _numbers_of(table: pd.DataFrame, keys: Sequence[str]) -> dict[str, pd.Series[Any]]:
    """Return the swept keys whose values are all numbers, with these."""
    import pandas as pd

    numbers = {key: pd.to_numeric(table[key], errors="coerce") for key in keys}
    return {key: values for key, values in numbers.items() if bool(np.isfinite(values).all())}


def fits_of(drawn: pd.DataFrame, key: str) -> dict[str, Doubling]:
    """Return the strength against a swept budget of player 1 for each line that has two budgets or more."""
    side, _, parameter = key.rpartition(".")
    if side == "player2" or parameter not in BUDGETS or drawn["value"].dtype.kind not in "if":
        return {}
    return {
        str(line): elo_per_doubling(points["value"], points["score"] * sure_games(points), sure_games(points))
        for line, points in drawn.groupby("line", sort=False)
        if points["value"].nunique() > 1 and bool((points["value"] > 0).all())
    }


def draw_numbers(axes: Axes, table: pd.DataFrame, key: str) -> bool:
    """Draw the score of player 1 against a number, a line for each setting of all else, and a fit against a budget.

    Return whether the lines are named at their ends; else they need a legend.
    """
    from matplotlib.ticker import NullLocator

    fits = fits_of(table, key)
    values = np.unique(table["value"].to_numpy(np.float64))
    budget = key.rpartition(".")[2] in BUDGETS
    logarithmic = bool(values[0] > 0.0 and (budget or values[-1] >= _DECADE * values[0]))
    lines = dict(list(table.sort_values("value").groupby("line", sort=False)))
    order, ends = list(dict.fromkeys(table["line"])), []
    for index, line in enumerate(order):
        points, style = lines[line], line_style(index)
        name = [called(_OF_A_NAME.sub("", str(line)))] if line else []
        x = points["value"].to_numpy(np.float64)
        beside = _beside(x, values, index - (len(order) - 1) / 2.0, logarithmic)
        score = 100.0 * points["score"].to_numpy(np.float64)
        if fit := fits.get(str(line)):
            fine = np.geomspace(x.min(), x.max(), 200)
            axes.plot(
                _beside(fine, values, index - (len(order) - 1) / 2.0, logarithmic),
                100.0 * fit.score(fine),
                color=style["color"],
                linewidth=1.3,
                linestyle=style["linestyle"],
            )
            low_elo, high_elo = (number(round(end)) for end in (fit.elo_low, fit.elo_high))
            name.append(f"{number(round(fit.elo))} Elo [{low_elo}, {high_elo}]")
            style["linestyle"] = "none"
        if name:
            ends.append(End(", ".join(name), float(score[-1]), style))
        looks: dict[str, Any] = {"label": ", ".join(name) or None, "capsize": 3.0, "linewidth": 1.4, "markersize": 6.0}
        draw_estimates(axes, beside, estimates(points, "score", 100.0), **looks, **style)
        _mark(axes, beside, score, points["standing"], style)
    if logarithmic:
        axes.set_xscale("log", base=2 if budget else 10)
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(apart(values, logarithmic))
    axes.axhline(50.0, color="0.6", linewidth=0.8)
    axes.set_ylim(-4.0, 104.0)
    axes.set_xlabel(key + " (log scale)" * logarithmic)
    axes.set_ylabel("score of player 1 (%)")
    plain(axes)
    axes.xaxis.set_major_formatter(lambda value, _: number(value, 4))
    return not ends or name_ends(axes, ends)


def _beside(x: Floats, values: Floats, steps: float, logarithmic: bool) -> Floats:
    """Return places some steps beside x, so that the error bars of several lines do not cover each other."""
    low, high = float(values[0]), float(values[-1])
    moved: Floats = x * (high / low) ** (_STEP * steps) if logarithmic else x + _STEP * steps * (high - low)
    return moved


def _standings(table: pd.DataFrame) -> dict[str, Any]:
    """Return the legend entries of circled, filled and open marks; none without a best."""
    from matplotlib.lines import Line2D

    if len(table) < 2 or not (table["standing"] == BEST).any():
        return {}
    grey: dict[str, Any] = {"color": "0.4", "marker": "o", "linestyle": "none", "markersize": 5.0}
    handles = {"best": Line2D([], [], **{**grey, "color": "0.1", "marker": r"$\odot$", "markeredgewidth": 0.4})}
    if (table["standing"] == LIKE_BEST).any():
        handles["not distinguishable from it"] = Line2D([], [], **grey)
    if (table["standing"] == LOWER).any():
        handles["lower"] = Line2D([], [], **{**grey, "markerfacecolor": "white"})
    return handles


def draw_names(axes: Axes, table: pd.DataFrame, key: str) -> bool:
    """Draw the score of player 1, a row for each name and line; for boards also the score with either moving first.

    Return whether no legend is needed.
    """
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
    axes.set_xlim(-3.0, 103.0)
    axes.set_xlabel("score of player 1 (%)")
    axes.set_ylabel(shown_key(key))
    plain(axes, "x")
    return key != "board"


def _mark(axes: Axes, x: Floats, y: Floats, standing: pd.Series[str], style: dict[str, Any]) -> None:
    """Mark the best of some points, and those that are lower."""
    lower, best = (standing == LOWER).to_numpy(), (standing == BEST).to_numpy()
    axes.plot(x[lower], y[lower], markersize=4.2, **{**style, "color": "white", "linestyle": "none"}, zorder=4.0)
    axes.plot(x[best], y[best], "o", color="0.1", markerfacecolor="none", markersize=12.0, zorder=5.0)


def draw_heat_map(axes: Axes, table: pd.DataFrame, across: str, down: str, title: str = "") -> None:
    """Draw a heat map of the score of player 1 for every combination of two numbers, such as player1.c."""
    from matplotlib.patches import Rectangle

    score = 100.0 * table["score"]
    numbers = {key: table[key].astype(float) for key in (across, down)}
    cells = table.assign(score=score, text=score.map("{:.1f}".format), **numbers)
    scores, texts, standings = (
        cells.pivot(index=down, columns=across, values=name).sort_index(ascending=False)
        for name in ("score", "text", "standing")
    )
    draw_scores(axes, scores, texts)
    for text in axes.texts:
        x, y = text.get_position()
        standing = standings.iloc[int(y), int(x)]
        text.set_fontweight("bold" if standing in (BEST, LIKE_BEST) else "normal")
        if standing == BEST:
            axes.add_patch(Rectangle((x - 0.48, y - 0.47), 0.96, 0.94, fill=False, edgecolor="0.05", linewidth=1.8))
    axes.set_xticklabels([number(float(value), 4) for value in scores.columns])
    axes.set_yticklabels([number(float(value), 4) for value in scores.index])
    if title:
        caption(axes, _capitalised(title))


def _capitalised(title: str) -> str:
    return title[0].upper() + title[1:]


def _counted(games: pd.Series[int]) -> str:
    low, high = int(games.min()), int(games.max())
    return f"{number(low)} games each" if low == high else f"{number(low)} to {number(high)} games each"


FIGURES = (Declared("score", TABLE, draw, size=size_of, panels=True),)
