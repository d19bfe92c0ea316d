"""One replication, step by step: what was pulled, what it paid, and every arm's estimate and index before the pull."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits import Arms, tables
from bandits.simulate import Steps, check_pair, trace
from experiments import build, report
from experiments.regret import describe_arms, source_digest
from experiments.store import RunFolder

if TYPE_CHECKING:
    import pandas as pd


def run_trace(config: Mapping[str, Any], folder: Path) -> None:
    """Print, store and draw replication number `run`: the same one that `experiment=regret` plays under this seed."""
    entry = build.entry(config["bandit"])
    horizon, seed, run, rows = build.sizes(config, ("horizon", "seed", "run", "rows"))
    arms, said = build.arms(config["arms"])
    check_pair(entry.policy, arms, horizon)
    with RunFolder.open(folder, config, source_digest([entry], arms)) as store:
        report.say_problem(arms, said)
        played, steps = trace(entry.policy, arms, horizon, seed, run)
        table = steps_table(steps, played.pseudo_regret[0], played.realised_regret[0])
        means = played.means[0]
        tables.write(table, folder / "steps.parquet")
        tables.write(table, folder / "steps.csv")
        _draw(folder, table, means, arms, f"{entry.label}: {entry.policy.formula}; replication {run}, seed {seed}")
        store.finish({"seed": seed, "arms": describe_arms(arms), "means": means.tolist(), "note": said})
    report.say(
        f"{entry.label}: {entry.policy.formula}; means of replication {run}: {', '.join(f'{m:.4g}' for m in means)}"
    )
    report.console().print(_printed(table, means, rows))
    report.say(f"steps: {folder / 'steps.csv'}")
    report.say(f"figures: {folder / 'figures'}")


def steps_table(steps: Steps, pseudo_regret: Any, realised_regret: Any) -> pd.DataFrame:
    """Return one row a step: t, arm, reward, best_reward, both regrets, mean_a and index_a of every arm a."""
    import pandas as pd

    arms = steps.means.shape[1]
    return pd.DataFrame(
        {
            "t": np.arange(1, steps.arm.size + 1),
            "arm": steps.arm,
            "reward": steps.reward,
            "best_reward": steps.best_reward,
            "pseudo_regret": pseudo_regret,
            "realised_regret": realised_regret,
            **{f"mean_{a}": steps.means[:, a] for a in range(arms)},
            **{f"index_{a}": steps.scores[:, a] for a in range(arms)},
        }
    )


def _printed(table: pd.DataFrame, means: Any, rows: int) -> Any:
    """Return at most `rows` steps, the first and the last ones, with the pulled arm marked."""
    from rich.table import Table

    arms = len(means)
    shown = Table(title="mean and index before the pull; · not pulled yet, - no index at this step, low: cannot win")
    for name in ("t", "arm", "reward", "regret"):
        shown.add_column(name, justify="right")
    for arm in range(arms):
        shown.add_column(f"arm {arm}", justify="right", no_wrap=True)
    skip = range((rows + 1) // 2, len(table) - rows // 2)
    pulled = np.zeros(arms, dtype=bool)
    for number, row in enumerate(table.to_dict("records")):
        if number == skip.start and len(skip) > 0:
            shown.add_row(*["..."] * (4 + arms))
        if number not in skip:
            cells = [_cell(row, arm, bool(pulled[arm])) for arm in range(arms)]
            cells[row["arm"]] = f"[bold]{cells[row['arm']]}[/bold]"
            shown.add_row(str(row["t"]), str(row["arm"]), f"{row['reward']:g}", f"{row['pseudo_regret']:.2f}", *cells)
        pulled[row["arm"]] = True
    return shown


def _cell(row: Mapping[Any, Any], arm: int, pulled: bool) -> str:
    mean, index = row[f"mean_{arm}"], row[f"index_{arm}"]
    if np.isnan(index):
        shown = "-"
    elif np.isneginf(index):
        shown = "low"
    else:
        shown = f"{index:.2f}"
    return f"{f'{mean:.2f}' if pulled else '·'} {shown}"


def _draw(folder: Path, table: pd.DataFrame, means: Any, arms: Arms, title: str) -> None:
    from matplotlib.figure import Figure

    from bandits.drawing import save
    from experiments.figures import draw_trace

    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    draw_trace(figure, table, means, arms.names)
    figure.suptitle(title)
    (folder / "figures").mkdir(exist_ok=True)
    save(figure, folder / "figures" / "trace")
