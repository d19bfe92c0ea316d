"""The figure of a trace: the arm pulled at each step, every arm's estimate, and the index that chose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from numerics.output.captions import Caption, End, called_all, caption
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
    trace = _Trace(steps, np.asarray(means, dtype=np.float64), names)
    count = 3 if np.isfinite(trace.scores).any() else 2
    axes = list(figure.subplots(count, 1, sharex=True, height_ratios=[2, 3, 3][:count]))
    _draw_choices(axes[0], trace)
    marked = _mark(axes, trace)
    truth_text = "the arms' means, estimated from the log" if estimated else "the arms' true means"
    _draw_estimates(axes[1], trace, truth_text, marked)
    axes[1].set_ylabel("mean of all previous rewards" if forgets else "estimated mean before the pull")
    if count == 3:
        _draw_indices(axes[2], trace)
    axes[-1].set_xlim(trace.t[0] - 0.5, trace.t[-1] + 0.5)
    axes[-1].set_xticks(_steps(trace.t))
    axes[-1].set_xlabel("$t$ (pulls)")


class _Trace:
    """The steps of a trace as arrays, and what each arm looks like."""

    def __init__(self, steps: pd.DataFrame, truth: Floats, names: Sequence[str]) -> None:
        self.steps, self.truth = steps, truth
        short = called_all(names, 24)
        self.names = [short[name] for name in names]
        self.t, self.pulled = steps["t"].to_numpy(np.float64), steps["arm"].to_numpy(np.int64)
        chosen = self.pulled[:, None] == np.arange(truth.size)
        self.pulls = np.cumsum(chosen, axis=0) - chosen  # of each arm before each step
        estimates, scores = (_columns(steps, kind, truth.size) for kind in ("mean", "index"))
        self.estimates = np.where(self.pulls > 0, estimates, np.nan)
        self.scores = np.where(np.isfinite(scores), scores, np.nan)
        self.hopeless = bool(np.isneginf(scores).any())  # whether an arm could not win somewhere
        self.changes = "truth_0" in steps
        self.truths = _columns(steps, "truth", truth.size) if self.changes else np.tile(truth, (len(steps), 1))
        self.styles, self.coloured = _arm_styles(truth, chosen.sum(axis=0))

    @property
    def heavy(self) -> bool:
        """Whether an SVG holds pixels, since vectors would make it slow."""
        return len(self.t) > _VECTORS

    @property
    def dot(self) -> float:
        """The size of a dot over that of one of a short trace."""
        return 0.6 if len(self.t) > 400 else 1.0


def _columns(steps: pd.DataFrame, kind: str, arms: int) -> Floats:
    return steps[[f"{kind}_{arm}" for arm in range(arms)]].to_numpy(np.float64)


def _draw_lines(axes: Axes, trace: _Trace, values: Floats) -> None:
    """Draw a line for each arm, those of coloured arms first."""
    for arm, style in sorted(trace.styles.items(), key=lambda item: -item[1]["zorder"]):
        look = {"drawstyle": "steps-mid", "rasterized": trace.heavy, **style}
        axes.plot(trace.t, values[:, arm], label=trace.names[arm] if arm in trace.coloured else "", **look)


def _draw_estimates(axes: Axes, trace: _Trace, truth_text: str, marked: Sequence[str]) -> None:
    """Draw the estimates of all arms, and thin lines at the means of coloured ones."""
    plain(axes)
    _draw_lines(axes, trace, trace.estimates)
    for arm in trace.coloured:
        look = {name: trace.styles[arm][name] for name in ("color", "linestyle")} | {"linewidth": 0.7, "zorder": 1}
        if trace.changes:
            axes.plot(trace.t, trace.truths[:, arm], drawstyle="steps-mid", rasterized=trace.heavy, **look)
        else:
            axes.axhline(trace.truth[arm], **look)
    shown = np.append(trace.estimates[trace.pulls > 0], trace.truths)
    low, high = np.nanquantile(shown, (0.005, 0.995))  # not the wild first steps
    low, high = min(low, trace.truths.min()), max(high, trace.truths.max())
    pad = 0.05 * (high - low) or 0.5
    axes.set_ylim(low - pad, high + pad)
    ends = [
        End(trace.names[arm], float(trace.estimates[-1, arm]), trace.styles[arm])
        for arm in trace.coloured
        if trace.pulls[-1, arm] > 0
    ]
    lines = "Thin lines" if trace.changes else "Thin level lines"
    others = ["grey: the other arms"] * (len(trace.coloured) < trace.truth.size)
    Caption("; ".join([f"{lines}: {truth_text}", *marked, *others]), ends=ends, legend=bool(ends)).write(axes)


def _draw_indices(axes: Axes, trace: _Trace) -> None:
    """Draw the indices of all arms, and a dot at the one that was chosen."""
    plain(axes)
    _draw_lines(axes, trace, trace.scores)
    chosen = trace.scores[np.arange(len(trace.t)), trace.pulled]
    look: dict[str, Any] = {"markeredgecolor": "0.1", "zorder": 4.0, "rasterized": trace.heavy}
    look |= {"markersize": 4.5 * trace.dot, "markeredgewidth": 0.7 * trace.dot}
    for arm, style in trace.styles.items():
        here = trace.pulled == arm
        axes.plot(trace.t[here], chosen[here], "o", color=style["color"], **look)
    axes.set_ylabel("index before the pull")
    gaps = "; gaps: index too low to win" if trace.hopeless else ""
    caption(axes, f"Dots: the arm with the highest index, which is pulled{gaps}", legend=False)


def _mark(axes: Sequence[Axes], trace: _Trace) -> list[str]:
    """Draw a thin line where means jump, and one in red where the policy noticed a change; return what they are."""
    jumps, noticed = trace.t[1:][(np.diff(trace.truths, axis=0) != 0.0).any(axis=1)] - 0.5, np.zeros(0)
    if "alarms" in trace.steps:
        noticed = trace.t[np.diff(trace.steps["alarms"], prepend=0.0) > 0.0] + 0.5
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


def _draw_choices(axes: Axes, trace: _Trace) -> None:
    """Draw a dot for each pull in the row of its arm; for binary rewards, filled for 1 and hollow for 0."""
    plain(axes, "x")
    reward = trace.steps["reward"].to_numpy()
    binary = bool(np.isin(reward, (0.0, 1.0)).all())
    look: dict[str, Any] = {"markersize": 4.0 * trace.dot, "markeredgewidth": 0.8, "rasterized": trace.heavy}
    for arm, style in trace.styles.items():
        for paid in (True, False) if binary else (True,):
            here = (trace.pulled == arm) & ((reward == 1.0) == paid if binary else True)
            face = style["color"] if paid else "white"
            axes.plot(trace.t[here], trace.pulled[here], "o", color=style["color"], markerfacecolor=face, **look)
    _shade_best(axes, trace)
    best = np.zeros(0, np.int64) if trace.changes else np.flatnonzero(trace.truth == trace.truth.max())
    _name_arms(axes, trace.names, best)
    axes.set_ylabel("arm pulled")
    grey = "Grey: currently best arm" if trace.changes else "Grey row: best arm"
    caption(axes, grey + ("; filled: reward 1, hollow: reward 0" if binary else ""))


def _shade_best(axes: Axes, trace: _Trace) -> None:
    """Shade the row of the best arm, as long as it is the best."""
    for arm in range(trace.truth.size):
        for first, last in _spans(trace.truths[:, arm] == trace.truths.max(axis=1)):
            ends = trace.t[[first, last]] + (-0.5, 0.5)
            axes.fill_between(ends, arm - 0.5, arm + 0.5, color="0.92", zorder=0, linewidth=0)


def _name_arms(axes: Axes, names: Sequence[str], best: npt.NDArray[np.int64]) -> None:
    """Write the names of some rows, those of the best arms in bold."""
    every = -(-len(names) // _NAMED)
    rows = list(range(0, len(names), every))
    if best.size == 1:
        rows = sorted([int(best[0]), *(row for row in rows if abs(row - best[0]) >= every)])
    axes.set_yticks(rows, [names[row] for row in rows])
    for text, bold in zip(axes.get_yticklabels(), np.isin(rows, best), strict=True):
        text.set_fontweight("bold" if bold else "normal")
    axes.set_ylim(len(names) - 0.4, -0.6)


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
