"""A dry run of a user's rule in plain Python: its mistakes are a sentence before the run, not garbage after it.

Compiled code does not check bounds: a rule that reads past `params` would read whatever lies there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bandits.hooks import STATISTICS, IndexRule

_ARMS = 3
_HORIZON = 1_000.0
_UNWRITTEN = -1.2345678912345e300  # a score that no rule has a reason to give


def check_rule(rule: IndexRule, params: Sequence[float]) -> None:
    """Call a rule on a few small states and refuse it if it misbehaves.

    Raises
    ------
    ValueError
        The rule raises, reads or writes outside its arguments, writes into its inputs, leaves a score unwritten, writes
        NaN, or scores two replications side by side otherwise than one at a time.
    """
    name = rule.path
    generator = np.random.default_rng(20020501)
    states = [generator.integers(1, 60, size=(_ARMS, 2)).astype(np.float64) for _ in range(3)]
    states.append(np.ones((_ARMS, 2)))
    if not rule.every_arm_first:
        states.append(np.zeros((_ARMS, 2)))
    for pulls in states:
        means = np.where(pulls > 0, generator.integers(0, 2, pulls.shape) * 0.5 + 0.25 * (pulls > 1), 0.0)
        words = generator.integers(1, 2**63, size=(2, 4), dtype=np.uint64)
        t = 1.0 + max(float(pulls.sum(axis=0).max()), 1.0)
        both = _scores(rule, params, pulls, means, t, words, name)
        for r in range(2):
            alone = _scores(rule, params, pulls[:, r : r + 1], means[:, r : r + 1], t, words[r : r + 1], name)
            if not np.array_equal(both[:, r], alone[:, 0]):
                raise ValueError(
                    f"rule {name}: scores of two replications side by side differ from the same two one at a time; "
                    "entry i belongs to arm i // L of replication i % L, with L = rng.shape[0]"
                )


def _scores(
    rule: IndexRule,
    params: Sequence[float],
    pulls: npt.NDArray[np.float64],
    means: npt.NDArray[np.float64],
    t: float,
    words: npt.NDArray[np.uint64],
    name: str,
) -> npt.NDArray[np.float64]:
    """Return the scores of one state, shape (K, L), after checking them."""
    with np.errstate(all="ignore"):
        widths = 1.0 / np.sqrt(pulls)
    inputs = [pulls, means, widths, means * (1.0 - means), np.full(pulls.shape, 1.0 / _ARMS)]
    flat = [np.ascontiguousarray(values).ravel().copy() for values in inputs]
    numbers = np.array(params, dtype=np.float64)
    for values in (*flat, numbers):
        values.flags.writeable = False
    out = np.full(pulls.size, _UNWRITTEN)
    try:
        with np.errstate(all="ignore"):
            rule.function(*flat, t, _HORIZON, numbers, words.copy(), out)
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
            f"rule {name} writes NaN for arms with {_describe(flat, np.isnan(out))}; a score is a number or -inf"
        )
    return out.reshape(pulls.shape)


def _describe(flat: Sequence[npt.NDArray[np.float64]], wrong: npt.NDArray[np.bool_]) -> str:
    first = int(wrong.argmax())
    return f"pulls {flat[0][first]:g} and mean {flat[1][first]:g}"
