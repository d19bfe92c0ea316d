"""One replication, step by step: what was pulled, what it paid, and every arm's estimate and index before the pull."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits import Arms, tables
from bandits.simulate import Steps, check_pair, trace
from experiments import build, report
from experiments.regret.printed import say_problem
from experiments.regret.run import describe_arms, source_digest, write_log
from experiments.store import RunFolder

if TYPE_CHECKING:
    import pandas as pd

_HEAD, _CELL = 32, 12  # characters of the first four columns, and of one arm's column, with their borders


def run_trace(config: Mapping[str, Any], folder: Path) -> None:
    """Print, store and draw replication number `run`: the same one that `experiment=regret` plays under this seed."""
    entry = build.entry(config["bandit"])
    horizon, seed, run, rows = build.sizes(config, ("horizon", "seed", "run", "rows"))
    arms, said = build.arms(config["arms"])
    check_pair(entry.policy, arms, horizon)
    with RunFolder.open(folder, config, source_digest([entry], arms)) as store:
        say_problem(arms, said)
        played, steps = trace(entry.policy, arms, horizon, seed, run)
        table = steps_table(steps, played.pseudo_regret[0], played.realised_regret[0])
        means = played.means[0]
        tables.write(table, folder / "steps.parquet")
        tables.write(table, folder / "steps.csv")
        write_log(arms, folder)
        _draw(folder, table, means, arms, f"{entry.label}: {entry.policy.formula}; replication {run}, seed {seed}")
        store.finish({"seed": seed, "arms": describe_arms(arms), "means": means.tolist(), "note": said})
    report.say(
        f"{entry.label}: {entry.policy.formula}; means of replication {run}: {', '.join(f'{m:.4g}' for m in means)}"
    )
    report.console().print(_printed(table, means, rows))
    report.say(f"steps: {folder / 'steps.csv'}")
    report.say(f"figures: {folder / 'figures'}")


def steps_table(steps: Steps, pseudo_regret: Any, realised_regret: Any) -> pd.DataFrame:
    """Return one row a step: t, arm, reward, best_reward, regrets; pulls_a, mean_a, index_a of arm a before it."""
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
            **{f"pulls_{a}": np.cumsum(steps.arm == a) - (steps.arm == a) for a in range(arms)},
            **{f"mean_{a}": steps.means[:, a] for a in range(arms)},
            **{f"index_{a}": steps.scores[:, a] for a in range(arms)},
        }
    )


def _printed(table: pd.DataFrame, means: Any, rows: int) -> Any:
    """Return at most `rows` steps, the first and the last ones; where not all arms fit, those pulled most."""
    from rich.table import Table

    room = (report.console().width - _HEAD) // _CELL
    pulls = np.bincount(table["arm"], minlength=len(means))
    shown = sorted(np.argsort(-pulls, kind="stable")[: max(room, 1)].tolist())
    more = f"; {len(means) - len(shown)} arms of fewer pulls are in steps.csv" if len(shown) < len(means) else ""
    printed = Table(title=f"mean and index before the pull; · not pulled yet, - no index, low: cannot win{more}")
    for name in ("t", "arm", "reward", "regret"):
        printed.add_column(name, justify="right", no_wrap=True)
    for arm in shown:
        printed.add_column(f"arm {arm}", justify="right", no_wrap=True)
    first, last = (rows + 1) // 2, rows // 2
    cut = len(table) > rows
    for part in (table[:first], table[len(table) - last :]) if cut else (table,):
        for row in part.to_dict("records"):
            cells = [f"[bold]{_cell(row, arm)}[/bold]" if arm == row["arm"] else _cell(row, arm) for arm in shown]
            printed.add_row(str(row["t"]), str(row["arm"]), f"{row['reward']:g}", f"{row['pseudo_regret']:.2f}", *cells)
        if cut and part.index[0] == 0:
            printed.add_row(*["..."] * (4 + len(shown)))
    return printed


def _cell(row: Mapping[Any, Any], arm: int) -> str:
    mean, index = row[f"mean_{arm}"], row[f"index_{arm}"]
    if np.isnan(index):
        shown = "-"
    elif np.isneginf(index):
        shown = "low"
    else:
        shown = f"{index:.2f}"
    return f"{f'{mean:.2f}' if row[f'pulls_{arm}'] else '·'} {shown}"


def _draw(folder: Path, table: pd.DataFrame, means: Any, arms: Arms, title: str) -> None:
    from bandits.drawing import page
    from experiments.regret.figures import draw_trace

    with page(folder / "figures" / "trace", (10.0, 9.0)) as figure:
        draw_trace(figure, table, means, arms.names)
        figure.suptitle(title)
