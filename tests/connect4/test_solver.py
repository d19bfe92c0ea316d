"""The exact solver against published scores, a plain negamax, symmetry, and its own promises about budgets."""

from __future__ import annotations

import functools
import io
import itertools
import random
import re
import sys
import time

import numpy as np
import pytest

from connect4 import Board, Solver, analyse, solve
from connect4.solver.command import main
from numerics.exits import run_guarded
from tests.connect4.naive_search import exact_score
from tests.connect4.positions import undecided
from tests.data import read
from tests.internals import kernel, packaged_book, random_games, wide_form
from tests.refusals import refused

pytestmark = pytest.mark.kernels

FACTS = read("exact_scores")
FEASIBLE = {(5, 4), (4, 6), (7, 4), (5, 6), (6, 6)}
WIDE = [(8, 8), (9, 7), (10, 7)]  # boards of more than 64 bits
SETS = ("L3_R1", "L2_R1", "L1_R1")


@functools.cache
def solver(*size: int) -> Solver:
    return Solver(*size, table_bits=20, book=None)


# Alpha-beta as in a textbook, on cells, with no table, no bits and no order of moves: a twin for the solver.
@kernel()
def _wins(grid, column, row, side):
    for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for way in (-1, 1):
            x, y = column + way * right, row + way * up
            while 0 <= x < grid.shape[0] and 0 <= y < grid.shape[1] and grid[x, y] == side:
                length, x, y = length + 1, x + way * right, y + way * up
        if length >= 4:
            return True
    return False


@kernel("int64(int64[:, ::1], int64, int64, int64)")
def _score(grid, side, alpha, beta):
    stones = np.count_nonzero(grid)
    if stones == grid.size:
        return np.int64(0)
    for column in range(grid.shape[0]):
        row = np.count_nonzero(grid[column])
        if row == grid.shape[1]:
            continue
        grid[column, row] = side
        if _wins(grid, column, row, side):
            score = np.int64((grid.size + 1 - stones) // 2)
        else:
            score = -_score(grid, -side, -beta, -alpha)
        grid[column, row] = 0
        if score >= beta:
            return score
        alpha = max(alpha, score)
    return alpha


@kernel("void(int64[:, :, ::1], int64[::1])")
def scores_of(grids, scores):
    """Write the score of each grid: columns of cells from the ground, 1 for the side to move, -1 for the other."""
    for number in range(len(grids)):
        scores[number] = _score(grids[number], np.int64(1), -np.int64(grids[number].size), np.int64(grids[number].size))


def plain_scores(boards: list[Board]) -> list[int]:
    """The scores by plain alpha-beta."""
    scores = np.zeros(len(boards), dtype=np.int64)
    scores_of(np.array([board.grid[::-1].T * board.to_move for board in boards], dtype=np.int64), scores)  # 1 moves
    return scores.tolist()


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize("name", SETS)
def test_all_thousand_positions_of_each_set_have_their_scores_in_few_nodes(name: str):
    positions = read("pons_sets")[name]
    own = Solver(book=None)
    found = own.solve_many([Board.from_moves(moves) for moves, _ in positions])
    assert [row for row, score in zip(positions, found, strict=True) if row[1] != score] == []
    assert len(positions) == 1_000
    # Pons's published means, https://github.com/PascalPons/connect4: 51, 449 and 3,300 positions searched.
    assert own.nodes / len(positions) <= {"L3_R1": 51, "L2_R1": 449, "L1_R1": 3_300}[name]


@pytest.mark.jit
@pytest.mark.parametrize(
    ("width", "height", "result", "length"),
    [
        pytest.param(*row, marks=[pytest.mark.long] * (row[0] * row[1] > 30))
        for row in FACTS["board_sizes"]
        if row[0] * row[1] <= 16 or tuple(row[:2]) in FEASIBLE
    ],
)
def test_boards_of_known_value_have_it_from_the_start(width: int, height: int, result: str, length: int):
    expected = {"win": 1, "draw": 0, "loss": -1}[result] * ((width * height + 1 - (length - 1)) // 2)
    assert Solver(width, height, table_bits=22, book=None).solve(Board(width, height)).score == expected


def late_boards(width: int, height: int, most: int, count: int, seed: int) -> list[Board]:
    """Undecided positions of random games, with at most so many empty cells; on large boards they are rare."""
    rng, least, boards, first = random.Random(seed), width * height - most, list[Board](), 0
    while len(boards) < count:
        games = random_games(width, height, 4, 5_000, seed, first)
        first += 5_000
        for game in np.flatnonzero(games.lengths > least).tolist():
            plies = rng.randint(least, int(games.lengths[game]) - 1)
            boards.append(Board.from_moves(games.moves[game, :plies].tolist(), width, height))
    return boards[:count]


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize("size", [(5, 5), (5, 4), *WIDE])
def test_late_positions_have_the_score_of_a_plain_alpha_beta(size: tuple[int, int]):
    boards = late_boards(*size, 13 if size in WIDE else 9, 60 if size in WIDE else 600, seed=7)
    expected = plain_scores(boards)
    assert Solver(*size, table_bits=18).solve_many(boards) == expected
    assert Solver(*size, table_bits=14).solve_many([board.mirror() for board in boards]) == expected
    assert len(set(expected)) > 3


@pytest.mark.jit
def test_on_two_words_the_search_is_the_one_on_one_word(monkeypatch):
    boards = [Board.from_moves(moves) for name in SETS for moves, _ in read("pons_sets")[name][:30]]
    narrow, wide = Solver(book=None), Solver(book=None)
    scores = narrow.solve_many(boards)
    monkeypatch.setattr("connect4.solver.solver.is_wide", lambda width, height: True)
    monkeypatch.setattr("connect4.solver.solver.form_for", lambda board, hook: wide_form(hook))
    assert wide.solve_many(boards) == scores
    assert wide.nodes == narrow.nodes


def test_a_few_late_positions_have_the_scores_of_plain_recursion_by_the_twin_and_by_the_solver():
    boards = undecided(12, [(5, 4, 4)], seed=5, fewest=14)
    expected = [exact_score(board) for board in boards]
    assert plain_scores(boards) == [solver(5, 4).solve(board).score for board in boards] == expected


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(4, 4, 4), (5, 4, 4), (5, 3, 4), (4, 3, 3)])
def test_what_follow_up_play_proves_holds_for_the_score(size: tuple[int, int, int]):
    from connect4.kernels import negamax, threats
    from tests.internals import bitboard_state, follow_up, stack_of

    cells = size[0] * size[1]
    last_rows = int(stack_of(*size[:2], wide=False)[1][-1, negamax.LAST_ROWS])
    told = 0
    for board in undecided(40, [size], seed=6, left=8):
        if board.winning_moves():
            continue
        mine, filled, bottom, full, stride, run = (int(word) for word in bitboard_state(board))
        own = threats.gaps_that_win(mine, filled, full, stride, run)
        danger = threats.gaps_that_win(mine ^ filled, filled, full, stride, run)
        gaps, shape = (own, danger, -cells, cells), (bottom, full, last_rows, stride, run, cells)
        low, high = follow_up(mine, mine ^ filled, filled, board.plies, *gaps, *shape)
        assert low <= exact_score(board) <= high, repr(board)
        told += low > -cells or high < cells
    assert told > 5 or size == (4, 3, 3)  # where wins come early


