r"""Random streams: xoshiro256++ generators, one for each (seed, purpose, index), and the draws the kernels make.

A stream's four words of state come from the splitmix64 finaliser, counted from a key that NumPy's SeedSequence derives
from the seed and the purpose. For one purpose the finaliser is a bijection of the index, so no two indices share a word
of state. Different purposes have unrelated 256-bit keys. Nothing depends on how many streams are made at once.

Generator: Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47 (2021), figure 3.
Finaliser: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from __future__ import annotations

import functools
import math
from enum import IntEnum, unique

import numpy as np
import numpy.typing as npt

from numerics.kernels.arrays import same_bits
from numerics.kernels.jit import kernel
from numerics.kernels.simd import LANES, lanes_at, put_lanes, to_floats

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, made odd
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_TO_UNIT = 1.0 / 9007199254740992.0  # 2 ** -53


@unique
class Purpose(IntEnum):
    """The use of a stream or of a derived seed: the first number of its key, so that no two uses share numbers."""

    POLICY = 0  # the draws of the rule and its ties, one stream a replication
    REWARD = 1
    BEST_REWARD = 2
    MEANS = 3  # of arms whose means are drawn
    CHANGES = 4  # of arms whose means change
    DELAY = 5  # of rewards
    FEATURES = 6  # of arms whose means depend on them
    RECOMMENDATION = 7  # which of equally good arms is recommended
    FLOOR = 8  # which choices of a live agent are uniform, and these choices
    PROPENSITY = 9  # of a live agent's choices, where no formula gives it
    PLAYER = 100
    TREE_SEARCH = 110
    FLAT_SEARCH = 111
    SURE_SEARCH = 112
    LEAF_MEANS = 113  # of trees whose leaves are coins
    P_GAME_TREE = 120
    P_GAME_SEARCH = 130
    MATCH_GAME = 200
    OPENINGS = 201  # their order
    TUNING = 202
    CONFIRMING = 203
    TUNING_ORDER = 204  # of positions
    TUNING_TIES = 205  # which of equally good values is picked
    GAME_CHANCE = 206  # dice and cards of a game
    RANDOM_GAME = 210
    RANDOM_FILLING = 211
    GRADED_FROM_RANDOM = 220
    STRENGTH_PLAYER = 221
    GRADED_FROM_SELF_PLAY = 222
    GRADED_TRAPS = 223
    GRADED_MISLEADING = 224
    GRADED_HELD_OUT = 225
    GRADED_EARLY = 226
    ROOT_SEARCH = 231
    ROOT_BANDIT = 232
    ROOT_MOVE_ORDER = 233
    ROOT_PLAYOUTS = 234
    ROOT_RECOMMENDATION = 235  # which of equally good moves is recommended
    PLANNING_START = 236  # which states searches of a process begin in
    PLANNING_SEARCH = 237
    LOG_REPLAY = 241
    LOG_FOLDS = 242
    BENCHMARK = 250


def streams(seed: int, purpose: tuple[int, ...], first: int, count: int) -> npt.NDArray[np.uint64]:
    """Return the states of streams `first` ... `first + count - 1` of one purpose.

    Parameters
    ----------
    seed : int
        The run's one seed, at least 0.
    purpose : tuple of int
        A `Purpose`, then numbers that distinguish its uses; streams of different purposes are independent.
    first, count : int
        Which indices; a replication, a game or a search has one index whatever else runs.

    Returns
    -------
    ndarray of uint64, shape (count, 4)

    Examples
    --------
    >>> whole, part = streams(0, (Purpose.REWARD,), 0, 10), streams(0, (Purpose.REWARD,), 4, 3)
    >>> bool((whole[4:7] == part).all())
    True
    """
    index = np.arange(first + 1, first + count + 1, dtype=np.uint64)
    return np.ascontiguousarray(_finalise(index[:, None] * GOLDEN + _key(seed, purpose)))


@functools.lru_cache(maxsize=256)
def _key(seed: int, purpose: tuple[int, ...]) -> npt.NDArray[np.uint64]:
    """Return the key of a purpose, which takes half of the time in which a search gets its streams."""
    return np.random.SeedSequence(entropy=seed, spawn_key=purpose).generate_state(4, np.uint64).astype(np.uint64)


def _finalise(word):
    """Return the splitmix64 finaliser of a word, or of an array of words: a bijection of 64 bits."""
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))


finalised = kernel(inline=True)(_finalise)


def derived_seed(seed: int, purpose: tuple[int, ...]) -> int:
    """Return a seed of 64 bits for a part of a run, such as one of two players; other purposes give unrelated ones."""
    return int(np.random.SeedSequence(entropy=seed, spawn_key=purpose).generate_state(1, np.uint64)[0])


def unit(word: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Turn random words into uniforms strictly between 0 and 1 (multiples of 2^-53 plus half a step)."""
    middle = ((word >> np.uint64(11)).astype(np.float64) + 0.5) * _TO_UNIT
    return np.minimum(middle, 1.0 - _TO_UNIT)  # the last half step would round to 1


