"""The hooks of a game: what a search knows of the thing it searches.

A position is a small vector of whole numbers, int64[S]; what its words mean is the game's own business. A search copies
the vector and hands it to four hooks, Numba first-class functions of these signatures:

    legal(state, moves)      -> how many moves there are; they are written to the front of `moves`, int64[most_moves];
                                a move is a whole number from 0 to 32,767
    play(state, move)           the side to move plays: changes the vector
    outcome(state)           -> what the last move did, for the side that made it: WON, DRAWN, LOST or UNDECIDED
    rollout(state, rng, r)   -> plays to the end with random stream r of rng, uint64[L, 4], and returns what the side to
                                move at the start got: 1 for a win, 1/2 for a draw, 0 for a loss; may spoil the vector
    prior(state, moves, out)    optional: writes for each of `moves` how likely it is to be good, float64; they sum to 1

`legal`, `rollout` and `prior` are asked only of positions whose outcome is UNDECIDED. The rollout is one hook, not a
loop over the first three, because calling hooks at every move of a playout costs a third of the time.

A board offers all this as `board.game`, a `Game`; that attribute is all that a search knows.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

WON, DRAWN, LOST, UNDECIDED = 1, 0, -1, 2  # of the side that made the last move

Hook = Callable[..., Any]
Words = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Game:
    """A position and the compiled hooks that play on from it.

    Attributes
    ----------
    state : int64[S]
        The position; hooks change copies of it.
    most_moves : int
        The most moves that any position of the game can have.
    most_plies : int
        The most moves that a game can still last from here.
    legal, play, outcome : callable
        The hooks of the module's text.
    rollouts : mapping of str to callable
        Rollout hooks by name; every game has "uniform".
    priors : mapping of str to callable
        Prior hooks by name; most games have none.
    """

    state: Words
    most_moves: int
    most_plies: int
    legal: Hook
    play: Hook
    outcome: Hook
    rollouts: Mapping[str, Hook]
    priors: Mapping[str, Hook] = field(default_factory=dict)


class NamedHooks(Mapping[str, Hook]):
    """Hooks that are compiled, or loaded, when they are first asked for: a prior that no search uses costs nothing.

    Parameters
    ----------
    paths : mapping of str to str
        The dotted path of each hook, by its name.

    Examples
    --------
    >>> list(NamedHooks({"lines": "connect4.prior_kernels.lines_on_bits"}))
    ['lines']
    """

    def __init__(self, paths: Mapping[str, str]):
        self._paths = dict(paths)

    def __getitem__(self, name: str) -> Hook:
        module, _, hook = self._paths[name].rpartition(".")
        found: Hook = getattr(importlib.import_module(module), hook)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


class Playable(Protocol):
    """What a player that searches needs of a board."""

    @property
    def game(self) -> Game:
        """The position, for kernels."""
        ...


@functools.cache
def signatures() -> dict[str, Any]:
    """Return the Numba signature of each hook by name; Numba is imported only here."""
    from numba import float64, int64, uint64, void

    state = int64[::1]
    return {
        "legal": int64(state, int64[::1]),
        "play": void(state, int64),
        "outcome": int64(state),
        "rollout": float64(state, uint64[:, ::1], int64),
        "prior": void(state, int64[::1], float64[::1]),
    }
