"""The figures of policies on one bandit, of one run or of a sweep: of regret, of arms, and of the final regret."""

from __future__ import annotations

import functools
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bandits.differences import final_regret
from bandits.figures import save
from bandits.figures.lines import Theory
from bandits.figures.save import title_of
from bandits.summaries import policies_of
from numerics.output.captions import Caption, called_all
from numerics.output.figures import Figure, Reader, draw_figures
from numerics.output.scales import Scale, is_logarithmic, percent
from numerics.output.style import PALETTE, number, plain, replications
from numerics.parameters import did_you_mean

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_REFUSED = re.compile(  # in a file's name, by one system or another; Windows has devices called nul and com1
    r'^\.|[. ]$|[\x00-\x1f/\\:*?"<>|%+]|^[acnlp](?=(?:ux|on|ul|rn|om\d|pt\d)(?:\.|$))', re.IGNORECASE
)
_LONGEST = 200  # bytes of a file's name
_FINAL = "final pseudo-regret $L_T$"
_FEWEST = 5  # replications that have a distribution to show
_BOXES = 40  # and that have letter-value boxes; fewer are points


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
        What a run says of the arms, under "arms"; None where several runs differ in them.
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
        theory = Theory(float(slope), float(uniform), str(arms.get("law", "")))
    shown = {
        **facts,
        "policies": labels,
        "runs": int(runs.iloc[0]) if runs.nunique() == 1 else None,
        "theory": theory,
        "names": None if arms is None else arms["names"],
        "estimated": arms is not None and bool(arms["estimated"]),
        "played": ", ".join(filter(None, ("" if arms is None else arms.get("title", ""), facts.get("delivery")))),
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
    """Draw how the final regret of the policies in `facts`, or of all, is distributed."""
    finals = _finals(pulls, facts)
    title = title_of("Final regret", policies_of(pulls, facts["policies"]), facts["played"])
    drawn = (draw_share if finals.shape[1] == 1 else draw_boxes)(finals, axes, title)
    if facts.get("changing"):
        axes.set_xlabel(axes.get_xlabel().replace("pseudo-regret", "dynamic regret"))
    return drawn


def _finals(pulls: pd.DataFrame, facts: Mapping[str, Any]) -> pd.DataFrame:
    return final_regret(pulls[pulls["policy"].isin(policies_of(pulls, facts["policies"]))])


def draw_share(finals: pd.DataFrame, axes: Axes, title: str = "") -> Caption:
    """Draw the share of replications that end with at most a given regret, for one policy."""
    regrets = finals.iloc[:, 0].to_numpy(np.float64)
    axes.ecdf(regrets, color=PALETTE[0], linewidth=1.6)
    for value, name, dashes in ((regrets.mean(), "mean", "-"), (float(np.median(regrets)), "median", (0, (2, 1)))):
        axes.axvline(value, color="0.35", linewidth=1.0, linestyle=dashes, label=f"{name}: {number(value, 3)}")
    plain(axes)
    log = regrets.min() > 0.0 and is_logarithmic([np.median(regrets), regrets.max()], measured=True)
    Scale(_FINAL + " (log scale)" * log, log=log).set(axes.xaxis, regrets)
    Scale("share of replications up to it", log=False, low=0.0, high=1.0, form=percent).set(axes.yaxis, [])
    return Caption(f"{replications(regrets.size)}".removesuffix(", "), title)


def draw_boxes(finals: pd.DataFrame, axes: Axes, title: str = "") -> Caption:
    """Draw the distributions of the final pseudo-regret of several policies, the lowest mean on top."""
    import seaborn

    order = finals.mean().sort_values(kind="stable")
    names = called_all(order.index.astype(str), 28)
    shown = finals[list(order.index)].rename(columns=names)
    if len(shown) >= _BOXES:
        seaborn.boxenplot(
            shown,
            orient="h",
            color="#8fbcdb",
            width=0.66,
            linewidth=0.5,
            line_kws={"linewidth": 1.4, "color": "0.1"},
            flier_kws={"marker": ".", "s": 9.0, "color": "0.45"},
            ax=axes,
        )
        key = "line: median; widest box: the middle half; each further pair: half of what is left; dots: the rest"
    else:
        rng = np.random.default_rng(0)  # seaborn's stripplot draws from NumPy's global state: each picture differs
        for row, name in enumerate(names.values()):
            height = row + rng.uniform(-0.18, 0.18, len(shown))
            axes.plot(shown[name], height, "o", color="#5a9bc9", markersize=4.0, alpha=0.6, markeredgewidth=0.0)
        axes.set_yticks(range(len(names)), list(names.values()))
        axes.set_ylim(len(names) - 0.5, -0.5)
        key = "a dot a replication"
    axes.plot(order, range(len(names)), "D", color=PALETTE[3], markeredgecolor="white", markersize=5.5, zorder=9)
    plain(axes, "x")
    Scale(_FINAL).set(axes.xaxis, finals.median(), finals, measured=True)
    axes.set_ylabel("")
    axes.tick_params(axis="y", length=0.0)
    return Caption(f"{replications(len(finals)).replace(', ', '; ')}diamond: mean; {key}", title)


FINAL = Figure(
    "final_regret",
    save.PULLS,
    draw_final,
    size=lambda pulls, facts: (7.6, 3.6 if (count := _finals(pulls, facts).shape[1]) == 1 else 1.9 + 0.34 * count),
    when=lambda pulls, facts: len(_finals(pulls, facts)) >= _FEWEST,
)
FIGURES = (*save.FIGURES, FINAL)
