"""The figure of a trace, from its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bandits.figures.trace import draw_trace
from numerics.output.captions import Caption, called
from numerics.output.figures import Facts, Figure

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd


def draw(steps: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts) -> Caption:
    """Draw rewards, choices and indices, step by step."""
    if "title" not in facts:
        raise ValueError("manifest.json does not say what the figure shows; run the trace in a new folder")
    arms = facts["arms"]
    draw_trace(figure, steps, facts["means"], arms["names"], estimated=arms["estimated"])
    who, on = facts["title"].partition(":")[0], arms.get("title", "")
    return Caption(facts["title"], f"One replication of {who}" + (f" on {called(on, 80)}" if on else ""))


FIGURES = (Figure("trace", "steps.parquet", draw, size=(7.6, 7.4), panels=True),)
