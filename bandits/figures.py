"""Figures of regret and of pull counts, drawn on given axes, and saved as PNG and SVG.

Files are drawn with `matplotlib.figure.Figure`, so that no window system and none of pyplot's state is touched. A
figure needs nothing but the tables of `bandits.tables`, so it can be drawn again from a folder.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits import theory as theories
from bandits.arms import Arms
from bandits.drawing import (
    DIGIT,
    MARKERS,
    NORMAL_95,
    SMALL,
    WIDE,
    called,
    caption,
    files,
    fill,
    line_colour,
    line_style,
    page,
    plain,
    plus_minus,
    ticks,
    width,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_NEAR = 1.6  # a line of theory up to this many times above the policies still belongs in the view
_SPREAD = 3  # up to this many policies, quantile bands stay readable
_AHEAD = 4.0  # one or two policies this many times above all others leave the view
_EQUAL = 1e-12  # a uniform pull's regret below this is rounding: all means are equal

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
        """Return the lines for these arms; NaN where the means are random."""
        return cls(theories.lai_robbins_constant(arms), theories.uniform_regret(arms))


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

    One or two policies that grow linearly, far above all others, leave the view, so that the others keep their scale;
    the legend then says so, with the final value.

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
        Which policies, and in which order of colours; all, as they come, when left out.
    runs : int, optional
        Replications, for the caption.
    """
    chosen = _order(curves, policies)
    tables = {policy: curves[curves["policy"] == policy].sort_values("t") for policy in chosen}
    horizon = max(int(table["t"].iloc[-1]) for table in tables.values())
    finals = {policy: float(table["pseudo_regret_mean"].iloc[-1]) for policy, table in tables.items()}
    halves = {policy: NORMAL_95 * float(table["pseudo_regret_se"].iloc[-1]) for policy, table in tables.items()}
    spread = len(chosen) <= _SPREAD
    lines = _lines(theory or Theory(), horizon)
    top = _view(tables, [float(line.values[-1]) for line in lines])
    thin = all(2.0 * NORMAL_95 * table["pseudo_regret_se"].max() < 0.008 * top for table in tables.values())
    shares = "5–95 % of replications"
    if spread and any(_top(table, True) > top for policy, table in tables.items() if finals[policy] <= top):
        shares += " (leaves the view)"
    bands: dict[str, Artist] = {}
    for place, policy in enumerate(chosen):
        table = tables[policy]
        x, mean, error = (table[name].to_numpy(np.float64) for name in ("t", "pseudo_regret_mean", "pseudo_regret_se"))
        colour = line_colour(place)
        low, high = (table[f"pseudo_regret_{name}"].to_numpy(np.float64) for name in ("q05", "q95"))
        if spread and bool(np.any(high > low)):
            bands[shares] = axes.fill_between(x, low, high, color=colour, alpha=0.16, linewidth=0)
        if bool(np.all(np.isfinite(error))):
            low, high = mean - NORMAL_95 * error, mean + NORMAL_95 * error
            band = axes.fill_between(x, low, high, color=colour, alpha=0.45, linewidth=0)
            if not thin:
                bands["95 % confidence of the mean"] = band
        label = f"{called(policy)}: {plus_minus(finals[policy], halves[policy])}" + _leaves(finals[policy] > top)
        style = line_style(place) if len(chosen) > 1 else {"color": colour}
        if len(x) < 5:
            style |= {"marker": MARKERS[place % len(MARKERS)]}
        elif len(chosen) > 1:
            style |= {"markevery": (0.02 + 0.03 * (place % 5), 0.15)}
        axes.plot(x, mean, label=label, linewidth=1.6, markersize=5, zorder=3 + 0.01 * place, **style)
    for line in lines:
        label = line.name + _leaves(line.values[-1] > top)
        axes.plot(line.t, line.values, label=label, color="0.15", linestyle=line.dashes, linewidth=1.1, zorder=2.5)

    if log:
        axes.set_xscale("log")
        axes.set_xlim(*((1.0, horizon) if horizon > 1 else (0.5, 2.0)))
        ticks(axes.xaxis, 1.0, horizon)
    else:
        axes.set_xlim(0.0, horizon if horizon > 1 else 2.0)
        axes.locator_params(axis="x", integer=True)
    axes.set_ylim(0.0, top)
    if theory is not None and abs(theory.uniform) < _EQUAL:
        said = fill("all arms have the same mean: there is no regret", width(axes), SMALL + 2.0)
        axes.text(0.5, 0.5, said, transform=axes.transAxes, ha="center", va="center", fontsize=SMALL + 2.0)
    axes.set_xlabel("t (pulls), logarithmic: logarithmic regret is a straight line here" if log else "t (pulls)")
    axes.set_ylabel("cumulative pseudo-regret (rewards lost)")
    certain = any(math.isfinite(half) for half in halves.values())
    caption(
        axes,
        f"{_replications(runs)}horizon {horizon:,}; numbers: {'' if runs == 1 else 'mean '}regret at the horizon"
        + (" ± 95 % confidence" if certain else "")
        + (" (thinner than the line)" if certain and thin else ""),
        bands,
    )
    plain(axes)


