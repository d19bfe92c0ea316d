"""Which moves of Breakthrough a search for forced wins tries: the most promising first, and none that is hopeless.

A piece one row before its last one wins with the next move. It can be stopped only by capture, from the row where it
wants to go, on which the pieces still stand that never moved. So a piece that comes to such a cell out of their reach
wins in three moves, unless the other side wins first.
"""

from __future__ import annotations

from mcts.games.kernels.bits import place_of, shift
from mcts.games.kernels.breakthrough import CELLS, COLUMNS, LEFT, MINE, ROWS, THEIRS, TO_MOVE, last_row, targets
from numerics.games import SIGNATURES
from numerics.kernels.jit import kernel


@kernel(inline=True)
def _in_reach(pieces, step, columns, left):
    """Return the cells that pieces of a side could capture on."""
    ahead = step * columns
    return shift(pieces & ~left, ahead - 1) | shift(pieces & ~shift(left, columns - 1), ahead + 1)


@kernel(inline=True)
def _write_to(ends, to_left, straight, to_right, ahead, moves, count):
    """Write the moves to some cells; return the number of moves so far."""
    for aside in range(3):
        rest = ends & (to_left if aside == 0 else straight if aside == 1 else to_right)
        while rest:
            end = rest & -rest
            rest ^= end
            moves[count] = 3 * place_of(shift(end, 1 - ahead - aside)) + aside
            count += 1
    return count


@kernel(inline=True)
def _write_rows(ends, row, to_left, straight, to_right, ahead, moves, count):
    """Write the moves to some cells, those of the last rows first; return the number of moves so far."""
    while ends:
        count = _write_to(ends & row, to_left, straight, to_right, ahead, moves, count)
        ends &= ~row
        row = shift(row, -ahead)
    return count


@kernel(SIGNATURES["legal"])
def promising(state, moves):
    """Write moves among which is a best one: those that win, or stop what wins; captures first, then the farthest."""
    mine, theirs, step, columns = state[MINE], state[THEIRS], state[TO_MOVE], state[COLUMNS]
    left, cells, ahead = state[LEFT], state[CELLS], step * columns
    to_left, straight, to_right = targets(mine, theirs, step, columns, left, cells)
    ends = to_left | straight | to_right
    goal, home = last_row(step, state[ROWS], columns), last_row(-step, state[ROWS], columns)
    wins = ends & (goal | theirs) if theirs & (theirs - 1) == 0 else ends & goal  # also by capture of the last piece
    if wins:
        return _write_to(wins & -wins, to_left, straight, to_right, ahead, moves, 0)
    danger = theirs & shift(home, ahead)
    if danger:  # of two pieces one wins
        caught = danger & (to_left | to_right) if danger & (danger - 1) == 0 else danger ^ danger
        hopeful = caught
    else:
        near = shift(goal, -ahead)
        safe = ends & near & ~_in_reach(theirs & goal, -step, columns, left)
        if safe:
            return _write_to(safe & -safe, to_left, straight, to_right, ahead, moves, 0)
        their_left, their_straight, their_right = targets(theirs, mine, -step, columns, left, cells)
        comes = (their_left | their_straight | their_right) & shift(home, ahead)
        comes &= ~_in_reach(mine & home, step, columns, left)
        hopeful = ends
        if comes and mine & (mine - 1):  # threaten, capture the piece, or stand in its way; a last piece may also flee
            hopeful &= near | (theirs & shift(home, 2 * ahead)) | comes
    if hopeful == 0:
        return _write_to(ends & -ends, to_left, straight, to_right, ahead, moves, 0)
    count = _write_rows(hopeful & theirs, goal, to_left, straight, to_right, ahead, moves, 0)
    return _write_rows(hopeful & ~theirs, goal, to_left, straight, to_right, ahead, moves, count)
