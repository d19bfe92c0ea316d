"""The figure of exact expectations: mean regret against pulls, and its standard deviation at the last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from numerics.output import tables
from numerics.output.captions import caption
from numerics.output.line_ends import End, name_ends
from numerics.output.style import files, line_style, page, plain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def draw(folder: Path, facts: Mapping[str, Any]) -> list[Path]:
    """Draw the curves of a run folder."""
    stem = folder / "figures" / "exact"
    with page(stem, (7.6, 4.6)) as figure:
        title, planned = str(facts["arms"].get("title", "")), facts.get("planned", [])
        draw_curves(figure.subplots(), tables.read(folder / "curves.csv"), title, planned)
    return files(stem)


def draw_curves(axes: Axes, curves: pd.DataFrame, title: str, planned: Sequence[str] = ()) -> None:
    """Draw one line a policy: expected regret against pulls.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    curves : pandas.DataFrame
        The columns policy, horizon, regret_mean, as in curves.csv.
    title : str
        What was played.
    planned : sequence of str
        Policies that are optimal at the last pull only, for which they plan.
    """
    ends = []
    for index, (label, curve) in enumerate(curves.groupby("policy", sort=False)):
        style = {**line_style(index), "marker": ""}
        x, y = curve["horizon"].to_numpy(np.float64), curve["regret_mean"].to_numpy(np.float64)
        axes.plot(x, y, linewidth=1.6, **style)
        ends.append(End(str(label), float(y[-1]), style))
    axes.set_xlim(0.0, float(curves["horizon"].max()))
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("pulls t")
    axes.set_ylabel("expected regret")
    method = "computed by dynamic programming, no simulation"
    plans = "".join(f"; {label} plans for all {curves['horizon'].max():,} pulls" for label in planned)
    caption(axes, method + plans, title=f"Exact regret: {title}")
    plain(axes)
    if not name_ends(axes, ends):
        axes.legend(axes.get_lines(), [end.name for end in ends])
