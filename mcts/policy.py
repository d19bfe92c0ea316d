"""Policies of bandits in a search: what is usual there, and which of them can search."""

from __future__ import annotations

from typing import Any

from bandits import Policy
from bandits.hooks import IndexRule
from bandits.policies.base import POLICIES
from numerics.checks import prefix_errors

IN_A_TREE = POLICIES.usual(ucb={"c": 1.0})  # for values in [0, 1]; sqrt(2), proved for bandits, explores too much


def check_policy(policy: Policy, argument: str = "policy") -> None:
    """Refuse a policy that cannot choose moves: one for some bandits only, or a user's rule that does not work.

    Parameters
    ----------
    policy : Policy
    argument : str
        What is being checked.
    """
    must_search(policy, argument)
    with prefix_errors(argument):
        policy.spec()
        policy.probe()


def index_policy(value: Any, argument: str = "policy") -> Policy:
    """Return the index policy that a value means in a search of known simulations.

    Raises
    ------
    ValueError
        No policy, or one that cannot search a tree.

    Examples
    --------
    >>> index_policy("ucb"), index_policy({"name": "ucb", "c": 0.7})
    (UCB(c=1.0), UCB(c=0.7))
    """
    policy = IN_A_TREE.of(value, argument)
    index_rule_of(policy, horizon=True, argument=argument)
    return policy


def index_rule_of(policy: Policy, *, horizon: bool, argument: str = "policy") -> IndexRule:
    """Return the rule of a policy that can search a tree; `horizon` is whether the simulations are known.

    Raises
    ------
    ValueError
        Not a policy, one that chooses without an index, or one that needs a horizon where there is none.
    """
    if not isinstance(policy, Policy):
        raise ValueError(f"{argument} must be a policy, such as UCB(c=1.0) or bandits.make('ucb'); got {policy!r}")
    must_search(policy, argument)
    if policy.forgets:
        raise ValueError(
            f"{argument} must not forget rewards, because a tree stores only sums of results; got {policy.name}; use "
            "an index policy, such as ucb"
        )
    rule = policy.spec().rule
    if policy.spec().plan is not None:
        raise ValueError(
            f"{argument} must not plan for the whole budget, because a node gets only part of it; got {policy.name}"
        )
    if not isinstance(rule, IndexRule):
        raise ValueError(
            f"{argument} must be an index policy, such as ucb, kl_ucb or thompson; got {policy.name}, which has no "
            "score for each move"
        )
    if not horizon and "horizon" in rule.needs:
        raise ValueError(
            f"{argument} must not need the horizon in a search with a time limit; got {policy.name}; give simulations"
        )
    return rule


def must_search(policy: Policy, argument: str = "policy") -> None:
    """Refuse a policy that is defined on some bandits only, or that sees features, which moves do not have."""
    if policy.limits is not None:
        raise ValueError(
            f"{argument} must support any number of moves, as ucb does; got {policy.name}, which is for {policy.limits}"
        )
    with prefix_errors(argument):
        sees = policy.needs_features
    if sees:
        raise ValueError(
            f"{argument} must not need features, because moves have none; got {policy.name}; use ucb, for example"
        )
