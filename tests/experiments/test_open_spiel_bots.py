"""Our players as bots of OpenSpiel: whole games there, and what they tell of their moves."""

from __future__ import annotations

import pytest

from connect4 import Board
from connect4.open_spiel import board_of
from experiments.players import make_player

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
bots = pytest.importorskip("experiments.players.open_spiel_bots")


@pytest.mark.jit
def test_every_game_has_a_stream_of_its_own_and_the_same_again():
    def games() -> list[list[int]]:
        own, found = bots.Bot(make_player("uct", simulations=50, seed=3)), []
        for _ in range(4):
            own.restart()
            state = pyspiel.load_game("connect_four").new_initial_state()
            while not state.is_terminal():
                state.apply_action(own.step(state))
            found.append(state.history())
        return found

    first = games()
    assert games() == first
    assert len(set(map(tuple, first))) > 1
    player = make_player("uct", simulations=50, seed=3)
    assert first[0][0] == player.play(Board()), "the first game is the player's own first one"


@pytest.mark.jit
def test_a_search_tells_the_shares_of_its_visits_and_others_their_move():
    state = pyspiel.load_game("connect_four").new_initial_state()
    for action in (3, 3, 3, 3, 3, 3):
        state.apply_action(action)
    shares, action = bots.Bot(make_player("uct", simulations=500)).step_with_policy(state)
    assert [legal for legal, _ in shares] == [0, 1, 2, 4, 5, 6]
    assert sum(share for _, share in shares) == pytest.approx(1.0)
    assert dict(shares)[action] == max(share for _, share in shares)
    plain = bots.Bot(lambda board: board.legal_moves()[-1])
    assert plain.provides_policy()
    assert plain.step_with_policy(state) == ([(0, 0.0), (1, 0.0), (2, 0.0), (4, 0.0), (5, 0.0), (6, 1.0)], 6)
    assert plain.get_policy(state) == plain.step_with_policy(state)[0]


def test_a_position_of_another_game_and_no_player_are_refused():
    with pytest.raises(ValueError, match=r"^state .*tic_tac_toe$"):
        board_of(pyspiel.load_game("tic_tac_toe").new_initial_state())
    with pytest.raises(ValueError, match=r"^player .*'uct'"):
        bots.Bot("uct")
    with pytest.raises(ValueError, match=r"^game .*kuhn_poker"):
        bots.Bot(make_player("random")).step(pyspiel.load_game("kuhn_poker").new_initial_state())


@pytest.mark.jit
@pytest.mark.parametrize(
    "game", ["connect_four", "connect_four(columns=10,rows=9,x_in_row=5)", "tic_tac_toe", "hex(board_size=3)"]
)
def test_a_search_plays_whole_games_there(game: str):
    ours = bots.Bot(make_player("uct", simulations=300, solve=True))
    for seed in range(3):
        for place in (0,) if "hex" in game else (0, 1):  # whose first player wins
            pair = [pyspiel.make_uniform_random_bot(1 - place, seed)] * 2
            pair[place] = ours
            result = pyspiel.evaluate_bots(pyspiel.load_game(game).new_initial_state(), pair, seed)
            assert result[place] == 1.0 or (game == "tic_tac_toe" and result[place] == 0.0)


@pytest.mark.jit
def test_chance_is_drawn_there_and_a_plan_tells_its_shares():
    game, ours = pyspiel.load_game("pig(winscore=10)"), bots.Bot(make_player("uct", simulations=200))
    assert pyspiel.evaluate_bots(game.new_initial_state(), [ours, ours], 1) in ([1.0, -1.0], [-1.0, 1.0])
    state = game.new_initial_state()
    shares, action = ours.step_with_policy(state)
    assert action == 0  # rolls: holding nothing gains nothing
    assert [legal for legal, _ in shares] == state.legal_actions()
    assert sum(share for _, share in shares) == pytest.approx(1.0)
