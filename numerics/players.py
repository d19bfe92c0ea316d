"""Players: objects with a name and their own random stream that choose a move on a board.

A player is a class whose fields are its parameters. It registers by being defined with a name:

    class Corner(Player, name="corner"):
        column: int = parameter(0, low=0, help="where it plays")

        def play(self, board):
            return self.column

Nothing learnt in one game is known in the next: `reset(game)` puts a player at the start of its stream number `game`.
"""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any, ClassVar, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from numerics.checks import escape_controls
from numerics.families import Declared, Family
from numerics.parameters import parameter
from numerics.places import failure
from numerics.random import Purpose, draw_uniform, streams
from numerics.texts import split, write_value

B = TypeVar("B")
B_contra = TypeVar("B_contra", contravariant=True)


class Plays(Protocol[B_contra]):
    """An object that chooses moves on boards of a class: a `Player`, or one of a user's."""

    def play(self, board: B_contra, /) -> int:
        """Return the move to play."""


def chooser_of(player: Plays[B] | Callable[[B], int]) -> Callable[[B], int]:
    """Return the function that chooses a move: the `play` of an object, or the function itself.

    Raises
    ------
    ValueError
        Neither, such as the name of a player.

    Examples
    --------
    >>> chooser_of(lambda board: 3)(None)
    3
    """
    choose: Any = getattr(player, "play", player)
    if not callable(choose):
        how = "; experiments.players.make_player makes a player from a name" if isinstance(player, str) else ""
        raise ValueError(f"player must have play(board), or be a function of a board; got {player!r}{how}")
    return cast(Callable[[B], int], choose)


class Forfeit(Exception):
    """Raised by a player that forfeits its game; the text says why, and is stored in the table of games."""


def why_lost(error: Exception) -> str:
    """Return why an exception of a player loses its game, on one line that a terminal may print.

    Examples
    --------
    >>> why_lost(Forfeit("no move after 2 s")), why_lost(KeyError("state"))
    ('no move after 2 s', "KeyError: 'state'")
    >>> why_lost(Forfeit("boom " + chr(27) + "[31m")) == "boom " + repr(chr(27)).strip("'") + "[31m"
    True
    """
    return escape_controls(" ".join(str(error).split()) if isinstance(error, Forfeit) else failure(error))


class Quit(KeyboardInterrupt):
    """Raised by a human player to end the program; nobody loses the game."""


@typing.dataclass_transform(eq_default=False, kw_only_default=True)
class Player(Declared, frozen=False, eq=False, kw_only=True):
    """A player; a subclass declares its parameters and chooses in `play`.

    A subclass that is defined with a `name` registers under it in `PLAYERS`; one without is a base of others. As a text
    a player is its name and the parameters that are not the defaults, such as ``minimax depth=5``.

    Attributes
    ----------
    rng : uint64[streams, 4]
        The player's own random streams, for the draws of `numerics.random` and for kernels; most players have one.
    number : int
        The number of the game.
    """

    streams: ClassVar[int] = 1
    budgets: ClassVar[tuple[str, ...]] = ("simulations", "seconds", "cpu_seconds", "playouts_per_move", "depth", "ply")
    """The parameters that say how long a move may be thought about, which labels show."""

    seed: int = parameter(0, low=0, help="seed of the player's random choices, together with the number of the game")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check()
        self.reset(0)

    def check(self) -> None:
        """Check what the range of one parameter cannot say; raise ValueError."""

    def check_board(self, board: Any) -> None:
        """Raise ValueError, before a game, for a board that the player cannot play on."""

    def reset(self, game: int | None = None) -> None:
        """Forget everything and begin game number `game`; without a number, the one after the last."""
        self.number: int = self.number + 1 if game is None else game
        rows = [streams(self.seed, (Purpose.PLAYER, row), self.number, 1) for row in range(self.streams)]
        self.rng: npt.NDArray[np.uint64] = np.concatenate(rows)

    def play(self, board: Any) -> Any:
        """Return the move to play: a number, of a position of `numerics.positions` one of its moves.

        The board, of whatever game, is as it was when this returns.
        """
        raise NotImplementedError

    def watch(self, board: Any, ending: str) -> None:
        """See how a game that was played has ended; a player for a person shows it."""

    def pick(self, count: int) -> int:
        """Return one of 0 ... count - 1 with equal probability, from the player's own stream."""
        return min(int(self.uniform() * count), count - 1)

    def uniform(self, row: int = 0) -> float:
        """Return a number of [0, 1) from one of the player's own streams."""
        return float(draw_uniform(self.rng, row))  # type: ignore[no-untyped-call]


def with_budget(player: Player) -> str:
    """Return a player as a text, with the budget of a move also where that is the default.

    Two players whose budgets differ can then be told apart by their labels.
    """
    head, *words = split(PLAYERS.text(player))
    budgets = {key: getattr(player, key, None) for key in player.budgets}
    given = {key: value for key, value in budgets.items() if value is not None}
    if not given and (simulations := getattr(player, "budget", None)) is not None:
        given = {"simulations": simulations}
    keys = {word.partition("=")[0] for word in words}
    return " ".join([head, *(f"{key}={write_value(value)}" for key, value in given.items() if key not in keys), *words])


PLAYERS: Family[Player] = Family("player", Player, "minimax depth=5", hidden=("seed",), called=with_budget)
"""All players; their texts leave the seed out, which a match gives, and their labels say the budget of a move."""
