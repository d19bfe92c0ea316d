"""The base of policies: small immutable values with parameters, a formula and a rule, but no statistics.

Each policy is a file of this folder and is registered automatically. The file has a subclass of `Policy` with its
parameters, name, formula and source, and the rule of that name, which plays it. Configuration, `make`, the catalogue,
error messages and contract tests read all of these from the class.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from bandits.arms.base import Arms
from bandits.arms.bernoulli import bernoulli
from bandits.hooks import Rule, named_hook
from bandits.spec import PolicySpec
from numerics.families import Declared, Family
from numerics.parameters import parameter, parameters

_DELTA = 0.05  # where no stopping rule says another


@dataclass(frozen=True)
class Limits:
    """The only bandits on which a policy is defined: this many Bernoulli arms, up to this horizon; and no search."""

    arms: int
    horizon: int

    def __str__(self) -> str:
        return f"bandits of {self.arms} Bernoulli arms, up to {self.horizon:,} pulls"

    def check(self, name: str, arms: Arms, horizon: int) -> None:
        """Raise ValueError for arms or a horizon outside the limits of the policy `name`.

        Raises
        ------
        ValueError
            One sentence that begins with the argument at fault.
        """
        if arms.count != self.arms or arms.reward_law is not bernoulli:
            raise ValueError(f"arms must be {self.arms} Bernoulli arms for {name}; got {arms.describe()}")
        if horizon > self.horizon:
            raise ValueError(f"horizon must be at most {self.horizon} for {name}; got {horizon}")


class Policy(Declared):
    """A way to choose arms; the fields of a subclass are its parameters on the command line."""

    source: ClassVar[str] = ""
    other_rewards: ClassVar[str] = "the same formula (no guarantee)"  # what becomes of those but 0 and 1
    unit_rewards: ClassVar[bool] = False  # whether the rule is defined only for rewards in [0, 1]
    unit_theory: ClassVar[bool] = False  # whether it plays on any rewards, but its proofs need rewards in [0, 1]
    locks: ClassVar[bool | None] = None  # whether it can lock, see `bandits.bounds.can_lock`: False is of its defaults
    identifies: ClassVar[bool] = False  # whether it is made to find the best arm, at whatever regret
    by_pulls: ClassVar[bool] = False  # whether it recommends the arm of the most pulls, not that of the highest mean
    forgets: ClassVar[bool] = False  # whether old rewards come to count for less, or not at all
    alarms: ClassVar[bool] = False  # whether it looks for changes, and counts those noticed in row 0 of its memory
    limits: ClassVar[Limits | None] = None  # None: any arms, any horizon, and any search that its kind of rule allows
    plan: ClassVar[Any] = None  # a method of T and K that returns what the rule finds in `params`, of one that plans
    revision: ClassVar[int] = 1  # rises when its choices change, so that a saved agent says which version chose
    memory: ClassVar[Any] = 0  # rows beyond those of a choice rule, or a method of these numbers and T

    @property
    def needs_features(self) -> bool:
        """Whether it sees features before each pull, and plays only arms that have them."""
        return "features" in self.spec().rule.needs

    @property
    def formula(self) -> str:
        """How an arm is chosen, in the field's letters (m mean, n pulls, t the pull being chosen), with the numbers."""
        raise self._unfinished("formula")

    def spec(self) -> PolicySpec:
        """Return the rule that plays this policy, with its numbers.

        Unless a class says otherwise, it is the rule in its file that has its name. Its numbers are those of `plan`, or
        the parameters in their order, inf for one that is left out. NAME_chances in that file writes its probabilities.
        """
        cls: Any = type(self)
        rule = named_hook(self, Rule)
        if rule is None:
            raise self._unfinished("spec")
        given = () if self.plan else tuple(getattr(self, field.name) for field in parameters(cls))
        params = tuple(math.inf if value is None else value for value in given)
        chances = getattr(sys.modules[rule.function.__module__], f"{rule.function.__name__}_chances", None)
        return PolicySpec(rule, params, chances=chances, plan=self.plan, memory=self.memory)

    def aiming_at(self, delta: float | None) -> Self:
        """Return the policy for a stopping rule that lets an arm be wrong with so much probability, if it says so."""
        return self

    def check_features(self, arms: Arms) -> None:
        """Raise ValueError for a policy that sees features and arms that have none."""
        if self.needs_features and not arms.dimension:
            raise ValueError(
                f"arms must have features for {self.name}, such as arms=linear or arms=logistic; got {arms.describe()}"
            )

    def probe(self, arms: Arms | None = None) -> None:
        """Raise ValueError for a user's rule that fails on these arms; without arms, for one that fails in a search."""


