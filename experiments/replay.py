"""`python -m experiments.replay FOLDER game=7`: one game of a match or a tournament, move by move, and as a picture."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from connect4 import Board, drawing, notation, screen
from experiments.engine import printing
from experiments.engine.errors import guarded, leave
from experiments.engine.folders import existing
from experiments.games.positions import PositionRules
from experiments.games.results import ending_text, game_of, played_in, row_of
from experiments.terminal.positions import show_game
from numerics.commands import Command, dashed_option, word
from numerics.parameters import parameter


class Replay(Command, module="experiments.replay"):
    """Which game of which run."""

    folder: str = word(help="folder of a match or tournament, such as results/match/latest")
    game: int = parameter(0, low=0, help="number of the game, from 0")
    step: bool = dashed_option(False, "--step", help="show one move at a time: Enter shows the next, q quits")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, show the game and draw it."""
    given = Replay.read(words)
    folder = existing(Path(given.folder))
    games, rules = played_in(folder)
    if given.step and not sys.stdin.isatty():
        raise ValueError("--step requires a terminal, to wait for Enter; leave it out if the input is not a terminal")
    if isinstance(rules, PositionRules):
        show_game(row_of(games, given.game), rules, step=given.step)
        return
    row, board = game_of(folder, given.game)
    names, opening = players_of(row), _opening(row, board)
    printing.say(f"game {row['game']}: {names[1]} (X) moves first, {names[-1]} (O) second")
    printing.say(f"moves, columns from 1: {row['moves'] or '(none)'}")
    if opening:
        printing.say(f"the first {'move is' if opening == 1 else f'{opening} moves are'} the opening")
    if board.moves:
        printing.say(f"{screen.LAST} last stone, {screen.WON} winning row")
    if given.step:
        step(row, board)
    else:  # as many boards beside each other as the terminal has room for
        printing.say("")
        shown = positions(board) or [("", board)]
        printing.say_screen(screen.side_by_side(shown, printing.console().width, colour=True))
    printing.say(f"\n{ending_text(row)}")
    for path in draw(folder, row, board):
        printing.say(str(path))


def players_of(row: Mapping[Any, Any]) -> dict[int, str]:
    """Return who plays for 1, who moves first, and for -1."""
    players = (str(row["player1"]), str(row["player2"]))
    return dict(zip((1, -1), players if row["first_player"] == 1 else players[::-1], strict=True))


def _opening(row: Mapping[Any, Any], board: Board) -> int:
    return len(notation.parse(str(row["opening"]), board.width))


def positions(board: Board) -> list[tuple[str, Board]]:
    """Return every position of a game after a move, below what was played: number, side and column.

    Examples
    --------
    >>> [title for title, _ in positions(Board.from_moves("44"))]
    ['1. X 4', '2. O 4']
    """
    boards, now = [], Board(board.width, board.height, board.connect)
    for ply, column in enumerate(board.moves, start=1):
        sign = notation.SIGNS[now.to_move]
        now.play(column)
        boards.append((f"{ply}. {sign} {notation.number_of_column(column)}", now.copy()))
    return boards


def step(row: Mapping[Any, Any], board: Board) -> None:
    """Print one board after the other, each when Enter is pressed; q, or the end of the input, ends it."""
    names, given = players_of(row), _opening(row, board)
    for ply, (title, now) in enumerate(positions(board), start=1):
        opening = " (opening)" if ply <= given else ""
        printing.say(f"\n{title}: {names[-now.to_move]}{opening}")
        printing.say_screen(screen.lines(now, colour=True))
        if ply < board.plies:
            printing.say(f"Enter: move {ply + 1} of {board.plies}; q: quit")
            answer = sys.stdin.readline()
            if not answer or answer.strip().lower() == "q":
                return


def draw(folder: Path, row: Mapping[Any, Any], board: Board) -> list[Path]:
    """Draw the last position with the number of its move in each stone, as figures/game_NUMBER.svg and .png."""
    names, given = players_of(row), _opening(row, board)
    lines = [(1, f"{names[1]}, first"), (-1, f"{names[-1]}, second"), (0, f"Game {row['game']}: {ending_text(row)}")]
    if given:
        lines.append((0, "Pale: the opening"))
    paths = [folder / "figures" / f"game_{row['game']}{ending}" for ending in drawing.ENDINGS]
    for path in paths:
        drawing.save(board, path, drawing.Notes(numbers=True, given=given, lines=lines))
    return paths


if __name__ == "__main__":
    leave(guarded(main))
