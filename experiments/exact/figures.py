"""The figure of exact expectations: mean regret against pulls, and its standard deviation at the last one."""

from __future__ import annotations

from collections.abc import Mapping
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
    place = folder / "figures" / "exact"
    with page(place, (7.6, 4.6)) as figure:
        draw_curves(figure.subplots(), tables.read(folder / "curves.csv"), str(facts["arms"].get("title", "")))
    return files(place)


def draw_curves(axes: Axes, curves: pd.DataFrame, title: str) -> None:
    """Draw one line a policy: expected regret against pulls.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    curves : pandas.DataFrame
        The columns policy, horizon, regret_mean, as in curves.csv.
    title : str
        What was played.
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
    caption(axes, "computed by dynamic programming, no simulation", title=f"Exact regret: {title}")
    plain(axes)
    if not name_ends(axes, ends):
        axes.legend(axes.get_lines(), [end.name for end in ends])
