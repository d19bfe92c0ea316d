"""What a player is: something with a name and a random stream of its own that chooses a move on a board.

Players are dataclasses whose fields are the parameters of the command line. Nothing learnt in one game is known in the
next: `reset(game)` puts a player at the start of its stream number `game`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from numerics import checks

PLAYER = 100  # the purpose of players' streams; bandits use 0 to 9
_NOT_IN_NAME = ("seed",)  # every player has it, and a match gives its own


class Forfeit(Exception):
    """What a player raises that gives its game up: the text says why, and stands in the table of games."""


class Quit(KeyboardInterrupt):
    """What a person's player raises to end the whole program: nobody loses the game by it."""


def failure(error: BaseException) -> str:
    """Return an exception's kind and text."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


@dataclasses.dataclass(kw_only=True)
class Player:
    """A player; subclasses are dataclasses with a `kind`, and they choose in `play`.

    Parameters
    ----------
    seed : int, default 0
        At least 0; with the number of the game it decides all that is random in the player.

    Attributes
    ----------
    rng : uint64[streams, 4]
        The player's own random streams, for the draws of `numerics.random` and for kernels; most players have one.
    number : int
        The number of the game.
    """

    kind: ClassVar[str] = ""
    streams: ClassVar[int] = 1
    seed: int = 0

    def __post_init__(self) -> None:
        self.check()
        self.reset(0)

    def check(self) -> None:
        """Check the parameters; subclasses check their own and call this."""
        checks.whole("seed", self.seed, 0)

    def reset(self, game: int | None = None) -> None:
        """Forget everything and begin game number `game`; without a number, the one after the last."""
        self.number: int = self.number + 1 if game is None else game
        self._rng: npt.NDArray[np.uint64] | None = None

    @property
    def rng(self) -> npt.NDArray[np.uint64]:
        """The player's own streams; made when first used, because Numba is slow to import."""
        if self._rng is None:
            from numerics.random import streams

            own = [streams(self.seed, (PLAYER, row), self.number, 1) for row in range(self.streams)]
            self._rng = np.concatenate(own)
        return self._rng

    @property
    def name(self) -> str:
        """The kind with every parameter, such as ``minimax(depth=5, heuristic=quadruplets)``."""
        shown = [
            f"{one.name}={_text(getattr(self, one.name))}"
            for one in dataclasses.fields(self)
            if one.name not in _NOT_IN_NAME
        ]
        return f"{self.kind}({', '.join(shown)})" if shown else self.kind

    def play(self, board: Any) -> int:
        """Return the column to play, 0-based; the board is as it was when this returns."""
        raise NotImplementedError

    def watch(self, board: Any, ending: str) -> None:
        """See how a game that was played has ended; a player for a person shows it."""

    def pick(self, count: int) -> int:
        """Return one of 0 ... count - 1 with equal probability, from the player's own stream."""
        from numerics.random import next_uniform

        with np.errstate(over="ignore"):  # the words of the stream wrap round, of which plain Python would warn
            uniform: float = next_uniform(self.rng, 0)  # type: ignore[no-untyped-call]
        return min(int(uniform * count), count - 1)


def make(players: Mapping[str, type[Player]], name: str, **parameters: Any) -> Player:
    """Return a player of a registry by its name and parameters.

    Raises
    ------
    ValueError
        An unknown name or parameter, or a value out of its range.
    """
    cls = players.get(name) if isinstance(name, str) else None
    if cls is None:
        raise ValueError(f"name must be one of {', '.join(players)}; got {name!r}")
    known = [one.name for one in dataclasses.fields(cls)]
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(f"{parameter} is no parameter of {name}; it takes {', '.join(known)}")
    return cls(**parameters)


def _text(value: Any) -> str:
    if callable(value):
        return f"{value.__module__}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    return f"{value:g}" if isinstance(value, float) else str(value)
