"""The index max{q : n kl(m, q) <= level} of KL-UCB and its kin, solved for where it may win and bounded elsewhere.

Each arm has a level of its own, at least 0, which the caller writes where the index will stand. Only the winner's index
is wanted. The arm of the highest mean, which nearly always wins, is solved for. Another arm's index exceeds that one,
q, only if n kl(m, q) is within its level. A lower bound of kl, by arithmetic alone, rules out nearly all arms, and kl
itself rules out most of the others. The rest are solved for. The others get -inf.

Legend: n pulls, m mean, w = 1 / sqrt(n), K arms; p a mean and q above it, where kl is a function of two numbers.
"""

from __future__ import annotations

import math

import numpy as np

from numerics.kernels.arrays import empty
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import at
from numerics.kernels.simd import LANES, bits_of, first_bit, lanes_at, lanes_of, put_lanes, select_lanes

# The four-point Gauss rule for the weight x on [0, 1]: scipy.special.roots_sh_jacobi(4, 2, 2) (a test compares).
NODE_1, NODE_2, NODE_3, NODE_4 = NODES = (
    0.13975986434378057,
    0.41640956763108317,
    0.7231569863618762,
    0.9428958038854823,
)
WEIGHT_1, WEIGHT_2, WEIGHT_3, WEIGHT_4 = WEIGHTS = (
    0.031180970950008054,
    0.12984754760823247,
    0.20346456801027146,
    0.135506913431488,
)
START_SLACK = 1e-12  # covers the rounding of `kl_upper_bound`
NEAR_ONE = 0.01  # a bound of the root that comes closer to 1 has lost digits
CLOSE = 1e-8  # a last step of Newton's iteration: the next would be of the order of its square
ROUNDING = 1.0 + 1e-9  # covers it, and keeps an arm of equal statistics in the race for the tie


@kernel()
def bernoulli_kl(p, q):
    """kl(p, q) = p ln(p / q) + (1 - p) ln((1 - p) / (1 - q)), for p in [0, 1] and q in (0, 1)."""
    total = 0.0
    if p > 0.0:
        total += p * math.log(p / q)
    if p < 1.0:
        total += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return total


@kernel()
def kl_upper(p, level, start):
    """Return max{q : kl(p, q) <= level} for p in [0, 1], to about 1e-13.

    Newton's iteration on the convex q -> kl(p, q), begun above the root, stays above it and falls to it. It begins at
    `start`, any upper bound of the root. Near 1 there is a second one: 1 - exp((H - level) / (1 - p))
    with H = p ln p + (1 - p) ln(1 - p). It is a bound because p ln(p / q) >= p ln p. The iteration
    keeps 1 - q, which has its digits there.
    """
    if p >= 1.0:
        return 1.0
    if level <= 0.0:
        return p
    if p <= 0.0:
        return -math.expm1(-level)
    gap, rest = 1.0 - start, 1.0 - p
    if gap < NEAR_ONE:
        gap = max(gap, math.exp((p * math.log(p) + rest * math.log(rest) - level) / rest))
        if gap < 1e-300:
            return 1.0
    for _ in range(60):  # the slope in q is (q - p) / (q (1 - q))
        q = 1.0 - gap
        step = (p * math.log(p / q) + rest * math.log(rest / gap) - level) * q * gap / (q - p)
        gap += step
        if step <= CLOSE * gap:
            break
    return max(1.0 - gap, p)


@kernel(inline=True)
def kl_upper_bound(p, level):
    """Return a close upper bound of max{q : kl(p, q) <= level} by arithmetic alone, so that a loop of it vectorises.

    kl(p, q) is the integral of (x - p) g(x) over [p, q], g(x) = 1 / x + 1 / (1 - x). All even derivatives of g are
    positive. So every Gauss rule for the weight (x - p) is a lower bound of kl, and its root is an upper bound of q.
    One node, at (p + 2 q) / 3, leaves a quadratic. Newton steps with four nodes follow; their slope is that of kl, the
    steeper, which keeps them above the root.
    """
    tilt = level * (2.0 / 3.0) * (1.0 - 2.0 * p)
    scale = 1.0 + level * (8.0 / 9.0)
    q = min(p + (tilt + math.sqrt(tilt * tilt + 2.0 * scale * level * p * (1.0 - p))) / scale, 1.0)
    return _gauss_step(p, level, _gauss_step(p, level, _gauss_step(p, level, q)))  # no loop: it would not vectorise


@kernel(inline=True)
def _gauss_step(p, level, q):
    """Newton's step on d^2 lower(q) = level, d = q - p, with the slope d / (q (1 - q)) of kl itself."""
    d = q - p
    over, under = _gauss_sum(p, d)
    step = (d * d * over - level * under) * q * (1.0 - q) / (d * under)
    return q - (step if step > 0.0 else 0.0)  # 0 also where it is no number: p = q = 0 or 1


