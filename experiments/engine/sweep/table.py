"""A sweep as one table: rows of its runs behind the swept values, and what a kind of experiment declares of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from numerics.output import tables
from numerics.output.sheets import Facts, Sheet
from numerics.statistics.means import interval, skewness_of
from numerics.texts import split

if TYPE_CHECKING:
    import pandas as pd

Reader = Callable[[Path], "pd.DataFrame"]

TABLE, SEED = "sweep.csv", "seed"
_NAMES = ("bandit", "board", "label", "player1", "player2", "policy")  # keys that go without saying in a label
_NUMBERED = ("run", "game")  # columns that number what a run has of one kind
_OF_A_MEAN = ("_se", "_skewness", "_low", "_high", "_bound")  # columns that are recomputed with the mean's


@dataclass(frozen=True)
class Job:
    """One finished run of a sweep: its overrides as key and value, in the order of the command line, and its folder."""

    overrides: dict[str, str]
    folder: Path


class Setting(NamedTuple):
    """What was run with one choice of the swept values: these values, and the folders of its runs."""

    values: Mapping[str, str]
    folders: Sequence[Path]

    @property
    def label(self) -> str:
        """The swept values but the seed, as a figure names them."""
        return label_of({key: value for key, value in self.values.items() if key != SEED})

    def read(self, read: str | Reader) -> pd.DataFrame:
        """Return a table of all runs; games and replications are numbered through, and games of a pair stay one."""
        first, parts = 0, []
        for folder in self.folders:
            part = read(folder) if callable(read) else tables.read(folder / read)
            for column in _NUMBERED:
                if column in part:
                    part[column] += first
                    first = int(part[column].max()) // 2 * 2 + 2
            parts.append(part)
        return tables.join_tables(parts)

    def fill(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return a table with the swept values that it lacks, in front or behind its policy."""
        front = int(table.columns[0] == "policy")
        for at, key in enumerate(key for key in self.values if key not in table):
            table.insert(front + at, key, self.values[key])
        return table


@dataclass(frozen=True)
class Quantity:
    """A quantity that a sweep compares, and how it is drawn.

    The ends of the interval of a column NAME or NAME_mean are the columns NAME_low and NAME_high.
    """

    figure: str  # the name of its file; quantities with the same one are its panels
    column: str
    label: str  # of its axis
    whiskers: str  # says which intervals are drawn
    counted: Callable[[pd.DataFrame], str] = lambda table: ""  # begins the caption: how much was run
    scale: float = 1.0  # of the numbers, such as 100 for percent
    level: float | None = None  # half of the largest value, where a line marks no difference
    spread: tuple[str, str] | None = None  # columns between which most replications lie, drawn behind a single line
    is_lowest_best: bool = False  # marks the lowest value of each line; a column `standing` marks the best, too
    when: Callable[[pd.DataFrame], bool] = lambda table: True
    rows: bool = True  # whether settings without a number are drawn, a row each


@dataclass(frozen=True)
class Sweep:
    """What a kind of experiment declares of its sweeps; the sheets, caveats and notes are as those of an `Experiment`.

    The facts of sheets, caveats and notes have the `jobs` and the keys that were `varied`.
    """

    table: Callable[[Sequence[Setting]], pd.DataFrame]  # returns the rows of sweep.csv
    quantities: Sequence[Quantity] = ()
    title: Callable[[pd.DataFrame, Sequence[Setting]], str] = lambda table, settings: ""  # of the figures
    more: Callable[..., list[Path]] | None = None
    """`more(table, settings, folder, **options)` writes what else there is, with the figures in `folder`/figures, and
    returns the files of figures. It gets the options of the experiment."""
    pools_seeds: bool = False  # whether runs that differ only in the seed are one setting
    blocks: Callable[[pd.DataFrame, Sequence[str]], Mapping[str, pd.DataFrame]] = lambda table, keys: {"": table}
    """`blocks(table, keys)` returns the rows that are compared with each other, by a title."""
    sheets: Sequence[Sheet] = ()
    caveats: Callable[[Path, Facts], list[str]] = lambda folder, facts: []
    notes: Callable[[Path, Facts], list[str]] = lambda folder, facts: []

    def settings(self, facts: Facts) -> list[Setting]:
        """Return the settings of `facts["jobs"]`, each with all its runs; the seeds of several stand in one value."""
        together: dict[tuple[str, ...], list[Job]] = {}
        different = {tuple(job.overrides.items()): job for job in facts["jobs"]}  # the same combination twice is one
        for job in different.values():
            together.setdefault(tuple(job.overrides[key] for key in self.keys(facts)), []).append(job)
        return [
            Setting(
                {key: ",".join(dict.fromkeys(job.overrides[key] for job in jobs)) for key in facts["varied"]},
                [job.folder for job in jobs],
            )
            for jobs in together.values()
        ]

    def keys(self, facts: Facts) -> list[str]:
        """Return the swept keys by which settings differ: all but a seed whose runs are pooled."""
        return [key for key in facts["varied"] if key != SEED or not self.pools_seeds]


