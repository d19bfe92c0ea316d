"""`python -m experiments.check_game`: a game of a user's keeps its promises, or one sentence says which it breaks."""

from __future__ import annotations

import pytest

from numerics.kernels import jit, users

BROKEN = "tests.data.broken_games"


@pytest.fixture(autouse=True)
def _in_python(monkeypatch: pytest.MonkeyPatch):
    """Compile no hook."""
    monkeypatch.setattr(jit, "COMPILED", False)
    users._hook_of.cache_clear()
    yield
    users._hook_of.cache_clear()


def test_a_right_game_is_said_to_be_right_with_what_was_checked(command):
    said = command(f"{BROKEN}.Board", "games=20", module="check_game")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith(
        f"{BROKEN}.Board: 20 random games found no violation. Checked: the answers of all hooks,"
    )
    assert "Not checked" not in said.out


def test_an_ordinary_class_is_tried_by_its_methods(command, attempt):
    said = command("tests.mcts.classes.Crosses", "games=20", module="check_game")
    assert said.out.startswith("tests.mcts.classes.Crosses: 20 random games of 2 players found no violation.")
    wrong = attempt("tests.numerics.test_positions.Third", module="check_game")
    assert (wrong.status, wrong.out) == (2, "")
    assert wrong.err.startswith("player() of Third must be below the number of players, 2 by its results; got 2")


@pytest.mark.parametrize(
    ("board", "sentence"),
    [
        (
            f"{BROKEN}.Twice",
            f"legal hook {BROKEN}.legal_with_a_move_twice must give each move once; it gives 1",
        ),
        (f"{BROKEN}.Bord", f"board '{BROKEN}.Bord': module '{BROKEN}' has no 'Bord' (did you mean Board?)"),
        (f"{BROKEN}.play", f"board {BROKEN}.play cannot be called without arguments: TypeError: play() missing 2"),
        (
            f"{BROKEN}.BROKEN",
            "board must be a position with a game, such as connect4.Board(); got {'a move ",
        ),
        ("board", "board must be a dotted path such as my_game.Board; got 'board'"),
    ],
)
def test_anything_else_is_one_sentence_and_status_2(attempt, board: str, sentence: str):
    said = attempt(board, module="check_game")
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(sentence)
    assert len(said.err.splitlines()) == 1
