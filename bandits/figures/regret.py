"""Figures of regret against t: all policies in one panel, and a panel with quantiles for each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.bounds import methods
from bandits.figures.changes import mark_changes
from bandits.figures.lines import (
    EVERYTHING,
    LOG_TIME,
    LONGEST,
    MOST_BANDS,
    TIME,
    Context,
    Theory,
    draw_last,
    draw_means,
    final_text,
    tables_of,
    terms_text,
    time_scale,
)
from bandits.summaries import OF_CHANGES, bounds_of, policies_of
from numerics.output import plots
from numerics.output.captions import Caption, End, called_all, fill, heading, name_rows
from numerics.output.scales import Scale
from numerics.output.style import MEDIAN, PALE, SMALL, line_colour, plain, width

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NEAR = 1.6  # the view includes lines of theory up to this many times above the policies
_AHEAD = 4.0  # one or two policies this many times above all others leave the view
_VISIBLE = 0.008  # bands of less than this share of the view's height are thinner than their line
_REGRET, _MEAN = "pseudo_regret", "pseudo_regret_mean"
_INTERVAL = ("pseudo_regret_low", "pseudo_regret_high")
_FAINT = 0.012  # the same for the pale band of quantiles
_DISTINCT = 0.02  # a median at least this share of the view's height from the mean is drawn
_EQUAL = 1e-12  # a smaller regret of a uniform pull is rounding: all means are equal

_SAME = 0.02  # final regrets within this share of the larger look like a single line
_THEORY = "0.3"
_OF_MEAN = "95 % interval of the mean"

_LAI_ROBBINS = "Lai–Robbins slope"
_SLOPE = "asymptotic slope $C\\,\\ln\\,t$, no bound at finite $t$"

Floats = npt.NDArray[np.float64]


def draw_regret(axes: Axes, curves: pd.DataFrame, context: Context = EVERYTHING, *, log: bool = False) -> None:
    """Draw mean pseudo-regret against t, with its 95 % interval and, for up to three policies, 5-95 % of the runs.

    For up to three policies it also draws the median, if that differs visibly from the mean. One or two policies whose
    regret grows linearly, far above all others, leave the view, which keeps the scale for the others. An arrow follows
    their names and final values. Names stand at the ends of the lines, or in a legend if there are too many.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    curves : pandas.DataFrame
        Columns as in `bandits.summaries.CURVES`, one policy after another.
    context : Context, optional
        Its lines of theory are drawn if they end in the view, which includes them only if a policy comes near them.
        Uniform play is omitted if a policy has the same regret.
    log : bool, default False
        Whether the time axis is logarithmic, so that logarithmic regret is a straight line.
    """
    tables, theory = tables_of(curves, context.policies), context.theory or Theory()
    names = called_all(tables, LONGEST)
    lines = _lines(theory, tables)
    top = _view(tables, [float(line.values[-1]) for line in lines])
    lines = [line for line in lines if line.values[-1] <= top]
    few = len(tables) <= MOST_BANDS
    has_spread, has_medians = _draw_spread(axes, curves, tables, top) if few else (False, False)
    terms = [f"pale band: {_describe_band(context.runs)}"] * has_spread
    terms += _certainty(axes, curves, tables, top, few)
    terms += ["fine dots in its colour: median"] * has_medians
    labels = {policy: f"{names[policy]}: {final_text(table, _REGRET)}" for policy, table in tables.items()}
    scale = Scale(_regret_of(curves), log=False, low=0.0, high=top)
    has_bands, several = f"dark band: {_OF_MEAN}" in terms, len(tables) > 1
    sure = {
        policy: table
        if np.isfinite(table[list(_INTERVAL)]).all(axis=None)
        else table.assign(**dict.fromkeys(_INTERVAL, math.nan))
        for policy, table in tables.items()
    }
    ends = draw_means(axes, curves, sure, _REGRET, labels, scale, log=log, bands=has_bands, several=several)
    for line in lines:
        look: dict[str, Any] = {"color": _THEORY, "linestyle": line.dashes}
        axes.plot(line.t, line.values, label=line.name, linewidth=1.1, zorder=2.5, **look)
        ends.append(End(line.name, float(line.values[-1]), look, faint=True))
    if abs(theory.uniform) < _EQUAL:
        sentence = fill("all arms have the same mean, so there is no regret", width(axes), SMALL + 2.0)
        axes.text(0.5, 0.5, sentence, transform=axes.transAxes, ha="center", va="center", fontsize=SMALL + 2.0)
    among = f" among {theory.law}" if theory.law else ""
    terms += [f"Lai–Robbins{among}: {_SLOPE}"] * any(line.name == _LAI_ROBBINS for line in lines)
    mean = f"numbers: {'' if context.runs == 1 else 'mean '}regret at the horizon{_surely(tables)}"
    text = "; ".join([terms_text(tables, context.runs), mean, *terms]) + mark_changes(axes, context.moments)
    Caption(text, context.title, ends=ends).write(axes)


def _draw_spread(axes: Axes, curves: pd.DataFrame, tables: Mapping[str, pd.DataFrame], top: float) -> tuple[bool, bool]:
    """Draw pale bands of the quantiles, and medians, where they can be seen; return whether there are any of each."""
    has_spread = has_medians = False
    for policy, table in tables.items():
        colour, t = line_colour(policies_of(curves).index(policy)), table["t"]
        columns = (table[f"{_REGRET}_{name}"].to_numpy(np.float64) for name in ("band05", "band95", "mean", "q50"))
        low, high, mean, median = columns
        if len(table) > 1 and float((high - low).max()) >= _FAINT * top:
            axes.fill_between(t, low, high, color=colour, alpha=PALE, linewidth=0)
            has_spread = True
        distance = np.abs(np.minimum(median, top) - np.minimum(mean, top))
        if len(table) > 1 and bool((distance > _DISTINCT * top).any()):
            axes.plot(t, median, color=colour, linestyle=MEDIAN, linewidth=1.1, zorder=2.9)
            has_medians = True
    return has_spread, has_medians


def _certainty(
    axes: Axes, curves: pd.DataFrame, tables: Mapping[str, pd.DataFrame], top: float, few: bool
) -> list[str]:
    """Draw whiskers at the ends of many lines; return what the caption says of intervals that can be seen."""
    ends = {policy: table[list(_INTERVAL)].to_numpy(np.float64) for policy, table in tables.items()}
    if all(np.nanmax(high - low, initial=0.0) < _VISIBLE * top for low, high in (both.T for both in ends.values())):
        return []
    if few:
        banded = any(len(both) > 1 and bool(np.isfinite(both).all()) for both in ends.values())
        return [f"dark band: {_OF_MEAN}"] * banded
    last = {policy: both[-1] for policy, both in ends.items() if np.isfinite(both[-1]).all() and both[-1, 1] <= top}
    for policy, (low, high) in last.items():
        draw_last(axes, float(tables[policy]["t"].iloc[-1]), low, high, policies_of(curves).index(policy))
    return [f"whiskers: {_OF_MEAN}"] * bool(last)


def draw_quantiles(figure: Figure, curves: pd.DataFrame, context: Context = EVERYTHING, *, log: bool = False) -> None:
    """Draw a panel of pseudo-regret against t for each policy, with its quantiles, and the other policies in grey.

    For more policies than can show their quantiles in a single panel. Each panel has its own regret axis, and its own
    end of the time axis if the horizons differ. The parameters are those of `draw_regret`; `quantiles_size` suggests
    the size of the figure.
    """
    runs = context.runs
    tables = tables_of(curves, context.policies)
    names, changed = called_all(tables), ""
    high, wide = _panels(len(tables))
    panels = plots.panels(figure, len(tables), wide)
    for (policy, table), axes in zip(tables.items(), panels, strict=True):
        others = [other for name, other in tables.items() if name != policy]
        _draw_own(axes, table, line_colour(policies_of(curves).index(policy)), others)
        label = f"{names[policy]}: {final_text(table, _REGRET)}"
        axes.set_title(fill(label, 0.78 * width(axes), SMALL), loc="left", fontsize=SMALL)  # figures are wide letters
        plain(axes)
        horizon = int(table["t"].iloc[-1])
        time_scale(horizon, log, label="").set(axes.xaxis, [horizon])
        axes.locator_params(axis="y", nbins=4)
        axes.set_ylim(0.0, 1.06 * _top(table, True) or 1.0)
        changed = mark_changes(axes, context.moments)
    banded, keyed = any(len(table) > 1 for table in tables.values()), high * wide > len(tables)
    if keyed:
        _key(figure.add_subplot(high, wide, high * wide), banded, runs)
    bands = f"median (fine dots), {_describe_band(runs)} (pale band), " if banded else ""
    what, line = _regret_of(curves).removeprefix("cumulative "), " line" if bands else ""
    shown = f"{what}: mean (coloured{line}), {bands}the other policies' means (grey); "
    text = f"{terms_text(tables, runs)}; {'' if keyed else shown}numbers: mean at the horizon{_surely(tables)}"
    heading(figure, f"{text}; scales differ between panels{changed}", title=context.title)
    figure.supxlabel(LOG_TIME if log else TIME, fontsize=SMALL + 1.0)
    name_rows(figure, _regret_of(curves))


def _draw_own(axes: Axes, table: pd.DataFrame, colour: str, others: Sequence[pd.DataFrame]) -> None:
    """Draw a policy's mean, median and quantiles, and the other policies in grey."""
    for other in others:
        axes.plot(other["t"], other[_MEAN], color="0.8", linewidth=0.8, zorder=1)
    if len(table) > 1:
        low, high = (table[f"{_REGRET}_{end}"] for end in ("band05", "band95"))
        axes.fill_between(table["t"], low, high, color=colour, alpha=PALE, linewidth=0, zorder=2)
        axes.plot(table["t"], table[f"{_REGRET}_q50"], color="0.1", linewidth=0.9, linestyle=MEDIAN, zorder=3)
    marker = "o" if len(table) < 5 else ""
    axes.plot(table["t"], table[_MEAN], color=colour, linewidth=1.5, marker=marker, markersize=4.0, zorder=3.1)