@pytest.mark.parametrize("piece", [1, 7])
def test_a_search_in_pieces_is_the_search_in_one_go(piece: int, monkeypatch):
    board = Board.from_moves("1122113434", 5, 4)
    whole = Solver(5, 4, table_bits=14).solve(board)
    monkeypatch.setattr("connect4.solver.solver._PIECE", piece)
    apart = Solver(5, 4, table_bits=14).solve(board)
    assert (apart.low, apart.high, apart.nodes) == (whole.low, whole.high, whole.nodes)
    assert whole.score == exact_score(board)
    assert whole.nodes > 10


def test_a_list_of_positions_has_the_scores_of_its_positions_of_the_book_and_beyond():
    late, scores = zip(*[(Board.from_moves(moves), score) for moves, score in FACTS["L3_R1"][:2]], strict=True)
    first, won = Board(), Board.from_moves("112233")
    assert Solver().solve_many([late[0], first, late[1], won]) == [scores[0], 1, scores[1], 18]
    assert Solver().solve_many([]) == []
    found = solver().solve(won)
    assert (found.score, found.value, found.nodes) == (18, 1.0, 0), "a win at once needs no search"


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize("size", [(4, 4, 3), (3, 7, 4), (5, 4, 4), (6, 3, 3)])
def test_random_positions_have_the_score_of_a_plain_search(size: tuple[int, int, int]):
    for board in undecided(40, [size], left=10):
        assert solver(*size).solve(board).score == exact_score(board), repr(board)
        weak = solver(*size).solve(board, weak=True).value
        assert weak == 0.5 + 0.5 * np.sign(exact_score(board))


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
def test_a_solver_that_is_told_to_stop_gives_bounds():
    board, asked = Board.from_moves("1234567"), []

    def stop():
        asked.append(None)
        return len(asked) == 3

    found = Solver(book=None).solve(board, stop=stop)
    assert found.score is None
    assert 0 < found.nodes < 1_000_000
    assert len(asked) == 3
    assert Solver().solve(board, stop=lambda: True).score is not None, "a book is asked nothing"


