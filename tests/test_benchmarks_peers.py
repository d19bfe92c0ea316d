"""The programs that the benchmark compares us with play the same games, and what is missing is named; none is timed."""

from __future__ import annotations

import ctypes
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from bandits import UCB
from benchmarks import (
    c_compiler,
    c_sailing,
    c_uct,
    connect4_c,
    connect4_floor,
    connect4_loop,
    connect4_peers,
    environments,
    game_rows,
    live_rows,
    problem_rows,
    search_peers,
    solver_peers,
    solver_rows,
    strength,
)
from benchmarks.live_peers import ARMS, PAIRS, PAYS, Step, step_of
from connect4 import Board, Solver
from mcts import search
from mcts.adapters import position_of
from tests.data import read
from tests.internals import Sailing, graded_positions, plan, random_games

SLOW = "bayesianbandits"  # takes seconds


@pytest.fixture(scope="module")
def compiler() -> None:
    if c_compiler.compiler() is None:
        pytest.skip("no C compiler (cc)")


# --- Connect 4 --------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("board", [Board.from_moves("44536"), Board(5, 4), Board(8, 7)], ids=repr)
def test_the_c_loop_gives_the_sum_and_the_stream_of_our_kernel(board):
    library = c_compiler.build(connect4_c.SOURCE)
    total, rng = connect4_loop.play(board.game.playouts["uniform"], board, 20_000, seed=3)
    assert 0.0 < total < 20_000
    for variant in ["twin", "constants"] if board.width == 7 else ["twin"]:
        found, last = connect4_c.play(library, variant, board, 20_000, seed=3)
        assert found == total
        assert (last == rng).all()


def test_our_loop_is_the_hook_called_again_and_again():
    board = Board.from_moves("4453")
    hook = board.game.playouts["uniform"]
    _, rng = connect4_loop.play(hook, board, 0, seed=1)
    values = [hook(board.game.state, rng, 0) for _ in range(20)]
    total, last = connect4_loop.play(hook, board, 20, seed=1)
    assert total == sum(values)
    assert (last == rng).all()


@pytest.mark.jit
def test_a_playout_has_the_moves_and_draws_that_its_floor_counts():
    record = random_games(7, 6, 4, games=10_000, seed=8)
    heights, draws, lengths = np.zeros((10_000, 7)), np.zeros(10_000), record.lengths
    for ply in range(42):
        going = np.flatnonzero(lengths > ply)
        draws[going] += 7.0 / (heights[going] < 6).sum(axis=1)
        heights[going, record.moves[going, ply]] += 1
    for values, told in ((lengths, connect4_floor.MOVES), (draws, connect4_floor.DRAWS)):
        assert abs(values.mean() - told) < 5.0 * values.std() / np.sqrt(10_000) + 0.005
    assert round(connect4_floor.operations_a_playout()) == 960


@pytest.mark.parametrize(("name", "package"), [("open-spiel", "pyspiel"), ("puissance4", "puissance4")])
def test_a_peers_playouts_run_where_it_is_installed(name, package):
    pytest.importorskip(package)
    assert connect4_peers.label(name).startswith(f"{name} ")
    if name == "open-spiel":
        assert connect4_peers.open_spiel()(10) in range(7)
    else:
        for biased in (False, True):
            assert {winner for winner, _ in connect4_peers.puissance4(biased)(10)} <= {"X", "O", "draw"}


# --- searches ---------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    ("moves", "simulations", "c"),
    [
        ("", 1, 1.0),
        pytest.param("4453", 30_000, 1.0, marks=pytest.mark.jit),
        ("1111112222227777776666663333335555", 1_000, 0.2),
    ],
)
def test_the_visits_and_values_of_the_search_in_c_are_ours_to_the_last_bit(moves, simulations, c):
    board = Board.from_moves(moves)
    found = search(board, UCB(c=c), simulations, seed=3)
    visits, values = c_uct.play(c_compiler.build(c_uct.SOURCE, c_uct.EXACT), board, simulations, c, seed=3)
    assert np.array_equal(visits[found.moves], found.visits)
    assert visits.sum() == found.visits.sum()
    assert np.array_equal(values[found.moves][found.visits > 0], found.values[found.visits > 0])


@pytest.mark.parametrize("load", [search_peers.open_spiel, search_peers.open_spiel_python, search_peers.puissance4])
def test_a_peers_search_plays_and_openspiels_wins_or_blocks_at_once(load):
    pytest.importorskip("puissance4" if load is search_peers.puissance4 else "pyspiel")
    play = load()
    if load is not search_peers.puissance4:  # its move is that of the highest index, after which all are about as high
        for text in ("112233", "1122337", "414142"):
            assert play(Board.from_moves(text).moves, 1_000) == 3
    assert play((), 50) in range(7)