def draw_pulls(
    axes: Axes,
    pulls: pd.DataFrame,
    names: Sequence[str] | None = None,
    *,
    policies: Sequence[str] | None = None,
    estimated: bool = False,
) -> None:
    """Draw N_T(a) of every arm: median, mean, the middle half and 5-95 % of the replications.

    Where the means differ between replications, the arms of each are ranked by their true means first.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    pulls : pandas.DataFrame
        Columns policy, run, arm, mean, pulls; see `bandits.tables.pulls`.
    names : sequence of str, optional
        What the arms are called; their numbers when left out.
    policies : sequence of str, optional
        As for `draw_regret`.
    estimated : bool, default False
        The means are estimates, such as those of a click log, and are called so.
    """
    from matplotlib.collections import PolyCollection

    chosen = _order(pulls, policies)
    counts, means = {}, {}
    for policy in chosen:
        counts[policy], means[policy] = _matrices(pulls[pulls["policy"] == policy])
    runs, arms = counts[chosen[0]].shape
    horizon = int(counts[chosen[0]][0].sum())
    ranked = any(bool(np.ptp(one, axis=0).any()) for one in means.values())
    if ranked:
        for policy in chosen:
            order = np.argsort(-means[policy], axis=1, kind="stable")
            counts[policy] = np.take_along_axis(counts[policy], order, axis=1)
            means[policy] = np.take_along_axis(means[policy], order, axis=1)
    quantiles = {policy: np.quantile(counts[policy], (0.05, 0.25, 0.5, 0.75, 0.95), axis=0) for policy in chosen}
    averages = {policy: counts[policy].mean(axis=0) for policy in chosen}
    low = min(float(one.min()) for one in quantiles.values())
    high = max(float(one.max()) for one in (*quantiles.values(), *averages.values()))

    room = 0.8 / len(chosen)  # for one policy, in arms
    points = room * width(axes) / arms
    for place, policy in enumerate(chosen):
        q05, q25, q50, q75, q95 = quantiles[policy]
        x = np.arange(arms) + room * (place - (len(chosen) - 1) / 2)
        colour, half = line_colour(place), min(0.4 * room, 0.25)
        if runs > 1:
            axes.vlines(x, q05, q95, color=colour, linewidth=min(1.2, 0.5 * points), zorder=2)
            left, right = x - half, x + half
            corners = np.stack([left, q25, right, q25, right, q75, left, q75], axis=1).reshape(arms, 4, 2)
            box = PolyCollection(
                list(corners), facecolor=colour, edgecolor=colour, alpha=0.45, linewidth=0.6, zorder=2.1
            )
            axes.add_collection(box)
            axes.hlines(averages[policy], x - half, x + half, color="0.1", linewidth=1.2, zorder=2.9)
        style: dict[str, Any] = {"marker": MARKERS[place % len(MARKERS)], "color": colour, "markeredgecolor": "0.1"}
        size = min(5.5, max(1.5, 0.6 * points))
        axes.plot(
            x, q50, linestyle="", markersize=size, markeredgewidth=0.5, zorder=3, clip_on=False, label=called(policy),
            **style,
        )  # fmt: skip
    if len(chosen) > 1:
        for edge in range(arms - 1):
            axes.axvline(edge + 0.5, color="0.9", linewidth=0.6, zorder=0.5)

    unit = "pulls of the arm, N_T(a)"
    if high > WIDE * max(low, 1.0) and low < 1.0:
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)
        axes.set_ylim(-0.25, 1.6 * high)
        unit += "; logarithmic above 1"
    elif high > WIDE * max(low, 1.0):
        axes.set_yscale("log")
        axes.set_ylim(low / 1.6, 1.6 * high)
        ticks(axes.yaxis, low / 1.6, 1.6 * high)
    else:
        axes.set_ylim(0.0, 1.08 * high)
        axes.locator_params(axis="y", integer=True)
    axes.set_ylabel(unit)
    axes.set_xlim(-0.6, arms - 0.4)
    average = np.mean([one.mean(axis=0) for one in means.values()], axis=0)
    shown = [_ordinal(rank) for rank in range(arms)] if ranked else list(names or map(str, range(arms)))
    _label_arms(axes, shown, average, ranked, "estimated mean" if estimated else "true mean")
    parts = "; point: median, box: 25–75 %, whiskers: 5–95 %, dash: mean" if runs > 1 else ""
    caption(axes, f"{_replications(runs)}horizon {horizon:,}{parts}")
    plain(axes, "y")


