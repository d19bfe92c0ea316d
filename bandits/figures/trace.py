"""The figure of a trace: the arm pulled at each step, every arm's estimate, and the index that chose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from numerics.output.captions import called_all, caption
from numerics.output.line_ends import End, name_ends
from numerics.output.style import DASHES, PALETTE, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_COLOURED = 8  # arms that get a colour if there are more than twelve
_ARM_DASHES = (0, 1, 2, 3, 1, 2, 3, 1, 3, 0, 2, 0)  # arms of similar colours get different dashes
_MARKED = 60  # most lines that mark changes, or alarms: more would be a grey wall
_NAMED = 12  # most arms that are named beside their rows
_VECTORS = 3_000  # most steps that an SVG holds as lines and dots

Floats = npt.NDArray[np.float64]


def draw_trace(
    figure: Figure | SubFigure,
    steps: pd.DataFrame,
    means: Sequence[float] | Floats,
    names: Sequence[str],
    *,
    estimated: bool = False,
    forgets: bool = False,
) -> None:
    """Draw one replication: the arm pulled at each step, every arm's estimate, and the index that chose.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        An empty figure, preferably with a constrained layout.
    steps : pandas.DataFrame
        A row for each step: t, arm, reward, and mean_a and index_a of every arm a before the pull. Estimates are drawn
        from an arm's first pull on. Indices are drawn where finite; without any, there is no panel of indices. Of arms
        that change truth_a too, the means at the step; of a policy that looks for changes alarms, their number so far.
    means : sequence of float
        The true means.
    names : sequence of str
        The names of the arms.
    estimated : bool, default False
        Whether the means are estimates themselves, such as those of a click log, and labelled so.
    forgets : bool, default False
        Whether the policy does not go by the mean of all rewards, which is drawn, and labelled so.
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
    moving = steps[[f"truth_{arm}" for arm in range(arms)]].to_numpy(np.float64) if "truth_0" in steps else None
    heavy = len(t) > _VECTORS  # then an SVG holds pixels, since vectors would make it slow

    axes = np.atleast_1d(figure.subplots(3 if indexed else 2, 1, sharex=True, height_ratios=[2, 3, 3][: 2 + indexed]))
    _draw_choices(axes[0], steps, truth, names, styles, moving)
    for panel, values in zip(axes[1:], (estimates, scores), strict=False):
        for arm, style in sorted(styles.items(), key=lambda item: -item[1]["zorder"]):  # coloured arms first
            label = names[arm] if panel is axes[1] and arm in coloured else "others" if arm == grey else ""
            panel.plot(t, values[:, arm], drawstyle="steps-mid", label=label, rasterized=heavy, **style)
    for arm in coloured:
        look = {name: styles[arm][name] for name in ("color", "linestyle")}
        if moving is None:
            axes[1].axhline(truth[arm], linewidth=0.7, zorder=1, **look)
        else:
            axes[1].plot(t, moving[:, arm], drawstyle="steps-mid", linewidth=0.7, zorder=1, rasterized=heavy, **look)
    truths = np.tile(truth, (len(t), 1)) if moving is None else moving
    low, high = np.nanquantile(np.append(estimates[before > 0], truths), (0.005, 0.995))  # not the wild first steps
    low, high = min(low, truths.min()), max(high, truths.max())
    pad = 0.05 * (high - low) or 0.5
    axes[1].set_ylim(low - pad, high + pad)
    axes[1].set_ylabel("mean of all rewards before" if forgets else "estimated mean before the pull")
    truth_text = "the arms' means as estimated from the log" if estimated else "the arms' true means"
    axes[-1].set_xlim(t[0] - 0.5, t[-1] + 0.5)
    ends = [End(names[arm], float(estimates[-1, arm]), styles[arm]) for arm in coloured if before[-1, arm] > 0]
    grown = [] if grey < 0 else ["grey: the other arms"]
    marked = _mark(list(axes), steps, truths)
    lines = "Thin level lines" if moving is None else "Thin lines"
    caption(axes[1], "; ".join([f"{lines}: {truth_text}", *marked, *grown]), {}, legend=not name_ends(axes[1], ends))
    if indexed:
        chosen = scores[np.arange(len(t)), pulled]
        for arm, style in styles.items():
            axes[2].plot(
                t[pulled == arm],
                chosen[pulled == arm],
                "o",
                color=style["color"],
                markeredgecolor="0.1",
                zorder=4.0,
                markersize=2.5 if len(t) > 400 else 4.5,
                markeredgewidth=0.4 if len(t) > 400 else 0.7,
                rasterized=heavy,
            )
        axes[2].set_ylabel("index before the pull")
        gaps = "; gaps: could not win" if hopeless else ""
        caption(axes[2], f"The arm of the greatest index is pulled: dots{gaps}")
    for panel in axes[1:]:
        plain(panel)
    axes[-1].set_xticks(_steps(t))
    axes[-1].set_xlabel("$t$ (pulls)")


