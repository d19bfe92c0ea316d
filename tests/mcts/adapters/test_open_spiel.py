"""States of OpenSpiel as positions: each game is played beside the state itself."""

from __future__ import annotations

import random
from typing import Any

import pytest

from mcts import MonteCarloPlayer, UCTPlayer, search
from mcts.adapters import position_of as known
from mcts.adapters.open_spiel import position_of
from tests.internals import OpenSpielChancePosition, OpenSpielPosition
from tests.refusals import refused

pyspiel: Any = pytest.importorskip("pyspiel", reason="open_spiel is not installed")

MOST_STEPS = 300
KINDS = {kind.short_name: kind for kind in pyspiel.registered_games() if kind.default_loadable}
KINDS = {name: kind for name, kind in KINDS.items() if not name.startswith("python_")}  # if a test has imported some


def in_turns(kind: Any) -> bool:
    return kind.dynamics.name == "SEQUENTIAL" and kind.information.name == "PERFECT_INFORMATION"


OPEN = [name for name, kind in KINDS.items() if in_turns(kind) and kind.chance_mode.name != "SAMPLED_STOCHASTIC"]
SIZED = ["hex(board_size=5)", "breakthrough(rows=6,columns=6)", "pig(players=3,winscore=20)", "catch(rows=4)", "nim"]


ENDED = ["tic_tac_toe", "pig(winscore=5)", "2048", "cliff_walking(horizon=20)"]  # within so many steps


@pytest.mark.parametrize("name", [*OPEN, *SIZED, *ENDED[1:]])
def test_a_game_goes_as_its_state_does(name: str):
    rng = random.Random(name)
    state = pyspiel.load_game(name).new_initial_state()
    position: Any = position_of(state)
    paid = [0.0] * state.num_players()
    for _ in range(MOST_STEPS):
        if state.is_terminal():
            break
        assert position.result() is None
        if state.is_chance_node():
            assert position.player() == "chance"
            outcomes, expected = position.chance(), state.chance_outcomes()
            assert [chance for chance, *_ in outcomes] == [chance for _, chance in expected]
            number = rng.randrange(len(outcomes))
            state.apply_action(expected[number][0])
            _, position, *rewards = outcomes[number]
            if rewards:
                paid = [before + now for before, now in zip(paid, *rewards, strict=True)]
                assert paid == state.returns()
        else:
            assert position.player() == state.current_player()
            assert position.moves() == state.legal_actions()
            move = rng.choice(state.legal_actions())
            position = position.play(move)
            state.apply_action(move)
            if isinstance(position, tuple):
                position, rewards = position
                paid = [before + now for before, now in zip(paid, rewards, strict=True)]
                assert paid == state.returns()
        assert str(position) == str(state)
    assert state.is_terminal() or name not in ENDED
    if state.is_terminal():
        total = [before + now for before, now in zip(paid, position.result(), strict=True)]
        assert total == pytest.approx(state.returns())


def expected(position: Any) -> float:
    """The first player's mean total when all moves are uniformly random, by plain recursion."""
    if position.result() is not None:
        return float(position.result()[0])
    if position.player() == "chance":
        return sum(chance * expected(after) for chance, after in position.chance())  # no rewards
    total = 0.0
    for after in map(position.play, position.moves()):
        after, (reward, *_) = after if isinstance(after, tuple) else (after, (0.0,))
        total += reward + expected(after)
    return total / len(position.moves())


@pytest.mark.parametrize(
    ("name", "moves"),
    [("tic_tac_toe", (4, 0, 2)), ("pig(winscore=3,horizon=8)", ()), ("cliff_walking(horizon=4)", (1,))],
)
def test_playouts_are_random_games(name: str, moves: tuple[int, ...]):
    position: Any = position_of(name)
    for move in moves:
        position = position.play(move)
        position = position[0] if isinstance(position, tuple) else position
    rng, count = random.Random(2), 600
    totals = [position.playout(rng, 100)[0] for _ in range(count)]
    mean, exact = sum(totals) / count, expected(position)
    spread = (sum((total - mean) ** 2 for total in totals) / count) ** 0.5
    assert spread > 0.1
    assert abs(mean - exact) < 5.0 * spread / count**0.5
    assert position.result() is None
    assert {position.playout(rng, 1)[0] for _ in range(50)} <= {0.0, -1.0, -100.0}


def test_a_position_is_not_changed_by_play_and_shares_no_state():
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    position = position_of(state)
    state.apply_action(4)
    assert position.moves() == list(range(9))
    after = position.play(0)
    assert position.moves() == list(range(9))
    assert after.moves() == list(range(1, 9))


def test_a_game_without_chance_has_no_such_method_and_one_with_rewards_says_them():
    assert not hasattr(position_of("hex"), "chance")
    assert hasattr(position_of("pig"), "chance")
    position: Any = position_of("cliff_walking")
    assert position.play(0)[1] == [-100.0]  # into the cliff


def test_games_written_in_python_are_played_too():
    pytest.importorskip("open_spiel.python.games.tic_tac_toe")
    position: Any = position_of("python_tic_tac_toe")
    for move in (0, 3, 1, 4, 2):
        position = position.play(move)
    assert position.result() == [1.0, -1.0]


def test_all_other_games_are_refused_by_their_kind():
    others = []
    for name in (name for name in KINDS if name not in OPEN):
        try:
            others.append((pyspiel.load_game(name), name))
        except (pyspiel.SpielError, RuntimeError):
            continue
    assert len(others) > 20 < 35 < len(OPEN)
    words = {"kuhn_poker": "imperfect information", "goofspiel": "simultaneous", "stones_and_gems": "stochastic"}
    for game, fact in [*others, *words.items(), ("no_such_game", "'no_such_game'"), ("hex(sides=3)", "'hex(sides=3)'")]:
        refused(lambda game=game: position_of(game), "game", fact)


def test_a_game_that_begins_with_chance_is_searched_after_an_outcome():
    for name in OPEN:
        state = pyspiel.load_game(name).new_initial_state()
        if state.is_chance_node():
            refused(lambda state=state: search(state, simulations=1), "board", "chance")
            while state.is_chance_node():
                state.apply_action(state.chance_outcomes()[0][0])
            assert search(state, simulations=1, steps=2).visits.sum() == 1


def test_states_of_openspiel_are_known_searched_and_played_on():
    assert type(known(pyspiel.load_game("tic_tac_toe"))) is OpenSpielPosition
    assert type(known(pyspiel.load_game("pig"))) is OpenSpielChancePosition
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for move in (0, 3, 1, 4):
        state.apply_action(move)
    assert type(known(state)) is OpenSpielPosition
    assert search(state, simulations=500, solve=True).best_move == 2
    for player in (UCTPlayer(simulations=500), MonteCarloPlayer()):
        player.check_board(state)
        assert player.play(state) == 2
    walk = search(pyspiel.load_game("cliff_walking"), simulations=2_000, steps=40)
    assert walk.best_move == 0  # up, from the cliff: a score is a return
    pig = pyspiel.load_game("pig(winscore=20)").new_initial_state()
    assert search(pig, simulations=500).best_move == 0  # roll: holding nothing gains nothing
