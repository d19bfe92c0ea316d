"""The probability that one of two or three independent Beta variables is the largest, state by state.

Two, in closed form: with g(a, b, c, d) = P(X > Y), X ~ Beta(a, b), Y ~ Beta(c, d), and
h = B(a + c, b + d) / (B(a, b) B(c, d)):

    g(a + 1, b, c, d) = g + h / a      h(a + 1, b, c, d) = h (a + b) (a + c) / (a (a + b + c + d))
    g(a, b + 1, c, d) = g - h / b      h(a, b + 1, c, d) = h (a + b) (b + d) / (b (a + b + c + d))
    g(a, b, c + 1, d) = g - h / c      and so on
    g(a, b, c, d + 1) = g + h / d

Cook, "Exact calculation of beta inequalities", technical report UTMDABTR-005-05 (2005), section 3. From equal laws,
where g = 1/2, these lead to any numbers of successes and failures; errors of rounding stay below 1e-13 up to 1,000.

Three, where their parameters are whole numbers: P(X largest) is the integral of f_X F_Y F_Z, of a polynomial on [0, 1].
Its degree is t + 1 after t - 1 pulls and uniform priors; Gauss's rule of 52 nodes integrates polynomials up to degree
103 without error but that of rounding, below 1e-13.
"""

from __future__ import annotations

import math

import numpy as np

from numerics.kernels.jit import kernel

_COUNT = 52
_NODES, _WEIGHTS = (0.5 * rule for rule in np.polynomial.legendre.leggauss(_COUNT))
_NODES += 0.5
_DEGREE = 2 * _COUNT - 1


@kernel()
def _afresh(alpha, beta, i, j, k, l):  # noqa: E741 (the letters of the counts)
    """Return g and h at i successes and j failures of X, k and l of Y, counted up from equal laws."""
    g = 0.5
    h = math.exp(
        math.lgamma(2.0 * alpha)
        + math.lgamma(2.0 * beta)
        - math.lgamma(2.0 * (alpha + beta))
        - 2.0 * (math.lgamma(alpha) + math.lgamma(beta) - math.lgamma(alpha + beta))
    )
    a, b, c, d = alpha, beta, alpha, beta
    for _ in range(j):
        g -= h / b
        h *= (a + b) * (b + d) / (b * (a + b + c + d))
        b += 1.0
    for _ in range(l):
        g += h / d
        h *= (c + d) * (b + d) / (d * (a + b + c + d))
        d += 1.0
    for _ in range(i):
        g += h / a
        h *= (a + b) * (a + c) / (a * (a + b + c + d))
        a += 1.0
    for _ in range(k):
        g -= h / c
        h *= (c + d) * (a + c) / (c * (a + b + c + d))
        c += 1.0
    return g, h


@kernel()
def chance_first_is_larger(pulls, means, size, alpha, beta, out):
    """Write P(the first arm's draw is the larger one) in each of `size` states of two arms.

    A state that follows from the one before, or begins the next row, takes one step; that is how `bandits.exact` orders
    a block. Both lead by way of the state that lacks a success of the one and a failure of the other: `low` is h there.
    """
    g, h, low, begins = 0.5, 0.0, 0.0, True  # a row: h is known, not yet `low`
    row, row_h, at_row = 0.5, 0.0, -1
    for r in range(size):
        n, m = int(pulls[r]), int(pulls[size + r])
        i, k = int(n * means[r] + 0.5), int(m * means[size + r] + 0.5)
        j, l = n - i, m - k  # noqa: E741
        a, b, c, d = alpha + i, beta + j, alpha + k, beta + l
        same = r > 0 and pulls[r - 1] == pulls[r] and pulls[size + r - 1] == pulls[size + r]
        if same and k > 0 and i == int(n * means[r - 1] + 0.5) and k == 1 + int(m * means[size + r - 1] + 0.5):
            c -= 1.0
            if begins:
                low = h * (a + b + c + d) * d / ((b + d) * (c + d))
            else:
                low *= (a + c - 1.0) * d / ((b + d) * (c - 1.0))
            g -= low * (c + d) / (c * d)
            begins = False
        elif same and k == 0 and i == at_row + 1:
            a -= 1.0
            low = row_h * (a + b + c + d) * b / ((b + d) * (a + b))
            g = row + low * (a + b) / (a * b)
            h = low * (a + c) * (a + b) / (a * (a + b + c + d))
            begins = True
        else:
            g, h = _afresh(alpha, beta, i, j, k, l)
            begins = True
        if k == 0:
            row, row_h, at_row = g, h, i
        out[r] = min(1.0, max(0.0, g))


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
        wins, others = 0.0, 0.0
        for q in range(_COUNT):
            wins += first[q] * below[2, won[2], q]
            others += second[q] * below[2, won[2], q]
        out[r], out[size + r] = min(wins, 1.0), min(others, 1.0)
        out[2 * size + r] = max(0.0, 1.0 - wins - others)
