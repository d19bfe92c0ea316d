"""Figures of regret against t: all policies in one panel, and a panel with quantiles for each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.arms.base import Arms
from bandits.bounds import methods
from bandits.figures.changes import mark_changes
from bandits.tables import OF_CHANGES, bounds_of, places_of, policies_of
from bandits.theory import lai_robbins_constant
from numerics.output.captions import called_all, caption, fill, heading, name_rows
from numerics.output.line_ends import End, name_ends
from numerics.output.style import (
    DARK,
    DIGIT,
    MARKERS,
    MEDIAN,
    PALE,
    SMALL,
    line_colour,
    line_style,
    plain,
    plus_minus,
    replications,
    ticks,
    width,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_BANDS = 3  # up to this many policies, quantile bands stay readable in a single panel
_NEAR = 1.6  # the view includes lines of theory up to this many times above the policies
_AHEAD = 4.0  # one or two policies this many times above all others leave the view
_VISIBLE = 0.008  # bands of less than this share of the view's height are thinner than their line
_INTERVAL = ("pseudo_regret_low", "pseudo_regret_high")
_BOUND = "pseudo_regret_bound"
_FAINT = 0.012  # the same for the pale band of quantiles
_DISTINCT = 0.02  # a median at least this share of the view's height from the mean is drawn
_EQUAL = 1e-12  # a smaller regret of a uniform pull is rounding: all means are equal

_SAME = 0.02  # final regrets within this share of the larger look like a single line
LONGEST = 28  # letters of a policy's name beside its line
_THEORY = "0.3"

_TIME, _LOG_TIME = "$t$ (pulls)", "$t$ (pulls, log scale)"
_LAI_ROBBINS = "Lai–Robbins slope"
_SLOPE = "asymptotic slope $C\\,\\ln\\,t$, no bound at finite $t$"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Theory:
    """The lines of theory in a figure of regret.

    Parameters
    ----------
    lai_robbins : float, default NaN
        C of the asymptotic slope C ln t; not drawn if NaN or 0.
    uniform : float, default NaN
        Expected regret of a uniformly random pull; not drawn if NaN or 0.
    law : str, default ""
        The class of laws for which C holds, such as "Bernoulli arms".
    """

    lai_robbins: float = math.nan
    uniform: float = math.nan
    law: str = ""

    @classmethod
    def of(cls, arms: Arms) -> Theory:
        """Return the lines for these arms; C is NaN if no bound is known."""
        return cls(lai_robbins_constant(arms), arms.uniform_regret(), arms.law_class)


def draw_regret(
    axes: Axes,
    curves: pd.DataFrame,
    *,
    theory: Theory | None = None,
    log: bool = False,
    policies: Sequence[str] | None = None,
    runs: int | None = None,
    title: str = "",
    moments: Sequence[int] = (),
) -> None:
    """Draw mean pseudo-regret against t, with its 95 % interval and, for up to three policies, 5-95 % of the runs.

    For up to three policies it also draws the median, if that differs visibly from the mean. One or two policies whose
    regret grows linearly, far above all others, leave the view, so that the others keep their scale; an arrow follows
    their names and final values. Names stand at the ends of the lines, or in a legend if there are too many.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    curves : pandas.DataFrame
        Columns as in `bandits.tables.CURVES`, one policy after another.
    theory : Theory, optional
        Lines to compare with, drawn if they end in the view, which includes them only if a policy comes near them.
        Uniform play is omitted if a policy has the same regret.
    log : bool, default False
        Whether the time axis is logarithmic, so that logarithmic regret is a straight line.
    policies : sequence of str, optional
        The policies to draw, in order; by default all, as in the table. Their colours do not depend on the choice.
    runs : int, optional
        The number of replications, for the caption.
    title : str, optional
        A title above the caption, such as what was played.
    moments : sequence of int, optional
        The pulls after which means change in all replications: thin vertical lines.
    """
    tables = _tables(curves, policies)
    chosen, names, groups = list(tables), called_all(tables, LONGEST), _alike(tables)
    horizon = max(int(table["t"].iloc[-1]) for table in tables.values())
    finals = {policy: float(table["pseudo_regret_mean"].iloc[-1]) for policy, table in tables.items()}
    surely = {policy: tuple(table[name].iloc[-1] for name in _INTERVAL) for policy, table in tables.items()}
    spread = len(chosen) <= MOST_BANDS
    lines = _lines(theory or Theory(), horizon, finals)
    top = _view(tables, [float(line.values[-1]) for line in lines])
    lines = [line for line in lines if line.values[-1] <= top]
    thin = all((table[_INTERVAL[1]] - table[_INTERVAL[0]]).max() < _VISIBLE * top for table in tables.values())
    bands: list[str] = []  # their explanations in the caption
    medians = False
    ends: list[End] = []
    looks = places_of(curves)
    for policy, same in groups.items():
        number, table = looks[policy], tables[policy]
        names_of_mean = ("t", "pseudo_regret_mean", *_INTERVAL)
        x, mean, least, most = (table[name].to_numpy(np.float64) for name in names_of_mean)
        names_of_band = (f"pseudo_regret_{name}" for name in ("band05", "q50", "band95"))
        low, middle, high = (table[name].to_numpy(np.float64) for name in names_of_band)
        long = len(x) > 1  # a single point has no width for a band
        if spread and long and float((high - low).max()) >= _FAINT * top:
            axes.fill_between(x, low, high, color=line_colour(number), alpha=PALE, linewidth=0)
            bands.append(f"pale band: {_held(runs)}")
        if spread and long and not thin and bool(np.all(np.isfinite(most - least))):
            axes.fill_between(x, least, most, color=line_colour(number), alpha=DARK, linewidth=0)
            bands.append("dark band: 95 % interval of the mean")
        elif not spread and not thin and math.isfinite(most[-1] - least[-1]) and most[-1] <= top:
            look: dict[str, Any] = {"color": line_colour(number), "linewidth": 1.3, "clip_on": False, "zorder": 3.5}
            axes.plot([x[-1]] * 2, [least[-1], most[-1]], marker="_", markersize=6.0, **look)
            bands.append("whiskers: 95 % interval of the mean")
        if spread and long and bool(np.any(np.abs(np.minimum(middle, top) - np.minimum(mean, top)) > _DISTINCT * top)):
            axes.plot(x, middle, color=line_colour(number), linestyle=MEDIAN, linewidth=1.1, zorder=2.9)
            medians = True
        style = line_style(number) if len(chosen) > 1 else {"color": line_colour(number)}
        if len(x) < 5:
            style |= {"marker": MARKERS[number % len(MARKERS)]}
        others = f" (+ {len(same) - 1} alike)" if len(same) > 1 else ""
        label = f"{names[policy]}{others}: {plus_minus(finals[policy], *surely[policy])}"
        ends.append(End(label, finals[policy], style, joined=int(x[-1]) == horizon))
        if len(x) >= 5 and len(chosen) > 1:
            style = style | {"markevery": (0.02 + 0.03 * (number % 5), 0.15)}
        axes.plot(x, mean, label=label, linewidth=1.6, markersize=5, zorder=3 + 0.01 * number, **style)
    for line in lines:
        axes.plot(line.t, line.values, label=line.name, color=_THEORY, linestyle=line.dashes, linewidth=1.1, zorder=2.5)
        look = {"color": _THEORY, "linestyle": line.dashes}
        ends.append(End(line.name, float(line.values[-1]), look, faint=True))

    _time(axes, horizon, log)
    axes.set_ylim(0.0, top)
    if theory is not None and abs(theory.uniform) < _EQUAL:
        sentence = fill("all arms have the same mean: there is no regret", width(axes), SMALL + 2.0)
        axes.text(0.5, 0.5, sentence, transform=axes.transAxes, ha="center", va="center", fontsize=SMALL + 2.0)
    axes.set_xlabel(_LOG_TIME if log else _TIME)
    axes.set_ylabel(_regret_of(curves))
    certain = any(math.isfinite(low) for low, _ in surely.values())
    text = f"{replications(runs)}{horizon_text(tables)}; numbers: {'' if runs == 1 else 'mean '}regret at the horizon"
    text += _surely(tables) * certain + "".join(f"; {band}" for band in dict.fromkeys(bands))
    text += "; fine dots in its colour: median" * medians
    text += "".join(
        f"; alike: {', '.join(names[policy] for policy in alike)}" for alike in groups.values() if len(alike) > 1
    )
    among = f" among {theory.law}" if theory is not None and theory.law else ""
    text += f"; Lai–Robbins{among}: {_SLOPE}" * any(line.name == _LAI_ROBBINS for line in lines)
    text += mark_changes(axes, moments)
    beside = name_ends(axes, ends)
    caption(axes, text, None if beside else {}, title=title, legend=not beside)
    plain(axes)


def draw_quantiles(
    figure: Figure,
    curves: pd.DataFrame,
    *,
    log: bool = False,
    policies: Sequence[str] | None = None,
    runs: int | None = None,
    title: str = "",
    moments: Sequence[int] = (),
) -> None:
    """Draw a panel of pseudo-regret against t for each policy, with its quantiles, and the other policies in grey.

    For more policies than can show their quantiles in a single panel. Each panel has its own regret axis, and its own
    end of the time axis if the horizons differ.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Where to draw, with a constrained layout; `quantiles_size` suggests its size.
    curves, log, policies, runs, title, moments
        As for `draw_regret`.
    """
    tables = _tables(curves, policies)
    names = called_all(tables)
    horizons, changed = [int(table["t"].iloc[-1]) for table in tables.values()], ""
    rows, columns = _panels(len(tables))
    grid = figure.subplots(rows, columns, squeeze=False)
    for index, (policy, axes) in enumerate(zip(tables, grid.flat, strict=False)):
        for other, table in tables.items():
            if other != policy:
                axes.plot(table["t"], table["pseudo_regret_mean"], color="0.8", linewidth=0.8, zorder=1)
        table, colour = tables[policy], line_colour(places_of(curves)[policy])
        t, mean = table["t"], table["pseudo_regret_mean"]
        if len(t) > 1:
            low, high = (table[f"pseudo_regret_{end}"] for end in ("band05", "band95"))
            axes.fill_between(t, low, high, color=colour, alpha=PALE, linewidth=0, zorder=2)
            axes.plot(t, table["pseudo_regret_q50"], color="0.1", linewidth=0.9, linestyle=MEDIAN, zorder=3)
        marker = "o" if len(t) < 5 else ""
        axes.plot(t, mean, color=colour, linewidth=1.5, marker=marker, markersize=4.0, zorder=3.1)
        label = f"{names[policy]}: {plus_minus(*(table[name].iloc[-1] for name in ('pseudo_regret_mean', *_INTERVAL)))}"
        axes.set_title(fill(label, 0.78 * width(axes), SMALL), loc="left", fontsize=SMALL)  # figures are wide letters
        axes.locator_params(axis="y", nbins=4)
        _time(axes, horizons[index], log, width(axes))
        axes.set_ylim(0.0, 1.06 * _top(table, True) or 1.0)
        changed = mark_changes(axes, moments)
        plain(axes)
    empty, banded = list(grid.flat[len(tables) :]), max(horizons) > 1
    for axes in empty:
        axes.set_axis_off()
    if empty:
        _key(empty[-1], banded, runs)
    bands = f"median (fine dots), {_held(runs)} (pale band), " if banded else ""
    what, line = _regret_of(curves).removeprefix("cumulative "), " line" if bands else ""
    shown = f"{what}: mean (coloured{line}), {bands}the other policies' means (grey); "
    certain = bool(np.isfinite(curves[_INTERVAL[0]]).any())
    heading(
        figure,
        f"{replications(runs)}{horizon_text(tables)}; {'' if empty else shown}numbers: mean at the horizon"
        f"{_surely(tables) * certain}; each panel has its own scale{changed}",
        title=title,
    )
    figure.supxlabel(_LOG_TIME if log else _TIME, fontsize=SMALL + 1.0)
    name_rows(figure, _regret_of(curves))


def _regret_of(curves: pd.DataFrame) -> str:
    """Return what the regret axis is called: of arms that change it shows the dynamic regret."""
    return f"cumulative {'dynamic ' if OF_CHANGES[0] in curves else 'pseudo-'}regret"


def _surely(tables: Mapping[str, pd.DataFrame]) -> str:
    """Name the intervals of the means."""
    return f" with its 95 % interval ({methods({name: bounds_of(table)[name] for name, table in tables.items()})})"


def _key(axes: Axes, banded: bool, runs: int | None) -> None:
    """Write a legend of the panels' lines and bands into an empty panel."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    shown: list[tuple[Artist, str]] = [(Line2D([], [], color="0.4", linewidth=1.5), "mean")]
    if banded:
        shown.append((Line2D([], [], color="0.1", linewidth=0.9, linestyle=MEDIAN), "median"))
        shown.append((Patch(color="0.4", alpha=PALE, linewidth=0), _held(runs)))
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


