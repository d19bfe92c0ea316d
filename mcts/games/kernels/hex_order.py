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


import os
WEIGHT = int(os.environ.get("W", "32"))


@kernel(inline=True)
def _reach(stones, free, side, size, left):
    """Return the empty cells that one stone connects with a side."""
    return free & (side | neighbours(spread(stones & side, stones, size, left), size, left))


@kernel(inline=True)
def _threats(cells, targets, stones, free, size, left):
    """Return one of some cells where a stone would reach two of the targets, or 0."""
    while cells:
        cell = cells & -cells
        cells ^= cell
        ends = neighbours(spread(cell, stones, size, left), size, left) & targets & free
        if ends & (ends - 1):
            return cell
    return cells


@kernel(inline=True)
def _stops(cells, targets, stones, free, size, left):
    """Return the empty cells that stop every double threat which a stone on one of some cells would make.

    Such a threat is the cell and two targets; a stone elsewhere leaves it as it is, and cannot win sooner. Also returns
    the cells of all threats.
    """
    stops, threats = free, free ^ free
    while cells:
        cell = cells & -cells
        cells ^= cell
        ends = neighbours(spread(cell, stones, size, left), size, left) & targets & free
        if ends & (ends - 1):
            two = (ends & -ends) | ((ends & (ends - 1)) & -(ends & (ends - 1)))
            stops &= cell | two if two == ends else cell
            threats |= cell | ends
    return stops, threats


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
    one, other = sides(player, size, left)
    mine_one, mine_other = _reach(mine, free, one, size, left), _reach(mine, free, other, size, left)
    one, other = sides(-player, size, left)
    their_one, their_other = _reach(theirs, free, one, size, left), _reach(theirs, free, other, size, left)
    best = mine_one & mine_other
    stops, threats = free, free ^ free
    if best == 0:
        best = their_one & their_other
        threats = best & -best
    if best == 0:
        best = _threats(mine_one, mine_other, mine, free, size, left)
    if best == 0:
        best = _threats(mine_other, mine_one, mine, free, size, left)
    if best == 0:
        stops, threats = _stops(their_one, their_other, theirs, free, size, left)
        more_stops, more_threats = _stops(their_other, their_one, theirs, free, size, left)
        stops &= more_stops
        threats |= more_threats
        if stops == 0:  # lost, whatever it is
            best = free
    if best:
        moves[0], moves[1] = place_of(best & -best), threats
        return 1
    layers, distances = new_array(64, np.int64), new_array(64, np.int64)
    for cell_number in range(size * size):
        row, column = cell_number // size, cell_number % size
        distances[cell_number] = abs(2 * row - size + 1) + abs(2 * column - size + 1) + 2 * abs(row + column - size + 1)
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
                distances[place_of(cell)] += WEIGHT * number
        rest = free & ~seen
        while rest:
            cell = rest & -rest
            rest ^= cell
            distances[place_of(cell)] += WEIGHT * 8
    count = 0
    while stops:
        cell = stops & -stops
        stops ^= cell
        move = place_of(cell)
        place = count
        while place > 0 and distances[moves[place - 1]] > distances[move]:
            moves[place] = moves[place - 1]
            place -= 1
        moves[place] = move
        count += 1
    moves[count] = threats
    return count
