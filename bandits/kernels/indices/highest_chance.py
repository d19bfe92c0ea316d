"""The probability that each of K independent draws is the highest: of Beta, Gaussian or Gumbel laws.

It is the integral of an arm's density over the product of the others' distribution functions. All are computed at the
same nodes, those of Gauss and Legendre in panels. A distribution function is the integral of its density, by the
polynomial through the nodes of a panel. Beta laws are taken on the scale of y = ln(x / (1 - x)), where they have no
peaks at the ends.

The panels follow each other from the highest point down. They are as wide as slope and curvature of the log densities
allow. The chance that the highest draw is in a panel is also a difference of products of all distribution functions. A
panel in which the quadrature misses it is halved. So panels follow the law of the highest draw with many arms, too.
"""

from __future__ import annotations

import math

import numpy as np

from bandits.kernels.signatures import Vector
from numerics.kernels.arrays import empty, zeros
from numerics.kernels.elementary import exp
from numerics.kernels.jit import kernel

BETA, GAUSSIAN, GUMBEL = range(3)

_NODES = 12  # in a panel
_DROP = 42.0  # of a log density from its peak, beyond which the law has less than 1e-17
_STEEP, _BENT, _FAR = 5.0, 2.0, 0.5  # widest panel: over the slope, the root of the curvature, and times |y| + 3
_MOST_PANELS = 20_000
_APART = 1e-9  # share by which quadrature in a panel may miss the product of the distribution functions
_NEVER = 1e-17  # chance of a highest draw that is not looked for
_OFF = 1e-7  # by which the probabilities may miss 1
_FEW = 1e6  # pulls, up to which sums of logarithms have digits enough
_SERIES_FROM = 16.0  # of Stirling's series, which is exact to the last digits from there on


def _partial(nodes: Vector) -> Vector:
    """Return the matrix whose column j has the weights of the integral from -1 to node j of values at the nodes."""
    legendre = np.polynomial.legendre
    ends = np.array([legendre.legval(nodes, legendre.legint(row, lbnd=-1.0)) for row in np.eye(nodes.size)])
    matrix: Vector = np.ascontiguousarray((ends.T @ np.linalg.inv(legendre.legvander(nodes, nodes.size - 1))).T)
    return matrix


_NODE, _WEIGHT = np.polynomial.legendre.leggauss(_NODES)
_PART = _partial(_NODE)


@kernel()
def _stirling(z):
    """Return ln Gamma(z) less (z - 1/2) ln z - z + ln(2 pi) / 2."""
    if z < _SERIES_FROM:
        return math.lgamma(z) - ((z - 0.5) * math.log(z) - z + 0.5 * math.log(2.0 * math.pi))
    inverse = 1.0 / z
    square = inverse * inverse
    return inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)))


@kernel()
def _log_density(kind, first, second, center, height, y):
    """Return the log density at y; `center` and `height` are a point and the log density there."""
    if kind == GAUSSIAN:
        z = (y - first) / second
        return height - 0.5 * z * z
    if kind == GUMBEL:
        z = (y - first) / second
        return height - z - math.exp(min(-z, 700.0))
    d = y - center
    n = first + second
    if abs(d) < 1.0:
        return height + first * d - n * math.log1p(first / n * math.expm1(d))
    up, down = _logs(y)
    return height + first * (up - math.log(first / n)) + second * (down - math.log(second / n))


@kernel()
def _logs(y):
    """Return ln x and ln(1 - x) of x = 1 / (1 + exp(-y))."""
    tail = math.log1p(math.exp(-abs(y)))
    return (-tail, -y - tail) if y > 0.0 else (y - tail, -tail)


@kernel()
def _width(kind, first, second, end, y):
    """Return how wide a panel may be that has an end at y, for the laws that reach y or higher."""
    slope, bent, far = 0.0, 0.0, math.inf
    if kind == BETA:
        share, far = 1.0 / (1.0 + math.exp(min(-y, 700.0))), abs(y) + 3.0
        for a in range(end.size):
            n = (first[a] + second[a]) if end[a] >= y else 0.0
            slope = max(slope, abs(first[a] - n * share) if end[a] >= y else 0.0)
            bent = max(bent, n)
        bent *= share * (1.0 - share)
    elif kind == GAUSSIAN:
        for a in range(end.size):
            inverse = 1.0 / second[a] if end[a] >= y else 0.0
            slope = max(slope, abs(y - first[a]) * inverse * inverse)
            bent = max(bent, inverse * inverse)
    else:
        for a in range(end.size):
            inverse = 1.0 / second[a] if end[a] >= y else 0.0
            fall = exp(min((first[a] - y) * inverse, 300.0))
            slope = max(slope, abs(fall - 1.0) * inverse)
            bent = max(bent, fall * inverse * inverse)
    width = _FAR * far
    if slope * width > _STEEP:
        width = _STEEP / slope
    if bent * width * width > _BENT * _BENT:
        width = _BENT / math.sqrt(bent)
    return width


@kernel()
def _end(kind, first, second, center, height, scale):
    """Return the point beyond the center, in the direction of `scale`, where the log density is lower by `_DROP`."""
    near, reach = center, scale
    while _log_density(kind, first, second, center, height, center + reach) > height - _DROP and abs(reach) < 1e12:
        near, reach = center + reach, 2.0 * reach
    end = center + reach
    for _ in range(4):
        middle = 0.5 * (near + end)
        if _log_density(kind, first, second, center, height, middle) > height - _DROP:
            near = middle
        else:
            end = middle
    return end


