"""A sweep of matches: settings that met the same opponent are compared with the best; what a doubling is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine.store import read_config
from experiments.engine.sweep.table import (
    TABLE,
    Quantity,
    Setting,
    Sweep,
    label_of,
    lines_of,
    numbers_of,
    settings_of,
    span_text,
    value_text,
)
from experiments.games.results import ground, summary_of
from experiments.games.score_sheets import RESULTS, forfeits
from experiments.players.labels import shared_label
from numerics.output import tables
from numerics.output.sheets import Column, Facts, Sheet, interval, p_value, word
from numerics.statistics.against_best import BEST, against_best, scores_of_pairs
from numerics.statistics.doubling import BUDGETS, Doubling, elo_per_doubling
from numerics.statistics.scores import sure_games

if TYPE_CHECKING:
    import pandas as pd

    Played = tuple[Mapping[str, Any], pd.DataFrame]  # the swept values of a setting, and its games

_SHARED = ["seed", "opening", "first_player"]  # what games must have in common to be compared one by one
_BOARD = ("board", "connect", "game")
_DOUBLINGS = "elo_per_doubling.csv"
_TEST = (
    "minus the best: score test over pairs of games (one opening, both colours); paired where seeds are equal; "
    "95 % intervals and p are Bonferroni-adjusted for all pairs of settings"
)


def compare(settings: Sequence[Played]) -> pd.DataFrame:
    """Return one row a setting: the swept values, its results, and how far it is off the best.

    The results are those of `experiments.games.results.summary_of`, and the scores with either player moving first. The
    last columns are those of `numerics.statistics.against_best.against_best`, which compares settings with the same
    opponent and board, and says nothing if there is only one.
    """
    import pandas as pd

    rows = []
    for values, games in settings:
        colours = summary_of(games).set_index("colour")
        both = {str(name): value for name, value in colours.loc["both"].items()}
        by_colour = {f"score_moving_{colour}": colours.loc[colour, "score"] for colour in ("first", "second")}
        rows.append({**values, **both, **by_colour})
    table, keys = pd.DataFrame(rows), list(settings[0][0])
    compared = []
    for _, block in pd.Series(table.index).groupby(_titles(table, keys), sort=False):
        shared, *others = (settings[index][1][_SHARED].reset_index(drop=True) for index in block)
        scores = [scores_of_pairs(settings[index][1]) for index in block]
        differences = against_best(scores, paired=all(other.equals(shared) for other in others))
        compared.append(differences.set_index(pd.Index(block)))
    together = pd.concat(compared).sort_index()
    if len(_conditions(keys)) == len(keys):  # nobody is compared
        together = together.assign(standing="", difference=float("nan"))
    return pd.concat([table, together], axis=1)


def _conditions(keys: Sequence[str]) -> list[str]:
    """Return the swept keys of the opponent, the board and the game; settings that differ in them are not compared."""
    return [key for key in keys if key.partition(".")[0] in (*_BOARD, "player2")]


def _titles(table: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return the swept opponent and board of each row; rows that differ in them are not compared."""
    given = _conditions(keys)
    return [label_of({key: row[key] for key in given}) for row in table.to_dict("records")]


