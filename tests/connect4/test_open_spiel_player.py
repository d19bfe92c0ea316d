"""Bots of OpenSpiel as players: its own search and a user's, what they are told, and what they do wrong."""

from __future__ import annotations

import importlib
import importlib.util
import time

import pytest

from connect4 import Board
from connect4.referee import play_game
from experiments.players import make_player
from tests.refusals import refused

pytest.importorskip("pyspiel", reason="open_spiel is not installed")

MINE = "tests.connect4.my_bots."


def rightmost(board: Board) -> int:
    return board.legal_moves()[-1]


@pytest.mark.parametrize("size", [(7, 6, 4), (4, 5, 3), (11, 9, 5)])
def test_its_search_wins_at_once_and_blocks_on_boards_of_any_size(size: tuple[int, int, int]):
    width, height, connect = size
    row = [column for column in range(connect - 1) for _ in range(2)]
    winning = Board.from_moves(row, width, height, connect)
    blocking = Board.from_moves(row[:-1], width, height, connect)
    for board in (winning, blocking):
        assert make_player("open_spiel", simulations=3_000).play(board) == connect - 1


def test_its_search_plays_what_openspiels_step_does_and_says_what_it_is_worth():
    pyspiel, player = importlib.import_module("pyspiel"), make_player("open_spiel", simulations=300, solve=False)
    for moves in ("", "4453", "44444"):
        board, twin = Board.from_moves(moves), make_player("open_spiel", simulations=300, solve=False)
        seed = twin.pick(2**31 - 1)
        state = pyspiel.load_game("connect_four").new_initial_state()
        for column in board.moves:
            state.apply_action(column)
        bot = pyspiel.MCTSBot(
            pyspiel.load_game("connect_four"),
            pyspiel.RandomRolloutEvaluator(1, seed),
            2.0,
            300,
            100,
            False,
            seed,
            False,
        )
        player.reset(0)
        assert player.play(board) == bot.step(state)
        assert 0.3 < player.value < 0.9
    proven = make_player("open_spiel", simulations=300)
    proven.play(Board.from_moves("112233"))
    assert proven.value == 1.0
    proven.play(Board.from_moves("31415"))  # O cannot stop two wins of X: 2 and 6 below 3, 4, 5
    assert proven.value < 0.2


def test_its_search_has_a_budget_in_seconds():
    player = make_player("open_spiel", seconds=0.05)
    player.play(Board())
    start = time.perf_counter()
    assert player.play(Board()) in range(7)
    assert time.perf_counter() - start > 0.045


def test_a_bot_is_told_of_the_moves_that_are_not_its_own():
    played = play_game(make_player("open_spiel", bot=f"{MINE}Teller", seconds=0.5), rightmost, Board())
    assert played.ending.startswith("RuntimeError: (0, 0.5, True) [(1, 1, 6), (3, 1, 6)]")
    played = play_game(rightmost, make_player("open_spiel", bot=f"{MINE}Teller"), Board.from_moves([3, 2]))
    assert played.ending.startswith("RuntimeError: (1, 0.0, True) [(0, 0, 3), (1, 1, 2), (2, 0, 6)]")


def test_a_position_that_does_not_follow_is_another_game():
    player = make_player("open_spiel", bot=f"{MINE}Leftmost")
    assert [player.play(Board.from_moves(moves)) for moves in ("", "444", "111111", "44")] == [0, 0, 1, 0]


def test_a_position_that_a_grid_has_set_up_is_reached_by_some_moves():
    board = Board.from_grid(Board.from_moves("1111112").grid)
    assert make_player("open_spiel", bot=f"{MINE}Leftmost").play(board) == 1


@pytest.mark.parametrize(
    ("bot", "ending"),
    [("Wrong", "illegal move: returned 7; columns count from 0 to 6"), ("hangs", "no move after 0.2 s")],
)
def test_what_a_bot_does_wrong_loses_its_game(bot: str, ending: str):
    player = make_player("open_spiel", bot=MINE + bot, limit=0.2 if bot == "hangs" else 10.0)
    played = play_game(player, rightmost, Board())
    assert (played.result, played.ending) == (-1, ending)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"bot": "uct"}, "bot must be mcts, or a dotted path such as my_bots.make; got 'uct'"),
        ({"bot": 3}, "bot must be mcts, or a dotted path such as my_bots.make; got 3"),
        (
            {"bot": "my_nothing.make"},
            "bot 'my_nothing.make': no module 'my_nothing' can be imported from here (it was not found)",
        ),
        ({"bot": "math.pi"}, "bot 'math.pi' must name a class or a function that makes a bot; it names a float"),
        (
            {"bot": f"{MINE}no_bot"},
            f"bot '{MINE}no_bot' must name a class or a function that returns a pyspiel.Bot, with step(state); "
            "it returns a int",
        ),
        (
            {"bot": f"{MINE}fails"},
            f"bot '{MINE}fails': fails(game=...) fails: OSError: no network for 7 columns (my_bots.py, line 50: "
            'raise OSError(f"no network for {game.num_distinct_actions()} columns"))',
        ),
        ({"simulations": 0}, "simulations must be a whole number from 1 to 1000000000; got 0"),
        ({"simulations": 50, "seconds": 0.1}, "simulations must be left out with seconds=0.1; got 50"),
        ({"uct_c": -1}, "uct_c must be a finite number of at least 0; got -1"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_one_sentence(parameters: dict[str, object], sentence: str):
    assert refused(lambda: make_player("open_spiel", **parameters).check_board(Board())) == sentence


def test_without_openspiel_a_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyspiel" else found(name))
    with pytest.raises(
        ValueError, match=r'^player open_spiel requires the package open_spiel, .*"treebandit\[interop\]"$'
    ):
        make_player("open_spiel")