def _regret_of(curves: pd.DataFrame) -> str:
    """Return what the regret axis is called: of arms that change it shows the dynamic regret."""
    return f"cumulative {'dynamic ' if OF_CHANGES[0] in curves else 'pseudo-'}regret"


def _surely(tables: Mapping[str, pd.DataFrame]) -> str:
    """Name the intervals of the means, if there are any."""
    if not any(math.isfinite(table[_INTERVAL[0]].iloc[-1]) for table in tables.values()):
        return ""
    return f" with its 95 % interval ({methods({name: bounds_of(table)[name] for name, table in tables.items()})})"


def _key(axes: Axes, banded: bool, runs: int | None) -> None:
    """Write a legend of the panels' lines and bands into an empty panel."""
    axes.set_axis_off()
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    shown: list[tuple[Artist, str]] = [(Line2D([], [], color="0.4", linewidth=1.5), "mean")]
    if banded:
        shown.append((Line2D([], [], color="0.1", linewidth=0.9, linestyle=MEDIAN), "median"))
        shown.append((Patch(color="0.4", alpha=PALE, linewidth=0), _describe_band(runs)))
    shown.append((Line2D([], [], color="0.8", linewidth=0.8), "the other policies' means"))
    handles, labels = zip(*shown, strict=True)
    axes.legend(handles, labels, loc="upper left", frameon=False, fontsize=SMALL, borderpad=0.0, borderaxespad=0.0)


