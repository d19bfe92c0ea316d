"""Names of players as short as a figure needs: of each kind only the parameters that tell its players apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

BUDGETS = ("simulations", "seconds")  # told always


def short_names(names: Sequence[str], without: Sequence[str] = ()) -> dict[str, str]:
    """Return a short form of each full name, such as ``uct(simulations=100, rule=ucb(c=1), ...)``.

    Parameters
    ----------
    names : sequence of str
        What `numerics.player.Player.name` returns.
    without : sequence of str
        Parameters that are left out.

    Examples
    --------
    >>> short_names(["random", "uct(simulations=100, rule=ucb(c=1))", "uct(simulations=200, rule=ucb(c=1))"])
    {'random': 'random', 'uct(simulations=100, rule=ucb(c=1))': 'uct(simulations=100)', \
'uct(simulations=200, rule=ucb(c=1))': 'uct(simulations=200)'}
    """
    parts = {name: _parts(name) for name in names}
    found = {}
    for name, (kind, own) in parts.items():
        others = [values for other, values in parts.values() if other == kind]
        told = [
            f"{key}={value}"
            for key, value in own.items()
            if key not in without and (key in BUDGETS or any(values.get(key) != value for values in others))
        ]
        found[name] = f"{kind}({', '.join(told)})" if told else kind
    return found


def _parts(name: str) -> tuple[str, Mapping[str, str]]:
    """Return the kind of a player and its parameters, as texts."""
    kind, _, inside = name.partition("(")
    pairs = [text.partition("=") for text in _split(inside.removesuffix(")"))]
    return kind, {key: value for key, _, value in pairs}


def _split(text: str) -> Iterator[str]:
    """Yield what stands between the commas outside of all brackets."""
    depth, start = 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            yield text[start:place].strip()
            start = place + 1
    if text:
        yield text[start:].strip()