def blocks_of(table: pd.DataFrame, keys: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the rows of each swept opponent and board by a title; the only block has no title.

    Where nothing else was swept, each row would stand alone: they are one block.
    """
    if len(_conditions(keys)) == len(keys):
        return {"": table}
    return {str(title): block for title, block in table.groupby(_titles(table, keys), sort=False)}


def fits_of(table: pd.DataFrame, keys: Sequence[str]) -> tuple[str, dict[str, Doubling]]:
    """Return the budget of player 1 that was swept, and what doubling it is worth for each choice of the other keys."""
    key, values = next(iter(numbers_of(table, keys).items()), ("", None))
    side, _, parameter = key.rpartition(".")
    if values is None or side == "player2" or parameter not in BUDGETS:
        return key, {}
    drawn = table.assign(value=values, line=lines_of(table, keys, [key]))
    return key, {
        str(line): elo_per_doubling(points["value"], points["score"] * sure_games(points), sure_games(points))
        for line, points in drawn.groupby("line", sort=False)
        if points["value"].nunique() > 1 and bool((points["value"] > 0).all())
    }


def write_doublings(table: pd.DataFrame, keys: Sequence[str], folder: Path) -> None:
    """Write elo_per_doubling.csv where player 1's budget was swept."""
    rows = []
    for title, block in blocks_of(table, keys).items():
        key, fits = fits_of(block, keys)
        for line, fit in fits.items():
            name = ", ".join(part for part in (title, line) if part)
            rows.append({"key": key, "line": name, "elo": fit.elo, "elo_low": fit.elo_low, "elo_high": fit.elo_high})
    if rows:
        tables.write(tables.table_of(rows), folder / _DOUBLINGS)


def _games_of(settings: Sequence[Setting]) -> list[Played]:
    """Return the swept values of each setting, with its games."""
    return [(setting.values, tables.read(setting.folder / "games.parquet")) for setting in settings]


def _more(table: pd.DataFrame, settings: Sequence[Setting], folder: Path) -> list[Path]:
    write_doublings(table, list(settings[0].values), folder)
    return []


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Say in how many settings half or more of the games are the same, and which games were lost by a forfeit."""
    table = tables.read(folder / TABLE)
    settings = settings_of(facts) if "jobs" in facts else [Setting({}, folder)]
    games = tables.join_tables([games for _, games in _games_of(settings)])
    repeated = int((2 * table["distinct_games"] <= table["games"]).sum())
    same = (
        f"At least half of the games are repetitions in {repeated} of {len(table)} settings, but the intervals assume "
        "independent games. Use openings=first_moves or openings=pairs."
    )
    return [*([same] if repeated else []), *forfeits(games)]


def notes(folder: Path, facts: Facts) -> list[str]:
    """Say who played, and how settings were compared."""
    table, notes = tables.read(folder / TABLE), list[str]()
    if "jobs" in facts:
        notes = [f"player 1: {shared_label(table['player'])}", f"player 2: {shared_label(table['opponent'])}"]
    return [*notes, *([_TEST] if _are_compared(table) else [])]


def _are_compared(rows: pd.DataFrame) -> bool:
    """Return whether some settings have a best; settings against different opponents do not."""
    return len(rows) > 1 and bool((rows["standing"] == BEST).any())


def _blocks(frame: pd.DataFrame, facts: Facts) -> Iterator[tuple[Facts, pd.DataFrame]]:
    """Yield the settings against each opponent; without a key the rows are told apart by their players."""
    keys = facts["varied"]
    everywhere = f", {facts['who']}" if "who" in facts else ""  # of a run: who played is the same in every row
    for title, block in blocks_of(frame, keys).items():
        within = [key for key in keys if not title or key not in _conditions(keys)]
        yield {"where": f", {title}" if title else everywhere, "keys": within or ["player", "opponent"]}, block


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    return f"player 1's results{facts['where']}; score: wins + draws / 2, 95 % interval by the score test"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    """Return what was swept, player 1's results and, where settings are compared, how far off the best."""
    swept = [
        Column(head, lambda row, key=key: value_text(row[key]), number=False)  # type: ignore[misc]
        for key in facts["keys"]
        for head in [key.removeprefix("player1.").removeprefix("player.")]
    ]
    compared = [interval("minus the best, %", "difference", "+.1f", 100), p_value("p", "p_adjusted"), word("standing")]
    return [*swept, *RESULTS, *(compared if _are_compared(frame) else [])]


def _title_of(table: pd.DataFrame, settings: Sequence[Setting]) -> str:
    places = {ground(read_config(setting.folder / "config.yaml")) for setting in settings}
    where = places.pop() if len(places) == 1 else ""
    return f"{shared_label(table['player'])} against {shared_label(table['opponent'])} {where}".strip()


def _count_games(table: pd.DataFrame) -> str:
    return f"Wins + draws / 2 of {span_text(table['games'])} games each"


_WHISKERS = "whiskers: 95 % intervals (score test); line: equal to the opponent"
SWEEP = Sweep(
    lambda settings: compare(_games_of(settings)),
    [Quantity("score", "score", "score of player 1 (%)", _WHISKERS, _count_games, scale=100.0, level=50.0)],
    _title_of,
    _more,
    blocks=blocks_of,
    sheets=(
        Sheet(TABLE, _title, _columns, blocks=_blocks),
        Sheet(
            _DOUBLINGS,
            "Elo per doubling with 95 % intervals, not adjusted for multiple comparisons",
            (word("of", "key"), word("where", "line"), interval("Elo", "elo", "+.0f")),
        ),
    ),
    caveats=caveats,
    notes=notes,
)
