"""The figures of a sweep of numbers: final regret against one, with its distribution, or a map of two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits.bounds import methods
from numerics.output.captions import Caption, called, called_all
from numerics.output.line_ends import End, name_ends
from numerics.output.style import (
    PALETTE,
    SMALL,
    WIDE,
    apart,
    draw_estimates,
    grows_by_factors,
    line_style,
    number,
    plain,
    plus_minus,
    ticks,
    width,
    zero_apart,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NOT_TUNED = ("horizon", "runs")  # sizes of the problem, which have no best value
_FEWEST = 10  # replications whose distribution has a shape

Floats = npt.NDArray[np.float64]


def draw_final(
    table: pd.DataFrame, axes: Axes, parameter: str, finals: Mapping[float, Floats] | None = None, *, title: str = ""
) -> Caption:
    """Draw mean pseudo-regret at the horizon, with its 95 % interval, against a parameter, and mark the lowest.

    Nothing is drawn between the values. Sizes of the problem have no best value, so none is marked there.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a value: value, pseudo_regret_mean, pseudo_regret_low and pseudo_regret_high; a column `policy` makes a
        series of each policy. Columns `runs` and `horizon` are named in the caption.
    axes : matplotlib.axes.Axes
        Where to draw.
    parameter : str
        The name of the parameter, such as "c (factor of the exploration term)".
    finals : mapping of float to array, optional
        The final pseudo-regret of every replication by value: its distribution is drawn behind a single series.
    title : str, optional
        What was played, above the caption.
    """
    groups = [(str(name), part) for name, part in table.groupby("policy", sort=False)] if "policy" in table else []
    groups = [(name, part.sort_values("value")) for name, part in groups or [("mean", table)]]
    many, labels, tuned = len(groups) > 1, called_all((name for name, _ in groups), 28), parameter not in _NOT_TUNED
    shown = np.unique(table["value"].to_numpy(np.float64))
    logarithmic = _scale_values(axes, shown)
    shapes = (
        {}
        if many
        else {x: sample for x, sample in (finals or {}).items() if sample.size >= _FEWEST and np.ptp(sample) > 0.0}
    )
    _scale_regret(axes, table, shapes)
    ends, lowest = [], ""
    for index, (name, part) in enumerate(groups):
        names = ("value", "pseudo_regret_mean", "pseudo_regret_low", "pseudo_regret_high")
        x, mean, low, high = (part[column].to_numpy(np.float64) for column in names)
        style = line_style(index) if many else {"color": PALETTE[0], "marker": "o"}
        if many:  # leads the eye from point to point
            axes.plot(x, mean, color=style["color"], linewidth=0.7, alpha=0.5)
        ends_known = (mean, np.fmin(low, mean), np.fmax(np.where(np.isfinite(high), high, mean), mean))
        looks: dict[str, Any] = {"color": style["color"], "markersize": 5.5, "linewidth": 1.6, "capsize": 3.0}
        draw_estimates(axes, x, ends_known, fmt=style["marker"], zorder=4.0, label=labels[name], **looks)
        best = int(np.argmin(mean))
        text = labels[name]
        if tuned and len(x) > 1:
            axes.plot(x[best], mean[best], "o", color="0.1", markerfacecolor="none", markersize=12.0, zorder=5.0)
            lowest = f"{plus_minus(mean[best], low[best], high[best])} at {number(x[best], 4)}"
            text += f": {lowest}"
        ends.append(End(text, float(mean[-1]), style, joined=False))
    _draw_shapes(axes, shapes)
    axes.set_xlabel(
        parameter + {"log": " (log scale)", "symlog": " (log scale, 0 set apart)"}.get(axes.get_xscale(), "")
    )
    axes.set_ylabel(f"{_regret(table)} at the horizon" + (" (log scale)" if axes.get_yscale() == "log" else ""))
    parts = [
        _played(table),
        "mean" + f" with 95 % interval ({_methods(table)})" * bool(np.isfinite(table["pseudo_regret_low"]).any()),
    ]
    parts += ["shapes: distribution of the middle 98 % of replications"] * bool(shapes)
    if lowest:
        parts.append("ring and number: lowest mean" if many else f"ring: lowest mean, {lowest}")
    named = many and name_ends(axes, ends)
    sentence = "; ".join(part for part in parts if part)
    plain(axes)
    axes.set_xticks(apart(shown, logarithmic, width(axes)))
    axes.xaxis.set_major_formatter(lambda value, _: number(value, 4))
    return Caption(sentence[0].upper() + sentence[1:], title, legend=many and not named)


def _regret(table: pd.DataFrame) -> str:
    """Return what the regret of a table is called."""
    return "dynamic regret" if "fixed_regret_mean" in table else "pseudo-regret"


def _methods(table: pd.DataFrame) -> str:
    """Name the intervals, by the values of the parameter."""
    names = table["value"].map(lambda value: number(value, 4))
    return methods(dict(zip(names, table["pseudo_regret_bound"], strict=True)))


def _scale_values(axes: Axes, values: Floats) -> bool:
    """Give increasing values their axis; return whether it is logarithmic: they span decades, or grow by factors."""
    from matplotlib.ticker import NullLocator

    logarithmic = grows_by_factors(values)
    if logarithmic and values[0] > 0.0:
        axes.set_xscale("log")
        pad = (values[-1] / values[0]) ** 0.07
        axes.set_xlim(values[0] / pad, values[-1] * pad)
    elif logarithmic:
        zero_apart(axes, values)
    else:
        pad = 0.07 * float(np.ptp(values)) or 0.5
        axes.set_xlim(values[0] - pad, values[-1] + pad)
    axes.xaxis.set_minor_locator(NullLocator())
    return logarithmic


def _scale_regret(axes: Axes, table: pd.DataFrame, shapes: Mapping[float, Floats]) -> None:
    """Give the regret its axis: logarithmic where means, or most replications, are far apart."""
    means = table["pseudo_regret_mean"].to_numpy(np.float64)
    highs = table["pseudo_regret_high"].to_numpy(np.float64)
    drawn = np.concatenate([means, highs[np.isfinite(highs)], *(_ends(sample) for sample in shapes.values())])
    if means.min() > 0.0 and means.max() > WIDE * means.min():
        low, high = 0.5 * max(drawn.min(), 0.1 * means.min()), 1.6 * drawn.max()
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        ticks(axes.yaxis, low, high)
    else:
        axes.set_ylim(0.0, 1.06 * drawn.max() or 1.0)


def _ends(sample: Floats) -> Floats:
    """Return between what ends a distribution is drawn: one replication in a hundred may lie far beyond all others."""
    ends: Floats = np.quantile(sample, [0.01, 0.99])
    return ends


def _draw_shapes(axes: Axes, shapes: Mapping[float, Floats]) -> None:
    """Draw the density of each value's replications on both sides of the value, all of one width on the axis."""
    from scipy.stats import gaussian_kde

    if not shapes:
        return
    ends = axes.transData.transform([(x, axes.get_ylim()[1]) for x in sorted(shapes)])
    places = axes.transAxes.inverted().transform(ends)[:, 0]
    room = 0.42 * min([0.16, *np.diff(places)])
    logarithmic = axes.get_yscale() == "log"
    for x, center in zip(sorted(shapes), places, strict=True):
        sample = shapes[x][shapes[x] > 0.0] if logarithmic else shapes[x]
        sample = np.log(sample) if logarithmic else sample
        if np.ptp(sample) == 0.0:
            continue
        low, high = _ends(sample)
        grid = np.linspace(low, high, 200)
        narrow = gaussian_kde(sample, lambda kde: 0.6 * kde.scotts_factor())  # so that two modes stay two
        density = narrow(grid)
        half = room * density / density.max()
        axes.fill_betweenx(
            np.exp(grid) if logarithmic else grid,
            center - half,
            center + half,
            color=PALETTE[0],
            alpha=0.22,
            linewidth=0.0,
            transform=axes.get_yaxis_transform(),
            zorder=2.0,
        )


