"""A bandit policy as a player takes it: an object, a name, or a node of a configuration; and how it is printed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from bandits import Policy, make
from bandits.hooks import IndexRule
from numerics.parameters import must_be_one_of

UNIFORM = "uniform"  # what the bandits package calls "random", by the name it has among moves
CHILDREN = (1, 2, 3, 7)  # numbers of moves that a rule is tried on before the game is known
HORIZON = 10_000  # of a user's rule that is tried for a search of which only a clock knows the end


def policy_of(
    value: Policy | str | Mapping[str, Any],
    argument: str = "policy",
    *,
    children: Iterable[int] = CHILDREN,
    horizon: int | None = None,
) -> Policy:
    """Return the policy that a player's parameter means, with its rule found and probed.

    Parameters
    ----------
    value : Policy, str or mapping
        A policy object; a name of `bandits.Policy.members`, or "uniform" for any move with equal probability; or a
        node with a name and parameters, such as ``{"name": "ucb", "c": 0.7}``.
    argument : str
        What a sentence begins with.
    children : iterable of int
        The numbers of moves that a user's rule is tried on.
    horizon : int, optional
        The simulations of a search, where they are known.

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
        if name not in Policy.members:
            raise ValueError(must_be_one_of(argument, name, [UNIFORM, *sorted(Policy.members)]))
        try:
            policy = make(name, **{key: given for key, given in node.items() if key != "name"})
        except ValueError as error:
            raise ValueError(f"{argument}.{error}") from error
    else:
        raise ValueError(
            f"{argument} must be a policy, the name of one, or a node such as {{name: ucb, c: 0.7}}; got {value!r}"
        )
    _must_search(policy, argument)
    try:
        policy.spec()
        policy.probe(children, horizon or HORIZON)
    except ValueError as error:
        raise ValueError(f"{argument}.{error}") from error
    return policy


def index_rule_of(policy: Policy, *, horizon: bool) -> IndexRule:
    """Return the rule of a policy that can search a tree; `horizon` is whether the simulations are known.

    Raises
    ------
    ValueError
        Not a policy, one that chooses without an index, or one that needs a horizon where there is none.
    """
    if not isinstance(policy, Policy):
        raise ValueError(f"policy must be one such as UCB(c=1.0), or made by bandits.make('ucb'); got {policy!r}")
    _must_search(policy, "policy")
    rule = policy.spec().rule
    if not isinstance(rule, IndexRule):
        raise ValueError(
            "policy must be an index policy, such as ucb, kl_ucb or thompson, because a tree asks for a score of every "
            f"move; got {policy.name}"
        )
    if not horizon and "horizon" in rule.needs:
        raise ValueError(f"policy must not need the horizon where a clock decides; got {policy.name}; give simulations")
    return rule


def _must_search(policy: Policy, argument: str) -> None:
    """Refuse a policy that is defined on some bandits only."""
    if policy.limits is not None:
        raise ValueError(
            f"{argument} must play any number of moves in a search, as ucb does; got {policy.name}, which is for "
            f"{policy.limits}"
        )


def children_up_to(most: int) -> list[int]:
    """Return numbers of moves that a user's rule is tried on where a node of the game has at most so many.

    Examples
    --------
    >>> children_up_to(5)
    [1, 2, 3, 5]
    """
    return [*(few for few in CHILDREN if few < most), most]


def text_of(policy: Policy) -> str:
    """Return a policy with every parameter, as it stands in a player's name.

    Examples
    --------
    >>> text_of(policy_of("ucb")), text_of(policy_of("uniform"))
    ('ucb(c=1.41421)', 'uniform')
    """
    if policy.name == "random":
        return UNIFORM
    shown = [f"{field.name}={_text(getattr(policy, field.name))}" for field in dataclasses.fields(policy)]
    return f"{policy.name}({', '.join(shown)})" if shown else policy.name


def _text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_text(item) for item in value)}]"
    return f"{value:g}" if isinstance(value, float) else str(value)
