"""A user-defined rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bandits.arms.base import Arms
from bandits.hooks import PlainRule, Rule, resolve
from bandits.plain import check_class
from bandits.policies.base import Policy
from bandits.spec import PolicySpec
from bandits.trials import check_rule
from numerics import checks
from numerics.parameters import parameter


def _path(name: str, value: Any) -> str:
    if isinstance(value, Rule):
        return value.path
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if not isinstance(value, str) or not value:
        raise ValueError(
            f"{name} must be the dotted path of your rule, such as my_rules.my_index; got {checks.shown(value)}"
        )
    return value


class Custom(Policy, name="custom"):
    """Your own rule: a function decorated with `@bandits.bonus_rule`, `index_rule` or `choice_rule`, by its path.

    Or a class with the methods `choose` and `update`, which runs in plain Python, slowly: see `bandits.plain`. In
    Python, `rule` may also be the rule or the class itself, which is then known by its path.
    """

    rule: str = parameter(
        "",
        check=_path,
        help="Dotted path, such as my_rules.my_index; my_rules.py may lie in the current folder.",
    )
    params: Sequence[float] = parameter(
        (), check=checks.number_list, help="The numbers that the rule finds in its argument `params`."
    )
    source = "your own file"
    other_rewards = "what your rule does with them"

    @property
    def can_lock(self) -> bool | None:
        rule = resolve(self.rule)
        return rule.can_lock if isinstance(rule, Rule) else None

    @property
    def formula(self) -> str:
        return f"{self.rule}({', '.join(f'{value:g}' for value in self.params)})"

    def spec(self) -> PolicySpec:
        rule = resolve(self.rule)
        if not isinstance(rule, Rule):
            raise ValueError(f"rule {self.rule!r} must be a bonus, index or choice rule; it is a {rule.kind} hook")
        return PolicySpec(rule, tuple(self.params))

    def probe(self, arms: Iterable[Arms | int], horizon: int) -> None:
        spec = self.spec()
        for bandit in arms:
            if not isinstance(spec.rule, PlainRule):
                check_rule(spec, bandit, horizon)
            elif isinstance(bandit, int):  # for a search, which needs compiled rules
                spec.compiled()
            else:
                check_class(spec, bandit, horizon)
