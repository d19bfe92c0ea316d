"""Other people's states as positions: OpenSpiel, PettingZoo, Gymnasium, python-chess.

Importing this package imports none of these libraries. Positions that would be slow to play move by move also have
`playout(rng, steps)`. It returns the further rewards of each player in a random game. It is optional.
"""

from __future__ import annotations

import sys
from typing import Any

from mcts.adapters import chess, gymnasium, open_spiel, pettingzoo

_KINDS: tuple[tuple[str, str, Any], ...] = (
    ("pyspiel", "State", open_spiel),
    ("pyspiel", "Game", open_spiel),
    ("pettingzoo", "AECEnv", pettingzoo),
    ("gymnasium", "Env", gymnasium),
    ("chess", "Board", chess),
)


def position_of(board: Any) -> Any:
    """Return the position of a state of another library; None where it is no such state.

    Parameters
    ----------
    board : object
        A `pyspiel.State` or `pyspiel.Game`, a `pettingzoo.AECEnv`, a `gymnasium.Env`, or a `chess.Board`; not changed.

    Raises
    ------
    ValueError
        A state of such a library that cannot be searched; see `position_of` of each module.

    Examples
    --------
    >>> position_of("a text") is None
    True
    """
    for library, name, adapter in _KINDS:
        kind = getattr(sys.modules.get(library), name, None)
        if isinstance(kind, type) and isinstance(board, kind):
            return adapter.position_of(board)
    return None
