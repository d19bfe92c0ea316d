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
from tests.connect4 import plain_alpha_beta
from tests.connect4.naive_search import exact_score
from tests.data import read
from tests.internals import DATA, packaged_book, random_games, wide_form

pytestmark = pytest.mark.kernels

FACTS = read("exact_scores")
FEASIBLE = {(4, 8), (5, 7), (7, 5), (6, 6)}  # beyond 30 cells, in seconds
WIDE = [(8, 8), (9, 7), (10, 7)]  # boards of more than 64 bits
SETS = ("L3_R1", "L2_R1", "L1_R1")


@functools.cache
def solver(*size: int) -> Solver:
    return Solver(*size, table_bits=20, book=None)


def late_boards(width: int, height: int, most: int, count: int, seed: int) -> list[Board]:
    """Undecided positions of random games, with at most so many empty cells."""
    rng, least, boards, first = random.Random(seed), width * height - most, list[Board](), 0
    while len(boards) < count:
        games = random_games(width, height, 4, 50_000, seed, first)
        first += 50_000
        for game in np.flatnonzero(games.lengths > least).tolist():
            plies = rng.randint(least, int(games.lengths[game]) - 1)
            boards.append(Board.from_moves(games.moves[game, :plies].tolist(), width, height))
    return boards[:count]


def random_board(rng: random.Random, plies: int, *size: int) -> Board | None:
    board = Board(*size)
    for _ in range(plies):
        if board.is_finished():
            return None
        board.play(rng.choice(board.legal_moves()))
    return None if board.is_finished() else board


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
        pytest.param(*row, marks=[] if row[0] * row[1] <= 30 else pytest.mark.long)
        for row in FACTS["board_sizes"]
        if row[0] * row[1] <= 30 or tuple(row[:2]) in FEASIBLE
    ],
)
def test_boards_of_known_value_have_it_from_the_start(width: int, height: int, result: str, length: int):
    cells = width * height
    sign = {"win": 1, "draw": 0, "loss": -1}[result]
    expected = sign * ((cells + 1 - (length - 1)) // 2)
    assert Solver(width, height, table_bits=22, book=None).solve(Board(width, height)).score == expected


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize(
    ("width", "height", "least_plies", "count"),
    [(5, 5, 15, 2_000), *(pytest.param(*size, 10_000, marks=pytest.mark.long) for size in ((5, 4, 11), (5, 5, 15)))],
)
def test_thousands_of_random_positions_have_the_score_of_a_plain_alpha_beta(
    width: int, height: int, least_plies: int, count: int
):
    rng, cells = random.Random(4), width * height
    boards = []
    while len(boards) < count:
        board = random_board(rng, rng.randint(least_plies, cells - 1), width, height)
        if board is not None:
            boards.append(board)
    found = Solver(width, height, table_bits=18).solve_many(boards)
    grids = np.array([board.grid[::-1].T * board.to_move for board in boards], dtype=np.int64)  # 1 is to move
    expected = np.zeros(len(boards), dtype=np.int64)
    plain_alpha_beta.scores_of(grids, expected)
    assert [board for board, one, other in zip(boards, found, expected, strict=True) if one != other] == []


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize("size", WIDE)
def test_late_positions_of_large_boards_have_the_score_of_a_plain_alpha_beta(size: tuple[int, int]):
    boards = late_boards(*size, 14, 300, seed=7)
    grids = np.array([board.grid[::-1].T * board.to_move for board in boards], dtype=np.int64)
    expected = np.zeros(len(boards), dtype=np.int64)
    plain_alpha_beta.scores_of(grids, expected)
    assert Solver(*size, table_bits=18).solve_many(boards) == expected.tolist()
    assert len(set(expected.tolist())) > 3


@pytest.mark.jit
@pytest.mark.parametrize("size", WIDE)
def test_mirror_images_and_swapped_players_on_large_boards_have_the_same_scores(size: tuple[int, int]):
    own = Solver(*size, table_bits=18)
    for board in late_boards(*size, 26, 20, seed=8):
        found = own.scores(board)
        assert own.scores(board.mirror()) == found[::-1]
        swapped = board.copy()
        swapped._set([board.stones(-1), board.stones(1)], list(board.heights), -board.to_move)
        assert own.scores(swapped) == found
        assert Solver(*size, table_bits=14).scores(board) == found, "in a table that is always full"


@pytest.mark.jit
@pytest.mark.parametrize("name", SETS)
def test_on_two_words_the_search_is_the_one_on_one_word(name: str, monkeypatch):
    boards = [Board.from_moves(moves) for moves, _ in read("pons_sets")[name][:100]]
    narrow, wide = Solver(book=None), Solver(book=None)
    scores = narrow.solve_many(boards)
    monkeypatch.setattr("connect4.solver.solver.is_wide", lambda width, height: True)
    monkeypatch.setattr("connect4.solver.solver.form_for", lambda board, hook: wide_form(hook))
    assert wide.solve_many(boards) == scores
    assert wide.nodes == narrow.nodes


def test_the_plain_alpha_beta_agrees_with_plain_recursion():
    rng = random.Random(5)
    boards = [board for _ in range(20) if (board := random_board(rng, rng.randint(14, 19), 5, 4)) is not None]
    assert len(boards) > 5
    expected = np.zeros(len(boards), dtype=np.int64)
    plain_alpha_beta.scores_of(
        np.array([board.grid[::-1].T * board.to_move for board in boards], dtype=np.int64), expected
    )
    assert expected.tolist() == [exact_score(board) for board in boards]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(4, 4, 4), (5, 4, 4), (4, 5, 4), (4, 3, 3), (3, 6, 4), (2, 8, 4)])
