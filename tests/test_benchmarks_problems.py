"""The benchmark of any problem: C makes our visits, libraries search the same class, and a missing one is named."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from bandits import UCB
from benchmarks import c_compiler, c_sailing, environments, problem_rows
from benchmarks.environments import answer_of, has, python_of
from benchmarks.problem_rows import OURS, PEERS, ROOT
from tests.internals import Sailing, plan


@pytest.fixture(scope="module")
def twin() -> ctypes.CDLL:
    if c_compiler.compiler() is None:
        pytest.skip("no C compiler (cc)")
    return c_compiler.build(c_sailing.SOURCE, c_sailing.EXACT)


@pytest.mark.parametrize(
    ("lake", "simulations", "c"),
    [
        (Sailing(2, wind=4), 1, 1.0),
        (Sailing(2), 300, 0.3),
        (Sailing(3, wind=5, delay=3), 300, 1.0),
        pytest.param(problem_rows.LAKE, 2_000, 0.5, marks=pytest.mark.jit),
    ],
)
def test_the_visits_values_and_steps_of_the_search_in_c_are_ours_to_the_last_bit(
    twin: ctypes.CDLL, lake: Sailing, simulations: int, c: float
):
    found = plan(lake, UCB(c=c), simulations, seed=3)
    visits, values, steps = c_sailing.search(twin, lake, simulations, c, seed=3)
    tried = found.visits > 0
    assert np.array_equal(visits[visits > 0], found.visits[tried])
    assert np.array_equal(values[visits > 0], found.values[tried])
    assert steps == found.steps


def assert_plays(answer: dict[str, Any], simulations: int) -> None:
    assert simulations <= answer["playouts"] <= simulations + 9  # one of the libraries plays nine at a time
    assert answer["seconds"] > 0.0
    assert answer["move"] in range(9)


def test_our_script_searches_the_class():
    answer = answer_of(sys.executable, OURS, "1000", PYTHONPATH=str(ROOT))
    assert_plays(answer, 1_000)
    assert answer["move"] == 4


@pytest.mark.parametrize(("library", "version"), PEERS)
def test_the_script_of_a_library_searches_the_class(library: str, version: str):
    if not has(library, version):
        pytest.skip("no environment; python -m benchmarks problems makes it")
    assert_plays(answer_of(python_of(library, version), PEERS[library, version], "200"), 200)


def test_every_script_is_of_a_library():
    assert {*PEERS.values(), OURS} == {*problem_rows.SCRIPTS.glob("search_*.py")}


def test_a_row_is_the_median_of_ratios_and_must_be_ahead(monkeypatch: pytest.MonkeyPatch):
    speeds = iter([4.0, 2.0, 9.0, 3.0, 5.0, 5.0])
    monkeypatch.setattr(problem_rows, "installed", lambda library, version: "python")
    monkeypatch.setattr(problem_rows, "speed", lambda python, script, simulations: next(speeds))
    row = problem_rows.class_row("mcts", "1.0.4", problem_rows.QUICK)
    assert (row.what, row.ours, row.other) == ("own class, tic-tac-toe: mcts 1.0.4", "5 /s", "3 /s")
    assert (row.ratio, row.target, row.met) == (2.0, 1.0, True)


def test_a_library_that_cannot_be_installed_is_named(tmp_path, monkeypatch: pytest.MonkeyPatch):
    def failing(command: list[Any], more: object = None) -> subprocess.CompletedProcess[str]:
        is_pip = "pip" in command
        if not is_pip:
            (tmp_path / "mcts-1.0.4").mkdir()
        return subprocess.CompletedProcess(command, int(is_pip), "", "ERROR: no such version\n\n")

    monkeypatch.setattr(environments, "PLACE", tmp_path)
    monkeypatch.setattr(environments, "_run", failing)
    row = problem_rows.class_row("mcts", "1.0.4", problem_rows.QUICK)
    assert row.skipped == "not installed: ERROR: no such version"
    assert row.met is None
    assert not [*tmp_path.iterdir()]


def test_a_script_that_fails_is_told_by_its_last_line(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("raise KeyError('moves')", encoding="utf-8")
    with pytest.raises(OSError, match="KeyError: 'moves'"):
        answer_of(sys.executable, script)


@pytest.mark.jit
def test_the_rows_of_the_process_have_texts(twin: ctypes.CDLL):
    limit, beside = problem_rows.process_rows(problem_rows.Size(1, 1, 20))
    assert limit.ours.endswith(" M steps/s")
    assert limit.other == "limit 1 M"
    assert beside.other.endswith(" M steps/s")
    assert beside.target == 0.5
