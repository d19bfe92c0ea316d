"""Naive twins of the kernels: plain Python and NumPy, one replication and one step at a time, as the papers say it.

Nothing here is compiled, blocked, bounded or skipped, and no kernel is called, so that a test which compares the two
compares two programs. Letters as in `bandits.rules`: n pulls, m mean, v variance, t the pull being chosen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from scipy import integrate, optimize, stats

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(word: int) -> int:
    """The finaliser of splitmix64."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return word ^ (word >> 31)


def stream(seed: int, purpose: tuple[int, ...], index: int) -> list[int]:
    """The four words of the stream of one index: element index + 1 of four splitmix64 sequences."""
    keys = np.random.SeedSequence(entropy=seed, spawn_key=purpose).generate_state(4, np.uint64)
    return [mix((int(key) + (index + 1) * GOLDEN) & WORD) for key in keys]


class Xoshiro:
    """xoshiro256++ in Python's unbounded integers."""

    def __init__(self, words: Sequence[int]):
        self.s = [int(word) for word in words]

    def word(self) -> int:
        s = self.s
        result = (_rotated((s[0] + s[3]) & WORD, 23) + s[0]) & WORD
        shifted = (s[1] << 17) & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = _rotated(s[3], 45)
        return result

    def uniform(self) -> float:
        """The upper 53 bits as a fraction of 1."""
        return (self.word() >> 11) / 2**53


def _rotated(word: int, by: int) -> int:
    return ((word << by) | (word >> (64 - by))) & WORD


def argmax(scores: Sequence[float], rng: Xoshiro) -> int:
    """An index of the highest score; one uniform decides where several are equal."""
    ties = [arm for arm, score in enumerate(scores) if score == max(scores)]
    return ties[int(rng.uniform() * len(ties))] if len(ties) > 1 else ties[0]


def ucb(n: float, m: float, t: float, c: float = math.sqrt(2.0)) -> float:
    return m + c * math.sqrt(math.log(t) / n)


def puct(n: float, m: float, t: float, prior: float, c: float = 1.0) -> float:
    return m + c * math.sqrt(t - 1.0) * prior / (1.0 + n)


def moss(n: float, m: float, horizon: float, arms: int) -> float:
    return m + math.sqrt(max(0.0, math.log(horizon / (arms * n))) / n)


def ucb_v(n: float, m: float, v: float, t: float, zeta: float = 1.0, c: float = 1.0) -> float:
    return m + math.sqrt(2.0 * zeta * v * math.log(t) / n) + 3.0 * c * zeta * math.log(t) / n


def bernoulli_kl(p: float, q: float) -> float:
    """p ln(p / q) + (1 - p) ln((1 - p) / (1 - q)), term by term, infinite where q excludes what p allows."""
    total = 0.0
    for x, y in ((p, q), (1.0 - p, 1.0 - q)):
        if x > 0.0:
            total += x * math.log(x / y) if y > 0.0 else math.inf
    return total


def asymptotic_ucb(n: float, m: float, t: float, c: float = math.sqrt(2.0)) -> float:
    return m + c * math.sqrt(math.log(1.0 + t * math.log(t) ** 2) / n)


def polynomial(n: float, m: float, t: float, c: float = 1.0) -> float:
    return m + c * t**0.25 / n**0.5


def ucb_tuned(n: float, m: float, v: float, t: float) -> float:
    """Mean plus the root of ln t / n times the variance's bound, which is 1/4 at most."""
    return m + math.sqrt(math.log(t) / n * min(0.25, v + math.sqrt(2.0 * math.log(t) / n)))


def moss_anytime(n: float, m: float, t: float, arms: int, alpha: float = 1.35) -> float:
    return m + math.sqrt((1.0 + alpha) / 2.0 * max(0.0, math.log(t / (arms * n))) / n)


def kl_ucb(n: float, m: float, t: float, c: float = 0.0) -> float:
    """max{q : n kl(m, q) <= ln t + c ln ln t}."""
    level = math.log(t)
    if c > 0.0 and level > 1.0:
        level += c * math.log(level)
    return kl_index(n, m, level)


def kl_ucb_plus(n: float, m: float, t: float) -> float:
    return kl_index(n, m, math.log(t / n))


