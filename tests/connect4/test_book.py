"""The opening book against its table, the search and itself; and the command that builds one."""

from __future__ import annotations

import numpy as np
import pytest

from connect4 import Board, Solver, analyse, solve
from numerics.exits import run_guarded
from tests.connect4.positions import undecided
from tests.internals import DATA, Book, build, main, packaged_book
from tests.refusals import refused


def standard() -> Book:
    book = packaged_book(7, 6, 4)
    assert book is not None
    return book


def test_the_packaged_book_has_the_published_number_of_positions_and_its_source_beside_it():
    book = standard()
    assert (book.size, book.plies, len(book.keys)) == ((7, 6, 4), 8, 129_498)
    assert np.all(np.diff(book.keys.astype(np.int64)) > 0)
    assert "MIT" in (DATA / "README.md").read_text()
    assert packaged_book(5, 4, 4) is None


def test_the_packaged_book_has_the_published_scores_of_the_opening_moves():
    solver = Solver()
    assert solver.solve(Board()).score == 1
    assert solver.scores(Board()) == [-2, -1, 0, 1, 0, -1, -2]
    assert solver.nodes == 0


def test_each_score_of_the_book_is_the_best_of_the_moves_from_there():
    for board in undecided(40, [(7, 6, 4)], most=7):
        scores = [score for score in Solver(table_bits=14).scores(board) if score is not None]
        assert standard().score(board) == standard().score(board.mirror()) == max(scores)


def test_a_position_beyond_the_book_is_not_in_it():
    assert standard().score(Board.from_moves("121212345")) is None
    assert standard().score(Board(6, 6)) is None


@pytest.mark.long
@pytest.mark.jit
def test_the_search_finds_the_scores_of_the_book():
    searching, boards = Solver(book=None), undecided(3, [(7, 6, 4)], seed=2, fewest=8, most=8)
    assert searching.solve_many(boards) == [standard().score(board) for board in boards]
    assert searching.nodes > 10_000


@pytest.mark.long
@pytest.mark.jit
def test_best_play_from_the_empty_board_is_41_stones_long():
    found = analyse(Board())
    board = Board.from_moves(found.variation)
    assert (board.winner(), board.plies) == (1, 41)
    assert found.best == (3,)


def test_a_book_of_a_small_board_has_the_scores_of_its_search(tmp_path):
    searching = Solver(4, 4, table_bits=14)
    book = build(Solver(4, 4, table_bits=14), 3)
    book.save(tmp_path / "book.npz")
    again = Book.load(tmp_path / "book.npz")
    assert np.array_equal(again.keys, book.keys)
    assert np.array_equal(again.scores, book.scores)
    assert (again.size, again.plies) == ((4, 4, 4), 3)
    looking = Solver(4, 4, book=tmp_path / "book.npz")
    for moves in ("", "1", "44", "123"):
        board = Board.from_moves(moves, 4, 4)
        assert looking.solve(board).score == searching.solve(board).score == again.score(board.mirror())
    assert looking.nodes == 0
    assert solve(Board(4, 4), book=again).nodes == 0


@pytest.mark.jit
@pytest.mark.parametrize(("size", "plies"), [((4, 5, 4), 4), ((4, 3, 3), 7)])
def test_every_position_of_a_book_has_the_score_of_its_search(size: tuple[int, int, int], plies: int):
    book, searching = build(Solver(*size), plies), Solver(*size)
    assert len(book.keys) > 20
    for board in undecided(30, [size], seed=3, most=plies):
        assert book.score(board) == searching.solve(board).score


@pytest.mark.parametrize(
    ("call", "key", "fact"),
    [
        (lambda: Solver(5, 4, book=standard()), "book", "(7, 6, 4)"),
        (lambda: Solver(book=3), "book", "3"),
        (lambda: Solver(book="no_such_file"), "book", "no_such_file"),
        (lambda: Solver(book=__file__), "book", __file__),
        (lambda: build(Solver(3, 3, 3), 9), "plies", "9"),
        (lambda: build(Solver(), 12), "plies", "100"),
    ],
)
def test_what_is_no_book_is_refused(call, key: str, fact: str, monkeypatch):
    monkeypatch.setattr("connect4.solver.build_book._MOST_POSITIONS", 100)
    refused(call, f"{key} ", fact)


def test_the_command_builds_a_book_that_the_solver_reads(tmp_path, capsys, monkeypatch):
    from connect4.solver.command import main as solve_main

    monkeypatch.chdir(tmp_path)
    main(["3x3", "connect=3", "plies=2"])
    assert capsys.readouterr().out.startswith("book_3x3.npz: ")
    solve_main(["board=3x3", "connect=3", "book=book_3x3.npz", "seconds=9", "12"])
    assert "0 positions searched" in capsys.readouterr().out


def test_the_command_builds_a_book_of_a_table_only_if_it_is_whole_and_agrees(tmp_path, capsys):
    table, book = tmp_path / "scores.csv", tmp_path / "book.npz"
    command = ["2x2", "connect=2", f"scores={table}", "-o", str(book)]
    table.write_text("moves,score\n,1\n1,-1\n")
    main(command)
    assert sorted(Book.load(book).scores.tolist()) == [-1, 1]
    book.unlink()
    capsys.readouterr()
    for text, fact in (
        ("moves,score\n1,-1\n", "every"),
        ("moves,score\n,2\n1,-1\n", "agree"),
        ("moves,score\n,1\n3,-1\n", "line 3"),
        ("moves,score\n,1\n1,x\n", "line 3"),
        ("a,b\n", "columns moves and score"),
    ):
        table.write_text(text)
        assert run_guarded(lambda: main(command)) == 2
        said = capsys.readouterr().err
        assert said.startswith("scores ")
        assert fact in said
        assert not book.exists()


def test_a_mistake_at_the_command_of_books_is_one_sentence(capsys):
    for words in ("9x9", "7", "3x3 plies=9", "3x3 plies=1 -o no/such/folder", "2x2 scores=no_such_file"):
        assert run_guarded(lambda words=words: main(words.split())) == 2
        said = capsys.readouterr()
        assert (len(said.err.splitlines()), said.out) == (1, ""), words