def save_all(
    folder: str | Path,
    curves: pd.DataFrame,
    pulls: pd.DataFrame,
    theory: Theory | None = None,
    names: Sequence[str] | None = None,
    *,
    policies: Sequence[str] | None = None,
    estimated: bool = False,
) -> list[Path]:
    """Write regret, regret_log and pulls, each as .png and .svg, into a folder, made if it is absent.

    The bytes depend on the tables and on Matplotlib's version alone: neither on the time nor on the user's style.

    Parameters
    ----------
    folder : str or Path
        Where to write.
    curves, pulls : pandas.DataFrame
        Tables of one or several policies.
    theory, names, policies, estimated
        As for `draw_regret` and `draw_pulls`.

    Returns
    -------
    list of Path
        The files.
    """
    place = Path(folder)
    runs, arms = int(pulls["run"].nunique()), int(pulls["arm"].nunique())
    wide = min(16.0, max(7.6, 2.0 + arms * max(0.22, 0.09 * len(_order(pulls, policies)))))
    stems = []
    for log in (False, True):
        stems.append(place / ("regret_log" if log else "regret"))
        with page(stems[-1]) as figure:
            draw_regret(figure.subplots(), curves, theory=theory, log=log, policies=policies, runs=runs)
    stems.append(place / "pulls")
    with page(stems[-1], (wide, 4.8)) as figure:
        draw_pulls(figure.subplots(), pulls, names, policies=policies, estimated=estimated)
    return [path for stem in stems for path in files(stem)]


def _order(table: pd.DataFrame, policies: Sequence[str] | None) -> list[str]:
    return list(policies) if policies is not None else [str(policy) for policy in table["policy"].unique()]


class _Line(NamedTuple):
    name: str
    t: Floats
    values: Floats
    dashes: tuple[float, tuple[float, float]]