def kl_ucb_plus_plus(n: float, m: float, horizon: float, arms: int) -> float:
    """max{q : n kl(m, q) <= g(n)}, g(n) = ln+(T / (K n) (ln+(T / (K n))^2 + 1))."""

    def positive(x: float) -> float:
        return max(0.0, math.log(x))

    ratio = horizon / (arms * n)
    return kl_index(n, m, positive(ratio * (positive(ratio) ** 2 + 1.0)))


def kl_ucb_switch(n: float, m: float, horizon: float, arms: int) -> float:
    """KL-UCB's index up to f = floor((T / K)^(1/5)) pulls, MOSS's with half of the rate beyond."""
    level = max(0.0, math.log(horizon / (arms * n)))
    if n <= math.floor((horizon / arms) ** 0.2):
        return kl_index(n, m, level)
    return m + math.sqrt(level / (2.0 * n))


def imed(n: float, m: float, best: float) -> float:
    """The evidence against an arm, n kl(m, max m) + ln n, with its sign turned: the highest is wanted."""
    return -(n * bernoulli_kl(m, best) + math.log(n))


def kl_index(n: float, m: float, level: float) -> float:
    """max{q : n kl(m, q) <= level} by bisection down to neighbouring floating-point numbers."""
    low, high = m, 1.0
    while low < (middle := low + (high - low) / 2.0) < high:
        low, high = (middle, high) if n * bernoulli_kl(m, middle) <= level else (low, middle)
    return high if n * bernoulli_kl(m, high) <= level else low


def bayes_ucb(n: float, m: float, t: float, alpha: float = 1.0, beta: float = 1.0) -> float:
    return float(stats.beta(alpha + n * m, beta + n * (1.0 - m)).isf(1.0 / t))


def highest_of(laws: Sequence[Any]) -> list[float]:
    """The probability that each of independent laws gives the largest draw, by quadrature."""
    corners = sorted(float(law.ppf(p)) for law in laws for p in (1e-9, 0.001, 0.1, 0.5, 0.9, 0.999, 1.0 - 1e-9))

    def wins(arm: int, x: float) -> float:
        return float(laws[arm].pdf(x) * np.prod([law.cdf(x) for other, law in enumerate(laws) if other != arm]))

    ends = corners[0], corners[-1]
    return [
        integrate.quad(lambda x, arm=arm: wins(arm, x), *ends, points=corners[1:-1], limit=400)[0]
        for arm in range(len(laws))
    ]


def maillard_choice(n: Sequence[float], m: Sequence[float], scale: float) -> list[float]:
    return shares(
        [math.exp(-pulls * (max(m) - mean) ** 2 / (2.0 * scale**2)) for pulls, mean in zip(n, m, strict=True)]
    )


def kl_maillard_choice(n: Sequence[float], m: Sequence[float]) -> list[float]:
    return shares([math.exp(-pulls * bernoulli_kl(mean, max(m))) for pulls, mean in zip(n, m, strict=True)])


def shares(weights: Sequence[float]) -> list[float]:
    return [weight / sum(weights) for weight in weights]


class Step(NamedTuple):
    """What one pull did, and the regrets after it."""

    arm: int
    reward: float
    best: bool  # whether the arm was a best one then
    pseudo_regret: float  # against the best arm of each moment
    fixed_regret: float  # against the best fixed arm so far
    realised_regret: float


Pick = Callable[[list[float], list[float], list[float], float, Xoshiro], int]


def indexed(index: Callable[[float, float, float, float], float]) -> Pick:
    """Pull the arm of the highest index(n, m, v, t)."""
    return lambda n, m, v, t, rng: argmax([index(*arm, t) for arm in zip(n, m, v, strict=True)], rng)


def uniform(n: list[float], m: list[float], v: list[float], t: float, rng: Xoshiro) -> int:
    return int(rng.uniform() * len(n))


def epsilon_greedy(epsilon: Callable[[float], float]) -> Pick:
    """The best mean, but any arm with probability epsilon(t); the same uniform serves the coin and then the arm."""

    def pick(n: list[float], m: list[float], v: list[float], t: float, rng: Xoshiro) -> int:
        best, u = argmax(m, rng), rng.uniform()
        return int(u / epsilon(t) * len(m)) if u < epsilon(t) else best

    return pick


def softmax(temperature: float) -> Pick:
    """An arm with probability proportional to exp(m / temperature)."""

    def pick(n: list[float], m: list[float], v: list[float], t: float, rng: Xoshiro) -> int:
        weights = np.cumsum([math.exp((mean - max(m)) / temperature) for mean in m])
        return int(np.searchsorted(weights, rng.uniform() * weights[-1], side="right"))

    return pick


