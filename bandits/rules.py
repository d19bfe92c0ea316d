"""The index rules, each the only place where its formula stands; bandits and trees call the same ones.

Legend: n pulls, m mean, w = 1 / sqrt(n), V variance, t the pull being chosen, T the horizon, K arms, L replications.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.argmax import choose_best, choose_one
from bandits.beta_tail import beta_above, draw_tail, tail_bound
from bandits.hooks import index_rule
from bandits.kl_index import kl_alone, kl_block
from numerics.jit import kernel
from numerics.random import next_beta, next_uniform


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


@index_rule
def kl_ucb(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """max{q : n kl(m, q) <= ln t + c ln ln t}: KL-UCB, Garivier and Cappe, COLT 2011, algorithm 1. params = [c].

    Arms that cannot win get -inf; see `bandits.kl_index`. A single replication, which is what a tree asks for at every
    node, does without the scratch of a block.
    """
    size = rng.shape[0]
    level = math.log(t)
    if params[0] > 0.0 and level > 1.0:
        level += params[0] * math.log(level)
    if size == 1:
        kl_alone(pulls, means, widths, level, out)
    else:
        kl_block(pulls, means, widths, level, out, size)


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
