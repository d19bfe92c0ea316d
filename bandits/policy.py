"""What a policy is: a small immutable value with a formula and the hooks that play it; it holds no statistics.

The classes are in `bandits.policies`, which imports no compiled code either, so that listing them is instant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bandits.hooks import ChoiceRule, IndexRule, LearnRule
from bandits.method import Method

POLICIES: dict[str, type[Policy]] = {}


@dataclass(frozen=True)
class Hooks:
    """What the simulation kernel, or a tree, needs to know to play a policy."""

    rule: IndexRule | ChoiceRule
    params: tuple[float, ...] = ()
    learn: LearnRule | None = None
    memory: int = 0  # rows of a choice rule's memory
    explore: int = 1  # pulls of every arm, in turn, before the rule is asked
    initial: float = 0.0  # an arm's estimate before its first pull
    prior_pulls: float = 0.0  # how many pulls that start value counts for
    step_size: float = 0.0  # 0: sample averages
    left_out: Callable[..., None] | None = None  # writes the scores that the rule leaves out; see `bandits.left_out`

    def compiled(self) -> tuple[Any, Any, Any]:
        """Return score, select and learn as kernels take them; one that is not called stands in for an absent one."""
        from bandits import choices, rules

        score = self.rule if isinstance(self.rule, IndexRule) else rules.greedy
        select = self.rule if isinstance(self.rule, ChoiceRule) else choices.uniform
        return score.pointed, select.compiled, (self.learn or choices.forget).compiled

    def method(self) -> Method:
        """Return the rest of what a kernel needs."""
        return Method(
            chooses=isinstance(self.rule, ChoiceRule),
            learns=self.learn is not None,
            spreads=self.rule.reads_variances,
            params=np.array(self.params, dtype=np.float64),
            memory=self.memory,
            explore=int(self.explore),
            initial=float(self.initial),
            prior_pulls=float(self.prior_pulls),
            step_size=float(self.step_size),
        )


class Policy:
    """A way to choose arms. Subclasses are frozen dataclasses whose fields are the parameters of the command line."""

    name: ClassVar[str] = ""
    source: ClassVar[str] = ""
    unit_rewards: ClassVar[bool] = False  # whether the rule is defined only for rewards in [0, 1]

    def __init_subclass__(cls) -> None:
        POLICIES[cls.name] = cls

    @property
    def formula(self) -> str:
        """How an arm is chosen, in the field's letters (m mean, n pulls, t the pull being chosen), with the numbers."""
        raise NotImplementedError

    def hooks(self) -> Hooks:
        """Return the rule and the numbers that play this policy; imports the compiled code."""
        raise NotImplementedError

    def probe(self, arms: Iterable[int], horizon: int) -> None:
        """Refuse a user's rule that does not work with such numbers of arms up to this horizon; ours always do."""