@kernel(inline=True)
def _gauss_sum(p, d):
    """The four-node rule for the integral of x g(p + d x) over [0, 1], which is kl(p, p + d) / d^2 or a little less.

    Returned as a fraction, over / under: a comparison then needs no division, and a Newton step one.
    """
    x1, x2 = p + NODE_1 * d, p + NODE_2 * d
    x3, x4 = p + NODE_3 * d, p + NODE_4 * d
    u1, u2, u3, u4 = x1 * (1.0 - x1), x2 * (1.0 - x2), x3 * (1.0 - x3), x4 * (1.0 - x4)
    left, right = u1 * u2, u3 * u4
    over = (WEIGHT_1 * u2 + WEIGHT_2 * u1) * right + (WEIGHT_3 * u4 + WEIGHT_4 * u3) * left
    return over, left * right


@kernel()
def kl_rival(n, m, w, level, best):
    """Return the index of an arm if it exceeds `best` or equals it, else -inf, mostly without solving for it."""
    if best < 1.0 and m < best and n * bernoulli_kl(m, best) > level * ROUNDING:
        return -math.inf
    return kl_upper(m, level / n, kl_upper_bound(m, level * w * w) + START_SLACK)


@kernel()
def highest_means(means, top, first):
    """Write the highest mean of each replication, and the lowest arm that has it."""
    size = top.size
    whole = size - size % LANES
    for r in range(0, whole, LANES):
        high, best, number = lanes_at(means, r), lanes_of(np.uint64(0)), lanes_of(np.uint64(0))
        for i in range(size + r, means.size, size):
            number = number + np.uint64(1)
            mean = lanes_at(means, i)
            best = select_lanes(mean > high, number, best)
            high = select_lanes(mean > high, mean, high)
        put_lanes(top, r, high)
        put_lanes(first, r, best)
    for r in range(whole, size):
        top[r], first[r] = means[r], 0
        for a in range(1, means.size // size):
            m = means[a * size + r]
            first[r] = a if m > top[r] else first[r]
            top[r] = m if m > top[r] else top[r]


@kernel()
def above(numbers, begun, count, limit):
    """Return a number whose bit k tells whether numbers[begun + k] > limit, for the first `count` <= 8 of them."""
    if count == LANES:
        return bits_of(lanes_at(numbers, begun) > limit)
    bits = 0
    for k in range(count):
        bits |= int(numbers[begun + k] > limit) << k
    return bits


@kernel(inline=True)
def kl_excluded(n, m, best, slack):
    """Return whether n kl(m, best) > slack by arithmetic alone, which never says so wrongly."""
    d = best - m
    over, under = _gauss_sum(m, d)
    return (d > 0.0) & (n * d * d * over > slack * under)


@kernel()
def kl_alone(pulls, means, widths, out):
    """Write the indices that may win, of the K arms of a single replication, over their levels."""
    winner = 0
    for a in range(1, out.size):
        winner = a if means[a] > means[winner] else winner
    m, w = means[winner], widths[winner]
    q = kl_upper(m, out[winner] / pulls[winner], kl_upper_bound(m, out[winner] * w * w) + START_SLACK)
    for a in range(out.size):
        out[a] = -math.inf if kl_excluded(pulls[a], means[a], q, out[a] * ROUNDING) else out[a]
    out[winner] = q
    for a in range(out.size):
        if out[a] > -math.inf and a != winner:
            out[a] = kl_rival(pulls[a], means[a], widths[a], out[a], q)
            q = max(q, out[a])


@kernel()
def kl_block(pulls, means, widths, out, size):
    """Write the indices that may win, of the K arms of `size` replications, arm-major, over their levels."""
    arms = out.size // size
    top, best, first = empty(size), empty(size), empty(size, np.int64)
    highest_means(means, top, first)
    for r in range(size):
        i = at(first[r] * size + r)
        w = widths[i]
        best[r] = out[i] * w * w
    for r in range(size):  # a loop by itself, which becomes vector instructions
        best[r] = kl_upper_bound(top[r], best[r]) + START_SLACK
    for r in range(size):
        i = at(first[r] * size + r)
        best[r] = kl_upper(top[r], out[i] / pulls[i], best[r])
    for a in range(arms):
        for r in range(size):
            i = a * size + r
            out[i] = -math.inf if kl_excluded(pulls[i], means[i], best[r], out[i] * ROUNDING) else out[i]
    for r in range(size):
        top[r] = best[r]  # from here on the index of arm `first`; `best` rises with its rivals
        out[at(first[r] * size + r)] = -math.inf
    for a in range(arms):
        for begun in range(0, size, LANES):
            rivals = above(out, a * size + begun, min(LANES, size - begun), -math.inf)
            while rivals:
                r = begun + first_bit(rivals)
                rivals &= rivals - 1
                i = at(a * size + r)
                out[i] = kl_rival(pulls[i], means[i], widths[i], out[i], best[r])
                best[r] = max(best[r], out[i])
    for r in range(size):
        out[at(first[r] * size + r)] = top[r]


@kernel()
def write_kl_indices(pulls, means, widths, out, size):
    """Write the indices that may win over the levels in `out`; the others become -inf.

    A single replication, which is what a tree asks for at every node, does without the scratch of a block.
    """
    if size == 1:
        kl_alone(pulls, means, widths, out)
    else:
        kl_block(pulls, means, widths, out, size)
