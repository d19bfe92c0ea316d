"""All figures of a run of regret.

The figures are `matplotlib.figure.Figure` objects, so that drawing needs no window system and leaves pyplot's state
alone. They need only the tables of `bandits.tables`, and can be redrawn from a folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits.figures.changes import ALARMS, BEST, draw_alarms, draw_best_share
from bandits.figures.lines import MOST_BANDS
from bandits.figures.pulls import draw_pulls, draw_pulls_map, pulls_crowded, pulls_size
from bandits.figures.regret import Theory, draw_quantiles, draw_regret, quantiles_size
from bandits.figures.simple_regret import draw_simple_regret, is_known
from bandits.tables import policies_of
from numerics.output.captions import called
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
    policies: Sequence[str] | None = None,
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
    theory, names, policies, estimated
        As for `draw_regret` and `draw_pulls`.
    arms : str, optional
        The arms, for the titles, such as "10 Bernoulli arms".
    moments : sequence of int, optional
        As for `draw_regret`.

    Returns
    -------
    list of Path
        The files.
    """
    facts = {
        "theory": theory,
        "names": names,
        "policies": policies,
        "estimated": estimated,
        "played": arms,
        "runs": int(pulls["run"].nunique()),
        "moments": moments,
    }
    return draw_figures(FIGURES, Path(folder), {CURVES: curves, PULLS: pulls}.get, facts)


def _regret(curves: pd.DataFrame, axes: Axes, facts: Facts, *, log: bool) -> None:
    policies, runs = facts["policies"], facts["runs"]
    title = title_of("Regret", policies_of(curves, policies), facts["played"])
    draw_regret(
        axes,
        curves,
        theory=facts["theory"],
        log=log,
        policies=policies,
        runs=runs,
        title=title,
        moments=_moments(facts),
    )


def _quantiles(curves: pd.DataFrame, figure: matplotlib.figure.Figure, facts: Facts, *, log: bool) -> None:
    policies = facts["policies"]
    title = title_of("Regret", policies_of(curves, policies), facts["played"])
    draw_quantiles(figure, curves, log=log, policies=policies, runs=facts["runs"], title=title, moments=_moments(facts))


def _simple_regret(curves: pd.DataFrame, axes: Axes, facts: Facts) -> None:
    policies, runs = facts["policies"], facts["runs"]
    title = title_of("Simple regret", policies_of(curves, policies), facts["played"])
    draw_simple_regret(axes, curves, policies=policies, runs=runs, title=title)


def _best_share(curves: pd.DataFrame, axes: Axes, facts: Facts) -> None:
    policies, runs = facts["policies"], facts["runs"]
    title = title_of("Pulls of the best arm of the moment", policies_of(curves, policies), facts["played"])
    draw_best_share(axes, curves, policies=policies, runs=runs, title=title, moments=_moments(facts))


def _alarms(curves: pd.DataFrame, axes: Axes, facts: Facts) -> None:
    policies, runs = facts["policies"], facts["runs"]
    title = title_of("Alarms", policies_of(curves, policies), facts["played"])
    draw_alarms(axes, curves, policies=policies, runs=runs, title=title, moments=_moments(facts))


def _has_alarms(curves: pd.DataFrame, facts: Facts) -> bool:
    chosen = curves[curves["policy"].isin(policies_of(curves, facts["policies"]))]
    return ALARMS in curves and bool(chosen[ALARMS].notna().any())


def _moments(facts: Facts) -> Sequence[int]:
    """Return the pulls after which means change in all replications; runs of an earlier version know none."""
    moments: Sequence[int] = facts.get("moments", ())
    return moments


def _are_many(curves: pd.DataFrame, facts: Facts) -> bool:
    """Return whether the quantiles of so many policies would hide each other in one view."""
    return len(policies_of(curves, facts["policies"])) > MOST_BANDS


def _quantiles_size(curves: pd.DataFrame, facts: Facts) -> tuple[float, float]:
    return quantiles_size(len(policies_of(curves, facts["policies"])))


def _pulls(pulls: pd.DataFrame, axes: Axes, facts: Facts) -> None:
    chosen = policies_of(pulls, facts["policies"])
    draw = draw_pulls_map if pulls_crowded(int(pulls["arm"].nunique()), len(chosen)) else draw_pulls
    draw(
        axes,
        pulls,
        facts["names"],
        policies=facts["policies"],
        estimated=facts["estimated"],
        title=title_of("Pulls", chosen, facts["played"]),
    )


def _pulls_size(pulls: pd.DataFrame, facts: Facts) -> tuple[float, float]:
    return pulls_size(int(pulls["arm"].nunique()), len(policies_of(pulls, facts["policies"])))


REGRET_LOG = Figure("regret_log", CURVES, partial(_regret, log=True))
OF_REGRET = (
    Figure("regret", CURVES, partial(_regret, log=False)),
    REGRET_LOG,
    *(
        Figure(name, CURVES, partial(_quantiles, log=log), size=_quantiles_size, when=_are_many, panels=True)
        for name, log in (("regret_quantiles", False), ("regret_quantiles_log", True))
    ),
)
FIGURES = (
    *OF_REGRET,
    Figure("simple_regret", CURVES, _simple_regret, when=lambda curves, facts: is_known(curves, facts["policies"])),
    Figure("best_arm", CURVES, _best_share, when=lambda curves, facts: BEST in curves),
    Figure("alarms", CURVES, _alarms, when=_has_alarms),
    Figure("pulls", PULLS, _pulls, size=_pulls_size),
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
    who = f" of {called(policies[0])}" if len(policies) == 1 else ""
    return what + who + (f" on {called(arms, 80)}" if arms else "")
