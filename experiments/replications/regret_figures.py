"""The figures of policies on one bandit, of one run or of a sweep: of regret, of arms, and of the final regret."""

from __future__ import annotations

import functools
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits.differences import final_regret
from bandits.figures import save
from bandits.figures.lines import Theory
from bandits.figures.save import title_of
from bandits.summaries import policies_of
from numerics.output.captions import Caption, called_all
from numerics.output.figures import Figure, Reader, draw_figures
from numerics.output.scales import Scale
from numerics.output.style import PALETTE, plain, replications
from numerics.parameters import did_you_mean

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_REFUSED = re.compile(  # in a file's name, by one system or another; Windows has devices called nul and com1
    r'^\.|[. ]$|[\x00-\x1f/\\:*?"<>|%+]|^[acnlp](?=(?:ux|on|ul|rn|om\d|pt\d)(?:\.|$))', re.IGNORECASE
)
_LONGEST = 200  # bytes of a file's name
_FEWEST = 5  # replications that have a distribution to show


def draw(
    figures: Sequence[Figure],
    folder: Path,
    read: Reader,
    facts: Mapping[str, Any],
    *,
    log: bool = False,
    policies: Sequence[str] | None = None,
) -> list[Path]:
    """Draw figures of regret, all of them or what options choose.

    Parameters
    ----------
    figures : sequence of Figure
    folder : Path
        The folder of the figures.
    read : callable
        Returns a table by its name.
    facts : mapping
        What a run says of the arms, under "arms"; None where several runs differ in them. What titles say of arms and
        delivery, under "played".
    log : bool, default False
        Draw nothing but regret on a logarithmic time axis.
    policies : sequence of str, optional
        The labels to draw, each alone or several with commas between them; they have a folder of their own in
        that of the figures, so that these are kept. All when left out.

    Raises
    ------
    ValueError
        A label that the run does not have.
    """
    read = functools.cache(read)
    pulls, arms = read(save.PULLS), facts["arms"]
    assert pulls is not None
    known = policies_of(pulls)
    for label in policies or ():
        if label not in known:
            near = did_you_mean(label, known)
            raise ValueError(f"policies must name policies of the run, not {label!r}{near}; it has {', '.join(known)}")
    labels = None if policies is None else list(dict.fromkeys(policies))
    runs, theory = pulls.groupby("policy")["run"].nunique(), None
    if arms is not None:
        slope, uniform = (math.nan if arms[name] is None else arms[name] for name in ("lai_robbins", "uniform"))
        theory = Theory(float(slope), float(uniform), str(arms["law"]))
    shown = {
        **facts,
        "policies": labels,
        "runs": int(runs.iloc[0]) if runs.nunique() == 1 else None,
        "theory": theory,
        "names": None if arms is None else arms["names"],
        "estimated": arms is not None and bool(arms["estimated"]),
        "moments": () if arms is None else arms.get("moments", ()),
        "changing": arms is not None and "moments" in arms,
    }
    into = folder if labels is None else folder / _folder_name(labels)
    return draw_figures([save.REGRET_LOG] if log else figures, into, read, shown)


def _folder_name(labels: Sequence[str]) -> str:
    """Return a folder's name unique to this choice of labels; characters that file systems refuse become %XX."""
    name = "+".join(_REFUSED.sub(lambda sign: f"%{ord(sign[0]):02X}", label) for label in labels)
    if len(name.encode()) <= _LONGEST:
        return name
    return f"{len(labels)} policies {hashlib.sha256(name.encode()).hexdigest()[:12]}"


def draw_final(pulls: pd.DataFrame, axes: Axes, facts: Mapping[str, Any]) -> Caption:
    """Draw the distributions of the final regret of the policies in `facts`, or of all, the lowest mean on top."""
    policies = policies_of(pulls, facts["policies"])
    finals = final_regret(pulls[pulls["policy"].isin(policies)])
    finals = finals[list(finals.mean().sort_values(kind="stable").index)]
    look: dict[str, Any] = {
        "boxprops": {"facecolor": "#8fbcdb", "linewidth": 0.5},
        "medianprops": {"color": "0.1", "linewidth": 1.4},
        "meanprops": {"marker": "D", "markerfacecolor": PALETTE[3], "markeredgecolor": "white", "markersize": 5.5},
        "flierprops": {"marker": ".", "markersize": 3.0, "markerfacecolor": "0.45", "markeredgewidth": 0.0},
    }
    names = list(called_all(finals.columns.astype(str), 28).values())
    axes.boxplot(
        finals.to_numpy(),
        orientation="horizontal",
        positions=range(len(names)),
        widths=0.66,
        whis=(5.0, 95.0),
        patch_artist=True,
        showmeans=True,
        **look,
    )
    plain(axes, "x")
    Scale(f"final {'dynamic ' if facts['changing'] else 'pseudo-'}regret $L_T$").set(
        axes.xaxis, finals.median(), finals, measured=True
    )
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0.0)
    key = "diamond: mean; line: median; box: quartiles; whiskers: 5 % to 95 % quantiles; dots: replications outside"
    title = title_of("Final regret", policies, facts["played"])
    return Caption(f"{replications(len(finals)).replace(', ', '; ')}{key}", title)


FINAL = Figure(
    "final_regret",
    save.PULLS,
    draw_final,
    size=lambda pulls, facts: (7.6, 1.9 + 0.34 * len(policies_of(pulls, facts["policies"]))),
    when=lambda pulls, facts: pulls["run"].nunique() >= _FEWEST,
)
FIGURES = (*save.FIGURES, FINAL)