def _mark(axes: Sequence[Axes], steps: pd.DataFrame, truths: Floats) -> list[str]:
    """Draw a thin line where means jump, and one in red where the policy noticed a change; return what they are."""
    jumps = steps["t"].to_numpy(np.float64)[1:][(np.diff(truths, axis=0) != 0.0).any(axis=1)] - 0.5
    noticed = np.zeros(0)
    if "alarms" in steps:
        noticed = steps["t"].to_numpy(np.float64)[np.diff(steps["alarms"], prepend=0.0) > 0.0] + 0.5
    sentences = []
    for where, colour, dashes, text in ((jumps, "0.5", "-", "means change"), (noticed, PALETTE[3], "--", "alarms")):
        if 0 < where.size <= _MARKED:
            sentences.append(f"{'dashed red' if colour == PALETTE[3] else 'vertical'} lines: {text}")
            for panel in axes:
                for t in where:
                    panel.axvline(t, color=colour, linestyle=dashes, linewidth=0.8, zorder=0.6)
    return sentences


def _spans(here: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the first and the last index of each run of true values.

    Examples
    --------
    >>> _spans(np.array([True, True, False, True]))
    [(0, 1), (3, 3)]
    """
    edges = np.diff(here.astype(np.int8), prepend=0, append=0)
    return list(zip(np.flatnonzero(edges == 1).tolist(), (np.flatnonzero(edges == -1) - 1).tolist(), strict=True))


def _steps(t: Floats) -> list[float]:
    """Return the first step and round steps to name on the axis."""
    from matplotlib.ticker import MaxNLocator

    first, last = float(t[0]), float(t[-1])
    near, whole = 0.03 * (last - first), MaxNLocator(8, steps=[1, 2, 5, 10], integer=True)
    return [first, *(tick for tick in whole.tick_values(first, last) if first + near < tick <= last)]


def _draw_choices(
    axes: Axes,
    steps: pd.DataFrame,
    truth: Floats,
    names: Sequence[str],
    styles: dict[int, dict[str, Any]],
    moving: Floats | None,
) -> None:
    """Draw a dot for each pull in the row of its arm; for binary rewards, filled for 1 and hollow for 0."""
    t, pulled, reward = (steps[name].to_numpy() for name in ("t", "arm", "reward"))
    binary = bool(np.isin(reward, (0.0, 1.0)).all())
    for arm, style in styles.items():
        for paid in (True, False) if binary else (True,):
            here = (pulled == arm) & ((reward == 1.0) == paid if binary else True)
            axes.plot(
                t[here],
                pulled[here],
                "o",
                markersize=2.5 if len(t) > 400 else 4.0,
                color=style["color"],
                markerfacecolor=style["color"] if paid else "white",
                markeredgewidth=0.8,
                rasterized=len(t) > _VECTORS,
            )
    best = np.flatnonzero(truth == truth.max()) if moving is None else np.zeros(0, np.int64)
    for row in best:
        axes.axhspan(row - 0.5, row + 0.5, color="0.92", zorder=0)
    if moving is not None:
        for arm in range(truth.size):
            here = moving[:, arm] == moving.max(axis=1)
            for first, last in _spans(here):
                axes.fill_between(
                    t[[first, last]] + (-0.5, 0.5), arm - 0.5, arm + 0.5, color="0.92", zorder=0, linewidth=0
                )
    every = -(-len(names) // _NAMED)
    rows = list(range(0, len(names), every))
    if best.size == 1:
        rows = sorted([int(best[0]), *(row for row in rows if abs(row - best[0]) >= every)])
    axes.set_yticks(rows, [names[row] for row in rows])
    for text, bold in zip(axes.get_yticklabels(), np.isin(rows, best), strict=True):
        text.set_fontweight("bold" if bold else "normal")
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_ylabel("arm pulled")
    grey = "Grey row: best arm" if moving is None else "Grey: the best arm of the moment"
    caption(axes, grey + ("; filled: reward 1, hollow: reward 0" if binary else ""))
    plain(axes, "x")


def _arm_styles(truth: Floats, pulls: npt.NDArray[np.int64]) -> tuple[dict[int, dict[str, Any]], list[int]]:
    """Return every arm's style, and the coloured arms: all of up to 12, else the best and the most pulled.

    Up to 12 arms have the same styles in every trace, whatever was pulled.
    """
    order = sorted(range(truth.size), key=lambda arm: (truth[arm] < truth.max(), -pulls[arm], arm))
    coloured = list(range(truth.size)) if truth.size <= len(_ARM_DASHES) else sorted(order[:_COLOURED])
    styles: dict[int, dict[str, Any]] = {
        arm: {"color": "0.75", "linewidth": 0.6, "zorder": 1.5} for arm in range(truth.size)
    }
    for index, arm in enumerate(coloured):
        dashes, colour = DASHES[_ARM_DASHES[index]], PALETTE[index % len(PALETTE)]
        styles[arm] = {"color": colour, "linestyle": dashes, "linewidth": 1.3, "zorder": 3.0}
    return styles, coloured