def commit() -> Pick:
    """The best mean when first asked, and that arm for ever."""
    chosen: list[int] = []

    def pick(n: list[float], m: list[float], v: list[float], t: float, rng: Xoshiro) -> int:
        if not chosen:
            chosen.append(argmax(m, rng))
        return chosen[0]

    return pick


def draw_arm(chances: Sequence[float], rng: Xoshiro) -> int:
    """The first arm at which the sum of the chances exceeds a uniform."""
    u, arm = rng.uniform(), 0
    while u >= sum(chances[: arm + 1]) / sum(chances) and arm < len(chances) - 1:
        arm += 1
    return arm


def weighing(rule: Any) -> Pick:
    """Draw by a rule's probabilities; what the last pull paid, 0 or 1, follows from the statistics."""
    last: list[Any] = []

    def pick(n: list[float], m: list[float], v: list[float], t: float, rng: Xoshiro) -> int:
        sums = [round(pulls * mean) for pulls, mean in zip(n, m, strict=True)]
        if last:
            rule.learn(last[0], sums[last[0]] - last[1][last[0]], t - 1.0)
        arm = draw_arm(rule.chances(t), rng)
        last[:] = [arm, sums]
        return arm

    return pick


class Exp3:
    """p = (1 - gamma) w / sum(w) + gamma / K, w multiplied by exp(gamma r / (p K)) where an arm is pulled."""

    def __init__(self, arms: int, gamma: float):
        self.weights, self.gamma = [1.0] * arms, gamma

    def chances(self, t: float) -> list[float]:
        share = self.gamma / len(self.weights)
        return [(1.0 - self.gamma) * weight / sum(self.weights) + share for weight in self.weights]

    def learn(self, arm: int, reward: float, t: float) -> None:
        self.weights[arm] *= math.exp(self.gamma * reward / self.chances(t)[arm] / len(self.weights))


class Exp3IX:
    """p in proportion to exp(-eta_t L), L += (1 - r) / (p + eta_t / 2), eta_t = sqrt(ln K / (K t))."""

    def __init__(self, arms: int):
        self.losses = [0.0] * arms

    def eta(self, t: float) -> float:
        return math.sqrt(math.log(len(self.losses)) / (len(self.losses) * t))

    def chances(self, t: float) -> list[float]:
        return shares([math.exp(-self.eta(t) * loss) for loss in self.losses])

    def learn(self, arm: int, reward: float, t: float) -> None:
        self.losses[arm] += (1.0 - reward) / (self.chances(t)[arm] + self.eta(t) / 2.0)


class Tsallis:
    """w = 4 / (eta (L - x))^2, eta = 2 / sqrt(t), where x makes the sum 1: found by bisection."""

    def __init__(self, arms: int):
        self.losses = [0.0] * arms

    def chances(self, t: float) -> list[float]:
        eta, least = 2.0 / math.sqrt(t), min(self.losses)

        def excess(x: float) -> float:
            return sum(4.0 / (eta * (loss - x)) ** 2 for loss in self.losses) - 1.0

        width = 2.0 / eta
        x = optimize.brentq(
            excess, least - width * math.sqrt(len(self.losses)) - 1e-9, least - width + 1e-12, xtol=1e-14
        )
        return [4.0 / (eta * (loss - x)) ** 2 for loss in self.losses]

    def learn(self, arm: int, reward: float, t: float) -> None:
        self.losses[arm] += (1.0 - reward) / self.chances(t)[arm]


class Gradient:
    """p = softmax(H); H += step (r - baseline) (1{pulled} - p), the baseline being the mean of the rewards before."""

    def __init__(self, arms: int, step: float):
        self.preferences, self.step, self.rewards = [0.0] * arms, step, list[float]()

    def chances(self, t: float) -> list[float]:
        return shares([math.exp(one) for one in self.preferences])

    def learn(self, arm: int, reward: float, t: float) -> None:
        baseline = sum(self.rewards) / len(self.rewards) if self.rewards else reward
        for a, chance in enumerate(self.chances(t)):
            self.preferences[a] += self.step * (reward - baseline) * ((a == arm) - chance)
        self.rewards.append(reward)


