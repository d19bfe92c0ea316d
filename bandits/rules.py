"""The index rules, each the only place where its formula stands; bandits and trees call the same ones.

Legend: n pulls, m mean, w = 1 / sqrt(n), V variance, t the pull being chosen, T the horizon, K arms, L replications.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.argmax import choose_best, choose_one
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
START_SLACK = 1e-12  # covers the rounding of `kl_upper_bound`
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


@index_rule(every_arm_first=False)
def puct(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """m + c P sqrt(t - 1) / (1 + n), P the arm's prior: PUCT. params = [c].

    Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017), methods, section "Select",
    where t - 1 is the sum of the visits of all actions; after Rosin, "Multi-armed bandits with episode context",
    Annals of Mathematics and Artificial Intelligence 61 (2011).
    """
    bonus = params[0] * math.sqrt(t - 1.0)
    for i in range(out.size):
        out[i] = means[i] + bonus * priors[i] / (1.0 + pulls[i])


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
    step = (d * _gauss_sum(p, d) - level / d) * q * (1.0 - q)
    return q - (step if step > 0.0 else 0.0)  # 0 also where it is no number: p = q = 0 or 1


@kernel(inline=True)
def _gauss_sum(p, d):
    """The four-node rule for the integral of x g(p + d x) over [0, 1], which is kl(p, p + d) / d^2 or a little less."""
    x1, x2 = p + NODE_1 * d, p + NODE_2 * d
    x3, x4 = p + NODE_3 * d, p + NODE_4 * d
    return (
        WEIGHT_1 / (x1 * (1.0 - x1))
        + WEIGHT_2 / (x2 * (1.0 - x2))
        + WEIGHT_3 / (x3 * (1.0 - x3))
        + WEIGHT_4 / (x4 * (1.0 - x4))
    )


@kernel(inline=True)
def kl_rivals(pulls, means, widths, level, size, r, first, q, out):
    """Write q, the index of arm `first`, and the indices that exceed it; the others of replication r get -inf.

    Arms that cannot exceed q are known beforehand: they have -inf.
    """
    out[first * size + r] = q
    log_q, log_rest = 1.0, 1.0  # not known yet
    for a in range(out.size // size):
        i = a * size + r
        if out[i] == -math.inf or a == first:
            continue
        out[i] = -math.inf
        m, budget, entropy = means[i], level / pulls[i], negative_entropy(means[i])
        if log_q > 0.0:
            log_q, log_rest = math.log(q) if q > 0.0 else 0.0, math.log(1.0 - q) if q < 1.0 else 0.0
        if q >= 1.0 or m >= q or entropy - m * log_q - (1.0 - m) * log_rest <= budget * (1.0 + 1e-9):
            w = widths[i]
            out[i] = kl_upper(m, budget, entropy, kl_upper_bound(m, level * w * w) + START_SLACK)
            if out[i] > q:
                q, log_q = out[i], 1.0


@kernel(inline=True)
def kl_excluded(n, m, best, slack):
    """Return whether n kl(m, best) > slack by arithmetic alone, which never says so wrongly."""
    d = best - m
    return (d > 0.0) & (n * d * d * _gauss_sum(m, d) > slack)


@index_rule
def kl_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """max{q : n kl(m, q) <= ln t + c ln ln t}: KL-UCB, Garivier and Cappe, COLT 2011, algorithm 1. params = [c].

    Only the winner's index is wanted. The arm of the highest mean, which nearly always wins, is solved for. Another
    arm's index exceeds that one, q, only if n kl(m, q) is within the budget: a lower bound of kl rules nearly all out
    by arithmetic, kl itself most of the others, and what is left is solved for. The others get -inf. A single
    replication, which is what a tree asks for at every node, does without the scratch of a block.
    """
    size = rng.shape[0]
    arms = out.size // size
    level = math.log(t)
    if params[0] > 0.0 and level > 1.0:
        level += params[0] * math.log(level)
    slack = level * (1.0 + 1e-9)  # covers rounding, and keeps an arm of equal statistics in the race for the tie
    if size == 1:
        winner = 0
        for a in range(1, arms):
            winner = a if means[a] > means[winner] else winner
        m, w = means[winner], widths[winner]
        bound = kl_upper_bound(m, level * w * w) + START_SLACK
        q = kl_upper(m, level / pulls[winner], negative_entropy(m), bound)
        for a in range(arms):
            out[a] = -math.inf if kl_excluded(pulls[a], means[a], q, slack) else 0.0
        kl_rivals(pulls, means, widths, level, 1, 0, winner, q, out)
        return
    top, best, first = np.empty(size), np.empty(size), np.zeros(size, np.int64)
    for r in range(size):
        top[r] = means[r]
    for a in range(1, arms):
        for r in range(size):
            m = means[a * size + r]
            first[r] = a if m > top[r] else first[r]
            top[r] = m if m > top[r] else top[r]
    for r in range(size):
        w = widths[first[r] * size + r]
        best[r] = level * w * w
    for r in range(size):
        best[r] = kl_upper_bound(top[r], best[r]) + START_SLACK
    for r in range(size):
        best[r] = kl_upper(top[r], level / pulls[first[r] * size + r], negative_entropy(top[r]), best[r])
    for a in range(arms):
        for r in range(size):
            i = a * size + r
            out[i] = -math.inf if kl_excluded(pulls[i], means[i], best[r], slack) else 0.0
    for r in range(size):
        kl_rivals(pulls, means, widths, level, size, r, first[r], best[r], out)


@kernel(inline=True)
def tail_bound(k, l, x):  # noqa: E741 (the letters of the binomial)
    """Return a bound, by arithmetic alone, of the mass of Beta(k + 1, l + 1) above x, so that a loop of it vectorises.

    With n = k + l and the mode k / n below x, the density f is log-concave and falls on (x, 1), where

        f(y) <= F exp(-rate (y - x)),   rate = (n x - k) / (x (1 - x)),
        F = (n + 1) sqrt((n + 0.191) / (2 pi (k + 0.1592) (l + 0.1592))) exp(-n kl(k / n, x)) >= f(x)

    by sqrt(2 pi k + 1) (k / e)^k <= Gamma(k + 1) <= sqrt(2 pi (k + 0.191)) (k / e)^k for k >= 0. The bound is the mass
    of this envelope, F / rate, with two things in the place of exp(n kl): kl(p, q) >= (q - p)^2 / (2 s (1 - s)) at
    s = (p + 2 q) / 3, the one-node rule of `kl_upper_bound`; and exp(z) >= (1 + z/8 + ... + (z/8)^4 / 24)^8. Where the
    mode is not below x, or k < 0, it is 1.
    """
    n = k + l
    excess = n * x - k
    q = k + 2.0 * n * x
    z = 0.5625 * n * excess * excess / (q * (3.0 * n - q))  # an eighth of n kl
    growth = 1.0 + z * (1.0 + z * (0.5 + z * (0.16666666666666666 + z * 0.041666666666666664)))
    growth *= growth
    growth *= growth
    gains, losses = max(k, 0.0), max(l, 0.0)
    spread = math.sqrt((gains + losses + 0.191) / ((gains + 0.15915494309189535) * (losses + 0.15915494309189535)))
    bound = 0.3989422804014327 * (n + 1.0) * spread * x * (1.0 - x) / (excess * growth * growth)
    return bound if (k >= 0.0) & (excess > 0.0) & (bound < 1.0) else 1.0


@kernel()
def draw_tail(k, l, x, bound, rng, r):  # noqa: E741
    """Draw from Beta(k + 1, l + 1), or return -inf, after an event of probability `bound` = tail_bound(k, l, x).

    A draw from the envelope of `tail_bound` is kept with probability f / envelope: over both chances a result above x
    has density f exactly, whatever the slack of the bounds. Where the bound is 1 the draw is an ordinary one.
    """
    if bound >= 1.0:
        return next_beta(k + 1.0, l + 1.0, rng, r)
    n = k + l
    rate = (n * x - k) / (x * (1.0 - x))
    fall = -math.log(1.0 - next_uniform(rng, r))
    y = x + fall / rate
    if y >= 1.0:
        return -math.inf
    log_density = (
        k * math.log(y) + l * math.log1p(-y) + math.lgamma(n + 2.0) - math.lgamma(k + 1.0) - math.lgamma(l + 1.0)
    )
    log_envelope = math.log(bound * rate) - fall
    return y if math.log(1.0 - next_uniform(rng, r)) + log_envelope < log_density else -math.inf


@kernel()
def beta_above(a, b, x, rng, r):
    """Draw from Beta(a, b), but return -inf where the draw is below x, mostly without making it."""
    bound = tail_bound(a - 1.0, b - 1.0, x)
    return draw_tail(a - 1.0, b - 1.0, x, bound, rng, r) if next_uniform(rng, r) < bound else -math.inf


@kernel()
def thompson_rivals(pulls, means, alpha, beta, size, r, first, best, u, rng, out):
    """Write those draws of replication r that exceed `best`, the draw of arm `first`; u is below their summed bounds.

    All other arms have -inf beforehand.
    """
    happened = False
    for a in range(out.size // size):
        if a == first:
            continue
        i = a * size + r
        gained = means[i] * pulls[i]
        x, y = alpha + gained, beta + pulls[i] - gained
        if happened:
            out[i] = beta_above(x, y, best, rng, r)
        else:
            bound = tail_bound(x - 1.0, y - 1.0, best)
            happened = u < bound
            if happened:
                out[i] = draw_tail(x - 1.0, y - 1.0, best, bound, rng, r)
            else:
                u = (u - bound) / (1.0 - bound)  # uniform again, now that this arm is known to be below
        best = max(best, out[i])


@index_rule(every_arm_first=False)
def thompson(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """A draw from each arm's posterior Beta(alpha + successes, beta + failures). params = [alpha, beta].

    Thompson 1933; Agrawal and Goyal, COLT 2012, algorithm 1. Only the largest draw matters. The arm of the highest mean
    is drawn first. Each other arm's draw exceeds that one with at most its `tail_bound`: one uniform u against their
    sum tells, nearly always, that none does. Else u tells the first arm at which the event of `draw_tail` happens, and
    the arms behind it are drawn as far as they matter. An arm that cannot win gets -inf. A single replication does
    without the scratch of a block, as in `kl_ucb`.
    """
    size = rng.shape[0]
    arms = out.size // size
    alpha, beta = params[0], params[1]
    if size == 1:
        winner = choose_one(means, means.size, rng, 0)
        gained = means[winner] * pulls[winner]
        draw = next_beta(alpha + gained, beta + pulls[winner] - gained, rng, 0)
        total = 0.0
        for a in range(arms):
            gained = means[a] * pulls[a]
            bound = tail_bound(alpha + gained - 1.0, beta + pulls[a] - gained - 1.0, draw)
            total += 0.0 if a == winner else bound
            out[a] = -math.inf
        out[winner] = draw
        u = next_uniform(rng, 0)
        if u < total:
            thompson_rivals(pulls, means, alpha, beta, 1, 0, winner, draw, u, rng, out)
        return
    best, chance, first = np.empty(size), np.zeros(size), np.empty(size, np.int64)
    choose_best(means, rng, first)
    for r in range(size):
        i = first[r] * size + r
        gained = means[i] * pulls[i]
        best[r] = next_beta(alpha + gained, beta + pulls[i] - gained, rng, r)
    for a in range(arms):
        for r in range(size):
            i = a * size + r
            gained = means[i] * pulls[i]
            bound = tail_bound(alpha + gained - 1.0, beta + pulls[i] - gained - 1.0, best[r])
            chance[r] += 0.0 if first[r] == a else bound
            out[i] = -math.inf
    for r in range(size):
        out[first[r] * size + r] = best[r]
        u = next_uniform(rng, r)
        if u < chance[r]:
            thompson_rivals(pulls, means, alpha, beta, size, r, first[r], best[r], u, rng, out)
