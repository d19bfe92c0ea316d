"""A sweep of matches put together: one table, one figure, and a sheet in blocks, one for each opponent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.engine import sweep
from experiments.engine.experiment import Facts, Job
from experiments.engine.store import read_config
from experiments.games import sweep_figures
from experiments.games.results import ground
from experiments.games.sheets import RESULTS, forfeits, key_to
from experiments.games.sweep_figures import against, fits_of
from experiments.games.sweep_settings import (
    Setting,
    alike,
    are_paired,
    blocks_of,
    conditions,
    pooled,
    setting_text,
    shown_key,
    sweep_table,
    value_text,
)
from experiments.players.labels import shared_label, short_columns, short_labels
from numerics.output import tables
from numerics.output.figures import draw_figures
from numerics.output.sheets import Column, Sheet, interval, p_value, word
from numerics.statistics.against_best import BEST, LIKE_BEST
from numerics.texts import split

if TYPE_CHECKING:
    import pandas as pd


_MOST_NAMED = 4  # settings in a sentence; the table has all


def put_together(jobs: Sequence[Job], varied: Sequence[str], folder: Path) -> None:
    """Put the results of a sweep's matches together in `folder` and draw the score of player 1."""
    keys, settings = _settings(jobs, varied)
    table = sweep_table(settings)
    write_sweep(table, keys, folder)
    places = sorted({ground(read_config(job.folder / "config.yaml")) for job in jobs})
    title = f"{shared_label(table['player'])} against {shared_label(table['opponent'])}"
    shown = {"keys": keys, "title": f"{title} {places[0]}" if len(places) == 1 else title}
    draw_figures(sweep_figures.FIGURES, folder / "figures", {sweep_figures.TABLE: table}.get, shown)


def _settings(jobs: Sequence[Job], varied: Sequence[str]) -> tuple[list[str], list[Setting]]:
    """Return the swept keys but the seed, and the settings, each with the games of all seeds."""
    keys, together = sweep.pooled(jobs, varied)
    return keys, [
        Setting(
            {key: same[0].overrides[key] for key in keys},
            pooled([tables.read(job.folder / "games.parquet") for job in same]),
        )
        for same in together
    ]


def write_sweep(table: pd.DataFrame, keys: Sequence[str], folder: Path) -> None:
    """Write sweep.csv and, of budgets, elo_per_doubling.csv."""
    tables.write(table, folder / "sweep.csv")
    rows = []
    for title, block in blocks_of(table, keys).items():
        drawn, key, _ = against(block, keys)
        for line, fit in fits_of(drawn, key).items():
            name = ", ".join(part for part in (title, line) if part)
            rows.append({"key": key, "line": name, "elo": fit.elo, "elo_low": fit.elo_low, "elo_high": fit.elo_high})
    if rows:
        tables.write(tables.of(rows), folder / "elo_per_doubling.csv")


def _named(names: Sequence[str]) -> str:
    """Return the common part of some players' names, or else a short label of each."""
    common = common_name(names)
    return common if common != "..." else ", ".join(short_labels(dict.fromkeys(names)).values())


def common_name(names: Sequence[str]) -> str:
    """Return the common part of several names of players, with dots for the rest.

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


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Return the caveats of a sweep of matches: those of its games."""
    keys, settings = _settings(facts["jobs"], facts["varied"])
    games = tables.joined([setting.games for setting in settings])
    return caveats_of(tables.read(folder / "sweep.csv"), keys, games)


