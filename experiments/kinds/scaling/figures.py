"""The figure of scaling: regret against the number of arms, the gap and the horizon, a panel each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.kinds.scaling.slopes import ARMS, GAP, HORIZON
from numerics.output.figures import Caption, Facts, Figure
from numerics.output.line_ends import End, name_ends
from numerics.output.style import line_style, number, plain, ticks
from numerics.statistics.means import METHOD

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes

_LABELS = {ARMS: "arms K", GAP: "gap", HORIZON: "horizon T"}
_LETTERS = {ARMS: "K =", GAP: "gap", HORIZON: "T ="}


def draw(points: pd.DataFrame, slopes: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> None:
    """Draw a panel for each number that was varied."""
    varied = list(dict.fromkeys(points["varied"]))
    panels = np.atleast_1d(figure.subplots(1, len(varied)))
    for axes, name in zip(panels, varied, strict=True):
        fixed = [f"{_LETTERS[key]} {number(value)}" for key, value in facts["fixed"].items() if key != name]
        text = f"{', '.join(fixed)}; {facts['runs']:,} replications"
        draw_panel(points[points["varied"] == name], slopes[slopes["varied"] == name], axes, text).write(axes)


def draw_panel(frame: pd.DataFrame, slopes: pd.DataFrame, axes: Axes, text: str) -> Caption:
    """Draw one line a policy: mean regret against the number that was varied, with its 95 % interval.

    Behind the name of a line stands its fitted slope, and in the caption the law that is fitted.

    Parameters
    ----------
    frame : pandas.DataFrame
        The rows of scaling.csv of one varied number.
    slopes : pandas.DataFrame
        Those of slopes.csv; none where too few values allow no fit.
    axes : matplotlib.axes.Axes
        Where to draw.
    text : str
        What stays, for the caption.
    """
    varied, ends = str(frame["varied"].iloc[0]), []
    fitted = dict(zip(slopes["policy"], slopes["slope"], strict=True))
    text += f"; fit: {slopes['law'].iloc[0]}" if fitted else ""
    for index, (label, of_policy) in enumerate(frame.groupby("policy", sort=False)):
        style = line_style(index)
        x, y = (of_policy[name].to_numpy(np.float64) for name in ("value", "regret_mean"))
        low, high = (of_policy[name].to_numpy(np.float64) for name in ("regret_low", "regret_high"))
        axes.plot(x, y, linewidth=1.4, markersize=4.5, **style)
        axes.vlines(x, np.maximum(low, 1e-9), high, color=style["color"], linewidth=0.9)
        shown = f", b = {fitted[label]:.3g}" if label in fitted else ""
        ends.append(End(f"{label}{shown}", float(y[-1]), style))
    axes.set_xscale("log")
    if varied != HORIZON:
        axes.set_yscale("log")
        least, most = float(frame["regret_mean"].min()), float(frame["regret_mean"].max())
        axes.set_ylim(least / 1.3, 1.3 * most)
    else:
        axes.set_ylim(bottom=0.0)
    axes.set_xlabel(_LABELS[varied])
    axes.set_ylabel("mean regret")
    plain(axes)
    ticks(axes.xaxis, float(frame["value"].min()), float(frame["value"].max()))
    if varied != HORIZON:
        ticks(axes.yaxis, least, most)
    if not name_ends(axes, ends):
        axes.legend(axes.get_lines(), [end.name for end in ends])
    return Caption(f"{text}; bars: 95 % intervals ({METHOD})", f"Regret against {_LABELS[varied]}")


FIGURES = (
    Figure(
        "scaling",
        ("scaling.csv", "slopes.csv"),
        draw,
        size=lambda points, *_: (1.6 + 5.0 * points["varied"].nunique(), 4.8),
        panels=True,
    ),
)
