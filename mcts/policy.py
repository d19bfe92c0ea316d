"""A bandit policy as a player takes it: an object, a name, or a node of a configuration; and how it is printed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from bandits import POLICIES, Policy, make

UNIFORM = "uniform"  # what the bandits package calls "random", by the name it has among moves


def policy_of(value: Policy | str | Mapping[str, Any], argument: str = "policy") -> Policy:
    """Return the policy that a player's parameter means, with its rule found and probed.

    Parameters
    ----------
    value : Policy, str or mapping
        A policy object; a name of `bandits.POLICIES`, or "uniform" for any move with equal probability; or a node with
        a name and parameters, such as ``{"name": "ucb", "c": 0.7}``.
    argument : str
        What a sentence begins with.

    Raises
    ------
    ValueError
        No policy, an unknown name or parameter, a value out of its range, or a user's rule that does not work.

    Examples
    --------
    >>> policy_of({"name": "ucb", "c": 0.7})
    UCB(c=0.7)
    """
    node: Any = {"name": value} if isinstance(value, str) else value
    if isinstance(node, Policy):
        policy = node
    elif isinstance(node, Mapping) and isinstance(node.get("name"), str):
        name = "random" if node["name"] == UNIFORM else node["name"]
        if name not in POLICIES:
            raise ValueError(f"{argument} must be one of {UNIFORM}, {', '.join(sorted(POLICIES))}; got {name!r}")
        try:
            policy = make(name, **{key: given for key, given in node.items() if key != "name"})
        except ValueError as error:
            raise ValueError(f"{argument}.{error}") from error
    else:
        raise ValueError(
            f"{argument} must be a policy, the name of one, or a node such as {{name: ucb, c: 0.7}}; got {value!r}"
        )
    try:
        policy.hooks()
    except ValueError as error:
        raise ValueError(f"{argument}.{error}") from error
    return policy


def text_of(policy: Policy) -> str:
    """Return a policy with every parameter, as it stands in a player's name.

    Examples
    --------
    >>> text_of(policy_of("ucb")), text_of(policy_of("uniform"))
    ('ucb(c=1.41421)', 'uniform')
    """
    if policy.name == "random":
        return UNIFORM
    shown = [f"{one.name}={_text(getattr(policy, one.name))}" for one in dataclasses.fields(policy)]  # type: ignore[arg-type]
    return f"{policy.name}({', '.join(shown)})" if shown else policy.name


def _text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_text(one) for one in value)}]"
    return f"{value:g}" if isinstance(value, float) else str(value)
