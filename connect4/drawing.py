"""Pictures of a position: SVG written here, PNG by Matplotlib, both from the same list of shapes.

Colour, lightness in grey print and a sign all distinguish the stones. The player who began has X, a dark cross on
yellow. The other has O, a white ring on blue. A double rim marks the last move; a dark band runs behind each winning
row. Columns are numbered from 1. `Notes` adds the numbers of the moves, a text below each column, or other lines below
the board.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from connect4.notation import SIGNS, number_of_column
from connect4.position import Position
from numerics.output.files import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL = 48.0  # pixels of a cell, where the board is small
LARGEST = 960.0  # pixels of the longer side of a large board
ENDINGS = (".svg", ".png")

DARK, FRAME, HOLE, WHITE = "#1f2933", "#c9d3dd", "#f4f7fa", "#ffffff"
STONE = {1: "#ffc20a", -1: "#0b5cad"}  # yellow and blue: distinct for every kind of colour blindness, and in grey
PALE = {1: "#ffe6a0", -1: "#a9c6e6"}  # of an opening's stones, where moves are numbered
RADIUS = 0.42
MARGIN, LINE = 0.12, 0.54  # round the board; height of a line of text below it
NARROWEST, LEGIBLE = 3.2, 7.0  # least width for whose turn it is, and for lines of text, below a narrow board
TEXT, SMALL = 0.36, 0.31  # sizes of letters
LETTER = 0.58  # mean width of a letter over its size


@dataclass(frozen=True)
class Notes:
    """What a picture shows besides the position.

    Attributes
    ----------
    numbers : bool
        Whether each stone shows the number of its move instead of its sign; stones that a grid set up keep the sign.
    given : int
        How many of the first moves belong to the opening; their numbered stones are paler.
    below : sequence of str
        A text below the number of each column, such as its score.
    bold : sequence of int
        The 0-based columns whose text is bold.
    lines : sequence of (int, str), optional
        The lines below the board: 1 or -1 for a line that begins with a stone of that player, 0 for plain text. By
        default whose turn it is, or how the game ended.
    """

    numbers: bool = False
    given: int = 0
    below: Sequence[str] = ()
    bold: Sequence[int] = ()
    lines: Sequence[tuple[int, str]] | None = None


PLAIN = Notes()


class Disc(NamedTuple):
    """A disc, or a circle if `fill` is empty; lengths in cells, from the board's upper left corner."""

    x: float
    y: float
    radius: float
    fill: str
    stroke: str = ""
    width: float = 0.0


class Plate(NamedTuple):
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    corner: float
    fill: str


class Stroke(NamedTuple):
    """A straight line with round ends."""

    x1: float
    y1: float
    x2: float
    y2: float
    stroke: str
    width: float


class Words(NamedTuple):
    """A text on a base line at y, from x on or around it."""

    x: float
    y: float
    size: float
    text: str
    centred: bool
    fill: str = DARK
    bold: bool = False


Shape = Disc | Plate | Stroke | Words


def svg(board: Position, notes: Notes = PLAIN) -> str:
    """Return a picture as a self-contained SVG document.

    Examples
    --------
    >>> from connect4 import Board
    >>> picture = svg(Board.from_moves("4453"))
    >>> picture[:4], picture.count("<title>")
    ('<svg', 1)
    """
    x, y, width, height = _frame(board, notes)
    scale = _scale(width, height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * scale:.0f}" height="{height * scale:.0f}" '
            f'viewBox="{x:g} {y:g} {width:g} {height:g}" role="img" '
            'font-family="DejaVu Sans, Verdana, Arial, sans-serif">',
            f"<title>{_title(board)}</title>",
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{WHITE}"/>',
            *(_element(shape) for shape in _shapes(board, notes)),
            "</svg>",
            "",
        ]
    )


def save(board: Position, path: str | Path, notes: Notes = PLAIN) -> None:
    """Write a picture of a position atomically, and make missing folders.

    Parameters
    ----------
    board : Board
        Of any size.
    path : str or Path
        Ends in .svg or .png, which decides the format.
    notes : Notes, optional
        What it shows besides the position.

    Raises
    ------
    ValueError
        Another ending.
    """
    if not isinstance(path, (str, Path)) or Path(path).suffix.lower() not in ENDINGS:
        got = str(path) if isinstance(path, Path) else path
        raise ValueError(f"path must be a file name that ends in {' or '.join(ENDINGS)}; got {got!r}")
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(target) as beside:
        if target.suffix.lower() == ".svg":
            beside.write_text(svg(board, notes), encoding="utf-8", newline="\n")
        else:
            _write_png(board, beside, notes)


