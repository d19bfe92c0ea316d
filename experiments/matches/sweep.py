"""A sweep of matches: one table with the best setting and those like it, and one figure of the score against it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.engine import console as report
from experiments.engine.experiment import Job
from experiments.matches import printed
from experiments.matches.match import say_forfeits, summary_of
from experiments.statistics.against_best import BEST, LIKE_BEST, against_best, scores_of_pairs
from experiments.statistics.doubling import BUDGETS, Doubling, elo_per_doubling
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

_SHARED = ["game", "seed", "opening", "first_player"]  # what games must have in common to be compared one by one
_OUTER_COMMA = re.compile(r", (?![^()]*\))")  # of a name's parameters, not of a policy's in it
_SHORT = 12  # letters of a name that has room under an axis
_OTHER_GAME = ("board", "connect")  # keys that change what is played


@dataclass(frozen=True)
class Setting:
    """One match of a sweep: the swept keys with their values, and the match's games."""

    values: Mapping[str, Any]
    games: pd.DataFrame


def draw_sweep(jobs: Sequence[Job], varied: Sequence[str], folder: Path) -> None:
    """Put the results of a sweep's matches together in `folder`, print them and draw the score of player 1."""
    told = [job for job in jobs if (job.folder / "summary.csv").exists()]
    if not told:
        return
    settings = [
        Setting({key: job.overrides[key] for key in varied}, tables.read(job.folder / "games.parquet")) for job in told
    ]
    table = leave_sweep(settings, folder)
    names = [common_name(list(table[column])) for column in ("player", "opponent")]
    say_sweep(settings, table, names)
    report.say(f"table: {folder / 'sweep.csv'}")
    report.say(f"figures: {folder / 'figures'}")


def leave_sweep(settings: Sequence[Setting], folder: Path) -> pd.DataFrame:
    """Write sweep.csv and, of budgets, elo_per_doubling.csv; draw the figure; return the sweep's table."""
    table = sweep_table(settings)
    tables.write(table, folder / "sweep.csv")
    drawn, key, _ = _against(table, list(settings[0].values))
    fits = _fits(drawn, key)
    if fits:
        tables.write(_fit_table(fits, key), folder / "elo_per_doubling.csv")
    _draw(table, list(settings[0].values), folder)
    return table


def sweep_table(settings: Sequence[Setting]) -> pd.DataFrame:
    """Return one row a setting.

    The swept keys; then what `experiments.matches.match.summary_of` says of all its games, and the scores with either
    player moving first; then what `experiments.statistics.against_best.against_best` says.
    """
    import pandas as pd

    rows = []
    for one in settings:
        colours = summary_of(one.games).set_index("colour")
        both = {str(name): value for name, value in colours.loc["both"].items()}
        own = {f"score_moving_{colour}": colours.loc[colour, "score"] for colour in ("first", "second")}
        rows.append({**one.values, **both, **own})
    compared = against_best([scores_of_pairs(one.games) for one in settings], paired=_paired(settings))
    return pd.concat([pd.DataFrame(rows), compared], axis=1)