def _time(axes: Axes, horizon: int, log: bool, room: float | None = None) -> None:
    """Set the time axis; with `room` points, use only as many numbers as fit."""
    if log:
        axes.set_xscale("log")
        axes.set_xlim(*((1.0, horizon) if horizon > 1 else (0.5, 2.0)))
        ticks(axes.xaxis, 1.0, horizon, room or math.inf)
    else:
        axes.set_xlim(0.0, horizon if horizon > 1 else 2.0)
        label = f"{horizon:,}"
        widest = DIGIT * SMALL * (len(label) - 0.5 * label.count(",") + 0.5)
        steps = max(1, min(4, int(room / widest))) if room else "auto"
        axes.locator_params(axis="x", integer=True, nbins=steps)


def horizon_text(tables: dict[str, pd.DataFrame]) -> str:
    """Return the horizon of the policies, or the range of their horizons."""
    ends = [int(table["t"].iloc[-1]) for table in tables.values()]
    return f"horizon {min(ends):,}" + (f" to {max(ends):,}" if max(ends) > min(ends) else "")


def _tables(curves: pd.DataFrame, policies: Sequence[str] | None) -> dict[str, pd.DataFrame]:
    """Return a table of each policy."""
    if _BOUND not in curves:
        raise ValueError(f"curves must have the column {_BOUND}; got those of an older version: play the run again")
    return {policy: curves[curves["policy"] == policy].sort_values("t") for policy in policies_of(curves, policies)}