def improved_ucb(arms: int, horizon: float) -> Pick:
    """Phases of equal numbers of pulls, and elimination at the end of each."""

    def schedule(n: list[float], m: list[float]) -> Iterator[int]:
        left, gap, phases = list(range(arms)), 1.0, math.floor(0.5 * math.log2(horizon / math.e)) + 1
        for _ in range(phases):
            if len(left) == 1:
                break
            level = math.log(horizon * gap**2)
            each = math.ceil(2.0 * level / gap**2)
            while min(n[a] for a in left) < each:
                yield min(left, key=lambda a: n[a])
            width = math.sqrt(level / (2.0 * each))
            best = max(m[a] - width for a in left)
            left, gap = [a for a in left if m[a] + width >= best], gap / 2.0
        while True:
            yield min(left, key=lambda a: n[a])

    running: list[Iterator[int]] = []

    def pick(n: list[float], m: list[float], v: list[float], t: float, rng: Xoshiro) -> int:
        if not running:
            running.append(schedule(n, m))  # the statistics are changed in place
        return next(running[0])

    return pick


def duel(n: int, s: int, many: int, others: int) -> float:
    """The probability that n rewards with s ones beat as many of `many` with `others` ones, n <= many (BESA)."""
    if n == many:
        return 0.5 * (s == others) + (s > others)
    return float(stats.hypergeom(many, others, n).cdf(s))


def besa(reward: Sequence[Callable[[], float]], horizon: int, rng: np.random.Generator) -> list[int]:
    """Pulls of each arm by the paper's BESA, whose arms are what draws their rewards; ties go to fewer pulls."""
    kept = [[draw()] for draw in reward]
    for _ in range(horizon - len(kept)):
        left = [int(a) for a in rng.permutation(len(kept))]
        while len(left) > 1:
            a, b, *rest = left
            few = min(len(kept[a]), len(kept[b]))
            first, second = (np.mean(rng.choice(kept[arm], few, replace=False)) for arm in (a, b))
            if math.isclose(first, second, rel_tol=1e-12):
                first, second = len(kept[b]), len(kept[a]) + rng.choice([-0.5, 0.5])
            left = [*rest, a if first > second else b]
        kept[left[0]].append(reward[left[0]]())
    return [len(rewards) for rewards in kept]


def bernoulli(u: float, mean: float, scale: float) -> float:
    return float(u < mean)


def gaussian(u: float, mean: float, scale: float) -> float:
    """The quantile of the uniform, moved by half a step of its grid so that it is never 0."""
    return mean + scale * NormalDist().inv_cdf(u + 2.0**-54)


def play(
    pick: Pick,
    rows: Sequence[Sequence[float]],
    law: Callable[[float, float, float], float],
    seed: int,
    run: int,
    *,
    scale: float = 1.0,
    explore: int = 1,
    initial: float = 0.0,
    prior_pulls: float = 0.0,
    step_size: float = 0.0,
) -> list[Step]:
    """Play one replication of `len(rows)` pulls: the arm, its reward, its statistics, the regrets; and again.

    The means of step s are `rows[s]`.
    """
    rule, pay, pay_best = (Xoshiro(stream(seed, (purpose,), run)) for purpose in range(3))
    arms = len(rows[0])
    n, total, squares, v, sums = ([0.0] * arms for _ in range(5))
    m, best_gain, earned, gaps, steps = [initial] * arms, 0.0, 0.0, Counter[tuple[int, float]](), []
    for t, means in enumerate(rows, 1):
        a = (t - 1) % arms if t <= explore * arms else pick(n, m, v, float(t), rule)
        reward, best = law(pay.uniform(), means[a], scale), max(means)
        best_gain += law(pay_best.uniform(), best, scale)
        n[a], total[a], squares[a] = n[a] + 1.0, total[a] + reward, squares[a] + reward**2
        v[a] = squares[a] / n[a] - (total[a] / n[a]) ** 2
        m[a] = (
            m[a] + step_size * (reward - m[a])
            if step_size
            else (prior_pulls * initial + total[a]) / (prior_pulls + n[a])
        )
        gaps[a, best - means[a]] += 1
        pseudo = sum(gap * count for (_, gap), count in sorted(gaps.items()))
        earned += means[a]
        sums = [before + mean for before, mean in zip(sums, means, strict=True)]
        steps.append(Step(a, reward, means[a] == best, pseudo, max(sums) - earned, best_gain - sum(total)))
    return steps


def table(steps: Sequence[Step]) -> dict[str, Any]:
    """The columns of a played replication."""
    return {name: np.array(values) for name, values in zip(Step._fields, zip(*steps, strict=True), strict=True)}
