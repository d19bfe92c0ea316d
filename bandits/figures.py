"""All figures of a run of regret, saved as PNG and SVG.

Files are drawn with `matplotlib.figure.Figure`, so that no window system and none of pyplot's state is touched. A
figure needs nothing but the tables of `bandits.tables`, so it can be drawn again from a folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bandits.drawing import files, page
from bandits.pulls_figure import draw_pulls
from bandits.regret_figures import MOST_BANDS, Theory, draw_quantiles, draw_regret, quantiles_size
from bandits.tables import policies_of

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
    """Write regret, regret_log and pulls, each as .png and .svg, into a folder, made if it is absent.

    Of more than three policies there is regret_quantiles too: their quantiles would hide each other in one view.

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
    place, chosen = Path(folder), policies_of(curves, policies)
    runs, arms = int(pulls["run"].nunique()), int(pulls["arm"].nunique())
    wide = min(16.0, max(7.6, 2.0 + arms * max(0.22, 0.09 * len(chosen))))
    stems = []
    for log in (False, True):
        stems.append(place / ("regret_log" if log else "regret"))
        with page(stems[-1]) as figure:
            draw_regret(figure.subplots(), curves, theory=theory, log=log, policies=policies, runs=runs)
    if len(chosen) > MOST_BANDS:
        stems.append(place / "regret_quantiles")
        with page(stems[-1], quantiles_size(len(chosen))) as figure:
            draw_quantiles(figure, curves, policies=policies, runs=runs)
    stems.append(place / "pulls")
    with page(stems[-1], (wide, 4.8)) as figure:
        draw_pulls(figure.subplots(), pulls, names, policies=policies, estimated=estimated)
    return [path for stem in stems for path in files(stem)]
