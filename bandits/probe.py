"""A dry run of a user's rule in plain Python: its mistakes are a sentence before the run, not garbage after it.

Compiled code does not check bounds: a rule that reads past `params` would read whatever lies there.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.hooks import STATISTICS, IndexRule

_HORIZON = 10_000.0
_UNWRITTEN = -1.2345678912345e300  # a score that no rule has a reason to give

Floats = npt.NDArray[np.float64]


@functools.cache
def check_rule(rule: IndexRule, params: tuple[float, ...]) -> None:
    """Call a rule on a few small states and refuse it if it misbehaves; once for the same rule and numbers.

    Raises
    ------
    ValueError
        The rule raises, reads or writes outside its arguments, writes into its inputs, leaves a score unwritten, writes
        NaN, or -inf for all arms, or scores two replications side by side otherwise than one at a time.
    """
    name, function = rule.path, in_python(rule.function, {})
    generator = np.random.default_rng(20020501)
    for pulls, means in _states(rule.every_arm_first, generator):
        words = generator.integers(1, 2**63, size=(2, 4), dtype=np.uint64)
        t = 1.0 + max(float(pulls.sum(axis=0).max()), 1.0)
        both = _scores(function, params, pulls, means, t, words, name)
        for r in range(2):
            alone = _scores(function, params, pulls[:, r : r + 1], means[:, r : r + 1], t, words[r : r + 1], name)
            if not np.array_equal(both[:, r], alone[:, 0]):
                raise ValueError(
                    f"rule {name}: scores of two replications side by side differ from the same two one at a time; "
                    "entry i belongs to arm i // L of replication i % L, with L = rng.shape[0]"
                )


def _states(every_arm_first: bool, generator: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
    """Yield pulls and means of two replications of 2, 3 and 11 arms: early and late, with means 0 and 1 among them."""
    for arms in (3, 2, 11):
        for most in (1, 60, int(_HORIZON) // arms):
            pulls = generator.integers((most + 1) // 2, most, size=(arms, 2), endpoint=True).astype(np.float64)
            means = np.round(generator.random(pulls.shape) * pulls) / pulls
            means[0], means[-1] = (0.0, 1.0), (1.0, 0.0)
            yield pulls, means
        lead = np.ones((arms, 2))
        lead[0] = _HORIZON - arms  # nearly all pulls of one arm
        yield lead, np.where(lead > 1.0, 0.75, 0.0)
        if not every_arm_first:
            yield np.zeros((arms, 2)), np.zeros((arms, 2))


def in_python(function: Any, seen: dict[int, Any]) -> Any:
    """Return a function that calls its compiled helpers in their plain Python form, which checks indices."""
    function = getattr(function, "py_func", function)
    if not isinstance(function, FunctionType):
        return function
    if id(function) not in seen:
        names: dict[str, Any] = {}
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
        seen[id(function)] = copy
        for name, value in function.__globals__.items():
            names[name] = _helper(value, seen) if name in function.__code__.co_names else value
    return seen[id(function)]


def _helper(value: Any, seen: dict[int, Any]) -> Any:
    """Return the plain Python form of a compiled helper, or a stand-in for a module that holds some."""
    if hasattr(value, "py_func"):
        return in_python(value, seen)
    if isinstance(value, ModuleType) and any(hasattr(member, "py_func") for member in vars(value).values()):
        return SimpleNamespace(**{name: _helper(member, seen) for name, member in vars(value).items()})
    return value


def _scores(
    function: Any,
    params: Sequence[float],
    pulls: Floats,
    means: Floats,
    t: float,
    words: npt.NDArray[np.uint64],
    name: str,
) -> Floats:
    """Return the scores of one state, shape (K, L), after checking them."""
    with np.errstate(all="ignore"):
        widths = 1.0 / np.sqrt(pulls)
    inputs = [pulls, means, widths, means * (1.0 - means), np.full(pulls.shape, 1.0 / len(pulls))]
    flat = [np.ascontiguousarray(values).ravel().copy() for values in inputs]
    numbers = np.array(params, dtype=np.float64)
    for values in (*flat, numbers):
        values.flags.writeable = False
    out = np.full(pulls.size, _UNWRITTEN)
    try:
        with np.errstate(all="ignore"):
            function(*flat, t, _HORIZON, numbers, words.copy(), out)
    except IndexError as error:
        raise ValueError(
            f"rule {name} reads or writes outside an argument ({error}); params holds {len(numbers)} numbers, "
            f"the statistics {pulls.size}"
        ) from error
    except ValueError as error:
        if "read-only" in str(error):
            raise ValueError(
                f"rule {name} writes into {', '.join(STATISTICS)} or params; it may write only into out"
            ) from error
        raise ValueError(f"rule {name} fails on a small state: {error}") from error
    except Exception as error:
        raise ValueError(f"rule {name} fails on a small state: {type(error).__name__}: {error}") from error
    if (out == _UNWRITTEN).any():
        raise ValueError(f"rule {name} leaves {int((out == _UNWRITTEN).sum())} of {out.size} entries of out unwritten")
    if np.isnan(out).any():
        raise ValueError(
            f"rule {name} writes NaN for arms with {_describe(flat, np.isnan(out))}; a score is a number, inf or -inf"
        )
    scores = out.reshape(pulls.shape)
    if (scores == -np.inf).all(axis=0).any():
        raise ValueError(f"rule {name} writes -inf for every arm; an arm that can win must have a higher score")
    return scores


def _describe(flat: Sequence[Floats], wrong: npt.NDArray[np.bool_]) -> str:
    first = int(wrong.argmax())
    return f"pulls {flat[0][first]:g} and mean {flat[1][first]:g}"
