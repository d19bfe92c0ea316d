"""The shares of pulls with which the best of Bernoulli arms is identified soonest, solved inside a kernel.

`bandits.identification.characteristic` solves the same problem for every family, at leisure.
"""

from __future__ import annotations

import math

from numerics.kernels.jit import kernel

_ALIKE = 1e-9  # a gap so small that the shares are those of its limit, 0
_CLOSE = 1e-7  # relative, a last step of Newton's iteration: the next would be of the order of its square
_STEPS = 60


@kernel()
def write_optimal_weights(means, weights):
    """Write w* of Bernoulli arms of these means over `weights`; equal best arms share all pulls. Shapes float64[K].

    Let d be the divergence, a the best arm, and m the mean of (1, x) rewards of a and b. The cost of telling b from a
    is g(x) = d(mu_a, m) + x d(mu_b, m) for each pull of a. Garivier and Kaufmann, "Optimal best arm identification with
    fixed confidence", COLT 2016, theorem 5. At the maximum all costs have the same value y. There F(y), the sum over b
    of d(mu_a, m) / d(mu_b, m), is 1. Newton's iteration solves 1 / (1 + sqrt(F)) = 1/2 inside an interval that contains
    the root. For two normal arms the left-hand side is linear in y. x(y) is updated from step to step.
    """
    top, alike, high = -math.inf, 0, math.inf
    for a in range(means.size):
        top = max(top, means[a])
    for a in range(means.size):
        alike += top - means[a] <= _ALIKE
    if alike > 1 or means.size == 1:
        for a in range(means.size):
            weights[a] = 1.0 / alike if top - means[a] <= _ALIKE else 0.0
        return
    for a in range(means.size):
        high = min(high, _divergence(top, means[a])) if means[a] < top else high
    low, y = 0.0, high / (1.0 + math.sqrt(means.size - 1.0)) if high < math.inf else top
    for a in range(means.size):
        limit = _divergence(top, means[a])  # of g
        weights[a] = y / (limit - y) if limit < math.inf else 1.0
    for _ in range(_STEPS):
        total, slope = _sum_of_ratios(top, means, y, weights)
        low, high = (y, high) if total < 1.0 else (low, y)
        root = math.sqrt(total)
        after = y + (1.0 - root) * (1.0 + root) * root / slope
        if not low < after < high:
            after = 0.5 * (low + high) if high < math.inf else 2.0 * y
        for a in range(means.size):
            if means[a] < top:  # dx / dy = 1 / d(mu_b, m)
                x = weights[a]
                moved = x + (after - y) / _divergence(means[a], (top + x * means[a]) / (1.0 + x))
                weights[a] = moved if moved > 0.0 else 0.5 * x
        step, y = abs(after - y), after
        if step <= _CLOSE * y:
            break
    total = 1.0
    for a in range(means.size):
        weights[a] = weights[a] if means[a] < top else 1.0
        total += weights[a] if means[a] < top else 0.0
    for a in range(means.size):
        weights[a] /= total


@kernel()
def _sum_of_ratios(top, means, y, weights):
    """Write the x at which each arm costs y over `weights`, near those that it holds; return F(y) and dF / dy."""
    total, slope = 0.0, 0.0
    for a in range(means.size):
        mean, x = means[a], weights[a]
        if mean == top:
            continue
        m, ours, others = top, 0.0, 0.0
        for _ in range(_STEPS):  # g is concave: from the left the iteration rises to the root
            m = (top + x * mean) / (1.0 + x)
            ours, others = _divergence(top, m), _divergence(mean, m)
            step = (y - ours) / others - x
            x = x + step if x + step > 0.0 else 0.25 * x
            if abs(step) <= _CLOSE * x:
                break
        weights[a] = x
        total += ours / others
        change = ((m - top) * others - ours * (m - mean)) / (m * (1.0 - m) * others * others)
        slope += change * (mean - top) / ((1.0 + x) * (1.0 + x) * others)
    return total, slope


@kernel()
def _divergence(p, q):
    """kl(p, q) for p and q in [0, 1], with most of its digits where p and q nearly agree too."""
    if (q == 0.0 and p > 0.0) or (q == 1.0 and p < 1.0):
        return math.inf
    total = -p * math.log1p((q - p) / p) if p > 0.0 else 0.0
    return total - (1.0 - p) * math.log1p((p - q) / (1.0 - p)) if p < 1.0 else total
