"""All figures of a run of regret.

Files are drawn with `matplotlib.figure.Figure`, so that no window system and none of pyplot's state is touched. A
figure needs nothing but the tables of `bandits.tables`, so it can be drawn again from a folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bandits.figures.pulls import draw_pulls, draw_pulls_panels, pulls_crowded, pulls_size
from bandits.figures.regret import MOST_BANDS, Theory, draw_quantiles, draw_regret, quantiles_size
from bandits.tables import policies_of
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
) -> list[Path]:
    """Write the figures of `save_regret` and pulls, into a folder, made if it is absent.

    The bytes depend on the tables and on Matplotlib's version alone: neither on the time nor on the user's style.

    Parameters
    ----------
    folder : str or Path
        Where to write.
    curves, pulls : pandas.DataFrame
        Tables of one or several policies.
    theory, names, policies, estimated
        As for `draw_regret` and `draw_pulls`.

    Returns
    -------
    list of Path
        The files.
    """
    chosen = policies_of(curves, policies)
    runs, arms = int(pulls["run"].nunique()), int(pulls["arm"].nunique())
    saved = save_regret(folder, curves, theory, policies=policies, runs=runs)
    place = Path(folder) / "pulls"
    with page(place, pulls_size(arms, len(chosen))) as figure:
        if pulls_crowded(arms, len(chosen)):
            draw_pulls_panels(figure, pulls, names, policies=policies, estimated=estimated)
        else:
            draw_pulls(figure.subplots(), pulls, names, policies=policies, estimated=estimated)
    return saved + files(place)


def save_regret(
    folder: str | Path,
    curves: pd.DataFrame,
    theory: Theory | None = None,
    *,
    policies: Sequence[str] | None = None,
    runs: int | None = None,
) -> list[Path]:
    """Write regret and regret_log, into a folder, made if it is absent.

    Of more than three policies there are regret_quantiles and regret_quantiles_log too: their quantiles would hide each
    other in one view.

    Parameters
    ----------
    folder : str or Path
        Where to write.
    curves, theory, policies, runs
        As for `draw_regret`.

    Returns
    -------
    list of Path
        The files.
    """
    count, saved = len(policies_of(curves, policies)), []
    size = (7.6, 4.8 + 0.12 * max(0, count - 8))  # a long legend does not take the axes' height
    for log in (False, True):
        place = Path(folder) / ("regret_log" if log else "regret")
        with page(place, size) as figure:
            draw_regret(figure.subplots(), curves, theory=theory, log=log, policies=policies, runs=runs)
        saved += files(place)
    for log in (False, True) if count > MOST_BANDS else ():
        place = Path(folder) / ("regret_quantiles_log" if log else "regret_quantiles")
        with page(place, quantiles_size(count)) as figure:
            draw_quantiles(figure, curves, log=log, policies=policies, runs=runs)
        saved += files(place)
    return saved
