"""The figures of a run of regret, drawn from the tables in its folder."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandits.figures import regret as regret_figures
from bandits.figures import save
from bandits.figures.regret import Theory
from experiments.replications import final_figures
from numerics.output import style, tables
from numerics.parameters import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

_REFUSED = re.compile(r'^\.|[. ]$|[\x00-\x1f/\\:*?"<>|%+]')  # in a file's name, by one system or another
_LONGEST = 200  # bytes of a file's name


def draw(
    folder: Path, facts: Mapping[str, Any], *, log: bool = False, policies: Sequence[str] | None = None
) -> list[Path]:
    """Draw the figures of a run of regret, all of them or some.

    Parameters
    ----------
    folder : Path
        A run's folder.
    facts : mapping
        What the run says of the arms, under "arms".
    log : bool, default False
        Draw nothing but regret on a logarithmic time axis.
    policies : sequence of str, optional
        The labels to draw, each alone or several with commas between them; they have a folder of their own in
        figures/, so that the run's own figures are kept. All when left out.

    Raises
    ------
    ValueError
        A label that the run does not have.
    """
    arms = _arms_of(folder, facts)
    curves, pulls = tables.read(folder / "curves.parquet"), tables.read(folder / "pulls.parquet")
    labels = None if policies is None else chosen_labels(policies, list(dict.fromkeys(curves["policy"])))
    place = place_of(folder / "figures", labels)
    drawn = (save_log if log else save_figures)(place, curves, pulls, arms, labels)
    if log:
        return drawn
    title = save.title_of("Final regret", labels or list(dict.fromkeys(curves["policy"])), arms.get("title", ""))
    return drawn + final_figures.draw(place / "final_regret", pulls, title, labels)


def save_log(
    place: Path,
    curves: pd.DataFrame,
    pulls: pd.DataFrame,
    arms: Mapping[str, Any] | None,
    labels: Sequence[str] | None = None,
) -> list[Path]:
    """Draw nothing but regret on a logarithmic time axis; `arms` as in `save_figures`, None where they differ."""
    counts = pulls.groupby("policy")["run"].nunique()
    runs = int(counts.iloc[0]) if counts.nunique() == 1 else None
    theory, played = (None, "") if arms is None else (told_theory(arms), arms.get("title", ""))
    title = save.title_of("Regret", labels or list(dict.fromkeys(curves["policy"])), played)
    with style.page(place / "regret_log") as figure:
        regret_figures.draw_regret(
            figure.subplots(), curves, theory=theory, log=True, policies=labels, runs=runs, title=title
        )
    return style.files(place / "regret_log")


def _arms_of(folder: Path, facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a run says of the arms."""
    arms = facts.get("arms")
    if not isinstance(arms, Mapping) or not {"names", "estimated", "lai_robbins", "uniform"} <= arms.keys():
        raise ValueError(f"{folder / 'manifest.json'} does not say what the arms are; run the experiment again")
    return arms


def save_figures(
    place: Path, curves: pd.DataFrame, pulls: pd.DataFrame, arms: Mapping[str, Any], labels: Sequence[str] | None = None
) -> list[Path]:
    """Draw the figures of some policies into a folder; `arms` is what a manifest says of the arms."""
    theory, estimated = told_theory(arms), bool(arms["estimated"])
    return save.save_all(
        place, curves, pulls, theory, arms["names"], policies=labels, estimated=estimated, arms=arms.get("title", "")
    )


def place_of(figures: Path, labels: Sequence[str] | None) -> Path:
    """Return the folder of the figures of some policies, or of all: chosen ones do not replace those of all."""
    return figures if labels is None else figures / _folder_name(labels)


def chosen_labels(given: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return the labels that are given, each once, or raise ValueError about one that is not known."""
    for label in given:
        if label not in known:
            raise ValueError(
                f"policies must name policies of the run, {', '.join(known)}; got {label!r}{did_you_mean(label, known)}"
            )
    return list(dict.fromkeys(given))


def _folder_name(labels: Sequence[str]) -> str:
    """Return a folder's name that no other choice of labels has: signs that file systems refuse are %XX."""
    name = "+".join(_REFUSED.sub(lambda sign: f"%{ord(sign[0]):02X}", label) for label in labels)
    if len(name.encode()) <= _LONGEST:
        return name
    return f"{len(labels)} policies {hashlib.sha256(name.encode()).hexdigest()[:12]}"


def told_theory(arms: Mapping[str, Any]) -> Theory:
    """Return the lines of theory that a manifest holds; None there is NaN here."""
    slope, uniform = (float("nan") if arms[name] is None else float(arms[name]) for name in ("lai_robbins", "uniform"))
    return Theory(slope, uniform, str(arms.get("law", "")))