def _held(runs: int | None) -> str:
    """Return what lies in a pale band: fewer than 19 replications have none of their 5 and 95 %."""
    return "smallest to largest replication" if runs is not None and runs < 19 else "5–95 % of replications"


def _alike(tables: Mapping[str, pd.DataFrame]) -> dict[str, list[str]]:
    """Group policies with identical curves under the first of each group, whose line is drawn."""
    alike: dict[bytes, list[str]] = {}
    for policy, table in tables.items():
        alike.setdefault(table.drop(columns="policy").to_numpy(np.float64).tobytes(), []).append(policy)
    return {policies[0]: policies for policies in alike.values()}


class _Line(NamedTuple):
    name: str
    t: Floats
    values: Floats
    dashes: tuple[float, tuple[float, float]]


def _lines(theory: Theory, horizon: int, finals: Mapping[str, float]) -> list[_Line]:
    """Return the lines of theory that exist and differ from the policies' lines; none for a horizon of 1."""
    if horizon == 1:
        return []
    t = np.unique(np.geomspace(1.0, horizon, 201))
    known: list[tuple[str, float, Floats, tuple[float, tuple[float, float]]]]
    known = [(_LAI_ROBBINS, theory.lai_robbins, np.log(t), (0, (5, 2)))]
    end = theory.uniform * horizon
    if not any(abs(final - end) <= _SAME * abs(end) for final in finals.values()):
        known.append(("uniform play", theory.uniform, t, (0, (1, 1.5))))
    return [_Line(name, t, factor * shape, dashes) for name, factor, shape, dashes in known if 0.0 < factor < np.inf]


