"""The player uct_best with a book: the best move by exact scores at once, and a sentence for a book that is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from connect4 import Board, Solver
from experiments.players import make_player
from mcts import Search
from tests.internals import build
from tests.refusals import refused


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> str:
    """Return the path of a book of 5 plies for 4 x 3 with three in a row, which has finished positions beside it."""
    path = tmp_path_factory.mktemp("book") / "small.npz"
    build(Solver(4, 3, 3), 5).save(path)
    return str(path)


def boards(size: tuple[int, int, int], plies: int, seed: int) -> list[Board]:
    """Return unfinished positions of fewer plies, by random moves."""
    rng, found = np.random.default_rng(seed), list[Board]()
    for _ in range(12):
        board = Board(*size)
        while board.plies < plies and not board.is_finished():
            found.append(board.copy())
            board.play(int(rng.choice(board.legal_moves())))
    return found


@pytest.mark.jit
@pytest.mark.parametrize("options", [{}, {"workers": 2, "tactics": False}, {"keep": True, "simulations": 1}], ids=str)
def test_where_the_book_has_all_moves_the_best_is_played_and_its_score_is_known(small, options):
    sizes: list[tuple[str, tuple[int, int, int], int]] = [("packaged", (7, 6, 4), 8), (small, (4, 3, 3), 5)]
    for book, size, plies in sizes:
        solver, player = Solver(*size), make_player("uct_best", book=book, **options)
        for number, board in enumerate(boards(size, plies, seed=3)):
            player.reset(number)
            player.check_board(board)
            search: Any = player.think(board)
            move, result = search.choose(player.final), search.result()
            scores = solver.scores(board)
            score: Any = scores[move]
            assert score == max(one for one in scores if one is not None)
            assert search.proven == 0.5 + 0.5 * np.sign(score)
            assert result.simulations <= 64 * options.get("workers", 1)
            left = size[0] * size[1] - board.plies
            if score:
                stones = left + 1 - (2 * abs(score) - (left + (score < 0)) % 2)
                assert result.distance == stones


@pytest.mark.jit
def test_later_positions_are_searched_as_without_a_book():
    board = Board.from_moves("44455554")
    with_book, without = (make_player("uct_best", simulations=300, book=book) for book in ("packaged", None))
    for one, other in zip(with_book.think(board).result().tree, without.think(board).result().tree, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_book_that_does_not_fit_is_one_sentence(small, tmp_path):
    player = make_player("uct_best", book="packaged")
    refused(lambda: player.check_board(Board(6, 5)), "book ", "6x5")
    other = make_player("uct_best", book=small)
    refused(lambda: other.check_board(Board()), "book ", "(7, 6, 4)", "(4, 3, 3)")
    (tmp_path / "bad.npz").write_text("no book")
    for options in ({"book": str(tmp_path / "no.npz")}, {"book": str(tmp_path / "bad.npz")}):
        refused(lambda options=options: make_player("uct_best", **options), "book ")
    refused(lambda: make_player("uct_best", book=small, exact=False), "book ", "exact")
    refused(lambda: Search(Board()).know({3: 1}), "exact ")
