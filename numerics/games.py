"""The hooks of a game: what a search knows of the thing it searches.

A position is a small vector of whole numbers, int64[S]; what its words mean is the game's own business. A search copies
the vector and hands it to the hooks, functions of the types below (`SIGNATURES` in Numba's words). A `Game` compiles
them. All but `Outcome` are asked only of positions whose outcome is UNDECIDED.

A board offers all this as `board.game`, a `Game`; that attribute is all that a search knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from numerics.kernels.users import hook_of

WON, DRAWN, LOST, UNDECIDED = 1, 0, -1, 2  # of the side that made the last move

Words = npt.NDArray[np.int64]


class Legal(Protocol):
    """What moves there are."""

    def __call__(self, state: Words, moves: Words, /) -> int:
        """Write the moves, from 0 to 32,767, to the front of `moves`, int64[most_moves]; return how many there are."""


class Play(Protocol):
    """Making a move."""

    def __call__(self, state: Words, move: int, /) -> None:
        """Change the vector: the side to move plays."""


class Outcome(Protocol):
    """How the game stands."""

    def __call__(self, state: Words, /) -> int:
        """Return what the last move did, for the side that made it: WON, DRAWN, LOST or UNDECIDED."""


class Playout(Protocol):
    """One random game to its end.

    It is one hook, and not a loop over the first three, because calling hooks at every move costs a third of the time.
    """

    def __call__(self, state: Words, rng: npt.NDArray[np.uint64], r: int, /) -> float:
        """Play to the end with random stream r of `rng`, uint64[L, 4]; may spoil the vector.

        Returns
        -------
        float
            What the side to move at the start got: 1 for a win, 1/2 for a draw, 0 for a loss.
        """


class Prior(Protocol):
    """What moves are worth before anything is searched."""

    def __call__(self, state: Words, moves: Words, out: npt.NDArray[np.float64], /) -> None:
        """Write for each of `moves` how likely it is to be good; the numbers sum to 1."""


@dataclass(frozen=True)
class Game:
    """A position and the hooks that play on from it: kernels, or functions that are made kernels here.

    Attributes
    ----------
    state : int64[S]
        The position; hooks change copies of it.
    most_moves : int
        The most moves that any position of the game can have.
    most_plies : int
        The most moves that a game can still last from here.
    legal, play, outcome : hook
        The rules.
    playouts : mapping of str to hook
        By name; every game has "uniform".
    priors : mapping of str to hook
        By name; most games have none.

    Raises
    ------
    ValueError
        A hook that is no function, takes other arguments, or cannot be compiled; a state that is no vector of whole
        numbers; no playout "uniform".
    """

    state: Words
    most_moves: int
    most_plies: int
    legal: Legal
    play: Play
    outcome: Outcome
    playouts: Mapping[str, Playout]
    priors: Mapping[str, Prior] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make every hook a kernel of its signature."""
        state = np.asarray(self.state)
        if state.ndim != 1 or state.dtype.kind not in "iu":
            raise ValueError(f"state must be a vector of whole numbers, int64[S]; got {self.state!r}")
        kept: dict[str, Any] = {"state": np.ascontiguousarray(state, dtype=np.int64)}
        kept |= {kind: _hook(kind, getattr(self, kind)) for kind in ("legal", "play", "outcome")}
        kept["playouts"] = {name: _hook("playout", one) for name, one in self.playouts.items()}
        kept["priors"] = {name: _hook("prior", one) for name, one in self.priors.items()}
        for name, value in kept.items():
            object.__setattr__(self, name, value)
        if "uniform" not in self.playouts:
            raise ValueError(f"playouts must have one of the name 'uniform'; got {', '.join(self.playouts) or 'none'}")

    def playout(self, name: str) -> Playout:
        """Return the playout hook of a name, or raise ValueError."""
        if name not in self.playouts:
            raise ValueError(f"playouts must be one of {', '.join(self.playouts)}; got {name!r}")
        return self.playouts[name]

    def prior(self, name: str) -> Prior:
        """Return the prior hook of a name, or raise ValueError."""
        if name not in self.priors:
            raise ValueError(f"prior must be one of {', '.join(self.priors) or 'none here'}; got {name!r}")
        return self.priors[name]

    def legal_moves(self) -> Words:
        """Return the legal moves of the position, in the game's own order."""
        moves = np.empty(self.most_moves, dtype=np.int64)
        return moves[: self.legal(self.state, moves)].copy()


class Playable(Protocol):
    """What a player that searches needs of a board."""

    @property
    def game(self) -> Game:
        """The position, for kernels."""


def unfinished_game(board: Playable) -> Game:
    """Return the game of a position that is not over.

    Raises
    ------
    ValueError
        The board has no game, or its game is over.
    """
    game = getattr(board, "game", None)
    if not isinstance(game, Game):
        raise ValueError(f"board must be a position with a game, such as connect4.Board(); got {board!r}")
    if game.most_plies < 1 or game.outcome(game.state) != UNDECIDED:
        raise ValueError(f"board must be a position that is not finished; got {board!r}")
    return game


_STATE = "int64[::1]"
SIGNATURES = {  # of each hook, in Numba's words
    "legal": f"int64({_STATE}, int64[::1])",
    "play": f"void({_STATE}, int64)",
    "outcome": f"int64({_STATE})",
    "playout": f"float64({_STATE}, uint64[:, ::1], int64)",
    "prior": f"void({_STATE}, int64[::1], float64[::1])",
}
_ARGUMENTS = {
    "legal": ("state", "moves"), "play": ("state", "move"), "outcome": ("state",), "playout": ("state", "rng", "r"),
    "prior": ("state", "moves", "out"),
}  # fmt: skip


def _hook(kind: str, function: Any) -> Any:
    return hook_of(f"{kind} hook", function, SIGNATURES[kind], _ARGUMENTS[kind])
