"""The figure of exact expectations: mean regret against pulls, and its standard deviation at the last one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from numerics.output.figures import Caption, Facts, Figure
from numerics.output.line_ends import End, name_ends
from numerics.output.style import line_style, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def draw_curves(curves: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw one line a policy: expected regret against pulls.

    Parameters
    ----------
    curves : pandas.DataFrame
        The columns policy, horizon, regret_mean, as in curves.csv.
    axes : matplotlib.axes.Axes
        Where to draw.
    facts : mapping
        What was played, the "title" of "arms"; "planned" are the policies that are optimal at the last pull only.
    """
    ends = []
    for place, (label, own) in enumerate(curves.groupby("policy", sort=False)):
        style = {**line_style(place), "marker": ""}
        x, y = own["horizon"].to_numpy(np.float64), own["regret_mean"].to_numpy(np.float64)
        axes.plot(x, y, linewidth=1.6, **style)
        ends.append(End(str(label), float(y[-1]), style))
    axes.set_xlim(0.0, float(curves["horizon"].max()))
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("pulls t")
    axes.set_ylabel("expected regret")
    method = "computed by dynamic programming, no simulation"
    plans = "".join(f"; {one} plans for all {curves['horizon'].max():,} pulls" for one in facts.get("planned", []))
    plain(axes)
    if not name_ends(axes, ends):
        axes.legend(axes.get_lines(), [end.name for end in ends])
    return Caption(method + plans, f"Exact regret: {facts['arms'].get('title', '')}")


FIGURES = (Figure("exact", "curves.csv", draw_curves, size=(7.6, 4.6)),)
