"""What every registered player promises; a new one is tested by being registered."""

from __future__ import annotations

import io
import itertools
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from connect4 import Board
from connect4.players import Human
from experiments import players
from experiments.players import make_player
from numerics.players import Player
from tests.connect4.positions import undecided
from tests.internals import Chooser
from tests.refusals import refused

PLAYERS = {
    kind: cls for kind, cls in players.PLAYERS.members.items() if cls.__module__.startswith(("connect4.", "mcts."))
}
ROOT = Path(__file__).resolve().parents[2]
NEEDED: dict[str, dict[str, Any]] = {
    "kaggle": {"file": str(Path(__file__).with_name("my_submission.py"))},
    "pettingzoo": {"agent": "tests.connect4.my_agents.Wanderer"},
    "custom": {"path": "tests.connect4.my_players.Wanderer"},
    "program": {"command": f"{sys.executable} -m tests.connect4.my_engine"},
}
VARIATIONS: dict[str, list[dict[str, Any]]] = {
    "level_4": [{"order": "centre-runs"}],
    "minimax": [
        {"depth": 1, "ties": "left"},
        {"depth": 2, "ties": "centre", "heuristic": "tests.connect4.test_minimax.stones_in_the_first_column"},
    ],
    "lookahead": [{"ply": 0}, {"ply": 3, "tiebreak": "LEFT"}, {"ply": 1, "tiebreak": "RIGHT"}],
    "custom": [{"path": "tests.connect4.my_players.leftmost", "seconds": 5.0}],
    "pettingzoo": [{"agent": "tests.connect4.my_agents.leftmost", "limit": 5.0}],
    "open_spiel": [{"simulations": 20, "uct_c": 1.5, "solve": False}, {"bot": "tests.connect4.my_bots.Leftmost"}],
    "monte_carlo": [
        {"simulations": 40, "policy": "ucb", "playouts": "biased"},
        {"simulations": 40, "policy": {"name": "thompson", "alpha": 2.0}},
    ],
    "biased_monte_carlo": [{"playouts_per_move": 4}],
    "uct": [
        {"simulations": 40, "policy": "kl_ucb", "final": "value"},
        {"simulations": 40, "c": 0.5, "solve": True, "keep": True, "final": "index"},
        {"simulations": 40, "policy": {"name": "thompson"}, "playouts": "biased", "playouts_per_leaf": 2},
        {"simulations": 40, "workers": 2, "solve": True, "keep": True},
        {"simulations": 40, "transpositions": True, "solve": True},
        {"simulations": 40, "transpositions": True, "solve": True, "keep": True},
        {"simulations": 40, "policy": "puct", "prior": "lines", "solve": True, "keep": True},
    ],
}
SIZES = [(4, 4, 4), (7, 6, 4), (9, 9, 5), (2, 2, 2), (1, 1, 2)]
ALL = [(kind, parameters) for kind in PLAYERS for parameters in ({}, *VARIATIONS.get(kind, []))]
MACHINES = [(kind, parameters) for kind, parameters in ALL if kind != "human"]
every_kind = pytest.mark.parametrize("kind", PLAYERS)
every_player = pytest.mark.parametrize(("kind", "parameters"), ALL, ids=str)
every_machine = pytest.mark.parametrize(("kind", "parameters"), MACHINES, ids=str)


