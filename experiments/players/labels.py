"""Short labels of players for figures, heads of columns and titles; tables on disk keep the whole texts.

A label is a player's text without the names of some parameters and the packages of paths. A user's own label stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING

from numerics.texts import split

if TYPE_CHECKING:
    import pandas as pd

_PATHS = ("path", "heuristic", "bot", "agent")  # dotted paths, whose last part says most


def short_labels(names: Iterable[str]) -> dict[str, str]:
    """Return a short label of every name; those of different names differ.

    Examples
    --------
    >>> list(short_labels(["uct simulations=1000 c=0.7", "minimax depth=5", "the old one"]).values())
    ['uct simulations=1000 c=0.7', 'minimax depth=5', 'the old one']
    >>> list(short_labels(["UCT with 50 simulations"]).values())
    ['UCT with 50 simulations']
    >>> list(short_labels(["custom path=mine.Corner", "custom path=yours.Corner"]).values())
    ['custom path=mine.Corner', 'custom path=yours.Corner']
    """
    short = {name: " ".join(map(_shorten, split(name))) for name in names}
    labels = list(short.values())
    return {name: label if labels.count(label) == 1 else name for name, label in short.items()}


def shared_label(names: Iterable[str]) -> str:
    """Return a short label of the common part of several players; name up to three that have none.

    Examples
    --------
    >>> shared_label(["uct simulations=100 c=0.1", "uct simulations=100 c=2"])
    'uct simulations=100'
    >>> shared_label(["random", "level_4"]), shared_label(["random", "uct", "level_3", "level_4"])
    ('random and level_4', '4 players')
    """
    different = list(dict.fromkeys(names))
    first, *others = (split(name) for name in different)
    if all(words[:1] == first[:1] and all("=" in word for word in words[1:]) for words in (first, *others)):
        return " ".join(_shorten(word) for word in first if all(word in words for words in others))
    labels = list(short_labels(different).values())
    several = " and ".join([", ".join(labels[:-1]), labels[-1]]) if len(labels) > 1 else labels[0]
    return several if len(labels) <= 3 else f"{len(labels)} players"


def short_columns(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return a table with the names in some columns as short labels."""
    labels = short_labels(dict.fromkeys(str(name) for column in columns for name in table[column]))
    return table.assign(**{column: table[column].astype(str).map(labels) for column in columns})


def _shorten(word: str) -> str:
    """Return a word of a player's text without what goes without saying."""
    key, sign, value = word.partition("=")
    if sign and key == "policy":
        return value
    if sign and key == "seconds":
        return f"{value} s"
    if sign and key in _PATHS:
        return value.rpartition(".")[2]
    if sign and key == "file":
        return PurePath(value.strip('"')).stem
    return key if value == "true" else word
