"""Guests as players: a user's own, submissions to Kaggle, bots of OpenSpiel and agents of PettingZoo."""

from __future__ import annotations

import importlib.util
import re
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from connect4.pettingzoo import board_of, environment, play_environment
from connect4.pettingzoo import observation_of as shown_to_agents
from connect4.players import Custom
from connect4.referee import play_game
from experiments.players import make_player
from tests.internals import PLAYER, Agent, configuration_of, observation_of, source_files
from tests.refusals import refused

PLAYERS, BOTS, AGENTS = ("tests.connect4." + name for name in ("my_players.", "my_bots.", "my_agents."))
open_spiel = pytest.mark.skipif(importlib.util.find_spec("pyspiel") is None, reason="open_spiel is not installed")


def custom(name: str, seconds: float = 10.0, seed: int = 0) -> Custom:
    return Custom(path=PLAYERS + name, seconds=seconds, seed=seed)


@pytest.mark.parametrize(("name", "column"), [("leftmost", 0), ("Caller", 6), ("Rememberer", 0), ("Spoiler", 0)])
def test_a_function_or_a_class_with_play_or_call_plays(name: str, column: int):
    board = Board()
    assert custom(name).play(board) == column
    assert board == Board(), "the user's code has a copy"


def test_every_game_has_a_player_of_its_own():
    player = custom("Rememberer")
    assert [player.play(Board()) for _ in range(3)] == [0, 1, 2]
    player.reset(1)
    assert player.play(Board()) == 0
    player.reset()
    assert player.play(Board()) == 0


def test_a_player_of_the_projects_own_kind_can_be_named_and_a_file_in_the_current_folder(tmp_path: Path, monkeypatch):
    assert Custom(path="connect4.players.simple.Level2").play(Board.from_moves("112233")) == 3
    assert custom("Inner").play(Board()) in range(7)
    (tmp_path / "my_own_players.py").write_text("class Right:\n    def play(self, board):\n        return 6\n")
    monkeypatch.chdir(tmp_path)
    assert make_player("custom", path="my_own_players.Right").play(Board()) == 6


# Under a tracer, such as that of coverage, Python 3.11 turns round and round until the sleeper wakes.
@pytest.mark.parametrize("name", ["endless", "endless_catching", pytest.param("sleeper", marks=pytest.mark.jit)])
def test_a_move_that_takes_too_long_loses_the_game_and_is_ended(name: str):
    played = play_game(custom(name, seconds=0.2), make_player("random"), Board())
    assert (played.result, played.ending, played.moves) == (-1, "no move after 0.2 s", ())
    assert 0.2 <= played.seconds[0] < 60.0
    second = play_game(make_player("random"), custom(name, seconds=0.2), Board())
    assert (second.result, len(second.moves)) == (1, 1)
    running = [thread for thread in threading.enumerate() if thread.name == f"move of {PLAYERS}{name}"]
    assert not running or name == "sleeper"


# --- submissions to Kaggle ---


SUBMISSION = Path(__file__).with_name("my_submission.py")


def written(folder: Path, text: str) -> str:
    file = folder / "submission.py"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_what_it_is_shown_is_what_kaggle_shows():
    board = Board.from_moves("445", 7, 6, 4)
    shown, terms = observation_of(board), configuration_of(board, 0.5)
    assert (shown.mark, shown.step, shown["mark"]) == (2, 3, 2)
    assert shown.board == [0] * 28 + [0, 0, 0, 2, 0, 0, 0] + [0, 0, 0, 1, 1, 0, 0]
    assert all(type(cell) is int for cell in shown.board)
    assert (terms.columns, terms.rows, terms.inarow, terms.actTimeout, terms["timeout"]) == (7, 6, 4, 0.5, 0.5)
    assert not hasattr(shown, "winner")