def quantiles_size(policies: int) -> tuple[float, float]:
    """Return the width and height in inches for `draw_quantiles` of this many policies."""
    rows, columns = _panels(policies)
    return 0.6 + 2.5 * columns, 1.1 + 1.9 * rows


def _panels(policies: int) -> tuple[int, int]:
    """Return rows and columns: two columns for four policies, else three, or four from ten policies on."""
    columns = 2 if policies <= 4 else 3 if policies < 10 else 4
    return -(-policies // columns), columns


def _describe_band(runs: int | None) -> str:
    """Return what lies in a pale band: fewer than 19 replications have none of their 5 and 95 %."""
    return "smallest to largest replication" if runs is not None and runs < 19 else "5–95 % of replications"


class _Line(NamedTuple):
    name: str
    t: Floats
    values: Floats
    dashes: tuple[float, tuple[float, float]]


def _lines(theory: Theory, tables: Mapping[str, pd.DataFrame]) -> list[_Line]:
    """Return the lines of theory that exist and differ from the policies' lines; none for a horizon of 1."""
    last = [table.iloc[-1] for table in tables.values()]
    horizon, finals = max(int(row["t"]) for row in last), [float(row[_MEAN]) for row in last]
    if horizon == 1:
        return []
    t = np.unique(np.geomspace(1.0, horizon, 201))
    known: list[tuple[str, float, Floats, tuple[float, tuple[float, float]]]]
    known = [(_LAI_ROBBINS, theory.lai_robbins, np.log(t), (0, (5, 2)))]
    end = theory.uniform * horizon
    if not any(abs(final - end) <= _SAME * abs(end) for final in finals):
        known.append(("uniform play", theory.uniform, t, (0, (1, 1.5))))
    return [_Line(name, t, factor * shape, dashes) for name, factor, shape, dashes in known if 0.0 < factor < np.inf]


def _view(tables: dict[str, pd.DataFrame], lines: Sequence[float]) -> float:
    """Return the top of the regret axis: room for the policies, and for the ends of lines near them.

    The one or two policies at the top that grow linearly, and end far above all others, leave the view. Two leave only
    if at least three stay. Policies of different horizons all stay.
    """
    ranked = sorted(tables.values(), key=lambda table: -float(table[_MEAN].iloc[-1]))
    finals, shown = [float(table[_MEAN].iloc[-1]) for table in ranked], ranked
    if len({int(table["t"].iloc[-1]) for table in ranked}) == 1:
        for far in (1, 2):
            is_far = len(ranked) >= (5 if far == 2 else 2) and finals[far - 1] > _AHEAD * finals[far] > 0.0
            if is_far and all(map(_linear, ranked[:far])):
                shown = ranked[far:]
    top = max(_top(table, len(tables) == 1) for table in shown)
    if len(tables) <= MOST_BANDS:  # a heavy tail of one policy must not flatten the others
        top = max(top, *(min(2.0 * top, _top(table, True)) for table in shown))
    top = max(top, *(end for end in [top, *lines] if end <= _NEAR * top))
    return 1.06 * top if top > 0.0 else 1.0


def _linear(table: pd.DataFrame) -> bool:
    """Return whether regret grows about linearly: after a quarter of the time it is at most 30 % of its final value."""
    t, mean = (table[name].to_numpy(np.float64) for name in ("t", _MEAN))
    return bool(np.interp(t[-1] / 4.0, t, mean) <= 0.3 * mean[-1])


def _top(table: pd.DataFrame, spread: bool) -> float:
    """Return the highest drawn value of a policy: of its confidence band, and with `spread` of its quantile band."""
    names = [_MEAN, _INTERVAL[1], *["pseudo_regret_band95"] * spread]
    values = table[names].to_numpy(np.float64)
    return float(values[np.isfinite(values)].max())  # an interval may have no upper end
