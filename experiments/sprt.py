"""`python -m experiments.sprt COUNTS`: the sequential test of pairs of games that somebody else played.

COUNTS are five numbers: pairs of one opening with colours swapped that were LL, LD, WL or DD, WD, WW from the first
player's side. A test that is to be played is `python -m experiments.run experiment=sprt`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from experiments.engine.console import say
from experiments.engine.errors import guarded, leave
from experiments.engine.options import number
from experiments.sequential.lines import caveats_of, counts_of_text, five_lines, score_line, verdict_line
from numerics.parameters import must_be_one_of
from numerics.statistics.sprt import MODELS, NORMALIZED, Sprt, strength


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, and print the five lines, the score and the verdict."""
    parser = argparse.ArgumentParser(prog="python -m experiments.sprt", description=__doc__)
    parser.add_argument("counts", metavar="COUNTS", help="pairs LL,LD,WL+DD,WD,WW, such as 21,134,309,203,60")
    parser.add_argument("--elo0", default="0", help="of the hypothesis H0; 0 when left out")
    parser.add_argument("--elo1", default="10", help="of the hypothesis H1; 10 when left out")
    parser.add_argument("--alpha", default="0.05", help="chance that H1 is accepted though H0 holds; 0.05")
    parser.add_argument("--beta", default="0.05", help="chance that H0 is accepted though H1 holds; 0.05")
    parser.add_argument("--model", default=NORMALIZED, help=f"the Elo of both: {NORMALIZED} when left out, or logistic")
    words = sys.argv[1:] if arguments is None else arguments
    # A word that holds a space is no option to argparse: a count below 0 gets its sentence.
    given = parser.parse_args([f" {word}" if word.startswith("-") and "," in word else word for word in words])
    if given.model not in MODELS:
        raise ValueError(must_be_one_of("--model", given.model, MODELS))
    elo0, elo1, alpha, beta = (number(name, getattr(given, name), float) for name in ("elo0", "elo1", "alpha", "beta"))
    test, counts = Sprt(elo0, elo1, alpha, beta, given.model), counts_of_text(given.counts)
    for line in five_lines(counts, test):
        say(line)
    say(score_line(counts, strength(counts, test)))
    say(verdict_line(counts, test))
    for line in caveats_of(counts, test):
        say(line)


if __name__ == "__main__":
    leave(guarded(main))
