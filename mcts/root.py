"""The policy of the root, where another one than that of the nodes below chooses there.

A search goes on below the root, where regret is what its means need; at the root only the move counts that it ends
with. `mcts.kernels.root` asks the policy, and this prepares it: for the moves that nothing is proven of and, if it
plans, for the simulations that are left. It is prepared again for every position, once a move of the root is proven,
and once a plan is over; a plan counts from there on, while means are those of all simulations that the tree keeps.
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
from mcts.policy import IN_A_TREE, must_search
from numerics.games import UNDECIDED
from numerics.kernels.addresses import address_of

ARGUMENT = "root_policy"


def root_policy_of(value: Policy | str | Mapping[str, Any], below: Policy, *, horizon: bool) -> Policy:
    """Return the policy that a value means at the root; `horizon` is whether the simulations are known.

    Raises
    ------
    ValueError
        No policy, one that cannot choose at a root, or one that needs the simulations where there are none.

    Examples
    --------
    >>> root_policy_of("sequential_halving", IN_A_TREE.of("ucb"), horizon=True)
    SequentialHalving()
    """
    policy = IN_A_TREE.of(value, ARGUMENT)
    must_search(policy, ARGUMENT)
    spec, kept = policy.spec(), below.spec().estimates
    if isinstance(spec.rule, PlainRule) or (isinstance(spec.rule, ChoiceRule) and spec.rule.learn is not None):
        raise ValueError(
            f"{ARGUMENT} must choose by the visits and values of the moves, as sequential_halving and ucb do, and not "
            f"learn from each result; got {policy.name}"
        )
    if spec.estimates[2:] != kept[2:]:  # but for what is only for moves without visits
        raise ValueError(
            f"{ARGUMENT} must estimate values as policy does, {below.name}, whose values it reads; got {policy.name}"
        )
    if not horizon and (spec.plan is not None or "horizon" in spec.rule.needs):
        raise ValueError(
            f"{ARGUMENT} must not plan for a number of simulations where a clock decides; got {policy.name}; give "
            "simulations, or take anytime_halving"
        )
    return policy


def recommends_by(policy: Policy | None) -> str:
    """Return by what a search recommends a move: visits, or the mean for a policy that shares them to be sure.

    Examples
    --------
    >>> recommends_by(IN_A_TREE.of("sequential_halving")), recommends_by(IN_A_TREE.of("kl_lucb"))
    ('visits', 'value')
    """
    return "value" if policy is not None and policy.identifies and not policy.by_pulls else "visits"


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
        self.policy, self._simulations = policy, simulations
        self._spec: PolicySpec | None = None if policy is None else policy.spec()
        size = 0 if policy is None else most_moves
        kind, hook = AS_BELOW, 0
        if self._spec is not None:
            rule: Any = self._spec.rule
            kind = BY_SCORE if isinstance(rule, IndexRule) else BY_CHOICE
            hook = address_of(rule.pointed if kind == BY_SCORE else rule.compiled)
        self.root = Root(
            kind=kind,
            hook=hook,
            explore=0.0 if self._spec is None else float(self._spec.estimates.explore),
            count=0,
            turns=np.inf,
            initial=0.0 if self._spec is None else self._spec.estimates.initial,
            horizon=float(simulations),
            params=np.empty(0),
            before=np.zeros(size),
            statistics=np.zeros((5, size)),
            places=np.empty(size, np.int64),
            scores=np.empty(size),
            memory=np.zeros((0, 1)),
            chosen=np.zeros(1, np.int64),
        )

    @property
    def hooks(self) -> tuple[CompiledHook, ...]:
        """The policy's rule, if there is one."""
        return () if self._spec is None else (self._spec.rule,)

    def forget(self) -> None:
        """Have the kernel ask for another preparation, because the position is another."""
        self.root = self.root._replace(count=0)

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
        rows = rule.memory + rule.arm_memory * moves if isinstance(rule, ChoiceRule) else 0
        self.root = self.root._replace(
            count=moves,
            turns=float(left) if planned else np.inf,
            params=spec.numbers(left, moves),
            before=before,
            memory=np.zeros((rows, 1)),
        )