def _frame(board: Position, notes: Notes) -> tuple[float, float, float, float]:
    """Return the left and upper end, the width and the height of the picture."""
    inner = _inner_width(board, notes)
    lines = 1 + bool(notes.below) + len(_lines(board, notes))
    return (
        (board.width - inner) / 2 - MARGIN,
        -MARGIN,
        inner + 2 * MARGIN,
        board.height + (0.07 if notes.lines is None else 0.15) + LINE * lines + 2 * MARGIN,
    )


def _inner_width(board: Position, notes: Notes) -> float:
    return max(board.width, NARROWEST if notes.lines is None else LEGIBLE)


def _scale(width: float, height: float) -> float:
    """Return the pixels of a cell."""
    return min(CELL, LARGEST / max(width, height))


def _title(board: Position) -> str:
    size = f"Connect {board.connect} on {board.width} x {board.height}"
    winner = board.winner()
    if winner:
        return f"{size}: {SIGNS[winner]} has won after {board.plies} stones"
    if board.is_finished():
        return f"{size}: a draw"
    return f"{size}: {SIGNS[board.to_move]} to move after {board.plies} stones"


def _shapes(board: Position, notes: Notes) -> list[Shape]:
    """Return all shapes, from back to front."""
    grid, numbers = board.grid, _numbers(board) if notes.numbers else {}
    shapes: list[Shape] = [Plate(0.0, 0.0, board.width, board.height, 0.2, FRAME)]
    for cells in board.winning_rows():
        (row1, column1), (row2, column2) = cells[0], cells[-1]
        shapes.append(Stroke(column1 + 0.5, row1 + 0.5, column2 + 0.5, row2 + 0.5, DARK, 0.98))
    for row in range(board.height):
        for column in range(board.width):
            x, y, player = column + 0.5, row + 0.5, int(grid[row, column])
            if (row, column) in numbers:
                shapes += _draw_numbered(x, y, player, numbers[row, column], notes.given)
            else:
                shapes += _stone(x, y, RADIUS, player) if player else [Disc(x, y, RADIUS, HOLE)]
    if board.moves:
        column = board.moves[-1]
        x, y = column + 0.5, board.height - board.heights[column] + 0.5
        shapes += [Disc(x, y, RADIUS - 0.03, "", DARK, 0.1), Disc(x, y, RADIUS + 0.03, "", WHITE, 0.06)]
    size = TEXT if board.width < 10 else 0.32
    base = board.height + 0.42
    for column in range(board.width):
        shapes.append(Words(column + 0.5, base, size, str(number_of_column(column)), True))
    for column, text in enumerate(notes.below):
        shapes.append(Words(column + 0.5, base + LINE, 0.32, text, True, bold=column in notes.bold))
    return shapes + _words(board, notes, base + LINE * (1 + bool(notes.below)))


def _numbers(board: Position) -> dict[tuple[int, int], int]:
    """Return the number of the move that laid the stone of each cell (row, column), row 0 on top."""
    numbers, heights = {}, list(board.heights)
    for number, column in reversed(list(enumerate(board.moves, start=1))):
        numbers[board.height - heights[column], column] = number
        heights[column] -= 1
    return numbers


def _draw_numbered(x: float, y: float, player: int, number: int, given: int) -> list[Shape]:
    pale = number <= given
    size = 0.4 if number < 100 else 0.3
    disc = Disc(x, y, RADIUS - 0.015, (PALE if pale else STONE)[player], DARK, 0.03)
    return [disc, Words(x, y + 0.36 * size, size, str(number), True, WHITE if player < 0 and not pale else DARK)]


def _stone(x: float, y: float, radius: float, player: int) -> list[Shape]:
    arm, width = 0.38 * radius, 0.2 * radius
    disc = Disc(x, y, radius - 0.015, STONE[player], DARK, 0.03)
    if player < 0:
        return [disc, Disc(x, y, 0.46 * radius, "", WHITE, width)]
    return [
        disc,
        Stroke(x - arm, y - arm, x + arm, y + arm, DARK, width),
        Stroke(x - arm, y + arm, x + arm, y - arm, DARK, width),
    ]


