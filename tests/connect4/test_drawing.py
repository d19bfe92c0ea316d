"""Pictures of positions: every stone where it lies, told apart without colour, and the same in both formats."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import image
from matplotlib.colors import to_rgb

from connect4 import Board, drawing, screen
from tests.connect4.positions import undecided
from tests.refusals import refused

pytestmark = pytest.mark.jit  # how kernels run decides nothing here

SVG = "{http://www.w3.org/2000/svg}"
BOARDS = [
    Board(),
    Board.from_moves("4453"),
    Board.from_moves("1122335577664"),
    Board.from_moves("12234334544"),
    Board.from_moves("1122", 2, 2),
    Board(1, 1),
    Board.from_moves("11111", 1, 9),
    Board.from_moves("1,20,3,20", 20, 3),
    Board.from_grid(Board.from_moves("4455").grid),
    *undecided(2, [(9, 8, 5)], seed=6),
]


def elements(board: Board, tag: str) -> list[ET.Element]:
    return ET.fromstring(drawing.svg(board)).findall(f"{SVG}{tag}")


def discs(board: Board, colour: str) -> set[tuple[float, float]]:
    """The middles (x, y) of the large discs of a colour; the one below the board is small."""
    return {
        (float(one.attrib["cx"]), float(one.attrib["cy"]))
        for one in elements(board, "circle")
        if one.attrib["fill"] == colour and float(one.attrib["r"]) > 0.3
    }


@pytest.mark.parametrize("board", BOARDS, ids=repr)
def test_the_picture_has_every_stone_every_hole_and_every_column_number(board: Board):
    for cell, colour in ((1, drawing.STONE[1]), (-1, drawing.STONE[-1]), (0, drawing.HOLE)):
        cells = {(float(column) + 0.5, float(row) + 0.5) for row, column in np.argwhere(board.grid == cell)}
        assert discs(board, colour) == cells
    words = [one.text for one in elements(board, "text")]
    assert words[:-1] == [str(column) for column in range(1, board.width + 1)]
    assert words[-1] == ("has won" if board.winner() else "a draw" if board.is_finished() else "to move")


@pytest.mark.parametrize("board", BOARDS, ids=repr)
def test_everything_lies_inside_the_picture(board: Board):
    root = ET.fromstring(drawing.svg(board))
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    for one in [*root.iter(f"{SVG}circle"), *root.iter(f"{SVG}text")]:
        x, y, r = (float(one.get(name, one.get(other, 0.0))) for name, other in (("cx", "x"), ("cy", "y"), ("r", "")))
        assert left <= x - r <= x + r <= left + width
        assert top <= y - r <= y + r <= top + height


def test_stones_carry_a_sign_of_their_own_and_differ_by_far_in_grey_print():
    board = Board.from_moves("45")
    crosses = elements(board, "line")
    rings = [one for one in elements(board, "circle") if one.attrib["fill"] == "none"]
    inside = {(one.attrib["cx"], one.attrib["cy"]) for one in rings if one.attrib["stroke"] == drawing.WHITE}
    assert len(crosses) == 4, "two strokes on the stone, two on the small one that is to move"
    assert ("4.5", "5.5") in inside, "the ring of the second player"
    assert ("3.5", "5.5") not in inside
    light, dark = (np.dot(to_rgb(drawing.STONE[player]), (0.299, 0.587, 0.114)) for player in (1, -1))
    assert light - dark > 0.35


def test_the_last_move_alone_has_the_double_rim():
    for board in BOARDS:
        rims = [
            (float(one.attrib["cx"]), float(one.attrib["cy"]), one.attrib["stroke"])
            for one in elements(board, "circle")
            if one.attrib["fill"] == "none" and float(one.attrib["r"]) > 0.3
        ]
        if not board.moves:
            assert rims == []
            continue
        column = board.moves[-1]
        place = (column + 0.5, board.height - board.heights[column] + 0.5)
        assert rims == [(*place, drawing.DARK), (*place, drawing.WHITE)]


def test_a_band_lies_behind_each_row_that_wins_and_nowhere_else():
    for board in BOARDS:
        bands = [one for one in elements(board, "line") if float(one.attrib["stroke-width"]) > 0.5]
        ends = [tuple(float(one.attrib[name]) - 0.5 for name in ("y1", "x1", "y2", "x2")) for one in bands]
        assert ends == [(*row[0], *row[-1]) for row in board.winning_rows()]
    assert [len(board.winning_rows()) for board in BOARDS[2:4]] == [4, 1]


@pytest.mark.parametrize("board", BOARDS[2:8:2], ids=repr)
def test_both_files_show_the_same_colours_in_the_same_places(board: Board, tmp_path: Path):
    svg, png = tmp_path / "new" / "folder" / "board.SVG", tmp_path / "new" / "folder" / "board.png"
    for one in (Board(), board):  # which takes the first one's place
        one.save_picture(svg)
        one.save_picture(str(png))
    assert sorted(svg.parent.iterdir()) == [svg, png]
    assert svg.read_text(encoding="utf-8") == board.to_svg() == board._repr_html_()
    root = ET.fromstring(board.to_svg())
    pixels = image.imread(png)[:, :, :3]
    left, top, width, _ = map(float, root.attrib["viewBox"].split())
    assert pixels.shape[1] == pytest.approx(2 * float(root.attrib["width"]), abs=2)
    assert pixels.shape[0] == pytest.approx(2 * float(root.attrib["height"]), abs=2)
    scale = pixels.shape[1] / width
    for one in root.iter(f"{SVG}circle"):
        if one.attrib["fill"] == "none":
            continue
        x, y, r = (float(one.attrib[name]) for name in ("cx", "cy", "r"))
        spot = pixels[int((y - top) * scale), int((x - left + 0.68 * r) * scale)]
        np.testing.assert_allclose(spot, to_rgb(one.attrib["fill"]), atol=0.02)


def test_large_boards_are_drawn_no_larger_than_a_page():
    for board in (Board(64, 1), Board(2, 63), Board(10, 11)):
        root = ET.fromstring(board.to_svg())
        assert max(float(root.attrib[name]) for name in ("width", "height")) <= drawing.LARGEST
        assert len(elements(board, "circle")) == board.empty_cells + 1


def test_other_endings_are_refused_before_anything_is_written(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("board.pdf", "board", "", ".png", "board.svg.gz", 5, None):
        refused(lambda path=path: Board().save_picture(path), "path ", ".svg or .png", f"got {path!r}")
    assert list(tmp_path.iterdir()) == []


def test_svg_needs_no_matplotlib():
    program = "import sys; from connect4 import Board; Board().to_svg(); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_moves_are_numbered_and_an_openings_stones_are_paler():
    board = Board.from_moves("445334")
    picture = ET.fromstring(drawing.svg(board, drawing.Notes(numbers=True, given=2)))
    numbers = {
        one.text: (float(one.attrib["x"]), int(float(one.attrib["y"])), one.attrib["fill"])
        for one in picture.findall(f"{SVG}text")[: board.plies]
    }
    assert numbers == {
        "1": (3.5, 5, drawing.DARK),
        "2": (3.5, 4, drawing.DARK),
        "3": (4.5, 5, drawing.DARK),
        "4": (2.5, 5, drawing.WHITE),
        "5": (2.5, 4, drawing.DARK),
        "6": (3.5, 3, drawing.WHITE),
    }
    fills = [one.attrib["fill"] for one in picture.findall(f"{SVG}circle")]
    assert (fills.count(drawing.PALE[1]), fills.count(drawing.PALE[-1])) == (1, 1)
    assert board.to_svg(numbers=True) == drawing.svg(board, drawing.Notes(numbers=True))


@pytest.mark.parametrize("board", [BOARDS[4], BOARDS[1], BOARDS[7]], ids=repr)
def test_what_is_noted_below_stands_below_and_inside(board: Board):
    lines = [(1, "a <b> & " + 9 * "long "), (-1, "c"), (0, "")]
    notes = drawing.Notes(below=[str(column) for column in range(board.width)], bold=[1], lines=lines)
    picture = ET.fromstring(drawing.svg(board, notes))
    left, top, width, height = map(float, picture.attrib["viewBox"].split())
    texts = picture.findall(f"{SVG}text")[board.width :]
    assert [one.text for one in texts[: board.width]] == list(notes.below)
    assert [one.text for one in texts if one.get("font-weight")] == ["1"]
    written = " ".join(one.text or "" for one in texts[board.width :])
    assert written.split() == ["a", "<b>", "&", *["long"] * 9, "c"]
    for one in texts:
        x, y, size = (float(one.attrib[name]) for name in ("x", "y", "font-size"))
        assert top < y < top + height - 0.05
        assert left < x
        if not one.get("text-anchor"):
            assert x + drawing.LETTER * size * len(one.text or "") <= left + width


# --- in a terminal ---


CODES = re.compile(r"\x1b\[[\d;]*m")


@pytest.mark.parametrize("board", BOARDS, ids=repr)
def test_without_marks_and_colours_it_is_the_text_of_the_board(board: Board):
    shown, coloured = screen.lines(board), screen.lines(board, colour=True)
    assert {len(line) for line in shown} == {screen.width_of(board)}
    assert [re.sub("[>*]", " ", line).split() for line in shown] == [line.split() for line in str(board).splitlines()]
    assert [CODES.sub("", line) for line in coloured] == shown
    for sign, ink, ground in (("X", "\x1b[1;33m", "\x1b[1;30;43m"), ("O", "\x1b[1;94m", "\x1b[1;97;44m")):
        marked = sum(line.count(mark + sign) for line in shown for mark in "*>")
        found = [sum(line.count(one) for line in coloured) for one in (ink, ground)]
        assert found == [sum(line.count(sign) for line in shown) - marked, marked]


@pytest.mark.parametrize("board", BOARDS, ids=repr)
def test_the_last_stone_and_the_winning_row_are_marked_and_nothing_else(board: Board):
    cell = screen.width_of(board) // board.width
    marked = {
        (row, place // cell): sign
        for row, line in enumerate(screen.lines(board)[: board.height])
        for place, sign in enumerate(line)
        if sign in "*>"
    }
    last = {(board.height - board.heights[board.moves[-1]], board.moves[-1])} if board.moves else set()
    assert {place for place, sign in marked.items() if sign == ">"} == last
    assert {place for place, sign in marked.items() if sign == "*"} == set(board.winning_line()) - last


def test_a_text_below_a_column_stands_below_its_number():
    board = Board.from_moves("4453")
    numbers, scores = screen.lines(board, ["+15", "", "0", "-3", "+1", ".", "7"])[-2:]
    assert len(numbers) == len(scores) == screen.width_of(board, ["+15"]) == 28
    assert scores.index("+15") + 2 == numbers.index("1")
    assert scores.index("7") == numbers.index("7")


@given(count=st.integers(0, 9), room=st.integers(1, 120))
def test_boards_beside_each_other_fit_the_room_and_are_all_there(count: int, room: int):
    boards = [(f"{number}. X 1", Board.from_moves("1", 4, 2)) for number in range(count)]
    shown = list(screen.side_by_side(boards, room))
    assert sum(line.count("1 2 3 4") for line in shown) == count
    assert sum(line.count(". X 1") for line in shown) == count
    if count:
        assert max(map(len, shown)) <= max(room, 8)
        most = max(line.count("1 2 3 4") for line in shown)
        assert most == min(count, screen.MOST_BESIDE, max(1, (room + 2) // 10))
