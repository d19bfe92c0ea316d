"""The highest of independent draws m_i + s_i Z_i, one an arm, where Z is normal or Gumbel; the others are not made.

Only the largest draw matters. The arm of the highest mean is drawn first. Each other arm's draw exceeds that one with
at most the probability of its tail's bound: one uniform u against their sum tells, nearly always, that none does. Else
u tells the first arm at which the event of `_draw_tail` happens, and the arms behind it are drawn as far as they
matter. `bandits.policies.thompson` does the same with Beta posteriors.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.argmax import choose_best
from numerics.kernels.jit import kernel
from numerics.random import next_normal, next_uniform

_LEAST_UNIFORM = 2.0**-54
_ROOT_TWO_PI = 0.3989422804014327  # its inverse


@kernel()
def write_highest(means, widths, scale, gumbel, rng, out):
    """Write the highest of the draws means + scale widths Z over `out`, with -inf for arms that have it not.

    Z is standard Gumbel, or standard normal where not `gumbel`. Shapes: float64[K * L]; rng uint64[L, 4].
    """
    size = rng.shape[0]
    best, chance, first = np.empty(size), np.zeros(size), np.empty(size, np.int64)
    choose_best(means, rng, first)
    for r in range(size):
        i = first[r] * size + r
        best[r] = means[i] + scale * widths[i] * _draw(gumbel, rng, r)
    for a in range(out.size // size):
        for r in range(size):
            i = a * size + r
            bound = _tail_bound((best[r] - means[i]) / (scale * widths[i]), gumbel)
            chance[r] += 0.0 if first[r] == a else bound
            out[i] = -math.inf
    for r in range(size):
        out[first[r] * size + r] = best[r]
        u = next_uniform(rng, r)
        if u < chance[r]:
            _draw_rivals(means, widths, scale, gumbel, size, r, first[r], best[r], u, rng, out)


@kernel()
def _draw(gumbel, rng, r):
    """Draw Z."""
    if gumbel:
        return -math.log(-math.log(max(next_uniform(rng, r), _LEAST_UNIFORM)))
    return next_normal(rng, r)


@kernel(inline=True)
def _tail_bound(z, gumbel):
    """Return a bound of P(Z > z) by arithmetic alone, so that a loop of it vectorises.

    P(Z > z) <= exp(-z) for a Gumbel Z, and <= exp(-z^2 / 2) / (z sqrt(2 pi)) for a normal one and z > 0; and
    exp(x) >= (1 + x/8 + ... + (x/8)^4 / 24)^8 for x >= 0. Where z <= 0 it is 1.
    """
    x = 0.125 * z if gumbel else 0.0625 * z * z
    growth = 1.0 + x * (1.0 + x * (0.5 + x * (0.16666666666666666 + x * 0.041666666666666664)))
    growth *= growth
    growth *= growth
    growth *= growth
    bound = 1.0 / growth if gumbel else _ROOT_TWO_PI / (z * growth)
    return bound if (z > 0.0) & (bound < 1.0) else 1.0


@kernel()
def _draw_tail(z, bound, gumbel, rng, r):
    """Draw Z, or return -inf, after an event of probability `bound` = _tail_bound(z).

    The bound is the mass of an exponential envelope of the density above z: a draw from it is kept with probability
    density / envelope. Over both chances a result above z has the density of Z exactly. Where the bound is 1 the draw
    is an ordinary one.
    """
    if bound >= 1.0:
        return _draw(gumbel, rng, r)
    rate = 1.0 if gumbel else z
    fall = -math.log(1.0 - next_uniform(rng, r))
    y = z + fall / rate
    log_density = -y - math.exp(-y) if gumbel else math.log(_ROOT_TWO_PI) - 0.5 * y * y
    kept = math.log(1.0 - next_uniform(rng, r)) + math.log(bound * rate) - fall < log_density
    return y if kept else -math.inf


@kernel()
def _draw_rivals(means, widths, scale, gumbel, size, r, first, best, u, rng, out):
    """Write those draws of replication r that exceed `best`, the draw of arm `first`; u is below their summed bounds.

    All other arms have -inf beforehand.
    """
    happened = False
    for a in range(out.size // size):
        if a == first:
            continue
        i = a * size + r
        spread = scale * widths[i]
        z = (best - means[i]) / spread
        bound = _tail_bound(z, gumbel)
        if not happened:
            happened = u < bound
            if not happened:
                u = (u - bound) / (1.0 - bound)  # uniform again, now that this arm is known to be below
                continue
        elif not next_uniform(rng, r) < bound:
            continue
        draw = means[i] + spread * _draw_tail(z, bound, gumbel, rng, r)
        if draw > best:
            out[i] = draw
            best = draw


@kernel()
def gumbel_chance(gap, own, other):
    """Return P(gap + own X > other Y) of standard Gumbel X and Y, to about 1e-14.

    It is the integral of P(other Y < gap + own x) over the law of x, where X has the smaller scale: by the trapezoid
    rule, whose error vanishes for functions that are analytic so far around the axis.
    """
    if own > other:
        return 1.0 - gumbel_chance(-gap, other, own)
    total = 0.0
    for k in range(-16, 161):
        x = 0.25 * k
        total += math.exp(-x - math.exp(-x) - math.exp(-(gap + own * x) / other))
    return 0.25 * total
