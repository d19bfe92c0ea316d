"""One policy or more of every registered kind, so that a new entry of the registry is tested by being registered."""

from __future__ import annotations

import dataclasses
from typing import Any

from bandits import Arms, Custom, Logistic, Policy, make

# A custom rule needs a rule: a built-in one, by the path that a user's own would have.
NEEDED: dict[str, dict[str, Any]] = {"custom": {"rule": "bandits.policies.ucb.ucb", "c": 0.7}}


def example(name: str) -> Policy:
    """A policy with default parameters, and those it cannot do without."""
    return make(name, **NEEDED.get(name, {}))


def variations(policy: Policy) -> list[tuple[str, Policy]]:
    """For each parameter, the same policy with another value of it."""
    if isinstance(policy, Custom):
        return [("rule", Custom("bandits.policies.greedy.greedy")), ("c", Custom(policy.rule, c=2.5))]
    varied = []
    for field in dataclasses.fields(policy):  # type: ignore[arg-type]
        value = getattr(policy, field.name)
        other: Any = None
        if isinstance(value, str):
            other = next(choice for choice in field.metadata["range"].choices if choice != value)
        if other is None and value is None:
            other = 5 if "int" in str(field.type) else 0.5
        if other is None:
            other = value + 1 if isinstance(value, int) else value / 2.0 or 3.0
        varied.append((field.name, dataclasses.replace(policy, **{field.name: other})))  # type: ignore[type-var]
    return varied


_MADE = [example(name) for name in sorted(Policy.members)]
FEATURED = [policy for policy in _MADE if policy.needs_features]  # which play arms with features only
SEEN: Arms = Logistic(arms=4, features=3)  # such arms
_EVERY = [policy for policy in _MADE if policy not in FEATURED]
EXAMPLES = [policy for policy in _EVERY if policy.spec().plan is None]  # which play any number of arms, and search
LIMITED = [policy for policy in _EVERY if policy.limits is not None]
PLANNED = [policy for policy in _EVERY if policy.spec().plan is not None and policy.limits is None]  # of any arms
ALL = EXAMPLES + [
    varied
    for policy in [*EXAMPLES, *PLANNED]  # of these, what needs no plan once a number is given
    for _, varied in variations(policy)
    if varied.spec().plan is None
]
