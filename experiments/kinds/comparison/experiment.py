"""Several policies on the same random numbers, with a paired test of every difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits import summaries
from bandits.bounds import can_lock
from bandits.differences import differences_of, final_regret
from bandits.figures.save import title_of
from experiments.engine.experiment import list_of
from experiments.engine.families import POLICY, LabelledPolicy
from experiments.engine.tasks import Task
from experiments.kinds.comparison import anytime
from experiments.kinds.comparison.anytime import ANYTIME
from experiments.replications import regret_figures
from experiments.replications.arms import LOG_SHEET
from experiments.replications.simulation import Simulation
from numerics.output import style, tables
from numerics.output.captions import Caption, called_all
from numerics.output.figures import Figure
from numerics.output.plots import heat_map
from numerics.output.sheets import Facts, Sheet, interval_ends, number, p_value, word
from numerics.output.style import DIGIT, SMALL, replications, width
from numerics.parameters import parameter

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_FEWEST = 3  # policies whose differences make a map; of two there is one difference, which is printed
_SURE = 0.05


def size_of(differences: pd.DataFrame, facts: Facts) -> tuple[float, float]:
    """Return the width and height in inches for `draw_differences`."""
    policies = _policies(differences)
    return min(11.0, max(7.6, 1.8 + 0.45 * policies)), min(11.0, 1.9 + 0.42 * policies)


def _policies(differences: pd.DataFrame) -> int:
    return len({*differences["policy_a"], *differences["policy_b"]})


def draw_differences(table: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw as a map how much more regret each policy (row) has than each better one (column), the best first.

    Each cell says the mean paired difference and how far the ends of its interval are; one that cannot be told from 0
    is white.
    """
    import pandas as pd
    from matplotlib.colors import PowerNorm

    signed = _signed_differences(table)
    policies = list(dict.fromkeys(one for pair in signed for one in pair))
    total = {policy: sum(signed[policy, other][0] for other in policies if other != policy) for policy in policies}
    # The differences are those of means, whose order is that of these sums.
    order = sorted(policies, key=lambda policy: total[policy])
    rows, columns = order[1:], order[:-1]
    means = np.full((len(rows), len(columns)), np.nan)
    texts = np.full(means.shape, "", dtype=object)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns[: i + 1]):
            mean, low, high, p = signed[row, column]
            means[i, j] = 0.0 if p >= _SURE else mean  # a single replication tests nothing
            texts[i, j] = style.plus_minus(mean, low, high, between="\n")
    certain = any(not np.isnan(high - low) for _, low, high, _ in signed.values())
    wide = width(axes) / len(columns) > 7.0 * DIGIT * SMALL
    names = called_all(order, 24)
    heat_map(
        axes,
        pd.DataFrame(means, [names[policy] for policy in rows], [names[policy] for policy in columns]),
        texts if wide else None,
        norm=PowerNorm(0.5, 0.0, max(mean for mean, *_ in signed.values()) or 1.0),
        bar="" if wide else "difference",
        size=SMALL - 0.5,
        empty="white",
    )
    regret = f"final {'dynamic ' if facts.get('changing') else 'pseudo-'}regret of"
    axes.set_xlabel(f"minus the {regret}")
    axes.set_ylabel(regret)
    sentence = (
        replications(int(table["runs"].max())).replace(", ", " on common random numbers; ") if "runs" in table else ""
    )
    sentence += "mean of the paired differences"
    sentence += (
        ", 95 % intervals; white: not significantly different from 0" if certain else "; no test with one replication"
    )
    adjusted = f"; intervals and tests are adjusted for {len(table)} pairs" if certain else ""
    title = title_of("Differences of final regret", [], facts["played"])
    return Caption(sentence[0].upper() + sentence[1:] + adjusted, title)


def _signed_differences(table: pd.DataFrame) -> dict[tuple[str, str], tuple[float, float, float, float]]:
    """Return the difference of each policy minus each other, the ends of its interval, and the adjusted p."""
    signed: dict[tuple[str, str], tuple[float, float, float, float]] = {}
    names = ["policy_a", "policy_b", "difference_mean", "ci_low", "ci_high", "p_adjusted"]
    for a, b, mean, low, high, p in table[names].itertuples(index=False):
        signed[str(a), str(b)] = float(mean), float(low), float(high), float(p)
        signed[str(b), str(a)] = -float(mean), -float(high), -float(low), float(p)
    return signed


FIGURES = (
    *regret_figures.FIGURES,
    Figure(
        "differences",
        "differences.csv",
        draw_differences,
        size=size_of,
        when=lambda differences, facts: _policies(differences) >= _FEWEST,
    ),
)


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    regret = f"final {'dynamic ' if 'moments' in facts['arms'] else 'pseudo-'}regret"
    return (
        f"{regret}, a minus b, on common random numbers; ties count half in a lower; intervals and p are "
        "Bonferroni-adjusted for all pairs"
    )


DIFFERENCES = Sheet(
    "differences.csv",
    _title,
    (
        word("a", "policy_a"),
        word("b", "policy_b"),
        number("difference", "difference_mean", "+,.2f"),
        interval_ends("95 % interval", "ci", "+,.2f"),
        number("a lower in", "share_a_lower", ".0f", 100, " % of runs", optional=1),
        p_value("p", "p_adjusted"),
    ),
)


class Comparison(Simulation, name="comparison"):
    """Several policies on the same random numbers, with a paired test of every difference."""

    bandits: Sequence[LabelledPolicy] = list_of(POLICY)
    anytime: bool = parameter(
        False, help="whether to add anytime-valid intervals, which may be inspected after every replication"
    )

    figures = FIGURES
    sheets = (summaries.SHEET, DIFFERENCES, ANYTIME, LOG_SHEET)

    @property
    def entries(self) -> Sequence[LabelledPolicy]:
        """The policies."""
        return self.bandits

    def prepare(self) -> None:
        if self.anytime:
            anytime.finite_regret(self.arms, self.horizon)
        super().prepare()

    def tasks(self, folder: Path) -> list[Task]:
        """Return all tasks; the policies take turns, so that they are compared from the first replications on."""
        return sorted(super().tasks(folder), key=lambda task: task.arguments[0].first)

    def watch(self) -> Callable[[Task], str] | None:
        if not self.anytime:
            return None
        labels = [entry.label for entry in self.entries]
        return anytime.watcher(labels, anytime.finite_regret(self.arms, self.horizon), self.runs)

    def tables(self, folder: Path) -> dict[str, Any]:
        facts = super().tables(folder)
        if len(self.entries) > 1:
            finals = final_regret(tables.read(folder / "pulls.parquet"))
            locked = [entry.label for entry in self.entries if can_lock(entry.policy)]
            differences = differences_of(finals, locked, self.horizon * self.arms.largest_gap)
            tables.write(differences, folder / "differences.csv")
            if self.anytime:
                anytime.write(finals, differences, anytime.finite_regret(self.arms, self.horizon), folder)
        return facts
