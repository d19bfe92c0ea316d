"""Exploration constants of other programs and books, converted to the c of this program, and back.

Ours is mean + c sqrt(ln t / n) for rewards in [0, 1] (`ucb`), and mean + c P sqrt(t - 1) / (1 + n) (`puct`). Where
results are -1, 0 and 1, means and their distances are twice as large, and so must be the constant. Where a program
counts the pulls so far and not the pull being chosen, N = t - 1: that matters in the first pulls only.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import NamedTuple

from experiments.engine import printing
from numerics.output.sheets import Sheet, word
from numerics.parameters import must_be_one_of

LARGEST = 1e6  # of a constant


class Convention(NamedTuple):
    """How a program or book writes the constant: a row of `constants.csv`.

    In `formula`, m is the mean, n the pulls of the arm, N those of all arms and t the index of the current pull. Our c
    is `factor` times the constant, or times its root if it is under a root. `default` is None if there is none.
    """

    title: str
    parameter: str
    formula: str
    factor: float
    is_under_root: bool
    rule: str
    rewards: str
    default: float | None

    def ours(self, value: float) -> float:
        """Return the c that explores as much as a value of this constant."""
        return self.factor * (math.sqrt(value) if self.is_under_root else value)

    def theirs(self, c: float) -> float:
        """Return the value of this constant that explores as much as a c of ours."""
        return (c / self.factor) ** 2 if self.is_under_root else c / self.factor


with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as _file:
    CONVENTIONS = {
        row["program"]: Convention(
            row["title"],
            row["parameter"],
            row["formula"],
            float(row["factor"]),
            row["root"] == "true",
            row["rule"],
            row["rewards"],
            float(row["default"]) if row["default"] else None,
        )
        for row in csv.DictReader(_file)
    }


def convert(program: str, setting: str) -> tuple[str, float]:
    """Return our policy, `ucb` or `puct`, and its c for a setting NAME=VALUE of another program.

    Raises
    ------
    ValueError
        An unknown program or constant, or a value that is not a number from 0 to 1,000,000.

    Examples
    --------
    >>> convert("openspiel", "uct_c=2")
    ('ucb', 1.0)
    >>> convert("smpybandits", "beta=2")
    Traceback (most recent call last):
    ValueError: smpybandits must be given alpha=VALUE, a number from 0 to 1,000,000; got 'beta=2'
    """
    if program not in CONVENTIONS:
        raise ValueError(must_be_one_of("the program of convert", program, list(CONVENTIONS)))
    known = CONVENTIONS[program]
    name, _, text = setting.partition("=")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if name != known.parameter or not 0.0 <= value <= LARGEST:
        raise ValueError(
            f"{program} must be given {known.parameter}=VALUE, a number from 0 to {LARGEST:,.0f}; got {setting!r}"
        )
    return known.rule, known.ours(value)


def say_conversion(text: str) -> None:
    """Print what a setting, such as "openspiel uct_c=2", is here and in all other programs with such a constant."""
    import pandas as pd

    program, _, setting = text.partition(" ")
    rule, c = convert(program, setting)
    there = CONVENTIONS[program]
    ours = CONVENTIONS["here" if rule == "ucb" else "here_puct"]
    printing.say(f"{there.title}: {setting} in {there.formula}, rewards in {there.rewards}")
    printing.say(f"equals c = {c:.6g} here: {ours.formula}, rewards in {ours.rewards}")
    printing.say(f"  on a bandit:   bandit={rule} bandit.c={c:.6g}")
    tree = f"player1.c={c:.6g}" if rule == "ucb" else f"'player1.policy={{name: puct, c: {c:.6g}}}'"
    printing.say(f"  in a tree:     player1=uct {tree}")
    rows = [
        {
            "program": name,
            "as much": f"{convention.parameter}={convention.theirs(c):.6g}",
            "default": "-" if convention.default is None else f"{convention.default:.6g}",
            "index": convention.formula,
            "rewards": convention.rewards,
        }
        for name, convention in CONVENTIONS.items()
        if convention.rule == rule
    ]
    for filled in Sheet("", "", [word(head) for head in rows[0]]).of(pd.DataFrame(rows)):
        printing.show(filled)
