"""Pictures of a position: SVG written here, PNG by Matplotlib, both from one list of shapes.

A stone is told by its colour, by how light it is in grey print, and by its sign: X, a dark cross on yellow, for the
player who began, and O, a white ring on blue, for the other. A double rim marks the last move, a dark band behind its
stones each row that wins.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from connect4.notation import SIGNS
from connect4.position import Position
from numerics.output.files import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL = 48.0  # pixels of a cell, where the board is small
LARGEST = 960.0  # pixels of the longer side of a large board
ENDINGS = (".svg", ".png")

DARK, FRAME, HOLE, WHITE = "#1f2933", "#c9d3dd", "#f4f7fa", "#ffffff"
STONE = {1: "#ffc20a", -1: "#0b5cad"}  # yellow and blue: apart for every kind of colour blindness, and in grey
RADIUS = 0.42
MARGIN, BELOW = 0.12, 1.15  # round the board, and for the two lines of text below it
NARROWEST = 3.2  # the line below a board of one or two columns needs as much


class Disc(NamedTuple):
    """A disc, or with an empty `fill` a circle; lengths in cells, from the board's upper left corner."""

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


Shape = Disc | Plate | Stroke | Words


def svg(board: Position) -> str:
    """Return a picture as an SVG document that needs nothing else.

    Examples
    --------
    >>> from connect4 import Board
    >>> picture = svg(Board.from_moves("4453"))
    >>> picture[:4], picture.count("<title>")
    ('<svg', 1)
    """
    x, y, width, height = _frame(board)
    scale = _scale(width, height)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * scale:.0f}" height="{height * scale:.0f}" '
            f'viewBox="{x:g} {y:g} {width:g} {height:g}" role="img" '
            'font-family="DejaVu Sans, Verdana, Arial, sans-serif">',
            f"<title>{_title(board)}</title>",
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{WHITE}"/>',
            *(_element(shape) for shape in _shapes(board)),
            "</svg>",
            "",
        ]
    )


def save(board: Position, path: str | Path) -> None:
    """Write a picture of a position, whole or not at all; folders that are absent are made.

    Parameters
    ----------
    board : Position
        Of any size.
    path : str or Path
        Its ending decides: .svg or .png.

    Raises
    ------
    ValueError
        Another ending.
    """
    if not isinstance(path, (str, Path)) or Path(path).suffix.lower() not in ENDINGS:
        got = str(path) if isinstance(path, Path) else path
        raise ValueError(f"path must be a file name that ends in {' or '.join(ENDINGS)}; got {got!r}")
    place = Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(place) as beside:
        if place.suffix.lower() == ".svg":
            beside.write_text(svg(board), encoding="utf-8")
        else:
            _write_png(board, beside)


def _frame(board: Position) -> tuple[float, float, float, float]:
    """Return the left and upper end, the width and the height of the picture."""
    width = max(board.width, NARROWEST) + 2 * MARGIN
    return (board.width - width) / 2, -MARGIN, width, board.height + BELOW + 2 * MARGIN


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


def _shapes(board: Position) -> list[Shape]:
    """Return everything that is drawn, what lies behind first."""
    grid = board.grid
    shapes: list[Shape] = [Plate(0.0, 0.0, board.width, board.height, 0.2, FRAME)]
    for cells in board.winning_rows():
        (row1, column1), (row2, column2) = cells[0], cells[-1]
        shapes.append(Stroke(column1 + 0.5, row1 + 0.5, column2 + 0.5, row2 + 0.5, DARK, 0.98))
    for row in range(board.height):
        for column in range(board.width):
            x, y, player = column + 0.5, row + 0.5, int(grid[row, column])
            shapes += _stone(x, y, RADIUS, player) if player else [Disc(x, y, RADIUS, HOLE)]
    if board.moves:
        column = board.moves[-1]
        x, y = column + 0.5, board.height - board.heights[column] + 0.5
        shapes += [Disc(x, y, RADIUS - 0.03, "", DARK, 0.1), Disc(x, y, RADIUS + 0.03, "", WHITE, 0.06)]
    digits = len(str(board.width - 1))
    for column in range(board.width):
        shapes.append(Words(column + 0.5, board.height + 0.42, 0.36 if digits == 1 else 0.32, str(column), True))
    return shapes + _state(board)


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


def _state(board: Position) -> list[Shape]:
    """Return the line below: whose turn it is, or how the game ended."""
    y, size = board.height + 0.88, 0.36
    winner = board.winner()
    if board.is_finished() and not winner:
        return [Words(board.width / 2, y + 0.13, size, "a draw", True)]
    text = "has won" if winner else "to move"
    x = (board.width - 2.1) / 2
    return [*_stone(x + 0.22, y, 0.22, winner or board.to_move), Words(x + 0.6, y + 0.13, size, text, False)]


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
        case Words(x, y, size, text, centred):
            anchor = ' text-anchor="middle"' if centred else ""
            return f'<text x="{x:.5g}" y="{y:.5g}" font-size="{size:g}" fill="{DARK}"{anchor}>{text}</text>'


def _write_png(board: Position, path: Path) -> None:
    """Draw the shapes with Matplotlib, twice as fine as the SVG's size in pixels."""
    import matplotlib.style
    from matplotlib.figure import Figure

    x, y, width, height = _frame(board)
    scale = _scale(width, height)
    with matplotlib.style.context("default"):
        figure = Figure(figsize=(width * scale / 72, height * scale / 72), dpi=144)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        axes.set_xlim(x, x + width)
        axes.set_ylim(y + height, y)
        for order, shape in enumerate(_shapes(board)):
            _draw(axes, shape, order, scale)
        figure.savefig(path, format="png", metadata={"Title": _title(board), "Software": None})


def _draw(axes: Axes, shape: Shape, order: int, points: float) -> None:
    """Put a shape on axes whose unit is a cell of so many points; higher orders lie on top of lower ones."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle, FancyBboxPatch

    match shape:
        case Disc(x, y, radius, fill, stroke, width):
            axes.add_artist(
                Circle(
                    (x, y), radius, facecolor=fill or "none", edgecolor=stroke or "none", linewidth=width * points,
                    zorder=order,
                )
            )  # fmt: skip
        case Plate(x, y, width, height, corner, fill):
            axes.add_artist(
                FancyBboxPatch(
                    (x + corner, y + corner), width - 2 * corner, height - 2 * corner, linewidth=0.0, facecolor=fill,
                    boxstyle=f"round,pad={corner}", zorder=order,
                )
            )  # fmt: skip
        case Stroke(x1, y1, x2, y2, stroke, width):
            axes.add_artist(
                Line2D(
                    [x1, x2], [y1, y2], color=stroke, linewidth=width * points, solid_capstyle="round", zorder=order
                )
            )  # fmt: skip
        case Words(x, y, size, text, centred):
            axes.text(
                x, y, text, fontsize=size * points, color=DARK, ha="center" if centred else "left", va="baseline",
                zorder=order,
            )  # fmt: skip