def test_what_follow_up_play_proves_holds_for_the_score(size: tuple[int, int, int]):
    from connect4.kernels import negamax as kernel
    from connect4.kernels import threats
    from tests.internals import bitboard_state, follow_up, stack_of

    rng, cells = random.Random(6), size[0] * size[1]
    last_rows = int(stack_of(*size[:2], wide=False)[1][-1, kernel.LAST_ROWS])
    told = 0
    for _ in range(150):
        board = random_board(rng, rng.randint(cells - 8, cells - 2), *size)
        if board is None or board.winning_moves():
            continue
        mine, filled, bottom, full, stride, run = (int(word) for word in bitboard_state(board))
        own = threats.gaps_that_win(mine, filled, full, stride, run)
        danger = threats.gaps_that_win(mine ^ filled, filled, full, stride, run)
        low, high = follow_up(
            mine,
            mine ^ filled,
            filled,
            board.plies,
            own,
            danger,
            -cells,
            cells,
            bottom,
            full,
            last_rows,
            stride,
            run,
            cells,
        )
        assert low <= exact_score(board) <= high, repr(board)
        told += low > -cells or high < cells
    assert told > 10


@pytest.mark.parametrize("piece", [1, 7])
def test_a_search_in_pieces_is_the_search_in_one_go(piece: int, monkeypatch):
    board = Board.from_moves("1122113434", 5, 4)
    whole = Solver(5, 4, table_bits=14).solve(board)
    monkeypatch.setattr("connect4.solver.solver._PIECE", piece)
    apart = Solver(5, 4, table_bits=14).solve(board)
    assert (apart.low, apart.high, apart.nodes) == (whole.low, whole.high, whole.nodes)
    assert whole.score == exact_score(board)
    assert whole.nodes > 10


def test_a_list_of_positions_has_the_scores_of_its_positions():
    boards = [Board.from_moves(moves) for moves in ("", "4455", "44455554221", "112233", "12121")]
    late = [Board.from_moves(moves) for moves, _ in FACTS["L3_R1"][:3]]
    assert Solver().solve_many([*boards[:2], *late, boards[3]])[:2] == [1, 18]
    found = Solver().solve_many([late[0], boards[0], late[1], boards[3], late[2], boards[4]])
    scores = [score for _, score in FACTS["L3_R1"][:3]]
    assert [found[0], found[2], found[4]] == scores
    assert [found[1], found[3]] == [1, 18]
    assert Solver().solve_many([]) == []
    with pytest.raises(ValueError, match="board must be a position that is not finished"):
        Solver().solve_many([boards[0], Board.from_moves("1122334")])


