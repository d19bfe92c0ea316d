"""Forced wins in Breakthrough: which moves to try first."""

from __future__ import annotations

from mcts.games.breakthrough import CELLS, COLUMNS, LEFT, MINE, ROWS, THEIRS, TO_MOVE, last_row, outcome, play, targets
from mcts.games.forced_wins import ask
from numerics.games import SIGNATURES
from numerics.kernels.bits import place_of, shift
from numerics.kernels.jit import kernel


@kernel(inline=True)
def _write(ends, back, aside, moves, count):
    """Write the moves to some cells from one direction; return the number of moves so far."""
    while ends:
        end = ends & -ends
        ends ^= end
        moves[count] = 3 * place_of(shift(end, back)) + aside
        count += 1
    return count


@kernel(SIGNATURES["legal"])
def promising(state, moves):
    """Write a winning move, else captures of the piece that is about to win, else all: captures, then farthest first."""
    mine, theirs, step, columns = state[MINE], state[THEIRS], state[TO_MOVE], state[COLUMNS]
    to_left, straight, to_right = targets(mine, theirs, step, columns, state[LEFT], state[CELLS])
    goal, ahead = last_row(step, state[ROWS], columns), step * columns
    danger = theirs & shift(last_row(-step, state[ROWS], columns), ahead)
    wins = (to_left | straight | to_right) & goal
    row, count = goal, 0
    if wins:
        row = wins & -wins
        count = _write(to_left & row, 1 - ahead, 0, moves, count)
        count = _write(straight & row, -ahead, 1, moves, count)
        count = _write(to_right & row, -1 - ahead, 2, moves, count)
        return count
    if danger:
        if danger & (danger - 1) == 0:
            count = _write(to_left & danger, 1 - ahead, 0, moves, count)
            count = _write(to_right & danger, -1 - ahead, 2, moves, count)
        if count > 0:
            return count
    for captures in range(2):
        ends = theirs if captures == 0 else ~theirs
        row = goal
        for _ in range(state[ROWS]):
            count = _write(to_left & row & ends, 1 - ahead, 0, moves, count)
            count = _write(to_right & row & ends, -1 - ahead, 2, moves, count)
            count = _write(straight & row & ends, -ahead, 1, moves, count)
            row = shift(row, -ahead)
        if danger and count > 0:
            return count  # lost, whatever it is
    return count


@kernel("UniTuple(int64, 2)(int64[::1], int64, int64, int64[::1])")
def ask_breakthrough(state, least, positions, memory):
    """Ask about the score of a position, as `mcts.games.forced_wins.ask` does."""
    return ask(promising, play, outcome, state, least, positions, memory)
