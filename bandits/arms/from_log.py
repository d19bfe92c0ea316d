"""Click logs as Bernoulli arms: means estimated from real data, with their uncertainty.

The log must come from showing items at random: a log of selected items says nothing about the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bandits.arms.base import FixedArms
from bandits.arms.bernoulli import bernoulli
from bandits.logs.cells import CLICKS, COUNTS, WordCells
from bandits.logs.log import sorted_names
from bandits.logs.rows import Wanted, read_columns, shorten
from bandits.logs.size import impressions_of_each
from numerics.checks import accept_any, escape_controls
from numerics.parameters import parameter
from numerics.statistics.intervals import clopper_pearson

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05  # the chance that an interval misses; for joint intervals, that any of them does
_NEARLY = 0.1  # of the best mean; an arm that lacks so little is nearly as good
_NAMED = 3  # most equally good arms that a sentence names


@dataclass(frozen=True)
class ClickLog:
    r"""A log with a row for each impression: the shown arm and its reward, 0 or 1.

    Attributes
    ----------
    path : str
        The file.
    estimates : DataFrame
        A row for each arm: arm (its name in the log, with control characters escaped), impressions, successes, mean,
        low, high, low_of_all, high_of_all. The last four are the ends of two Clopper-Pearson intervals of the mean.
        `low` and `high` are the interval of this arm at 95 %. `low_of_all` and `high_of_all` hold for all K arms
        jointly, each at 1 - 0.05 / K (Bonferroni's inequality). So they also hold for the arm with the best estimate.
    arm_column, reward_column : str
        The columns of arm and reward.
    shown_column : str or None
        The column of impressions in a table of counts; None in a log with a row for each.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = file.write_text("item,click\nred,1\nred,0\nblue,0\n")
    >>> ClickLog.read(file, arm_column="item", reward_column="click").arms().fixed_means
    (0.0, 0.5)
    """

    path: str
    estimates: pd.DataFrame
    arm_column: str = "item"
    reward_column: str = "click"
    shown_column: str | None = None

    @classmethod
    def read(
        cls,
        path: str | Path,
        arm_column: str = "item",
        reward_column: str = "click",
        shown_column: str | None = None,
    ) -> ClickLog:
        """Read a CSV file with a header line, JSON lines or Parquet; the first two may be gzipped.

        Parameters
        ----------
        path : str or Path
            The file; its rows are impressions in any order, or counts of them.
        arm_column, reward_column : str
            The columns with the arm's name and the reward. Rewards are 0 or 1, or true/false or yes/no in all rows, in
            any case. In a file with semicolons they may be 1,0 and 0,0. With `shown_column`, how many impressions of
            the row paid.
        shown_column : str, optional
            The column with how many impressions a row counts; rows of one arm are added up.

        Raises
        ------
        ValueError
            If the file or a column is missing, the file is unreadable, or a cell is empty. If a reward is not one of
            the allowed values (the message gives its line number), or a row has more rewards than impressions. If an
            arm has no impressions, or there are fewer than two arms.
        """
        import pandas as pd

        reward = Wanted("reward_column", reward_column, CLICKS if shown_column is None else COUNTS)
        wanted = [Wanted("arm_column", arm_column, WordCells), reward]
        if shown_column is not None:
            wanted.append(Wanted("shown_column", shown_column, COUNTS))
        table = read_columns(path, wanted)
        names, arms = sorted_names(table.names, table.columns["arm_column"])
        count = len(names)
        if count < 2:
            raise ValueError(f"path {str(path)!r}: column {arm_column!r} must name at least 2 arms; it names {count}")
        paid, shown = table.columns["reward_column"], table.columns.get("shown_column", np.ones(arms.size))
        table.check(reward, paid > shown, f"at most the impressions in {shown_column!r}")
        impressions, successes = (np.bincount(arms, each, count).astype(np.int64) for each in (shown, paid))
        if not impressions.all():
            never = shorten(names[int(impressions.argmin())])
            raise ValueError(f"path {str(path)!r}: every arm must be shown at least once; arm {never} was not")
        grouped = pd.DataFrame({"arm": names, "impressions": impressions, "successes": successes})
        grouped["mean"] = grouped["successes"] / grouped["impressions"]
        won, shown = (grouped[name].to_numpy(np.float64) for name in ("successes", "impressions"))
        grouped["low"], grouped["high"] = clopper_pearson(won, shown, LEVEL)
        grouped["low_of_all"], grouped["high_of_all"] = clopper_pearson(won, shown, LEVEL / len(grouped))
        return cls(str(path), grouped, arm_column, reward_column, shown_column)

    def arms(self) -> LoggedBernoulli:
        """Return Bernoulli arms with the estimated means, named as in the log."""
        return LoggedBernoulli.of(self)

    def table(self) -> pd.DataFrame:
        """Return a row for each arm: arm (its number), name, impressions, successes, mean, ends of intervals."""
        named = self.estimates.rename(columns={"arm": "name"})
        named.insert(0, "arm", range(len(named)))
        return named

    def summary(self) -> str:
        """Return a summary in sentences: the size of the log, the success rate, and the best arms with intervals."""
        table = self.estimates
        successes, impressions = int(table["successes"].sum()), int(table["impressions"].sum())
        held = (
            f"{escape_controls(self.path)}: {impressions:,} impressions of {len(table)} arms, "
            f"{successes:,} {'success' if successes == 1 else 'successes'}"
        )
        if successes == 0:
            return f"{held}. All estimated means are 0, so all arms are equal and no policy has regret."
        silent = int((table["successes"] == 0).sum())
        none = (
            "every arm has at least one success"
            if silent == 0
            else f"{silent} {'arm has' if silent == 1 else 'arms have'} no success"
        )
        often = impressions < 3 * successes
        rate = f"{100 * successes / impressions:.0f} %" if often else f"1 in {impressions / successes:,.0f}"
        counts = f"{held} ({rate}); {none}."
        leads = table["mean"] == table["mean"].max()
        best, others = table[leads], table[~leads]
        return (
            f"{counts} Best estimate: {_best_arms(best)}{_rivals(others, best)}. The intervals hold for all "
            f"{len(table)} arms together ({100 - 100 * LEVEL:.0f} %). The best of several estimates is biased upwards."
        )

    def needed(self) -> str:
        """Return a sentence: the impressions after which the best estimate is the best arm in 95 % of logs.

        The number is that of `bandits.logs.size.impressions_of_each` times the arms; empty where all means
        are equal.
        """
        means = self.estimates["mean"].to_numpy(np.float64)
        sure, nearly = (impressions_of_each(means, LEVEL, within) for within in (0.0, _NEARLY))
        if sure is None:
            return ""
        after = f"about {_round_up(sure * len(means))} impressions at random"
        if nearly is not None and nearly < sure:
            after += f" (an arm within {100 * _NEARLY:.0f} % of it: after about {_round_up(nearly * len(means))})"
        return (
            f"if these means were true, the best arm would have the best estimate with "
            f"{100 - 100 * LEVEL:.0f} % probability after {after}"
        )


class LoggedBernoulli(FixedArms, name="from_log"):
    """Bernoulli arms whose means are the estimates of a click log, kept as `log`."""

    kind = "Bernoulli"
    reward_law = bernoulli
    path: str = parameter(
        check=accept_any, help="CSV file with a header line, JSON lines or Parquet: one row for each impression"
    )
    arm_column: str = parameter("item", check=accept_any, help="the column with the arm's name")
    reward_column: str = parameter("click", check=accept_any, help="the column with the reward: 0 or 1, or yes or no")
    shown_column: str | None = parameter(
        None, help="for a table of counts: the column of impressions; reward_column then has the successes"
    )
    means: tuple[float, ...] = field(init=False)
    labels: tuple[str, ...] = field(init=False)
    log: ClickLog = field(init=False, repr=False, compare=False)
    estimated: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._keep(ClickLog.read(self.path, self.arm_column, self.reward_column, self.shown_column))

    @classmethod
    def of(cls, log: ClickLog) -> Self:
        """Return the arms of a log that has been read."""
        made = object.__new__(cls)
        made._keep(log)
        return made

    def _keep(self, log: ClickLog) -> None:
        values: dict[str, Any] = {"log": log}
        values |= {name: getattr(log, name) for name in ("path", "arm_column", "reward_column", "shown_column")}
        values |= {"means": tuple(log.estimates["mean"].tolist()), "labels": tuple(log.estimates["arm"].tolist())}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def names(self) -> tuple[str, ...]:
        return self.labels

    @property
    def title(self) -> str:
        return f"{self.count} arms of {Path(self.path).name}"


def _best_arms(best: pd.DataFrame) -> str:
    rows = [
        (
            f"arm {shorten(row['arm'])}",
            f"interval {row['low_of_all']:.4f} to {row['high_of_all']:.4f}",
            f"{row['successes']} in {row['impressions']}",
        )
        for row in best.to_dict("records")
    ]
    mean = f"mean {best['mean'].iloc[0]:.4f}"
    if len(rows) == 1:
        ((arm, interval, counted),) = rows
        return f"{arm}, {mean}, {interval}, from {counted}"
    names = [arm.removeprefix("arm ") for arm, _, _ in rows]
    names[_NAMED:] = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    each = "; ".join(f"{arm}: {interval}, from {counted}" for arm, interval, counted in rows[:_NAMED])
    return f"arms {', '.join(names[:-1])} and {names[-1]} tie, {mean} ({each}{'; ...' if len(rows) > _NAMED else ''})"


def _rivals(others: pd.DataFrame, best: pd.DataFrame) -> str:
    rivals, count = int((others["high_of_all"] >= best["low_of_all"].min()).sum()), len(others)
    if count == 0:
        return ""
    whose = f"{rivals} of the {count} other arms" if rivals else "no other arm"
    whose, singular = "the other arm" if count == 1 else whose, count == 1 or rivals < 2
    verb = ("does not overlap" if rivals == 0 and count == 1 else "overlaps") if singular else "overlap"
    theirs = "it" if len(best) == 1 else "theirs"
    return f"; the {'interval' if singular else 'intervals'} of {whose} {verb} {theirs}"


def _round_up(count: int) -> str:
    """Return a count of two digits that are no zeros, rounded up, because it is an approximation."""
    unit = 10 ** max(0, len(str(count)) - 2)
    return f"{-(-count // unit) * unit:,}"
