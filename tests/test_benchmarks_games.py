"""OpenSpiel's search, which ours of its states is compared with, plays; nothing here is timed with care."""

from __future__ import annotations

import random
from typing import Any

import pytest

from benchmarks import game_rows
from mcts.adapters import position_of

pyspiel: Any = pytest.importorskip("pyspiel", reason="open_spiel is not installed")


@pytest.mark.parametrize("name", game_rows.GAMES)
def test_the_peer_plays_each_game(name: str):
    state = pyspiel.load_game(name).new_initial_state()
    assert game_rows.open_spiel_python(state, 20) in state.legal_actions()


def test_the_peer_wins_at_once():
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for move in (0, 3, 1, 4):
        state.apply_action(move)
    assert game_rows.open_spiel_python(state, 400) == 2


@pytest.mark.parametrize("name", game_rows.REJECTED)
def test_what_is_said_not_to_be_taken_is_not(name: str):
    with pytest.raises(ValueError, match=r"Game must have terminal rewards"):
        game_rows.open_spiel_python(pyspiel.load_game(name).new_initial_state(), 5)


def test_there_is_a_row_for_each_game():
    searched = []

    def playouts(state: Any, simulations: int) -> None:
        position, rng = position_of(state), random.Random(0)
        searched.append(sum(position.playout(rng, 1_000)[0] for _ in range(simulations)))

    size = game_rows.Size(rounds=1, share=0.01)
    rows = list(game_rows.rows(size, playouts))
    assert [row.what.partition(": ")[0] for row in rows] == [*game_rows.GAMES, *game_rows.REJECTED]
    assert all(row.target == 3.0 and row.ratio for row in rows[: len(game_rows.GAMES)])
    assert len(searched) > len(rows)