@kernel(inline=True)
def advance(s0, s1, s2, s3):
    """Return 64 random bits and the four words of the next state: of one stream, or of eight in lanes."""
    total = s0 + s3
    word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 = s2 ^ s0
    s3 = s3 ^ s1
    return word, s0 ^ s3, s1 ^ s2, s2 ^ shifted, (s3 << np.uint64(45)) | (s3 >> np.uint64(19))


@kernel()
def next_word(rng, r):
    """Draw 64 random bits from row r of a state array uint64[L, 4], and advance that row."""
    word, rng[r, 0], rng[r, 1], rng[r, 2], rng[r, 3] = advance(rng[r, 0], rng[r, 1], rng[r, 2], rng[r, 3])
    return word


@kernel()
def next_uniform(rng, r):
    """Draw a uniform in [0, 1) from row r of a state array uint64[L, 4], and advance that row."""
    return (next_word(rng, r) >> np.uint64(11)) * _TO_UNIT


@kernel("float64(uint64[:, ::1], int64)")
def draw_uniform(rng, r):
    """Draw as `next_uniform` does, for Python: the machine code of a signature is kept."""
    return next_uniform(rng, r)


@kernel()
def _fill(state, words, uniforms, scaled):
    """Draw S numbers from each of L streams, into the same memory as `words` or, `scaled`, as `uniforms`."""
    size = state.size // 4
    whole = size - size % LANES
    for r in range(0, whole, LANES):
        a, b = lanes_at(state, r), lanes_at(state, size + r)
        c, d = lanes_at(state, 2 * size + r), lanes_at(state, 3 * size + r)
        for begun in range(r, words.size, size):
            word, a, b, c, d = advance(a, b, c, d)
            if scaled:
                put_lanes(uniforms, begun, to_floats(word >> np.uint64(11)) * _TO_UNIT)
            else:
                put_lanes(words, begun, word >> np.uint64(11))
        put_lanes(state, r, a)
        put_lanes(state, size + r, b)
        put_lanes(state, 2 * size + r, c)
        put_lanes(state, 3 * size + r, d)
    for r in range(whole, size):
        a, b, c, d = state[r], state[size + r], state[2 * size + r], state[3 * size + r]
        for i in range(r, words.size, size):
            word, a, b, c, d = advance(a, b, c, d)
            if scaled:
                uniforms[i] = (word >> np.uint64(11)) * _TO_UNIT
            else:
                words[i] = word >> np.uint64(11)
        state[r], state[size + r], state[2 * size + r], state[3 * size + r] = a, b, c, d


@kernel()
def fill_uniforms(state, out):
    """Draw S uniforms in [0, 1) from each of L streams: out float64[S * L], those of one draw side by side.

    Word w of stream r is state[w * L + r], uint64[4 * L]. The numbers are those that `next_uniform` gives on each
    stream. Eight streams advance together and stay in registers for all S draws.
    """
    _fill(state, same_bits(out, np.uint64), out, True)


@kernel()
def fill_words(state, out):
    """Draw the whole numbers below 2^53 that `fill_uniforms` divides by 2^53: out uint64[S * L]."""
    _fill(state, out, same_bits(out, np.float64), False)


@kernel()
def next_normal(rng, r):
    """Draw a standard normal from stream r by the polar method (Marsaglia and Bray 1964); half of each pair is kept."""
    while True:
        x = 2.0 * next_uniform(rng, r) - 1.0
        y = 2.0 * next_uniform(rng, r) - 1.0
        square = x * x + y * y
        if 0.0 < square < 1.0:
            return x * math.sqrt(-2.0 * math.log(square) / square)


