"""The figures of policies on one bandit, of one run or of a sweep, all of them or what options choose."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bandits.figures import save
from bandits.figures.regret import Theory
from bandits.tables import policies_of
from experiments.replications import final_figures
from numerics.output.figures import Figure, Reader, draw_figures
from numerics.parameters import did_you_mean

_REFUSED = re.compile(r'^\.|[. ]$|[\x00-\x1f/\\:*?"<>|%+]')  # in a file's name, by one system or another
_LONGEST = 200  # bytes of a file's name


FINAL = Figure("final_regret", save.PULLS, final_figures.draw, size=final_figures.size_of, when=final_figures.is_enough)
FIGURES = (*save.FIGURES, FINAL)


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
    labels = None if policies is None else chosen_labels(policies, policies_of(pulls))
    runs = pulls.groupby("policy")["run"].nunique()
    shown = {
        **facts,
        "policies": labels,
        "runs": int(runs.iloc[0]) if runs.nunique() == 1 else None,
        "theory": None if arms is None else _theory(arms),
        "names": None if arms is None else arms["names"],
        "estimated": arms is not None and bool(arms["estimated"]),
        "played": "" if arms is None else arms.get("title", ""),
    }
    return draw_figures([save.REGRET_LOG] if log else figures, _place_of(folder, labels), read, shown)


def check_arms(folder: Path, facts: Mapping[str, Any]) -> None:
    """Refuse a run whose manifest does not say what the arms are."""
    arms = facts.get("arms")
    if not isinstance(arms, Mapping) or not {"names", "estimated", "lai_robbins", "uniform"} <= arms.keys():
        raise ValueError(f"{folder / 'manifest.json'} does not say what the arms are; run the experiment again")


def _place_of(figures: Path, labels: Sequence[str] | None) -> Path:
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


def _theory(arms: Mapping[str, Any]) -> Theory:
    """Return the lines of theory that a manifest holds; None there is NaN here."""
    slope, uniform = (float("nan") if arms[name] is None else float(arms[name]) for name in ("lai_robbins", "uniform"))
    return Theory(slope, uniform, str(arms.get("law", "")))
