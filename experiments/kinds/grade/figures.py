"""The figure of a grade: the score of `graded` by its rate of worse moves, and the rate at which it is one half."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.games.figures import with_key
from experiments.games.results import ground
from experiments.kinds.grade.rates import grade_of
from experiments.players.labels import short_labels
from numerics.output.captions import Caption, called
from numerics.output.figures import Facts, Figure
from numerics.output.style import PALETTE, draw_estimates, estimates, number, plain
from numerics.statistics.intervals import NORMAL_95

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_TICKS = (0.0, 0.01, 0.04, 0.1, 0.2, 0.4, 0.7, 1.0)  # of a rate


def draw_grade(table: pd.DataFrame, grade: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the scores at all rates with their 95 % intervals, the fitted curve, and the grade with its interval."""
    measured, player = grade_of(table), str(grade["player"].iloc[0])
    roots = np.linspace(0.0, 1.0, 400)
    lower, upper = (100.0 * measured.line.score(roots, errors) for errors in (-NORMAL_95, NORMAL_95))
    axes.fill_between(
        roots**2, lower, upper, color=PALETTE[0], alpha=0.16, linewidth=0.0, label="95 % interval of the fit"
    )
    axes.plot(roots**2, 100.0 * measured.line.score(roots), color=PALETTE[0], linewidth=1.4, label="fitted score")
    for first, face, label in ((True, "white", "first round"), (False, PALETTE[0], "later rounds")):
        of_round = table[(table["round"] == 1) == first]
        if len(of_round):
            style = {"color": PALETTE[0], "markersize": 5.0, "capsize": 2.5, "linewidth": 1.2, "label": label}
            scores = estimates(of_round, "score", 100.0)
            draw_estimates(axes, of_round["rate"], scores, fmt="o", markerfacecolor=face, **style)
    axes.axhline(50.0, color="0.6", linewidth=0.8)
    known = measured.rate == measured.rate
    if known:
        legend = f"grade {number(measured.rate, 3)} [{number(measured.low, 3)}, {number(measured.high, 3)}]"
        axes.axvspan(measured.low, measured.high, color=PALETTE[1], alpha=0.18, linewidth=0.0)
        axes.axvline(measured.rate, color=PALETTE[1], linewidth=1.4, label=legend)
    axes.set_xscale("function", functions=(lambda x: np.sign(x) * np.sqrt(np.abs(x)), lambda x: x * np.abs(x)))
    axes.set_xlim(-0.0004, 1.04)
    axes.set_ylim(-2.0, 102.0)
    axes.set_xticks(_TICKS)
    axes.set_xlabel("rate of worse moves of graded (drawn by its square root)")
    axes.set_ylabel("score of graded (% of the points)")
    fewest, most = int(table["games"].min()), int(table["games"].max())
    counted = number(fewest) if fewest == most else f"{number(fewest)} to {number(most)}"
    without = "" if known else "; at no rate does it score one half"
    name = called(short_labels([player])[player])
    text = with_key(f"{counted} games at a rate; bars: 95 % intervals (score test){without}", [name])
    plain(axes)
    return Caption(text, f"The grade of {name} {ground(facts['settings'])}")


FIGURES = (Figure("grade", ("rates.csv", "grade.csv"), draw_grade, size=(7.6, 4.6)),)
