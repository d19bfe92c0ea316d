"""The probability that each of three Beta variables is the largest, where their parameters are whole numbers.

P(X largest) is the integral of f_X F_Y F_Z. With whole parameters that is a polynomial on [0, 1], of degree t + 1 after
t - 1 pulls and uniform priors, and Gauss's rule of 52 nodes integrates polynomials up to degree 103 without error but
that of rounding, below 1e-13.
"""

from __future__ import annotations

import math

import numpy as np

from numerics.kernels.jit import kernel

_COUNT = 52
_NODES, _WEIGHTS = (0.5 * one for one in np.polynomial.legendre.leggauss(_COUNT))
_NODES += 0.5
_DEGREE = 2 * _COUNT - 1


@kernel()
def _fill(n, alpha, beta, density, below):
    """Write density and distribution function at the nodes of Beta(alpha + s, beta + n - s) for s = 0, ..., n.

    P(X < x) = P(k >= a) of a binomial k of a + b - 1 trials, each a success with probability x.
    """
    trials = alpha + beta + n - 1.0
    for q in range(_COUNT):
        success, failure = math.log(_NODES[q]), math.log1p(-_NODES[q])
        tail = 0.0
        for k in range(int(trials), int(alpha) - 1, -1):
            ways = math.lgamma(trials + 1.0) - math.lgamma(k + 1.0) - math.lgamma(trials - k + 1.0)
            mass = math.exp(ways + k * success + (trials - k) * failure)
            tail += mass
            s = k - int(alpha)
            if s <= n:
                below[s, q], density[s, q] = tail, mass * k / _NODES[q]


@kernel()
def chances_of_three(pulls, means, size, alpha, beta, out):
    """Write P(an arm's draw is the largest) of each of three arms in `size` states, NaN where the rule is not exact.

    Fast where states with the same pulls follow each other, and the last arm's successes vary fastest.
    """
    most, total = 0.0, 0.0
    for r in range(size):
        most = max(most, pulls[r], pulls[size + r], pulls[2 * size + r])
        total = max(total, pulls[r] + pulls[size + r] + pulls[2 * size + r])
    whole = alpha == math.floor(alpha) and beta == math.floor(beta) and min(alpha, beta) >= 1.0
    if not whole or total + 3.0 * (alpha + beta) - 4.0 > _DEGREE:
        out[:] = math.nan
        return
    density, below = np.empty((3, int(most) + 1, _COUNT)), np.empty((3, int(most) + 1, _COUNT))
    first, second = np.empty(_COUNT), np.empty(_COUNT)
    held, won, row = np.full(3, -1), np.zeros(3, np.int64), np.full(2, -1)
    for r in range(size):
        for a in range(3):
            n = int(pulls[a * size + r])
            won[a] = int(n * means[a * size + r] + 0.5)
            if n != held[a]:
                _fill(n, alpha, beta, density[a], below[a])
                held[a], row[0] = n, -1
        if won[0] != row[0] or won[1] != row[1]:
            row[0], row[1] = won[0], won[1]
            for q in range(_COUNT):
                first[q] = _WEIGHTS[q] * density[0, won[0], q] * below[1, won[1], q]
                second[q] = _WEIGHTS[q] * below[0, won[0], q] * density[1, won[1], q]
        one, two = 0.0, 0.0
        for q in range(_COUNT):
            one += first[q] * below[2, won[2], q]
            two += second[q] * below[2, won[2], q]
        out[r], out[size + r] = min(one, 1.0), min(two, 1.0)
        out[2 * size + r] = max(0.0, 1.0 - one - two)