@kernel()
def _write_densities(kind, first, second, center, height, known, at, rows):
    """Write each law's density at the 12 nodes `at` of a panel; rows float64[K * 12].

    Logarithms come first, so that the exponentials are one loop that vectorises.
    """
    up, down = empty(_NODES), empty(_NODES)
    for j in range(_NODES):
        up[j], down[j] = _logs(at[j])
    for a in range(first.size):
        x, y, row, inverse = first[a], second[a], a * _NODES, 1.0 / second[a]
        for j in range(_NODES):
            if kind == BETA and x + y <= _FEW:
                rows[row + j] = known[a] + x * up[j] + y * down[j]
            elif kind == BETA:
                rows[row + j] = _log_density(kind, x, y, center[a], height[a], at[j])
            else:
                z = (at[j] - x) * inverse
                rows[row + j] = height[a] - 0.5 * z * z if kind == GAUSSIAN else -z
    if kind == GUMBEL:
        falls = empty(rows.size)
        for i in range(rows.size):
            falls[i] = exp(min(rows[i], 300.0))
        for a in range(first.size):
            for i in range(a * _NODES, (a + 1) * _NODES):
                rows[i] += height[a] - falls[i]
    for i in range(rows.size):
        rows[i] = exp(rows[i])


@kernel()
def write_highest_chances(kind, first, second, out):
    """Write the probability that each arm has the highest draw; NaN where the quadrature does not reach 1.

    Shapes: first, second and out float64[K]; the laws are Beta(first, second), N(first, second^2), or
    first + second G with G standard Gumbel.
    """
    arms = out.size
    center, height, end, past, known = empty(arms), empty(arms), empty(arms), empty(arms), empty(arms)
    low, edge = -math.inf, -math.inf
    for a in range(arms):
        x, y = first[a], second[a]
        if kind == BETA:
            n = x + y
            center[a] = math.log(x) - math.log(y)
            height[a] = 0.5 * math.log(x * (y / n) / (2.0 * math.pi)) + _stirling(n) - _stirling(x) - _stirling(y)
            scale = math.sqrt(1.0 / x + 1.0 / y)
            up, down = _logs(center[a])
            known[a] = height[a] - x * up - y * down
        else:
            center[a], scale = x, y
            height[a] = -math.log(y) - (0.5 * math.log(2.0 * math.pi) if kind == GAUSSIAN else 0.0)
        low = max(low, _end(kind, x, y, center[a], height[a], -scale))
        end[a] = _end(kind, x, y, center[a], height[a], scale)
        edge = max(edge, end[a])
    for a in range(arms):
        one = slice(a, a + 1)
        past[a] = end[a] - _width(kind, first[one], second[one], end[one], end[a])
    points, rows, share = empty(_NODES), empty(arms * _NODES), empty(arms)
    above, below, before, others = zeros(arms), empty(arms * _NODES), empty((arms + 1) * _NODES), empty(_NODES)
    after, part = empty(arms), empty(_NODES)
    before[:_NODES] = 1.0
    out[:] = 0.0
    every, panels = 1.0, 0  # the chance that no draw is above the edge
    while edge > low and every > _NEVER and panels < _MOST_PANELS:
        width = min(edge - low, _width(kind, first, second, end, edge))
        for a in range(arms):
            if end[a] < edge:
                width = min(width, edge - past[a])
        while _width(kind, first, second, end, edge - width) < 0.5 * width:
            width *= 0.75
        width = max(width, 1e-15 * abs(edge))
        panels += 1
        while True:
            half = 0.5 * width
            for j in range(_NODES):
                points[j] = edge - half * (1.0 - _NODE[j])
            _write_densities(kind, first, second, center, height, known, points, rows)
            rest = 1.0
            for a in range(arms):
                row, mass = a * _NODES, 0.0
                for j in range(_NODES):
                    mass += _WEIGHT[j] * rows[row + j]
                after[a] = above[a] + half * mass
                for j in range(_NODES):
                    part[j] = 0.0
                for i in range(_NODES):
                    f = half * rows[row + i]
                    for j in range(_NODES):
                        part[j] += _PART[i, j] * f
                for j in range(_NODES):
                    below[row + j] = min(max(1.0 - after[a] + part[j], 0.0), 1.0)
                    before[row + _NODES + j] = before[row + j] * below[row + j]
                rest *= max(1.0 - after[a], 0.0)
            others[:] = _WEIGHT
            total = 0.0
            for a in range(arms - 1, -1, -1):
                here = 0.0
                for j in range(_NODES):
                    here += before[a * _NODES + j] * others[j] * rows[a * _NODES + j]
                    others[j] *= below[a * _NODES + j]
                share[a] = half * here
                total += half * here
            if abs(total - (every - rest)) <= _APART * every + 1e-15 or width <= 1e-12 * abs(edge):
                break
            width *= 0.5
        out += share
        above[:] = after
        edge, every = edge - width, rest
    total = 0.0
    for a in range(arms):
        total += out[a]
    for a in range(arms):
        out[a] = out[a] / total if abs(total - 1.0) < _OFF else math.nan


@kernel()
def write_scaled_chances(kind, centers, widths, scale, out):
    """Write what `write_highest_chances` does, for laws around `centers` of the scales `scale` times `widths`."""
    scales = empty(out.size)
    for a in range(out.size):
        scales[a] = scale * widths[a]
    write_highest_chances(kind, centers, scales, out)


@kernel("void(int64, float64[::1], float64[::1], float64[::1])")
def highest_chances(kind: int, first: Vector, second: Vector, out: Vector) -> None:
    """Write what `write_highest_chances` does, for Python."""
    write_highest_chances(kind, first, second, out)
