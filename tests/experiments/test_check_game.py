"""`python -m experiments.check_game`: a game of a user's keeps its promises, or one sentence says which it breaks."""

from __future__ import annotations

import pytest

BROKEN = "tests.data.broken_games"


def test_a_right_game_is_said_to_be_right_with_what_was_checked(command):
    said = command(f"{BROKEN}.Board", "games=20", module="check_game")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith(f"{BROKEN}.Board: 20 random games")


@pytest.mark.parametrize(
    ("board", "parts"),
    [
        (f"{BROKEN}.Twice", ["legal hook", "legal_with_a_move_twice"]),
        (f"{BROKEN}.Bord", ["board", "did you mean Board?"]),
        (f"{BROKEN}.play", ["board", "TypeError"]),
        (f"{BROKEN}.BROKEN", ["board", "connect4.Board()"]),
        ("board", ["board", "'board'"]),
    ],
)
def test_anything_else_is_one_sentence_and_status_2(attempt, board: str, parts: list[str]):
    said = attempt(board, module="check_game")
    said.assert_refused(parts)
    assert said.out == ""
