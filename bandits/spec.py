"""The specification of a policy for simulations and searches: its rule and a few numbers."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.hooks import ChoiceRule, CompiledHook, IndexRule, LearnRule, PlainRule, PropensityHook, Rule
from bandits.kernels.arguments import Estimates, Hooks, KernelSpec
from bandits.rules import choice_rule, learn_rule, propensity_hook, vector_rule
from numerics.kernels.addresses import address_of


@dataclass(frozen=True)
class PolicySpec:
    """What the simulation kernel, or a tree, needs to know to play a policy."""

    rule: Rule
    params: tuple[float, ...] = ()
    estimates: Estimates = field(default=None)  # type: ignore[assignment]  # averages, unless given
    chances: IndexRule | None = None  # of a rule that draws: a hook that writes each arm's probability, not its score
    block: Callable[..., npt.NDArray[np.float64]] | None = None  # by its params and the pulls of three arms and more:
    # these probabilities in every state, of shape (K, states), where `chances` writes NaN
    plan: Callable[[int, int], npt.NDArray[np.float64]] | None = None  # of a rule that plans: its params, by T and K
    memory: int | Callable[[npt.NDArray[np.float64], int], int] = 0  # rows beyond those of a choice rule; or what
    arm_memory: int = 0  # returns them from what `numbers` returns and T, as for a window

    def __post_init__(self) -> None:
        """Have every arm pulled once first where the rule wants that, unless the policy says otherwise."""
        if self.estimates is None:
            object.__setattr__(self, "estimates", Estimates(explore=int(self.rule.every_arm_first)))

    @property
    def learn(self) -> LearnRule | None:
        """The learn hook of a choice rule that has one."""
        return self.rule.learn if isinstance(self.rule, ChoiceRule) else None

    @property
    def propensities(self) -> PropensityHook | None:
        """The hook NAME_propensities of the rule's file: probabilities of a choice, of any number of arms."""
        function = self.rule.function
        hook = getattr(sys.modules[function.__module__], f"{function.__name__}_propensities", None)
        return hook if isinstance(hook, PropensityHook) else None

    @property
    def hooks(self) -> tuple[CompiledHook, ...]:
        """The rule, and its learn hook if it has one."""
        return (self.rule, self.learn) if self.learn is not None else (self.rule,)

    def compiled(self) -> tuple[Any, Any, Any]:
        """Return score, select and learn as kernels take them, with a stand-in for an absent one."""
        if isinstance(self.rule, PlainRule):
            raise ValueError(f"{self.rule.who} is a Python class; a search needs a compiled rule")
        score = self.rule if isinstance(self.rule, IndexRule) else no_score
        select = self.rule if isinstance(self.rule, ChoiceRule) else no_select
        return score.pointed, select.compiled, (self.learn or no_learn).compiled

    def addresses(self) -> Hooks:
        """Return the hooks as the kernels of one replication take them."""
        return Hooks(*map(address_of, self.compiled()))

    def numbers(self, horizon: int, arms: int) -> npt.NDArray[np.float64]:
        """Return the rule's argument `params` in a run of this many pulls and arms."""
        return np.array(self.params, dtype=np.float64) if self.plan is None else self.plan(horizon, arms)

    def kernel_spec(self, horizon: int, arms: int, features: int = 0) -> KernelSpec:
        """Return the kernel's other arguments for a run of this many pulls, arms and features."""
        params, memory, arm_memory, kept_rows = self.numbers(horizon, arms), 0, 0, 0
        seen = features if "features" in self.rule.needs else 0
        if isinstance(self.rule, ChoiceRule):
            memory = self.memory(params, horizon) if callable(self.memory) else self.memory
            leading, (rows, arm_rows) = 1 + seen if seen else 0, self.rule.rows(seen)
            memory += leading + rows + self.rule.pull_memory * horizon
            arm_memory = self.arm_memory + arm_rows
            kept_rows = leading + self.rule.kept_rows + self.rule.kept_arm_rows * arms
        return KernelSpec(
            is_choice=isinstance(self.rule, ChoiceRule),
            has_learn=self.learn is not None,
            needs_variances="variances" in self.rule.needs,
            needs_priors="priors" in self.rule.needs,
            horizon=float(horizon) if "horizon" in self.rule.needs else math.nan,
            params=params,
            memory=memory,
            arm_memory=arm_memory,
            kept_rows=kept_rows,
            features=seen,
            estimates=self.estimates,
        )


def refuse_nan(name: str, t: int) -> None:
    """Raise ValueError for a policy that scored an arm NaN at pull t, counted from 1; 0 for one that never did."""
    if t:
        raise ValueError(f"policy {name} gave an arm the score NaN at t = {t}; a score must be a number, inf or -inf")


@vector_rule
def no_score(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Stand for an absent index rule."""


@choice_rule
def no_select(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Stand for an absent choice rule."""


@learn_rule
def no_learn(memory, arm, reward):
    """Stand for an absent learn rule."""


@propensity_hook
def no_propensities(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, out):
    """Stand for an absent formula of probabilities."""
    out[:] = math.nan


@vector_rule
def no_chances(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    """Stand for an absent hook of chances."""
    out[:] = math.nan
