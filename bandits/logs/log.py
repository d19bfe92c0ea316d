"""A log in memory: the shown arms, their rewards, and what else is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import numpy.typing as npt

from numerics import checks
from numerics.checks import escape_controls, interval

_KINDS: dict[type, str] = {np.float64: "finite numbers", np.int32: "indices into names"}
_NAMED = 8  # arms that a sentence names
_HUGE = 1e40  # largest reward, and 1 over the least propensity: cubes of both together are numbers of the computer

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Log:
    """A row for each time that an arm was shown.

    Attributes
    ----------
    names : tuple of str
        The K arms, in the order of numbers where all names are numbers, else of texts, with control characters escaped.
    arm : ndarray of int32, shape (n,)
        The arm of each row.
    reward : ndarray of float64, shape (n,)
        What it paid.
    propensity : ndarray of float64, shape (n,), or None
        The probability with which the row's arm was shown; None where the log does not say it.
    time : ndarray of float64, shape (n,), or None
        When, in seconds, never decreasing.
    features : ndarray of float64, shape (n, d), or None
        What was known before the arm was chosen; None where no columns of features were named.
    rewards : ndarray of float64, shape (n, K), or None
        What every arm would have paid, in a wide log; then `arm` and `reward` are empty.
    source : str
        The file.
    left_out : tuple of str
        The first of the rows that were left out because they are wrong: line and reason.
    bad : int
        How many rows were left out.
    columns : mapping of str to ndarray of float64, shape (n,)
        Further columns of the file: the probabilities of policies to evaluate.
    unrewarded : int
        How many choices of an agent have no reward; 0 of a file.
    filled : float or None
        The reward that these rows have; None where they are left out.
    missing : mapping of str to str
        Why there are no "features" or no "propensity", where it is not a column that was not named.

    Raises
    ------
    ValueError
        Lengths that differ, fewer than 2 arms, no row, or the first row with a number out of its range.

    Examples
    --------
    >>> log = Log(["red", "blue"], arm=[0, 1, 1], reward=[0, 1, 0], propensity=[0.4, 0.6, 0.6])
    >>> len(log), log.is_uniform, round(log.value, 2)
    (3, False, 0.33)
    """

    names: tuple[str, ...]
    arm: npt.NDArray[np.int32]
    reward: Floats
    propensity: Floats | None = None
    time: Floats | None = None
    rewards: Floats | None = None
    source: str = ""
    left_out: tuple[str, ...] = ()
    bad: int = 0
    features: Floats | None = None
    columns: Mapping[str, Floats] = field(default_factory=dict)
    unrewarded: int = 0
    filled: float | None = None
    missing: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.names, str) or not isinstance(self.names, Iterable):
            raise ValueError(f"names must be a list of the arms' names; got {checks.show(self.names)}")
        names = tuple(escape_controls(str(name)) for name in self.names)
        if len(set(names)) < max(2, len(names)):
            raise ValueError(f"names must be at least 2 different arms; got {list(names[:_NAMED])}")
        is_wide = self.rewards is not None
        name, paid = ("rewards", self.rewards) if self.rewards is not None else ("reward", self.reward)
        if isinstance(paid, str) or not hasattr(paid, "__len__") or np.shape(paid) == ():
            raise ValueError(f"{name} must hold a number for each row; got {checks.show(paid)}")
        rows, arms = len(paid), len(names)
        if rows == 0:
            raise ValueError("a log must have at least 1 row; got none")
        shown = (0,) if is_wide else (rows,)
        given = {
            "names": names,
            "arm": _numbers("arm", self.arm, shown, 0.0, arms - 1.0, np.int32),
            "reward": _numbers("reward", self.reward, shown, -_HUGE, _HUGE),
            "propensity": _numbers("propensity", self.propensity, (rows,), 1.0 / _HUGE, 1.0),
            "time": _numbers("time", self.time, (rows,)),
            "features": _numbers("features", self.features, (rows, None), -_HUGE, _HUGE),
            "rewards": _numbers("rewards", self.rewards, (rows, arms), -_HUGE, _HUGE),
        }
        if (time := given["time"]) is not None and (earlier := np.diff(time) < 0.0).any():
            row = int(earlier.argmax()) + 1
            raise ValueError(f"time must never decrease (sort the rows by it); row {row + 1:,} has {time[row]:.12g}")
        for name, value in given.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.reward) if self.rewards is None else len(self.rewards)

    def __repr__(self) -> str:
        """Return a line with what the log holds."""
        return f"Log({self.describe()})"

    @property
    def is_uniform(self) -> bool:
        """Whether every arm was shown with the same probability, in every row."""
        return self.propensity is not None and bool(np.allclose(self.propensity, 1.0 / len(self.names), rtol=1e-6))

    @property
    def value(self) -> float:
        """The mean reward of the policy that wrote the log; NaN for a wide log, which no policy wrote."""
        return float(self.reward.mean()) if self.rewards is None else float("nan")

    @property
    def without_features(self) -> str:
        """Why there are no features, as a sentence ends."""
        return self.missing.get("features", "give feature_columns, such as [age,price]")

    def describe(self) -> str:
        """Return a description of the log, and the estimators that it allows, in sentences."""
        held = f"{escape_controls(self.source)}: " if self.source else ""
        held += f"{len(self):,} rows of {len(self.names):,} arms"
        if self.features is not None:
            held += f" with {self.features.shape[1]} feature{'s' if self.features.shape[1] > 1 else ''}"
        if self.rewards is None:
            held += f", mean reward {self.value:.4g}"
        if self.unrewarded:
            done = "left out" if self.filled is None else f"counted as {self.filled:g}"
            held += f", {self.unrewarded:,} choice{'s' * (self.unrewarded > 1)} without a reward {done}"
        return f"{held}. {self.answers()}"

    def answers(self) -> str:
        """Return the estimators that the log allows, in sentences."""
        if self.rewards is not None:
            return "Every row has the rewards of all arms, so the value of a policy is a plain mean."
        if self.propensity is None:
            if "propensity" in self.missing:
                reason = self.missing["propensity"]
                return f"It has no propensities ({reason}), so only the direct method (dm) is possible."
            given = "" if self.features is None else ", given the features (model ridge or logistic)"
            return (
                "It has no propensities, so only the direct method (dm) is possible. It assumes that arms were "
                f"chosen independently of their rewards{given}. If the file has propensities, give propensity_column; "
                "otherwise log them from now on."
            )
        blocks = "" if self.time is None else " and intervals from blocks of time"
        if self.is_uniform:
            return f"Arms were shown uniformly at random: all estimators{blocks} are possible, and replay of learners."
        return f"It has propensities: all estimators{blocks} are possible, and replay of learners by rejection."


def _numbers(
    name: str,
    given: Any,
    shape: tuple[int | None, ...],
    low: float = -np.inf,
    high: float = np.inf,
    dtype: type = np.float64,
    above: bool = False,
) -> Any:
    """Return an array of finite numbers in a range, whole ones for int32; None for None.

    Raises
    ------
    ValueError
        Another shape, or the first row with a wrong number.
    """
    if given is None:
        return None
    array = np.asarray(given)
    if array.ndim != len(shape) or any(size not in (None, of) for size, of in zip(shape, array.shape, strict=True)):
        wanted = " x ".join("d" if size is None else f"{size:,}" for size in shape)
        got = " x ".join(f"{size:,}" for size in array.shape)
        raise ValueError(f"{name} must hold {wanted} numbers; got {got or checks.show(array.item())}")
    if array.size and not np.issubdtype(array.dtype, np.number) and array.dtype != bool:
        raise ValueError(f"{name} must hold {_KINDS[dtype]}; got {checks.show(str(array.flat[0]))}")
    right = np.isfinite(array) & ((array > low) if above else (array >= low)) & (array <= high)
    if dtype is np.int32:
        right &= array == np.floor(array)
    if not right.all():
        row = np.argwhere(~right)[0]
        raise ValueError(
            f"{name} must hold {_KINDS[dtype]}{interval(low, high, above)}; got {array[tuple(row)]:.12g} in row "
            f"{row[0] + 1:,}"
        )
    return np.ascontiguousarray(array, dtype)


def sorted_names(names: Sequence[str], arm: npt.NDArray[np.int32]) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """Return the names in order, as numbers where all are numbers, and the arms of rows by their new places.

    Examples
    --------
    >>> sorted_names(["10", "9.5", "-1"], np.array([0, 1, 2], np.int32))[0]
    ('-1', '9.5', '10')
    """
    numbers = [number_of(name) for name in names]
    if any(number is None for number in numbers):
        order = sorted(range(len(names)), key=names.__getitem__)
    else:
        order = sorted(range(len(names)), key=lambda at: (numbers[at], names[at]))
    rank = np.empty(len(names), np.int32)
    rank[order] = np.arange(len(names), dtype=np.int32)
    return tuple(escape_controls(names[at]) for at in order), rank[arm]


def alike(word: bool | float | str, names: Sequence[str]) -> list[str]:
    """Return the names that a command line makes the same number, or the same true or false.

    Examples
    --------
    >>> alike(2026.1, ["2026.10", "2026.11"]), alike(1000, ["1e3", "1_000", "a"]), alike(True, ["True", "a"])
    (['2026.10'], ['1e3', '1_000'], ['True'])
    """
    if isinstance(word, bool):
        return [name for name in names if name.lower() == str(word).lower()]
    number = number_of(str(word))
    return [name for name in names if number is not None and number_of(name) == number]


def number_of(name: str) -> Decimal | None:
    """Return the exact number in a name; None if it is not a number.

    Examples
    --------
    >>> number_of("1.50") == number_of("1.5"), number_of("blue"), number_of("nan")
    (True, None, None)
    """
    try:
        number = Decimal(name)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
