"""Players that somebody's code in this process chooses for: made anew for every game, asked within a limit of time.

A move runs in a thread of its own, and one that takes too long is interrupted at its next line of Python. Where it
cannot be (it waits for something, or catches even this), it is left behind: a thread cannot be killed. A program can:
`python -m experiments.answer` makes one of any player, for `player=program`.
"""

from __future__ import annotations

import ctypes
import inspect
import threading
from collections.abc import Callable
from typing import Any

from connect4.board import Board
from numerics import importing
from numerics.players import Forfeit, Player, Quit, failure
from numerics.random import Purpose, derived_seed

LONGEST = 1e6  # seconds a move; what threads can wait for has a bound
_REACTION = 0.5  # seconds that a move has to end once it was told to


class Guest(Player):
    """A base of players; a subclass makes what chooses in `choice`, and says in `longest` how long a move may take."""

    def choice(self) -> Callable[[Board], Any]:
        """Return what chooses a column on a board, for one game.

        Raises
        ------
        ValueError
            It cannot be made, or chooses nothing.
        """
        raise NotImplementedError

    @property
    def longest(self) -> float:
        """Seconds within which a move must come."""
        raise NotImplementedError

    @property
    def own_seed(self) -> int:
        """A seed for what is made, another one for every game."""
        return derived_seed(self.seed, (Purpose.PLAYER, self.number))

    def reset(self, game: int | None = None) -> None:
        """Make what chooses in game number `game`.

        Raises
        ------
        ValueError
            It cannot be made, or chooses nothing.
        """
        super().reset(game)
        self._choose = self.choice()

    def play(self, board: Board) -> Any:
        """Return what is chosen on a copy of the board; the referee judges what it is.

        Raises
        ------
        Forfeit
            Nothing within the limit, or an exception.
        """
        if "_choose" not in vars(self):  # copied or unpickled
            self._choose = self.choice()
        return within(self.longest, f"move of {self.name}", self._choose, board.copy())

    def __getstate__(self) -> dict[str, Any]:
        """A pickled player has its parameters and its place in its stream; what chooses is made anew."""
        return {name: value for name, value in self.__dict__.items() if name != "_choose"}


class _TimeIsUp(BaseException):
    """What is raised inside a move that takes too long; no `except Exception` of the user's catches it."""


def within(seconds: float, name: str, choose: Callable[..., Any], *given: Any) -> Any:
    """Return what somebody's function returns within some time.

    Raises
    ------
    Forfeit
        Nothing in time, or an exception: its kind and text.

    Examples
    --------
    >>> within(1.0, "a division", divmod, 7, 2)
    (3, 1)
    """
    outcome: dict[str, Any] = {}
    lock = threading.Lock()

    def move() -> None:
        try:
            try:
                outcome["column"] = choose(*given)
            except _TimeIsUp:
                raise
            except BaseException as error:
                outcome["error"] = error
            with lock:
                outcome["done"] = True
        except _TimeIsUp:
            pass

    thread = threading.Thread(target=move, name=name, daemon=True)
    thread.start()
    thread.join(seconds)
    with lock:  # a move that is done is not interrupted any more
        if "done" not in outcome:
            _interrupt(thread)
    if "done" not in outcome:
        thread.join(_REACTION)
        raise Forfeit(f"no move after {seconds:g} s")
    if (error := outcome.get("error")) is not None:
        if isinstance(error, (Quit, Forfeit)):
            raise error
        raise Forfeit(failure(error)) from error
    return outcome["column"]


def _interrupt(thread: threading.Thread) -> None:
    """Raise an exception in another thread, at its next line of Python."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_TimeIsUp))


def named(name: str, path: Any, example: str, what: str) -> Any:
    """Return what a dotted path names, if it can be called.

    Raises
    ------
    ValueError
        No such path, or it names something else than `what` says.
    """
    found = importing.named(name, path, example)
    if not callable(found):
        raise ValueError(f"{name} {path!r} must name {what}; it names a {type(found).__name__}")
    return found


def made(name: str, path: str, make: Callable[..., Any], **offered: Any) -> Any:
    """Call somebody's class or function with those of some arguments that it takes by name.

    Raises
    ------
    ValueError
        It fails.
    """
    try:
        known = inspect.signature(make).parameters
    except (TypeError, ValueError):
        known = {}  # type: ignore[assignment]
    own = {key: value for key, value in offered.items() if key in known}
    try:
        return make(**own)
    except Exception as error:
        arguments = ", ".join(f"{key}=..." for key in own)
        called = getattr(make, "__name__", type(make).__name__)
        raise ValueError(f"{name} {path!r}: {called}({arguments}) fails: {failure(error)}") from error
