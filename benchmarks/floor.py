"""The floor of UCB1: what one step of one replication must load, store and compute in a kernel of this shape.

Counted in words of 8 bytes, for K arms; loads + stores. A step is a score, an argmax, two generators, two rewards and
the statistics of one arm (`bandits.rules`, `.argmax`, `.kernel`, `numerics.random`):

    score           2 K + K                  means and widths in, scores out
    argmax          K + 1                    the scores; the arm. What is carried from arm to arm stays in registers
    generators      2 (1 + 2)                a uniform out for r and for r*; four words of state every fourth step
    rewards         2 + 1, 4 + 2             the pulled arm's mean, by its number; two comparisons
    statistics      5 + 4                    n, the sum, their quotient and 1 / sqrt(n), looked up, of one arm
                    2 + 1                    the best arm's gain

For K = 10 that is 68 words, 544 bytes, 23 words of them stores. With registers of 64 bytes, two loads and one store of
a register a cycle, the stores alone are (23 - 5) / 8 cycles, and the five that go word by word at two a cycle 2.5 more:
5 cycles. The arithmetic beside it is 2 K for the index, 5 (K - 1) for the argmax, 2 x 12 on integers for the
generators: 89 operations, 6 cycles at two registers a cycle, and a division of a single number, 5 cycles; partly in the
shadow of the stores. So the floor is some 10 cycles, 2.5 ns at 4 GHz.

The time measured is 2 to 2.5 times that: a quarter of it changes the statistics of one arm, cells far apart; 0.4 the
scores and the argmax; 0.1 the generators. The statistics of 64 replications, 25 kB, just fit the first cache; more
replications would share the calls among more of them, but take their statistics from the second cache. Tried for the
statistics, without gain: dividing eight numbers at once, and quotients by multiplication with a reciprocal looked up.
"""

from __future__ import annotations


def bytes_a_step(arms: int) -> int:
    """Return the bytes that a step of UCB1 loads and stores; the module's text counts them."""
    words = (3 * arms) + (arms + 1) + 6 + (3 + 6) + (9 + 3)
    return 8 * words