def test_puissance4_plays_one_whole_playout_a_simulation(monkeypatch):
    ai = pytest.importorskip("puissance4.agent.ai")
    played, whole = [], ai.AI.simulate_end_game

    def counting(self, grid):
        found = whole(self, grid)
        played.append(grid.check_victory() or not grid.look_for_allowed_steps())
        return found

    monkeypatch.setattr(ai.AI, "simulate_end_game", counting)
    search_peers.puissance4()((), 60)
    assert played == [True] * 60


@pytest.mark.jit
def test_the_comparison_of_strength_counts_moves_that_keep_the_value():
    positions = graded_positions(60)
    played = strength.play(strength.ours(500), positions)
    assert played.kept.shape == (60,)
    assert 0.5 < played.kept.mean() < 1.0
    assert played.seconds > 0.0
    right = strength.play(lambda graded, number: graded.scores.index(graded.top), positions)
    assert right.kept.all()
    cells = strength.compared("theirs", "ours", played, right, -0.02)
    assert cells[4].startswith("-")
    assert cells[-1] == "NO"
    assert strength.compared("theirs", "ours", right, played, 0.0)[-1] == "yes"
    assert strength.compared("theirs", "ours", right, right, -0.02)[-1] == "yes, not surely"


def test_openspiels_search_of_any_game_wins_at_once_and_refuses_what_is_said():
    state = pytest.importorskip("pyspiel").load_game("tic_tac_toe").new_initial_state()
    for move in (0, 3, 1, 4):
        state.apply_action(move)
    assert game_rows.open_spiel_python(state, 400) == 2
    for name in game_rows.REJECTED:
        with pytest.raises(ValueError, match="terminal rewards"):
            game_rows.open_spiel_python(pytest.importorskip("pyspiel").load_game(name).new_initial_state(), 5)


def test_there_is_a_row_for_each_game():
    pytest.importorskip("pyspiel")
    searched = []

    def playouts(state: Any, simulations: int) -> None:
        position, rng = position_of(state), random.Random(0)
        searched.append(sum(position.playout(rng, 1_000)[0] for _ in range(simulations)))

    rows = list(game_rows.rows(game_rows.Size(rounds=1, share=0.01), playouts))
    assert [row.what.partition(": ")[0] for row in rows] == [*game_rows.GAMES, *game_rows.REJECTED]
    assert all(row.target == 3.0 and row.ratio for row in rows[: len(game_rows.GAMES)])
    assert len(searched) > len(rows)


# --- any problem ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def twin(compiler) -> ctypes.CDLL:
    return c_compiler.build(c_sailing.SOURCE, c_sailing.EXACT)


@pytest.mark.parametrize(
    ("lake", "simulations", "c"),
    [
        (Sailing(2, wind=4), 1, 1.0),
        (Sailing(3, wind=5, delay=3), 300, 1.0),
        pytest.param(problem_rows.LAKE, 2_000, 0.5, marks=pytest.mark.jit),
    ],
)
def test_the_visits_values_and_steps_of_the_search_in_c_are_ours_to_the_last_bit(twin, lake, simulations, c):
    found = plan(lake, UCB(c=c), simulations, seed=3)
    visits, values, steps = c_sailing.search(twin, lake, simulations, c, seed=3)
    tried = found.visits > 0
    assert np.array_equal(visits[visits > 0], found.visits[tried])
    assert np.array_equal(values[visits > 0], found.values[tried])
    assert steps == found.steps


@pytest.mark.jit
def test_the_rows_of_the_process_have_texts(twin):
    limit, beside = problem_rows.process_rows(problem_rows.Size(1, 1, 20))
    assert limit.ours.endswith(" M steps/s")
    assert (limit.other, beside.target) == ("limit 1 M", 0.5)


@pytest.mark.parametrize("library", [None, *problem_rows.PEERS])
def test_the_script_of_a_library_searches_the_class(library: tuple[str, str] | None):
    python, script = sys.executable, problem_rows.OURS
    if library is not None:
        if not environments.has(*library):
            pytest.skip("no environment; python -m benchmarks problems makes it")
        python, script = environments.python_of(*library), problem_rows.PEERS[library]
    answer = environments.answer_of(python, script, "1000", PYTHONPATH=str(problem_rows.ROOT))
    assert 1_000 <= answer["playouts"] <= 1_009  # one of the libraries plays nine at a time
    assert answer["seconds"] > 0.0
    assert answer["move"] == 4 if library is None else answer["move"] in range(9)


