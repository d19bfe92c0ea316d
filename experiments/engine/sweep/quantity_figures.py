"""Figures of a sweep: a quantity over the swept number, as a map of two, or a row for each setting without a number."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from experiments.engine.sweep.table import TABLE, Quantity, Sweep, lines_of, numbers_of
from numerics.output import plots
from numerics.output.captions import Caption, called_all, label_of
from numerics.output.figures import Facts, Figure
from numerics.output.scales import Scale, is_logarithmic
from numerics.output.style import PALE, PALETTE, number, plus_minus
from numerics.statistics.against_best import BEST, LIKE_BEST, LOWER

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes

_MOST_MAPS = 6
_SHORT, _LONG = 28, 60  # letters of a name at the end of a line, and beside a row
_APART = 0.008  # of the axis, from the whiskers of a line to those of the next
_SIZES = {"horizon", "runs", "seed"}  # swept numbers that have no best value
_LINE, _ENDS = "line", ("low", "high")
_MARKS: tuple[tuple[str, dict[str, Any], str], ...] = (
    (LOWER, {"color": "white", "markersize": 2.5, "zorder": 4.0}, "hollow: lower"),
    (BEST, {"color": "0.1", "markerfacecolor": "none", "markersize": 12.0, "zorder": 5.0}, "ring: best"),
)


class _Panel(NamedTuple):
    """One axes of a figure: its title, its rows with a column `line`, and the quantity in it."""

    title: str
    table: pd.DataFrame
    quantity: Quantity


class _Layout(NamedTuple):
    """How quantities are drawn: along one number, as maps of two, or without one as rows; their panels and columns."""

    drawn: Sequence[str]
    panels: Sequence[_Panel]
    columns: int


def figures_of(sweep: Sweep) -> tuple[Figure, ...]:
    """Return the figures of the quantities of a sweep; their facts are the swept `keys` and the `title`."""
    figures = []
    for name, of_name in groupby(sweep.quantities, lambda quantity: quantity.figure):
        lay_out: Any = partial(_lay_out, sweep, list(of_name))
        size, when = partial(_size, lay_out), partial(_is_drawn, lay_out)
        figures.append(Figure(name, TABLE, partial(_draw, lay_out), size=size, when=when, panels=True))
    return tuple(figures)


def _lay_out(sweep: Sweep, quantities: Sequence[Quantity], table: pd.DataFrame, facts: Facts) -> _Layout:
    """Decide how quantities are drawn: as few maps of two numbers, or along the number of the most values."""
    blocks = sweep.blocks(table, facts["keys"])
    keys = [key for key in facts["keys"] if all(block[key].astype(str).nunique() > 1 for block in blocks.values())]
    numbers = list(numbers_of(table, keys))

    def lined(drawn: Sequence[str]) -> dict[str, pd.DataFrame]:
        return {title: block.assign(line=lines_of(block, facts["keys"], drawn)) for title, block in blocks.items()}

    drawn, tables = numbers[:2], {}
    if len(drawn) == 2:
        for title, block in lined(drawn).items():
            for line, part in block.groupby(_LINE, sort=False):
                tables[", ".join(filter(None, (title, str(line))))] = part
    if not 0 < len(tables) <= _MOST_MAPS or any(part.duplicated(drawn).any() for part in tables.values()):
        drawn = numbers[:1]
        tables = lined(drawn)
    known = [quantity for quantity in quantities if quantity.column in table and table[quantity.column].notna().any()]
    shown = [quantity for quantity in known if quantity.when(table) and (quantity.rows or drawn)]
    panels = [_Panel(title, part, quantity) for title, part in tables.items() for quantity in shown]
    return _Layout(drawn, panels, 3 if len(drawn) == 2 else 2 if drawn and len(panels) > 3 else 1)


def _is_drawn(lay_out: Any, table: pd.DataFrame, facts: Facts) -> bool:
    return bool(lay_out(table, facts).panels)


def _size(lay_out: Any, table: pd.DataFrame, facts: Facts) -> tuple[float, float]:
    """Return the width and height of a figure in inches."""
    drawn, panels, most = lay_out(table, facts)
    rows, columns = plots.grid_of(len(panels), most)
    if len(drawn) == 2:
        wide, high = (panels[0].table[key].nunique() for key in drawn)
        return max(7.6, columns * (1.2 + 0.62 * wide)), 0.6 + rows * (1.4 + 0.42 * high)
    if drawn:
        return (7.6 if columns == 1 else 10.4), rows * (4.6 if rows == 1 else 3.4)
    return 7.6, sum(1.6 + 0.36 * len(panel.table) for panel in panels)


def _draw(lay_out: Any, table: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption | None:
    layout = lay_out(table, facts)
    grid = plots.panels(figure, len(layout.panels), layout.columns)
    draw = (_draw_rows, _draw_curves, _draw_map)[len(layout.drawn)]
    captions = [draw(axes, panel, layout.drawn) for axes, panel in zip(grid, layout.panels, strict=True)]
    if len(grid) == 1:
        dataclasses.replace(captions[0], title=facts["title"]).write(grid[0])
        return None
    for axes, panel, caption in zip(grid, layout.panels, captions, strict=True):
        Caption(label_of(panel.title, _LONG), ends=caption.ends).write(axes)
    return Caption("; ".join(dict.fromkeys(caption.text for caption in captions)), facts["title"])


def _draw_curves(axes: Axes, panel: _Panel, drawn: Sequence[str]) -> Caption:
    """Draw a line for each setting of all else over the swept number."""
    quantity, points = panel.quantity, _points(panel, drawn).sort_values("x", kind="stable")
    lines = [part for _, part in points.groupby(_LINE, sort=False)]
    best: Any = points[points["standing"] == BEST].itertuples()
    best_values = {row.line: f"{plus_minus(row.y, row.y_low, row.y_high)} at {number(row.x, 4)}" for row in best}
    names = called_all(points[_LINE], _SHORT)
    names |= {line: f"{names[line]}, best: {words}" for line, words in best_values.items() if line}
    scales: dict[str, Any] = {"x_scale": Scale(drawn[0], at_values=True), "y_scale": _scale_of(quantity)}
    ends = plots.curves(axes, points, "x", "y", by=_LINE, names=names, apart=_APART, **scales)
    terms = [quantity.counted(panel.table), quantity.whiskers]
    for index, part in enumerate(lines):
        x = plots.move_beside(axes, part["x"].to_numpy(), _APART * (index - (len(lines) - 1) / 2.0))
        terms += _mark(axes, x, part["y"], part["standing"])
    if len(lines) == 1:
        terms[-1] += "".join(f", {words}" for words in best_values.values())  # the ring is marked last
        if quantity.spread:
            low, high = (quantity.scale * panel.table[name] for name in quantity.spread)
            axes.vlines(panel.table[drawn[0]].astype(float), low, high, color=PALETTE[0], alpha=PALE, linewidth=9.0)
            terms.append("pale: 90 % of replications")
    if quantity.level is not None:
        axes.axhline(quantity.level, color="0.6", linewidth=0.8)
    return Caption(_sentence(terms), ends=ends)


def _draw_rows(axes: Axes, panel: _Panel, drawn: Sequence[str]) -> Caption:
    """Draw a row for each setting."""
    quantity, points = panel.quantity, _points(panel, drawn)
    numbers, names = plots.estimates(points, "y"), called_all(points[_LINE], _LONG)
    texts = plots.interval_texts(numbers, digits=1)
    plots.rows(
        axes, [names[line] or "all" for line in points[_LINE]], (numbers, {}), beside=texts, scale=_scale_of(quantity)
    )
    if quantity.level is not None:
        axes.axvline(quantity.level, color="0.6", linewidth=0.8)
    marked = _mark(axes, points["y"], np.arange(len(points)), points["standing"])
    return Caption(_sentence([quantity.counted(panel.table), quantity.whiskers, *marked]))


def _scale_of(quantity: Quantity) -> Scale:
    if quantity.level is None:
        return Scale(quantity.label)
    return Scale(quantity.label, log=False, low=-0.08 * quantity.level, high=2.08 * quantity.level)


def _draw_map(axes: Axes, panel: _Panel, drawn: Sequence[str]) -> Caption:
    """Draw a map of two swept numbers, with a frame around the best."""
    quantity, (across, down) = panel.quantity, drawn
    points = _points(panel, drawn).assign(down=panel.table[down].astype(float))
    cells, standings = (
        points.pivot(index="down", columns="x", values=name).sort_index(ascending=False) for name in ("y", "standing")
    )
    best, alike = (standings == BEST).to_numpy(), (standings == LIKE_BEST).to_numpy()
    named = cells.set_axis(cells.index.map(_name_number)).set_axis(cells.columns.map(_name_number), axis=1)
    norm: Any = "log" if is_logarithmic(cells.to_numpy(), measured=True) else None
    framed = [(int(row), int(column)) for row, column in np.argwhere(best)]
    axes.set_xlabel(across)
    axes.set_ylabel(down)
    texts = named.map(lambda value: number(value, 3))
    plots.heat_map(axes, named, texts, norm=norm, framed=framed, bold=(best | alike) & alike.any())
    terms = [quantity.label, quantity.counted(panel.table), "frame: best" if best.any() else ""]
    return Caption(_sentence([*terms, "bold: not distinguishable from it" if alike.any() else ""]))


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(filter(None, dict.fromkeys(parts)))
    return text[0].upper() + text[1:]


def _name_number(value: Any) -> str:
    return number(float(value), 4)


def _points(panel: _Panel, drawn: Sequence[str]) -> pd.DataFrame:
    """Return the line, the estimates with the ends of their intervals and the standing of each row."""
    table, quantity = panel.table, panel.quantity
    columns = {"y": quantity.column, **{f"y_{end}": f"{quantity.column.removesuffix('_mean')}_{end}" for end in _ENDS}}
    points = table[[_LINE]].assign(**{name: quantity.scale * table[column] for name, column in columns.items()})
    points["standing"] = table.get("standing", "")
    if drawn:
        points["x"] = table[drawn[0]].astype(float)
    if quantity.is_lowest_best and not set(drawn) & _SIZES:
        points.loc[points.groupby(_LINE)["y"].idxmin(), "standing"] = BEST
    return points[points["y"].notna()]


def _mark(axes: Axes, x: Any, y: Any, standing: pd.Series[str]) -> list[str]:
    """Mark the best of some points, and those that are lower; return what the marks mean."""
    terms = []
    for name, look, meaning in _MARKS:
        where = (standing == name).to_numpy()
        if where.any() and len(where) > 1:
            axes.plot(np.asarray(x)[where], np.asarray(y)[where], "o", **look)
            terms.append(meaning)
    return terms
