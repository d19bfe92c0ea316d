"""The signatures of the hooks, as types and in Numba's words; `bandits.rules` says what each argument holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]
Chosen = npt.NDArray[np.int64]


Score = Callable[[Vector, Vector, Vector, Vector, Vector, float, float, Vector, Words, Vector], None]
"""What `vector_rule` takes: it writes the scores, its last argument, float64[K * L]."""

Select = Callable[[Vector, Vector, Vector, Vector, Vector, float, float, Vector, Words, Vector, Chosen], None]
"""What `choice_rule` takes: it writes the arms, its last argument, int64[L]; the memory before it changes at will."""

Propensities = Callable[[Vector, Vector, Vector, Vector, Vector, float, float, Vector, Words, Vector, Vector], None]
"""What `propensity_hook` takes: it writes each probability, float64[K], by the memory as the choice left it."""

Learn = Callable[[Vector, Chosen, Vector], None]
"""What `learn_rule` takes: it changes the memory, float64[M, L], by the arm and the reward of each replication."""

Law = Callable[[Vector, Vector, Chosen, Vector, Vector], None]
"""What `reward_law` takes: uniforms, means, arms and the law's numbers, float64[K, P]; it writes as many rewards."""

Stop = Callable[[Vector, Vector, Vector, float, Vector], bool]
"""What `stopping_rule` takes: pulls, means and variances, float64[K], t and its numbers; whether to end."""


class Divergence(Protocol):
    """What `reward_law` takes as its divergence."""

    def __call__(self, p: Vector, q: Vector, params: Vector, /) -> Vector:
        """Return Kullback and Leibler's divergence of rewards of mean p from those of mean q, elementwise.

        `params` is float64[N, P], a row of the law's own numbers for each of the N pairs.
        """


class Distribution(Protocol):
    """What `reward_law` takes as its distribution."""

    def __call__(self, mean: float, params: Vector, /) -> tuple[Vector, Vector]:
        """Return values of a reward and their weights, which sum to 1; `params` is float64[P], the arm's own row.

        Of a law that pays finitely many values they are these and their probabilities; of another one the nodes and
        weights of a quadrature.
        """


STATISTICS = ("pulls", "means", "widths", "variances", "priors")
ARGUMENTS = ("variances", "priors", "horizon")  # of a hook, which hold NaN unless a rule declares that it reads them
NEEDS = (*ARGUMENTS, "features")  # what a rule may declare

_VECTOR = "float64[::1]"
_STATE = ", ".join([*[_VECTOR] * 5, "float64", "float64", _VECTOR, "uint64[:, ::1]"])
SIGNATURES = {
    "bonus": f"float64(float64, {_VECTOR})",
    "score": f"void({_STATE}, {_VECTOR})",
    "select": f"void({_STATE}, float64[:, ::1], int64[::1])",
    "propensities": f"void({_STATE}, float64[:, ::1], {_VECTOR})",
    "learn": f"void(float64[:, ::1], int64[::1], {_VECTOR})",
    "law": f"void({_VECTOR}, {_VECTOR}, int64[::1], float64[:, ::1], {_VECTOR})",
    "stop": f"boolean({_VECTOR}, {_VECTOR}, {_VECTOR}, float64, {_VECTOR})",
}

_NUMBERS, _WORDS = "CPointer(float64)", "CPointer(uint64)"
_STATISTICS = ", ".join([_NUMBERS] * 5)
POINTED = f"void(int64, int64, {_STATISTICS}, float64, float64, {_NUMBERS}, int64, {_WORDS}, {_NUMBERS})"
"""A score hook that takes pointers: see `bandits.kernels.pointed`."""
