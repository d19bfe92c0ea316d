"""`python -m experiments.sprt COUNTS`: the sequential test of pairs of games that somebody else played.

COUNTS are five numbers: pairs of one opening with colours swapped that were LL, LD, WL or DD, WD, WW from the first
player's side. A test that is to be played is `python -m experiments.run experiment=sprt`.
"""

from __future__ import annotations

from collections.abc import Sequence

from experiments.engine.errors import guarded, leave
from experiments.engine.printing import say
from experiments.sequential.lines import caveats_of, counts_of_text, five_lines, score_line, verdict_line
from numerics.commands import Command, word
from numerics.parameters import parameter
from numerics.statistics.sprt import MODELS, NORMALIZED, Sprt, strength


class Counts(Command, module="experiments.sprt"):
    """The pairs, and the test."""

    counts: str = word(help="pairs LL,LD,WL+DD,WD,WW, such as 21,134,309,203,60")
    elo0: float = parameter(0.0, help="of the hypothesis H0")
    elo1: float = parameter(10.0, help="of the hypothesis H1")
    alpha: float = parameter(0.05, help="type I error: probability of accepting H1 if H0 is true")
    beta: float = parameter(0.05, help="type II error: probability of accepting H0 if H1 is true")
    model: str = parameter(NORMALIZED, choices=MODELS, help="Elo scale of both")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, and print the five lines, the score and the verdict."""
    given = Counts.read(words)
    test = Sprt(given.elo0, given.elo1, given.alpha, given.beta, given.model)
    counts = counts_of_text(given.counts)
    for line in five_lines(counts, test):
        say(line)
    say(score_line(counts, strength(counts, test)))
    say(verdict_line(counts, test))
    for line in caveats_of(counts, test):
        say(line)


if __name__ == "__main__":
    leave(guarded(main))
