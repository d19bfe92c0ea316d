"""Figures of regret against t: all policies in one, and each with its quantiles in a panel of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.arms.base import Arms
from bandits.tables import places_of, policies_of
from bandits.theory import lai_robbins_constant
from numerics.output.style import (
    DIGIT,
    MARKERS,
    MEDIAN,
    SMALL,
    called_all,
    caption,
    fill,
    heading,
    line_colour,
    line_style,
    name_rows,
    number,
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

MOST_BANDS = 3  # up to this many policies, quantile bands stay readable in one view
_NEAR = 1.6  # a line of theory up to this many times above the policies still belongs in the view
_AHEAD = 4.0  # one or two policies this many times above all others leave the view
_VISIBLE = 0.008  # bands that take less of the view's height are thinner than their line
_FAINT = 0.012  # and so does the pale band of quantiles, for the eye
_TOLD = 0.02  # a median that is this share of the view's height away can be told from the mean
_EQUAL = 1e-12  # a uniform pull's regret below this is rounding: all means are equal

_TIME, _LOG_TIME = "t (pulls)", "t (pulls), logarithmic: logarithmic regret is a straight line here"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Theory:
    """The lines of theory in a figure of regret.

    Parameters
    ----------
    lai_robbins : float, default NaN
        C of the asymptotic slope C ln t; not drawn where it is NaN or 0.
    uniform : float, default NaN
        Expected regret of one uniformly random pull; not drawn where it is NaN or 0.
    """

    lai_robbins: float = math.nan
    uniform: float = math.nan

    @classmethod
    def of(cls, arms: Arms) -> Theory:
        """Return the lines for these arms; where no bound is known there is no C."""
        return cls(lai_robbins_constant(arms), arms.uniform_regret())


def draw_regret(
    axes: Axes,
    curves: pd.DataFrame,
    *,
    theory: Theory | None = None,
    log: bool = False,
    policies: Sequence[str] | None = None,
    runs: int | None = None,
) -> None:
    """Draw mean pseudo-regret against t, with its 95 % confidence and, for up to three policies, 5-95 % of the runs.

    For up to three policies there is the median too, where it can be told from the mean. One or two policies that grow
    linearly, far above all others, leave the view, so that the others keep their scale; the legend then says so, with
    the final value.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    curves : pandas.DataFrame
        Columns as in `bandits.tables.CURVES`, one policy after another.
    theory : Theory, optional
        Lines to compare with. They do not stretch the view unless a policy comes near them.
    log : bool, default False
        A logarithmic time axis, on which logarithmic regret is a straight line.
    policies : sequence of str, optional
        Which policies, and in which order; all, as they come, when left out. Each looks as it does among all.
    runs : int, optional
        Replications, for the caption and for the width of the confidence.
    """
    from matplotlib.lines import Line2D

    tables = _tables(curves, policies, runs)
    chosen, names = list(tables), called_all(tables)
    horizon = max(int(table["t"].iloc[-1]) for table in tables.values())
    finals = {policy: float(table["pseudo_regret_mean"].iloc[-1]) for policy, table in tables.items()}
    halves = {policy: float(table["half"].iloc[-1]) for policy, table in tables.items()}
    spread = len(chosen) <= MOST_BANDS
    lines = _lines(theory or Theory(), horizon)
    top = _view(tables, [float(line.values[-1]) for line in lines])
    thin = all(2.0 * table["half"].max() < _VISIBLE * top for table in tables.values())
    shares = "5–95 % of replications"
    if spread and any(_top(table, True) > top for policy, table in tables.items() if finals[policy] <= top):
        shares += " (leaves the view)"
    elif all(
        (table["pseudo_regret_q95"] - table["pseudo_regret_q05"]).max() < _FAINT * top for table in tables.values()
    ):
        shares += " (thinner than the line)"
    more: dict[str, Artist] = {}
    places = places_of(curves)
    for policy in chosen:
        place = places[policy]
        table = tables[policy]
        x, mean, half = (table[name].to_numpy(np.float64) for name in ("t", "pseudo_regret_mean", "half"))
        colour = line_colour(place)
        low, middle, high = (table[f"pseudo_regret_{name}"].to_numpy(np.float64) for name in ("q05", "q50", "q95"))
        long = len(x) > 1  # one point has no width for a band
        if spread and long and bool(np.any(high > low)):
            more[shares] = axes.fill_between(x, low, high, color=colour, alpha=0.16, linewidth=0)
        if long and bool(np.all(np.isfinite(half))):
            low, high = mean - half, mean + half
            band = axes.fill_between(x, low, high, color=colour, alpha=0.45, linewidth=0)
            if not thin:
                more["95 % confidence of the mean"] = band
        if spread and long and bool(np.any(np.abs(np.minimum(middle, top) - np.minimum(mean, top)) > _TOLD * top)):
            axes.plot(x, middle, color=colour, linestyle=MEDIAN, linewidth=1.1, zorder=2.9)
            name = "median of replications" + (f": {number(float(middle[-1]), 3)}" if len(chosen) == 1 else "")
            more[name] = Line2D([], [], color="0.4", linestyle=MEDIAN, linewidth=1.1)
        label = f"{names[policy]}: {plus_minus(finals[policy], halves[policy])}" + _leaves(finals[policy] > top)
        style = line_style(place) if len(chosen) > 1 else {"color": colour}
        if len(x) < 5:
            style |= {"marker": MARKERS[place % len(MARKERS)]}
        elif len(chosen) > 1:
            style |= {"markevery": (0.02 + 0.03 * (place % 5), 0.15)}
        axes.plot(x, mean, label=label, linewidth=1.6, markersize=5, zorder=3 + 0.01 * place, **style)
    for line in lines:
        label = line.name + _leaves(line.values[-1] > top)
        axes.plot(line.t, line.values, label=label, color="0.15", linestyle=line.dashes, linewidth=1.1, zorder=2.5)

    _time(axes, horizon, log)
    axes.set_ylim(0.0, top)
    if theory is not None and abs(theory.uniform) < _EQUAL:
        said = fill("all arms have the same mean: there is no regret", width(axes), SMALL + 2.0)
        axes.text(0.5, 0.5, said, transform=axes.transAxes, ha="center", va="center", fontsize=SMALL + 2.0)
    axes.set_xlabel(_LOG_TIME if log else _TIME)
    axes.set_ylabel("cumulative pseudo-regret (rewards lost)")
    certain = any(math.isfinite(half) for half in halves.values())
    caption(
        axes,
        f"{replications(runs)}{_horizons(tables)}; numbers: {'' if runs == 1 else 'mean '}regret at the horizon"
        + (" ± 95 % confidence" if certain else "")
        + (" (thinner than the line)" if certain and thin and horizon > 1 else ""),
        more,
    )
    plain(axes)


def draw_quantiles(
    figure: Figure,
    curves: pd.DataFrame,
    *,
    log: bool = False,
    policies: Sequence[str] | None = None,
    runs: int | None = None,
) -> None:
    """Draw each policy's pseudo-regret against t in a panel of its own, with its quantiles; the others in grey.

    For more policies than can show their quantiles in one view. Each panel has its own regret axis, and its own end of
    the time axis where the horizons differ.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Where to draw, with a constrained layout; `quantiles_size` is a good size.
    curves, log, policies, runs
        As for `draw_regret`.
    """
    tables = _tables(curves, policies, runs)
    names = called_all(tables)
    horizons = [int(table["t"].iloc[-1]) for table in tables.values()]
    rows, columns = _panels(len(tables))
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[len(tables) :]:
        axes.remove()
    for place, (policy, axes) in enumerate(zip(tables, grid.flat, strict=False)):
        for other, table in tables.items():
            if other != policy:
                axes.plot(table["t"], table["pseudo_regret_mean"], color="0.8", linewidth=0.8, zorder=1)
        table, colour = tables[policy], line_colour(places_of(curves)[policy])
        t, mean = table["t"], table["pseudo_regret_mean"]
        if len(t) > 1:
            for low, high, alpha in (("q05", "q95", 0.18), ("q25", "q75", 0.3)):
                low_, high_ = table[f"pseudo_regret_{low}"], table[f"pseudo_regret_{high}"]
                axes.fill_between(t, low_, high_, color=colour, alpha=alpha, linewidth=0, zorder=2)
            axes.plot(t, table["pseudo_regret_q50"], color="0.1", linewidth=0.9, linestyle=MEDIAN, zorder=3)
        marker = "o" if len(t) < 5 else ""
        axes.plot(t, mean, color=colour, linewidth=1.5, marker=marker, markersize=4.0, zorder=3.1)
        final, half = float(mean.iloc[-1]), float(table["half"].iloc[-1])
        said = f"{names[policy]}: {plus_minus(final, half)}"
        axes.set_title(fill(said, 0.78 * width(axes), SMALL), loc="left", fontsize=SMALL)  # figures are wide letters
        axes.locator_params(axis="y", nbins=4)
        _time(axes, horizons[place], log, width(axes))
        axes.set_ylim(0.0, 1.06 * _top(table, True) or 1.0)
        plain(axes)
        if place + columns < len(tables) and min(horizons) == max(horizons):
            axes.tick_params(axis="x", labelbottom=False)
    bands = "median (dashed), 25–75 % and 5–95 % of replications (bands), " if max(horizons) > 1 else ""
    certain = bool(np.isfinite(curves["pseudo_regret_se"]).any())
    heading(
        figure,
        f"{replications(runs)}{_horizons(tables)}; pseudo-regret: mean (coloured{' line' if bands else ''}), {bands}"
        f"the other policies' means (grey); numbers: mean at the horizon{' ± 95 % confidence' if certain else ''}. "
        "Each panel has its own scale.",
    )
    figure.supxlabel(_LOG_TIME if log else _TIME, fontsize=SMALL + 1.0)
    name_rows(figure, "cumulative pseudo-regret (rewards lost)")


def quantiles_size(policies: int) -> tuple[float, float]:
    """Return the width and height in inches for `draw_quantiles` of so many policies."""
    rows, columns = _panels(policies)
    return 0.6 + 2.5 * columns, 1.1 + 1.9 * rows


def _panels(policies: int) -> tuple[int, int]:
    """Return rows and columns: two columns for four policies, else three, or four from ten policies on."""
    columns = 2 if policies <= 4 else 3 if policies < 10 else 4
    return -(-policies // columns), columns


def _time(axes: Axes, horizon: int, log: bool, room: float | None = None) -> None:
    """Give axes their time axis; where it has only `room` points, with as many numbers as these hold."""
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


def half_width(runs: int | None) -> float:
    """Return how many standard errors on either side of a mean are its 95 % confidence, by Student's t of `runs`.

    Those of a normal law where `runs` is not known.
    """
    from scipy.special import ndtri, stdtrit

    return float(ndtri(0.975) if runs is None or runs < 2 else stdtrit(runs - 1, 0.975))


def _horizons(tables: dict[str, pd.DataFrame]) -> str:
    """Say the horizon of the policies, or between which ones theirs lie."""
    ends = [int(table["t"].iloc[-1]) for table in tables.values()]
    return f"horizon {min(ends):,}" + (f" to {max(ends):,}" if max(ends) > min(ends) else "")


def _tables(curves: pd.DataFrame, policies: Sequence[str] | None, runs: int | None) -> dict[str, pd.DataFrame]:
    """Return a table of each policy, with half the width of the mean's 95 % confidence in a column of its own."""
    told = curves.assign(half=half_width(runs) * curves["pseudo_regret_se"])
    return {policy: told[told["policy"] == policy].sort_values("t") for policy in policies_of(curves, policies)}


