"""The settings of a sweep of matches: their games, and the comparison of settings that met the same opponent."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from experiments.games.results import summary_of
from experiments.players import PLAYERS
from experiments.players.labels import short_labels
from experiments.players.specs import PLAYER, PlayerSpec
from numerics.output import tables
from numerics.parameters import did_you_mean
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
    """Return the games of runs of several seeds as the games of one run, numbered through."""
    first, parts = 0, []
    for part in games:
        parts.append(part.assign(game=range(first, first + len(part))))
        first += len(part) + len(part) % 2  # two games with one opening stay a pair
    return tables.joined(parts)


def conditions(keys: Sequence[str]) -> list[str]:
    """Return the swept keys of the opponent and of the board; settings that differ in them are not compared."""
    return [key for key in keys if key in _BOARD or key.partition(".")[0] == _OPPONENT]


def blocks_of(table: pd.DataFrame, keys: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the rows of each opponent and board by a title, such as "against level_4"; the only block has no title.

    Where nothing else was swept, each row would stand alone: they are one block.
    """
    given = conditions(keys)
    if not given or len(given) == len(keys):
        return {"": table}
    opponents = [key for key in given if key not in _BOARD]
    short = short_labels(dict.fromkeys(table["opponent"].astype(str)))
    blocks: dict[str, pd.DataFrame] = {}
    for _, block in table.groupby([table[key].map(value_text) for key in given], sort=False):
        row = block.iloc[0]
        parts = [f"against {short[str(row['opponent'])]}"] if opponents else []
        parts += [f"on {row['board']}"] if "board" in given else []
        parts += [f"with {row['connect']} in a row"] if "connect" in given else []
        title = " ".join(parts)
        if title in blocks:  # different opponents to which the user gave the same label
            title = f"{title}, {setting_text(row, given)}"
        blocks[title] = block
    return blocks


def sweep_table(settings: Sequence[Setting]) -> pd.DataFrame:
    """Return one row a setting.

    The swept keys come first. Then follow the columns of `experiments.games.results.summary_of` for all its games, and
    the scores with either player moving first. The last columns are those of
    `numerics.statistics.against_best.against_best`. It compares settings with the same opponent and board, and says
    nothing if there is only one.
    """
    import pandas as pd

    rows = []
    for setting in settings:
        colours = summary_of(setting.games).set_index("colour")
        both = {str(name): value for name, value in colours.loc["both"].items()}
        by_colour = {f"score_moving_{colour}": colours.loc[colour, "score"] for colour in ("first", "second")}
        rows.append({**setting.values, **both, **by_colour})
    table, keys = pd.DataFrame(rows), list(settings[0].values)
    compared = []
    for block in alike(settings):
        scores = [scores_of_pairs(settings[index].games) for index in block]
        differences = against_best(scores, paired=are_paired([settings[index] for index in block]))
        compared.append(differences.set_index(pd.Index(block)))
    together = pd.concat(compared).sort_index()
    if len(conditions(keys)) == len(keys):  # nobody is compared
        together = together.assign(standing="", difference=float("nan"))
    return pd.concat([table, together], axis=1)


def alike(settings: Sequence[Setting]) -> list[list[int]]:
    """Return groups of indices of settings that met the same opponent on the same board."""
    together: dict[tuple[str, ...], list[int]] = {}
    for index, setting in enumerate(settings):
        key = tuple(value_text(setting.values[name]) for name in conditions(list(setting.values)))
        together.setdefault(key, []).append(index)
    return list(together.values())


def are_paired(settings: Sequence[Setting]) -> bool:
    """Return whether every setting met the same openings and seeds in the same game."""
    first = settings[0].games[_SHARED].reset_index(drop=True)
    return all(setting.games[_SHARED].reset_index(drop=True).equals(first) for setting in settings)


def setting_text(row: Any, keys: Sequence[str]) -> str:
    """Write some swept keys of a row with their values."""
    return " ".join(f"{key}={value_text(row[key])}" for key in keys)


def shown_key(key: str) -> str:
    """Return the head of a swept key's column: the parameter's name alone for player 1."""
    return key.removeprefix("player1.").removeprefix("player.")


def value_text(value: object) -> str:
    """Write a swept value as the command line does."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {value_text(member)}" for name, member in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


_NOT_SWEPT = ("seed", "name", "label")
SETTINGS = "settings"  # the parameter whose values are several parameters each, such as {solve: true, c: 0.7}
SWEPT = dataclasses.replace(PLAYER, is_raw=True)  # made with each value


def different_values(name: str, values: Any) -> list[Any]:
    """Refuse anything except a list of at least two different values."""
    if not isinstance(values, list):
        raise ValueError(f"{name} must be a list, such as [0.5,1]; got {values!r}")
    texts = [value_text(value) for value in values]
    if len(texts) < 2 or len(set(texts)) < len(texts):
        raise ValueError(f"{name} must hold at least 2 different ones, such as [0.5,1,2]; got [{','.join(texts)}]")
    return values


def with_values(player: Mapping[str, Any], swept: str, values: Sequence[Any]) -> list[PlayerSpec]:
    """Return the player of a node with each value of a parameter, or with several parameters each.

    Raises
    ------
    ValueError
        No parameter of the player, or a value out of its range.
    """
    kind = str(player["name"])
    allowed = [field.name for field in dataclasses.fields(PLAYERS.members[kind]) if field.name not in _NOT_SWEPT]
    if not allowed or swept not in (*allowed, SETTINGS):
        known = ", ".join(allowed) or "which has none"
        near = did_you_mean(swept, allowed)
        raise ValueError(f"parameter {swept!r} is none of {kind}{near}; it must be {SETTINGS} or one of {known}")
    specs = []
    for value in values:
        setting = value if swept == SETTINGS else {swept: value}
        if not isinstance(setting, Mapping) or not set(setting) <= set(allowed):
            raise ValueError(
                f"values must hold settings of {kind} such as {{{allowed[0]}: ...}}, of {', '.join(allowed)}; "
                f"got {value_text(value)}"
            )
        label = f"{player.get('label') or kind} {swept}={value_text(value)}"
        specs.append(PLAYER.build({**player, **setting, "label": label}, "player"))
    return specs
