"""Which moves of Hex a search for forced wins tries: the most promising first, and none that is hopeless.

The distance of a cell is the number of stones that a side lacks to connect its two sides through it. Cells that are
near for both sides come first.
"""

from __future__ import annotations

import numpy as np

from mcts.games.kernels.hex import CELLS, LEFT, MINE, SIZE, THEIRS, TO_MOVE, neighbours, sides, spread
from numerics.games import SIGNATURES
from numerics.kernels.arrays import empty as new_array
from numerics.kernels.bits import place_of
from numerics.kernels.jit import kernel


@kernel(inline=True)
def _wins(stones, free, player, size, left):
    """Return the empty cells that connect a player's sides at once."""
    one, other = sides(player, size, left)
    first, second = spread(stones & one, stones, size, left), spread(stones & other, stones, size, left)
    return free & (one | neighbours(first, size, left)) & (other | neighbours(second, size, left))


@kernel(inline=True)
def _layers(stones, free, side, size, left, layers):
    """Write, for each number of stones, the empty cells that so many connect with a side; return how many numbers."""
    count, reached = 0, spread(stones & side, stones, size, left)
    fresh = free & (side | neighbours(reached, size, left))
    seen = fresh
    while fresh:
        layers[count] = fresh
        count += 1
        reached = fresh | spread(neighbours(fresh, size, left) & stones, stones, size, left)
        fresh = free & neighbours(reached, size, left) & ~seen
        seen |= fresh
    return count


@kernel(SIGNATURES["legal"])
def promising(state, moves):
    """Write moves among which is a best one: one that wins, or the only one that stops a win; else all."""
    mine, theirs, player, size, left = state[MINE], state[THEIRS], state[TO_MOVE], state[SIZE], state[LEFT]
    free = state[CELLS] & ~(mine | theirs)
    wins = _wins(mine, free, player, size, left)
    if wins == 0:
        wins = _wins(theirs, free, -player, size, left)
    if wins:
        moves[0] = place_of(wins & -wins)
        return 1
    layers, distances = new_array(64, np.int64), new_array(64, np.int64)
    distances[:] = 0
    for turn in range(4):
        who = player if turn < 2 else -player
        one, other = sides(who, size, left)
        count = _layers(mine if turn < 2 else theirs, free, other if turn % 2 else one, size, left, layers)
        seen = free ^ free
        for number in range(count):
            rest = layers[number]
            seen |= rest
            while rest:
                cell = rest & -rest
                rest ^= cell
                distances[place_of(cell)] += number
        rest = free & ~seen
        while rest:
            cell = rest & -rest
            rest ^= cell
            distances[place_of(cell)] += 16
    count = 0
    while free:
        cell = free & -free
        free ^= cell
        move = place_of(cell)
        place = count
        while place > 0 and distances[moves[place - 1]] > distances[move]:
            moves[place] = moves[place - 1]
            place -= 1
        moves[place] = move
        count += 1
    return count
