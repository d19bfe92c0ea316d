"""Short labels of players and policies for figures, heads of columns and titles; tables on disk keep the full names.

A full name is a kind with its parameters, as `Player.name` writes it; its label has those that differ from the defaults
in fewer letters. Any other text, such as a user's label, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from bandits import Policy
from numerics.parameters import parameters
from numerics.players import text_of

if TYPE_CHECKING:
    import pandas as pd

_LETTERS = {"simulations": "n", "depth": "d"}
_MEANT = {"n": "simulations of a move", "d": "stones to look ahead (depth)"}
_BUDGETS = ("depth", "simulations", "seconds")  # they stand last
_PATHS = ("path", "heuristic", "bot", "agent")  # dotted paths, whose last part says most
_NAME = re.compile(r"(\w+)\((.*?)\)( \(\d+\))?")


def parts_of(name: str) -> tuple[str, dict[str, str], str] | None:
    """Return the kind of a full name, its parameters as they are written, and its number among equals.

    None for any other text.

    Examples
    --------
    >>> parts_of("uct(c=0.7, policy=thompson(alpha=1, beta=1)) (2)")
    ('uct', {'c': '0.7', 'policy': 'thompson(alpha=1, beta=1)'}, ' (2)')
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    pairs = [text.partition("=") for text in _split(match[2])]
    if not all(sign and key.isidentifier() for key, sign, _ in pairs):
        return None
    return match[1], {key: value for key, _, value in pairs}, match[3] or ""


def _split(text: str) -> list[str]:
    """Split a text at the commas that no bracket encloses."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def short_labels(names: Iterable[str]) -> dict[str, str]:
    """Return a short label of every name; those of different names differ.

    Examples
    --------
    >>> list(short_labels(["uct(simulations=1000, c=0.7)", "minimax(depth=5)", "the old one"]).values())
    ['uct c=0.7 n=1000', 'minimax d=5', 'the old one']
    >>> list(short_labels(["custom(path=mine.Corner)", "custom(path=yours.Corner)"]).values())
    ['custom(path=mine.Corner)', 'custom(path=yours.Corner)']
    """
    short = {name: _short(name) for name in names}
    labels = list(short.values())
    return {name: label if labels.count(label) == 1 else name for name, label in short.items()}


def shared_label(names: Iterable[str]) -> str:
    """Return a short label of the common part of several players; name up to three that have none.

    Examples
    --------
    >>> shared_label(["uct(simulations=100, c=0.1)", "uct(simulations=100, c=2)"])
    'uct n=100'
    >>> shared_label(["random", "level_4"]), shared_label(["random", "uct", "level_3", "level_4"])
    ('random and level_4', '4 players')
    """
    distinct = list(dict.fromkeys(names))
    if len(distinct) == 1:
        return _short(distinct[0])
    parts = [parts_of(name) or (name, {}, "") for name in distinct]
    if len({kind for kind, _, _ in parts}) == 1:
        given = parts[0][1].items()
        same = [
            f"{key}={value}" for key, value in given if all(parameters.get(key) == value for _, parameters, _ in parts)
        ]
        return _short(f"{parts[0][0]}({', '.join(same)})" if same else parts[0][0])
    labels = list(short_labels(distinct).values())
    return f"{len(distinct)} players" if len(distinct) > 3 else " and ".join([", ".join(labels[:-1]), labels[-1]])


def short_columns(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return a table with the names in some columns as short labels."""
    labels = short_labels(dict.fromkeys(str(name) for column in columns for name in table[column]))
    return table.assign(**{column: table[column].astype(str).map(labels) for column in columns})


def key_of(labels: Iterable[str]) -> str:
    """Return the meaning of the letters in short labels; empty if there are none.

    Examples
    --------
    >>> key_of(["uct c=0.7 n=1000", "minimax d=5"])
    'n: simulations of a move; d: stones to look ahead (depth)'
    """
    letters = {letter for label in labels for letter in re.findall(r"\b([a-z])=\d", label)}
    return "; ".join(f"{letter}: {meaning}" for letter, meaning in _MEANT.items() if letter in letters)


def short_policy(name: str) -> str:
    """Return the full name of a policy without the parameters that are its defaults.

    Examples
    --------
    >>> short_policy("thompson(alpha=1, beta=1)"), short_policy("ucb(c=0.7)")
    ('thompson', 'ucb(c=0.7)')
    """
    parts = parts_of(name)
    if parts is None or parts[0] not in Policy.members:
        return name
    kind, given, _ = parts
    policy: Any = Policy.members[kind]
    usual = {field.name: text_of(field.default) for field in parameters(policy)}
    changed = [f"{key}={value}" for key, value in given.items() if value != usual.get(key)]
    return f"{kind}({', '.join(changed)})" if changed else kind


def _short(name: str) -> str:
    parts = parts_of(name)
    if parts is None:  # a user's label, to which a budget may have been added
        return re.sub(r" seconds=(\S+)$", r" \1 s", re.sub(r" simulations=(\d+)$", r" n=\1", name))
    kind, given, number = parts
    order = [*(key for key in given if key not in _BUDGETS), *(key for key in _BUDGETS if key in given)]
    words = [_word(key, given[key]) for key in order]
    return " ".join(words if kind == "custom" and "path" in given else [kind, *words]) + number


def _word(key: str, value: str) -> str:
    """Return one parameter in a short label."""
    if value == "True":
        return key
    if key == "policy":
        return short_policy(value)
    if key == "seconds":
        return f"{value} s"
    if key in _PATHS:
        return value.rpartition(".")[2]
    if key == "file":
        return PurePath(value).stem
    return f"{_LETTERS.get(key, key)}={value}"
