"""How people read tuning: the values and their scores, the pick, how sure it is, and the test that confirms it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.engine.sweep.table import value_text
from experiments.kinds.tune.rewards import UNITS
from experiments.sequential import notes as sprt
from numerics.output import style, tables
from numerics.output.captions import Caption, label_of
from numerics.output.figures import Figure
from numerics.output.plots import curves
from numerics.output.scales import Scale
from numerics.output.sheets import Column, Facts, Row, Sheet, interval_ends, number, share
from numerics.output.style import PALETTE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

PICKED = "picked"  # the standing of the value that was picked
_SHOWN = 30  # values in the sheet; of more, those of the most rewards


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    return tables.read(folder / "tune.csv").sort_values("rewards", ascending=False).head(_SHOWN).sort_index()


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    what = f"pairs of games with {facts['opponent']}" if facts["opponent"] else "moves that keep the value of positions"
    return f"score of {what}; intervals hold simultaneously with {_confidence(facts)}; *: selected value"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    return [
        Column(str(frame["parameter"].iloc[0]), _value),
        number(UNITS[facts["signal"]], "rewards"),
        share("score"),
        interval_ends("interval", "score", scale=100, unit=" %"),
    ]


def _value(row: Row) -> str:
    return value_text(row["value"]) + (" *" if row["standing"] == PICKED else "")


VALUES = Sheet("tune.csv", _title, _columns, read=_read)


def _confidence(facts: Mapping[str, Any]) -> str:
    return f"{100 * (1 - facts['delta']):g} % confidence"


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say what was picked, how sure that is, how many rewards a grid would need, and how a test of the pick ended."""
    table = tables.read(folder / "tune.csv")
    row = _pick(table)
    drawn, units = int(table["rewards"].sum()), UNITS[facts["signal"]]
    pick = f"{row['parameter']}={value_text(row['value'])}"
    if facts["sure"]:
        sure = f"is within {facts['epsilon']:g} of the best with {_confidence(facts)}"
        sure += ", by paired differences" if facts["method"] == "paired_lucb" else ""
    else:
        sure = "scored best; the probability that another value is better is not bounded"
    sentences = [f"{pick} {sure} (epsilon={facts['epsilon']:g}, delta={facts['delta']:g}): {drawn:,} {units}"]
    if facts["grid"] and facts["sure"]:
        saved = f"{100 * (1 - drawn / facts['grid']):.0f} % saved" if drawn < facts["grid"] else "none saved"
        sentences.append(f"a uniform grid with the same confidence needs {facts['grid']:,} {units}: {saved}")
    if facts["test"] is None:
        given = f"the pick is the unchanged player, {facts['given']}"
        return [*sentences, f"not confirmed: confirm=false, or {given}"]
    confirmation = f"confirmation against the unchanged player, {facts['given']}, on new seeds:"
    return [*sentences, confirmation, *sprt.notes(folder, facts)]


def _pick(table: pd.DataFrame) -> pd.Series[Any]:
    return table[table["standing"] == PICKED].iloc[0]


def caveats(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return the caveats: an unsure pick, a signal other than games, and those of the confirming test."""
    sentences = [] if facts["sure"] else ["This method does not bound the probability that another value is better."]
    if not facts["opponent"]:
        sentences.append(
            "Keeping the value of positions is a proxy for winning games. Only the confirmation measures games."
        )
    return [*sentences, *(sprt.caveats(folder, facts) if facts["test"] is not None else [])]


def draw_scores(table: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw the score of every value with its interval, and mark the one that was picked."""
    key, numeric = str(table["parameter"].iloc[0]), table["value"].dtype.kind in "if"
    names = [label_of(value_text(value)) for value in table["value"]]
    row, least = _pick(table), 100.0 * float(_pick(table)["score"] - facts["epsilon"])
    curves(
        axes,
        table.assign(at=table["value"] if numeric else np.arange(len(table)), picked=table["standing"] == PICKED),
        "at",
        "score",
        by="picked",
        factor=100.0,
        x_scale=Scale(key, at_values=True) if numeric else Scale(key, names=names),
        y_scale=Scale("score (%)", log=False),
        names={True: "picked", False: ""},
        looks={picked: {"color": PALETTE[picked], "marker": "o", "markersize": 5.5} for picked in (False, True)},
        joined=False,
    )
    if least >= 0.0:  # else every score is within epsilon
        axes.axhline(least, color=PALETTE[1], linewidth=1.0, linestyle=(0, (4, 2)))
    what = f"score against {facts['opponent']}" if facts["opponent"] else "share that keeps the value of a position"
    drawn = style.number(int(table["rewards"].sum()))
    confidence = f"{100 * (1 - facts['delta']):g} %"
    text = (
        f"{drawn} {UNITS[facts['signal']]}: {what}; whiskers: simultaneous {confidence} confidence intervals"
        + f"; dashed: epsilon = {100 * facts['epsilon']:g} % below the pick" * (least >= 0.0)
    )
    text += "; decided by paired differences, which have a smaller variance" if facts["method"] == "paired_lucb" else ""
    title = f"{label_of(facts['given'])}: {key} = {label_of(value_text(row['value']))} of {len(table)} values"
    return Caption(text, title)


FIGURES = (Figure("tune", "tune.csv", draw_scores, size=(7.6, 4.6)), *sprt.FIGURES)