class Everything(io.StringIO):
    """Answers with every column in turn, for ever."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = itertools.cycle(range(9))

    def readline(self, *_: Any) -> str:
        return f"{next(self.answers)}\n"


def made(kind: str, parameters: dict[str, Any], seed: int = 0) -> Player:
    """Return a player that needs nobody at the terminal."""
    player = make_player(kind, seed=seed, **NEEDED.get(kind, {}) | parameters)
    if isinstance(player, Human):
        player.source, player.sink = Everything(), io.StringIO()
    return player


def moves(player: Player, board: Board | None = None, plies: int = 14) -> list[int]:
    """What a player plays against itself; an illegal move is noted and another column played."""
    board, played = board or Board(), []
    while not board.is_finished() and len(played) < plies:
        column = player.play(board.copy())
        played.append(column)
        board.play(column if column in board.legal_moves() else board.legal_moves()[0])
    return played


@every_kind
def test_the_registry_knows_a_player_by_its_kind(kind: str):
    assert made(kind, {}).name == kind
    assert made(kind, {}).name.partition("(")[0] == kind
    assert PLAYERS[kind].__doc__


@pytest.mark.sampled(18)
@every_player
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_columns_are_legal_and_the_board_stays_as_it_was(kind: str, parameters: dict[str, Any], size: tuple[int, ...]):
    player, board = made(kind, parameters, seed=3), Board(*size)
    if kind == "pettingzoo" and size != (7, 6, 4):
        with pytest.raises(ValueError, match=r"^board must be 7x6 with connect=4"):
            player.check_board(board)
        return
    while not board.is_finished():
        before = (board.copy(), board.moves, board.heights, str(board))
        column = player.play(board)
        assert (board, board.moves, board.heights, str(board)) == before
        assert type(column) is int
        if kind == "level_0":
            assert 0 <= column < board.width
        else:
            assert column in board.legal_moves()
        board.play(column if column in board.legal_moves() else board.legal_moves()[0])


@pytest.mark.sampled(4)
@every_machine
def test_the_same_seed_plays_the_same_and_each_game_has_its_own_chance(kind: str, parameters: dict[str, Any]):
    player, games = made(kind, parameters, seed=1), []
    assert player.number == 0, "a new player begins with the first game"
    first = player.rng.copy()
    for game in range(4):
        player.reset(game)
        games.append(moves(player))
    for game in (2, 0, 3):
        fresh = made(kind, parameters, seed=1)
        fresh.reset(game)
        assert moves(fresh) == games[game], "nothing of the games before is known"
    player.reset(0)
    np.testing.assert_array_equal(player.rng, first)
    player.reset()
    assert moves(player) == games[1], "without a number, the next game begins"
    others = [moves(made(kind, parameters, seed=seed)) for seed in range(2, 6)]
    if chance(kind, parameters):
        assert len({tuple(game) for game in games}) > 1
        assert any(other != games[0] for other in others)
    else:
        assert all(game == games[0] for game in [*games, *others])


def chance(kind: str, parameters: dict[str, Any]) -> bool:
    """Whether anything is left to chance."""
    fixed = parameters.get("ties", "random") != "random" or parameters.get("tiebreak", "RANDOM") != "RANDOM"
    named = " ".join(map(str, parameters.values()))
    return not fixed and kind not in ("program", "kaggle") and "leftmost" not in named.lower()


@every_machine
def test_a_player_pickled_in_a_game_goes_on_as_it_would_have(kind: str, parameters: dict[str, Any]):
    player = made(kind, parameters, seed=4)
    player.reset(2)
    if kind not in ("custom", "pettingzoo"):  # whose object is made anew
        moves(player, plies=3)
    twin = pickle.loads(pickle.dumps(player))
    assert str(twin) == str(player)
    assert moves(twin) == moves(player)


def test_a_player_at_the_terminal_can_be_pickled_too():
    assert pickle.loads(pickle.dumps(make_player("human"))).name == "human"


@every_player
def test_the_text_tells_every_parameter_that_is_not_the_default(kind: str, parameters: dict[str, Any]):
    player = made(kind, parameters)
    node = players.PLAYERS.mapping(str(player), "player")
    assert node is not None
    assert node.pop("name") == kind
    assert set(node) == set(NEEDED.get(kind, {}) | parameters)
    assert str(players.PLAYERS.of(str(player))) == str(player)


SEE_WINS = ["level_2", "level_3", "level_4", "biased_random", "minimax", "lookahead"]
SEE_THREATS = ["level_3", "level_4", "biased_random", "minimax", "lookahead"]


@pytest.mark.parametrize("kind", SEE_WINS)
@pytest.mark.parametrize("size", [(7, 6, 4), (4, 4, 3), (9, 9, 5), (2, 2, 2)], ids=str)
def test_who_sees_wins_plays_one_at_once(kind: str, size: tuple[int, int, int]):
    boards = [board for board in undecided(60, [size], seed=1) if board.winning_moves()]
    assert len(boards) >= 3
    for board in boards:
        assert made(kind, {}).play(board) in board.winning_moves()


@pytest.mark.parametrize("kind", SEE_THREATS)
def test_who_sees_threats_stops_the_only_one(kind: str):
    boards = [
        board
        for board in undecided(120, [(7, 6, 4), (5, 4, 3), (9, 9, 5)], seed=2)
        if not board.winning_moves() and len(board.winning_moves(-board.to_move)) == 1 and can_be_stopped(board)
    ]
    assert len(boards) >= 10
    for board in boards:
        assert [made(kind, {}).play(board)] == board.winning_moves(-board.to_move)


def can_be_stopped(board: Board) -> bool:
    """Whether the other side, once blocked, has no second win on top of the block."""
    after = board.copy()
    after.play(board.winning_moves(-board.to_move)[0])
    return not after.winning_moves()


@pytest.mark.parametrize("kind", [kind for kind, cls in PLAYERS.items() if issubclass(cls, Chooser)])
def test_on_the_mirrored_board_the_mirrored_columns_are_as_good(kind: str):
    for board in undecided(20, [(7, 6, 4), (4, 4, 3), (8, 5, 4), (9, 9, 5)], seed=3):
        player = made(kind, {})
        assert isinstance(player, Chooser)
        columns, mirrored = player.candidates(board), player.candidates(board.mirror())
        assert sorted(board.width - 1 - column for column in mirrored) == columns


@pytest.mark.parametrize("kind", [kind for kind, cls in PLAYERS.items() if issubclass(cls, Chooser)])
def test_after_the_end_of_a_game_there_is_nothing_to_play(kind: str):
    for board in (Board.from_moves("1212121"), Board.from_moves("1122", 2, 2)):
        with pytest.raises(ValueError, match=r"^board must not be finished"):
            made(kind, {}).play(board)


@pytest.mark.parametrize("kind", ["random", "level_0", "level_1", "level_2", "level_3"])
def test_where_nothing_is_to_be_won_or_blocked_every_column_is_equally_likely(kind: str):
    player, counts = make_player(kind, seed=6), Counter[int]()
    for _ in range(1400):
        counts[player.play(Board())] += 1
    statistic = sum((counts[column] - 200) ** 2 / 200 for column in range(7))
    assert statistic < 22.5  # the 0.999 quantile of chi-squared with 6 degrees of freedom


BAD = [
    ("random", {"depth": 3}, "depth is not a parameter of random; it takes seed"),
    (
        "minimax",
        {"heuristic": "threes"},
        "heuristic must be a dotted path such as my_heuristics.threes, or quadruplets; got 'threes'",
    ),
    ("minimax", {"heuristic": 3}, "heuristic must be quadruplets, a function of a board, or its dotted path; got 3"),
    ("lookahead", {"ply": -1}, "ply must be a whole number of at least 0; got -1"),
    ("lookahead", {"tiebreak": "MIDDLE"}, "tiebreak must be one of LEFT, RIGHT, RANDOM; got 'MIDDLE'"),
    ("lookahead", {"tiebreak": 1}, "tiebreak must be one of LEFT, RIGHT, RANDOM; got 1"),
    ("custom", {"path": None}, "path must be a dotted path such as my_players.MyPlayer; got None"),
    (3, {}, f"name must be one of {', '.join(sorted(players.PLAYERS.members))}; got 3"),
]


@pytest.mark.parametrize(("kind", "parameters", "sentence"), BAD, ids=str)
def test_a_bad_parameter_is_one_sentence(kind: Any, parameters: dict[str, Any], sentence: str):
    assert refused(lambda: make_player(kind, **parameters)) == sentence


def test_scores_can_be_asked_only_for_a_player():
    with pytest.raises(ValueError, match=r"^player must be 1 or -1; got 0"):
        make_player("lookahead").scores_for(Board(), 0)


@pytest.mark.long
def test_making_every_player_loads_nothing_slow():
    code = (
        "import sys\n"
        "from experiments.players import PLAYERS, make_player\n"
        "for kind in PLAYERS.members:\n"
        "    needed = {'custom': {'path': 'os.path.basename'}, 'program': {'command': 'cat'},\n"
        "              'kaggle': {'file': 'tests/connect4/my_submission.py'},\n"
        "              'pettingzoo': {'agent': 'os.path.join'}}.get(kind, {})\n"
        "    make_player(kind, **needed).name\n"
        "slow = ('numba', 'pandas', 'matplotlib', 'scipy.stats', 'hydra', 'omegaconf')\n"
        "print([one for one in slow if one in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "[]"
