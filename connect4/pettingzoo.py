"""PettingZoo's Connect Four: boards from its observations, observations of boards, and whole games of players there.

An observation has two planes of zeros and ones: the stones of the agent to act and those of the other. The numbers of
stones show whose turn it is. A board is set up from them, without the moves that led there. The `action_mask` is not
enforced: a player that plays into a full column loses there as here. `experiments.players.pettingzoo_agents` makes
agents of players.

At the end of a game (version 1.27) the environment terminates both agents. The rewards are 1 and -1 after a win, and 0
and 0 after a draw. After an illegal move it terminates and truncates both, with -1 for the agent that made it and 0 for
the other. Needs the extra [interop].
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from connect4.board import Board
from connect4.referee import GameRecord, one_line, refusal_of
from numerics import checks
from numerics.players import Plays, chooser_of, why_lost

NAMES = ("player_0", "player_1")  # the agents of the environment; player_0 begins


def board_of(observation: Mapping[str, Any]) -> Board:
    """Return the position that an observation shows to the agent whose turn it is.

    Parameters
    ----------
    observation : mapping
        "observation" has shape (rows, columns, 2), with row 0 on top. Its planes of zeros and ones are the stones of
        the agent to act and those of the other. "action_mask" has ones for open columns.

    Raises
    ------
    ValueError
        Not such a mapping, not a position of the game, or not this agent's turn.

    Examples
    --------
    >>> planes = np.zeros((6, 7, 2), dtype=np.int8)
    >>> planes[5, 3, 1] = 1
    >>> board = board_of({"observation": planes, "action_mask": np.ones(7)})
    >>> board.to_move, board == Board.from_moves("4")
    (-1, True)
    """
    if not isinstance(observation, Mapping) or not {"observation", "action_mask"} <= set(observation):
        raise ValueError(
            "observation must be the first value of env.last(), with the keys observation and action_mask; "
            f"got {sorted(observation) if isinstance(observation, Mapping) else type(observation).__name__}"
        )
    planes, mask = np.asarray(observation["observation"]), np.asarray(observation["action_mask"])
    if planes.ndim != 3 or planes.shape[2] != 2:
        raise ValueError(f"observation must have two planes, shape (rows, columns, 2); got {planes.shape}")
    if not np.isin(planes, (0, 1)).all() or planes.all(axis=2).any():
        raise ValueError(
            "observation must have planes of 0 and 1, with at most one stone in each cell; got other values"
        )
    mine, theirs = planes[..., 0].astype(np.int8), planes[..., 1].astype(np.int8)
    my_stones, their_stones = int(mine.sum()), int(theirs.sum())
    if their_stones - my_stones not in (0, 1):
        raise ValueError(
            "observation must be that of the agent to move, with as many stones as the other agent or one fewer; "
            f"got {my_stones} and {their_stones}"
        )
    try:
        board = Board.from_grid(mine - theirs if my_stones == their_stones else theirs - mine)
    except ValueError as error:
        raise ValueError(f"observation must be a reachable position: {error}") from None
    open_columns = [column for column, height in enumerate(board.heights) if height < board.height]
    if np.flatnonzero(mask).tolist() != open_columns:
        raise ValueError(
            f"observation must have an action_mask of the open columns {open_columns}, as for the agent to move; "
            f"got {mask.tolist()}"
        )
    return board


def observation_of(board: Board) -> dict[str, npt.NDArray[np.int8]]:
    """Return the environment's observation of a position for the agent whose turn it is.

    Returns
    -------
    dict
        "observation", int8 of shape (6, 7, 2), and "action_mask", int8 of shape (7,), as `board_of` reads them.

    Raises
    ------
    ValueError
        Another board than 7x6 with four in a row.

    Examples
    --------
    >>> observation_of(Board.from_moves("4"))["observation"][5, 3].tolist()
    [0, 1]
    """
    check_board(board)
    grid = board.grid * board.to_move
    mask = [column in board.legal_moves() for column in range(board.width)]
    return {
        "observation": np.stack([grid == 1, grid == -1], axis=2).astype(np.int8),
        "action_mask": np.array(mask, dtype=np.int8),
    }


def check_board(board: Board) -> None:
    """Raise ValueError for a board that connect_four_v3 does not support.

    Raises
    ------
    ValueError
        A board other than 7x6 with four in a row.
    """
    size = (board.width, board.height, board.connect)
    if size != (7, 6, 4):
        raise ValueError(
            "board must be 7x6 with connect=4, the only size of PettingZoo's connect_four_v3; got "
            f"{board.width}x{board.height} with connect={board.connect}"
        )


def environment() -> Any:
    """Return a new `connect_four_v3` of PettingZoo.

    Raises
    ------
    ImportError
        PettingZoo, or a package that its Connect Four needs, is not installed; the sentence names the extra.
    """
    try:
        # pettingzoo.classic.connect_four_v3 re-exports this, but since 1.27 importing that module warns.
        from pettingzoo.classic.connect_four.connect_four import env
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise ImportError(
            f"PettingZoo's Connect Four requires the package {package}, which is not installed; "
            'use pip install "treebandit[interop]"'
        ) from None
    return env()


def play_environment(
    player0: Plays[Board] | Callable[[Board], int],
    player1: Plays[Board] | Callable[[Board], int],
    seed: int | None = None,
    env: Any = None,
) -> GameRecord:
    """Play a whole game in PettingZoo's environment, `player0` beginning, and return its record.

    Parameters
    ----------
    player0, player1 : player
        Anything with ``play(board) -> column``, or a function of a board.
    seed : int, optional
        Passed to ``env.reset``. The environment draws nothing; only the players are random.
    env : optional
        An environment to reuse, from `environment`; by default a new one.

    Returns
    -------
    GameRecord
        As `referee.play_game` returns. `result` is 1 where player_0 has the greater reward, -1 where player_1 has, 0
        for a draw. A player that fails, or whose answer is not a column, loses too. The environment then stays in the
        middle of the game, because it has no action for a loss.

    Raises
    ------
    ImportError
        PettingZoo is not installed.
    """
    env = environment() if env is None else env
    choosers = dict(zip(NAMES, map(chooser_of, (player0, player1)), strict=True))
    rewards, seconds = dict.fromkeys(NAMES, 0.0), dict.fromkeys(NAMES, 0.0)
    moves: list[int] = []
    given_up = None
    env.reset(seed=seed)
    for name in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            rewards[name] = float(reward)
            env.step(None)
            continue
        column: Any = None
        start = time.perf_counter()
        try:
            column = choosers[name](board_of(observation))
        except Exception as error:
            given_up = why_lost(error)
        finally:
            seconds[name] += time.perf_counter() - start
        known = _is_column(column, observation)
        if known and observation["action_mask"][column]:
            moves.append(int(column))
            env.step(column)
            continue
        given_up = given_up or refusal_of(column, len(observation["action_mask"]))
        if not known:
            rewards[name] = -1.0
            break
        with _silence():
            env.step(column)
    result = int(np.sign(rewards[NAMES[0]] - rewards[NAMES[1]]))
    ending = ("row" if result else "full") if given_up is None else one_line(given_up)
    return GameRecord(result, tuple(moves), ending, (seconds[NAMES[0]], seconds[NAMES[1]]))


def _is_column(column: Any, observation: Mapping[str, Any]) -> bool:
    """Return whether an action is a column of the board, full or not; the environment fails on other actions."""
    try:
        checks.check_whole("column", column, 0, len(observation["action_mask"]) - 1)
    except ValueError:
        return False
    return True


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep the environment from printing two lines for every illegal move; the record's ending has it."""
    log = logging.getLogger("pettingzoo.utils.env_logger")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)
