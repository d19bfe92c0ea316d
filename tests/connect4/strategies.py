"""Boards for Hypothesis: any size and run length, and any game on them, stopped anywhere."""

from __future__ import annotations

from hypothesis import strategies as st

from connect4 import Board
from connect4.lines import MOST_BITS


@st.composite
def boards(draw: st.DrawFn, largest: int = 12) -> Board:
    """Draw a position with the moves that led to it."""
    width = draw(st.integers(1, largest))
    height = draw(st.integers(1, min(largest, MOST_BITS // width - 1)))
    board = Board(width, height, draw(st.integers(2, 6)))
    for choice in draw(st.lists(st.integers(0, 10**6), max_size=width * height)):
        legal = board.legal_moves()
        if not legal:
            break
        board.play(legal[choice % len(legal)])
    return board
