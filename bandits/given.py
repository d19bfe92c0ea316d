"""What a user may give for policies and for arms: objects, names, lists of them or of means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bandits.arms.base import Arms
from bandits.arms.bernoulli import Bernoulli
from bandits.hooks import Rule
from bandits.policies.base import Policy
from numerics import checks
from numerics.parameters import must_be_one_of, parameters

Policies = Policy | str | Iterable[Policy | str] | Mapping[str, Policy | str]


def policy_of(value: Any, argument: str = "policy") -> Policy:
    """Return a policy, the one of a name with its defaults, or that of a rule or a plain class of the user's own.

    Raises
    ------
    ValueError
        None of them.

    Examples
    --------
    >>> policy_of("ucb")
    UCB(c=1.4142135623730951)
    """
    if isinstance(value, str):
        if value not in Policy.members:
            raise ValueError(must_be_one_of(argument, value, sorted(Policy.members)))
        return Policy.make(value)
    if isinstance(value, Rule) or (isinstance(value, type) and hasattr(value, "choose")):
        return Policy.make("custom", rule=value)
    if not isinstance(value, Policy):
        raise ValueError(f"{argument} must be a policy such as UCB() or make('ucb', c=1), or a name; got {value!r}")
    return value


def labelled(policies: Iterable[Any] | Mapping[str, Any]) -> dict[str, Policy]:
    """Return several policies by their labels: the given ones, else name and parameters that are not the defaults.

    Raises
    ------
    ValueError
        No policy, something else than a policy, or the same label twice.

    Examples
    --------
    >>> list(labelled(["ucb", Policy.make("ucb", c=1)]))
    ['ucb', 'ucb c=1']
    """
    if isinstance(policies, Mapping):
        pairs = [(str(label), policy_of(value, f"policy[{label!r}]")) for label, value in policies.items()]
    else:
        built = [policy_of(item, f"policy[{index}]") for index, item in enumerate(policies)]
        pairs = [(_label(policy), policy) for policy in built]
    if not pairs:
        raise ValueError("policy must hold at least 1 policy, such as ['ucb', 'thompson']; got none")
    for index, (label, _) in enumerate(pairs):
        if label in [before for before, _ in pairs[:index]]:
            raise ValueError(f"policy must not hold {label!r} twice; a mapping, {{'A': UCB()}}, gives other labels")
    return dict(pairs)


def _label(policy: Policy) -> str:
    """Return the name of a policy with those of its parameters that are not the defaults."""
    cls: Any = type(policy)
    given = [(field, getattr(policy, field.name)) for field in parameters(cls)]
    changed = [f"{field.name}={_text(value)}" for field, value in given if value != field.default]
    return " ".join([policy.name or cls.__name__, *changed])


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def arms_of(value: Any) -> Arms:
    """Return arms, or Bernoulli arms of a list of means.

    Raises
    ------
    ValueError
        Neither of them.

    Examples
    --------
    >>> arms_of([0.1, 0.9])
    Bernoulli(means=(0.1, 0.9), labels=None)
    """
    if isinstance(value, Arms):
        return value
    if isinstance(value, str | bytes | Mapping) or not np.iterable(value):
        raise ValueError(f"arms must be arms such as Bernoulli([0.1, 0.9]), or a list of their means; got {value!r}")
    with checks.under("arms"):
        return Bernoulli(tuple(value))