def caveats_of(table: pd.DataFrame, keys: Sequence[str], games: pd.DataFrame) -> list[str]:
    """Say in which settings half or more of the games are the same, and which were lost otherwise than on the board."""
    lost = forfeits(short_columns(games, "player1", "player2"))
    repeated = table[2 * table["distinct_games"] <= table["games"]]
    if repeated.empty:
        return lost
    return [
        f"Half or more of the games are repetitions in {_listed(repeated, keys, len(table))}, while intervals take "
        "games as independent; openings=first_moves or openings=pairs varies them.",
        *lost,
    ]


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say who played, and what `notes_of` says."""
    keys, settings = _settings(facts["jobs"], facts["varied"])
    table = tables.read(folder / "sweep.csv")
    players = [
        f"player {number}: {_named(list(table[column]))}" for number, column in enumerate(("player", "opponent"), 1)
    ]
    seeds = max(map(len, sweep.pooled(facts["jobs"], facts["varied"])[1]))
    together = [f"games of {seeds} seeds are pooled"] if len(keys) < len(facts["varied"]) else []
    paired = all(are_paired([settings[index] for index in block]) for block in alike(settings))
    return [*players, *together, *notes_of(table, keys, paired=paired)]


def notes_of(table: pd.DataFrame, keys: Sequence[str], *, paired: bool) -> list[str]:
    """Say which settings are the best against each opponent, what a doubling is worth, and how they were compared."""
    blocks = blocks_of(table, keys)
    most = max(map(len, blocks.values()))
    notes = [
        sentence
        for title, block in blocks.items()
        for sentence in _notes_of_block(title, block, _keys_within(keys, title))
    ]
    if most > 1 and _are_compared(table):
        notes.append(_test_text(most, table["games"].iloc[0] // 2, paired=paired, several=len(blocks) > 1))
    return [*notes, *key_to(blocks)]


def _notes_of_block(title: str, block: pd.DataFrame, keys: Sequence[str]) -> Iterator[str]:
    """Yield the best settings against one opponent on one board, and what a doubling is worth."""
    where = f"{title}: " if title else ""
    if len(block) > 1 and _are_compared(block):
        best, like = (block[block["standing"] == standing] for standing in (BEST, LIKE_BEST))
        others = _listed(like, keys, len(block) - 1) if len(like) else "none"
        yield f"{where}best: {_listed(best, keys)}; not distinguishable from it: {others}"
    drawn, key, _ = against(block, keys)
    for line, fit in fits_of(drawn, key).items():
        of = f" ({line})" if line else ""
        yield (
            f"{where}Elo per doubling of {key}{of}: {fit.elo:+.0f}, "
            f"95 % interval {fit.elo_low:+.0f} to {fit.elo_high:+.0f} (of one trend, so not adjusted as pairs are)"
        )


def _keys_within(keys: Sequence[str], title: str) -> list[str]:
    """Return the swept keys by which the settings of a block differ; its title says the others."""
    return [key for key in keys if not title or key not in conditions(keys)]


def _are_compared(rows: pd.DataFrame) -> bool:
    """Return whether some settings have a best; settings against different opponents do not."""
    return bool((rows["standing"] == BEST).any())


def _blocks(frame: pd.DataFrame, facts: Facts) -> Iterator[tuple[Facts, pd.DataFrame]]:
    """Yield the settings against each opponent; without a key the rows are told apart by their players."""
    keys = [key for key in facts["varied"] if key != "seed"] if "varied" in facts else [str(frame.columns[0])]
    everywhere = f", {facts['who']}" if "who" in facts else ""  # of a run: who played is the same in every row
    for title, block in blocks_of(frame, keys).items():
        rows = block if keys else short_columns(block, "player", "opponent")
        where = f" {title}" if title else everywhere
        yield {"where": where, "keys": _keys_within(keys, title) or ["player", "opponent"]}, rows


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    return f"player 1's results{facts['where']}; score: wins + draws / 2, 95 % interval by the score test"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    """Return what was swept, player 1's results and, where settings are compared, how far off the best."""
    swept = [
        Column(shown_key(key), lambda row, key=key: value_text(row[key]), number=False)  # type: ignore[misc]
        for key in facts["keys"]
    ]
    compared = [interval("minus the best, %", "difference", "+.1f", 100), p_value("p", "p_adjusted"), word("standing")]
    return [*swept, *RESULTS, *(compared if len(frame) > 1 and _are_compared(frame) else [])]


SHEET = Sheet("sweep.csv", _title, _columns, blocks=_blocks)
"""How people read the settings of a sweep, against each opponent in a table."""


def _test_text(settings: int, pairs: int, *, paired: bool, several: bool) -> str:
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
    return ", ".join(setting_text(row, keys) for row in rows.to_dict("records"))
