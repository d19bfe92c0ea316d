"""A sweep of matches put together: one table and one figure, and what is printed, a block for each opponent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.engine import console as report
from experiments.engine import sweep
from experiments.engine.experiment import Job
from experiments.engine.store import read_config
from experiments.games import sweep_figures
from experiments.games.console import results_table, say_forfeits, say_key
from experiments.games.finished import ground
from experiments.games.settings import (
    Setting,
    alike,
    are_paired,
    blocks_of,
    conditions,
    pooled,
    shown_key,
    sweep_table,
    told,
    value_text,
)
from experiments.games.sweep_figures import against, fits_of
from experiments.players.labels import shared_label, short_columns, short_labels
from numerics.families import split
from numerics.output import tables
from numerics.output.figures import draw_figures
from numerics.statistics.against_best import BEST, LIKE_BEST

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


_MOST_NAMED = 4  # settings in a sentence; the table has all


def put_together(jobs: Sequence[Job], varied: Sequence[str], folder: Path) -> None:
    """Put the results of a sweep's matches together in `folder`, print them and draw the score of player 1."""
    import pandas as pd

    keys, together = sweep.pooled(jobs, varied)
    settings = [
        Setting(
            {key: own[0].overrides[key] for key in keys},
            pooled([tables.read(job.folder / "games.parquet") for job in own]),
        )
        for own in together
    ]
    table = sweep_table(settings)
    write_sweep(table, keys, folder)
    places = sorted({ground(read_config(job.folder / "config.yaml")) for job in jobs})
    title = f"{shared_label(table['player'])} against {shared_label(table['opponent'])}"
    told = {"keys": keys, "title": f"{title} {places[0]}" if len(places) == 1 else title}
    draw_figures(sweep_figures.FIGURES, folder / "figures", {sweep_figures.TABLE: table}.get, told)
    for number, column in enumerate(("player", "opponent"), start=1):
        report.say(f"player {number}: {_named(list(table[column]))}")
    if len(keys) < len(varied):
        report.say(f"games of {max(map(len, together))} seeds are pooled")
    games = pd.concat([one.games for one in settings], ignore_index=True)
    paired = all(are_paired([settings[place] for place in block]) for block in alike(settings))
    say_sweep(table, keys, games, paired=paired)
    report.say(f"table: {folder / 'sweep.csv'}")
    report.say(f"figures: {folder / 'figures'}")


def write_sweep(table: pd.DataFrame, keys: Sequence[str], folder: Path) -> None:
    """Write sweep.csv and, of budgets, elo_per_doubling.csv."""
    import pandas as pd

    tables.write(table, folder / "sweep.csv")
    rows = []
    for title, block in blocks_of(table, keys).items():
        drawn, key, _ = against(block, keys)
        for line, fit in fits_of(drawn, key).items():
            name = ", ".join(part for part in (title, line) if part)
            rows.append({"key": key, "line": name, "elo": fit.elo, "elo_low": fit.elo_low, "elo_high": fit.elo_high})
    if rows:
        tables.write(pd.DataFrame(rows), folder / "elo_per_doubling.csv")


def _named(names: Sequence[str]) -> str:
    """Return what some players have in common, or else each of them by a short label."""
    common = common_name(names)
    return common if common != "..." else ", ".join(short_labels(dict.fromkeys(names)).values())


def common_name(names: Sequence[str]) -> str:
    """Return what several names of players have in common, with dots for what differs.

    Examples
    --------
    >>> common_name(["uct simulations=100 policy=kl_ucb", "uct simulations=100 policy=puct"])
    'uct simulations=100 policy=...'
    >>> common_name(["uct simulations=100", "uct simulations=100 solve=true"]), common_name(["uct", "minimax"])
    ('uct simulations=100 ...', '...')
    """
    if len(set(names)) == 1:
        return names[0]
    heads, parameters = set(), []
    for name in names:
        head, *words = split(name)
        heads.add(head)
        parameters.append({key: value for key, _, value in (word.partition("=") for word in words)})
        if not all("=" in word for word in words):  # a label of the user
            return "..."
    if len(heads) > 1:
        return "..."
    shared = [key for key in parameters[0] if all(key in other for other in parameters)]
    values = [{other[key] for other in parameters} for key in shared]
    words = [f"{key}={value.pop() if len(value) == 1 else '...'}" for key, value in zip(shared, values, strict=True)]
    rest = ["..."] if any(len(other) > len(shared) for other in parameters) else []
    return " ".join([heads.pop(), *words, *rest])


