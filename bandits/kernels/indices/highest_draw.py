"""The highest of independent draws m_i + s_i Z_i, one an arm, where Z is normal or Gumbel; the others are not made.

Only the largest draw matters. The arm of the highest mean is drawn first. Each other arm's draw exceeds it with at most
the probability of its tail bound. Mostly a uniform u above the sum of these bounds shows that none does. Otherwise u
determines the first arm at which the event of `_draw_tail` happens, another uniform the next one, and so on.
`bandits.policies.thompson` does the like with Beta posteriors.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.argmax import choose_best
from numerics.kernels.arrays import empty, zeros
from numerics.kernels.elementary import ln
from numerics.kernels.jit import kernel
from numerics.kernels.pointers import at
from numerics.random import next_uniform, normal_quantile

_LEAST_UNIFORM = 2.0**-54
_ROOT_TWO_PI = 0.3989422804014327  # its inverse


@kernel()
def write_highest(means, widths, scale, gumbel, rng, out):
    """Write the highest of the draws means + scale widths Z over `out`, with -inf for arms that have it not.

    Z is standard Gumbel, or standard normal where not `gumbel`. Shapes: float64[K * L]; rng uint64[L, 4].
    """
    size = rng.shape[0]
    best, chance, first = empty(size), zeros(size), empty(size, np.int64)
    bounds = empty(out.size)
    choose_best(means, rng, first)
    for r in range(size):
        best[r] = max(next_uniform(rng, r), _LEAST_UNIFORM)
    for r in range(size):  # a loop by itself, which for Gumbel draws becomes vector instructions
        best[r] = _quantile(best[r], gumbel)
    for r in range(size):
        i = at(first[r] * size + r)
        best[r] = means[i] + scale * widths[i] * best[r]
    for a in range(out.size // size):
        for r in range(size):
            i = a * size + r
            bound = _tail_bound((best[r] - means[i]) / (scale * widths[i]), gumbel)
            bounds[i] = bound
            chance[r] += 0.0 if first[r] == a else bound
            out[i] = -math.inf
    for r in range(size):
        out[first[r] * size + r] = best[r]
        u = next_uniform(rng, r)
        if u < chance[r]:
            _draw_rivals(means, widths, scale, gumbel, bounds, size, r, first[r], best[r], u, rng, out)


@kernel(inline=True)
def _quantile(u, gumbel):
    """Return the quantile of Z: a draw, where u is uniform."""
    return -ln(-ln(u)) if gumbel else normal_quantile(u)


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
        return _quantile(max(next_uniform(rng, r), _LEAST_UNIFORM), gumbel)
    rate = 1.0 if gumbel else z
    fall = -math.log(1.0 - next_uniform(rng, r))
    y = z + fall / rate
    log_density = -y - math.exp(-y) if gumbel else math.log(_ROOT_TWO_PI) - 0.5 * y * y
    kept = math.log(1.0 - next_uniform(rng, r)) + math.log(bound * rate) - fall < log_density
    return y if kept else -math.inf


@kernel()
def _draw_rivals(means, widths, scale, gumbel, bounds, size, r, first, best, u, rng, out):
    """Write those draws of replication r that exceed `best`, the draw of arm `first`; u is below their summed bounds.

    All other arms have -inf beforehand. None of some arms has its event with probability prod (1 - bound).
    """
    highest, none, left = best, 1.0, 1.0 - u
    for a in range(out.size // size):
        i = at(a * size + r)
        none *= 1.0 if a == first else 1.0 - bounds[i]
        if none < left:
            spread = scale * widths[i]
            draw = means[i] + spread * _draw_tail((best - means[i]) / spread, bounds[i], gumbel, rng, r)
            if draw > highest:
                out[i] = draw
                highest = draw
            none, left = 1.0, 1.0 - next_uniform(rng, r)


@kernel()
def gumbel_chance(gap, spread, other):
    """Return P(gap + spread X > other Y) of standard Gumbel X and Y, to about 1e-14.

    It is the integral of P(other Y < gap + spread x) over the law of x, where X has the smaller scale. The trapezoid
    rule computes it. Its error vanishes for functions that are analytic so far around the axis.
    """
    if spread > other:
        return 1.0 - gumbel_chance(-gap, other, spread)
    total = 0.0
    for k in range(-16, 161):
        x = 0.25 * k
        total += math.exp(-x - math.exp(-x) - math.exp(-(gap + spread * x) / other))
    return 0.25 * total