@pytest.mark.jit
def test_a_budget_gives_bounds_and_never_a_guess():
    board = Board.from_moves("35333571")  # a loss of score -3, from Fhourstones' examples
    solver().solve(board, nodes=1)  # loads the kernel, which is in no budget
    for budget in ({"nodes": 1}, {"nodes": 1_000}, {"nodes": 300_000}, {"seconds": 0.01}):
        found = Solver(book=None).solve(board, **budget)
        assert found.low <= -3 <= found.high
        assert found.score is None
        assert found.nodes <= budget.get("nodes", 10**9)


def test_a_table_takes_the_memory_that_is_asked_for():
    assert [Solver(4, 4, table_bits=bits)._table.nbytes for bits in (14, 17)] == [8 * 2**14, 8 * 2**17]


@pytest.mark.parametrize(
    ("call", "key", "value"),
    [
        (lambda: Solver(12, 12), "board", "128"),
        (lambda: Solver(8, 8, book=packaged_book(7, 6, 4)), "book", "(7, 6, 4)"),
        (lambda: Solver(table_bits=3), "table_bits", "3"),
        (lambda: solver().solve(Board(5, 4)), "board", "(5, 4, 4)"),
        (lambda: solver().solve(Board.from_moves("1122334")), "board", "finished"),
        (lambda: solver().solve_many([Board(), Board.from_moves("1122334")]), "board", "finished"),
        (lambda: solver().solve(Board.from_moves("1"), nodes=0), "nodes", "0"),
        (lambda: solver().solve(Board.from_moves("1"), seconds=-1.0), "seconds", "-1"),
        *((lambda ask=ask: ask("44"), "board", "got '44'") for ask in (solve, analyse, Solver().solve)),
    ],
)
def test_what_cannot_be_solved_is_refused(call, key: str, value: str):
    refused(call, f"{key} ", value)


@pytest.mark.parametrize("ask", [solve, analyse, lambda board: Solver(8, 8).solve_many([board])])
def test_an_early_position_of_a_large_board_is_refused_unless_there_is_a_budget(ask):
    early = Board.from_moves("44", 8, 8)
    refused(lambda: ask(early), "board ", "40", "8x8")
    found = Solver(8, 8, table_bits=14).solve(early, nodes=1)
    assert found.low < found.high


@pytest.mark.jit
def test_the_command_solves_a_pipe_and_says_which_lines_are_none(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("# two positions\n4455\nabc\n\n1122334\n44455554221\n"))
    with pytest.raises(SystemExit) as left:
        main(["-"])
    said = capsys.readouterr()
    assert left.value.code == 2
    assert [line.split()[:2] for line in said.out.splitlines()] == [["4455", "18"], ["44455554221", "-15"]]
    assert [line[:12] for line in said.err.splitlines()] == ["line 3: move", "line 5: boar"]


@pytest.mark.jit
def test_the_command_shows_a_position_and_stops_at_a_time_with_bounds(capsys, tmp_path):
    file = tmp_path / "positions.txt"
    file.write_text("\n44455554221\n35333571\n")
    said = []
    for words in (["4445555422"], ["book=null", "seconds=0.01", ""], ["book=null", "seconds=0.01", f"file={file}"]):
        main(words)
        said.append(capsys.readouterr().out)
    assert "score +15" in said[0]
    assert "best: 1, 3" in said[0]
    low, high = re.search(r"score from (\S+) to (\S+);", said[1]).groups()
    assert int(low) <= 1 <= int(high)
    low, high = said[2].splitlines()[1].split()[1].split("..")
    assert int(low) <= -3 <= int(high)


def test_a_mistake_at_the_command_line_is_one_sentence(capsys):
    for words in ("4x", "board=9x9 1", "board=8x8 book=no_such_file 1", "file=no_such_file", "seconds=0 4", "1122334"):
        assert run_guarded(lambda words=words: main(words.split())) == 2
        said = capsys.readouterr()
        assert (len(said.err.splitlines()), said.out) == (1, ""), words


def test_the_clock_is_looked_at_after_a_thousand_positions(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(time, "perf_counter", itertools.count().__next__)  # a second passes at every look
    found = Solver().solve(Board.from_moves("445354433"), seconds=1.5)
    assert (found.nodes, found.score) == (1_000, None)
