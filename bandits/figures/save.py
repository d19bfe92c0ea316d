"""All figures of a run of regret.

The figures are `matplotlib.figure.Figure` objects, so that drawing needs no window system and leaves pyplot's state
alone. They need only the tables of `bandits.tables`, and can be redrawn from a folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bandits.figures.pulls import draw_pulls, draw_pulls_map, pulls_crowded, pulls_size
from bandits.figures.regret import MOST_BANDS, Theory, draw_quantiles, draw_regret, quantiles_size
from bandits.tables import policies_of
from numerics.output.captions import called
from numerics.output.style import files, page

if TYPE_CHECKING:
    import pandas as pd


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
) -> list[Path]:
    """Write the figures of `save_regret` and of pulls into a folder, which is made if missing.

    The bytes depend only on the tables and on Matplotlib's version, not on the time or the user's style.

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

    Returns
    -------
    list of Path
        The files.
    """
    chosen = policies_of(curves, policies)
    runs, count = int(pulls["run"].nunique()), int(pulls["arm"].nunique())
    saved = save_regret(folder, curves, theory, policies=policies, runs=runs, arms=arms)
    stem = Path(folder) / "pulls"
    title = title_of("Pulls", chosen, arms)
    with page(stem, pulls_size(count, len(chosen))) as figure:
        draw = draw_pulls_map if pulls_crowded(count, len(chosen)) else draw_pulls
        draw(figure.subplots(), pulls, names, policies=policies, estimated=estimated, title=title)
    return saved + files(stem)


def save_regret(
    folder: str | Path,
    curves: pd.DataFrame,
    theory: Theory | None = None,
    *,
    policies: Sequence[str] | None = None,
    runs: int | None = None,
    arms: str = "",
) -> list[Path]:
    """Write the figures regret and regret_log into a folder, which is made if missing.

    For more than three policies also write regret_quantiles and regret_quantiles_log, since in a single panel their
    quantiles would hide each other.

    Parameters
    ----------
    folder : str or Path
        Where to write.
    curves, theory, policies, runs
        As for `draw_regret`.
    arms : str, optional
        As for `save_all`.

    Returns
    -------
    list of Path
        The files.
    """
    chosen, saved = policies_of(curves, policies), []
    title = title_of("Regret", chosen, arms)
    for log in (False, True):
        stem = Path(folder) / ("regret_log" if log else "regret")
        with page(stem) as figure:
            draw_regret(figure.subplots(), curves, theory=theory, log=log, policies=policies, runs=runs, title=title)
        saved += files(stem)
    for log in (False, True) if len(chosen) > MOST_BANDS else ():
        stem = Path(folder) / ("regret_quantiles_log" if log else "regret_quantiles")
        with page(stem, quantiles_size(len(chosen))) as figure:
            draw_quantiles(figure, curves, log=log, policies=policies, runs=runs, title=title)
        saved += files(stem)
    return saved


def title_of(what: str, policies: Sequence[str], arms: str) -> str:
    """Return a figure's title: what it shows, the policy if there is only one, and the arms.

    Examples
    --------
    >>> title_of("Regret", ["ucb"], "10 Bernoulli arms"), title_of("Pulls", ["ucb", "moss"], "10 Bernoulli arms")
    ('Regret of ucb on 10 Bernoulli arms', 'Pulls on 10 Bernoulli arms')
    """
    who = f" of {called(policies[0])}" if len(policies) == 1 else ""
    return what + who + (f" on {called(arms, 80)}" if arms else "")
