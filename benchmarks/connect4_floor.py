"""The floor of a uniform playout: the operations on 64-bit words that its loop cannot do without.

From the empty 7 x 6 board a game lasts 21.3 moves and draws 22.5 words. Columns are drawn until one is open, so that
the expected number of draws is the sum of 7 / (open columns) over its moves. A test counts both. Operations, as
`kernels.bitboard` has them, a test and its jump counted as one:

    a draw      10   The next word of xoshiro256++, a rotation counted as one.
                 4   The word's column: two shifts, two multiplications.
                 5   The lowest empty cell of that column, and whether there is one.
    a move       2   The stone.
                20   A row of four: two shifts and two ands in each of four directions, joined and tested.
                 3   The end of the board; the other side's turn; its value.

19 x 22.5 + 25 x 21.3 = 960 operations. A core that does four in a cycle needs 240 cycles for them, 80 ns at 3 GHz. A
playout also has jumps that nobody can foresee, its end and the draws of columns that were full (1.2 a game), at some 20
cycles each: another 15 ns. From memory it takes its position and its stream, 10 words, and gives 4 back: all else stays
in registers, so that only operations count.
"""

from __future__ import annotations

MOVES, DRAWS = 21.31, 22.50  # of a uniform game on the empty 7 x 6 board, the mean over many


def operations_a_playout() -> float:
    """Return the operations of a uniform playout from the empty board; the module's text counts them."""
    draw, move = 10 + 4 + 5, 2 + 20 + 3
    return draw * DRAWS + move * MOVES
