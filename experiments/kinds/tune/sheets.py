"""How people read tuning: the values and their scores, the pick and how sure it is, and the test that confirms it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.games.sweep_settings import value_text
from experiments.kinds.tune.rewards import UNITS
from experiments.sequential import notes as sprt
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Row, Sheet, ends, number, share

if TYPE_CHECKING:
    import pandas as pd

PICKED = "picked"  # the standing of the value that was picked
_SHOWN = 30  # values in the sheet; of more, those of the most rewards


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    return tables.read(folder / "tune.csv").sort_values("rewards", ascending=False).head(_SHOWN).sort_index()


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    what = f"pairs of games with {facts['opponent']}" if facts["opponent"] else "moves that keep the value of positions"
    return f"score of {what}; all intervals hold with {_confidence(facts)}; * picked"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    return [
        Column(str(frame["parameter"].iloc[0]), _value),
        number(UNITS[facts["signal"]], "rewards"),
        share("score"),
        ends("interval", "score", scale=100, unit=" %"),
    ]


def _value(row: Row) -> str:
    return value_text(row["value"]) + (" *" if row["standing"] == PICKED else "")


VALUES = Sheet("tune.csv", _title, _columns, read=_read)


def _confidence(facts: Mapping[str, Any]) -> str:
    return f"{100 * (1 - facts['delta']):g} % confidence"


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say what was picked, and how the test of the pick ended."""
    test = sprt.notes(folder, facts) if facts["test"] is not None else []
    return [*pick_text(tables.read(folder / "tune.csv"), facts), *test]


def pick_text(table: pd.DataFrame, facts: Mapping[str, Any]) -> list[str]:
    """Say what was picked, how sure that is, how much a grid would have needed, and whether it was to be confirmed."""
    row = table[table["standing"] == PICKED].iloc[0]
    drawn, units = int(table["rewards"].sum()), UNITS[facts["signal"]]
    pick = f"{row['parameter']}={value_text(row['value'])}"
    if facts["sure"]:
        sure = f"is within {facts['epsilon']:g} of the best with {_confidence(facts)}"
        sure += ", by paired differences" if facts["method"] == "paired_lucb" else ""
    else:
        sure = "scored best, with no bound on the chance that another value is better"
    found = [f"{pick} {sure} (epsilon={facts['epsilon']:g}, delta={facts['delta']:g}): {drawn:,} {units}"]
    if facts["grid"] and facts["sure"]:
        saved = f"{100 * (1 - drawn / facts['grid']):.0f} % saved" if drawn < facts["grid"] else "none saved"
        found.append(f"a grid as sure needs {facts['grid']:,} {units}, as many of each value: {saved}")
    if facts["test"] is None:
        found.append(f"not confirmed: confirm=false, or the pick is the player as it is given, {facts['given']}")
    else:
        found.append(f"confirmation against the player as it is given, {facts['given']}, on fresh seeds:")
    return found


def caveats(folder: Path, facts: Mapping[str, Any]) -> list[str]:
    """Return what a reader must know: an unsure pick, a signal that is none of games, and those of the test."""
    found = [] if facts["sure"] else ["The method says nothing of the chance that another value is better."]
    if not facts["opponent"]:
        found.append("Keeping the value of positions is not winning games: the test of the pick says what it wins.")
    return [*found, *(sprt.caveats(folder, facts) if facts["test"] is not None else [])]