def test_the_last_that_can_be_called_plays_and_may_take_the_observation_alone(tmp_path: Path):
    text = "class Bot:\n    pass\nwidth = 7\ndef first(seen, terms): return 1\nlast = lambda seen: width - seen.mark\n"
    player = make_player("kaggle", file=written(tmp_path, text))
    assert (player.play(Board()), player.play(Board.from_moves("4"))) == (6, 5)


def test_its_file_is_run_anew_for_every_game_and_may_import_what_lies_beside_it(tmp_path: Path):
    (tmp_path / "beside_the_submission.py").write_text("STEP = 2\n")
    text = (
        "import beside_the_submission as b\nmoves = []\ndef f(o, c):\n    moves.append(b.STEP)\n    return sum(moves)\n"
    )
    player = make_player("kaggle", file=written(tmp_path, text))
    assert [player.play(Board()), player.play(Board())] == [2, 4]
    player.reset(1)
    assert player.play(Board()) == 2


def test_a_run_knows_the_files_that_play():
    kaggle = PLAYER.build({"name": "kaggle", "file": str(SUBMISSION)}, "player1")
    engine = PLAYER.build({"name": "program", "command": f"python {SUBMISSION} --fast"}, "player2")
    assert str(SUBMISSION) in source_files(kaggle)
    assert str(SUBMISSION) in source_files(engine)


# --- bots of OpenSpiel ---


@open_spiel
@pytest.mark.parametrize("size", [(7, 6, 4), (11, 9, 5)])
def test_its_search_wins_at_once_and_blocks_on_boards_of_any_size(size: tuple[int, int, int]):
    *shape, connect = size
    row = [column for column in range(connect - 1) for _ in range(2)]
    for moves in (row, row[:-1]):
        board = Board.from_moves(moves, *shape, connect)
        assert make_player("open_spiel", simulations=3_000).play(board) == connect - 1


@open_spiel
def test_its_search_says_what_a_position_is_worth_within_a_budget_in_seconds_too():
    for moves, low, high in (("4453", 0.3, 0.9), ("112233", 1.0, 1.0), ("31415", 0.0, 0.2)):
        for budget in ({"simulations": 300}, {"seconds": 0.1}):
            player, start = make_player("open_spiel", **budget), time.perf_counter()
            player.play(Board.from_moves(moves))  # at last O cannot stop two wins of X: 2 and 6 below 3, 4, 5
            assert low <= player.value <= high
            assert time.perf_counter() - start > 0.9 * budget.get("seconds", 0.0) or player.value in (0.0, 1.0)


@open_spiel
def test_a_position_that_does_not_follow_is_another_game_and_one_that_was_set_up_is_reached():
    player = make_player("open_spiel", bot=f"{BOTS}Leftmost")
    assert [player.play(Board.from_moves(moves)) for moves in ("", "444", "111111", "44")] == [0, 0, 1, 0]
    assert player.play(Board.from_grid(Board.from_moves("1111112").grid)) == 1


@open_spiel
def test_without_openspiel_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyspiel" else found(name))
    refused(lambda: make_player("open_spiel"), "player open_spiel ", "treebandit[interop]")


# --- agents of PettingZoo ---


def rightmost(board: Board) -> int:
    return board.legal_moves()[-1]


@pytest.mark.parametrize(
    ("agent", "columns"),
    [("leftmost", [0, 0, 1]), ("of_a_mapping", [0, 0, 1]), ("model", [6, 6, 6]), ("Model", [6, 6, 6])],
)
def test_agents_of_every_form_play(agent: str, columns: list[int]):
    player = make_player("pettingzoo", agent=AGENTS + agent)
    assert [player.play(Board.from_moves(moves)) for moves in ("", "4", "111111")] == columns
    assert all(type(player.play(Board())) is int for _ in range(2))


def test_the_environment_has_one_board():
    player = make_player("pettingzoo", agent=f"{AGENTS}leftmost")
    for size in ((7, 6, 5), (8, 6, 4)):
        refused(lambda size=size: player.check_board(Board(*size)), "board ", "7x6")


# --- what they do wrong ---


