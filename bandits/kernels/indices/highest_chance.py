"""The probability that each of K independent draws is the highest: of Beta, Gaussian or Gumbel laws.

It is the integral of an arm's density over the product of the others' distribution functions. All are computed at the
same nodes, those of Gauss and Legendre in panels. A distribution function is the integral of its density, by the
polynomial through the nodes of a panel. Beta laws are taken on the scale of y = ln(x / (1 - x)), where they have no
peaks at the ends. The panels are as wide as slope and curvature of the log densities allow.
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
_OFF = 1e-7  # by which the probabilities may miss 1
_FEW = 1e6  # pulls, up to which sums of logarithms have digits enough
_SERIES_FROM = 16.0  # of Stirling's series, which is exact to the last digits from there on


def _partial(nodes: Vector) -> Vector:
    """Return the matrix whose row j has the weights of the integral from -1 to node j of values at the nodes."""
    legendre = np.polynomial.legendre
    ends = np.array([legendre.legval(nodes, legendre.legint(row, lbnd=-1.0)) for row in np.eye(nodes.size)])
    matrix: Vector = np.ascontiguousarray(ends.T @ np.linalg.inv(legendre.legvander(nodes, nodes.size - 1)))
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
def _width(kind, first, second, y):
    """Return how wide a panel may be that begins at y, for one law."""
    if kind == GAUSSIAN:
        slope, bent, far = abs(y - first) / (second * second), 1.0 / (second * second), math.inf
    elif kind == GUMBEL:
        fall = math.exp(min(-(y - first) / second, 700.0))
        slope, bent, far = abs(fall - 1.0) / second, fall / (second * second), 3.0 * second
    else:
        share = 1.0 / (1.0 + math.exp(min(-y, 700.0)))
        n = first + second
        slope, bent, far = abs(first - n * share), n * share * (1.0 - share), abs(y) + 3.0
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
    for _ in range(8):
        middle = 0.5 * (near + end)
        if _log_density(kind, first, second, center, height, middle) > height - _DROP:
            near = middle
        else:
            end = middle
    return end


@kernel()
def write_highest_chances(kind, first, second, out):
    """Write the probability that each arm has the highest draw; NaN where the quadrature does not reach 1.

    Shapes: first, second and out float64[K]; the laws are Beta(first, second), N(first, second^2), or
    first + second G with G standard Gumbel.
    """
    arms = out.size
    center, height, end = empty(arms), empty(arms), empty(arms)
    low, high = -math.inf, -math.inf
    for a in range(arms):
        x, y = first[a], second[a]
        if kind == BETA:
            n = x + y
            center[a] = math.log(x) - math.log(y)
            height[a] = 0.5 * math.log(x * (y / n) / (2.0 * math.pi)) + _stirling(n) - _stirling(x) - _stirling(y)
            scale = math.sqrt(1.0 / x + 1.0 / y)
        else:
            center[a], scale = x, y
            height[a] = -math.log(y) - (0.5 * math.log(2.0 * math.pi) if kind == GAUSSIAN else 0.0)
        low = max(low, _end(kind, x, y, center[a], height[a], -scale))
        end[a] = _end(kind, x, y, center[a], height[a], scale)
        high = max(high, end[a])
    edges, panels = empty(_MOST_PANELS + 1), 0
    edges[0] = low
    while edges[panels] < high and panels < _MOST_PANELS:
        width = high - edges[panels]
        for a in range(arms):
            if edges[panels] < end[a]:
                width = min(width, _width(kind, first[a], second[a], edges[panels]))
        panels += 1
        edges[panels] = edges[panels - 1] + max(width, 1e-15 * abs(edges[panels - 1]))
    density, above = empty((panels * _NODES, arms)), zeros((panels + 1, arms))
    rows, known, most = density.reshape(-1), empty(arms), 0.0
    for a in range(arms):
        most = max(most, first[a] + second[a])
        if kind == BETA:
            up, down = _logs(center[a])
            known[a] = height[a] - first[a] * up - second[a] * down
    for p in range(panels - 1, -1, -1):
        half = 0.5 * (edges[p + 1] - edges[p])
        for j in range(_NODES):
            y, row = edges[p] + half * (1.0 + _NODE[j]), (p * _NODES + j) * arms
            if kind == BETA and most <= _FEW:  # two logarithms for all arms, and a loop that vectorises
                up, down = _logs(y)
                for a in range(arms):
                    rows[row + a] = half * exp(max(known[a] + first[a] * up + second[a] * down, -700.0))
                continue
            for a in range(arms):
                f = 0.0
                if edges[p] < end[a]:
                    f = half * math.exp(_log_density(kind, first[a], second[a], center[a], height[a], y))
                rows[row + a] = f
    for p in range(panels - 1, -1, -1):
        for a in range(arms):
            mass = 0.0
            for j in range(_NODES):
                mass += _WEIGHT[j] * density[p * _NODES + j, a]
            above[p, a] = above[p + 1, a] + mass
    out[:] = 0.0
    below, before, partial = empty(arms), empty(arms + 1), empty(arms)
    for p in range(panels):
        for j in range(_NODES):
            before[0], partial[:] = 1.0, 0.0
            for i in range(_NODES):
                share, row = _PART[j, i], (p * _NODES + i) * arms
                for a in range(arms):
                    partial[a] += share * rows[row + a]
            for a in range(arms):
                rest = partial[a]
                # From the bottom where the law begins there, so that small values have digits; else from the top.
                inside = above[0, a] > 1.0 - 1e-9
                below[a] = above[0, a] - above[p, a] + rest if inside else 1.0 - above[p, a] + rest
                below[a] = min(max(below[a], 0.0), 1.0)
                before[a + 1] = before[a] * below[a]
            after = _WEIGHT[j]
            for a in range(arms - 1, -1, -1):
                out[a] += before[a] * after * density[p * _NODES + j, a]
                after *= below[a]
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