def say_sweep(settings: Sequence[Setting], table: pd.DataFrame, names: Sequence[str]) -> None:
    """Print who played, the table, how settings were compared, which are the best, and what a doubling is worth."""
    import pandas as pd

    keys = list(settings[0].values)
    report.say(f"player 1: {names[0]}\nplayer 2: {names[1]}")
    report.console().print(printed.match_sweep_table(table, keys))
    if len(table) < 2:
        return
    report.say(_said_test(len(table), table["games"].iloc[0] // 2, paired=_paired(settings)))
    best, like = (table[table["standing"] == standing] for standing in (BEST, LIKE_BEST))
    report.say(f"best: {_told(best, keys)}; not distinguishable from it: {_told(like, keys) or 'none'}")
    drawn, key, _ = _against(table, keys)
    for line, fit in _fits(drawn, key).items():
        where = f" ({line})" if line else ""
        report.say(
            f"Elo per doubling of {key}{where}: {fit.elo:+.0f}, 95 % interval {fit.elo_low:+.0f} to {fit.elo_high:+.0f}"
        )
    say_forfeits(pd.concat([one.games for one in settings], ignore_index=True))
    repeated = table[2 * table["distinct_games"] <= table["games"]]
    if len(repeated):
        report.say(
            f"half or more of the games are repetitions in: {_told(repeated, keys)}; intervals take games as "
            "independent; openings=first_moves or openings=pairs varies them"
        )


def _said_test(settings: int, pairs: int, *, paired: bool) -> str:
    unit = f"{pairs:,} pairs of games (one opening, either player moving first)"
    test = (
        f"paired t-test over {unit} with the same seeds, two pairs added (Bonett and Price 2012)"
        if paired
        else f"Welch's t-test over {unit} of each setting, two added to each (Agresti and Caffo 2000)"
    )
    count = settings * (settings - 1) // 2
    return f"minus the best: {test}; p adjusted by Holm's method for all {count} pairs of settings"


def _told(rows: pd.DataFrame, keys: Sequence[str]) -> str:
    """Return the settings of some rows in a line."""
    if len(keys) == 1:
        return f"{keys[0]}={','.join(map(printed.value_text, rows[keys[0]]))}" if len(rows) else ""
    settings = [[f"{key}={printed.value_text(row[key])}" for key in keys] for row in rows.to_dict("records")]
    return ", ".join(" ".join(one) for one in settings)


def _paired(settings: Sequence[Setting]) -> bool:
    """Return whether every setting met the same openings and seeds in the same game."""
    first = settings[0].games[_SHARED].reset_index(drop=True)
    return not set(_OTHER_GAME) & set(settings[0].values) and all(
        one.games[_SHARED].reset_index(drop=True).equals(first) for one in settings
    )


def common_name(names: Sequence[str]) -> str:
    """Return what several names of players have in common, with dots for what differs.

    Examples
    --------
    >>> common_name(["uct(simulations=100, policy=kl_ucb(c=0))", "uct(simulations=100, policy=kl_ucb(c=3))"])
    'uct(simulations=100, policy=kl_ucb(c=...))'
    >>> common_name(["uct(simulations=100)", "uct(simulations=100, solve=True)"]), common_name(["uct", "uct(c=0.5)"])
    ('uct(simulations=100, ...)', 'uct(...)')
    """
    if len(set(names)) == 1:
        return names[0]
    found = [re.fullmatch(r"(\w+)(?:\((.*)\))?", name) for name in names]
    heads = {one and one[1] for one in found}
    if len(heads) > 1 or None in heads:
        return "..."
    arguments = [_OUTER_COMMA.split(one[2]) if one and one[2] else [] for one in found]
    given = [{text.partition("=")[0]: text.partition("=")[2] for text in own} for own in arguments]
    shared = [key for key in given[0] if all(key in own for own in given)]
    told = [f"{key}={common_name([own[key] for own in given])}" for key in shared]
    rest = ["..."] if any(len(own) > len(shared) for own in given) else []
    return f"{heads.pop()}({', '.join([*told, *rest])})"


def _draw(table: pd.DataFrame, varied: Sequence[str], folder: Path) -> None:
    """Draw a heat map of two numbers that were swept in every combination, or else the score against one key."""
    from experiments.matches import sweep_figures
    from numerics.output.style import page

    drawn, key, numeric = _against(table, varied)
    if len(varied) == 2 and len(_numbers(table, varied)) == 2 and not table.duplicated(list(varied)).any():
        rows, columns = (table[one].nunique() for one in varied)
        with page(folder / "figures" / "score", (2.6 + 0.85 * columns, 1.9 + 0.5 * rows)) as figure:
            sweep_figures.draw_heat_map(figure, figure.subplots(), table, varied[1], varied[0])
        return
    by_row = not numeric and drawn["line"].nunique() == 1 and max(len(str(value)) for value in drawn["value"]) > _SHORT
    if by_row:
        with page(folder / "figures" / "score", (7.6, 1.5 + 0.36 * len(drawn))) as figure:
            sweep_figures.draw_rows(figure.subplots(), drawn, key)
        return
    with page(folder / "figures" / "score", (7.6, 4.4)) as figure:
        axes = figure.subplots()
        for line, fit in _fits(drawn, key).items():
            place = list(dict.fromkeys(drawn["line"])).index(line)
            sweep_figures.draw_doubling(axes, fit, drawn.loc[drawn["line"] == line, "value"], place)
        sweep_figures.draw_sweep(axes, drawn, key, numeric=numeric)


def _numbers(table: pd.DataFrame, varied: Sequence[str]) -> dict[str, pd.Series[Any]]:
    """Return the swept keys whose values are all numbers, with these."""
    import pandas as pd

    numbers = {key: pd.to_numeric(table[key], errors="coerce") for key in varied}
    return {key: values for key, values in numbers.items() if bool(np.isfinite(values).all())}


def _against(table: pd.DataFrame, varied: Sequence[str]) -> tuple[pd.DataFrame, str, bool]:
    """Return what is drawn, against which key, and whether its values are numbers.

    The one numeric key is drawn along the axis where there is just one, else the first key; the others make lines.
    """
    if not varied:
        return table.assign(value=table["player"], line=""), "player 1", False
    numbers = _numbers(table, varied)
    key = next(iter(numbers)) if len(numbers) == 1 else varied[0]
    others = [one for one in varied if one != key]
    line = [" ".join(f"{one}={row[one]}" for one in others) for row in table.to_dict("records")]
    return table.assign(value=numbers.get(key, table[key]), line=line), key, key in numbers


def _fits(drawn: pd.DataFrame, key: str) -> dict[str, Doubling]:
    """Return the strength against a swept budget of player 1 for each line that has two budgets or more."""
    place, _, parameter = key.rpartition(".")
    if place == "player2" or parameter not in BUDGETS or drawn["value"].dtype == object:
        return {}
    found = {}
    for line, own in drawn.groupby("line", sort=False):
        if own["value"].nunique() > 1 and bool((own["value"] > 0).all()):
            found[str(line)] = elo_per_doubling(own["value"], own["score"] * own["games"], own["games"])
    return found


def _fit_table(fits: Mapping[str, Doubling], key: str) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [
            {"key": key, "line": line, "elo": fit.elo, "elo_low": fit.elo_low, "elo_high": fit.elo_high}
            for line, fit in fits.items()
        ]
    )
