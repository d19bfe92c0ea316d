"""The exact solver against published scores, a plain negamax, symmetry, and its own promises about budgets."""

from __future__ import annotations

import functools
import io
import random
import sys
from pathlib import Path

import pytest

from connect4 import Board, Solver, analyse, solve
from connect4.solver_command import main
from tests.data import read

FACTS = read("exact_scores")
SETS = ("L3_R1", "L2_R1", "L1_R1")
COLLECTION = Path(__file__).resolve().parents[3] / "shared" / "groundtruth" / "pons"


@functools.cache
def solver(*size: int) -> Solver:
    return Solver(*size, table_bits=20)


@functools.cache
def negamax(board: Board) -> int:
    """The score by plain recursion over all moves."""
    cells = board.width * board.height
    best = -cells
    for column in board.legal_moves():
        after = board.copy()
        after.play(column)
        if after.winner():
            return (cells + 1 - board.plies) // 2
        best = max(best, 0 if after.is_finished() else -negamax(after))
    return best


def random_board(rng: random.Random, plies: int, *size: int) -> Board | None:
    board = Board(*size)
    for _ in range(plies):
        if board.is_finished():
            return None
        board.play(rng.choice(board.legal_moves()))
    return None if board.is_finished() else board


@pytest.mark.jit
@pytest.mark.parametrize("name", SETS)
def test_pons_positions_have_their_scores(name: str):
    wrong = [(moves, score) for moves, score in FACTS[name] if solver().solve(Board.from_moves(moves)).score != score]
    assert wrong == []


@pytest.mark.jit
@pytest.mark.parametrize("name", SETS)
def test_all_thousand_positions_of_each_set_have_their_scores_in_few_nodes(name: str):
    file = COLLECTION / f"Test_{name}"
    if not file.exists():
        pytest.skip("the collection of facts is not beside this checkout; a part of it is in tests/data")
    positions = [line.split() for line in file.read_text().splitlines()]
    own = Solver()
    wrong = [moves for moves, score in positions if own.solve(Board.from_moves(moves)).score != int(score)]
    assert wrong == []
    # Pons's published means, https://github.com/PascalPons/connect4: 51, 449 and 3,300 positions searched.
    assert own.nodes / len(positions) <= {"L3_R1": 51, "L2_R1": 449, "L1_R1": 3_300}[name]


def test_the_examples_of_the_convention():
    assert solve(Board.from_moves("4455")).score == 18
    assert solver().solve(Board.from_moves("44455554221")).score == -15


@pytest.mark.jit
@pytest.mark.parametrize(
    ("width", "height", "result", "length"),
    [tuple(row) for row in FACTS["board_sizes"] if row[0] * row[1] <= 30 or tuple(row[:2]) == (4, 8)],
)
def test_boards_of_known_value_have_it_from_the_start(width: int, height: int, result: str, length: int):
    cells = width * height
    sign = {"win": 1, "draw": 0, "loss": -1}[result]
    expected = sign * ((cells + 1 - (length - 1)) // 2)
    assert Solver(width, height, table_bits=22).solve(Board(width, height)).score == expected


@pytest.mark.jit
@pytest.mark.parametrize(
    "size", [(4, 4, 4), (5, 4, 4), (5, 5, 4), (4, 4, 3), (6, 3, 3), (3, 7, 4), (2, 8, 4), (7, 3, 5)]
)
def test_random_positions_have_the_score_of_a_plain_search(size: tuple[int, int, int]):
    rng, cells = random.Random(1), size[0] * size[1]
    boards = [random_board(rng, rng.randint(cells - 12, cells - 1), *size) for _ in range(150)]
    found = [board for board in boards if board is not None]
    assert len(found) > 20
    for board in found:
        assert solver(*size).solve(board).score == negamax(board), repr(board)
        weak = solver(*size).solve(board, weak=True).value
        assert weak == (1.0 if negamax(board) > 0 else 0.0 if negamax(board) < 0 else 0.5)


def test_a_few_late_positions_have_the_score_of_a_plain_search():
    rng = random.Random(2)
    for _ in range(12):
        board = random_board(rng, 14, 5, 4)
        if board is not None:
            assert solver(5, 4).solve(board).score == negamax(board)


@pytest.mark.jit
def test_a_position_and_its_mirror_image_have_the_same_score():
    rng = random.Random(3)
    for _ in range(40):
        board = random_board(rng, 22)
        if board is not None:
            ahead = solver().scores(board)
            assert ahead == solver().scores(board.mirror())[::-1]


@pytest.mark.jit
def test_analyse_gives_the_scores_of_the_moves_and_play_that_ends_as_it_says():
    board = Board.from_moves("4445555422")
    found = analyse(board, solver())
    assert found.scores[0] == max(score for score in found.scores if score is not None) == 15
    assert found.best == tuple(column for column, score in enumerate(found.scores) if score == 15)
    assert solver().solve(board).score == 15
    for column in found.variation:
        board.play(column)
    assert board.winner() == 1
    assert (43 - (board.plies - 1)) // 2 == 15


@pytest.mark.jit
def test_a_budget_gives_bounds_and_never_a_guess():
    board = Board.from_moves("35333571")  # a loss of score -3, from Fhourstones' examples
    for budget in ({"nodes": 1_000}, {"nodes": 300_000}, {"seconds": 0.05}):
        found = Solver().solve(board, **budget)
        assert found.low <= -3 <= found.high
        assert found.score is None
        assert found.nodes <= budget.get("nodes", 10**9)


def test_a_win_at_once_needs_no_search():
    found = solver().solve(Board.from_moves("112233"))
    assert (found.score, found.value, found.nodes) == (18, 1.0, 0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Solver(9, 8), "board must have"),
        (lambda: Solver(table_bits=3), "table_bits must"),
        (lambda: solver().solve(Board(5, 4)), "board must be of the solver's size"),
        (lambda: solver().solve(Board.from_moves("1122334")), "board must be a position that is not finished"),
        (lambda: solver().solve(Board.from_moves("1"), nodes=0), "nodes must"),
        (lambda: solver().solve(Board.from_moves("1"), seconds=-1.0), "seconds must"),
    ],
)
def test_what_cannot_be_solved_is_one_sentence(call, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.jit
def test_the_command_shows_a_position(capsys):
    with pytest.raises(SystemExit) as left:
        main(["4445555422"])
    said = capsys.readouterr().out
    assert left.value.code == 0
    assert "X to move: a win, score +15; best: 1, 3" in said


@pytest.mark.jit
def test_the_command_solves_a_pipe_and_says_which_lines_are_none(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("# two positions\n4455\nabc\n\n1122334\n44455554221\n"))
    with pytest.raises(SystemExit) as left:
        main(["-"])
    said = capsys.readouterr()
    assert left.value.code == 2
    assert [line.split()[:2] for line in said.out.splitlines()] == [["4455", "18"], ["44455554221", "-15"]]
    assert said.err.splitlines()[0].startswith("line 3: moves must be columns")
    assert said.err.splitlines()[1].startswith("line 5: board must be a position that is not finished")
    assert len(said.err.splitlines()) == 2


@pytest.mark.parametrize("arguments", [["4x"], ["--board", "9x9", "1"], ["--file", "no_such_file"], ["--board", "0x6"]])
def test_a_mistake_at_the_command_line_is_one_sentence(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    said = capsys.readouterr()
    assert left.value.code == 2
    assert len(said.err.splitlines()) == 1
    assert said.out == ""
