"""A trace as a recording that a report plays step by step, from its table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.page.recordings.bandit import check_horizon, packed_steps
from experiments.page.recordings.frame import frame_of
from experiments.page.recordings.packed import counted
from numerics.output import tables


def embedded(folder: Path, facts: Mapping[str, Any]) -> str:
    """Return HTML that plays the steps of a trace.

    Raises
    ------
    ValueError
        A trace that is too long for it, or one of an earlier version, which does not tell its rule.
    """
    if "rule" not in facts:
        raise ValueError("this trace was made by an earlier version, which did not keep what plays it step by step")
    names, means = facts["arms"]["names"], facts["means"]
    steps = tables.read(folder / "steps.parquet")
    check_horizon(len(steps), len(names), 1)
    before, scores = (steps[[f"{kind}_{arm}" for arm in range(len(names))]].to_numpy() for kind in ("mean", "index"))
    on, which = facts["arms"].get("title", ""), f"replication {facts['run']}, seed {facts['seed']}"
    title = f"{facts['rule']['label']} pulls {on}: {counted(len(steps), 'pull')}, {which}"
    return frame_of(
        {
            "kind": "bandit",
            "version": 1,
            "title": title,
            "command": "",
            "arms": {"names": names, "means": means, "law": facts["law"]},
            "horizon": len(steps),
            "seed": facts["seed"],
            "run": facts["run"],
            "plays": [
                facts["rule"]
                | packed_steps(
                    steps["arm"],
                    steps["reward"],
                    before,
                    scores,
                    steps["pseudo_regret"],
                    steps["realised_regret"],
                )
            ],
        }
    )
