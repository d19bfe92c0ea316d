"""Ridge regression of each arm's rewards on features, one reward at a time.

An arm has a block of d (d + 1) rows of a rule's memory: the inverse of A = ridge I + sum x x', its rows one after
another, and behind it the estimate theta = A^-1 sum reward x. Features stand in rows 1 ... d of the memory, as
`choice_rule` says.
"""

from __future__ import annotations

from numerics.kernels.jit import kernel


@kernel()
def block_rows(features: int) -> int:
    """Return how many rows an arm's block has."""
    return features * (features + 1)


@kernel()
def pair_rows(features: int) -> int:
    """Return how many products of two features there are."""
    return features * (features + 1) // 2


@kernel()
def start_ridge(memory, first, count, ridge):
    """Write the block that begins at row `first`, of no rewards: A = ridge I."""
    for i in range(count):
        memory[first + i * count + i] = 1.0 / ridge


@kernel()
def multiply_pairs(memory, count, pairs):
    """Write x_i x_j, i <= j, twice that where they differ, into the rows from `pairs` on."""
    size, row = memory.shape[1], pairs
    for i in range(count):
        for j in range(i, count):
            twice = 1.0 if i == j else 2.0
            for r in range(size):
                memory[row, r] = twice * memory[1 + i, r] * memory[1 + j, r]
            row += 1


@kernel()
def estimate_and_square(memory, first, count, pairs, mean, square):
    """Write theta . x and x' A^-1 x of the block at row `first`, float64[L] each; see `multiply_pairs`."""
    size, row, theta = memory.shape[1], pairs, first + count * count
    mean[:] = 0.0
    square[:] = 0.0
    for i in range(count):
        for r in range(size):
            mean[r] += memory[theta + i, r] * memory[1 + i, r]
        for j in range(i, count):
            for r in range(size):
                square[r] += memory[first + i * count + j, r] * memory[row, r]
            row += 1


@kernel()
def add_to_ridge(memory, first, r, count, spare, reward):
    """Count the reward of the features in column r: A grows by x x' (Sherman and Morrison 1950), theta follows.

    Rows from `spare` on take d numbers.
    """
    theta = first + count * count
    square, mean = 0.0, 0.0
    for i in range(count):
        u = 0.0
        for j in range(count):
            u += memory[first + i * count + j, r] * memory[1 + j, r]
        memory[spare + i, r] = u
        square += u * memory[1 + i, r]
        mean += memory[theta + i, r] * memory[1 + i, r]
    shrink = 1.0 / (1.0 + square)
    for i in range(count):
        moved = memory[spare + i, r] * shrink
        memory[theta + i, r] += moved * (reward - mean)
        for j in range(count):
            memory[first + i * count + j, r] -= moved * memory[spare + j, r]
