"""The graded positions: what the packed set promises, and the command that draws it."""

from __future__ import annotations

from collections import Counter
from importlib import resources

import pytest

from connect4 import Board, Solver
from experiments.engine.errors import guarded
from experiments.graded_positions import __main__ as command
from experiments.graded_positions.positions import (
    TABLES,
    Graded,
    chance,
    graded_positions,
    read,
    sign,
    sourced_positions,
)  # fmt: skip

every_set = pytest.mark.parametrize("source", TABLES)


@every_set
def test_the_sets_are_packed_with_the_project_and_small(source):
    packed = resources.files("experiments.graded_positions").joinpath("data", TABLES[source]).read_bytes()
    assert len(packed) < 200_000
    assert len(read(packed)) == 2_000


@every_set
def test_every_position_is_as_it_is_promised(source):
    positions = graded_positions(None, source)
    counts = Counter(len(one.moves) for one in positions)
    assert sorted(counts) == list(range(8, 29))
    assert max(counts.values()) - min(counts.values()) <= 1
    for one in positions:
        board = one.board
        assert not board.is_finished()
        assert not board.winning_moves()
        assert [column for column, score in enumerate(one.scores) if score is not None] == board.legal_moves()
        assert min(map(sign, one.legal_scores)) < sign(one.top)
    boards = {one.board for one in positions}
    symmetric = sum(board == board.mirror() for board in boards)
    assert len(boards | {board.mirror() for board in boards}) == 2 * len(positions) - symmetric


@every_set
def test_any_first_part_of_a_set_has_every_ply_about_equally_often(source):
    counts = Counter(len(one.moves) for one in graded_positions(100, source))
    assert set(counts) == set(range(8, 29))
    assert set(counts.values()) <= {4, 5}


def test_both_sets_come_in_turn():
    both = sourced_positions("both")
    assert [source for _, source in both] == ["random", "self_play"] * 2_000
    assert [one for one, _ in both[::2]] == graded_positions()
    assert [one for one, _ in both[1::2]] == graded_positions(None, "self_play")
    assert graded_positions(3, "both") == [one for one, _ in both[:3]]
    with pytest.raises(ValueError, match="positions_from must be one of random, self_play, both; got 'book'"):
        graded_positions(1, "book")


def test_positions_of_self_play_are_closer_than_those_of_random_games():
    margins = [sum(abs(one.top) for one in graded_positions(None, source)) / 2_000 for source in TABLES]
    assert margins[1] < margins[0] - 0.3


@pytest.mark.jit
@every_set
def test_scores_are_those_of_the_solver(source):
    solver = Solver()
    late = [one for one in graded_positions(None, source) if len(one.moves) >= 14]
    for one in late[::60]:
        assert tuple(solver.scores(one.board)) == one.scores


def test_a_move_is_judged_by_value_and_by_score():
    one = Graded(Board.from_moves("4455").moves, (-3, 0, 2, None, 5, -1, 2))
    assert one.top == 5
    assert [one.keeps_value(column) for column in (0, 1, 2, 4, 5, 6)] == [False, False, True, True, False, True]
    assert [one.loss(column) for column in (0, 1, 2, 4)] == [8, 5, 3, 0]
    assert one.chance == chance([one]) == 0.5
    with pytest.raises(ValueError, match="column must be a legal move of 4455; got 3"):
        one.loss(3)


@pytest.mark.parametrize("count", [0, 2_001, 1.5])
def test_a_number_of_positions_that_there_are_not_is_one_sentence(count):
    with pytest.raises(ValueError, match="positions must be a whole number from 1 to 2000"):
        graded_positions(count)


def test_a_number_takes_its_first_candidate_that_is_new():
    a, b = (Graded(Board.from_moves(moves).moves, (1,) * 7) for moves in ("12", "34"))
    mirrored = Graded(Board.from_moves("76").moves, (1,) * 7)
    assert command.settle({0: [a], 1: [mirrored, b]}) == ([a, b], [])
    assert command.settle({0: [a], 1: [mirrored]}) == ([a], [1])


@pytest.mark.jit
@every_set
def test_the_command_draws_the_same_positions_for_any_workers(tmp_path, capfd, monkeypatch, source):
    monkeypatch.setattr(command, "LEAST_PLIES", 20)  # those of fewer plies take seconds each
    for workers in ("1", "3"):
        arguments = [
            "--from", source, "--positions", "18", "--seed", "3", "--workers", workers,
            "--folder", str(tmp_path / workers),
        ]  # fmt: skip
        assert guarded(lambda given=arguments: command.main(given)) == 0
    one, three = ((tmp_path / name / TABLES[source]).read_bytes() for name in ("1", "3"))
    assert one == three
    assert [len(found.moves) for found in read(one)] == [*range(20, 29), *range(20, 29)]
    assert "18 positions" in capfd.readouterr().out


def test_a_mistake_on_the_command_line_is_one_sentence(capfd):
    assert guarded(lambda: command.main(["--positions", "0"])) == 2
    assert "--positions must be a whole number of at least 1; got 0" in capfd.readouterr().err
    assert guarded(lambda: command.main(["--from", "books"])) == 2
    assert "--from must be one of random, self_play; got 'books'" in capfd.readouterr().err


@pytest.mark.jit
@every_set
def test_a_position_of_a_packed_set_is_found_by_its_number(source):
    positions = graded_positions(None, source)
    for number in (18, 1_000):
        assert command.candidates(source, number, 0, 1, Solver()) == [positions[number]]
