"""Which moves of Hex a search for forced wins tries: the most promising first, and none that is hopeless.

A side wins with the next stone on a cell that touches stones of both its sides. If there is none, a stone that makes
two such cells wins in three moves. Such threats of the other side must be stopped on one of their cells.
"""

from __future__ import annotations

import numpy as np

from mcts.games.kernels.bits import place_of
from mcts.games.kernels.hex import CELLS, LEFT, MINE, SIZE, THEIRS, TO_MOVE, neighbours, sides, spread
from numerics.games import SIGNATURES
from numerics.kernels.arrays import empty
from numerics.kernels.jit import kernel

_STONE = 2  # what one more stone weighs against the distance of a cell from the middle of the board
_NEVER = 8  # stones, of a cell that the other side has cut off


@kernel(inline=True)
def _within_reach(stones, free, player, size, left):
    """Return the empty cells that one stone connects with each of a player's sides."""
    one, other = sides(player, size, left)
    first, second = spread(stones & one, stones, size, left), spread(stones & other, stones, size, left)
    return free & (one | neighbours(first, size, left)), free & (other | neighbours(second, size, left))


@kernel(inline=True)
def _wins_made(cell, goals, stones, size, left):
    """Return the cells within reach of one side that a stone within reach of the other would touch."""
    return neighbours(spread(cell, stones, size, left), size, left) & goals


@kernel(inline=True)
def _double_threat(cells, goals, stones, size, left):
    """Return one of some cells on which a stone wins in three moves, or 0."""
    while cells:
        cell = cells & -cells
        cells ^= cell
        wins = _wins_made(cell, goals, stones, size, left)
        if wins & (wins - 1):
            return cell
    return cells


@kernel(inline=True)
def _stops(cells, goals, stones, free, size, left):
    """Return the empty cells on which a stone stops all double threats from some cells, and the cells of the threats.

    A stone elsewhere leaves the cell and two of its wins as they are, and does not win first.
    """
    stops, threats = free, free ^ free
    while cells:
        cell = cells & -cells
        cells ^= cell
        wins = _wins_made(cell, goals, stones, size, left)
        others = wins & (wins - 1)
        if others:
            is_double = others & (others - 1) == 0
            stops &= (cell | wins) if is_double else cell
            threats |= cell | wins
    return stops, threats


@kernel(inline=True)
def _add_distances(stones, free, side, size, left, distances):
    """Add to each empty cell what it takes to connect it with a side."""
    number, reached = 0, spread(stones & side, stones, size, left)
    rest, fresh = free, free & (side | neighbours(reached, size, left))
    while rest:
        if fresh == 0:
            number, fresh = _NEVER, rest
        rest &= ~fresh
        cells = fresh
        while cells:
            cell = cells & -cells
            cells ^= cell
            distances[place_of(cell)] += _STONE * number
        touched = neighbours(fresh, size, left)
        reached = fresh | spread(touched & stones, stones, size, left)
        fresh = rest & neighbours(reached, size, left)
        number += 1


@kernel(inline=True)
def _measure(mine, theirs, free, player, size, left, distances):
    """Write how many stones each empty cell lacks, of both sides together, and how far it is from the middle."""
    for row in range(size):
        for column in range(size):
            down, right = 2 * row - size + 1, 2 * column - size + 1
            distances[row * size + column] = abs(down) + abs(right) + abs(down + right)
    one, other = sides(player, size, left)
    _add_distances(mine, free, one, size, left, distances)
    _add_distances(mine, free, other, size, left, distances)
    one, other = sides(-player, size, left)
    _add_distances(theirs, free, one, size, left, distances)
    _add_distances(theirs, free, other, size, left, distances)


@kernel(SIGNATURES["legal"])
def promising(state, moves):
    """Write moves among which is a best one, and behind them the cells of threats that rule out the others."""
    mine, theirs, player, size, left = state[MINE], state[THEIRS], state[TO_MOVE], state[SIZE], state[LEFT]
    free = state[CELLS] & ~(mine | theirs)
    mine_one, mine_other = _within_reach(mine, free, player, size, left)
    their_one, their_other = _within_reach(theirs, free, -player, size, left)
    stops, threats = free, free ^ free
    best = mine_one & mine_other
    if best == 0:
        best = their_one & their_other
        threats = best & -best
    if best == 0:
        best = _double_threat(mine_one, mine_other, mine, size, left)
    if best == 0:
        best = _double_threat(mine_other, mine_one, mine, size, left)
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
    distances, count = empty(size * size, np.int64), 0
    _measure(mine, theirs, free, player, size, left, distances)
    while stops:
        cell = stops & -stops
        stops ^= cell
        move, place = place_of(cell), count
        while place > 0 and distances[moves[place - 1]] > distances[move]:
            moves[place] = moves[place - 1]
            place -= 1
        moves[place] = move
        count += 1
    moves[count] = threats
    return count
