"""The index rules, each the only place where its formula stands; bandits and trees call the same ones.

Legend: n pulls, m mean, w = 1 / sqrt(n), V variance, t the pull being chosen, T the horizon, K arms, L replications.
"""

from __future__ import annotations

import math

from bandits.hooks import index_rule
from numerics.jit import kernel
from numerics.random import next_beta, next_uniform

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


@index_rule
def ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """m + c sqrt(ln t / n): UCB1, Auer, Cesa-Bianchi and Fischer 2002, figure 1, with c = sqrt(2). params = [c]."""
    bonus = params[0] * math.sqrt(math.log(t))
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@index_rule
def greedy(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """The estimate itself: no bonus. Optimism, if any, is in the start value of the estimates. params = []."""
    for i in range(out.size):
        out[i] = means[i]


@index_rule
def moss(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """m + sqrt(max(0, ln(T / (K n))) / n): MOSS, Audibert and Bubeck, COLT 2009, section 2. params = []."""
    size = rng.shape[0]
    share = horizon * size / out.size
    for i in range(out.size):
        out[i] = means[i]
        if pulls[i] < share:
            out[i] += math.sqrt(math.log(share / pulls[i])) * widths[i]


@index_rule
def ucb_v(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """m + sqrt(2 zeta V ln t / n) + 3 c zeta ln t / n: UCB-V for rewards in [0, 1]. params = [zeta, c].

    Audibert, Munos and Szepesvari, Theoretical Computer Science 410 (2009), equation (2) with E = zeta ln t, b = 1.
    """
    e = params[0] * math.log(t)
    spread, bias = math.sqrt(2.0 * e), 3.0 * params[1] * e
    for i in range(out.size):
        w = widths[i]
        out[i] = means[i] + (spread * math.sqrt(variances[i]) + bias * w) * w


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
def negative_entropy(p):
    """p ln p + (1 - p) ln(1 - p), 0 at both ends."""
    if p <= 0.0 or p >= 1.0:
        return 0.0
    return p * math.log(p) + (1.0 - p) * math.log(1.0 - p)


@kernel()
def kl_upper(p, level, entropy, start):
    """Return max{q : kl(p, q) <= level} for p in [0, 1], to about 1e-13; entropy = negative_entropy(p).

    Newton's iteration on the convex q -> kl(p, q), begun above the root, stays above it and falls to it. It begins at
    `start`, any upper bound of the root. Where that is near 1, there is 1 - exp((entropy - level) / (1 - p)) too, a
    bound because p ln(p / q) >= p ln p. The iteration keeps 1 - q, which has its digits there.
    """
    if p >= 1.0:
        return 1.0
    if level <= 0.0:
        return p
    if p <= 0.0:
        return -math.expm1(-level)
    constant = entropy - level  # kl(p, q) - level = constant - p ln q - (1 - p) ln(1 - q)
    gap = 1.0 - start
    if gap < 0.01:
        gap = max(gap, math.exp(constant / (1.0 - p)))
        if gap < 1e-300:
            return 1.0
    for _ in range(60):
        q = 1.0 - gap
        excess = constant - p * math.log(q) - (1.0 - p) * math.log(gap)
        step = excess * q * gap / (q - p)  # the slope is (q - p) / (q (1 - q))
        gap += step
        if step <= 1e-8 * gap:  # the next step would be of the order of 1e-16: the iteration is quadratic
            break
    return max(1.0 - gap, p)


@kernel(inline=True)
def kl_upper_bound(p, level):
    """Return a close upper bound of max{q : kl(p, q) <= level} by arithmetic alone, so that a loop of it vectorises.

    kl(p, q) is the integral of (x - p) g(x) over [p, q], g(x) = 1 / x + 1 / (1 - x). All even derivatives of g are
    positive, so that any Gauss rule for the weight (x - p) is a lower bound of kl, and solves to an upper bound of q.
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
    x1, x2 = p + NODE_1 * d, p + NODE_2 * d
    x3, x4 = p + NODE_3 * d, p + NODE_4 * d
    lower = (
        WEIGHT_1 / (x1 * (1.0 - x1))
        + WEIGHT_2 / (x2 * (1.0 - x2))
        + WEIGHT_3 / (x3 * (1.0 - x3))
        + WEIGHT_4 / (x4 * (1.0 - x4))
    )
    step = (d * lower - level / d) * q * (1.0 - q)
    return q - (step if step > 0.0 else 0.0)  # 0 also where it is no number: p = q = 0 or 1


@index_rule
def kl_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """max{q : n kl(m, q) <= ln t + c ln ln t}: KL-UCB, Garivier and Cappe, COLT 2011, algorithm 1. params = [c].

    Only the winner's index is wanted. Every arm gets a close upper bound of its index; the arm of the highest mean,
    which nearly always wins, is solved for exactly. Another arm is looked at only if its bound exceeds the best index q
    so far, and solved for only if kl(m, q) says that its index does. The others get -inf.
    """
    size = rng.shape[0]
    arms = out.size // size
    level = math.log(t)
    if params[0] > 0.0 and level > 1.0:
        level += params[0] * math.log(level)
    for i in range(out.size):
        out[i] = kl_upper_bound(means[i], level * widths[i] * widths[i]) + 1e-12  # the slack covers rounding
    for r in range(size):
        first = r
        for a in range(1, arms):
            i = a * size + r
            if means[i] > means[first]:
                first = i
        best = kl_upper(means[first], level / pulls[first], negative_entropy(means[first]), out[first])
        out[first] = best
        certain = best >= 1.0
        log_best, log_rest = math.log(best) if best > 0.0 else 0.0, 0.0 if certain else math.log(1.0 - best)
        for a in range(arms):
            i = a * size + r
            if i == first:
                continue
            bound, out[i] = out[i], -math.inf
            if bound < best:
                continue
            m, budget = means[i], level / pulls[i]
            entropy = negative_entropy(m)
            # The slack keeps an arm of equal statistics, whose index is equal, in the race for the tie.
            if certain or m >= best or entropy - m * log_best - (1.0 - m) * log_rest <= budget * (1.0 + 1e-9):
                out[i] = kl_upper(m, budget, entropy, bound)
                if out[i] > best:
                    best = out[i]
                    certain = best >= 1.0
                    log_best, log_rest = math.log(best), 0.0 if certain else math.log(1.0 - best)


@kernel()
def beta_above(a, b, x, rng, r):
    """Draw from Beta(a, b), but return -inf where the draw is below x, mostly without making it.

    With k = a - 1, l = b - 1, N = k + l and the mode m = k / N below x, the density f is log-concave, so that on (x, 1)

        f(y) <= F exp(-rate (y - x)),   rate = N (x - m) / (x (1 - x)),
        F = (N + 1) / sqrt(2 pi N m (1 - m)) * exp(-N kl(m, x)) >= f(x)   by Stirling's formula with Binet's remainder.

    That envelope has mass M = F / rate. With probability 1 - M nothing is drawn; else y comes from the envelope and is
    kept with probability f(y) / envelope(y): a draw above x has density f exactly, whatever the slack of the bound.
    Pinsker's kl(m, x) >= 2 (x - m)^2 rejects nearly all without a logarithm; where it puts M below 2^-53, the
    resolution of a uniform, nothing is drawn at all.
    """
    k, l = a - 1.0, b - 1.0  # noqa: E741 (the letters of the binomial)
    n = k + l
    if k == 0.0 and l > 0.0 and b * x > 40.0:  # P(Beta(1, b) > x) = (1 - x)^b <= exp(-b x)
        return -math.inf
    if k <= 0.0 or l <= 0.0 or x * n <= k or x >= 1.0:
        return next_beta(a, b, rng, r)
    m = k / n
    d = x - m
    exponent = 2.0 * n * d * d
    if exponent > 60.0:
        return -math.inf
    height = (n + 1.0) / math.sqrt(6.283185307179586 * n * m * (1.0 - m))
    rate = n * d / (x * (1.0 - x))
    if height * math.exp(-exponent) >= rate:  # an envelope of mass above 1: nothing gained
        return next_beta(a, b, rng, r)
    u = next_uniform(rng, r) * rate
    if u > height * math.exp(-exponent):
        return -math.inf
    divergence = n * bernoulli_kl(m, x)
    if u > height * math.exp(-divergence):
        return -math.inf
    fall = -math.log(1.0 - next_uniform(rng, r))
    y = x + fall / rate
    if y >= 1.0:
        return -math.inf
    log_density = k * math.log(y) + l * math.log(1.0 - y) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    if math.log(1.0 - next_uniform(rng, r)) + math.log(height) - divergence - fall < log_density:
        return y
    return -math.inf


@index_rule(every_arm_first=False)
def thompson(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """A draw from each arm's posterior Beta(alpha + successes, beta + failures). params = [alpha, beta].

    Thompson 1933; Agrawal and Goyal, COLT 2012, algorithm 1. Only the largest draw matters: the arm of the highest mean
    is drawn first, then every other arm only as far as it exceeds the largest draw so far (-inf where it does not).
    """
    size = rng.shape[0]
    arms = out.size // size
    alpha, beta = params[0], params[1]
    for r in range(size):
        first = r
        for a in range(1, arms):
            i = a * size + r
            if means[i] > means[first]:
                first = i
        gained = means[first] * pulls[first]
        best = next_beta(alpha + gained, beta + pulls[first] - gained, rng, r)
        out[first] = best
        for a in range(arms):
            i = a * size + r
            if i != first:
                gained = means[i] * pulls[i]
                out[i] = beta_above(alpha + gained, beta + pulls[i] - gained, best, rng, r)
                best = max(best, out[i])
