"""Lines of policies against t: what the figures of regret, of simple regret and of changes have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bandits.arms.base import Arms
from bandits.summaries import policies_of
from bandits.theory import lai_robbins_constant
from numerics.output import plots
from numerics.output.captions import End
from numerics.output.scales import Scale
from numerics.output.style import MARKERS, line_colour, line_style, plus_minus, replications

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_BANDS = 3  # up to this many policies, bands stay readable in a single panel
LONGEST = 28  # letters of a policy's name beside its line
TIME, LOG_TIME = "$t$ (pulls)", "$t$ (pulls, log scale)"


@dataclass(frozen=True)
class Theory:
    """The lines of theory in a figure of regret.

    Parameters
    ----------
    lai_robbins : float, default NaN
        C of the asymptotic slope C ln t; not drawn if NaN or 0.
    uniform : float, default NaN
        Expected regret of a uniformly random pull; not drawn if NaN or 0.
    law : str, default ""
        The class of laws for which C holds, such as "Bernoulli arms".
    """

    lai_robbins: float = math.nan
    uniform: float = math.nan
    law: str = ""

    @classmethod
    def of(cls, arms: Arms) -> Theory:
        """Return the lines for these arms; C is NaN if no bound is known."""
        return cls(lai_robbins_constant(arms), arms.uniform_regret(), arms.law_class)


@dataclass(frozen=True)
class Context:
    """Facts about a run that figures show besides its tables.

    Attributes
    ----------
    policies : sequence of str, optional
        The policies to draw, in order; by default all, as in the table. Their colours do not depend on the choice.
    runs : int, optional
        The number of replications, for the caption.
    title : str, optional
        A title above the caption, such as what was played.
    moments : sequence of int, optional
        The pulls after which means change in all replications: thin vertical lines.
    theory : Theory, optional
        Lines to compare regret with.
    names : sequence of str, optional
        The names of the arms; by default their numbers.
    estimated : bool, default False
        Whether the means of arms are estimates, such as those of a click log, and labelled so.
    """

    policies: Sequence[str] | None = None
    runs: int | None = None
    title: str = ""
    moments: Sequence[int] = ()
    theory: Theory | None = None
    names: Sequence[str] | None = None
    estimated: bool = False


EVERYTHING = Context()
_FEW = 5  # points of a line, below which each has a marker


def tables_of(curves: pd.DataFrame, policies: Sequence[str] | None) -> dict[str, pd.DataFrame]:
    """Return a table of each policy, in order of time."""
    return {policy: curves[curves["policy"] == policy].sort_values("t") for policy in policies_of(curves, policies)}


def terms_text(tables: Mapping[str, pd.DataFrame], runs: int | None) -> str:
    """Return the beginning of a caption: the replications, and the horizon or the range of horizons."""
    ends = [int(table["t"].iloc[-1]) for table in tables.values()]
    return f"{replications(runs)}horizon {min(ends):,}" + (f" to {max(ends):,}" if max(ends) > min(ends) else "")


def time_scale(horizon: int, log: bool = False, label: str | None = None) -> Scale:
    """Return the axis of the pulls."""
    low, high = (1.0 if log else 0.0, float(horizon)) if horizon > 1 else (0.5 if log else 0.0, 2.0)
    return Scale((LOG_TIME if log else TIME) if label is None else label, log=log, low=low, high=high, whole=True)


def draw_means(
    axes: Axes,
    curves: pd.DataFrame,
    tables: Mapping[str, pd.DataFrame],
    name: str,
    labels: Mapping[str, str],
    scale: Scale,
    *,
    log: bool = False,
    bands: bool = True,
    several: bool | None = None,
) -> list[End]:
    """Draw the means of a column, NAME_mean, a line a policy, with bands of its intervals; return the lines' ends.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    curves : pandas.DataFrame
        Of all policies, which decide the look of each.
    tables : mapping of str to DataFrame
        What is drawn of each policy.
    name : str
    labels : mapping of str to str
        What stands at the end of each line.
    scale : Scale
        The vertical axis.
    log : bool, default False
        Whether the axis of time is logarithmic.
    bands : bool, default True
        Whether intervals are drawn.
    several : bool, optional
        Whether lines need dashes and markers to be told apart; by default if there are several.
    """
    import pandas as pd

    drawn, several = pd.concat(list(tables.values())), len(tables) > 1 if several is None else several
    looks = {}
    for policy, table in tables.items():
        place = policies_of(curves).index(policy)
        looks[policy] = {"linestyle": "-", "marker": "", "color": line_colour(place), "zorder": 3.0 + 0.01 * place}
        looks[policy] |= line_style(place) if several else {}
        few = {"marker": MARKERS[place % len(MARKERS)]}
        looks[policy] |= few if len(table) < _FEW else {"markevery": (0.02 + 0.03 * (place % 5), 0.15)}
    return plots.curves(
        axes,
        drawn.rename(columns={f"{name}_mean": name}),
        "t",
        name,
        by="policy",
        x_scale=time_scale(int(drawn["t"].max()), log),
        y_scale=scale,
        names=labels,
        look={"linewidth": 1.6, "markersize": 5.0},
        looks=looks,
        whiskers=False,
        bands=bands,
    )


def draw_last(axes: Axes, t: float, low: float, high: float, place: int) -> None:
    """Draw an interval at the end of a line, for lines whose bands would hide each other."""
    look: dict[str, Any] = {"color": line_colour(place), "linewidth": 1.3, "clip_on": False, "zorder": 3.5}
    axes.plot([t, t], [low, high], marker="_", markersize=6.0, **look)


def final_text(table: pd.DataFrame, name: str) -> str:
    """Write the last mean of a column, NAME_mean, with its interval if it has one."""
    last = table.iloc[-1]
    low, high = (float(last.get(f"{name}_{end}", math.nan)) for end in ("low", "high"))
    return plus_minus(float(last[f"{name}_mean"]), low, high)