WRONG = [
    ("custom", "raises", "RuntimeError: no idea at all (my_players.py, line 87:"),
    ("custom", "leaves", "SystemExit: 3 (my_players.py, line 92:"),
    ("custom", "word", "illegal move: returned 'left'"),
    ("kaggle", "return 7", "illegal move: returned 7; "),
    ("kaggle", "while True: pass", "no move after 0.2 s"),
    ("kaggle", "import sys; sys.exit(3)", "SystemExit: 3 (submission.py, line 2:"),
    pytest.param("open_spiel", "Wrong", "illegal move: returned 7; ", marks=open_spiel),
    pytest.param("open_spiel", "hangs", "no move after 0.2 s", marks=open_spiel),
    ("pettingzoo", "outside", "illegal move: returned 9"),
    ("pettingzoo", "asleep", "no move after 0.2 s"),
]


@pytest.mark.parametrize(("kind", "what", "ending"), WRONG)
def test_what_a_guest_does_wrong_loses_its_game_and_is_said_in_one_line(tmp_path, kind: str, what: str, ending: str):
    limit = 0.2 if "0.2" in ending else 10.0
    given: dict[str, Any] = {
        "custom": lambda: {"path": PLAYERS + what, "seconds": limit},
        "kaggle": lambda: {"file": written(tmp_path, f"def agent(o, c): \n    {what}\n"), "limit": limit},
        "open_spiel": lambda: {"bot": BOTS + what, "limit": limit},
        "pettingzoo": lambda: {"agent": AGENTS + what, "limit": limit},
    }[kind]()
    played = play_game(make_player(kind, **given), rightmost, Board())
    assert played.result == -1
    assert played.ending.startswith(ending)
    assert "\n" not in played.ending


REFUSED = [
    ("custom", {"path": f"{PLAYERS}number"}, "path ", "int"),
    ("custom", {"path": f"{PLAYERS}NeedsMore"}, "path ", "TypeError"),
    ("custom", {"path": f"{PLAYERS}two"}, "path ", "player: 'int'"),
    ("custom", {"path": f"{PLAYERS}Mute"}, "path ", "play(board)"),
    ("kaggle", "def agent(o, c)\n", "file ", "line 1"),
    ("kaggle", "\nraise OSError('no table')\n", "file ", "no table (submission.py, line 2:"),
    pytest.param("open_spiel", {"bot": "math.pi"}, "bot ", "float", marks=open_spiel),
    pytest.param("open_spiel", {"bot": f"{BOTS}no_bot"}, "bot ", "returns a int", marks=open_spiel),
    pytest.param("open_spiel", {"bot": f"{BOTS}fails"}, "bot ", "7 columns (my_bots.py, line 50:", marks=open_spiel),
    pytest.param("open_spiel", {"simulations": 50, "seconds": 0.1}, "simulations ", "seconds=0.1", marks=open_spiel),
    ("pettingzoo", {"agent": f"{AGENTS}no_agent"}, "agent ", "str"),
]


@pytest.mark.parametrize(("kind", "given", "key", "fact"), REFUSED)
def test_what_is_no_guest_is_refused_before_any_game(tmp_path, kind: str, given: Any, key: str, fact: str):
    parameters = {"file": written(tmp_path, given)} if isinstance(given, str) else given
    with pytest.raises(ValueError, match=f"^{key}.*{re.escape(fact)}"):
        make_player(kind, **parameters).check_board(Board())


# --- games in the environment of PettingZoo ---


@pytest.fixture
def env():
    return environment()


def two_scripts(moves):
    """Return two players that play these columns in turn."""
    return [lambda board, rest=rest: next(rest) for rest in (iter(moves[::2]), iter(moves[1::2]))]


