"""What the players of this package share, and the Monte-Carlo ones: names, strength, tactics, a rule of one's own."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import KLUCB, UCB, Policy
from connect4 import Board
from experiments.players import PLAYERS, make_player
from mcts import BiasedMonteCarloPlayer, MonteCarloPlayer, playout_values
from mcts.flat import run_playouts
from numerics.players import Player
from tests.bandits.policies import NEEDED, example
from tests.connect4.matches import points_of
from tests.mcts.games import TicTacToe

EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    ("monte_carlo", {"simulations": 40}),
    ("monte_carlo", {"simulations": 40, "policy": "ucb", "playouts": "biased"}),
    ("monte_carlo", {"simulations": 40, "policy": {"name": "thompson", "alpha": 2.0}}),
    ("biased_monte_carlo", {"playouts_per_move": 4}),
    ("uct", {"simulations": 40}),
    ("uct", {"simulations": 40, "policy": "kl_ucb", "final": "value"}),
    ("uct", {"simulations": 40, "c": 0.5, "solve": True, "keep": True, "final": "index"}),
    ("uct", {"simulations": 40, "policy": {"name": "thompson"}, "playouts": "biased", "playouts_per_leaf": 2}),
    ("uct", {"simulations": 40, "workers": 2, "solve": True, "keep": True}),
    ("uct", {"simulations": 40, "transpositions": True, "solve": True}),
    ("uct", {"simulations": 40, "transpositions": True, "solve": True, "keep": True}),
    ("uct", {"simulations": 40, "policy": "puct", "prior": "lines", "solve": True, "keep": True}),
]
every_player = pytest.mark.parametrize(("kind", "parameters"), EXAMPLES, ids=str)


def make(kind: str, **parameters: Any) -> Player:
    """A player of this package by its name."""
    return make_player(kind, **parameters)


def random_board(seed: int, plies: int, **size: int) -> Board:
    """A position after some random moves, before the game's end."""
    generator = np.random.default_rng(seed)
    while True:
        board = Board(**size)
        while board.plies < plies and not board.is_finished():
            board.play(int(generator.choice(board.legal_moves())))
        if not board.is_finished():
            return board


def moves_of_a_game(one: Player) -> list[int]:
    """The moves of a player that plays both sides of a game."""
    board = Board(5, 4)
    while not board.is_finished():
        board.play(one.play(board))
    return list(board.moves)


def test_names_tell_what_is_not_the_default():
    assert str(make("monte_carlo")) == "monte_carlo"
    for policy in ("ucb", {"name": "ucb"}, UCB(c=1.0)):
        text = "monte_carlo simulations=50 policy=ucb playouts=biased"
        assert str(make("monte_carlo", simulations=50, policy=policy, playouts="biased")) == text
    assert str(make("monte_carlo", policy="random")) == "monte_carlo"
    assert "policy={name: kl_ucb, c: 3}" in str(make("monte_carlo", policy=KLUCB(c=3.0)))
    assert str(make("biased_monte_carlo")) == "biased_monte_carlo"
    assert str(make("biased_monte_carlo", playouts_per_move=7)) == "biased_monte_carlo playouts_per_move=7"


@every_player
def test_the_same_seed_plays_the_same_game_and_another_game_is_another(kind: str, parameters: dict[str, Any]):
    one, other = make(kind, seed=4, **parameters), make(kind, seed=4, **parameters)
    first = moves_of_a_game(one)
    assert moves_of_a_game(other) == first
    one.reset()
    second = moves_of_a_game(one)
    games = [second]
    for number in range(2, 6):
        other.reset(number)
        games.append(moves_of_a_game(other))
    assert any(game != first for game in games)
    other.reset(1)
    assert moves_of_a_game(other) == second, "nothing of the games before is known"


@every_player
def test_a_player_can_be_sent_to_another_process_and_leaves_the_board_alone(kind: str, parameters: dict[str, Any]):
    one, board = make(kind, seed=2, **parameters), random_board(1, 9)
    moves = board.moves
    sent = pickle.loads(pickle.dumps(one))
    assert one.play(board) == sent.play(board)
    assert board.moves == moves


@pytest.mark.parametrize("name", sorted(Policy.members))
def test_every_policy_of_the_bandits_package_makes_a_player(name: str):
    policy = {"name": name, **NEEDED.get(name, {})}
    if Policy.members[name].limits is not None:
        with pytest.raises(ValueError, match=rf"^policy must play any number of moves in a search, .*; got {name}, "):
            make("monte_carlo", policy=policy)
        return
    if example(name).needs_features:
        with pytest.raises(ValueError, match=rf"^policy must not need features, .*; got {name}$"):
            make("monte_carlo", policy=policy)
        return
    one = make("monte_carlo", simulations=60, policy=policy, seed=1)
    board = random_board(3, 12)
    assert one.play(board) in board.legal_moves()
    assert str(one).startswith("monte_carlo simulations=60" + ("" if name == "random" else " policy="))
    assert str(PLAYERS.of(str(one))) == str(one)


