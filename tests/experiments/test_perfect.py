"""Players of exact scores: against a plain search of the whole game, at their rate, and on boards too large."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from connect4 import Board
from experiments.players import make_player, perfect
from experiments.players.perfect import exact_scores, of_best_score, of_lower_score
from mcts import Search
from tests.connect4 import naive_search
from tests.internals import random_games

SHAPE = (4, 3, 3)


def positions(count, plies=(0, 6), seed=0, shape=SHAPE):
    """Undecided positions of random games."""
    found, games = [], random_games(*shape, 20 * count, seed)
    for place, (moves, length) in enumerate(zip(games.moves, games.lengths, strict=True)):
        stones = plies[0] + place % (plies[1] - plies[0] + 1)
        if length > stones and len(found) < count:
            found.append(Board.from_moves(moves[:stones].tolist(), *shape))
    assert len(found) == count
    return found


def test_scores_are_those_of_a_search_of_the_whole_game():
    for board in positions(40):
        told = {column: score for column, score in enumerate(exact_scores(board)) if score is not None}
        assert told == naive_search.exact_scores(board)


def test_perfect_plays_a_move_of_the_best_score_and_graded_at_rate_1_a_lower_one_where_there_is_one():
    one, worst = make_player("perfect", simulations=5), make_player("graded", simulations=5, rate=1)
    lower = 0
    for number, board in enumerate(positions(60)):
        scores = exact_scores(board)
        one.reset(number)
        worst.reset(number)
        assert one.play(board) in of_best_score(scores)
        lower += bool(of_lower_score(scores))
        assert worst.play(board) in (of_lower_score(scores) or of_best_score(scores))
    assert 20 < lower < 60


def test_equal_moves_are_told_apart_by_the_visits_of_a_search():
    told = 0
    for number, board in enumerate(positions(30)):
        best = of_best_score(exact_scores(board))
        player = make_player("perfect", simulations=40, seed=3)
        player.reset(number)
        before = player.rng.copy()
        column = player.play(board)
        if len(best) == 1:
            assert np.array_equal(player.rng, before)
            continue
        search = Search(board, simulations=40, rng=before)
        search.run(40)
        found = search.result()
        visits = dict(zip(found.moves.tolist(), found.visits.tolist(), strict=True))
        assert visits[column] == max(visits[one] for one in best)
        told += len({visits[one] for one in best}) > 1
    assert told > 5


def test_graded_at_rate_0_plays_as_perfect_does_and_more_worse_moves_at_a_higher_rate():
    boards = positions(150)
    chosen = {}
    for rate in (0.0, 0.25, 0.6):
        player = make_player("graded", simulations=5, rate=rate, seed=7)
        chosen[rate] = []
        for number, board in enumerate(boards):
            player.reset(number)
            chosen[rate].append(player.play(board))
    one = make_player("perfect", simulations=5, seed=7)
    lower = [of_lower_score(exact_scores(board)) for board in boards]
    for number, (board, at_0) in enumerate(zip(boards, chosen[0.0], strict=True)):
        one.reset(number)
        assert one.play(board) == at_0
    worse = {rate: np.array([move in own for move, own in zip(chosen[rate], lower, strict=True)]) for rate in chosen}
    able = np.array([bool(own) for own in lower])
    assert not worse[0.0].any()
    assert not (worse[0.25] & ~worse[0.6]).any()  # where it errs at the lower rate it errs at the higher one
    for rate in (0.25, 0.6):
        assert abs(worse[rate][able].mean() - rate) < 4.0 * 0.5 / np.sqrt(able.sum())


def test_each_worse_move_is_equally_likely():
    board = next(board for board in positions(60) if len(of_lower_score(exact_scores(board))) == 3)
    player = make_player("graded", simulations=5, rate=1.0)
    played = []
    for number in range(300):
        player.reset(number)
        played.append(player.play(board))
    columns, counts = np.unique(played, return_counts=True)
    assert columns.tolist() == of_lower_score(exact_scores(board))
    assert (abs(counts / 300 - 1 / 3) < 4.0 * np.sqrt(2 / 9 / 300)).all()


def test_one_solver_of_a_size_serves_all_players_in_turn_and_its_table_changes_no_move(monkeypatch):
    boards = positions(20)
    alone = []
    for board in boards:  # a new table for each
        monkeypatch.setattr(perfect, "_idle_solvers", functools.cache(lambda *size: []))
        alone.append(make_player("perfect", simulations=20).play(board))
    asked = functools.cache(lambda *size: [])
    monkeypatch.setattr(perfect, "_idle_solvers", asked)
    together = [make_player(kind, simulations=20).play(board) for board in boards for kind in ("perfect", "perfect")]
    assert together[::2] == together[1::2] == alone
    assert len(asked(*SHAPE)) == 1


def test_a_solver_that_is_in_use_is_given_to_nobody_else():
    board = Board(*SHAPE)
    with perfect.solver_of(board) as one, perfect.solver_of(board) as two:
        assert one is not two
    with perfect.solver_of(board) as again:
        assert again in (one, two)


@pytest.mark.parametrize(
    ("words", "module"),
    [
        ("experiment=match player1=perfect board=10x10", "run"),
        ("experiment=match player2=graded board=8x8", "run"),
        ("experiment=tournament players=[random,perfect] board=10x10", "run"),
        ("experiment=grade player=random board=10x10 openings=none games=2", "run"),
        ("player=perfect board=10x10", "play"),
    ],
)
def test_a_board_too_large_to_be_solved_is_refused_before_any_work(attempt, tmp_path, words, module):
    attempt(*words.split(), module=module).assert_refused(["board must", "40", "64"], tmp_path)


def test_the_value_of_perfect_play_is_the_result_of_the_best_move():
    player, seen = make_player("perfect", simulations=5), set()
    for board in positions(12, plies=(4, 9)):
        player.play(board)
        assert player.value == 0.5 + 0.5 * np.sign(naive_search.exact_score(board))
        seen.add(player.value)
    assert seen == {0.0, 0.5, 1.0}