class _Line(NamedTuple):
    name: str
    t: Floats
    values: Floats
    dashes: tuple[float, tuple[float, float]]


def _lines(theory: Theory, horizon: int) -> list[_Line]:
    """Return the lines of theory that exist for these arms; in a single step there is none."""
    if horizon == 1:
        return []
    t = np.unique(np.geomspace(1.0, horizon, 201))
    slope = "Lai–Robbins slope C ln t (asymptotic, no bound at finite t)"
    known = [
        (slope, theory.lai_robbins, np.log(t), (0, (5, 2))),
        ("uniform play", theory.uniform, t, (0, (1, 1.5))),
    ]
    return [_Line(name, t, factor * shape, dashes) for name, factor, shape, dashes in known if 0.0 < factor < np.inf]


def _view(tables: dict[str, pd.DataFrame], lines: Sequence[float]) -> float:
    """Return the top of the regret axis: what the policies need, and the ends of lines that come near it."""
    shown = _together(list(tables.values()))
    top = max(_top(table, len(tables) == 1) for table in shown)
    if len(tables) <= MOST_BANDS:  # a heavy tail of one policy does not flatten the others
        top = max(top, *(min(2.0 * top, _top(table, True)) for table in shown))
    top = max(top, *(end for end in [top, *lines] if end <= _NEAR * top))
    return 1.06 * top if top > 0.0 else 1.0