class Confident(Policy):
    """Policies with bounds of which any is wrong with a probability of at most delta."""

    delta: float | None = parameter(
        None,
        low=0.0,
        high=1.0,
        above=True,
        below=True,
        help=f"Error probability of the confidence bounds, in (0, 1); null: the stopping rule's, else {_DELTA}.",
    )

    def aiming_at(self, delta: float | None) -> Self:
        return self if self.delta is not None or delta is None else replace(self, delta=delta)

    @property
    def aim(self) -> float:
        """Delta, or what it is where nobody gave it."""
        return _DELTA if self.delta is None else self.delta

    @property
    def aim_text(self) -> str:
        """Delta in a formula."""
        return "delta" if self.delta is None else f"{self.delta:g}"


class Forgetful(Policy):
    """Policies for arms that change: old rewards come to count for less, the sooner the more often means change."""

    forgets = True
    changes: int = parameter(
        1,
        low=1,
        most=10**9,
        help="Expected number of changes of the means, at least 1; sets the parameters left at null.",
    )


class Discounting(Forgetful):
    """Policies that discount every arm's rewards and pulls at each step."""

    gamma: float | None = parameter(
        None,
        low=0.0,
        high=1.0,
        above=True,
        help="Discount factor per step, in (0, 1]; null: 1 - sqrt(changes / T) / 4.",
    )

    @property
    def discount(self) -> str:
        """Gamma in a formula."""
        return f"1 - sqrt({self.changes} / T) / 4" if self.gamma is None else f"{self.gamma:g}"

    def discounted(self, rule: Rule, *following: float) -> PolicySpec:
        """Return how a rule of params = [gamma, *following] plays the policy."""
        if self.gamma is None:
            return PolicySpec(rule, plan=functools.partial(discount_plan, self.changes, following))
        return PolicySpec(rule, (self.gamma, *following))


def discount_plan(changes: int, following: Iterable[float], horizon: int, arms: int) -> npt.NDArray[np.float64]:
    """Return what a rule that discounts takes for a run: gamma = 1 - sqrt(changes / T) / 4, and numbers that follow.

    Garivier and Moulines 2011, for rewards in [0, 1]; of more changes than pulls each pull counts as one.
    """
    return np.array([1.0 - 0.25 * math.sqrt(min(1.0, changes / horizon)), *following])


def _adopt(value: Any, argument: str) -> Policy | None:
    """Return the policy of a user's rule or class."""
    is_rule = isinstance(value, Rule) or (isinstance(value, type) and hasattr(value, "choose"))
    return Policy.make("custom", rule=value) if is_rule else None


POLICIES: Family[Policy] = Family("policy", Policy, "ucb c=0.5", _adopt, dotted=("custom", "rule"))
"""All policies; a rule or a plain class of the user is one too."""

make = Policy.make

Policies = Policy | str | Iterable[Policy | str] | Mapping[str, Policy | str]


def phase(explore: int) -> str:
    """Return the beginning of a formula: the phase of first pulls."""
    return "" if explore == 0 else "each arm once, " if explore == 1 else f"each arm {explore} times, "


def estimate(step_size: float | None) -> str:
    """Return the formula of an estimate with a step size, or "" for an average."""
    return "" if step_size is None else f", m += {step_size:g} (r - m)"


def multiple(factor: float) -> str:
    """Return a factor that stands before something as text: nothing where it is 1."""
    return "" if factor == 1.0 else f"{factor:g} "


def root_two(c: float) -> str:
    """Return a factor as text, with "sqrt(2)" for its value, which readers look for."""
    return "sqrt(2)" if math.isclose(c, math.sqrt(2.0), rel_tol=1e-9) else f"{c:g}"
