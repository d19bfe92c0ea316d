"""`python -m experiments.replay FOLDER game=7`: one game of a match or a tournament, move by move, and as a picture."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from connect4 import Board, notation
from experiments.engine import console as report
from experiments.engine.errors import guarded, leave
from experiments.engine.folders import existing
from experiments.match.console import show_board
from experiments.match.finished import game_of
from experiments.match.game_figure import draw_game, game_size
from experiments.match.games import ending_text
from numerics.output.style import files, page


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, show the game and draw it."""
    parser = argparse.ArgumentParser(prog="python -m experiments.replay", description=__doc__)
    parser.add_argument("folder", type=Path, help="of a match or a tournament, such as results/match/latest")
    parser.add_argument("which", nargs="?", metavar="game=NUMBER", help="which game, from 0; game=0 when left out")
    parser.add_argument("--game", dest="option", metavar="NUMBER", help="the same")
    given = parser.parse_args(arguments)
    said = given.which if given.option is None else f"game={given.option}"
    folder = existing(given.folder)
    row, board = game_of(folder, _number(said or "game=0"))
    show(row, board)
    for path in draw(folder, row, board):
        report.say(str(path))


def _number(said: str) -> int:
    key, _, value = said.partition("=")
    if key != "game" or not (value.isascii() and value.isdigit()):
        raise ValueError(f"game must be a whole number of at least 0, as game=7; got {said!r}")
    return int(value)


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


def draw(folder: Path, row: Mapping[Any, Any], board: Board) -> list[Path]:
    """Draw the last position with the number of its move in each stone, as figures/game_NUMBER.png."""
    place = folder / "figures" / f"game_{row['game']}"
    given = len(notation.parse(str(row["opening"]), board.width))
    with page(place, game_size(board)) as figure:
        draw_game(figure.subplots(), board, given, _names(row), f"Game {row['game']}: {ending_text(row)}")
    return files(place)


if __name__ == "__main__":
    leave(guarded(main))
