"""The solved games of the studies of search: their titles on pages, and their names and sizes for `game=`."""

from __future__ import annotations

from dataclasses import dataclass

CONNECT4, DOTS_AND_BOXES, BREAKTHROUGH, HEX = "connect4", "dots_and_boxes", "breakthrough", "hex"


@dataclass(frozen=True)
class SolvedGame:
    """A game of the pages: its title there, and its name and size for `game=`."""

    title: str
    text: str


GAMES = {
    CONNECT4: SolvedGame("Connect 4, 7 x 6", "connect4"),
    DOTS_AND_BOXES: SolvedGame("Dots and Boxes, 3 x 3", "dots_and_boxes rows=3 columns=3"),
    BREAKTHROUGH: SolvedGame("Breakthrough, 5 x 4", "breakthrough rows=5 columns=4"),
    HEX: SolvedGame("Hex, 4 x 4", "hex size=4"),
    "breakthrough_5x5": SolvedGame("Breakthrough, 5 x 5", "breakthrough rows=5 columns=5"),
    "hex_5x5": SolvedGame("Hex, 5 x 5", "hex size=5"),
}
USUAL = (CONNECT4, DOTS_AND_BOXES, BREAKTHROUGH, HEX)
"""The games of the pages."""
