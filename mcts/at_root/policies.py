"""The policy of the root, where another one than that of the nodes below chooses there.

A search goes on below the root, where regret is what its means need; at the root only the move counts that it ends
with. `mcts.kernels.root` asks the policy, and this module prepares it for the unproven moves. A policy that plans is
also prepared for the remaining simulations. It is prepared again for every position, once a move of the root is proven,
and once a plan is over. A plan counts from there on, while means are those of all simulations that the tree keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bandits import Policy
from bandits.hooks import ChoiceRule, CompiledHook, IndexRule, PlainRule
from bandits.spec import PolicySpec
from mcts.kernels.nodes import Nodes
from mcts.kernels.root import AS_BELOW, BY_CHOICE, BY_SCORE, Root
from mcts.policy import IN_A_TREE, check_policy, must_search
from numerics.games import UNDECIDED
from numerics.kernels.addresses import address_of

ARGUMENT = "root_policy"


def root_policy_of(
    value: Policy | str | Mapping[str, Any] | None, below: Policy, simulations: int | None
) -> Policy | None:
    """Return the policy that a value means at the root, checked and tried; None for none.

    Parameters
    ----------
    value : Policy, str, mapping or None
    below : Policy
        That of all other nodes.
    simulations : int, optional
        Of the search, where they are known.

    Raises
    ------
    ValueError
        No policy, one that cannot choose at a root, or one that needs the simulations where there are none.

    Examples
    --------
    >>> root_policy_of("sequential_halving", IN_A_TREE.of("ucb"), 1_000)
    SequentialHalving()
    """
    if value is None:
        return None
    policy = IN_A_TREE.of(value, ARGUMENT)
    must_search(policy, ARGUMENT)  # before anything is asked of it
    spec, kept = policy.spec(), below.spec().estimates
    if isinstance(spec.rule, PlainRule) or (isinstance(spec.rule, ChoiceRule) and spec.rule.learn is not None):
        raise ValueError(
            f"{ARGUMENT} must depend only on the visits and values of the moves, as sequential_halving and ucb do; "
            f"got {policy.name}"
        )
    if spec.estimates[2:] != kept[2:]:  # but for what is only for moves without visits
        raise ValueError(f"{ARGUMENT} must use the same value estimates as policy, {below.name}; got {policy.name}")
    if simulations is None and (spec.plan is not None or "horizon" in spec.rule.needs):
        raise ValueError(
            f"{ARGUMENT} must not need the number of simulations of a search with a time limit; got {policy.name}; "
            "give simulations, or use anytime_halving"
        )
    check_policy(policy, ARGUMENT)
    return policy


def recommends_by(policy: Policy | None) -> str:
    """Return by what a search recommends a move: visits, or the mean for a policy that shares them to be sure.

    Examples
    --------
    >>> recommends_by(IN_A_TREE.of("sequential_halving")), recommends_by(IN_A_TREE.of("kl_lucb"))
    ('visits', 'value')
    """
    return "value" if policy is not None and policy.identifies and not policy.by_pulls else "visits"


def _room(kind: int, hook: Any, explore: float, initial: float, horizon: float, most_moves: int) -> Root:
    """Return what a kernel takes of a root, not yet prepared."""
    return Root(
        kind=kind,
        hook=hook,
        explore=explore,
        initial=initial,
        moves=0,
        turns=np.inf,
        horizon=horizon,
        params=np.empty(0),
        before=np.zeros(most_moves),
        statistics=np.zeros((5, most_moves)),
        places=np.empty(most_moves, np.int64),
        scores=np.empty(most_moves),
        memory=np.zeros((0, 1)),
        chosen=np.zeros(1, np.int64),
    )


_NOTHING = _room(AS_BELOW, 0, 0.0, 0.0, 0.0, 0)


class AtRoot:
    """What chooses at the root of a search, prepared for what it has left.

    Parameters
    ----------
    policy : Policy, optional
        The policy of the root; without one, that of the other nodes chooses there too.
    most_moves : int
        K, of any position of the game.
    simulations : int
        Of the whole search; 0 where a clock decides.
    """

    def __init__(self, policy: Policy | None, most_moves: int, simulations: int):
        self.policy, self._simulations, self.root = policy, simulations, _NOTHING
        self._spec: PolicySpec | None = None
        if policy is not None:
            self._spec = spec = policy.spec()
            rule: Any = spec.rule
            kind = BY_SCORE if isinstance(rule, IndexRule) else BY_CHOICE
            hook = address_of(rule.pointed if kind == BY_SCORE else rule.compiled)
            explore, initial = float(spec.estimates.explore), spec.estimates.initial
            self.root = _room(kind, hook, explore, initial, float(simulations), most_moves)

    @property
    def hooks(self) -> tuple[CompiledHook, ...]:
        """The policy's rule, if there is one."""
        return () if self._spec is None else (self._spec.rule,)

    def forget(self) -> None:
        """Have the kernel ask for another preparation, because the position is another."""
        if self._spec is not None:
            self.root = self.root._replace(moves=0)

    def prepare(self, nodes: Nodes, done: int, *, solve: bool) -> None:
        """Prepare the policy for the moves of the root in a tree of `done` simulations."""
        if self._spec is None:
            return
        spec, rule, planned = self._spec, self._spec.rule, self._spec.plan is not None
        first, count = int(nodes.child[0]), int(nodes.children[0])
        children = slice(first, first + count)
        moves = int(np.count_nonzero(nodes.outcome[children] >= UNDECIDED)) if solve else count
        left = self._simulations - done % self._simulations if planned else 0
        before = np.zeros(self.root.before.size)
        before[:count] = nodes.visits[children] if planned else 0.0
        rows, arm_rows = rule.rows() if isinstance(rule, ChoiceRule) else (0, 0)
        self.root = self.root._replace(
            moves=moves,
            turns=float(left) if planned else np.inf,
            params=spec.numbers(left, moves),
            before=before,
            memory=np.zeros((rows + arm_rows * moves, 1)),
        )
