"""A user-defined player: any class or function of a board or a position, with a time limit per move."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from connect4.board import is_of_another_game
from connect4.players.guest import LONGEST, Guest, call_with_offered, import_callable
from numerics.parameters import parameter


def _import_player(name: str, path: Any) -> Any:
    return import_callable(name, path, "my_players.MyPlayer", "a class or a function of a board")


def _path(name: str, value: Any) -> str:
    _import_player(name, value)
    return str(value)


class Custom(Guest, name="custom"):
    """Plays what a class or a function of the user's plays.

    Every game has a player of its own, so that nothing leaks from one to the next. A class is called without arguments,
    or with `seed` if it takes that: another number for every game. Its method `play(board)` returns a column. Without
    that method, the object itself is called. A function is called with the board. Both get a copy of the board. An
    exception, no column within the limit, or an illegal one loses the game. In another game both get the position, and
    return one of its moves.

    A move runs in a thread of its own, and one that takes too long is interrupted at its next line of Python. Where it
    cannot be (it waits for something, or catches even this), it is left behind. Only a single compiled call that keeps
    Python's lock, such as 10 ** 10 ** 10, holds the game up until it ends.

    The limit is time on the clock: where games run in threads, players in Python wait for each other; in processes
    (`executor=processes`) they do not.
    """

    limited_by = "seconds"
    others = "a position"
    path: str = parameter("", check=_path, help="dotted path of the class or function, as my_players.MyPlayer")
    seconds: float = parameter(10.0, low=0.0, above=True, high=LONGEST, help="time limit for a move")

    def takes(self, board: Any) -> bool:
        """Return whether this is a position of another game."""
        return is_of_another_game(board)

    def choice(self) -> Callable[[Any], Any]:
        """Return a callable that chooses a column: a new object of the class, or the function.

        Raises
        ------
        ValueError
            A class that cannot be instantiated, or whose objects do not play.
        """
        choose: Callable[..., Any] = _import_player("path", self.path)
        if inspect.isclass(choose):
            player = call_with_offered("path", self.path, choose, seed=self.own_seed)
            choose = getattr(player, "play", player)
            if not callable(choose):
                raise ValueError(f"path {self.path!r} must name a class with play(board) or __call__(board)")
        try:
            inspect.signature(choose).bind(None)
        except TypeError:
            raise ValueError(
                f"path {self.path!r} must take only a board; it takes {inspect.signature(choose)}"
            ) from None
        except ValueError:  # compiled functions may have no signature
            pass
        return choose
