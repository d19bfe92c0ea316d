"""`python -m experiments.replay FOLDER game=7`: one game of a match or a tournament, move by move, and as a picture."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import OmegaConf

from connect4 import Board, notation
from experiments.engine import console as report
from experiments.engine.errors import guarded, leave
from experiments.match.game_figure import draw_game, game_size
from experiments.match.games import ending_text
from numerics.output import tables
from numerics.output.style import files, page

if TYPE_CHECKING:
    import pandas as pd


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, show the game and draw it."""
    parser = argparse.ArgumentParser(prog="python -m experiments.replay", description=__doc__)
    parser.add_argument("folder", type=Path, help="a match's or a tournament's folder, such as results/match/<time>")
    parser.add_argument("which", nargs="?", metavar="game=NUMBER", help="which game, from 0; game=0 when left out")
    parser.add_argument("--game", dest="option", metavar="NUMBER", help="the same")
    given = parser.parse_args(arguments)
    said = given.which if given.option is None else f"game={given.option}"
    row, board = game_of(given.folder, _number(said or "game=0"))
    show(row, board)
    for path in draw(given.folder, row, board):
        report.say(str(path))


def _number(said: str) -> int:
    key, _, value = said.partition("=")
    if key != "game" or not (value.isascii() and value.isdigit()):
        raise ValueError(f"game must be a whole number of at least 0, as game=7; got {said!r}")
    return int(value)


def games_of(folder: Path) -> tuple[pd.DataFrame, Board]:
    """Return the games of a finished run, and the empty board that they were played on.

    Raises
    ------
    ValueError
        No such folder, or no finished match or tournament in it.
    """
    if not folder.is_dir():
        raise ValueError(f"folder {str(folder)!r}: no such folder; give one that a match or a tournament has made")
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
        No such folder, no finished match or tournament in it, or no such game.
    """
    games, empty = games_of(folder)
    row = row_of(games, number)
    return row, Board.from_moves(str(row["moves"]), empty.width, empty.height, empty.connect)


def show(row: Mapping[Any, Any], board: Board) -> None:
    """Print the game move by move: who moved, where, and the board after it with the new stone in bold."""
    names = _names(row)
    given = len(notation.parse(str(row["opening"]), board.width))
    report.say(f"game {row['game']}: {names['X']} (X) moves first, {names['O']} (O) second")
    report.say(
        f"moves, columns from 1: {row['moves'] or '(none)'}; below, columns count from 0, as board.play takes them"
    )
    shown = Board(board.width, board.height, board.connect)
    show_board(shown)
    for ply, column in enumerate(board.moves, start=1):
        sign = "X" if shown.to_move == 1 else "O"
        shown.play(column)
        opening = " (opening)" if ply <= given else ""
        report.say(f"\n{ply}. {names[sign]} ({sign}): column {column}{opening}")
        show_board(shown, column)
    report.say(f"\n{ending_text(row)}")


def _names(row: Mapping[Any, Any]) -> dict[str, str]:
    """Return who has which stones; X moves first."""
    players = (str(row["player1"]), str(row["player2"]))
    return dict(zip("XO", players if row["first_player"] == 1 else players[::-1], strict=True))


def show_board(board: Board, last: int | None = None) -> None:
    """Print a board; the newest stone, on top of column `last`, in bold and turned colours."""
    from rich.text import Text

    text = Text(str(board))
    if last is not None:
        lines = str(board).splitlines()
        row = board.height - board.heights[last]
        wide = len(lines[0]) + 1  # all lines are equally long
        cell = (wide // board.width) * (last + 1) - 2  # the sign stands at the right of its field
        text.stylize("bold reverse", row * wide + cell, row * wide + cell + 1)
    report.console().print(text, soft_wrap=True)


def draw(folder: Path, row: Mapping[Any, Any], board: Board) -> list[Path]:
    """Draw the last position with the number of its move in each stone, as figures/game_NUMBER.png and .svg."""
    place = folder / "figures" / f"game_{row['game']}"
    given = len(notation.parse(str(row["opening"]), board.width))
    with page(place, game_size(board)) as figure:
        draw_game(figure.subplots(), board, given, _names(row), f"Game {row['game']}: {ending_text(row)}")
    return files(place)


if __name__ == "__main__":
    leave(guarded(main))
