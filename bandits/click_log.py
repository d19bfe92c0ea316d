"""Real input: a click log becomes Bernoulli arms whose means are estimated from it, with their uncertainty.

The log must have been collected by choosing items at random; a log of a chosen few says nothing about the others.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bandits.arms import Bernoulli

if TYPE_CHECKING:
    import pandas as pd

CONFIDENCE = 0.95


@dataclass(frozen=True)
class ClickLog:
    r"""A log with one row an impression: which arm was shown, and whether it paid.

    Attributes
    ----------
    path : str
        Where it was read from.
    estimates : DataFrame
        One row an arm: arm (its name in the log), impressions, successes, mean, and the ends `low`, `high` of the
        95 % Clopper-Pearson interval of the mean.

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

    @classmethod
    def read(cls, path: str | Path, arm_column: str = "item", reward_column: str = "click") -> ClickLog:
        """Read a CSV file with a header line.

        Parameters
        ----------
        path : str or Path
            The file; its rows are impressions in any order.
        arm_column, reward_column : str
            The columns that hold the arm's name and the reward, 0 or 1.

        Raises
        ------
        ValueError
            A file that is missing or cannot be read, a missing column, an empty cell, a reward that is not 0 or 1 (with
            its line number), or fewer than two arms.
        """
        rows = _read(Path(path), arm_column, reward_column)
        grouped = rows.groupby("arm", sort=True)["reward"].agg(impressions="size", successes="sum").reset_index()
        if len(grouped) < 2:
            raise ValueError(
                f"path {str(path)!r}: column {arm_column!r} must name at least 2 arms; it names {len(grouped)}"
            )
        numeric = grouped["arm"].str.fullmatch(r"\d{1,18}")
        if numeric.all():  # item 2 before item 10
            grouped = grouped.iloc[grouped["arm"].astype("int64").argsort(kind="stable")].reset_index(drop=True)
        grouped["mean"] = grouped["successes"] / grouped["impressions"]
        grouped["low"], grouped["high"] = _intervals(grouped["successes"], grouped["impressions"])
        return cls(str(path), grouped)

    def arms(self) -> Bernoulli:
        """Return Bernoulli arms with the estimated means, named as in the log."""
        return Bernoulli(self.estimates["mean"].tolist(), labels=self.estimates["arm"].tolist())

    def summary(self) -> str:
        """Say how much the log holds, how rare successes are, and how far apart its arms can be told."""
        table = self.estimates
        successes, impressions = int(table["successes"].sum()), int(table["impressions"].sum())
        best = table.iloc[int(table["mean"].to_numpy().argmax())]
        rivals = int((table["high"] >= best["low"]).sum()) - 1
        silent = int((table["successes"] == 0).sum())
        rarity = f"1 in {impressions / successes:,.0f}" if successes else "none"
        return (
            f"{self.path}: {impressions:,} impressions of {len(table)} arms, {successes:,} successes ({rarity}); "
            f"{silent} arms have none. Best estimate: arm {best['arm']}, mean {best['mean']:.4f}, 95 % interval "
            f"{best['low']:.4f} to {best['high']:.4f}, from {int(best['successes'])} in {int(best['impressions'])}; "
            f"the intervals of {rivals} of the {len(table) - 1} other arms overlap it."
        )


def _read(path: Path, arm_column: str, reward_column: str) -> pd.DataFrame:
    import pandas as pd

    if not path.is_file():
        raise ValueError(f"path {str(path)!r}: no such file; give a CSV file with a header line")
    if arm_column == reward_column:
        raise ValueError(f"arm_column and reward_column must differ; both are {arm_column!r}")
    try:
        header = pd.read_csv(path, nrows=0, encoding="utf-8-sig").columns
        for argument, column in (("arm_column", arm_column), ("reward_column", reward_column)):
            if column not in header:
                names = [repr(name if len(name) <= 40 else f"{name[:40]}...") for name in header[:20]]
                more = ", ..." if len(header) > 20 else ""
                raise ValueError(f"{argument} {column!r} is no column of {path}; it has {', '.join(names)}{more}")
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # a row longer than the header
            rows = pd.read_csv(
                path, dtype=str, keep_default_na=False, encoding="utf-8-sig", skip_blank_lines=False, index_col=False
            )
    except (
        pd.errors.ParserError,
        pd.errors.ParserWarning,
        pd.errors.EmptyDataError,
        UnicodeDecodeError,
        OSError,
    ) as error:
        raise ValueError(f"path {str(path)!r}: not a readable CSV file ({str(error).strip()})") from error
    while len(rows) > 0 and not rows.iloc[-1].str.strip().any():
        rows = rows.iloc[:-1]  # blank lines at the end
    if rows.empty:
        raise ValueError(f"path {str(path)!r}: a header but no rows")
    rewards = pd.to_numeric(rows[reward_column].str.strip(), errors="coerce")
    for column, wrong, allowed in (
        (reward_column, ~rewards.isin([0, 1]), "0 or 1"),
        (arm_column, rows[arm_column].str.strip() == "", "the name of an arm"),
    ):
        if wrong.any():
            line = int(wrong.to_numpy().argmax())
            value = rows[column].iloc[line]
            raise ValueError(
                f"path {str(path)!r}, line {line + 2}: column {column!r} must hold {allowed}; got {value!r}"
            )
    return pd.DataFrame({"arm": rows[arm_column].str.strip(), "reward": rewards.astype("int64")})


def _intervals(successes: pd.Series[int], impressions: pd.Series[int]) -> tuple[list[float], list[float]]:
    from scipy.stats import binomtest

    found = [
        binomtest(int(k), int(n)).proportion_ci(confidence_level=CONFIDENCE, method="exact")
        for k, n in zip(successes, impressions, strict=True)
    ]
    return [float(interval.low) for interval in found], [float(interval.high) for interval in found]