def _view(tables: dict[str, pd.DataFrame], lines: Sequence[float]) -> float:
    """Return the top of the regret axis: room for the policies, and for the ends of lines near them."""
    shown = _together(list(tables.values()))
    top = max(_top(table, len(tables) == 1) for table in shown)
    if len(tables) <= MOST_BANDS:  # a heavy tail of one policy must not flatten the others
        top = max(top, *(min(2.0 * top, _top(table, True)) for table in shown))
    top = max(top, *(end for end in [top, *lines] if end <= _NEAR * top))
    return 1.06 * top if top > 0.0 else 1.0


def _together(tables: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """Return the policies without the one or two at the top that grow linearly and end far above all others.

    Two leave only if at least three stay. Policies of different horizons all stay.
    """
    if len({int(table["t"].iloc[-1]) for table in tables}) > 1:
        return list(tables)
    finals = [float(table["pseudo_regret_mean"].iloc[-1]) for table in tables]
    order = [int(index) for index in np.argsort(-np.array(finals), kind="stable")]
    for far in (2, 1):
        if len(order) < (5 if far == 2 else 2) or not finals[order[far - 1]] > _AHEAD * finals[order[far]] > 0.0:
            continue
        if all(_linear(tables[index]) for index in order[:far]):
            return [tables[index] for index in order[far:]]
    return list(tables)


def _linear(table: pd.DataFrame) -> bool:
    """Return whether regret grows about linearly: after a quarter of the time it is at most 30 % of its final value."""
    t, mean = (table[name].to_numpy(np.float64) for name in ("t", "pseudo_regret_mean"))
    return bool(np.interp(t[-1] / 4.0, t, mean) <= 0.3 * mean[-1])


def _top(table: pd.DataFrame, spread: bool) -> float:
    """Return the highest drawn value of a policy: of its confidence band, and with `spread` of its quantile band."""
    names = ["pseudo_regret_mean", _INTERVAL[1], *["pseudo_regret_band95"] * spread]
    values = table[names].to_numpy(np.float64)
    return float(values[np.isfinite(values)].max())  # an interval may have no upper end