@kernel()
def next_gamma(shape, rng, r):
    """Draw from Gamma(shape, 1), any shape > 0 (Marsaglia and Tsang, ACM TOMS 26 (2000), section 2 and section 6)."""
    boost = 1.0
    if shape < 1.0:
        boost = (1.0 - next_uniform(rng, r)) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = next_normal(rng, r)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = 1.0 - next_uniform(rng, r)
        if math.log(u) < 0.5 * x * x + d - d * v + d * math.log(v):
            return boost * d * v


@kernel()
def next_beta(a, b, rng, r):
    """Draw from Beta(a, b), any a, b > 0.

    Cheng's algorithm BB (Communications of the ACM 21 (1978), p. 320) when both exceed 1, which is nearly always;
    inversion when one is 1; a ratio of gammas otherwise.
    """
    if a == 1.0:
        return 1.0 - (1.0 - next_uniform(rng, r)) ** (1.0 / b)
    if b == 1.0:
        return (1.0 - next_uniform(rng, r)) ** (1.0 / a)
    if a < 1.0 or b < 1.0:
        x = next_gamma(a, rng, r)
        y = next_gamma(b, rng, r)
        if x + y > 0.0:
            return x / (x + y)
        return 1.0 if next_uniform(rng, r) * (a + b) < a else 0.0  # both underflowed: all mass lies at the ends
    low, high = min(a, b), max(a, b)
    total = low + high
    slope = math.sqrt((total - 2.0) / (2.0 * low * high - total))
    gamma = low + 1.0 / slope
    while True:
        u1 = next_uniform(rng, r)
        u2 = next_uniform(rng, r)
        if u1 == 0.0 or u2 == 0.0:
            continue
        v = slope * math.log(u1 / (1.0 - u1))
        w = low * math.exp(min(v, 700.0))
        z = u1 * u1 * u2
        rate = gamma * v - 1.3862943611198906  # ln 4
        s = low + rate - w
        if s + 2.6094379124341003 >= 5.0 * z:  # 1 + ln 5: most are accepted here, without a logarithm
            break
        log_z = math.log(z)
        if s >= log_z or rate + total * math.log(total / (high + w)) >= log_z:
            break
    return w / (high + w) if low == a else high / (high + w)


# Coefficients of PPND16, the highest power first, of numerator and denominator: around 0, in the tails, and far out.
_CENTRE = (
    (2509.0809287301226727, 5226.495278852854561),
    (33430.575583588128105, 28729.085735721942674),
    (67265.770927008700853, 39307.89580009271061),
    (45921.953931549871457, 21213.794301586595867),
    (13731.693765509461125, 5394.1960214247511077),
    (1971.5909503065514427, 687.1870074920579083),
    (133.14166789178437745, 42.313330701600911252),
    (3.387132872796366608, 1.0),
)
_TAIL = (
    (7.7454501427834140764e-4, 1.05075007164441684324e-9),
    (0.0227238449892691845833, 5.475938084995344946e-4),
    (0.24178072517745061177, 0.0151986665636164571966),
    (1.27045825245236838258, 0.14810397642748007459),
    (3.64784832476320460504, 0.68976733498510000455),
    (5.7694972214606914055, 1.6763848301838038494),
    (4.6303378461565452959, 2.05319162663775882187),
    (1.42343711074968357734, 1.0),
)
_FAR = (
    (2.01033439929228813265e-7, 2.04426310338993978564e-15),
    (2.71155556874348757815e-5, 1.4215117583164458887e-7),
    (0.0012426609473880784386, 1.8463183175100546818e-5),
    (0.026532189526576123093, 7.868691311456132591e-4),
    (0.29656057182850489123, 0.0148753612908506148525),
    (1.7848265399172913358, 0.13692988092273580531),
    (5.4637849111641143699, 0.59983220655588793769),
    (6.6579046435011037772, 1.0),
)


@kernel(inline=True)
def _polynomials(coefficients, r):
    """Return two polynomials at r by Horner's rule."""
    over, under = coefficients[0]
    for i in range(1, 8):
        over, under = over * r + coefficients[i][0], under * r + coefficients[i][1]
    return over, under


@kernel()
def normal_quantile(p):
    """Return the standard normal quantile of p in (0, 1): algorithm AS 241, PPND16 (Wichura 1988), to about 1e-16."""
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        over, under = _polynomials(_CENTRE, r)
        return q * over / under
    r = math.sqrt(-math.log(min(p, 1.0 - p)))
    if r <= 5.0:
        over, under = _polynomials(_TAIL, r - 1.6)
    else:
        over, under = _polynomials(_FAR, r - 5.0)
    return -over / under if q < 0.0 else over / under
