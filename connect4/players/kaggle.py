"""A submission to Kaggle's ConnectX as a player: a file whose last function maps an observation to a column.

    python -m experiments.run experiment=match player1=level_4 player2='{name: kaggle, file: submission.py}'

It does not need the package kaggle-environments. `python -m connect4.kaggle` writes such a file.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from connect4.board import Board
from connect4.players.guest import LONGEST, Guest
from numerics.parameters import parameter
from numerics.places import failure, is_a_stop, syntax_place


class Attributes(dict[str, Any]):
    """A mapping whose values are attributes too, since submissions read both."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def observation_of(board: Board) -> Attributes:
    """Return Kaggle's observation of a position: the cells row by row from the top, 0, 1 or 2, and whose turn it is.

    Examples
    --------
    >>> shown = observation_of(Board.from_moves("12", 2, 2, 2))
    >>> shown.board, shown.mark, shown["step"]
    ([0, 0, 1, 2], 1, 2)
    """
    cells = [int(cell) % 3 for cell in board.grid.ravel()]
    mark = 1 if board.to_move == 1 else 2
    return Attributes(board=cells, mark=mark, step=board.plies, remainingOverageTime=60.0)


def configuration_of(board: Board, seconds: float) -> Attributes:
    """Return Kaggle's configuration for a board and a time per move; `timeout` is the older name of `actTimeout`.

    Examples
    --------
    >>> configuration_of(Board(), 2.0).inarow
    4
    """
    return Attributes(
        columns=board.width,
        rows=board.height,
        inarow=board.connect,
        actTimeout=seconds,
        timeout=seconds,
        agentTimeout=60,
        runTimeout=1200,
        episodeSteps=1000,
    )


def submission(name: str, path: Path) -> Callable[..., Any]:
    """Run a submission's file and return what Kaggle takes for the agent: the last callable that it defines.

    Raises
    ------
    ValueError
        No such file, or a file that fails or defines no callable.
    """
    try:
        source = path.read_bytes()
    except (OSError, ValueError) as error:  # a ValueError of Python for what no file can be called
        why = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"{name} must be a submission's file; {str(path)!r}: {why}") from None
    folder = str(path.parent.resolve())
    if folder not in sys.path:  # a submission may import files beside it
        sys.path.append(folder)
    namespace: dict[str, Any] = {"__name__": "submission"}
    try:
        exec(compile(source, str(path), "exec"), namespace)
    except SyntaxError as error:
        raise ValueError(f"{name} {str(path)!r} has a syntax error in {syntax_place(error)}") from None
    except BaseException as error:
        if is_a_stop(error):
            raise
        raise ValueError(f"{name} {str(path)!r} fails: {failure(error)}") from None
    agents = [value for value in namespace.values() if callable(value)]
    if not agents:
        raise ValueError(
            f"{name} {str(path)!r} must define a function of observation and configuration; it defines none"
        )
    chosen: Callable[..., Any] = agents[-1]
    return chosen


@functools.lru_cache(maxsize=64)
def _try(path: str, changed: float) -> None:
    """Run a file once in a process, so that a file that fails is refused before any game."""
    submission("file", Path(path))


def _file(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be the path of a submission, such as submission.py; got {value!r}")
    path = Path(value)
    _try(value, path.stat().st_mtime if path.is_file() else 0.0)
    return value


class KagglePlayer(Guest, name="kaggle"):
    """Plays what a submission to Kaggle's ConnectX plays: the last function of a file.

    The file is run anew for every game, in its first move. Observation and configuration are mappings whose values are
    attributes too. An exception, no column within the limit, or an illegal one loses the game. Other games of this
    process share the random generators of Python and NumPy with it, so that one that draws from them is not repeated.
    """

    file: str = parameter("", check=_file, help="file of the submission, as submission.py")
    seconds: float = parameter(2.0, low=0.0, above=True, high=LONGEST, help="actTimeout, the budget that it reads")
    limit: float = parameter(10.0, low=0.0, above=True, high=LONGEST, help="time limit for a move, in seconds")

    def choice(self) -> Callable[[Board], Any]:
        """Return a function that asks the submission; its first call runs the file."""
        agent: Callable[..., Any] | None = None

        def choose(board: Board) -> Any:
            nonlocal agent
            if agent is None:
                agent = submission("file", Path(self.file))
            given = (observation_of(board), configuration_of(board, self.seconds))
            code = getattr(agent, "__code__", None)  # a function may take the observation only
            return agent(*given[: code.co_argcount] if code else given)

        return choose
