"""States of OpenSpiel as positions: each game is played beside the state itself."""

from __future__ import annotations

import random
from typing import Any

import pytest

from mcts import search
from mcts.adapters.open_spiel import position_of
from numerics.positions import draw_from

pyspiel: Any = pytest.importorskip("pyspiel", reason="open_spiel is not installed")

MOST_STEPS = 300
KINDS = {kind.short_name: kind for kind in pyspiel.registered_games() if kind.default_loadable}
KINDS = {name: kind for name, kind in KINDS.items() if not name.startswith("python_")}  # if a test has imported some


def in_turns(kind: Any) -> bool:
    return kind.dynamics.name == "SEQUENTIAL" and kind.information.name == "PERFECT_INFORMATION"


OPEN = [name for name, kind in KINDS.items() if in_turns(kind) and kind.chance_mode.name != "SAMPLED_STOCHASTIC"]
SIZED = ["hex(board_size=5)", "breakthrough(rows=6,columns=6)", "pig(players=3,winscore=20)", "catch(rows=4)", "nim"]


@pytest.mark.parametrize("name", [*OPEN, *SIZED])
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
    if state.is_terminal():
        total = [before + now for before, now in zip(paid, position.result(), strict=True)]
        assert total == pytest.approx(state.returns())


def test_there_are_many_such_games_with_ends_chance_and_rewards_among_them():
    assert len(OPEN) > 35
    ended = {}
    for name in ("tic_tac_toe", "pig(winscore=5)", "2048", "cliff_walking(horizon=20)"):
        position: Any = position_of(name)
        rng, paid = random.Random(1), 0.0
        while position.result() is None:
            if position.player() == "chance":
                position, rewards = draw_from(position, rng)
                paid += rewards[0] if rewards else 0.0
            else:
                position = position.play(rng.choice(position.moves()))
            if isinstance(position, tuple):
                position, (reward,) = position
                paid += reward
        ended[name] = paid + position.result()[0], position.state.returns()[0]
    assert all(total == returns for total, returns in ended.values())
    assert ended["2048"][0] > 100.0
    assert ended["cliff_walking(horizon=20)"][0] <= -20.0


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
    rng, count = random.Random(2), 2_000
    totals = [position.playout(rng, 100)[0] for _ in range(count)]
    mean, exact = sum(totals) / count, expected(position)
    spread = (sum((total - mean) ** 2 for total in totals) / count) ** 0.5
    assert spread > 0.1
    assert abs(mean - exact) < 3.0 * spread / count**0.5
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


@pytest.mark.parametrize("name", [name for name in KINDS if name not in OPEN])
def test_all_other_games_are_refused_by_their_kind(name: str):
    try:
        game = pyspiel.load_game(name)
    except (pyspiel.SpielError, RuntimeError) as error:
        pytest.skip(str(error))
    with pytest.raises(ValueError, match=r"^game must .*; \w+ (is|has) [a-z ]+") as caught:
        position_of(game)
    assert name in str(caught.value)


def test_refusals_are_sentences():
    for name, sentence in (
        ("kuhn_poker", "game must have perfect information; kuhn_poker has imperfect information"),
        ("goofspiel", "game must be sequential; goofspiel is simultaneous"),
        ("stones_and_gems", "game must have explicit chance probabilities; stones_and_gems is sampled stochastic"),
        ("no_such_game", "game must be a game of OpenSpiel; got 'no_such_game'"),
        ("hex(sides=3)", r"game must be a game of OpenSpiel; got 'hex\(sides=3\)'"),
    ):
        with pytest.raises(ValueError, match=f"^{sentence}"):
            position_of(name)


@pytest.mark.parametrize(
    "name", [name for name in OPEN if pyspiel.load_game(name).new_initial_state().is_chance_node()]
)
def test_a_game_that_begins_with_chance_is_searched_after_an_outcome(name: str):
    state = pyspiel.load_game(name).new_initial_state()
    with pytest.raises(ValueError, match=r"^board must not be a chance node; .* is 'chance'; apply an outcome first$"):
        search(state, simulations=1)
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    assert search(state, simulations=1, steps=2).visits.sum() == 1
