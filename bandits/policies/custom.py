"""A user-defined rule."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np

from bandits import plain
from bandits.arms.base import Arms
from bandits.arms.bernoulli import Bernoulli
from bandits.hooks import PlainRule, Rule, path_of, resolve
from bandits.kernels import general
from bandits.kernels.arguments import Problem, Steps
from bandits.policies.base import Policy
from bandits.replications import Replications
from bandits.spec import PolicySpec
from numerics import checks
from numerics.kernels.addresses import address_of
from numerics.kernels.users import user_errors
from numerics.parameters import parameter

_TWO = Bernoulli([0.3, 0.7])
_TRIED = 20  # pulls of a trial, after the first ones


def _path(name: str, value: Any) -> str:
    if isinstance(value, Rule | type):
        return path_of(name, value)
    if not isinstance(value, str) or not value:
        raise ValueError(
            f"{name} must be the dotted path of your rule, such as my_rules.my_index; got {checks.show(value)}"
        )
    return value


class Custom(Policy, name="custom"):
    """Your own rule: a function under `@bandits.index_rule`, `bonus_rule` or `choice_rule`, or a class, by its path.

    Its parameters are given by their names, as in ``Custom("my_rules.careful", c=0.5)``, or in a text, as in
    ``"my_rules.careful c=0.5"``. In Python, `rule` may also be the rule or the class itself.
    """

    rule: str = parameter(
        "",
        check=_path,
        help="Dotted path, such as my_rules.my_index; my_rules.py may be in the current folder.",
    )
    given: tuple[tuple[str, float], ...] = dataclasses.field(default=(), init=False)  # of its parameters
    source = "your own file"
    other_rewards = "as defined by your rule"

    def __init__(self, rule: Any = "", **given: Any):
        object.__setattr__(self, "rule", rule)
        named = sorted((name, checks.number(name, value)) for name, value in given.items())
        object.__setattr__(self, "given", tuple(named))
        self.__post_init__()

    def __repr__(self) -> str:
        return f"Custom({', '.join([repr(self.rule), *(f'{name}={value!r}' for name, value in self.given)])})"

    @property
    def more(self) -> dict[str, Any]:
        """The parameters of the rule."""
        return dict(self.given)

    @property
    def locks(self) -> bool | None:  # type: ignore[override]
        """Whether it can lock; None where nothing is known."""
        rule = resolve(self.rule)
        return rule.can_lock if isinstance(rule, Rule) else None

    @property
    def formula(self) -> str:
        return str(self)

    def spec(self) -> PolicySpec:
        rule = resolve(self.rule)
        if not isinstance(rule, Rule):
            raise ValueError(f"rule {self.rule!r} must be a bonus, index or choice rule; it is a {rule.kind} hook")
        return PolicySpec(rule, rule.numbers(self.more))

    def probe(self, arms: Arms | None = None) -> None:
        spec = self.spec()
        if isinstance(spec.rule, PlainRule) and arms is None:  # a search needs compiled rules
            spec.compiled()
        _try_out(spec, arms or _TWO, tuple(hook.constants for hook in spec.hooks))


@functools.lru_cache(maxsize=1024)
def _try_out(spec: PolicySpec, arms: Arms, _constants: Any) -> None:
    """Play a few pulls of a user's rule, before any work, and refuse what fails there; the same rule only once."""
    pulls, sees = spec.estimates.explore * arms.count + _TRIED, "features" in spec.rule.needs
    played = Replications.room(np.array([pulls]), 0, 1, arms.count, changing=sees)
    played.means[:] = arms.draw_means(0, 0, 1)
    problem = Problem(played.means, arms.law_params, played.checkpoints)
    if sees:
        starts, rows, seen = arms.with_features(0, 0, 1, pulls)
        problem = problem._replace(starts=starts, segments=rows.reshape(1, -1), features=seen.reshape(1, -1))
    streams, record, steps = played.streams(0), played.record(0), Steps.room(0, 0, 0, 0)
    if isinstance(spec.rule, PlainRule):
        plain.play_plain(spec, arms.reward_law, problem, streams, record, steps)
        return
    play: Any = general.play
    numbers = spec.kernel_spec(pulls, arms.count, arms.dimension)
    with user_errors(spec.hooks):
        play(spec.addresses(), address_of(arms.reward_law.compiled), numbers, problem, streams, record, steps, 1)
