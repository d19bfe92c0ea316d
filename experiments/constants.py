"""Exploration constants of other programs and books, converted to the c of this program, and back.

Ours is mean + c sqrt(ln t / n) for rewards in [0, 1] (`ucb`), and mean + c P sqrt(t - 1) / (1 + n) (`puct`). Where
results are -1, 0 and 1, means and their distances are twice as large, and so must be the constant. Where a program
counts the pulls so far and not the pull being chosen, N = t - 1: that matters in the first pulls only.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from experiments.engine import printing
from numerics.output.sheets import Sheet, word
from numerics.parameters import must_be_one_of

LARGEST = 1e6  # of a constant


@dataclasses.dataclass(frozen=True)
class Convention:
    """How one program or book writes the constant.

    Parameters
    ----------
    title : str
        The program, with the place of the constant in it, or the book.
    parameter : str
        What the constant is called there.
    formula : str
        The index, in the words of that source: m mean, n pulls of the arm, N of all arms, t the pull being chosen.
    factor : float
        Our c of a constant of 1: c = factor * constant.
    root : bool
        Whether the constant stands under the root: c = factor * sqrt(constant).
    rule : str
        Which of our policies has the same form.
    rewards : str
        The range of rewards that the constant is meant for.
    default : float or None
        What the program takes where nothing is said, or the source's own value.
    """

    title: str
    parameter: str
    formula: str
    factor: float = 1.0
    root: bool = False
    rule: str = "ucb"
    rewards: str = "[0, 1]"
    default: float | None = None

    def ours(self, value: float) -> float:
        """Return the c that explores as much as a value of this constant."""
        return self.factor * (math.sqrt(value) if self.root else value)

    def theirs(self, c: float) -> float:
        """Return the value of this constant that explores as much as a c of ours."""
        return (c / self.factor) ** 2 if self.root else c / self.factor


_ROOT_TWO = math.sqrt(2.0)
_BOTH_SIGNS: dict[str, Any] = {"factor": 0.5, "rewards": "[-1, 1]"}

CONVENTIONS = {
    "here": Convention("this program, bandit.c and player1.c", "c", "m + c sqrt(ln t / n)", default=_ROOT_TWO),
    "sutton_barto": Convention(
        "Sutton and Barto 2018, equation 2.10", "c", "Q + c sqrt(ln t / N)", rewards="any", default=2.0
    ),
    "smpybandits": Convention(
        "SMPyBandits 0.9.7, UCBalpha", "alpha", "m + sqrt(alpha ln t / (2 n))", 1 / _ROOT_TWO, True, default=4.0
    ),
    "mabwiser": Convention(
        "MABWiser 2.7, LearningPolicy.UCB1", "alpha", "m + alpha sqrt(2 ln N / n)", _ROOT_TWO, default=1.0
    ),
    "river": Convention("river 0.26, bandit.UCB", "delta", "m + delta sqrt(2 ln N / n)", _ROOT_TWO),
    "pymab": Convention("PyMAB 2.0, UCBPolicy", "c", "m + sqrt(c ln t / n)", 1.0, True, default=2.0),
    "banditpylib": Convention("banditpylib, UCB", "alpha", "m + sqrt(alpha ln t / n)", 1.0, True, default=2.0),
    "scip": Convention("SCIP 9, bandit_ucb.c", "alpha", "m + sqrt(alpha ln t / n)", 1.0, True),
    "kocsis_szepesvari": Convention(
        "Kocsis and Szepesvari 2006", "C_p", "m + 2 C_p sqrt(ln t / n)", 2.0, default=1 / _ROOT_TWO
    ),
    "survey": Convention(
        "Browne et al. 2012, section 3.3.1", "C_p", "m + 2 C_p sqrt(2 ln N / n)", 2 * _ROOT_TWO, default=1 / _ROOT_TWO
    ),
    "openspiel": Convention("OpenSpiel, MCTSBot", "uct_c", "m + uct_c sqrt(ln N / n)", **_BOTH_SIGNS),
    "puissance4": Convention(
        "puissance4 0.6, agent/uct.py", "facteur_uct", "m + facteur_uct sqrt(ln N / n)", **_BOTH_SIGNS, default=0.01
    ),
    "mcts": Convention(
        "pbsinclair42/MCTS, mcts.py",
        "explorationConstant",
        "m + explorationConstant sqrt(ln N / n)",
        **_BOTH_SIGNS,
        default=_ROOT_TWO,
    ),
    "ludii": Convention(
        "Ludii, UCB1.java",
        "explorationconstant",
        "m + explorationconstant sqrt(ln N / n)",
        **_BOTH_SIGNS,
        default=_ROOT_TWO,
    ),
    "here_puct": Convention(
        "this program, policy puct", "c", "m + c P sqrt(t - 1) / (1 + n)", rule="puct", default=1.0
    ),
    "alphazero": Convention(
        "Silver et al. 2017, methods", "c_puct", "Q + c_puct P sqrt(N) / (1 + n)", **_BOTH_SIGNS, rule="puct"
    ),
    "openspiel_puct": Convention(
        "OpenSpiel, MCTSBot with child_selection_fn=puct_value",
        "uct_c",
        "m + uct_c P sqrt(N) / (1 + n)",
        **_BOTH_SIGNS,
        rule="puct",
    ),
    "alpha_zero_general": Convention(
        "alpha-zero-general, MCTS.py", "cpuct", "Q + cpuct P sqrt(N) / (1 + n)", **_BOTH_SIGNS, rule="puct"
    ),
}


def converted(program: str, setting: str) -> tuple[str, float]:
    """Return our policy and its c for a setting of another program.

    Parameters
    ----------
    program : str
        A key of `CONVENTIONS`.
    setting : str
        NAME=VALUE in that program, a value of at least 0.

    Returns
    -------
    tuple of str and float
        `ucb` or `puct`, and c for rewards in [0, 1].

    Raises
    ------
    ValueError
        No such program or constant, or a value that is no number from 0 to 1,000,000.

    Examples
    --------
    >>> converted("openspiel", "uct_c=2")
    ('ucb', 1.0)
    >>> converted("smpybandits", "beta=2")
    Traceback (most recent call last):
    ValueError: the constant of smpybandits is alpha, as in alpha=4; got 'beta=2'
    """
    if program not in CONVENTIONS:
        raise ValueError(must_be_one_of("the program of convert", program, list(CONVENTIONS)))
    known = CONVENTIONS[program]
    name, _, text = setting.partition("=")
    if name != known.parameter:
        example = f"{known.parameter}={2 if known.default is None else known.default:g}"
        raise ValueError(f"the constant of {program} is {known.parameter}, as in {example}; got {setting!r}")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= LARGEST:
        raise ValueError(f"{program}'s {name} must be a number from 0 to {LARGEST:,.0f}; got {text!r}")
    return known.rule, known.ours(value)


def say_conversion(text: str) -> None:
    """Print what a setting, such as "openspiel uct_c=2", is here and in all other programs with such a constant."""
    import pandas as pd

    program, _, setting = text.partition(" ")
    rule, c = converted(program, setting)
    there = CONVENTIONS[program]
    ours = CONVENTIONS["here" if rule == "ucb" else "here_puct"]
    printing.say(f"{there.title}: {setting} in {there.formula}, rewards in {there.rewards}")
    printing.say(f"is c = {c:.6g} here: {ours.formula}, rewards in {ours.rewards}")
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
