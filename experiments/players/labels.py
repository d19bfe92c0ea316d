"""The label of several players: what their names have in common."""

from __future__ import annotations

from collections.abc import Iterable

from numerics.texts import split


def shared_label(names: Iterable[str]) -> str:
    """Return the common part of several players' names; name up to three that have none.

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
        return " ".join(word for word in first if all(word in words for words in others))
    several = " and ".join([", ".join(different[:-1]), different[-1]]) if len(different) > 1 else different[0]
    return several if len(different) <= 3 else f"{len(different)} players"