def test_the_mirrored_key_has_the_columns_in_the_other_order():
    from connect4.kernels import negamax as kernel

    board = Board.from_moves("1233345")
    keys = []
    for one in (board, board.mirror()):
        mine, theirs = one.stones(one.to_move), one.stones(-one.to_move)
        keys.append(np.int64(mine + (mine | theirs)))
    assert kernel.mirror(keys[0], 7, 7) == keys[1] != keys[0]


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize(
    "size",
    [
        *(pytest.param(size, marks=pytest.mark.long) for size in ((5, 4, 4), (5, 5, 4), (6, 3, 3), (7, 3, 5))),
        *((4, 4, 4), (4, 4, 3), (3, 7, 4), (2, 8, 4)),
    ],
)
def test_random_positions_have_the_score_of_a_plain_search(size: tuple[int, int, int]):
    rng, cells = random.Random(1), size[0] * size[1]
    boards = [random_board(rng, rng.randint(cells - 12, cells - 1), *size) for _ in range(150)]
    found = [board for board in boards if board is not None]
    assert len(found) > 20
    for board in found:
        assert solver(*size).solve(board).score == exact_score(board), repr(board)
        weak = solver(*size).solve(board, weak=True).value
        assert weak == (1.0 if exact_score(board) > 0 else 0.0 if exact_score(board) < 0 else 0.5)


def test_a_few_late_positions_have_the_score_of_a_plain_search():
    rng = random.Random(2)
    for _ in range(12):
        board = random_board(rng, 14, 5, 4)
        if board is not None:
            assert solver(5, 4).solve(board).score == exact_score(board)


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


@pytest.mark.parametrize("bits", [14, 17])
def test_a_table_takes_the_memory_that_is_asked_for(bits: int):
    assert Solver(4, 4, table_bits=bits)._table.nbytes == 8 * 2**bits  # an entry is 8 bytes


def test_a_win_at_once_needs_no_search():
    found = solver().solve(Board.from_moves("112233"))
    assert (found.score, found.value, found.nodes) == (18, 1.0, 0)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Solver(12, 12), "board must have at most 128 bits"),
        (lambda: Solver(8, 8, book=packaged_book(7, 6, 4)), "book must be of the board"),
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


@pytest.mark.parametrize("ask", [solve, analyse, lambda board: Solver(8, 8).solve_many([board])])
def test_an_early_position_of_a_large_board_is_refused_unless_there_is_a_budget(ask):
    early = Board.from_moves("44", 8, 8)
    with pytest.raises(
        ValueError, match=r"^board must have at most 40 empty cells if it has more than 64 bits; got 8x8"
    ):
        ask(early)
    found = Solver(8, 8, table_bits=14).solve(early, nodes=1)
    assert found.low < found.high


@pytest.mark.jit
def test_the_command_shows_a_position(capsys):
    main(["4445555422"])
    said = capsys.readouterr().out
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


@pytest.mark.jit
def test_the_command_stops_at_a_time_with_bounds(capsys, tmp_path):
    main(["book=null", "seconds=0.01", ""])
    said = capsys.readouterr().out
    low, high = re.search(r"X to move: score from (\S+) to (\S+); time limit reached", said).groups()
    assert int(low) <= 1 <= int(high)
    file = tmp_path / "positions.txt"
    file.write_text("\n44455554221\n35333571\n")
    main(["book=null", "seconds=0.01", f"file={file}"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    low, high = lines[1][1].split("..")
    assert int(low) <= -3 <= int(high)


@pytest.mark.parametrize(
    "arguments",
    [
        ["4x"],
        ["board=9x9", "1"],
        ["board=12x12", "1"],
        ["board=8x8", f"book={DATA / 'book_7x6_connect4.npz'}", "1"],
        ["file=no_such_file"],
        ["board=0x6"],
        ["seconds=0", "4"],
        ["book=no_such_file", "4"],
        ["table_bits=60", "4"],
        ["1122334"],
        ["connect=1", "4"],
    ],
)
def test_a_mistake_at_the_command_line_is_one_sentence(arguments, capsys):
    assert run_guarded(lambda: main(arguments)) == 2
    said = capsys.readouterr()
    assert len(said.err.splitlines()) == 1
    assert said.out == ""


def test_the_clock_is_looked_at_after_a_thousand_positions(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(time, "perf_counter", itertools.count().__next__)  # a second passes at every look
    found = Solver().solve(Board.from_moves("445354433"), seconds=1.5)
    assert (found.nodes, found.score) == (1_000, None)


@pytest.mark.parametrize("ask", [solve, analyse, Solver().solve])
def test_moves_are_no_board(ask):
    with pytest.raises(ValueError, match=r"^board must be a Board, as Board\.from_moves\('44'\); got '44'$"):
        ask("44")
