"""The floor of UCB1: what one step of one replication must load, store and compute in a kernel of this shape.

Counted in bytes, for K arms, loads and stores together, as `bandits.kernels.counting` has them:

    likely          8 K + 4          Means and widths in, in float32. The best arm out.
    place           8 + 4            That arm's cell.
    generators      2 (8 + 16)       A word out for r and for r*. Four words of state in and out every fourth step.
    pull            20 + 28          Cell, word, limit and root in. Count, mean and width of the arm in or out.
    the best arm    16 + 16          Word and limit in. reward_sum in and out.

For K = 10 that is 224 bytes. The arithmetic beside it is 5 K operations on sixteen numbers at once for the best arm and
2 x 12 on eight for the generators: 6 registers of 64 bytes, 3 cycles at two a cycle. Count, mean and width of the
pulled arm lie in cells far apart, of which a processor writes one a cycle: 3 cycles more, in which little else waits.
So the floor is some 6 cycles, 1.6 ns at 3.7 GHz.

The time measured is twice that. Of it 0.4 change the arm that is pulled, 0.2 find the best arm, 0.13 draw, and 0.1
decide the choice of a hundred that float32 leaves open, nearly all of them ties. What is touched in a step, 30 kB with
the part of the table of roots that is in use, just fits the first cache. A table of 1 / n beside that of the roots did
not, and cost 8 %. Tried without reward_sum: in C, stores and loads of sixteen cells by one instruction, and 1 / sqrt(n)
by arithmetic; blocks of 32 and 128, words of two and of eight steps at once.
"""

from __future__ import annotations


def bytes_a_step(arms: int) -> int:
    """Return the bytes that a step of UCB1 loads and stores; the module's text counts them."""
    return (8 * arms + 4) + (8 + 4) + 2 * (8 + 16) + (20 + 28) + (16 + 16)
