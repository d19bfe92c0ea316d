"""A dry run of a user's rule in plain Python: its mistakes are a sentence before the run, not garbage after it.

Compiled code does not check bounds: a rule that reads past `params` would read whatever lies there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.hooks import STATISTICS, IndexRule

_EARLY = 12  # every count of pulls up to this one is tried
_MANY = 200  # arms from which one state shows an arm with each early count, and states are fewer
_TINY = 3  # arms of which the first and the last, whose means are 0 and 1, are nearly all
_MOMENTS = 6_000  # scores in which every pull from the first on is tried: t = 1 ... 600 of 10 arms
_LATE = 4  # states of several sizes up to the horizon
_UNWRITTEN = -1.2345678912345e300  # a score that no rule has a reason to give

Floats = npt.NDArray[np.float64]


@functools.lru_cache(maxsize=1024)
def check_rule(rule: IndexRule, params: tuple[float, ...], arms: int, horizon: int) -> None:
    """Call a rule on states of `arms` arms up to the last choice before `horizon`, and refuse it if it misbehaves.

    The same question is answered only once.

    Raises
    ------
    ValueError
        The rule raises, reads or writes outside its arguments, writes into its inputs, leaves a score unwritten, writes
        NaN, or -inf for all arms, or scores two replications side by side otherwise than one at a time.
    """
    name, function = rule.path, in_python(rule.function, {})
    least = 1 if rule.every_arm_first else 0
    generator = np.random.default_rng(20020501)
    horizon = max(horizon, least * arms + 1)  # a shorter run never asks the rule
    for number, (pulls, means) in enumerate(_states(arms, horizon, least, generator)):
        words = generator.integers(1, 2**63, size=(2, 4), dtype=np.uint64)
        times = np.float64(1.0 + pulls[:, 0].sum()), np.float64(horizon)
        both = _scores(function, params, pulls, means, times, words, name)
        for r in range(2 if arms <= _MANY or number == 1 else 0):
            alone = _scores(function, params, pulls[:, r : r + 1], means[:, r : r + 1], times, words[r : r + 1], name)
            if not np.array_equal(both[:, r], alone[:, 0]):
                raise ValueError(
                    f"rule {name}: scores of two replications side by side differ from the same two one at a time; "
                    "entry i belongs to arm i // L of replication i % L, with L = rng.shape[0]"
                )

    for pulls, means in _moments(arms, horizon, least, generator):
        words = generator.integers(1, 2**63, size=(1, 4), dtype=np.uint64)
        times = np.float64(1.0 + pulls.sum()), np.float64(horizon)
        _scores(function, params, pulls, means, times, words, name)


def _moments(arms: int, horizon: int, least: int, generator: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
    """Yield pulls and means of one replication at one pull after the other, all arms pulled alike."""
    for more in range(min(horizon - least * arms, _MOMENTS // arms)):
        pulls = least + more // arms + (np.arange(arms)[:, np.newaxis] < more % arms).astype(np.float64)
        yield pulls, np.round(generator.random(pulls.shape) * pulls) / np.maximum(pulls, 1.0)


def _states(arms: int, horizon: int, least: int, generator: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
    """Yield pulls and means of two replications, all of which a run of this horizon can reach.

    Their pulls are as many. Each arm has `least` pulls at first; then the first arm, and others, have each count up to
    12, with means 0 and 1 among them; then all pulls grow to the last choice, evenly or nearly all of one arm.
    """
    room = horizon - 1 - least * arms  # pulls that the last choice sees beyond the first ones
    at_first: Floats = np.full((arms, 2), float(least))
    yield at_first, _means(at_first, generator)
    counts = _EARLY + 1 - least
    for shift in range(counts if arms <= _MANY or room < _EARLY * arms else 1):
        more = ((np.arange(arms) + shift) % counts).astype(np.float64)
        more[np.cumsum(more) > room] = 0
        pulls: Floats = at_first + more[:, np.newaxis]
        yield pulls, _means(pulls, generator)
        if arms <= _TINY:
            yield pulls, _means(pulls, generator, extremes=False)
    for total in np.unique(np.geomspace(min(arms, room), room, _LATE).round()) if room > 0 else ():
        shares = generator.random((arms, 2))
        pulls = at_first + np.floor(total * shares / shares.sum(axis=0))
        pulls[shares.argmax(axis=0), (0, 1)] += total + least * arms - pulls.sum(axis=0)
        for extremes in (True, False) if arms <= _TINY else (True,):
            yield pulls, _means(pulls, generator, extremes=extremes)
    for leader in (0, arms - 1):
        pulls = at_first.copy()
        pulls[leader] += room
        yield pulls, np.where(pulls > least, 0.75, 0.0)


def _means(pulls: Floats, generator: np.random.Generator, *, extremes: bool = True) -> Floats:
    """Return means of rewards 0 and 1; of the first and the last arm, and of many where there are many, 0 or 1."""
    means = np.round(generator.random(pulls.shape) * pulls) / np.maximum(pulls, 1.0)
    if extremes:
        if len(pulls) > _MANY:
            turn = np.arange(len(pulls)) // (_EARLY + 1) % 3
            means[turn == 0], means[turn == 1] = 0.0, 1.0
        means[0], means[-1] = (0.0, 1.0), (1.0, 0.0)
        means[pulls == 0.0] = 0.0
    return means


def in_python(function: Any, seen: dict[int, Any], stand_in: Callable[[Any], Any] = lambda value: value) -> Any:
    """Return a function that calls its helpers in their plain Python form, which checks indices.

    All such functions are put into `seen`. What else of its module a function uses is what `stand_in` makes of it.
    """
    function = getattr(function, "py_func", function)
    if not isinstance(function, FunctionType):
        return function
    if id(function) not in seen:
        names: dict[str, Any] = {}
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
        seen[id(function)] = copy
        for name, value in function.__globals__.items():
            names[name] = _helper(value, seen, stand_in) if name in function.__code__.co_names else value
    return seen[id(function)]


def _helper(value: Any, seen: dict[int, Any], stand_in: Callable[[Any], Any]) -> Any:
    """Return the plain Python form of a helper, or a namespace for a module that holds compiled ones."""
    if hasattr(value, "py_func") or isinstance(value, FunctionType):
        return in_python(value, seen, stand_in)
    if isinstance(value, ModuleType) and any(hasattr(member, "py_func") for member in vars(value).values()):
        return SimpleNamespace(**{name: _helper(member, seen, stand_in) for name, member in vars(value).items()})
    return stand_in(value)


def _scores(
    function: Any,
    params: Sequence[float],
    pulls: Floats,
    means: Floats,
    times: tuple[np.float64, np.float64],
    words: npt.NDArray[np.uint64],
    name: str,
) -> Floats:
    """Return the scores of one state, shape (K, L), after checking them; `times` are t and the horizon."""
    with np.errstate(all="ignore"):
        widths = 1.0 / np.sqrt(pulls)
    inputs = [pulls, means, widths, means * (1.0 - means), np.full(pulls.shape, 1.0 / len(pulls))]
    flat = [np.ascontiguousarray(values).ravel().copy() for values in inputs]
    numbers = np.array(params, dtype=np.float64)
    for values in (*flat, numbers):
        values.flags.writeable = False
    out = np.full(pulls.size, _UNWRITTEN)
    where = f"t = {times[0]:.0f} of {times[1]:.0f} with {len(pulls)} arm{'' if len(pulls) == 1 else 's'}"
    try:
        with np.errstate(all="ignore"):
            function(*flat, *times, numbers, words.copy(), out)
    except IndexError as error:
        raise ValueError(
            f"rule {name} reads or writes outside an argument ({error}) at {where}; params holds {len(numbers)} "
            f"number{'' if len(numbers) == 1 else 's'}, the statistics {pulls.size} ({pulls.shape[1]} x {len(pulls)})"
        ) from error
    except ValueError as error:
        if "read-only" in str(error):
            raise ValueError(
                f"rule {name} writes into {', '.join(STATISTICS)} or params; it may write only into out"
            ) from error
        raise ValueError(f"rule {name} fails at {where}: {error}") from error
    except (Exception, SystemExit) as error:
        said = " ".join(str(error).split())
        raise ValueError(f"rule {name} fails at {where}: {type(error).__name__}: {said}") from error
    if (out == _UNWRITTEN).any():
        count, (arms, replications) = int((out == _UNWRITTEN).sum()), pulls.shape
        raise ValueError(
            f"rule {name} leaves {count} of {out.size} entries of out unwritten ({replications} x {arms}: replications "
            f"and arms) at {where}"
        )
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
