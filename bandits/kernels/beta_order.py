"""The probability that one Beta variable is larger than another, in closed form and state by state.

With g(a, b, c, d) = P(X > Y), X ~ Beta(a, b), Y ~ Beta(c, d), and h = B(a + c, b + d) / (B(a, b) B(c, d)):

    g(a + 1, b, c, d) = g + h / a      g(a, b, c + 1, d) = g - h / c
    g(a, b + 1, c, d) = g - h / b      g(a, b, c, d + 1) = g + h / d

Cook, "Exact calculation of beta inequalities", technical report UTMDABTR-005-05 (2005), section 3. From equal laws,
where g = 1/2, these lead to any numbers of successes and failures; errors of rounding stay below 1e-12 up to 1,000.
"""

from __future__ import annotations

import math

import numpy as np

from numerics.kernels.jit import kernel


@kernel()
def log_gammas(alpha, beta, most):
    """Return ln Gamma(x + k) for k = 0, ..., most; rows: x = alpha, beta, their sum, and twice each of these."""
    table = np.empty((6, most + 1))
    for k in range(most + 1):
        table[0, k], table[3, k] = math.lgamma(alpha + k), math.lgamma(2.0 * alpha + k)
        table[1, k], table[4, k] = math.lgamma(beta + k), math.lgamma(2.0 * beta + k)
        table[2, k], table[5, k] = math.lgamma(alpha + beta + k), math.lgamma(2.0 * (alpha + beta) + k)
    return table


@kernel(inline=True)
def _h(known, i, j, k, l):  # noqa: E741 (the letters of the counts)
    """Return h at i successes and j failures of X, k and l of Y."""
    return math.exp(
        known[3, i + k] + known[4, j + l] - known[5, i + j + k + l]
        - (known[0, i] + known[1, j] - known[2, i + j]) - (known[0, k] + known[1, l] - known[2, k + l])
    )  # fmt: skip


@kernel()
def _afresh(known, alpha, beta, i, j, k, l):  # noqa: E741
    """Return g at these counts, counted up from equal laws."""
    g = 0.5
    for x in range(j):
        g -= _h(known, 0, x, 0, 0) / (beta + x)
    for x in range(l):
        g += _h(known, 0, j, 0, x) / (beta + x)
    for x in range(i):
        g += _h(known, x, j, 0, l) / (alpha + x)
    for x in range(k):
        g -= _h(known, i, j, x, l) / (alpha + x)
    return g


@kernel()
def chance_first_is_larger(pulls, means, size, alpha, beta, known, out):
    """Write P(the first arm's draw is the larger one) in each of `size` states of two arms.

    A state that follows from the one before, or begins the next row, takes one step; that is how `bandits.exact` orders
    a block.
    """
    before, row, at_row = 0.5, 0.5, -1
    for r in range(size):
        n, m = int(pulls[r]), int(pulls[size + r])
        i, k = int(n * means[r] + 0.5), int(m * means[size + r] + 0.5)
        j, l = n - i, m - k  # noqa: E741
        same = r > 0 and pulls[r - 1] == pulls[r] and pulls[size + r - 1] == pulls[size + r]
        if same and k > 0 and i == int(n * means[r - 1] + 0.5) and k == 1 + int(m * means[size + r - 1] + 0.5):
            g = before - _h(known, i, j, k - 1, l) * (1.0 / (beta + l) + 1.0 / (alpha + k - 1.0))
        elif same and k == 0 and i == at_row + 1:
            g = row + _h(known, i - 1, j, 0, l) * (1.0 / (beta + j) + 1.0 / (alpha + i - 1.0))
        else:
            g = _afresh(known, alpha, beta, i, j, k, l)
        if k == 0:
            row, at_row = g, i
        before = g
        out[r] = min(1.0, max(0.0, g))
