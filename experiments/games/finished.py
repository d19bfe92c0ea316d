"""The games of a finished run, read from its folder: all of them, or one with its last position."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import OmegaConf

from connect4 import Board
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


def ground(settings: Mapping[str, Any]) -> str:
    """Return where the games of a configuration are played, as a title has it.

    Examples
    --------
    >>> ground({"board": "7x6", "connect": 4}), ground({"board": "4x3", "connect": 3})
    ('on 7x6', 'on 4x3 with 3 in a row')
    """
    connect = settings.get("connect", 4)
    return f"on {settings.get('board', '7x6')}" + (f" with {connect} in a row" if connect != 4 else "")


def games_of(folder: Path) -> tuple[pd.DataFrame, Board]:
    """Return the games of a finished run, and the empty board that they were played on.

    Raises
    ------
    ValueError
        No finished match or tournament in it.
    """
    if not (folder / "games.parquet").exists() or not (folder / "config.yaml").exists():
        raise ValueError(f"folder {str(folder)!r}: no games.parquet of a finished match or tournament in it")
    config: Any = OmegaConf.load(folder / "config.yaml")
    board = Board.of_size(config.get("board", "7x6"), config.get("connect", 4))  # environments have no other board
    return tables.read(folder / "games.parquet"), board


def row_of(games: pd.DataFrame, number: int) -> Mapping[Any, Any]:
    """Return a game's row of games.parquet.

    Raises
    ------
    ValueError
        No such game.
    """
    found = games[games["game"] == number]
    if found.empty:
        raise ValueError(f"game must be from {games['game'].min()} to {games['game'].max()}; got {number}")
    return found.to_dict("records")[0]


def game_of(folder: Path, number: int) -> tuple[Mapping[Any, Any], Board]:
    """Return a game's row of games.parquet and its last position.

    Raises
    ------
    ValueError
        No finished match or tournament in it, or no such game.
    """
    games, empty = games_of(folder)
    row = row_of(games, number)
    return row, Board.from_moves(str(row["moves"]), empty.width, empty.height, empty.connect)