def _together(tables: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """Return the policies without the one or two at the top that grow linearly and end far above all others.

    Two leave only where at least three stay. Policies of different horizons are not compared.
    """
    if len({int(table["t"].iloc[-1]) for table in tables}) > 1:
        return list(tables)
    finals = [float(table["pseudo_regret_mean"].iloc[-1]) for table in tables]
    order = [int(place) for place in np.argsort(-np.array(finals), kind="stable")]
    for far in (2, 1):
        if len(order) < (5 if far == 2 else 2) or not finals[order[far - 1]] > _AHEAD * finals[order[far]] > 0.0:
            continue
        if all(_linear(tables[place]) for place in order[:far]):
            return [tables[place] for place in order[far:]]
    return list(tables)


def _linear(table: pd.DataFrame) -> bool:
    """Say whether regret grows about linearly: after a quarter of the time it is at most 30 % of the final one."""
    t, mean = (table[name].to_numpy(np.float64) for name in ("t", "pseudo_regret_mean"))
    return bool(np.interp(t[-1] / 4.0, t, mean) <= 0.3 * mean[-1])


def _leaves(gone: bool) -> str:
    return ", leaves the view" if gone else ""


def _top(table: pd.DataFrame, spread: bool) -> float:
    """Return the highest value drawn of a policy: its confidence band's, and its quantile band's if that is drawn."""
    mean = table["pseudo_regret_mean"].to_numpy(np.float64)
    highest = (mean + np.nan_to_num(table["half"].to_numpy(np.float64))).max()
    return float(max(highest, table["pseudo_regret_q95"].max()) if spread else highest)
