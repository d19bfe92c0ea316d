"""Figures of experiments: a sweep of one parameter, paired differences, and one replication step by step.

They stand beside `bandits.figures` and look alike: both use `bandits.drawing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bandits.drawing import (
    DASHES,
    LETTER,
    MARKERS,
    PALETTE,
    SMALL,
    WIDE,
    apart,
    called_all,
    caption,
    half_width,
    heading,
    line_style,
    number,
    plain,
    plus_minus,
    replications,
    ticks,
    width,
    zero_apart,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_NOT_TUNED = ("horizon", "runs", "seed")
_COLOURED = 8  # arms of a trace that get a colour when there are more than twelve
_ARM_DASHES = (0, 1, 2, 3, 1, 2, 3, 1, 3, 0, 2, 0)  # of a trace: never the same for two colours nearly alike
_ROOMY = 16  # rows of differences that stand well apart; more stand closer
_AHEAD = 4.0  # differences this many times as large as all others leave the view
_NAMED = 12  # arms of a trace that can be named beside their rows
_VECTORS = 3_000  # steps of a trace that an SVG holds as lines and dots

Floats = npt.NDArray[np.float64]


def draw_final(axes: Axes, table: pd.DataFrame, parameter: str) -> None:
    """Draw mean pseudo-regret at the horizon, with its 95 % confidence, against a parameter, and mark the lowest.

    Of the problem's sizes and the seed nobody looks for the best: there no value is marked.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    table : pandas.DataFrame
        One row a value: value, pseudo_regret_mean, pseudo_regret_se, pseudo_regret_q05 and pseudo_regret_q95; a column
        `policy` makes one line of each policy. The quantiles are drawn for a single line. Columns `runs` and `horizon`
        are told in the caption.
    parameter : str
        What the values are, such as "c (factor of the exploration term)".
    """
    from matplotlib.ticker import NullLocator

    groups = [(str(name), part) for name, part in table.groupby("policy", sort=False)] if "policy" in table else []
    groups = [(name, part.sort_values("value")) for name, part in groups or [("mean", table)]]
    many, labels, tuned = len(groups) > 1, called_all(name for name, _ in groups), parameter not in _NOT_TUNED
    bands: dict[str, Artist] = {}
    for place, (name, part) in enumerate(groups):
        x, mean, error, low, high = (
            part[column].to_numpy(np.float64)
            for column in ("value", *(f"pseudo_regret_{one}" for one in ("mean", "se", "q05", "q95")))
        )
        style = line_style(place) if many else {"color": PALETTE[0], "marker": MARKERS[0]}
        if not many and len(x) > 1 and bool(np.any(high > low)):
            shares = axes.fill_between(x, low, high, color=style["color"], alpha=0.16, linewidth=0)
            bands["5–95 % of replications"] = shares
        half = error * (np.array([half_width(int(n)) for n in part["runs"]]) if "runs" in part else half_width(None))
        axes.errorbar(x, mean, np.nan_to_num(half), fmt="none", ecolor=style["color"], capsize=3.0)
        best = int(np.argmin(mean))
        label = labels[name]
        if tuned:
            label += f"; lowest: {plus_minus(mean[best], half[best])} at {number(x[best], 4)}"
            axes.plot(x[best], mean[best], "o", color="0.1", markerfacecolor="none", markersize=11.0, zorder=4)
        axes.plot(x, mean, label=label, linewidth=1.4, markersize=5.0, zorder=3, **style)

    values, means = (table[column].to_numpy(np.float64) for column in ("value", "pseudo_regret_mean"))
    shown = np.unique(values)
    positive = shown[shown > 0.0]
    logarithmic = bool(shown[0] >= 0.0 and positive.size and positive[-1] > 10.0 * positive[0])
    if logarithmic:
        if shown[0] > 0.0:
            axes.set_xscale("log")
        else:
            zero_apart(axes, shown)
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(apart(shown, logarithmic, width(axes)))
    drawn = means if many else np.concatenate([means, table["pseudo_regret_q95"].to_numpy(np.float64)])
    if means.min() > 0.0 and drawn.max() > WIDE * means.min():
        low, high = 0.5 * means.min(), 1.6 * drawn.max()
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        ticks(axes.yaxis, low, high)
    else:
        axes.set_ylim(bottom=0.0)
    scales = {"log": " (log scale)", "symlog": " (log scale, 0 set apart)"}
    axes.set_xlabel(parameter + scales.get(axes.get_xscale(), ""))
    scale = ", log scale" if axes.get_yscale() == "log" else ""
    axes.set_ylabel(f"pseudo-regret at the horizon (rewards lost{scale})")
    certain = bool(np.isfinite(table["pseudo_regret_se"]).any())
    played = _played(table)
    bars = ", bars: its 95 % confidence" if certain else ""
    circle = "; circle: lowest mean" if tuned else ""
    caption(axes, f"{played}{'mean' if played else 'Mean'}{bars}{circle}", bands)
    plain(axes)
    axes.xaxis.set_major_formatter(lambda value, _: number(value, 4))


def differences_size(table: pd.DataFrame) -> tuple[float, float]:
    """Return width and height in inches that paired differences need: long labels leave the axes their room."""
    longest = max((len(label) for label in _pairs(table)), default=0)
    rows = len(table)
    height = 0.34 * min(rows, _ROOMY) + 0.17 * max(rows - _ROOMY, 0)
    return max(8.0, 6.0 + longest * LETTER * SMALL * 1.2 / 72.0), 1.6 + height


def draw_differences(axes: Axes, table: pd.DataFrame) -> None:
    """Draw paired differences of final regret, sorted, each with its 95 % interval and its numbers.

    Differences many times as large as all others, up to half of them, leave the view, so that the others keep their
    scale: a triangle at the edge stands for them, and their numbers beside it.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw, the only axes of a figure of `differences_size`; the caption goes above the whole figure.
    table : pandas.DataFrame
        One row a pair: policy_a, policy_b, difference_mean, ci_low, ci_high, p_adjusted; the last three may be NaN.
    """
    rows = table.sort_values("difference_mean", kind="stable").reset_index(drop=True)
    mean, low, high, p = (
        rows[name].to_numpy(np.float64) for name in ("difference_mean", "ci_low", "ci_high", "p_adjusted")
    )
    y = np.arange(len(rows))
    far = _far(mean, low, high)
    axes.axvline(0.0, color="0.2", linewidth=1.0)
    axes.hlines(y, low, high, color=PALETTE[0], linewidth=1.8)
    sure = p < 0.05
    for kept, face in ((sure, PALETTE[0]), (~sure, "white")):
        axes.plot(mean[kept], y[kept], "o", color=PALETTE[0], markerfacecolor=face, markersize=5.5, zorder=3)
        for sign, edge, marker in ((1.0, 1.0, ">"), (-1.0, 0.0, "<")):
            gone = y[kept & far & (np.sign(mean) == sign)]
            if gone.size:  # a layout leaves room for nothing, too
                axes.plot(
                    np.full(gone.size, edge), gone, marker, color=PALETTE[0], markerfacecolor=face, markersize=5.5,
                    transform=axes.get_yaxis_transform(), clip_on=False, zorder=3,
                )  # fmt: skip
    if far.any():
        ends = np.append(np.nan_to_num(np.concatenate([mean[~far], low[~far], high[~far]])), 0.0)
        pad = 0.06 * float(np.ptp(ends))
        axes.set_xlim(ends.min() - pad, ends.max() + pad)
    for place in y:
        interval = f" [{number(low[place], 3)}, {number(high[place], 3)}]" if np.isfinite(low[place]) else ""
        text = number(mean[place], 3) + interval + _p_value(p[place])
        axes.text(1.02, float(place), text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    axes.set_yticks(y, _pairs(rows))
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
    axes.set_xlabel("difference of final pseudo-regret (rewards lost)")
    runs = int(rows["runs"].max()) if "runs" in rows and len(rows) else None
    said = (
        f"{replications(runs).replace(', ', '; ')}left of 0 the first policy loses less; 95 % intervals; p adjusted "
        "for the number of pairs (Benjamini and Hochberg), intervals not; filled: p < 0.05"
    )
    if not np.isfinite(p).any():
        said = "Differences of one replication: they allow no statement on the mean"
    elif far.any():
        said += "; triangle: lies outside the view"
    heading(axes.figure, said[0].upper() + said[1:])
    plain(axes, "x")
    if len(rows) > _ROOMY:  # the eye is led from a name to its numbers
        axes.grid(True, axis="y", color="0.93", linewidth=0.6)


def _far(mean: Floats, low: Floats, high: Floats) -> npt.NDArray[np.bool_]:
    """Say which differences leave the view: those many times as far from 0 as all others, at most half of them."""
    reach = np.fmax(np.abs(mean), np.fmax(np.abs(low), np.abs(high)))
    order = np.argsort(-np.abs(mean), kind="stable")
    for count in range(mean.size // 2, 0, -1):
        if abs(mean[order[count - 1]]) > _AHEAD * reach[order[count:]].max() > 0.0:
            return np.isin(np.arange(mean.size), order[:count])
    return np.zeros(mean.size, dtype=np.bool_)


def draw_trace(
    figure: Figure | SubFigure,
    steps: pd.DataFrame,
    means: Sequence[float] | Floats,
    names: Sequence[str],
    *,
    estimated: bool = False,
) -> None:
    """Draw one replication: the arm pulled at each step, every arm's estimate, and the index that chose.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        An empty figure, preferably with a constrained layout.
    steps : pandas.DataFrame
        One row a step: t, arm, reward, and mean_a and index_a of every arm a, as before the pull. Estimates are drawn
        from an arm's first pull on; an index that is not finite is not drawn, nor is the panel if none is.
    means : sequence of float
        The true means.
    names : sequence of str
        What the arms are called.
    estimated : bool, default False
        The means are themselves estimates, such as those of a click log, and are called so.
    """
    truth, shown = np.asarray(means, dtype=np.float64), called_all(names, 24)
    names = [shown[name] for name in names]
    arms, t, pulled = truth.size, steps["t"].to_numpy(np.float64), steps["arm"].to_numpy(np.int64)
    estimates, scores = (
        steps[[f"{kind}_{arm}" for arm in range(arms)]].to_numpy(np.float64).copy() for kind in ("mean", "index")
    )
    before = np.cumsum(pulled[:, None] == np.arange(arms), axis=0) - (pulled[:, None] == np.arange(arms))
    estimates[before == 0] = np.nan
    hopeless = bool(np.isneginf(scores).any())
    scores[~np.isfinite(scores)] = np.nan
    indexed = bool(np.isfinite(scores).any())
    styles, coloured = _arm_styles(truth, np.bincount(pulled, minlength=arms))
    grey = next((arm for arm in range(arms) if arm not in coloured), -1)
    heavy = len(t) > _VECTORS  # what would make a slow SVG is drawn as pixels in it

    axes = np.atleast_1d(figure.subplots(3 if indexed else 2, 1, sharex=True, height_ratios=[2, 3, 3][: 2 + indexed]))
    _draw_choices(axes[0], steps, truth, names, styles)
    for panel, values in zip(axes[1:], (estimates, scores), strict=False):
        for arm, style in sorted(styles.items(), key=lambda one: -one[1]["zorder"]):  # the coloured ones first
            label = names[arm] if arm in coloured else "others" if arm == grey else ""
            label = label if panel is axes[1] else ""
            panel.plot(t, values[:, arm], drawstyle="steps-mid", label=label, rasterized=heavy, **style)
    for arm in coloured:
        own = {name: styles[arm][name] for name in ("color", "linestyle")}
        axes[1].axhline(truth[arm], linewidth=0.7, zorder=1, **own)
    low, high = np.nanquantile(np.append(estimates[before > 0], truth), (0.005, 0.995))  # not the wild first steps
    low, high = min(low, truth.min()), max(high, truth.max())
    pad = 0.05 * (high - low) or 0.5
    axes[1].set_ylim(low - pad, high + pad)
    axes[1].set_ylabel("estimated mean before the pull")
    told = "their means as estimated from the log" if estimated else "their true means"
    caption(axes[1], f"Arms; thin level lines: {told}", {})
    if indexed:
        chosen = scores[np.arange(len(t)), pulled]
        for arm, style in styles.items():
            axes[2].plot(
                t[pulled == arm], chosen[pulled == arm], "o", color=style["color"], markeredgecolor="0.1", zorder=4.0,
                markersize=2.5 if len(t) > 400 else 4.5, markeredgewidth=0.4 if len(t) > 400 else 0.7, rasterized=heavy,
            )  # fmt: skip
        axes[2].set_ylabel("index before the pull")
        gaps = "; gaps: could not win" if hopeless else ""
        caption(axes[2], f"The arm of the greatest index is pulled: dots{gaps}")
    for panel in axes[1:]:
        plain(panel)
    axes[-1].set_xlim(t[0] - 0.5, t[-1] + 0.5)
    axes[-1].set_xlabel("t (pulls)")


def _draw_choices(
    axes: Axes, steps: pd.DataFrame, truth: Floats, names: Sequence[str], styles: dict[int, dict[str, Any]]
) -> None:
    """Draw a dot for each pull in the row of its arm; filled and hollow where rewards are 1 and 0."""
    t, pulled, reward = (steps[name].to_numpy() for name in ("t", "arm", "reward"))
    binary = bool(np.isin(reward, (0.0, 1.0)).all())
    for arm, style in styles.items():
        for paid in (True, False) if binary else (True,):
            here = (pulled == arm) & ((reward == 1.0) == paid if binary else True)
            axes.plot(
                t[here], pulled[here], "o", markersize=2.5 if len(t) > 400 else 4.0, color=style["color"],
                markerfacecolor=style["color"] if paid else "white", markeredgewidth=0.8, rasterized=len(t) > _VECTORS,
            )  # fmt: skip
    best = np.flatnonzero(truth == truth.max())
    for row in best:
        axes.axhspan(row - 0.5, row + 0.5, color="0.92", zorder=0)
    every = -(-len(names) // _NAMED)
    rows = list(range(0, len(names), every))
    if best.size == 1:
        rows = sorted([int(best[0]), *(row for row in rows if abs(row - best[0]) >= every)])
    axes.set_yticks(rows, [names[row] for row in rows])
    for text, bold in zip(axes.get_yticklabels(), np.isin(rows, best), strict=True):
        text.set_fontweight("bold" if bold else "normal")
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_ylabel("arm pulled")
    caption(axes, "Grey row: best arm" + ("; filled: reward 1, hollow: reward 0" if binary else ""))
    plain(axes, "x")


def _arm_styles(truth: Floats, pulls: npt.NDArray[np.int64]) -> tuple[dict[int, dict[str, Any]], list[int]]:
    """Return every arm's style, and the arms that have a colour: up to 12, or the best and the most pulled of more.

    Up to 12 arms look the same in every trace of them, whatever was pulled.
    """
    order = sorted(range(truth.size), key=lambda arm: (truth[arm] < truth.max(), -pulls[arm], arm))
    coloured = list(range(truth.size)) if truth.size <= len(_ARM_DASHES) else sorted(order[:_COLOURED])
    styles: dict[int, dict[str, Any]] = {
        arm: {"color": "0.75", "linewidth": 0.6, "zorder": 1.5} for arm in range(truth.size)
    }
    for place, arm in enumerate(coloured):
        dashes, colour = DASHES[_ARM_DASHES[place]], PALETTE[place % len(PALETTE)]
        styles[arm] = {"color": colour, "linestyle": dashes, "linewidth": 1.3, "zorder": 3.0}
    return styles, coloured


def _played(table: pd.DataFrame) -> str:
    """Say the replications and the horizon of a sweep, as far as its table holds them."""
    parts = []
    for column, name, unit in (("runs", "", " replications"), ("horizon", "horizon ", "")):
        if column in table:
            low, high = int(table[column].min()), int(table[column].max())
            unit = " replication" if unit and high == 1 else unit
            parts.append(f"{name}{number(low)}" + (f" to {number(high)}" if low < high else "") + unit)
    return ", ".join(parts) + "; " if parts else ""


def _pairs(table: pd.DataFrame) -> list[str]:
    names = called_all([*table["policy_a"].astype(str), *table["policy_b"].astype(str)])
    return [f"{names[str(a)]} − {names[str(b)]}" for a, b in zip(table["policy_a"], table["policy_b"], strict=True)]


def _p_value(p: float) -> str:
    return "" if np.isnan(p) else "   p < 0.001" if p < 0.001 else f"   p = {p:.3f}"
