"""Players that run somebody else's code in this process: made anew for every game, with a time limit per move.

Each move runs in a separate thread. A move that takes too long is interrupted at its next line of Python. This fails if
the code is waiting or catches the exception. Its thread is then abandoned, because a thread cannot be killed. A program
can: `python -m experiments.answer` turns any player into one, for `player=program`.
"""

from __future__ import annotations

import ctypes
import inspect
import threading
from collections.abc import Callable
from typing import Any, ClassVar

from connect4.board import for_player
from numerics import importing
from numerics.places import failure
from numerics.players import Forfeit, Player, Quit
from numerics.random import Purpose, derived_seed

LONGEST = 1e6  # seconds a move; threads cannot wait for arbitrarily long
_REACTION = 0.5  # seconds in which an interrupted move must end


class Guest(Player):
    """Base of such players; subclasses make the chooser in `choice`, and name the parameter that limits a move."""

    limited_by: ClassVar[str] = "limit"  # seconds within which a move must come
    others: ClassVar[str] = ""  # what it plays besides boards, as "a position of OpenSpiel"

    def choice(self) -> Callable[[Any], Any]:
        """Return a callable that chooses a move from what is `shown`, for a single game.

        Raises
        ------
        ValueError
            It cannot be made, or cannot choose.
        """
        raise NotImplementedError

    @property
    def own_seed(self) -> int:
        """The seed of the guest's code, different for every game."""
        return derived_seed(self.seed, (Purpose.PLAYER, self.number))

    def reset(self, game: int | None = None) -> None:
        """Make the chooser of game number `game`.

        Raises
        ------
        ValueError
            It cannot be made, or cannot choose.
        """
        super().reset(game)
        self._choose = self.choice()

    def takes(self, board: Any) -> bool:
        """Return whether this is such another position."""
        return False

    def check_board(self, board: Any) -> None:
        """Refuse a position that the player does not play."""
        if not self.takes(board):
            for_player(self.name, board, self.others)

    def shown(self, board: Any) -> Any:
        """Return what the chooser sees: a copy of a board; another position itself, which does not change."""
        return board if self.takes(board) else for_player(self.name, board, self.others).copy()

    def play(self, board: Any) -> Any:
        """Return the choice; the referee checks it.

        Raises
        ------
        Forfeit
            No answer within the limit, or an exception.
        """
        board = self.shown(board)
        if "_choose" not in vars(self):  # copied or unpickled
            self._choose = self.choice()
        return call_within(getattr(self, self.limited_by), f"move of {self.name}", self._choose, board)

    def __getstate__(self) -> dict[str, Any]:
        """A pickled player keeps its parameters and the state of its stream; its chooser is made anew."""
        return {name: value for name, value in self.__dict__.items() if name != "_choose"}


class _TimeIsUp(BaseException):
    """Raised inside a move that takes too long; the user's `except Exception` does not catch it."""


def call_within(seconds: float, name: str, choose: Callable[..., Any], *given: Any) -> Any:
    """Call a user's function with a time limit and return its result.

    Raises
    ------
    Forfeit
        No result in time, or an exception: its kind and text.

    Examples
    --------
    >>> call_within(1.0, "a division", divmod, 7, 2)
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
    with lock:  # a finished move must not be interrupted
        if "done" not in outcome:
            # Raise an exception in the other thread, at its next line of Python.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_TimeIsUp))
    if "done" not in outcome:
        thread.join(_REACTION)
        raise Forfeit(f"no move after {seconds:g} s")
    if (error := outcome.get("error")) is not None:
        if isinstance(error, (Quit, Forfeit)):
            raise error
        raise Forfeit(failure(error)) from error
    return outcome["column"]


def import_callable(name: str, path: Any, example: str, what: str) -> Any:
    """Return the callable that a dotted path names.

    Raises
    ------
    ValueError
        No such path, or it names something other than `what`.
    """
    target = importing.import_named(name, path, example)
    if not callable(target):
        raise ValueError(f"{name} {path!r} must name {what}; it names a {type(target).__name__}")
    return target


def call_with_offered(name: str, path: str, make: Callable[..., Any], **offered: Any) -> Any:
    """Call a user's class or function with those of the offered arguments that its signature names.

    Raises
    ------
    ValueError
        The call fails.
    """
    try:
        known = inspect.signature(make).parameters
    except (TypeError, ValueError):
        known = {}  # type: ignore[assignment]
    accepted = {key: value for key, value in offered.items() if key in known}
    try:
        return make(**accepted)
    except Exception as error:
        arguments = ", ".join(f"{key}=..." for key in accepted)
        called = getattr(make, "__name__", type(make).__name__)
        raise ValueError(f"{name} {path!r}: {called}({arguments}) fails: {failure(error)}") from error
