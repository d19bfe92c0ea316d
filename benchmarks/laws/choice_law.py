r"""The law of traps: a conditional logit of the move that a search recommends.

A move that keeps the game from being lost has weight 1, and a trap of depth d after n simulations has weight
e^u(d, n). The search plays a move with the probability of its weight over that of all moves. So

    error  =  sum of e^u over the traps  /  (number of other moves + sum of e^u over the traps)

and e^u is the odds of one trap against one of the other moves. McFadden, "Conditional logit analysis of qualitative
choice behavior", 1974. Standard errors count the decisions in one position as one (a cluster sandwich).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from numerics.statistics.intervals import NORMAL_95

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Features = Callable[[Floats, Floats], list[Floats]]

FORMS: dict[str, Features] = {  # of d, the depth, and t, the tens in n, log10 n; all have an intercept
    "a": lambda d, t: [],
    "a + c ln n": lambda d, t: [t],
    "a + b d + c ln n": lambda d, t: [d, t],
    "a + b d + c ln n + e d ln n": lambda d, t: [d, t, d * t],
    "a + b ln d + c ln n": lambda d, t: [np.log(d), t],
    "a + b ln d + c ln n + e ln d ln n": lambda d, t: [np.log(d), t, np.log(d) * t],
    "a + c ln n + e (ln n) / d": lambda d, t: [t, t / d],
}
_STEPS, _RIDGE = 60, 1e-6


class Decisions(NamedTuple):
    """What searches recommended, a row for each position and number of simulations.

    Attributes
    ----------
    position : int64[N]
    n : float64[N]
        Simulations.
    others : float64[N]
        Moves that are no traps.
    depths : float64[N, K]
        Of the traps; 0 after the last.
    chosen : int64[N]
        Which trap was recommended; -1 of another move.
    """

    position: Whole
    n: Floats
    others: Floats
    depths: Floats
    chosen: Whole

    @property
    def errors(self) -> npt.NDArray[np.bool_]:
        """Whether a trap was recommended."""
        return self.chosen >= 0

    @property
    def deepest(self) -> Floats:
        """The depth of the deepest trap of each position."""
        deepest: Floats = self.depths.max(axis=1)
        return deepest

    def where(self, mask: npt.NDArray[np.bool_]) -> Decisions:
        """Return some of the rows."""
        return Decisions._make(column[mask] for column in self)


def decisions_of(table: pd.DataFrame) -> Decisions:
    """Return the decisions of a stored table: position, simulations, others, depths as text, and the chosen depth."""
    texts = [[float(part) for part in text.split()] for text in table["depths"]]
    depths = np.zeros((len(texts), max(map(len, texts))))
    for row, listed in enumerate(texts):
        depths[row, : len(listed)] = listed
    chosen = np.array(
        [listed.index(depth) if depth > 0 else -1 for listed, depth in zip(texts, table["chosen"], strict=True)]
    )
    return Decisions(
        table["position"].to_numpy(np.int64),
        table["simulations"].to_numpy(np.float64),
        table["others"].to_numpy(np.float64),
        depths,
        chosen.astype(np.int64),
    )


def joined(parts: list[Decisions]) -> Decisions:
    """Return the decisions of several games; positions keep different numbers."""
    width = max(part.depths.shape[1] for part in parts)
    first, moved = 0, []
    for part in parts:
        padded = np.pad(part.depths, ((0, 0), (0, width - part.depths.shape[1])))
        moved.append(part._replace(position=part.position + first, depths=padded))
        first += int(part.position.max()) + 1 if part.position.size else 0
    return Decisions._make(np.concatenate(columns) for columns in zip(*moved, strict=True))


@dataclass(frozen=True)
class Law:
    """A fitted law.

    Attributes
    ----------
    form : str
        One of `FORMS`; its ln n is in tens, so that c is the change of the log odds for ten times the simulations.
    coefficients : float64[P]
    covariance : float64[P, P]
    """

    form: str
    coefficients: Floats
    covariance: Floats

    def simulations(self, depth: float, odds: float) -> float:
        """Return the simulations after which a trap of a depth has these odds; infinite if they never fall so low.

        The log odds must be a line in ln n.
        """
        once, tens = (features(self.form, depth, n) @ self.coefficients for n in (1.0, 10.0))
        slope = float(tens - once)
        return float(10.0 ** ((np.log(odds) - once) / slope)) if slope < 0.0 else np.inf

    def change(self, at: Floats) -> tuple[float, float, float]:
        """Return a linear combination of the coefficients with its 95 % interval."""
        middle, error = float(at @ self.coefficients), float(np.sqrt(at @ self.covariance @ at))
        return middle, middle - NORMAL_95 * error, middle + NORMAL_95 * error

    def errors(self, decisions: Decisions) -> Floats:
        """Return the probability of an error in each row."""
        total = _weights(_features_of(self.form, decisions), self.coefficients, decisions).sum(axis=1)
        errors: Floats = total / (decisions.others + total)
        return errors

    def log_loss(self, decisions: Decisions) -> float:
        """Return the mean of minus the log of the probability of the recommended kind: a trap, or no trap."""
        wrong = self.errors(decisions).clip(1e-12, 1.0 - 1e-12)
        return float(-np.where(decisions.errors, np.log(wrong), np.log1p(-wrong)).mean())


def fit(form: str, decisions: Decisions) -> Law:
    """Fit a form by maximum likelihood."""
    coefficients = np.zeros(1 + len(FORMS[form](*np.ones((2, 1)))))
    rows = np.arange(decisions.chosen.size)
    x = _features_of(form, decisions)
    picked = np.where(decisions.errors[:, None], x[rows, decisions.chosen], 0.0)
    clusters, cluster_of = np.unique(decisions.position, return_inverse=True)
    for _ in range(_STEPS):
        weights = _weights(x, coefficients, decisions)
        p = weights / (decisions.others + weights.sum(axis=1))[:, None]
        mean = np.einsum("nk,nkp->np", p, x)
        scores = picked - mean
        flat = x.reshape(-1, coefficients.size)
        information = (flat * p.reshape(-1, 1)).T @ flat - mean.T @ mean
        information += _RIDGE * np.eye(coefficients.size)
        step = np.linalg.solve(information, scores.sum(axis=0) - _RIDGE * coefficients)
        coefficients = coefficients + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < 1e-8:
            break
    sums = np.zeros((clusters.size, coefficients.size))
    np.add.at(sums, cluster_of, scores)
    inverse = np.linalg.inv(information)
    return Law(form, coefficients, inverse @ (sums.T @ sums) @ inverse)


def cross_validated(form: str, decisions: Decisions, folds: int = 3) -> float:
    """Return the mean log loss of a form in positions that it was not fitted to."""
    total, fold = 0.0, (decisions.position // 2) % folds
    for held in range(folds):
        out = decisions.where(fold == held)
        total += fit(form, decisions.where(fold != held)).log_loss(out) * out.n.size
    return total / decisions.n.size


def _features(form: str, depth: Floats, n: Floats) -> Floats:
    """Return what the coefficients multiply, [..., P]."""
    d, decades = np.broadcast_arrays(np.maximum(depth, 1.0), np.log10(n))
    return np.stack([np.ones(d.shape), *FORMS[form](d, decades)], axis=-1)


def features(form: str, depth: float, n: float) -> Floats:
    """Return what the coefficients multiply at a depth and a number of simulations, float64[P]."""
    return _features(form, np.asarray(depth, np.float64), np.asarray(n, np.float64))


def _features_of(form: str, decisions: Decisions) -> Floats:
    """Return what the coefficients multiply for each trap, float64[N, K, P]."""
    return _features(form, decisions.depths, decisions.n[:, None])


def _weights(x: Floats, coefficients: Floats, decisions: Decisions) -> Floats:
    """Return e^u of each trap, 0 where there is none, float64[N, K]."""
    weights: Floats = np.where(decisions.depths > 0.0, np.exp((x @ coefficients).clip(-50.0, 50.0)), 0.0)
    return weights
