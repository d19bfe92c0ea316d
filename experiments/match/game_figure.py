"""The figure of a single game: its last position, with the number of its move in each stone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from experiments.match.figures import ONE, TWO
from numerics.output.style import SMALL, called, caption

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from connect4 import Board


def draw_game(axes: Axes, board: Board, given: int, names: Mapping[str, str], title: str) -> None:
    """Draw a position with the number of its move in each stone; the `given` first ones, an opening's, are paler.

    `names` says who has the stones "X" of the first move and "O".
    """
    from matplotlib.patches import Circle

    heights = [0] * board.width
    winning = set(board.winning_line())
    room = axes.bbox.width * 72.0 / axes.figure.dpi / (board.width + 1)  # points of a cell, as far as it is known
    for ply, column in enumerate(board.moves):
        row = heights[column]
        heights[column] += 1
        won = (board.height - 1 - row, column) in winning
        axes.add_patch(
            Circle(
                (column, row), 0.42, facecolor=(ONE, TWO)[ply % 2], alpha=0.45 if ply < given else 1.0,
                edgecolor="0.05" if won else "none", linewidth=2.4 if won else 0.0, zorder=2.0,
            )
        )  # fmt: skip
        axes.text(
            column, row, str(ply + 1), ha="center", va="center", fontsize=min(13.0, 0.36 * room), zorder=3.0,
            color="white" if ply % 2 == 0 and ply >= given else "0.05", fontweight="bold" if won else "normal",
        )  # fmt: skip
    empty = [(column, row) for column in range(board.width) for row in range(heights[column], board.height)]
    for cell in empty:
        axes.add_patch(Circle(cell, 0.42, facecolor="none", edgecolor="0.8", linewidth=0.8))
    axes.set_xlim(-0.6, board.width - 0.4)
    axes.set_ylim(-0.6, board.height - 0.4)
    axes.set_aspect("equal")
    axes.set_xticks(range(board.width), [str(column) for column in range(board.width)])
    axes.set_yticks([])
    axes.tick_params(length=0.0, labelsize=SMALL)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("column", fontsize=SMALL + 1)
    for (sign, name), colour, turn in zip(names.items(), (ONE, TWO), ("first", "second"), strict=True):
        axes.plot([], [], "o", color=colour, markersize=7.0, label=f"{called(name)} ({sign}, moves {turn})")
    opening = f"; pale: the opening's {given} move{'s' if given > 1 else ''}" if given else ""
    caption(axes, f"{title}; numbers: moves{opening}")


def game_size(board: Board) -> tuple[float, float]:
    """Return the width and height in inches that a drawing of a game needs."""
    most = 14.0 / max(board.width, board.height)
    width = max(5.2, min(0.62, most) * board.width + 0.6)
    cell = min((width - 0.6) / board.width, most)  # as large as the caption is wide
    return width, max(2.4, cell * board.height + 2.0)
