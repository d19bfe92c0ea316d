"""The floor of UCB1: what one step of one replication must load, store and compute in a kernel of this shape.

Counted in words of 8 bytes, for K arms; loads + stores. A step is a score, an argmax over arms taken two at a time, two
generators, two rewards and the statistics of one arm (`bandits.rules`, `.argmax`, `.kernel`, `numerics.random`):

    score           2 K + K                  means and widths in, scores out
    argmax          K + 3                    the scores; the best, the second best and the arm of the first two, ...
                    3 P + 3 P                ... loaded and stored again for each of the P = (K - 2) / 2 other pairs
                    2 + 0                    the look for ties
    generators      2 (4 + 5)                four words of state in and out, a uniform out, for r and for r*
    rewards         2 + 1, 4 + 2             the pulled arm's mean, by its number; two comparisons
    statistics      4 + 4                    n and the sum of one arm, changed and copied
                    4 + 3                    their quotient and 1 / sqrt(n); the best arm's gain
                    3 + 2                    the mean and the width of one arm

For K = 10 that is 116 words, 928 bytes, 47 words of them stores. With registers of 64 bytes, two loads and one store of
a register a cycle, the stores alone are (47 - 7) / 8 cycles, and the seven that go to one arm's cells, word by word at
two a cycle, 3.5 more: 8.5 cycles, 2.1 ns at 4 GHz. The arithmetic beside it is 2 K for the index, 5 (K - 1) for the
argmax, 2 x 12 on integers for the generators, two divisions and a root: 93 operations and 3 long ones, some 5 cycles
where they fill their registers too, partly in the shadow of the stores.

The time measured is about three times that floor. The statistics of 160 replications, some 90 kB, lie in the second
cache and not in the first; words stored one by one are loaded again as whole registers, which waits for the stores; the
calls and the beginnings of some twenty loops are shared by 160 replications only. The same loop in C has the same floor
and comes about as near to it, which is why it is the judge in the table.
"""

from __future__ import annotations


def bytes_a_step(arms: int) -> int:
    """Return the bytes that a step of UCB1 loads and stores; the module's text counts them."""
    pairs = (arms - 1) // 2
    words = (3 * arms) + (arms + 3 + 6 * pairs + 2) + 18 + (3 + 6) + (8 + 7 + 5)
    return 8 * words
