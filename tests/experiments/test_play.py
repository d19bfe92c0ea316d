"""A person against UCT: the search is shown after each of its moves, q leaves, mistakes are sentences."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bandits import UCB
from connect4 import Board, analyse, screen
from experiments.players import PLAYERS, make_player
from mcts import search
from tests.internals import expected_play

SMALL = ("board=4x3", "connect=3", "player=uct simulations=30", "simulations=30")


@pytest.fixture
def answer(monkeypatch):
    """Put answers on standard input."""

    def type_in(text):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))

    return type_in


def all_columns(times):
    return "".join(f"{column}\n" for column in (1, 2, 3, 4)) * times


def test_what_is_shown_is_what_the_search_saw(command, answer):
    answer("2\nq\n")
    said = command(*SMALL, "seed=3", "player=uct c=0.5 simulations=30", module="play")
    assert (said.status, said.err) == (0, "")
    player = make_player("uct", simulations=30, c=0.5, seed=3)
    player.reset(1)
    found = player.think(Board.from_moves((1,), 4, 3, 3)).result()
    rows = [line.split("│")[1:-1] for line in said.out.splitlines() if line.startswith("│")]
    assert [(int(move) - 1, int(visits)) for move, visits, *_ in rows] == list(
        zip(found.moves.tolist(), found.visits.tolist(), strict=True)
    )
    assert f"O plays column {found.best_move + 1}." in said.out
    line = " ".join(str(move + 1) for move in found.principal_variation)
    assert f"principal variation (columns): {line};" in said.out


def test_ctrl_c_leaves_as_politely_with_the_status_of_ctrl_c(attempt, answer, monkeypatch):
    answer("2\n2\n2\n2\n")
    asked = iter([1, 2])

    def interrupted(self, board):
        if next(asked) == 2:
            raise KeyboardInterrupt
        return 0

    monkeypatch.setattr(type(make_player("random")), "play", interrupted)
    said = attempt("player=random", "board=4x3", "connect=3", module="play")
    assert (said.status, said.err) == (130, "")
    assert said.out.endswith(" moves=212\n")


def test_undo_takes_back_the_move_and_the_reply(command, answer):
    answer("u\n2\nu\n3\nu\nq\n")
    said = command("player=level_3", "board=4x3", "connect=3", module="play")
    assert said.out.count("no move to take back") == 1
    assert said.out.count("\nX to move.\n") == 3, "the empty board at the start and after each undo"


def test_a_hint_and_an_analysis_are_exact_where_the_solver_can_and_else_a_searchs(command, answer):
    answer("h\na\n")  # the end of the input leaves too
    said = command(*SMALL, "moves=21", module="play")
    assert said.out.endswith(" moves=21\n")
    board = Board.from_moves("21", 4, 3, 3)
    best = analyse(board)
    assert re.search(rf"hint: column {best.best[0] + 1}.* \+{best.score}\n", said.out)
    scores = [f"{score:+d}" if score else "0" for score in best.scores]
    assert "\n".join(screen.lines(board, scores)) in said.out
    answer("h\na\nq\n")
    said = command("player=random", "board=12x6", module="play")
    assert re.search(r"hint: column \d+, \d+ % .* 20,000 simulations\n", said.out)
    assert "search of X: 20,000 simulations" in said.out
    assert said.out.count("plays column") == 0


def columns_of(text, place):
    """The rows of the table of two rules: one entry of each, by place."""
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("column")) + 1
    return [line.split()[place] for line in lines[first : lines.index("", first)]]


def test_two_rules_stand_side_by_side_with_the_numbers_of_their_searches(command):
    said = command("compare=ucb c=0.5,thompson", "board=4x3", "connect=3", "moves=21", "simulations=60", module="play")
    board = Board.from_moves("21", 4, 3, 3)
    left, right = (search(board, rule, 60) for rule in (UCB(c=0.5), "thompson"))
    for found, visits, index in ((left, 1, 4), (right, 5, 7)):
        assert [int(cell.strip(">")) for cell in columns_of(said.out, visits)] == found.visits.tolist()
        told = columns_of(said.out, index)
        assert [cell.replace("low", "-inf") for cell in told] == [f"{score:.3f}" for score in found.scores]
    means, bonuses, scores = (np.array(columns_of(said.out, place), float) for place in (2, 3, 4))
    np.testing.assert_allclose(means + bonuses, scores, atol=2e-3)
    assert [int(cell) for cell in columns_of(said.out, 8)] == list(analyse(board).scores)
    assert [cell.startswith(">") for cell in columns_of(said.out, 1)].index(True) == left.best_move
    assert max(map(len, said.out.splitlines())) <= 80


def test_r_compares_two_rules_in_the_game_and_answers_a_mistake_with_a_sentence(command, answer):
    answer("r\n\nr\nucb, nope\nr\nucb\nq\n")
    said = command(*SMALL, module="play")
    asked = command("compare=ucb,thompson", "board=4x3", "connect=3", "simulations=30", module="play")
    assert asked.out in said.out, "Enter compares the usual ones, as many simulations of each as of the computer's move"
    assert "'nope'" in said.out
    assert "got 1" in said.out


MET = sorted(set(PLAYERS.members) - {"human", "pettingzoo"})  # which has one board


@pytest.mark.parametrize(
    ("player", "first"), [(player, ("human", "computer")[at % 2]) for at, player in enumerate(MET)]
)
def test_every_player_is_met_on_an_odd_board_with_every_command(command, answer, tmp_path, monkeypatch, player, first):
    (tmp_path / "met_players.py").write_text("def first(board):\n    return board.legal_moves()[0]\n")
    monkeypatch.syspath_prepend(tmp_path)
    engine = Path(__file__).parents[1] / "connect4" / "my_engine.py"
    needed = {
        "custom": ["path=met_players.first"],
        "program": [f"command='{sys.executable} {engine}'"],
        "kaggle": [f"file={engine.with_name('my_submission.py')}"],
    }
    own = needed.get(player, [])
    answer("u\nh\na\n1\nh\nu\n1\n" + all_columns(6))
    said = command(f"player={' '.join([player, *own])}", "board=4x3", "connect=3", f"first={first}", module="play")
    assert (said.status, said.complaint) == (0, "")
    assert "no move to take back" in said.out
    played = re.search(r"moves of the game: ([1-4]+)\n$", said.out)
    assert played is not None
    assert Board.from_moves(played[1], 4, 3, 3).is_finished()


@pytest.mark.parametrize(("moves", "shown"), [(12, "1 2 3 4 5 6 7 1 2 3 4 5"), (13, "1 2 3 4 5 6 7 1 2 3 4 5 ...")])
def test_expected_play_says_that_it_is_cut_only_where_it_is(moves, shown):
    result: Any = SimpleNamespace(principal_variation=[column % 7 for column in range(moves)])
    assert expected_play(result) == shown