def size_of_maps(cells: pd.DataFrame, across: str, down: str) -> tuple[float, float]:
    """Return the width and height in inches for `draw_maps`."""
    _, first = next(iter(cells.groupby("policy", sort=False)))
    rows, columns = _grid(cells["policy"].nunique())
    wide, high = (first[key].nunique() for key in (across, down))
    return max(7.6, columns * (1.2 + 0.62 * wide)), rows * (1.6 + 0.42 * high)


def _grid(maps: int) -> tuple[int, int]:
    columns = min(3, maps)
    return -(-maps // columns), columns


def draw_maps(cells: pd.DataFrame, figure: Figure, across: str, down: str, title: str) -> None:
    """Draw a map of two swept numbers for each value of `policy`, side by side."""
    maps = list(cells.groupby("policy", sort=False))
    grid = figure.subplots(*_grid(len(maps)), squeeze=False)
    for axes in grid.flat[len(maps) :]:
        axes.remove()
    for (name, part), axes in zip(maps, grid.flat, strict=False):
        alone = title if len(maps) == 1 else called(str(name))
        draw_map(part, axes, across, down, title=alone).write(axes)


def draw_map(table: pd.DataFrame, axes: Axes, across: str, down: str, *, title: str = "") -> Caption:
    """Draw the mean pseudo-regret at the horizon for every combination of two numbers as a map, and frame the lowest.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a combination: columns `across`, `down`, pseudo_regret_mean, perhaps `runs` and `horizon`.
    axes : matplotlib.axes.Axes
        Where to draw.
    across, down : str
        The parameters of the map's columns and rows.
    title : str, optional
        What was played, above the caption.
    """
    import seaborn
    from matplotlib.colors import LogNorm
    from matplotlib.patches import Rectangle

    numbers = table.assign(**{key: table[key].astype(float) for key in (across, down)})
    means = numbers.pivot(index=down, columns=across, values="pseudo_regret_mean").sort_index(ascending=False)
    known = means.to_numpy()[np.isfinite(means.to_numpy())]
    wide: dict[str, Any] = {}
    if known.min() > 0.0 and known.max() > WIDE / 3.0 * known.min():
        wide = {"norm": LogNorm(known.min(), known.max())}
    seaborn.heatmap(
        means,
        annot=means.map(lambda mean: number(mean, 3)).to_numpy(),
        fmt="",
        cmap="Blues",
        linewidths=0.8,
        annot_kws={"fontsize": SMALL},
        cbar=False,
        ax=axes,
        **wide,
    )
    row, column = np.unravel_index(np.nanargmin(means.to_numpy()), means.shape)
    axes.add_patch(Rectangle((column + 0.03, row + 0.03), 0.94, 0.94, fill=False, edgecolor="0.05", linewidth=1.8))
    axes.set_xticks(np.arange(means.shape[1]) + 0.5, [number(float(value), 4) for value in means.columns], rotation=0.0)
    axes.set_yticks(np.arange(means.shape[0]) + 0.5, [number(float(value), 4) for value in means.index], rotation=0.0)
    axes.tick_params(length=0.0, labelsize=SMALL)
    axes.set_xlabel(across, fontsize=SMALL + 1.0)
    axes.set_ylabel(down, fontsize=SMALL + 1.0)
    played = _played(table)
    return Caption(f"{played}{'; m' if played else 'M'}ean {_regret(table)} at the horizon; frame: lowest", title)


def _played(table: pd.DataFrame) -> str:
    """Say the replications and the horizon of a sweep, as far as its table holds them."""
    parts = []
    for column, name, unit in (("runs", "", " replications"), ("horizon", "horizon ", "")):
        if column in table:
            low, high = int(table[column].min()), int(table[column].max())
            unit = " replication" if unit and high == 1 else unit
            parts.append(f"{name}{number(low)}" + (f" to {number(high)}" if low < high else "") + unit)
    return ", ".join(parts)
