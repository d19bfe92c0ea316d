"""The agent for Kaggle's ConnectX: one file of plain Python, legal and in time on boards of any size, and no fool."""

from __future__ import annotations

import ast
import itertools
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from connect4 import Board, kaggle, submission
from numerics.exits import run_guarded
from tests.connect4.naive_search import exact_score
from tests.connect4.positions import undecided
from tests.internals import configuration_of, observation_of

# What Kaggle does, in a Python that has the standard library alone: a question and an answer a line.
RUNNER = """
import json, sys
names = {}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), names)
agent = [value for value in names.values() if callable(value)][-1]
for line in sys.stdin:
    print(agent(*json.loads(line)), flush=True)
"""
SIZES = [(7, 6, 4), (4, 4, 3), (1, 5, 2), (9, 3, 5), (13, 2, 2), (2, 2, 4), (10, 11, 6)]  # columns, rows, in a row


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("kaggle") / "submission.py"
    kaggle.main(["-o", str(file)])
    return file


def value_of(board: Board) -> int:
    """Who wins, by search to the end: 1 the side to move, -1 the other, 0 nobody."""
    search, position = started(board)
    value = search.value(*position, -submission.WIN, submission.WIN, search.cells)
    return (value > 0) - (value < 0)


def started(board: Board) -> tuple[submission.Search, tuple[int, int, int, int]]:
    """A search without a table of values, and the stones and threats of a position as it takes them."""
    search = submission.Search(board.height, board.width, board.connect, time.monotonic() + 60.0)
    own, taken = board.stones(board.to_move), board.stones(1) | board.stones(-1)
    return search, (own, taken, search.winning(own, taken), search.winning(own ^ taken, taken))


def plain_value(board: Board, depth: int) -> int:
    """`Search.value` by the rules alone, without bounds: a forced move is followed beyond the depth."""
    if board.is_finished():
        return 0
    if board.winning_moves():
        return submission.WIN - board.plies - 1
    forced, values = board.winning_moves(-board.to_move), []
    for column in forced or board.legal_moves():
        after = board.copy()
        after.play(column)
        if column not in after.winning_moves():
            values.append(lambda after=after: -plain_value(after, depth - 1))
    if not values or len(forced) > 1:
        return board.plies + 2 - submission.WIN
    if depth <= 0 and not forced:
        search, position = started(board)
        return search.worth(*position)
    return max(value() for value in values)


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_a_search_of_few_moves_has_the_value_of_a_plain_one(depth: int):
    for board in undecided(9 - depth, [(7, 6, 4), (5, 4, 3), (4, 5, 4)], seed=depth):
        search, position = started(board)
        value = search.value(*position, -submission.WIN, submission.WIN, depth)
        assert value == plain_value(board, depth), (board, depth)


def test_the_file_imports_the_standard_library_alone_and_ends_with_the_agent(written: Path):
    tree = ast.parse(written.read_text(encoding="utf-8"))
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names
    assert getattr(tree.body[-1], "name", "") == "agent"


def test_it_plays_legally_on_odd_boards_in_a_python_without_packages(written: Path):
    chance = random.Random(1)
    run = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", RUNNER, str(written)],
        cwd=written.parent,
        env={"PYTHONPATH": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdin is not None
    assert run.stdout is not None
    with run:
        for number, size in enumerate(SIZES):
            board, own = Board(*size), 1 if number % 2 else -1
            while not board.is_finished():
                if board.to_move != own:
                    board.play(chance.choice(board.legal_moves()))
                    continue
                asked = [observation_of(board), configuration_of(board, 0.05)]
                run.stdin.write(f"{json.dumps(asked)}\n")
                run.stdin.flush()
                column = int(run.stdout.readline())
                assert column in board.legal_moves(), (size, board.notation)
                board.play(column)
            assert board.winner() in (0, own), size
        run.stdin.close()


def test_a_search_ends_before_the_time_of_its_move_is_over(monkeypatch):
    clock = itertools.count(step=0.05)  # seconds that pass between two looks at it
    monkeypatch.setattr(submission, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    board = Board.from_moves([6, 3, 6, 4], 12, 9, 5)
    column = submission.agent(observation_of(board), configuration_of(board, 2.0))
    assert column in board.legal_moves()
    assert 2.0 * submission.SHARE < next(clock) < 2.0


def test_one_in_a_row_wins_and_objects_are_read_as_mappings_are():
    seen = SimpleNamespace(board=[0, 0, 1, 2], mark=1)
    assert submission.agent(seen, SimpleNamespace(rows=2, columns=2, inarow=1, timeout=1)) in (0, 1)
    assert submission.agent({"board": [0] * 42, "mark": 1}, {"timeout": 0.05}) == 3, "7x6 and four in a row by default"


@pytest.mark.parametrize("size", [(4, 4, 3), (5, 4, 4)])
def test_values_by_search_to_the_end_are_exact(size: tuple[int, int, int]):
    boards = [board for board in undecided(60, [size], seed=6) if size[0] * size[1] - board.plies <= 9]
    assert len(boards) >= 5
    for board in boards:
        assert value_of(board) == np.sign(exact_score(board)), board.notation


@pytest.mark.parametrize("place", ["submission.txt", "no_such/submission.py"])
def test_a_place_that_cannot_be_written_is_refused(place: str, capsys: pytest.CaptureFixture[str]):
    assert run_guarded(lambda: kaggle.main(["-o", place])) == 2
    said = capsys.readouterr().err
    assert said.startswith("--output ")
    assert place in said