@every_player
def test_players_play_on_any_board_and_any_game_of_two_sides(kind: str, parameters: dict[str, Any]):
    for board in (Board(8, 8), Board(3, 4, connect=3), Board(1, 1), random_board(5, 30, width=10, height=7)):
        assert make(kind, **parameters).play(board) in board.legal_moves()
    if kind != "biased_monte_carlo" and parameters.get("playouts") != "biased" and "keep" not in parameters:
        assert make(kind, **{**parameters, "simulations": 300}).play(TicTacToe("XX.OO....")) == 2


@pytest.mark.parametrize("size", [{}, {"width": 8, "height": 8}], ids=str)
def test_an_immediate_win_is_always_played(size: dict[str, int]):
    players = [
        make("monte_carlo", simulations=120, seed=1),
        make("monte_carlo", simulations=60, policy="ucb", seed=2),
        make("biased_monte_carlo", playouts_per_move=5, seed=3),
    ]
    tried = 0
    for seed in range(60):
        board = random_board(seed, 10 + seed % 12, **size)
        wins = board.winning_moves()
        if wins and tried < 8:
            tried += 1
            for one in players:
                assert one.play(board) in wins, (one.name, board)
    assert tried == 8


def test_an_immediate_loss_is_prevented_where_one_move_prevents_it():
    board = Board.from_moves("112233")
    board.play(6)
    for one in (
        make("monte_carlo", simulations=300, playouts="biased", seed=1),
        make("monte_carlo", simulations=300, policy="ucb", playouts="biased", seed=2),
        make("biased_monte_carlo", playouts_per_move=30, seed=3),
    ):
        assert one.play(board) == 3, one.name


def test_the_biased_player_plays_a_move_of_most_wins():
    board = random_board(8, 8)
    one = BiasedMonteCarloPlayer(playouts_per_move=20, seed=5)
    found = run_playouts(board.game, "biased", 20, one.rng.copy())
    assert found.wins[found.moves == one.play(board)] == found.wins.max()
    assert set(playout_values(board, 20).pulls.tolist()) == {20}


@pytest.mark.long
def test_a_rule_of_ones_own_is_a_parameter_and_its_mistakes_are_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "monte_carlo_rules.py").write_text(
        "import math\nfrom bandits import index_rule\n\n\n@index_rule\n"
        "def wide(mean, width, t, c=1.0):\n    return mean + c * math.sqrt(math.log(t)) * width\n\n\n"
        "@index_rule\ndef broken(mean):\n    return math.nan\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    node = {"name": "custom", "rule": "monte_carlo_rules.wide", "c": 0.5}
    own, ours = make("monte_carlo", simulations=80, policy=node), make("monte_carlo", simulations=80, policy=UCB(c=0.5))
    assert str(own) == "monte_carlo simulations=80 policy={name: monte_carlo_rules.wide, c: 0.5}"
    assert moves_of_a_game(own) == moves_of_a_game(ours)
    with pytest.raises(ValueError, match=r"^policy\.rule monte_carlo_rules\.broken scores nan"):
        make("monte_carlo", policy={"name": "custom", "rule": "monte_carlo_rules.broken"})
    with pytest.raises(ValueError, match=r"^policy\.rule .*no_such_module"):
        make("monte_carlo", policy={"name": "custom", "rule": "no_such_module.rule"})


@pytest.mark.sampled(1)
@pytest.mark.jit
@pytest.mark.parametrize(
    "one",
    [
        MonteCarloPlayer(seed=1),
        MonteCarloPlayer(policy="ucb", seed=2),
        MonteCarloPlayer(policy="thompson", playouts="biased", seed=3),
        BiasedMonteCarloPlayer(playouts_per_move=40, seed=4),
    ],
    ids=lambda one: one.name,
)
def test_monte_carlo_beats_random_nearly_always(one: Player):
    assert points_of(one, make_player("random", seed=5), 40) >= 38.0


@pytest.mark.jit
def test_more_simulations_win_more():
    strong, weak = MonteCarloPlayer(simulations=2_000, seed=1), MonteCarloPlayer(simulations=20, seed=2)
    assert points_of(strong, weak, 60) >= 45.0  # equal players: 30 with a standard deviation of 3.9
