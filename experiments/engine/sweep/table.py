"""A sweep as one table: rows of its runs behind the swept values, and what a kind of experiment declares of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from numerics.output import tables
from numerics.output.sheets import Facts, Sheet
from numerics.texts import split

if TYPE_CHECKING:
    import pandas as pd

TABLE = "sweep.csv"
_NAMES = ("bandit", "board", "label", "player1", "player2", "policy")  # keys that go without saying in a label


@dataclass(frozen=True)
class Job:
    """One finished run of a sweep: its overrides as key and value, in the order of the command line, and its folder."""

    overrides: dict[str, str]
    folder: Path


class Setting(NamedTuple):
    """What was run with one choice of the swept values: these values, and the folder of the run."""

    values: Mapping[str, str]
    folder: Path

    @property
    def label(self) -> str:
        """The swept values, as a figure names them."""
        return label_of(self.values)

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
    blocks: Callable[[pd.DataFrame, Sequence[str]], Mapping[str, pd.DataFrame]] = lambda table, keys: {"": table}
    """`blocks(table, keys)` returns the rows that are compared with each other, by a title."""
    sheets: Sequence[Sheet] = ()
    caveats: Callable[[Path, Facts], list[str]] = lambda folder, facts: []
    notes: Callable[[Path, Facts], list[str]] = lambda folder, facts: []


def settings_of(facts: Facts) -> list[Setting]:
    """Return the settings of `facts["jobs"]`; the same combination twice is one."""
    different = {tuple(job.overrides.items()): job for job in facts["jobs"]}
    return [Setting({key: job.overrides[key] for key in facts["varied"]}, job.folder) for job in different.values()]


def join(settings: Sequence[Setting], read: str | Callable[[Setting], pd.DataFrame]) -> pd.DataFrame:
    """Return a table of all settings, each row with the swept values; `read` is its name, or returns that of one."""
    make = read if callable(read) else lambda setting: tables.read(setting.folder / read)
    return tables.join_tables([setting.fill(make(setting)) for setting in settings])


def span_text(numbers: pd.Series[Any]) -> str:
    """Return the least and the largest of whole numbers, such as "100 to 1,000"; one number where all are equal."""
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


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