def _lines(board: Position, notes: Notes) -> list[tuple[int, str]]:
    """Return the lines below the board, wrapped to its width; only the first part of a wrapped line has a stone."""
    if notes.lines is None:
        return [_state(board)]
    most = int((_inner_width(board, notes) - 0.6) / (LETTER * SMALL))
    return [
        (0 if part_number else player, part)
        for player, text in notes.lines
        for part_number, part in enumerate(textwrap.wrap(text, most) or [""])
    ]


def _state(board: Position) -> tuple[int, str]:
    """Return whose turn it is, or how the game ended."""
    winner = board.winner()
    if board.is_finished():
        return (winner, "has won") if winner else (0, "a draw")
    return board.to_move, "to move"


def _words(board: Position, notes: Notes, base: float) -> list[Shape]:
    """Return the shapes of the lines below the board: the state of the game centred, other lines from the left."""
    lines, shapes = _lines(board, notes), list[Shape]()
    if notes.lines is None and lines[0][0] == 0:
        return [Words(board.width / 2, base, TEXT, lines[0][1], True)]
    size, wide, base = (TEXT, 2.1, base) if notes.lines is None else (SMALL, _inner_width(board, notes), base + 0.08)
    left = (board.width - wide) / 2
    for index, (player, text) in enumerate(lines):
        y = base + LINE * index
        if player:
            shapes += _stone(left + 0.25, y - 0.11, 0.22, player)
        shapes.append(Words(left + 0.6, y, size, text, False))
    return shapes


def _element(shape: Shape) -> str:
    """Return a shape as an SVG element."""
    match shape:
        case Disc(x, y, radius, fill, stroke, width):
            rim = f' stroke="{stroke}" stroke-width="{width:.3g}"' if stroke else ""
            return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:.4g}" fill="{fill or "none"}"{rim}/>'
        case Plate(x, y, width, height, corner, fill):
            return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner:g}" fill="{fill}"/>'
        case Stroke(x1, y1, x2, y2, stroke, width):
            return (
                f'<line x1="{x1:.5g}" y1="{y1:.5g}" x2="{x2:.5g}" y2="{y2:.5g}" stroke="{stroke}" '
                f'stroke-width="{width:.3g}" stroke-linecap="round"/>'
            )
        case Words(x, y, size, text, centred, fill, bold):
            more = ' text-anchor="middle"' * centred + ' font-weight="bold"' * bold
            words = html.escape(text, quote=False)
            return f'<text x="{x:.5g}" y="{y:.5g}" font-size="{size:g}" fill="{fill}"{more}>{words}</text>'


def _write_png(board: Position, path: Path, notes: Notes) -> None:
    """Draw the shapes with Matplotlib at twice the SVG's resolution."""
    import matplotlib.style
    from matplotlib.figure import Figure

    x, y, width, height = _frame(board, notes)
    scale = _scale(width, height)
    with matplotlib.style.context("default"):
        figure = Figure(figsize=(width * scale / 72, height * scale / 72), dpi=144)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        axes.set_xlim(x, x + width)
        axes.set_ylim(y + height, y)
        for order, shape in enumerate(_shapes(board, notes)):
            _draw(axes, shape, order, scale)
        figure.savefig(path, format="png", metadata={"Title": _title(board), "Software": None})


def _draw(axes: Axes, shape: Shape, order: int, points: float) -> None:
    """Draw a shape on axes whose unit is a cell of `points` points; shapes of higher `order` cover lower ones."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle, FancyBboxPatch

    look: dict[str, Any]
    match shape:
        case Disc(x, y, radius, fill, stroke, width):
            look = {"facecolor": fill or "none", "edgecolor": stroke or "none", "linewidth": width * points}
            axes.add_artist(Circle((x, y), radius, **look, zorder=order))
        case Plate(x, y, width, height, corner, fill):
            inner = (x + corner, y + corner), width - 2 * corner, height - 2 * corner
            look = {"boxstyle": f"round,pad={corner}", "facecolor": fill, "linewidth": 0.0}
            axes.add_artist(FancyBboxPatch(*inner, **look, zorder=order))
        case Stroke(x1, y1, x2, y2, stroke, width):
            look = {"color": stroke, "linewidth": width * points, "solid_capstyle": "round"}
            axes.add_artist(Line2D([x1, x2], [y1, y2], **look, zorder=order))
        case Words(x, y, size, text, centred, fill, bold):
            look = {"ha": "center" if centred else "left", "weight": "bold" if bold else "normal", "color": fill}
            axes.text(x, y, text, fontsize=size * points, **look, parse_math=False, zorder=order)
