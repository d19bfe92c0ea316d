"""A player of the user's own: any class or function of a board, with a limit per move in seconds."""

from __future__ import annotations

import ctypes
import inspect
import threading
from collections.abc import Callable
from typing import Any

from connect4.board import Board
from numerics import importing
from numerics.parameters import parameter
from numerics.players import Forfeit, Player, Quit, failure
from numerics.random import Purpose, derived_seed

LONGEST = 1e6  # seconds a move; what threads can wait for has a bound
_REACTION = 0.5  # seconds that a move has to end once it was told to


def _named(name: str, path: Any) -> Any:
    """Return what a path names, if it can be called."""
    found = importing.named(name, path, "my_players.MyPlayer")
    if not callable(found):
        raise ValueError(
            f"{name} {path!r} must name a class or a function of a board; it names a {type(found).__name__}"
        )
    return found


def _path(name: str, value: Any) -> str:
    _named(name, value)
    return str(value)


class _TimeIsUp(BaseException):
    """What is raised inside a move that takes too long; no `except Exception` of the user's catches it."""


class Custom(Player, kind="custom"):
    """Plays what a class or a function of the user's plays.

    Every game has a player of its own, so that nothing leaks from one to the next. A class is called without arguments,
    or with `seed`, another number for every game, if it takes that; its `play(board)`, or the object itself if it has
    none, returns a column. A function is called with the board. Both get a copy of the board. An exception, no column
    within the limit, or an illegal one loses the game.

    A move runs in a thread of its own, and one that takes too long is interrupted at its next line of Python. Where it
    cannot be (it waits for something, or catches even this), it is left behind. Only a single compiled call that keeps
    Python's lock, such as 10 ** 10 ** 10, holds the game up until it ends.

    The limit is time on the clock: where games run in threads, players in Python wait for each other; in processes
    (`executor=processes`) they do not.
    """

    path: str = parameter("", check=_path, help="the class or function, as my_players.MyPlayer")
    seconds: float = parameter(10.0, low=0.0, above=True, high=LONGEST, help="the limit for one move")

    def reset(self, game: int | None = None) -> None:
        """Make a new player for game number `game`.

        Raises
        ------
        ValueError
            A class that cannot be made, or that makes nothing that plays.
        """
        super().reset(game)
        found = _named("path", self.path)
        choose = self._made(found) if inspect.isclass(found) else found
        try:
            inspect.signature(choose).bind(None)
        except TypeError:
            raise ValueError(
                f"path {self.path!r} must choose from a board alone; what it names takes {inspect.signature(choose)}"
            ) from None
        except ValueError:  # compiled functions may have no signature
            pass
        self._choose: Callable[[Board], Any] = choose

    def play(self, board: Board) -> int:
        """Return the user's column.

        Raises
        ------
        Forfeit
            No column within the limit, or an exception of the user's code.
        """
        outcome: dict[str, Any] = {}
        choose, given, lock = self._choose, board.copy(), threading.Lock()

        def move() -> None:
            try:
                try:
                    outcome["column"] = choose(given)
                except _TimeIsUp:
                    raise
                except BaseException as error:
                    outcome["error"] = error
                with lock:
                    outcome["done"] = True
            except _TimeIsUp:
                pass

        thread = threading.Thread(target=move, name=f"move of {self.path}", daemon=True)
        thread.start()
        thread.join(self.seconds)
        with lock:  # a move that is done is not interrupted any more
            if "done" not in outcome:
                _interrupt(thread)
        if "done" not in outcome:
            thread.join(_REACTION)
            raise Forfeit(f"no move after {self.seconds:g} s")
        if (error := outcome.get("error")) is not None:
            if isinstance(error, (Quit, Forfeit)):
                raise error
            raise Forfeit(failure(error)) from error
        return outcome["column"]  # type: ignore[no-any-return]  # the referee judges what it is

    def __getstate__(self) -> dict[str, Any]:
        """A pickled player has its parameters and its game's number; the user's own object is made anew."""
        return {name: value for name, value in self.__dict__.items() if name != "_choose"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.reset(self.number)

    def _made(self, cls: Any) -> Callable[[Board], Any]:
        """Make an object of the user's class and return what chooses columns."""
        try:
            takes_seed = "seed" in inspect.signature(cls).parameters
        except (TypeError, ValueError):
            takes_seed = False
        own = {"seed": derived_seed(self.seed, (Purpose.PLAYER, self.number))} if takes_seed else {}
        try:
            made = cls(**own)
        except Exception as error:
            raise ValueError(
                f"path {self.path!r}: {cls.__name__}({'seed=...' if takes_seed else ''}) fails: {failure(error)}"
            ) from error
        choose = getattr(made, "play", made)
        if not callable(choose):
            raise ValueError(f"path {self.path!r} must name a class with play(board) or __call__(board)")
        chosen: Callable[[Board], Any] = choose
        return chosen


def _interrupt(thread: threading.Thread) -> None:
    """Raise an exception in another thread, at its next line of Python."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_TimeIsUp))
