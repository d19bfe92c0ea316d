"""The settings of a sweep of matches: their games, and which of them are compared: those against one opponent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from experiments.games.games import summary_of
from experiments.players.labels import short_labels
from numerics.statistics.against_best import against_best, scores_of_pairs

if TYPE_CHECKING:
    import pandas as pd

_SHARED = ["seed", "opening", "first_player"]  # what games must have in common to be compared one by one
_BOARD = ("board", "connect")
_OPPONENT = "player2"


@dataclass(frozen=True)
class Setting:
    """The matches of a sweep that differ in nothing but the seed: the other swept keys with their values, the games."""

    values: Mapping[str, Any]
    games: pd.DataFrame


def pooled(games: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the games of runs of several seeds as those of one, numbered through."""
    import pandas as pd

    first, parts = 0, []
    for own in games:
        parts.append(own.assign(game=range(first, first + len(own))))
        first += len(own) + len(own) % 2  # two games with one opening stay a pair
    return pd.concat(parts, ignore_index=True)


def conditions(keys: Sequence[str]) -> list[str]:
    """Return the swept keys that say whom player 1 meets, and on which board; what differs in them is not compared."""
    return [key for key in keys if key in _BOARD or key.partition(".")[0] == _OPPONENT]


def blocks_of(table: pd.DataFrame, keys: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the rows of each opponent and board by a title, such as "against level_4"; one without where it is one.

    Where nothing else was swept, each row would stand alone: they are one block.
    """
    given = conditions(keys)
    if not given or len(given) == len(keys):
        return {"": table}
    opponents = [key for key in given if key not in _BOARD]
    short = short_labels(dict.fromkeys(table["opponent"].astype(str)))
    blocks: dict[str, pd.DataFrame] = {}
    for _, own in table.groupby([table[key].map(value_text) for key in given], sort=False):
        row = own.iloc[0]
        parts = [f"against {short[str(row['opponent'])]}"] if opponents else []
        parts += [f"on {row['board']}"] if "board" in given else []
        parts += [f"with {row['connect']} in a row"] if "connect" in given else []
        title = " ".join(parts)
        if title in blocks:  # opponents of a user's own label that differ
            title = f"{title}, {told(row, given)}"
        blocks[title] = own
    return blocks


def sweep_table(settings: Sequence[Setting]) -> pd.DataFrame:
    """Return one row a setting.

    The swept keys; then what `experiments.games.games.summary_of` says of all its games, and the scores with either
    player moving first; then what `numerics.statistics.against_best.against_best` says of those against the same
    opponent on the same board, which is nothing where there is one.
    """
    import pandas as pd

    rows = []
    for one in settings:
        colours = summary_of(one.games).set_index("colour")
        both = {str(name): value for name, value in colours.loc["both"].items()}
        own = {f"score_moving_{colour}": colours.loc[colour, "score"] for colour in ("first", "second")}
        rows.append({**one.values, **both, **own})
    table, keys = pd.DataFrame(rows), list(settings[0].values)
    compared = []
    for block in alike(settings):
        scores = [scores_of_pairs(settings[place].games) for place in block]
        found = against_best(scores, paired=are_paired([settings[place] for place in block]))
        compared.append(found.set_index(pd.Index(block)))
    together = pd.concat(compared).sort_index()
    if len(conditions(keys)) == len(keys):  # nobody is compared
        together = together.assign(standing="", difference=float("nan"))
    return pd.concat([table, together], axis=1)


def alike(settings: Sequence[Setting]) -> list[list[int]]:
    """Return the places of the settings that met one opponent on one board, together."""
    found: dict[tuple[str, ...], list[int]] = {}
    for place, one in enumerate(settings):
        key = tuple(value_text(one.values[name]) for name in conditions(list(one.values)))
        found.setdefault(key, []).append(place)
    return list(found.values())


def are_paired(settings: Sequence[Setting]) -> bool:
    """Return whether every setting met the same openings and seeds in the same game."""
    first = settings[0].games[_SHARED].reset_index(drop=True)
    return all(one.games[_SHARED].reset_index(drop=True).equals(first) for one in settings)


def told(row: Any, keys: Sequence[str]) -> str:
    """Write some swept keys of a row with their values."""
    return " ".join(f"{key}={value_text(row[key])}" for key in keys)


def shown_key(key: str) -> str:
    """Return what heads a column of a swept key: its own name, where it is of player 1."""
    return key.removeprefix("player1.").removeprefix("player.")


def value_text(value: object) -> str:
    """Write a swept value as the command line does."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {value_text(own)}" for name, own in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
