"""A sweep of matches: every setting compared with the best, in one table, one figure, and what is printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import console as report
from experiments.engine.experiment import Job
from experiments.match import sweep_figures
from experiments.match.console import results_table, say_forfeits
from experiments.match.games import summary_of
from experiments.match.sweep_figures import against, fits_of
from experiments.statistics.against_best import BEST, LIKE_BEST, against_best, scores_of_pairs
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


_SHARED = ["game", "seed", "opening", "first_player"]  # what games must have in common to be compared one by one
_OUTER_COMMA = re.compile(r", (?![^()]*\))")  # of a name's parameters, not of a policy's in it
_OTHER_GAME = ("board", "connect")  # keys that change what is played


@dataclass(frozen=True)
class Setting:
    """One match of a sweep: the swept keys with their values, and the match's games."""

    values: Mapping[str, Any]
    games: pd.DataFrame


def put_together(jobs: Sequence[Job], varied: Sequence[str], folder: Path) -> None:
    """Put the results of a sweep's matches together in `folder`, print them and draw the score of player 1."""
    import pandas as pd

    settings = [
        Setting({key: job.overrides[key] for key in varied}, tables.read(job.folder / "games.parquet")) for job in jobs
    ]
    table = sweep_table(settings)
    write_sweep(table, varied, folder)
    sweep_figures.draw(folder, table, varied)
    for number, column in enumerate(("player", "opponent"), start=1):
        report.say(f"player {number}: {common_name(list(table[column]))}")
    games = pd.concat([one.games for one in settings], ignore_index=True)
    say_sweep(table, varied, games, paired=are_paired(settings))
    report.say(f"table: {folder / 'sweep.csv'}")
    report.say(f"figures: {folder / 'figures'}")


def sweep_table(settings: Sequence[Setting]) -> pd.DataFrame:
    """Return one row a setting.

    The swept keys; then what `experiments.match.games.summary_of` says of all its games, and the scores with either
    player moving first; then what `experiments.statistics.against_best.against_best` says.
    """
    import pandas as pd

    rows = []
    for one in settings:
        colours = summary_of(one.games).set_index("colour")
        both = {str(name): value for name, value in colours.loc["both"].items()}
        own = {f"score_moving_{colour}": colours.loc[colour, "score"] for colour in ("first", "second")}
        rows.append({**one.values, **both, **own})
    compared = against_best([scores_of_pairs(one.games) for one in settings], paired=are_paired(settings))
    return pd.concat([pd.DataFrame(rows), compared], axis=1)


def are_paired(settings: Sequence[Setting]) -> bool:
    """Return whether every setting met the same openings and seeds in the same game."""
    first = settings[0].games[_SHARED].reset_index(drop=True)
    return not set(_OTHER_GAME) & set(settings[0].values) and all(
        one.games[_SHARED].reset_index(drop=True).equals(first) for one in settings
    )


def write_sweep(table: pd.DataFrame, keys: Sequence[str], folder: Path) -> None:
    """Write sweep.csv and, of budgets, elo_per_doubling.csv."""
    import pandas as pd

    tables.write(table, folder / "sweep.csv")
    drawn, key, _ = against(table, keys)
    rows = [
        {"key": key, "line": line, "elo": fit.elo, "elo_low": fit.elo_low, "elo_high": fit.elo_high}
        for line, fit in fits_of(drawn, key).items()
    ]
    if rows:
        tables.write(pd.DataFrame(rows), folder / "elo_per_doubling.csv")


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


def say_sweep(table: pd.DataFrame, keys: Sequence[str], games: pd.DataFrame, *, paired: bool) -> None:
    """Print the table, how settings were compared, which are the best, and what a doubling is worth."""
    report.console().print(settings_table(table, keys))
    if len(table) < 2:
        return
    report.say(_said_test(len(table), table["games"].iloc[0] // 2, paired=paired))
    best, like = (table[table["standing"] == standing] for standing in (BEST, LIKE_BEST))
    report.say(f"best: {_told(best, keys)}; not distinguishable from it: {_told(like, keys) or 'none'}")
    drawn, key, _ = against(table, keys)
    for line, fit in fits_of(drawn, key).items():
        where = f" ({line})" if line else ""
        report.say(
            f"Elo per doubling of {key}{where}: {fit.elo:+.0f}, 95 % interval {fit.elo_low:+.0f} to {fit.elo_high:+.0f}"
        )
    say_forfeits(games)
    repeated = table[2 * table["distinct_games"] <= table["games"]]
    if len(repeated):
        report.say(
            f"half or more of the games are repetitions in: {_told(repeated, keys)}; intervals take games as "
            "independent; openings=first_moves or openings=pairs varies them"
        )


def settings_table(table: pd.DataFrame, keys: Sequence[str]) -> Table:
    """Return the printed form of a sweep: what was swept, player 1's results, and how far off the best.

    Without a key the rows are told by their players.
    """
    differences = table[["difference", "difference_low", "difference_high"]].to_numpy() * 100.0
    known = differences[:, 1] == differences[:, 1]
    more: dict[str, Iterable[str]] = {
        "minus the best, %": [
            f"{one:+.1f} ({low:+.1f} to {high:+.1f})" if low == low else "" for one, low, high in differences
        ],
        "p": [report.p_text(p) if own else "" for p, own in zip(table["p_adjusted"], known, strict=True)],
        "standing": table["standing"].astype(str),
    }
    words = [(key, map(value_text, table[key])) for key in keys or ("player", "opponent")]
    title = "player 1's results; score: wins + draws / 2; intervals: 95 %"
    return results_table(title, words, table, more, interval="interval")


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
        return f"{keys[0]}={','.join(map(value_text, rows[keys[0]]))}" if len(rows) else ""
    settings = [[f"{key}={value_text(row[key])}" for key in keys] for row in rows.to_dict("records")]
    return ", ".join(" ".join(one) for one in settings)


def value_text(value: object) -> str:
    """Write a swept value as the command line does."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {value_text(own)}" for name, own in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
