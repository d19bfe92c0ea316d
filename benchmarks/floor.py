"""The floor of UCB1: what one step of one replication must load, store and compute in a kernel of this shape.

Counted in words of 8 bytes, for K arms; loads + stores. A step is a score, an argmax over arms taken two at a time, two
generators, two rewards and the statistics of one arm (`bandits.rules`, `.argmax`, `.kernel`, `numerics.random`):

    score           2 K + K                  means and widths in, scores out
    argmax          K + 3                    the scores; the best, the second best and the arm of the first two, ...
                    3 P + 3 P                ... loaded and stored again for each of the P = (K - 2) / 2 other pairs
                    2 + 0                    the look for ties
    generators      2 (4 + 5)                four words of state in and out, a uniform out, for r and for r*
    rewards         2 + 1, 4 + 2             the pulled arm's mean, by its number; two comparisons
    statistics      5 + 4                    n, the sum, their quotient and 1 / sqrt(n), looked up, of one arm
                    2 + 1                    the best arm's gain

For K = 10 that is 108 words, 864 bytes, 43 words of them stores. With registers of 64 bytes, two loads and one store of
a register a cycle, the stores alone are (43 - 5) / 8 cycles, and the five that go word by word at two a cycle 2.5 more:
7 cycles. The arithmetic beside it is 2 K for the index, 5 (K - 1) for the argmax, 2 x 12 on integers for the
generators: 89 operations, 6 cycles at two registers a cycle, and a division of a single number, 5 cycles; partly in the
shadow of the stores. So the floor is some 12 cycles, 3 ns at 4 GHz.

The time measured is 2 to 2.5 times that. The statistics of 64 replications, 25 kB, just fit the first cache; more
replications would share the calls and the beginnings of some ten loops among more of them, but take their statistics
from the second cache, which takes longer. Words stored one by one are loaded again as whole registers, which waits for
the stores. The same loop in C has the same floor and comes about as near to it, which is why it is the judge in the
table.
"""

from __future__ import annotations


def bytes_a_step(arms: int) -> int:
    """Return the bytes that a step of UCB1 loads and stores; the module's text counts them."""
    pairs = (arms - 1) // 2
    words = (3 * arms) + (arms + 3 + 6 * pairs + 2) + 18 + (3 + 6) + (9 + 3)
    return 8 * words