def test_a_row_is_the_median_of_ratios_and_must_be_ahead(monkeypatch):
    speeds = iter([4.0, 2.0, 9.0, 3.0, 5.0, 5.0])
    monkeypatch.setattr(problem_rows, "installed", lambda library, version: "python")
    monkeypatch.setattr(problem_rows, "speed", lambda python, script, simulations: next(speeds))
    row = problem_rows.class_row("mcts", "1.0.4", problem_rows.QUICK)
    assert (row.what, row.ours, row.other) == ("own class, tic-tac-toe: mcts 1.0.4", "5 /s", "3 /s")
    assert (row.ratio, row.target, row.met) == (2.0, 1.0, True)


def test_a_library_that_cannot_be_installed_is_named(tmp_path, monkeypatch):
    def failing(command: list[Any], more: object = None) -> subprocess.CompletedProcess[str]:
        is_pip = "pip" in command
        if not is_pip:
            (tmp_path / "mcts-1.0.4").mkdir()
        return subprocess.CompletedProcess(command, int(is_pip), "", "ERROR: no such version\n\n")

    monkeypatch.setattr(environments, "PLACE", tmp_path)
    monkeypatch.setattr(environments, "_run", failing)
    row = problem_rows.class_row("mcts", "1.0.4", problem_rows.QUICK)
    assert row.skipped.endswith("ERROR: no such version")
    assert row.met is None
    assert not [*tmp_path.iterdir()]


def test_a_script_that_fails_is_told_by_its_last_line(tmp_path):
    (tmp_path / "script.py").write_text("raise KeyError('moves')", encoding="utf-8")
    with pytest.raises(OSError, match="KeyError: 'moves'"):
        environments.answer_of(sys.executable, tmp_path / "script.py")


# --- live agents ------------------------------------------------------------------------------------------------------


def assert_learns(step: Step) -> None:
    arms = [step() for _ in range(1_000)]
    assert set(arms) <= set(range(ARMS))
    assert arms[700:].count(PAYS) > 200


@pytest.mark.parametrize(
    ("policy", "library"),
    [pytest.param(*pair, marks=pytest.mark.long if SLOW in pair else []) for pair in PAIRS],
)
def test_a_library_learns_which_arm_pays(policy: str, library: str):
    pytest.importorskip(library)
    assert_learns(step_of(library, policy))


@pytest.mark.parametrize(("policy", "read"), [("ucb", False), ("epsilon_greedy", True), ("thompson", True)])
def test_an_agent_learns_which_arm_pays(policy: str, read: bool):
    assert_learns(live_rows.agent_step(policy, read))


def test_a_library_that_is_missing_is_named(monkeypatch):
    def missing(library: str, policy: str) -> None:
        raise ImportError(f"{library} is not installed")

    monkeypatch.setattr(live_rows, "step_of", missing)
    monkeypatch.setattr(live_rows, "PROPENSITIES", {("lin_thompson", 3): 1.0})
    for measured in ("journal_rows", "service_rows"):
        monkeypatch.setattr(live_rows, measured, lambda size: iter(()))
    rows = list(live_rows.live_rows(live_rows.Size(0.01, 1, 100)))
    missed = [f"{library} is not installed" for _, library in PAIRS]
    assert [row.skipped for row in rows if row.skipped] == [*missed, "gittins is not installed"]
    assert len(rows) == len(live_rows.WANTED) + len(missed) + 3


# --- solvers ----------------------------------------------------------------------------------------------------------


def test_every_way_of_bitbully_finds_published_scores():
    pytest.importorskip("bitbully")
    rows = read("pons_sets")["L3_R1"][::100]
    peers = solver_peers.bitbully([Board.from_moves(moves) for moves, _ in rows])
    assert len(peers) == 3
    for peer in peers:
        peer.forget()
        assert peer.solve() == [score for _, score in rows]


def test_a_solver_that_differs_is_not_timed():
    own = Solver(book=None, table_bits=14)
    board = Board.from_moves(read("pons_sets")["L3_R1"][0][0])
    wrong = solver_peers.Peer("guessing", lambda: [7], lambda: None)
    with pytest.raises(AssertionError, match="1 of 1"):
        solver_rows.beside("other", lambda: own.solve_many([board]), own.clear, [wrong], 1)


@pytest.mark.jit
def test_the_rows_of_solvers_are_measured_or_say_what_is_missing(monkeypatch):
    size = solver_rows.Size(step=200, random=17, rounds=1, lookups=5)
    rows = list(solver_rows.peer_rows(size))
    assert len(rows) == 7
    assert all(row.skipped or row.met is not None for row in rows)
    nodes = [row for row in rows if "published" in row.what]
    assert len(nodes) == 3
    assert all(float(row.ours.replace(",", "")) > 1.0 for row in nodes)
    monkeypatch.setitem(sys.modules, "bitbully", None)
    monkeypatch.setitem(sys.modules, "bitbully.bitbully_core", None)
    first = next(iter(solver_rows.peer_rows(size)))
    assert "bitbully" in first.what
    assert first.skipped
