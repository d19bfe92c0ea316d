"""All figures of a run of regret.

The figures are `matplotlib.figure.Figure` objects, so that drawing needs no window system and leaves pyplot's state
alone. They need only the tables of `bandits.summaries`, and can be redrawn from a folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits.figures.changes import BEST, draw_alarms, draw_best_share
from bandits.figures.lines import MOST_BANDS, Context, Theory
from bandits.figures.pulls import draw_pulls, pulls_size
from bandits.figures.regret import draw_quantiles, draw_regret, quantiles_size
from bandits.figures.simple_regret import MEAN, draw_simple_regret
from bandits.summaries import ALARMS, FIXED, policies_of
from numerics.output.captions import label_of
from numerics.output.figures import Figure, draw_figures

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from matplotlib.axes import Axes

Facts = Mapping[str, Any]

CURVES, PULLS = "curves.parquet", "pulls.parquet"


def save_all(
    folder: str | Path,
    curves: pd.DataFrame,
    pulls: pd.DataFrame,
    theory: Theory | None = None,
    names: Sequence[str] | None = None,
    *,
    estimated: bool = False,
    arms: str = "",
    moments: Sequence[int] = (),
) -> list[Path]:
    """Write the figures of regret, of simple regret and of pulls into a folder, which is made if missing.

    Of more than three policies there are regret_quantiles and regret_quantiles_log too, since in a single panel their
    quantiles would hide each other. The bytes depend only on the tables and on Matplotlib's version, not on the time or
    the user's style.

    Parameters
    ----------
    folder : str or Path
        Where to write.
    curves, pulls : pandas.DataFrame
        Tables of one or several policies.
    theory, names, estimated
        As for `bandits.figures.lines.Context`.
    arms : str, optional
        The arms, for the titles, such as "10 Bernoulli arms".
    moments : sequence of int, optional
        As for `bandits.figures.lines.Context`.

    Returns
    -------
    list of Path
        The files.
    """
    facts = {
        "theory": theory,
        "names": names,
        "policies": None,
        "estimated": estimated,
        "played": arms,
        "runs": int(pulls["run"].nunique()),
        "moments": moments,
    }
    return draw_figures(FIGURES, Path(folder), {CURVES: curves, PULLS: pulls}.get, facts)


def _draw(
    draw: Callable[..., None], what: str, table: pd.DataFrame, where: Axes | matplotlib.figure.Figure, facts: Facts
) -> None:
    """Draw a figure of the policies and replications that facts say."""
    title = title_of(what, policies_of(table, facts["policies"]), facts["played"])
    of_context = {name: facts[name] for name in ("policies", "runs", "theory", "names", "estimated")}
    draw(where, table, Context(**of_context, title=title, moments=facts.get("moments", ())))


def _of_regret(name: str, draw: Callable[..., None], log: bool, **options: Any) -> Figure:
    return Figure(name, CURVES, partial(_draw, partial(draw, log=log), "Regret"), **options)


_IN_PANELS: dict[str, Any] = {  # where the quantiles of so many policies would hide each other in one view
    "size": lambda curves, facts: quantiles_size(len(policies_of(curves, facts["policies"]))),
    "when": lambda curves, facts: len(policies_of(curves, facts["policies"])) > MOST_BANDS,
    "panels": True,
}
REGRET_LOG = _of_regret("regret_log", draw_regret, True)
OF_REGRET = (
    _of_regret("regret", draw_regret, False),
    REGRET_LOG,
    _of_regret("regret_quantiles", draw_quantiles, False, **_IN_PANELS),
    _of_regret("regret_quantiles_log", draw_quantiles, True, **_IN_PANELS),
)
FIGURES = (
    *OF_REGRET,
    Figure(
        "simple_regret",
        CURVES,
        partial(_draw, draw_simple_regret, "Simple regret"),
        # not of arms that change: the arm of the highest mean so far is not what a policy that forgets would recommend
        when=lambda curves, facts: (
            FIXED not in curves
            and bool((curves[MEAN][curves["policy"].isin(policies_of(curves, facts["policies"]))] > 0.0).any())
        ),
    ),
    Figure(
        "best_arm",
        CURVES,
        partial(_draw, draw_best_share, "Pulls of the currently best arm"),
        when=lambda curves, facts: BEST in curves,
    ),
    Figure(
        "alarms",
        CURVES,
        partial(_draw, draw_alarms, "Alarms"),
        when=lambda curves, facts: (
            ALARMS in curves
            and bool(curves[ALARMS][curves["policy"].isin(policies_of(curves, facts["policies"]))].notna().any())
        ),
    ),
    Figure(
        "pulls",
        PULLS,
        partial(_draw, draw_pulls, "Pulls"),
        size=lambda pulls, facts: pulls_size(int(pulls["arm"].nunique()), len(policies_of(pulls, facts["policies"]))),
    ),
)
"""The figures of a run. Their facts are `theory`, `names`, `policies` and `estimated` as for `save_all`, `played` for
the titles, how many `runs` there are, None where policies differ in them, and the `moments` of change if there are any.
"""


def title_of(what: str, policies: Sequence[str], arms: str) -> str:
    """Return a figure's title: what it shows, the policy if there is only one, and the arms.

    Examples
    --------
    >>> title_of("Regret", ["ucb"], "10 Bernoulli arms"), title_of("Pulls", ["ucb", "moss"], "10 Bernoulli arms")
    ('Regret of ucb on 10 Bernoulli arms', 'Pulls on 10 Bernoulli arms')
    """
    who = f" of {label_of(policies[0])}" if len(policies) == 1 else ""
    return what + who + (f" on {label_of(arms, 80)}" if arms else "")
