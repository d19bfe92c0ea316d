"""UCT that backs up proven values, with node objects and no arrays: the twin of the kernel's `solve`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bandits import Policy
from mcts.reference import Node, select, shuffle_moves
from mcts.streams import PLAYOUT, streams_of
from numerics.games import LOST, UNDECIDED, WON, Game
from numerics.random import Purpose


@dataclass
class Known(Node):
    """A node of which something may be proven, for the side that moved into it."""

    proven: int = UNDECIDED
    plies: int = -1
    children: list[Any] = field(default_factory=list)


def solved(game: Game, policy: Policy, simulations: int, seed: int) -> Known:
    """Run simulations until the root is proven, and return it."""
    rng, hooks, root = streams_of(seed, Purpose.TREE_SEARCH), policy.spec(), Known(value=0.5)
    for _ in range(simulations):
        if root.proven != UNDECIDED:
            break
        state, path = game.state.copy(), [root]
        while path[-1].proven == UNDECIDED and (path[-1].visits > 0 or path[-1] is root):
            node = path[-1]
            if not node.children:
                node.children = [Known(move, value=hooks.estimates.initial) for move in shuffle_moves(game, state, rng)]
            path.append(chosen(node, node is root, hooks, simulations, rng))
            game.play(state, path[-1].move)
            if path[-1].visits == 0:
                path[-1].proven = game.outcome(state)
                path[-1].plies = -1 if path[-1].proven == UNDECIDED else 0
        result = 0.0
        if path[-1].proven == UNDECIDED:
            result = 1.0 - game.playouts["uniform"](state, rng, PLAYOUT)
        for child, node in list(zip(path[1:], path, strict=False))[::-1]:
            if child.proven == UNDECIDED:
                break
            known = [one.proven for one in node.children]
            if WON in known:
                node.proven = LOST
            elif UNDECIDED not in known:
                node.proven = -max(known)
            if node.proven != UNDECIDED:
                lengths = [one.plies + 1 for one in node.children if one.proven == -node.proven]
                node.plies = min(lengths) if node.proven == LOST else max(lengths)
                node.value = 0.5 + 0.5 * node.proven
                node.variance = 0.0
        for node in reversed(path):
            if node.proven != UNDECIDED:
                result = 0.5 + 0.5 * node.proven
            node.visits += 1
            before = node.value
            node.value += (result - before) * (1.0 / node.visits)  # as the kernel rounds it
            node.variance += ((result - before) * (result - node.value) - node.variance) / node.visits
            result = 1.0 - result
    return root


def chosen(node: Known, at_root: bool, hooks: Any, simulations: int, rng: Any) -> Known:
    """Return a child in turn at first, then one that the rule prefers; at the root only among the unproven ones."""
    tried = sum(child.visits for child in node.children)
    if tried < hooks.estimates.explore * len(node.children) or not at_root:
        picked: Any = select(node, hooks, simulations, rng)
        return picked
    rivals = [child for child in node.children if child.proven == UNDECIDED]
    return select(Node(children=list(rivals)), hooks, simulations, rng)  # type: ignore[return-value]
