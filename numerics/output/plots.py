"""The three kinds of figures of estimates: curves over an axis, rows with intervals, and heat maps.

    ends = curves(axes, table, "budget", "score", by="player", factor=100.0, x_scale=Scale("simulations"))
    return Caption("whiskers: 95 % intervals", "Score by budget", ends=ends)

A column NAME has its interval in the columns NAME_low and NAME_high. What is particular to a figure, such as a level
line, is drawn on the same axes afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from numerics.output.captions import End, called_all, columns_of
from numerics.output.scales import Scale
from numerics.output.style import DARK, INK, PALETTE, SMALL, line_style, measured_width, plain, width

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_BEYOND = 0.06  # of the range of all numbers, by which an interval without an end is drawn beyond it
_LONGEST = 28  # letters of a name beside its line
_MOST_VECTORS = 5_000  # cells of a map that an SVG holds as vectors
_BRIGHT = 0.55  # luminance of a cell, below which its text is white

STEPS = {"drawstyle": "steps-post", "linewidth": 1.6, "markevery": 0.15}
"""The look of curves that go up by steps, such as those of `ended_shares`."""

Floats = npt.NDArray[np.float64]
Estimates = tuple[Floats, Floats, Floats]


def estimates(table: pd.DataFrame, name: str, factor: float = 1.0) -> Estimates:
    """Return the numbers of a column and the ends of their intervals, the number itself where an end is not known."""
    middle = factor * table[name].to_numpy(np.float64)
    if f"{name}_low" not in table:
        return middle, middle, middle
    low, high = (factor * table[f"{name}{end}"].to_numpy(np.float64) for end in ("_low", "_high"))
    return middle, np.fmin(low, middle), np.fmax(high, middle)


def curves(
    axes: Axes,
    table: pd.DataFrame,
    x: str,
    y: str,
    *,
    by: str | None = None,
    x_scale: Scale | None = None,
    y_scale: Scale | None = None,
    factor: float = 1.0,
    names: Mapping[Any, str] | None = None,
    look: Mapping[str, Any] | None = None,
    looks: Mapping[Any, Mapping[str, Any]] | None = None,
    whiskers: bool = True,
    bands: bool = False,
    joined: bool = True,
    apart: float = 0.0,
    every: int = 0,
    view: Any = (),
) -> list[End]:
    """Draw estimates with their intervals over an axis, a line for each group; return the ends of the lines.

    On a logarithmic axis an estimate of 0 is a hollow triangle at the upper end of its interval.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw. Nothing is named: the ends belong into the `Caption`, which names them or writes a legend.
    table : pandas.DataFrame
        A row a point, in any order, with columns `x`, `y`, `by`, and perhaps y_low and y_high.
    x, y, by : str
        Columns; without `by` there is one line.
    x_scale, y_scale : Scale, optional
        The axes; None leaves an axis as it is, for more curves on the same axes.
    factor : float, default 1.0
        Of the estimates, such as 100 for percent.
    names : mapping, optional
        The name of each group; by default the group itself, cut if it is long.
    look, looks : mapping, optional
        What all lines look like, and what that of each group does, such as its marker; the rest is as usual.
    whiskers, bands : bool
        How intervals are drawn, if at all.
    joined : bool, default True
        Whether lines join the points.
    apart : float, default 0.0
        Share of the axis from the points of one group to those of the next, so that whiskers do not cover each other.
    every : int, default 0
        Whiskers and markers stand at every so many points, of different groups at different points; 0 is all.
    view : array of float, optional
        More numbers that the vertical axis shows, such as those of level lines.
    """
    groups: dict[Any, pd.DataFrame] = {None: table} if by is None else dict(list(table.groupby(by, sort=False)))
    groups = {name: part.sort_values(x, kind="stable") for name, part in groups.items()}
    labels: Mapping[Any, str] = names or ({None: ""} if by is None else called_all(map(str, groups), _LONGEST))
    _set_scales(axes, table[x], estimates(table, y, factor), x_scale, y_scale, whiskers or bands, view)
    last = table[x].max()
    ends: list[End] = []
    for index, (name, part) in enumerate(groups.items()):
        usual = line_style(index) if len(groups) > 1 else {"color": PALETTE[0], "marker": "o"}
        style = {"linewidth": 1.4, "markersize": 4.5, **usual, **({} if joined else {"linestyle": "none"})}
        style |= {**(look or {}), **(looks or {}).get(name, {})}
        at = move_beside(axes, part[x].to_numpy(np.float64), apart * (index - (len(groups) - 1) / 2.0))
        label = labels[name if name in labels else str(name)]
        numbers = estimates(part, y, factor)
        end = _draw_curve(axes, at, numbers, label, style, whiskers, bands, (index, every))
        reaches = part[x].iloc[-1] == last and style.get("linestyle") != "none"
        ends.append(End(label, end, style, joined=bool(reaches)))
    return [end for end in ends if end.name]


def _set_scales(
    axes: Axes, x: Any, numbers: Estimates, x_scale: Scale | None, y_scale: Scale | None, intervals: bool, view: Any
) -> None:
    if x_scale is not None and y_scale is not None:
        plain(axes)
    if x_scale is not None:
        x_scale.set(axes.xaxis, x)
    if y_scale is not None:
        middle, low, high = numbers
        positive = middle[middle > 0.0]
        least = 0.1 * positive.min() if positive.size else 0.0  # an end far below must not stretch a logarithmic axis
        around = [np.maximum(low, min(least, middle.min(initial=np.inf))), high] if intervals else []
        y_scale.set(axes.yaxis, middle, np.concatenate([*around, np.asarray(view, dtype=np.float64)]), measured=True)


def move_beside(axes: Axes, x: Floats, share: float) -> Floats:
    """Return places a share of the axis beside x."""
    if share == 0.0:
        return x
    transform = axes.xaxis.get_transform()
    low, high = transform.transform(np.asarray(axes.get_xlim()))
    moved: Floats = transform.inverted().transform(transform.transform(x) + share * (high - low))
    return moved


def _draw_curve(
    axes: Axes,
    x: Floats,
    numbers: Estimates,
    label: str,
    look: dict[str, Any],
    whiskers: bool,
    bands: bool,
    every: tuple[int, int],
) -> float:
    """Draw one line; return the height at which it ends."""
    middle, low, high = numbers
    seen = middle > 0.0 if axes.get_yscale() == "log" else np.isfinite(middle)
    shown = (middle[seen], low[seen], high[seen])
    if bands and len(x) > 1 and (high > low).any():
        axes.fill_between(x, low, high, color=look["color"], alpha=DARK, linewidth=0)
    marked = (every[0] % every[1], every[1]) if every[1] > 1 else None
    look = {"label": label or None, "markevery": marked, **look}
    if whiskers:
        draw_whiskers(axes, x[seen], shown, errorevery=marked or 1, **look)
    else:
        axes.plot(x[seen], middle[seen], **look)
    if not seen.all() and axes.get_yscale() == "log":
        hollow = {"color": look["color"], "markerfacecolor": "white", "markersize": 6.0}
        axes.plot(x[~seen], high[~seen], "v", **hollow)
    return float(middle[-1] if seen[-1] else high[-1])


def ended_shares(runs: pd.DataFrame, by: str, value: str) -> pd.DataFrame:
    """Return a row for each run that has ended: its group, its value, and the `share` of the group ended up to there.

    Parameters
    ----------
    runs : pandas.DataFrame
        A row a run.
        Its column `sure` is 1 where it has ended.
    by, value : str
        Columns: the group, and how long a run took.
    """
    import pandas as pd

    parts = [part.sort_values(value, kind="stable") for _, part in runs.groupby(by, sort=False)]
    table = pd.concat([part.assign(share=part["sure"].cumsum() / len(part)) for part in parts])
    return table.loc[table["sure"] == 1, [by, value, "share"]]


def draw_whiskers(axes: Axes, x: Any, numbers: Estimates, *, across: bool = False, **look: Any) -> None:
    """Draw numbers with whiskers to the ends of their intervals, upright at `x`, or `across` at the heights `x`."""
    middle, low, high = numbers
    arms = np.maximum(np.vstack([middle - low, high - middle]), 0.0)  # despite rounding
    look = {"capsize": 2.5, "elinewidth": 1.2, **look}
    if not arms[np.isfinite(arms)].any():
        look |= {"capsize": 0.0, "elinewidth": 0.0}
    if across:
        axes.errorbar(middle, x, xerr=arms, **look)
    else:
        axes.errorbar(x, middle, arms, **look)


def rows(
    axes: Axes,
    names: Sequence[str],
    *series: tuple[Estimates, Mapping[str, Any]],
    beside: Sequence[str] = (),
    scale: Scale | None = None,
    apart: float = 0.28,
    below: float = 0.0,
) -> None:
    """Draw a row for each name, from the top: estimates with their intervals, and texts beside the axes.

    An interval without an end reaches beyond all others, with an arrow in place of the cap.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    names : sequence of str
        Of the rows.
    *series : tuple
        Estimates of every row, and what they look like.
    beside : sequence of str, optional
        A text for each row, such as `interval_texts` writes.
    scale : Scale, optional
        The axis of the numbers; by default as Matplotlib has it.
    apart : float, default 0.28
        From the marks of one series to those of the next; a row is 1 high.
    below : float, default 0.0
        From the middle of a row to the marks of one series.
    """
    written = np.array([numbers for numbers, _ in series], dtype=np.float64).reshape(len(series), 3, len(names))
    plain(axes, "x")
    if scale is not None:
        scale.set(axes.xaxis, written[:, 0], written[:, 1:])
    finite = written[np.isfinite(written)]
    room = _BEYOND * float(np.ptp(finite)) or 1.0 if finite.size else 1.0
    for index, ((_, look), numbers) in enumerate(zip(series, written, strict=True)):
        drawn = np.clip(numbers, finite.min() - room, finite.max() + room) if finite.size else numbers
        heights = np.arange(len(names)) + below + apart * (index - (len(series) - 1) / 2.0)
        look = {"fmt": "o", "color": PALETTE[0], "markersize": 5.0, "linewidth": 1.4, **look}
        ends = np.fmin(drawn[1], drawn[0]), np.fmax(drawn[2], drawn[0])
        draw_whiskers(axes, heights, (drawn[0], *ends), across=True, **look)
        for end, mark in ((1, "<"), (2, ">")):
            open_ = np.isinf(numbers[end])
            axes.plot(drawn[end][open_], heights[open_], mark, color=look["color"], markersize=1.5 * look["markersize"])
    for row, text in enumerate(beside):
        axes.text(1.015, row, text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    axes.set_yticks(range(len(names)), list(names), linespacing=0.9)
    axes.set_ylim(len(names) - 0.5, -0.5)


def interval_texts(numbers: Estimates, unit: str = "", digits: int = 0) -> list[str]:
    """Write each number with its unit and, in brackets, the ends of its interval.

    Examples
    --------
    >>> ends = np.array([[50.0, 1.0], [40.0, -np.inf], [60.0, 2.0]])
    >>> interval_texts((ends[0], ends[1], ends[2]), " %")
    ['50 % [40, 60]', '1 % [at most 2]']
    """
    texts = []
    for row in np.array(numbers, dtype=np.float64).T:
        center, left, right = (f"{round(end, digits) + 0.0:,.{digits}f}".replace("-", "−") for end in row)
        between = f"{left}, {right}" if np.isfinite(row[1]) else f"at most {right}"
        between = between if np.isfinite(row[2]) else f"at least {left}" if np.isfinite(row[1]) else "unbounded"
        texts.append(f"{center}{unit} [{between}]")
    return texts


def heat_map(
    axes: Axes,
    cells: pd.DataFrame,
    texts: pd.DataFrame | npt.NDArray[np.object_] | None = None,
    *,
    norm: Any = None,
    cmap: str = "Blues",
    bar: str = "",
    size: float = SMALL,
    framed: Sequence[tuple[int, int]] = (),
    bold: npt.NDArray[np.bool_] | None = None,
    empty: str = "0.88",
) -> Any:
    """Draw a heat map of a table, the first row on top, with a text in each cell; return its mesh.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    cells : pandas.DataFrame
        The numbers; its index and columns name the rows and columns. A missing number is an empty cell.
    texts : pandas.DataFrame or array, optional
        Of the same shape; none are written without it.
    norm : matplotlib.colors.Normalize or pair of float, optional
        What gives a number its colour, or the numbers at the ends of the colours.
    cmap : str, default "Blues"
        The colours.
    bar : str, optional
        The label of a bar of colours; without it there is none.
    size : float
        Of the texts in points.
    framed : sequence of pairs of int
        Row and column of cells with a frame.
    bold : array of bool, optional
        Cells with bold text.
    empty : str
        The colour of cells without a number.
    """
    from matplotlib.colors import Normalize
    from matplotlib.patches import Rectangle

    values = np.ma.masked_invalid(cells.to_numpy(np.float64))
    norm = Normalize(*norm) if isinstance(norm, tuple) else norm
    wide = values.size <= _MOST_VECTORS
    lines: dict[str, Any] = {"edgecolors": "white", "linewidth": 0.8} if values.size <= 0.2 * _MOST_VECTORS else {}
    mesh = axes.pcolormesh(values, norm=norm, cmap=cmap, rasterized=not wide, **lines)
    axes.set_ylim(values.shape[0], 0.0)
    axes.set_facecolor(empty)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0.0, labelsize=SMALL)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_fontsize(SMALL + 1.0)
    name_cells(axes, [str(name) for name in cells.columns], [str(name) for name in cells.index])
    written = np.full(values.shape, "", dtype=object) if texts is None else np.asarray(texts, dtype=object)
    colours: Any = mesh.cmap(mesh.norm(values))
    for (row, column), text in np.ndenumerate(written):
        if text and not np.ma.getmaskarray(values)[row, column]:
            ink = INK if colours[row, column, :3] @ (0.299, 0.587, 0.114) > _BRIGHT else "white"
            weight = "bold" if bold is not None and bold[row, column] else "normal"
            alignment: dict[str, Any] = {"ha": "center", "va": "center", "linespacing": 1.0}
            axes.text(column + 0.5, row + 0.5, text, color=ink, fontsize=size, fontweight=weight, **alignment)
    for row, column in framed:
        frame = Rectangle((column + 0.03, row + 0.03), 0.94, 0.94, fill=False, edgecolor="0.05", linewidth=1.8)
        axes.add_patch(frame)
    if bar:
        scale = axes.figure.colorbar(mesh, ax=axes, label=bar, pad=0.02, fraction=0.06)
        scale.outline.set_visible(False)
        scale.ax.tick_params(labelsize=SMALL, length=0.0)
        scale.ax.yaxis.label.set_fontsize(SMALL)
    return mesh


def name_cells(axes: Axes, columns: Sequence[str], rows: Sequence[str]) -> None:
    """Write the names of a map's columns, turned if they would touch, and of its rows."""
    slot = width(axes) / len(columns)
    is_long = max(measured_width(name, SMALL) for text in columns for name in text.splitlines() or [""]) > 0.9 * slot
    turned: dict[str, Any] = {"rotation": 30.0, "ha": "right", "rotation_mode": "anchor"} if is_long else {}
    axes.set_xticks(np.arange(len(columns)) + 0.5, list(columns), **turned)
    axes.set_yticks(np.arange(len(rows)) + 0.5, list(rows))


def panels(figure: Figure | SubFigure, count: int, most: int = 3, **shared: Any) -> list[Axes]:
    """Return `count` axes in rows of up to `most`; `shared` are options of `subplots`, such as sharey."""
    high, wide = grid_of(count, most)
    grid = figure.subplots(high, wide, squeeze=False, **shared).ravel()
    for axes in grid[count:]:
        axes.remove()
    return list(grid[:count])


def grid_of(count: int, most: int = 3) -> tuple[int, int]:
    """Return the rows and columns of `panels`."""
    wide = max(1, min(most, count))
    return -(-count // wide), wide


def legend_below(figure: Figure | SubFigure, axes: Sequence[Axes]) -> None:
    """Write one legend of all panels below them, so that they keep one height."""
    entries: dict[str, Any] = {}
    for panel in axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    columns = columns_of(list(entries), float(figure.bbox.width * 72.0 / figure.dpi), most=7)
    figure.legend(
        entries.values(), entries.keys(), loc="outside lower center", ncols=columns, frameon=False, fontsize=SMALL
    )
