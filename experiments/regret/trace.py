"""One replication, step by step: what was pulled, what it paid, and every arm's estimate and index before the pull."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits import left_out, tables
from bandits.simulate import Steps, check_pair, check_traced, trace
from experiments import build, report
from experiments.regret.printed import say_problem
from experiments.regret.run import describe_arms, source_digest, write_log
from experiments.store import RunFolder, read_manifest

if TYPE_CHECKING:
    import pandas as pd

_NAME = 16  # characters of an arm's name above its column
_BORDER = 3  # characters of a column besides its text


def run_trace(config: Mapping[str, Any], folder: Path) -> None:
    """Print, store and draw replication number `run`: the same one that `experiment=regret` plays under this seed."""
    entry = build.entry(config["bandit"])
    horizon, seed, run, rows = build.sizes(config, ("horizon", "seed", "run", "rows"))
    arms, said = build.arms(config["arms"])
    entry.probe((arms.count,), horizon)
    check_pair(entry.policy, arms, horizon)
    check_traced(arms, horizon)
    with RunFolder.open(folder, config, source_digest([entry], arms)) as store:
        say_problem(arms, said)
        played, steps = trace(entry.policy, arms, horizon, seed, run)
        left_out.complete(entry.policy, steps, seed, run)
        table = steps_table(steps, played.pseudo_regret[0], played.realised_regret[0])
        means = played.means[0]
        tables.write(table, folder / "steps.parquet")
        tables.write(table, folder / "steps.csv")
        write_log(arms, folder)
        title = f"{entry.label}: {entry.policy.formula}; replication {run}, seed {seed}"
        facts = {"seed": seed, "arms": describe_arms(arms), "means": means.tolist(), "note": said, "title": title}
        _draw(folder, table, facts)
        store.finish(facts)
    report.say(
        f"{entry.label}: {entry.policy.formula}; means of replication {run}: {', '.join(f'{m:.4g}' for m in means)}"
    )
    for part in _printed(table, arms.names, rows, report.console().width):
        report.console().print(part)
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


def _printed(table: pd.DataFrame, names: Sequence[str], rows: int, width: int) -> Iterator[Any]:
    """Give the table of at most `rows` steps, the first and the last ones, cut into as many as the width needs."""
    from rich.table import Table

    steps: list[Any] = table.to_dict("records")
    if len(steps) > rows:
        steps[(rows + 1) // 2 : len(steps) - rows // 2] = [None]  # where steps are left out
    heads = [
        _Column("t", steps, lambda step: str(step["t"])),
        _Column("arm", steps, lambda step: str(step["arm"])),
        _Column("reward", steps, lambda step: f"{step['reward']:g}"),
        _Column("regret", steps, lambda step: f"{step['pseudo_regret']:.2f}"),
    ]
    own = [_Column(_head(arm, name), steps, functools.partial(_cell, arm=arm), arm) for arm, name in enumerate(names)]
    title = "mean and index before the pull, bold where pulled; · not pulled yet, - no index"
    title += ", low: -inf" if any(cell.endswith(" low") for one in own for cell in one.cells) else ""
    for part in _fitting(own, width - 1 - sum(column.width for column in heads)):
        printed = Table(title=title, title_justify="left")
        title = ""
        for column in (*heads, *part):
            printed.add_column(report.text(column.name), justify="right", no_wrap=True)
        for place, step in enumerate(steps):
            pulled = step and step["arm"]
            cells = [f"[bold]{one.cells[place]}[/bold]" if one.arm == pulled else one.cells[place] for one in part]
            printed.add_row(*(column.cells[place] for column in heads), *cells)
        yield printed


class _Column:
    """A column of the printed table: a name, a cell a step, and the arm that it is about."""

    def __init__(self, name: str, steps: Sequence[Any], told: Callable[[Any], str], arm: int | None = None):
        self.name, self.arm = name, arm
        self.cells = ["..." if step is None else told(step) for step in steps]
        self.width = _BORDER + max(map(len, [name, *self.cells]))


def _fitting(columns: Sequence[_Column], width: int) -> Iterator[list[_Column]]:
    """Cut columns into groups that fit a width, at least one in each."""
    part: list[_Column] = []
    for column in columns:
        if part and sum(one.width for one in (*part, column)) > width:
            yield part
            part = []
        part.append(column)
    yield part


def _head(arm: int, name: str) -> str:
    """Return the number that the column "arm" holds, with the arm's name where it has another one."""
    short = name if len(name) <= _NAME else f"{name[: _NAME - 3]}..."
    return f"arm {arm}" if name == str(arm) else f"arm {arm} {short}"


def _cell(row: Mapping[Any, Any], arm: int) -> str:
    mean, index = row[f"mean_{arm}"], row[f"index_{arm}"]
    if np.isnan(index):
        shown = "-"
    elif np.isneginf(index):
        shown = "low"
    else:
        shown = f"{index:.2f}"
    return f"{f'{mean:.2f}' if row[f'pulls_{arm}'] else '·'} {shown}"


def draw_again(folder: Path) -> list[Path]:
    """Draw the figure of a finished trace from its table, with the same bytes."""
    facts = read_manifest(folder) or {}
    if "title" not in facts:
        raise ValueError(
            f"{folder / 'manifest.json'} does not say what the figure shows; run the trace in a new folder"
        )
    return _draw(folder, tables.read(folder / "steps.parquet"), facts)


def _draw(folder: Path, table: pd.DataFrame, facts: Mapping[str, Any]) -> list[Path]:
    from bandits.drawing import files, page
    from experiments.regret.figures import draw_trace

    place = folder / "figures" / "trace"
    with page(place, (10.0, 9.0)) as figure:
        draw_trace(figure, table, facts["means"], facts["arms"]["names"], estimated=facts["arms"]["estimated"])
        figure.suptitle(facts["title"])
    return files(place)
