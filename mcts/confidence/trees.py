"""Trees whose leaves are sampled: all positions of a game down to some depth, or coins of given means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mcts.kernels.confidence import Tree, back_up_all, look, widen
from numerics.games import UNDECIDED, Game
from numerics.kernels.addresses import address_of
from numerics.kernels.users import user_errors

MOST_NODES = 2_000_000  # some 250 MB

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.int64]


def grow(game: Game, depth: int) -> Tree:
    """Return the tree of all positions down to a depth.

    Raises
    ------
    ValueError
        More positions than a tree can have.
    """
    legal, play, outcome_of = map(address_of, (game.legal, game.play, game.outcome))
    moves = np.empty(game.most_moves, np.int64)
    levels, counts, known, nodes = [game.state[None]], [], [], 1
    with user_errors((game,)):
        for level in range(depth + 1):
            states = levels[-1]
            outcome, children = np.empty(len(states), np.int64), np.zeros(len(states), np.int64)
            look(legal, outcome_of, states, moves, outcome, children)
            unfinished = outcome == UNDECIDED
            value = 0.5 + 0.5 * (outcome if level % 2 else -outcome)
            known.append(np.where(unfinished, np.nan, value))
            if level == depth:
                children[:] = 0
            counts.append(children)
            total = int(children.sum())
            nodes += total
            if nodes > MOST_NODES:
                raise ValueError(
                    f"depth must give a tree of at most {MOST_NODES:,} positions; got {depth}, and depth {level + 1} "
                    "already exceeds this"
                )
            if total == 0:
                break
            after = np.empty((total, game.state.size), np.int64)
            widen(legal, play, states, children, moves, after)
            levels.append(after)
    return _tree(np.concatenate(levels), [*map(len, levels)], np.concatenate(counts), np.concatenate(known))


def full_tree(means: Floats) -> Tree:
    """Return the tree whose leaves are coins of these means."""
    sizes = np.cumprod([1, *means.shape])
    if sizes.sum() > MOST_NODES:
        raise ValueError(f"means must give a tree of at most {MOST_NODES:,} positions; got the shape {means.shape}")
    states = np.zeros((sizes.sum(), 1), np.int64)
    states[-means.size :, 0] = means.reshape(-1).view(np.int64)
    counts = np.repeat([*means.shape, 0], sizes)
    return _tree(states, sizes.tolist(), counts, np.full(sizes.sum(), np.nan))


def _tree(states: Words, sizes: Sequence[int], counts: Words, known: Floats) -> Tree:
    """Return a tree of levels of these sizes, where `known` is NaN for what is to be sampled."""
    nodes = len(states)
    child = 1 + np.cumsum(counts) - counts
    parent = np.concatenate([[0], np.repeat(np.arange(nodes), counts)])
    maximises = np.repeat(np.arange(len(sizes)) % 2 == 0, sizes).astype(np.uint8)
    is_known = ~np.isnan(known)
    low, high, means = (np.where(is_known, known, start) for start in (0.0, 1.0, 0.5))
    empty = np.zeros(nodes), np.zeros(nodes)
    tree = Tree(states, parent, child, counts, maximises, *empty, means, low, high, np.arange(nodes))
    back_up_all(tree)
    return tree