def _lines(theory: Theory, horizon: int) -> list[_Line]:
    """Return the lines of theory that exist for these arms."""
    t = np.unique(np.geomspace(1.0, horizon, 201))
    slope = "Lai–Robbins slope C ln t (asymptotic, no bound at finite t)"
    lines = [
        _Line(slope, t, theory.lai_robbins * np.log(t), (0, (5, 2))),
        _Line("uniform play", t, theory.uniform * t, (0, (1, 1.5))),
    ]
    return [line for line, factor in zip(lines, (theory.lai_robbins, theory.uniform), strict=True) if factor > 0.0]


def _view(tables: dict[str, pd.DataFrame], lines: Sequence[float]) -> float:
    """Return the top of the regret axis: what the policies need, and the ends of lines that come near it."""
    shown = _together(list(tables.values()))
    top = max(_top(table, len(tables) == 1) for table in shown)
    if len(tables) <= _SPREAD:  # a heavy tail of one policy does not flatten the others
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
    highest = (mean + NORMAL_95 * np.nan_to_num(table["pseudo_regret_se"].to_numpy(np.float64))).max()
    return float(max(highest, table["pseudo_regret_q95"].max()) if spread else highest)


def _replications(runs: int | None) -> str:
    return "" if runs is None else f"{runs:,} replication{'s' if runs > 1 else ''}, "


def _matrices(pulls: pd.DataFrame) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return N_T(a) and the true means of one policy, both of shape (runs, arms)."""
    table, arms = pulls.sort_values(["run", "arm"]), pulls["arm"].nunique()
    return table["pulls"].to_numpy(np.int64).reshape(-1, arms), table["mean"].to_numpy(np.float64).reshape(-1, arms)


def _label_arms(axes: Axes, names: Sequence[str], means: Floats, ranked: bool, kind_of_mean: str) -> None:
    """Name the arms, with their means, as large as there is room for: on two lines, upright, or only some of them."""
    written = _decimals(means)
    slot = width(axes) / len(names)
    most = max(16, int(slot / (DIGIT * SMALL)) - 1)
    names = [called(name, most) for name in names]
    longest = max(map(len, [*names, *written]))
    every = 1
    kind = f"arms of each replication, ranked by {kind_of_mean}" if ranked else "arm"
    mean = f"average {kind_of_mean} of that rank" if ranked else kind_of_mean
    if (longest + 0.6) * DIGIT * 7.0 <= slot:
        size, rotation = min(SMALL, slot / ((longest + 0.6) * DIGIT)), 0
        labels = [f"{name}\n{value}" for name, value in zip(names, written, strict=True)]
        said = f"{kind} (below: {mean}{'' if ranked else '; bold: best'})"
    else:
        every = math.ceil(6.5 / slot)
        size, rotation = min(SMALL, max(5.0, slot * every / 1.3)), 90
        labels = [f"{name} ({value})" for name, value in zip(names, written, strict=True)]
        said = f"{kind} (in brackets: {mean}{'' if ranked else '; bold: best'})"
        said += f", every {_ordinal(every - 1)} named" if every > 1 else ""
    places = range(0, len(names), every)
    axes.set_xticks(list(places), [labels[place] for place in places], fontsize=size, rotation=rotation)
    axes.tick_params(axis="x", length=2.0)
    axes.set_xlabel(fill(said, width(axes), SMALL + 1.0))
    for place, text in zip(places, axes.get_xticklabels(), strict=True):
        if not ranked and means[place] == means.max():
            text.set_fontweight("bold")


def _decimals(values: Iterable[float]) -> list[str]:
    """Write numbers with 2 to 4 decimals: as few as keep different ones apart."""
    exact = [float(value) for value in values]
    for digits in (2, 3, 4):
        written = [f"{value:.{digits}f}".replace("-", "−") for value in exact]
        if len(set(written)) == len(set(exact)):
            break
    return written


def _ordinal(rank: int) -> str:
    """Name a rank that counts from 0: best, 2nd, 3rd, 4th ..."""
    place = rank + 1
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10 if place % 100 not in (11, 12, 13) else 0, "th")
    return "best" if rank == 0 else f"{place}{ending}"