def test_at_every_move_of_real_games_the_observation_is_the_board_that_was_played_and_what_agents_see(env):
    draw = np.random.default_rng(5)
    for _ in range(3):
        env.reset()
        board = Board()
        while not env.last()[2]:
            observation, own = env.last()[0], shown_to_agents(board)
            assert board_of(observation) == board
            for name in ("observation", "action_mask"):
                assert own[name].dtype == observation[name].dtype
                assert np.array_equal(own[name], observation[name])
            board.play(int(draw.choice(np.flatnonzero(observation["action_mask"]))))
            env.step(board.moves[-1])
        assert board.is_finished()


def bad(**changes):
    return {**shown_to_agents(Board.from_moves("4453")), **changes}


FLOATING = np.zeros((6, 7, 2), dtype=np.int8)
FLOATING[0, 0, 1] = 1
WAITING = shown_to_agents(Board.from_moves("4"))["observation"][..., ::-1]


@pytest.mark.parametrize(
    ("observation", "fact"),
    [
        (np.zeros((6, 7, 2)), "ndarray"),
        ({"observation": np.zeros((6, 7, 2))}, "action_mask"),
        (bad(observation=np.full((6, 7, 2), 2)), "0 and 1"),
        (bad(observation=WAITING), "1 and 0"),
        (bad(observation=FLOATING), "floating"),
        (bad(action_mask=np.zeros(7)), "[0, 1, 2, 3, 4, 5, 6]"),
    ],
)
def test_an_observation_that_is_no_position_is_refused(observation, fact):
    refused(lambda: board_of(observation), "observation ", fact)


def test_an_agent_whose_game_is_over_answers_nothing():
    over = shown_to_agents(Board.from_moves("1212121"))
    assert [Agent(len).choose(over, -1, ended, not ended, {}) for ended in (True, False)] == [None, None]


@pytest.mark.parametrize(("first", "second"), [("random", "level_0"), ("level_4", "random"), ("level_3", "level_2")])
def test_from_the_same_streams_a_game_is_the_native_one_move_for_move(env, first, second):
    played = []
    for play in (lambda *pair: play_environment(*pair, seed=1, env=env), lambda *pair: play_game(*pair, Board())):
        pair = make_player(first, seed=1), make_player(second, seed=2)
        for player in pair:
            player.reset(1)
        game = play(*pair)
        played.append((game.result, game.moves, game.ending))
    assert played[0] == played[1]


FULL = [0, 1] * 3 + [1, 0] * 3 + [2, 3] * 3 + [3, 2] * 3 + [4, 5] * 3 + [5, 4] * 3 + [6] * 6


@pytest.mark.parametrize(
    ("moves", "result", "ending"),
    [
        ([0, 1, 0, 1, 0, 1, 0], 1, "row"),
        ([6, 0, 1, 0, 1, 0, 1, 0], -1, "row"),
        (FULL, 0, "full"),
        ([0] * 7, -1, "illegal move: column 1 is full"),
        ([3, 2, -1], -1, "illegal move: returned -1"),
        ([3, "a"], 1, "illegal move: returned 'a'"),
        ([3], 1, "StopIteration"),
    ],
)
def test_games_end_there_as_here(env, caplog, moves, result, ending):
    played = play_environment(*two_scripts(moves), env=env)
    assert (played.result, played.ending.startswith(ending)) == (result, True)
    here = play_game(*two_scripts(moves), Board())
    assert (here.result, here.ending, here.moves) == (played.result, played.ending, played.moves)
    assert caplog.records == [], "the environment says nothing of what is illegal"


def test_it_is_the_environment_that_pettingzoo_calls_connect_four_v3(env):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # since 1.27 the module warns of itself
        from pettingzoo.classic import connect_four_v3
    assert str(env) == str(connect_four_v3.env()) == "connect_four_v3"
    assert type(env.unwrapped) is connect_four_v3.raw_env


@pytest.mark.parametrize("player", ["uct", None, 3], ids=repr)
def test_what_is_no_player_is_refused_before_any_game(player):
    for act in (lambda: Agent(player), lambda: Board().run(player, make_player("random"))):
        said = refused(act, "player ", repr(player))
        assert ("make_player" in said) == isinstance(player, str)