def join(settings: Sequence[Setting], read: str | Callable[[Setting], pd.DataFrame]) -> pd.DataFrame:
    """Return a table of all settings, each row with the swept values; `read` is its name, or returns that of one."""
    make = read if callable(read) else lambda setting: setting.read(read)
    return tables.join_tables([setting.fill(make(setting)) for setting in settings])


def count_seeds(settings: Sequence[Setting]) -> int:
    """Return how many runs of one setting there are at most."""
    return max(len(setting.folders) for setting in settings)


def label_of(values: Mapping[str, object]) -> str:
    """Return swept values as a figure names them.

    Examples
    --------
    >>> label_of({"bandit": "ucb", "bandit.c": 0.5})
    'ucb c=0.5'
    """
    words = [(key.rpartition(".")[2], value_text(value)) for key, value in values.items()]
    return " ".join(dict.fromkeys(value if name in _NAMES else f"{name}={value}" for name, value in words))


def value_text(value: object) -> str:
    """Write a swept value as the command line does."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {value_text(member)}" for name, member in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def numbers_of(table: pd.DataFrame, keys: Sequence[str]) -> dict[str, pd.Series[Any]]:
    """Return the swept keys that are several numbers, with their values; those of the most numbers first."""
    import pandas as pd

    numbers = {key: pd.to_numeric(table[key], errors="coerce") for key in keys}
    kept = [key for key in keys if bool(np.isfinite(numbers[key]).all()) and numbers[key].nunique() > 1]
    return {key: numbers[key] for key in sorted(kept, key=lambda key: -numbers[key].nunique())}


def lines_of(table: pd.DataFrame, keys: Sequence[str], drawn: Sequence[str]) -> list[str]:
    """Return the label of each row's line: its policy and swept values, where they differ, without the drawn ones."""
    rows = table.assign(policy=[without(name, keys) for name in table["policy"]]) if "policy" in table else table
    others = [key for key in ("policy", *keys) if key in rows and key not in drawn and rows[key].nunique() > 1]
    return [label_of(dict(zip(others, row, strict=True))) for row in rows[others].to_numpy()]


def without(text: str, keys: Sequence[str]) -> str:
    """Return the text of a policy without the parameters that some swept keys set.

    Examples
    --------
    >>> without("ucb c=0.5 horizon=90", ["bandit.c", "horizon"])
    'ucb'
    """
    names = {key.rpartition(".")[2] for key in keys}
    return " ".join(word for word in split(text) if word.partition("=")[0] not in names)


def pool_seeds(table: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return one row for each combination of `keys`, such as policy and t, where runs of several seeds have one each.

    Means, their standard errors and intervals are exactly those of all replications together. For policies that can
    lock, the ends of intervals are at least as far out as the average ends of the runs. The quantiles of curves are
    averages over the runs too, because a run keeps no more of its curves.

    The table has a column `runs`, the replications of each row. Columns NAME_mean belong to NAME_se, and perhaps to
    NAME_skewness, NAME_low, NAME_high and NAME_bound. Other numbers are averaged; of texts, the first stays.
    """
    if not table.duplicated(list(keys)).any():
        return table
    groups, runs = [table[key] for key in keys], table["runs"]

    def over_runs(values: Any) -> Any:
        return values.groupby(groups, sort=False).transform("sum")

    total, pooled = over_runs(runs), table.copy()
    for name in table.columns:
        if name in (*keys, "runs", "horizon") or table[name].dtype.kind not in "fiu" or name.endswith(_OF_A_MEAN):
            continue
        pooled[name] = over_runs(table[name] * runs / total)
        whole = name.removesuffix("_mean")
        if name.endswith("_mean") and f"{whole}_se" in table:
            off, variance = table[name] - pooled[name], (runs - 1) * table[f"{whole}_se"].fillna(0.0) ** 2
            squares = over_runs(runs * (variance + off**2))
            pooled[f"{whole}_se"] = error = np.sqrt(squares / (total - 1) / total)
            if f"{whole}_skewness" in table:
                bounds = table[f"{whole}_bound"].groupby(groups, sort=False)
                pooled[f"{whole}_bound"] = bounds.transform("max")
                rare = pooled[f"{whole}_bound"].notna()
                biased = table[f"{whole}_skewness"] * (runs - 2) / np.sqrt(runs * np.maximum(runs - 1, 1))
                cubes = over_runs(runs * (biased * variance**1.5 + 3.0 * off * variance + off**3))
                pooled[f"{whole}_skewness"] = skew = skewness_of(cubes / total, squares / total, total)
                ends = interval(pooled[name], error, skew, total)
                for end, values, farther in zip(("low", "high"), ends, (np.minimum, np.maximum), strict=True):
                    of_runs = over_runs(table[f"{whole}_{end}"] * runs / total)
                    pooled[f"{whole}_{end}"] = np.where(rare, farther(of_runs, values), values)
    pooled["runs"] = total
    kept: pd.DataFrame = pooled.drop_duplicates(list(keys)).reset_index(drop=True)
    return kept