def say_sweep(table: pd.DataFrame, keys: Sequence[str], games: pd.DataFrame, *, paired: bool) -> None:
    """Print a table for each opponent, which settings are the best there, and what a doubling is worth."""
    blocks = blocks_of(table, keys)
    for title, block in blocks.items():
        _say_block(title, block, [key for key in keys if not title or key not in conditions(keys)])
    most = max(map(len, blocks.values()))
    if most > 1 and _are_compared(table):
        report.say(_said_test(most, table["games"].iloc[0] // 2, paired=paired, several=len(blocks) > 1))
    say_key(blocks)
    say_forfeits(short_columns(games, "player1", "player2"))
    repeated = table[2 * table["distinct_games"] <= table["games"]]
    if len(repeated):
        report.say(
            f"half or more of the games are repetitions in {_listed(repeated, keys, len(table))}; intervals take games "
            "as independent; openings=first_moves or openings=pairs varies them"
        )


def _say_block(title: str, block: pd.DataFrame, keys: Sequence[str]) -> None:
    """Print the settings of one opponent and board, the best of them, and what a doubling is worth."""
    report.console().print(settings_table(block, keys, title))
    where = f"{title}: " if title else ""
    if len(block) > 1 and _are_compared(block):
        best, like = (block[block["standing"] == standing] for standing in (BEST, LIKE_BEST))
        others = _listed(like, keys, len(block) - 1) if len(like) else "none"
        report.say(f"{where}best: {_listed(best, keys)}; not distinguishable from it: {others}")
    drawn, key, _ = against(block, keys)
    for line, fit in fits_of(drawn, key).items():
        of = f" ({line})" if line else ""
        report.say(
            f"{where}Elo per doubling of {key}{of}: {fit.elo:+.0f}, "
            f"95 % interval {fit.elo_low:+.0f} to {fit.elo_high:+.0f} (of one trend, so not adjusted as pairs are)"
        )


def _are_compared(rows: pd.DataFrame) -> bool:
    """Return whether there is a best among some settings, which those against different opponents have not."""
    return bool((rows["standing"] == BEST).any())


def settings_table(table: pd.DataFrame, keys: Sequence[str], opponent: str = "") -> Table:
    """Return the printed form of settings: what was swept, player 1's results, and how far off the best.

    Without a key the rows are told by their players.
    """
    more: dict[str, Iterable[str]] = {}
    if _are_compared(table) and len(table) > 1:
        differences = table[["difference", "difference_low", "difference_high"]].to_numpy() * 100.0
        known = differences[:, 1] == differences[:, 1]
        more = {
            "minus the best, %": [
                f"{one:+.1f} ({low:+.1f} to {high:+.1f})" if low == low else "" for one, low, high in differences
            ],
            "p": [report.p_text(p) if own else "" for p, own in zip(table["p_adjusted"], known, strict=True)],
            "standing": table["standing"].astype(str),
        }
    rows = table if keys else short_columns(table, "player", "opponent")
    words = [(shown_key(key), map(value_text, rows[key])) for key in keys or ("player", "opponent")]
    where = f" {opponent}" if opponent else ""
    title = f"player 1's results{where}; score: wins + draws / 2, 95 % interval by the score test"
    return results_table(title, words, table, more, interval="interval")


def _said_test(settings: int, pairs: int, *, paired: bool, several: bool) -> str:
    unit = f"{pairs:,} pairs of games (one opening, either player moving first)"
    test = (
        f"score test of the differences over {unit} with the same seeds"
        if paired
        else f"score test of two means over {unit} of each setting"
    )
    count, of = settings * (settings - 1) // 2, " of an opponent" if several else ""
    together = f"; intervals (95 %) and p hold for all {count} pairs of settings{of} together (Bonferroni)"
    return f"minus the best: {test}{together if count > 1 else ''}"


def _listed(rows: pd.DataFrame, keys: Sequence[str], of: int | None = None) -> str:
    """Return some settings in a line; where they are many, how many `of` all they are."""
    if of is not None and len(rows) > _MOST_NAMED and len(rows) == of:
        return f"all {of} others" if keys else f"all {of}"
    if of is not None and len(rows) > _MOST_NAMED:
        return f"{len(rows)} of the {of} others"
    if len(keys) == 1:
        return f"{keys[0]}={','.join(map(value_text, rows[keys[0]]))}"
    return ", ".join(told(row, keys) for row in rows.to_dict("records"))
