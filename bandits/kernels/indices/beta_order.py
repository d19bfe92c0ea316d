"""The probability that the first of two independent Beta variables is the larger one, state by state.

With g(a, b, c, d) = P(X > Y), X ~ Beta(a, b), Y ~ Beta(c, d), and
h = B(a + c, b + d) / (B(a, b) B(c, d)):

    g(a + 1, b, c, d) = g + h / a      h(a + 1, b, c, d) = h (a + b) (a + c) / (a (a + b + c + d))
    g(a, b + 1, c, d) = g - h / b      h(a, b + 1, c, d) = h (a + b) (b + d) / (b (a + b + c + d))
    g(a, b, c + 1, d) = g - h / c      and so on
    g(a, b, c, d + 1) = g + h / d

Cook, "Exact calculation of beta inequalities", technical report UTMDABTR-005-05 (2005), section 3. From equal laws,
where g = 1/2, these lead to any numbers of successes and failures; errors of rounding stay below 1e-13 up to 1,000.
"""

from __future__ import annotations

import math

from numerics.kernels.jit import kernel


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


@kernel("void(float64[::1], float64[::1], int64, float64, float64, float64[::1])")
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
