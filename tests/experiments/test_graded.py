"""The graded positions: what the packed set promises, and the command that draws it."""

from __future__ import annotations

from collections import Counter
from importlib import resources

import pytest

from connect4 import Board, Solver
from experiments.graded_positions import __main__ as command
from experiments.graded_positions import candidates as kinds_module
from experiments.graded_positions import drawing
from mcts import playout_values
from tests.internals import (
    DEPTHS,
    PACKED,
    TABLES,
    Graded,
    candidates,
    chance,
    graded_positions,
    guarded,
    plies_of,
    read,
    sign,
    source_of,
    sourced_positions,
    trap_depth,
    traps_of,
)
from tests.refusals import refused

every_set = pytest.mark.parametrize("name", [*TABLES, *(f"held_out_{kind}" for kind in TABLES)])
COUNTS = {"random": 2_000, "self_play": 2_000, "traps": 1_000, "misleading": 1_000}  # the held-out set has half
OWN = ("early", "held_out_early")  # in no set of several kinds


def kind_of(name):
    return name.removeprefix("held_out_")


def test_the_sets_are_packed_with_the_project_and_small():
    data = resources.files("experiments.graded_positions").joinpath("data")
    for part, folder in ((1, data), (2, data.joinpath("held_out"))):
        packed = {kind: folder.joinpath(table).read_bytes() for kind, table in TABLES.items()}
        assert sum(map(len, packed.values())) < 120_000 / part
        early = 938 if part == 2 else 1_000
        counts = {kind: len(read(own)) for kind, own in packed.items()}
        assert counts == {kind: count // part for kind, count in COUNTS.items()} | {"early": early}


@every_set
def test_every_position_is_as_it_is_promised_and_any_first_part_has_every_ply_about_equally_often(name):
    positions = graded_positions(None, name)
    counts = Counter(len(one.moves) for one in positions[:100])
    assert "traps" in name or max(counts.values()) - min(counts.values()) <= 1
    assert [len(one.moves) for one in positions] == [plies_of(kind_of(name), place) for place in range(len(positions))]
    for one in positions:
        board = one.board
        assert not board.is_finished()
        assert not board.winning_moves()
        assert [column for column, score in enumerate(one.scores) if score is not None] == board.legal_moves()
        assert min(map(sign, one.legal_scores)) < sign(one.top)


def test_no_position_is_twice_in_both_sets_together_nor_its_mirror_image():
    positions = [one.board for name in ("all", *OWN) for one in graded_positions(None, name)]
    assert len(positions) == 10_938
    symmetric = sum(board == board.mirror() for board in positions)
    assert len({*positions, *(board.mirror() for board in positions)}) == 2 * len(positions) - symmetric


@pytest.mark.parametrize("name", ["traps", "held_out_traps"])
def test_traps_lose_by_force_between_the_depths_that_they_are_sorted_by(name):
    for place, one in enumerate(graded_positions(None, name)):
        low, high = DEPTHS[place // 2 % len(DEPTHS)]
        assert trap_depth(one) == (low, high)
        kept = [column for column in one.board.legal_moves() if one.keeps_value(column)]
        deep = {column: depth for column, depth in traps_of(one).items() if depth > 1}
        assert all(low <= depth <= high and depth % 2 == 1 for depth in deep.values())
        assert len(kept) <= len(deep)
        assert len(kept) + len(traps_of(one)) == len(one.legal_scores)
        for column, depth in traps_of(one).items():
            after = one.board
            after.play(column)
            assert bool(after.winning_moves()) == (depth == 1)


def test_the_depth_of_a_trap_is_the_length_of_best_play_after_it():
    solver = Solver()
    for one in graded_positions(None, "traps")[500:508]:
        for column, depth in traps_of(one).items():
            after = one.board
            after.play(column)
            assert len(solver.variation(after)) == depth


@pytest.mark.parametrize("name", ["misleading", "held_out_misleading"])
def test_playouts_rank_a_move_first_that_loses_the_value_where_they_mislead(name):
    for place, one in enumerate(graded_positions(None, name)[::100]):
        found = playout_values(one.board, 20_000, playouts="uniform", seed=place)
        assert not one.keeps_value(int(found.moves[found.means.argmax()]))


def test_the_test_set_has_every_kind_in_turns_of_six():
    kinds = [kind for _, kind in sourced_positions("test")]
    assert kinds == ["random", "self_play", "traps", "random", "self_play", "misleading"] * 1_000
    assert [kind for _, kind in sourced_positions("held_out")] == kinds[:3_000]
    assert [*sourced_positions("both")[:2]] == [(graded_positions(1, kind)[0], kind) for kind in kinds[:2]]
    assert sourced_positions("all") == sourced_positions("test") + sourced_positions("held_out")
    for kind in COUNTS:
        assert [one for one, own in sourced_positions("held_out") if own == kind] == graded_positions(
            None, f"held_out_{kind}"
        )


@pytest.mark.sampled(2)
@pytest.mark.jit
@every_set
def test_scores_are_those_of_the_solver(name):
    solver = Solver()
    late = [one for one in graded_positions(None, name) if len(one.moves) >= 14]
    for one in late[::90]:
        assert tuple(solver.scores(one.board)) == one.scores


def test_a_set_whose_positions_are_not_found_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "candidates", lambda *_: [])
    arguments = ["positions_from=traps", "positions=2", f"folder={tmp_path / 'run'}"]
    refused(lambda: command.main(arguments), "seed 0", "traps")


def test_a_move_is_judged_by_value_and_by_score():
    one = Graded(Board.from_moves("4455").moves, (-3, 0, 2, None, 5, -1, 2))
    assert one.top == 5
    assert [one.keeps_value(column) for column in (0, 1, 2, 4, 5, 6)] == [False, False, True, True, False, True]
    assert [one.loss(column) for column in (0, 1, 2, 4)] == [8, 5, 3, 0]
    assert one.chance == chance([one]) == 0.5
    refused(lambda: one.loss(3), "move", "4455", "3")


def test_a_number_takes_its_first_candidate_that_is_new():
    a, b = (Graded(Board.from_moves(moves).moves, (1,) * 7) for moves in ("12", "34"))
    mirrored = Graded(Board.from_moves("76").moves, (1,) * 7)
    assert drawing.settle({0: [a], 1: [mirrored, b]}) == ([a, b], [])
    assert drawing.settle({0: [a], 1: [mirrored]}) == ([a], [1])


def test_the_command_draws_the_same_positions_for_any_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(kinds_module, "LEAST_PLIES", 20)  # those of fewer plies take seconds each
    for workers in ("1", "3"):
        given = ["positions_from=random", "positions=9", "seed=3", f"workers={workers}", f"folder={tmp_path / workers}"]
        assert guarded(lambda given=given: command.main(given)) == 0
    one, three = ((tmp_path / name / TABLES["random"]).read_bytes() for name in ("1", "3"))
    assert one == three
    assert [len(found.moves) for found in read(one)] == [*range(20, 29)]


@pytest.mark.long
@pytest.mark.jit
def test_a_whole_set_is_drawn_by_one_command_apart_from_another(tmp_path, monkeypatch):
    monkeypatch.setattr(kinds_module, "LEAST_PLIES", 24)
    monkeypatch.setattr(kinds_module, "_TRAP_PLIES", ((22, 24),) * 4)
    monkeypatch.setattr(kinds_module, "_PLIES", {"misleading": (24, 28)})
    arguments = ["positions_from=test", "positions=12", "seed=19", "apart_from=test"]
    assert guarded(lambda: command.main([*arguments, f"folder={tmp_path}"])) == 0
    found = {kind: len(read((tmp_path / kind / TABLES[kind]).read_bytes())) for kind in COUNTS}
    assert found == {"random": 4, "self_play": 4, "traps": 2, "misleading": 2}


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.parametrize("name", [*TABLES, *(f"held_out_{kind}" for kind in COUNTS)])  # held_out_early is renumbered
def test_a_position_of_a_packed_set_is_found_by_its_number(name):
    kind, seed = kind_of(name), 19 if name.startswith("held_out") else 0
    positions = graded_positions(None, name)
    for number in (18, 400):
        assert candidates(kind, number, seed, 1, source_of(PACKED)) == [positions[number]]
