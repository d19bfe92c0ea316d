"""The policies by name: parameters, ranges, the formula with its numbers, and which hooks play it.

Writing a new one is one class here (it registers itself) and one hook in `rules` or `choices`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from bandits.arms import LARGEST
from bandits.hooks import IndexRule, resolve
from bandits.policy import POLICIES, Hooks, Policy
from numerics import checks

_PRIOR = (1e-6, 1e9)  # of a Beta prior's parameters: beyond, draws round to nothing but 0 and 1, or overflow


def make(name: str, **parameters: Any) -> Policy:
    """Return a policy by the name and parameters that the command line uses.

    Raises
    ------
    ValueError
        An unknown name or parameter, or a value out of its range.

    Examples
    --------
    >>> make("epsilon_greedy", epsilon=0.05).epsilon
    0.05
    """
    cls = POLICIES.get(name) if isinstance(name, str) else None
    if cls is None:
        raise ValueError(f"name must be one of {', '.join(sorted(POLICIES))}; got {name!r}")
    known = [one.name for one in fields(cls)]  # type: ignore[arg-type]
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(f"{parameter} is no parameter of {name}; it takes {', '.join(known) or 'none'}")
    return cls(**parameters)


def _number(policy: Policy, name: str, low: float = -math.inf, high: float = math.inf, *, above: bool = False) -> None:
    """Check a parameter and keep it as the float that it is."""
    value = checks.number(name, getattr(policy, name), low, high, above=above, most=LARGEST)
    object.__setattr__(policy, name, value)


def _explore(value: int, low: int = 0) -> None:
    checks.whole("explore", value, low)


@dataclass(frozen=True)
class Random(Policy):
    """Every arm with equal probability, for ever: the baseline of linear regret."""

    name: ClassVar[str] = "random"
    source: ClassVar[str] = "uniform play"

    @property
    def formula(self) -> str:  # noqa: D102
        return "any arm, probability 1 / K"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import choices

        return Hooks(choices.uniform, explore=0)


@dataclass(frozen=True)
class Greedy(Policy):
    """A uniform exploration phase, then always the best mean so far.

    Parameters
    ----------
    explore : int, default 1
        Pulls of every arm, in turn, before the first greedy choice; at least 0.
    step_size : float, optional
        Move the estimate this share, in (0, 1], towards each reward; the sample average when left out.
    """

    explore: int = 1
    step_size: float | None = None
    name: ClassVar[str] = "greedy"
    source: ClassVar[str] = "Sutton and Barto 2018, section 2.2"

    def __post_init__(self) -> None:
        _explore(self.explore)
        _step(self)

    @property
    def formula(self) -> str:  # noqa: D102
        return f"{_phase(self.explore)}argmax m{_estimate(self.step_size)}"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import rules

        return Hooks(rules.greedy, explore=self.explore, step_size=self.step_size or 0.0)


@dataclass(frozen=True)
class ExploreThenCommit(Policy):
    """A uniform exploration phase, then the arm that was best at its end, whatever it pays later.

    Parameters
    ----------
    explore : int, default 10
        Pulls of every arm, in turn, before committing; at least 1.
    """

    explore: int = 10
    name: ClassVar[str] = "explore_then_commit"
    source: ClassVar[str] = "Lattimore and Szepesvari 2020, algorithm 1"

    def __post_init__(self) -> None:
        _explore(self.explore, 1)

    @property
    def formula(self) -> str:  # noqa: D102
        return f"{_phase(self.explore)}then the arm of the best m for ever"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import choices

        return Hooks(choices.commit, memory=1, explore=self.explore)


@dataclass(frozen=True)
class EpsilonGreedy(Policy):
    """Any arm with probability epsilon_t, else the best mean so far.

    Parameters
    ----------
    epsilon : float, default 0.1
        Probability of exploring, in [0, 1].
    decay : float, optional
        D > 0: epsilon_t = min(epsilon, D / t); constant when left out.
    explore : int, default 1
        Pulls of every arm, in turn, before the rule starts; at least 0.
    step_size : float, optional
        Move the estimate this share, in (0, 1], towards each reward; the sample average when left out.
    """

    epsilon: float = 0.1
    decay: float | None = None
    explore: int = 1
    step_size: float | None = None
    name: ClassVar[str] = "epsilon_greedy"
    source: ClassVar[str] = "Sutton and Barto 2018, section 2.2; decaying: Auer et al. 2002, figure 3"

    def __post_init__(self) -> None:
        _number(self, "epsilon", 0.0, 1.0)
        if self.decay is not None:
            _number(self, "decay", 0.0, above=True)
        _explore(self.explore)
        _step(self)

    @property
    def formula(self) -> str:  # noqa: D102
        epsilon = f"{self.epsilon:g}" if self.decay is None else f"min({self.epsilon:g}, {self.decay:g} / t)"
        return f"{_phase(self.explore)}any arm with probability {epsilon}, else argmax m{_estimate(self.step_size)}"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import choices

        decay = math.inf if self.decay is None else self.decay
        return Hooks(
            choices.epsilon_greedy,
            (self.epsilon, decay),
            explore=self.explore,
            step_size=self.step_size or 0.0,
        )


@dataclass(frozen=True)
class Optimistic(Policy):
    """Greedy from an optimistic start: an untried arm looks good until it has been tried enough.

    Parameters
    ----------
    initial : float, default 1
        Every arm's estimate before its first pull; optimistic when above the best mean.
    prior_pulls : float, default 1
        How many pulls that start value counts for in the average; above 0. Without effect under a step size.
    step_size : float, optional
        Move the estimate this share, in (0, 1], towards each reward, and so forget the start value; left out, average.
    """

    initial: float = 1.0
    prior_pulls: float = 1.0
    step_size: float | None = None
    name: ClassVar[str] = "optimistic"
    source: ClassVar[str] = "Sutton and Barto 2018, section 2.6"

    def __post_init__(self) -> None:
        _number(self, "initial")
        _number(self, "prior_pulls", 0.0, above=True)
        _step(self)

    @property
    def formula(self) -> str:  # noqa: D102
        if self.step_size is not None:
            return f"argmax m, m = {self.initial:g} at first{_estimate(self.step_size)}"
        w = self.prior_pulls
        return f"argmax ({w * self.initial:g} + sum of rewards) / ({w:g} + n)"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import rules

        weight = 0.0 if self.step_size is not None else self.prior_pulls
        return Hooks(rules.greedy, explore=0, initial=self.initial, prior_pulls=weight, step_size=self.step_size or 0.0)


@dataclass(frozen=True)
class UCB(Policy):
    """Optimism by a confidence bound: m + c sqrt(ln t / n).

    Parameters
    ----------
    c : float, default sqrt(2)
        Factor of the exploration term, at least 0; sqrt(2) is the UCB1 of Auer et al.
    """

    c: float = math.sqrt(2.0)
    name: ClassVar[str] = "ucb"
    source: ClassVar[str] = "Auer, Cesa-Bianchi and Fischer 2002, figure 1"

    def __post_init__(self) -> None:
        _number(self, "c", 0.0)

    @property
    def formula(self) -> str:  # noqa: D102
        return f"m + {_root_two(self.c)} sqrt(ln t / n)"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import rules

        return Hooks(rules.ucb, (self.c,))


@dataclass(frozen=True)
class PUCT(Policy):
    """A bonus in proportion to a prior probability of each arm: m + c P sqrt(t - 1) / (1 + n).

    Without anything known beforehand P = 1 / K; a search can be given a prior of its game's or of yours.

    Parameters
    ----------
    c : float, default 1
        Factor of the exploration term, at least 0. For rewards in [0, 1]; for rewards in [-1, 1] it is twice as much.
    initial : float, default 0.5
        An arm's estimate before its first pull, which replaces it; 1/2 is a draw.
    """

    c: float = 1.0
    initial: float = 0.5
    name: ClassVar[str] = "puct"
    source: ClassVar[str] = "Silver et al. 2017, methods; Rosin 2011"

    def __post_init__(self) -> None:
        _number(self, "c", 0.0)
        _number(self, "initial")

    @property
    def formula(self) -> str:  # noqa: D102
        return f"m + {self.c:g} P sqrt(t - 1) / (1 + n), P = 1 / K unless given, m = {self.initial:g} at first"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import rules

        return Hooks(rules.puct, (self.c,), explore=0, initial=self.initial)


@dataclass(frozen=True)
class UCBV(Policy):
    """A confidence bound that narrows with the measured variance, for rewards in [0, 1].

    Parameters
    ----------
    zeta : float, default 1
        Factor of ln t, above 0.
    c : float, default 1
        Factor of the last term, at least 0.
    """

    zeta: float = 1.0
    c: float = 1.0
    name: ClassVar[str] = "ucb_v"
    source: ClassVar[str] = "Audibert, Munos and Szepesvari 2009, equation (2)"
    unit_rewards: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _number(self, "zeta", 0.0, above=True)
        _number(self, "c", 0.0)

    @property
    def formula(self) -> str:  # noqa: D102
        return f"m + sqrt({2 * self.zeta:g} V ln t / n) + {3 * self.c * self.zeta:g} ln t / n"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import rules

        return Hooks(rules.ucb_v, (self.zeta, self.c))


@dataclass(frozen=True)
class KLUCB(Policy):
    """The confidence bound of the Bernoulli likelihood, for rewards in [0, 1]; asymptotically optimal.

    Parameters
    ----------
    c : float, default 0
        Factor of ln ln t, at least 0; the theory wants 3, practice 0.
    """

    c: float = 0.0
    name: ClassVar[str] = "kl_ucb"
    source: ClassVar[str] = "Garivier and Cappe 2011, algorithm 1"
    unit_rewards: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _number(self, "c", 0.0)

    @property
    def formula(self) -> str:  # noqa: D102
        more = f" + {self.c:g} ln ln t" if self.c else ""
        return f"max q: n kl(m, q) <= ln t{more}"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import left_out, rules

        return Hooks(rules.kl_ucb, (self.c,), left_out=left_out.kl_ucb)


@dataclass(frozen=True)
class MOSS(Policy):
    """Minimax optimal in the stochastic case: the bonus ends once an arm has had its share T / K. Knows the horizon."""

    name: ClassVar[str] = "moss"
    source: ClassVar[str] = "Audibert and Bubeck 2009, section 2"

    @property
    def formula(self) -> str:  # noqa: D102
        return "m + sqrt(max(0, ln(T / (K n))) / n)"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import rules

        return Hooks(rules.moss)


@dataclass(frozen=True)
class Thompson(Policy):
    """The arm that is best in a draw from the posterior; Beta prior, rewards in [0, 1].

    Parameters
    ----------
    alpha, beta : float, default 1
        The prior Beta(alpha, beta) of every mean, both from 1e-6 to 1e9; Beta(1, 1) is uniform.
    """

    alpha: float = 1.0
    beta: float = 1.0
    name: ClassVar[str] = "thompson"
    source: ClassVar[str] = "Thompson 1933; Agrawal and Goyal 2012, algorithm 1"
    unit_rewards: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _number(self, "alpha", *_PRIOR)
        _number(self, "beta", *_PRIOR)

    @property
    def formula(self) -> str:  # noqa: D102
        return f"argmax theta, theta ~ Beta({self.alpha:g} + S, {self.beta:g} + n - S), S = n m"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import left_out, rules

        return Hooks(rules.thompson, (self.alpha, self.beta), explore=0, left_out=left_out.thompson)


@dataclass(frozen=True)
class Softmax(Policy):
    """Boltzmann exploration: an arm with probability proportional to exp(m / temperature).

    Parameters
    ----------
    temperature : float, default 0.1
        Above 0; small is greedy, large is uniform.
    """

    temperature: float = 0.1
    name: ClassVar[str] = "softmax"
    source: ClassVar[str] = "Sutton and Barto 1998, section 2.3"

    def __post_init__(self) -> None:
        _number(self, "temperature", 0.0, above=True)

    @property
    def formula(self) -> str:  # noqa: D102
        return f"each arm once, arm a with probability exp(m_a / {self.temperature:g}) / sum"

    def hooks(self) -> Hooks:  # noqa: D102
        from bandits import choices

        return Hooks(choices.softmax, (self.temperature,))


@dataclass(frozen=True)
class Custom(Policy):
    """An index rule of your own: a function of yours under `@bandits.index_rule`, by its import path.

    Parameters
    ----------
    rule : str
        Dotted path, such as my_rules.my_index; my_rules.py may lie in the current folder. In Python also the rule
        itself, which then goes by its path.
    params : list of float, default []
        The numbers that the rule finds in its argument `params`.
    """

    rule: str = ""
    params: Sequence[float] = field(default_factory=tuple)
    name: ClassVar[str] = "custom"
    source: ClassVar[str] = "your own file"

    def __post_init__(self) -> None:
        if isinstance(self.rule, IndexRule):
            object.__setattr__(self, "rule", self.rule.path)
        if not self.rule or not isinstance(self.rule, str):
            raise ValueError(
                f"rule must be the dotted path of your index rule, such as my_rules.my_index; got {self.rule!r}"
            )
        if isinstance(self.params, (str, bytes, Mapping)) or not np.iterable(self.params):
            raise ValueError(f"params must be a list of numbers; got {self.params!r}")
        numbers = [checks.number(f"params[{place}]", value) for place, value in enumerate(self.params)]
        object.__setattr__(self, "params", tuple(numbers))

    @property
    def formula(self) -> str:  # noqa: D102
        return f"{self.rule}({', '.join(f'{value:g}' for value in self.params)})"

    def hooks(self) -> Hooks:  # noqa: D102
        rule = self._resolved()
        return Hooks(rule, tuple(self.params), explore=1 if rule.every_arm_first else 0)

    def probe(self, arms: Iterable[int], horizon: int) -> None:  # noqa: D102
        from bandits.probe import check_rule

        for count in arms:
            check_rule(self._resolved(), tuple(self.params), count, horizon)

    def _resolved(self) -> IndexRule:
        rule = resolve(self.rule)
        if not isinstance(rule, IndexRule):
            raise ValueError(f"rule {self.rule!r} must be an index rule (@index_rule); it is a {rule.kind} hook")
        return rule


def _step(policy: Policy) -> None:
    if getattr(policy, "step_size", None) is not None:
        _number(policy, "step_size", 0.0, 1.0, above=True)


def _phase(explore: int) -> str:
    return "" if explore == 0 else "each arm once, " if explore == 1 else f"each arm {explore} times, "


def _estimate(step_size: float | None) -> str:
    return "" if step_size is None else f", m += {step_size:g} (r - m)"


def _root_two(c: float) -> str:
    """Write sqrt(2) as such: readers look for it."""
    return "sqrt(2)" if math.isclose(c, math.sqrt(2.0), rel_tol=1e-9) else f"{c:g}"
