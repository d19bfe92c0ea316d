"""The figure of a trace, from its table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bandits.figures.trace import draw_trace
from numerics.output import tables
from numerics.output.captions import called, heading
from numerics.output.style import files, page


def draw(folder: Path, facts: Mapping[str, Any]) -> list[Path]:
    """Draw the figure of a trace from its table."""
    if "title" not in facts:
        raise ValueError(
            f"{folder / 'manifest.json'} does not say what the figure shows; run the trace in a new folder"
        )
    stem, arms = folder / "figures" / "trace", facts["arms"]
    with page(stem, (7.6, 7.4)) as figure:
        steps = tables.read(folder / "steps.parquet")
        draw_trace(figure, steps, facts["means"], arms["names"], estimated=arms["estimated"])
        who, on = facts["title"].partition(":")[0], arms.get("title", "")
        heading(figure, facts["title"], title=f"One replication of {who}" + (f" on {called(on, 80)}" if on else ""))
    return files(stem)
