"""Games of a user's class in the experiments: the referee, tables, openings, resume, and one sentence for mistakes."""

from __future__ import annotations

import dataclasses
import io
import math
import pickle
import sys

import pandas as pd
import pytest

from experiments.engine.experiment import Experiment
from experiments.games.positions import CustomRules
from experiments.games.referee import play_position
from experiments.games.results import games_of, ground
from experiments.players import PLAYERS, make_player
from mcts.adapters import open_spiel
from numerics.positions import MOST_STEPS, try_out
from tests.connect4.test_players_contract import NEEDED
from tests.experiments import own_games
from tests.experiments.own_games import Dice, Nim, Sampled, SecondBegins, TicTacToe
from tests.refusals import refused

HERE = "tests.experiments.own_games"
GAME = ("game=custom", f"game.cls={HERE}.Nim", "+game.heaps=[2,3]")
SIDES = ("player1=random", "player2=custom", f"player2.path={HERE}.Perfect")


def custom(name, **arguments):
    return CustomRules(f"{HERE}.{name}", **arguments)


def player(name):
    return make_player("custom", path=f"{HERE}.{name}")


# ---------------------------------------------------------------- the referee


def test_the_perfect_player_of_nim_wins_from_either_seat_and_from_no_other_position():
    for heaps in ((1, 2), (3, 4, 5), (1, 1)):
        won_by_first = heaps != (1, 1)  # whose sum without carrying is 0
        for opponent in (own_games.first, own_games.one_by_one, own_games.Greedy()):
            assert play_position(own_games.Perfect(), opponent, Nim(heaps)).result == (1 if won_by_first else -1)
    record = play_position(own_games.Greedy(), own_games.Perfect(), Nim((1, 2)))
    assert record.moves == ((1, 2), (0, 1))
    assert (record.movers, record.totals, record.ending) == ((0, 1), (-1.0, 1.0), "result")


def test_the_first_player_is_the_one_who_moves_first():
    seen = []
    record = play_position(lambda nim: seen.append(nim.player()) or nim.moves()[0], own_games.first, SecondBegins())
    assert set(seen) == {1}
    assert record.movers == (0, 1, 0)
    assert record.result == 1
    assert record.totals == (1.0, -1.0)


def test_totals_are_rewards_and_results_and_the_seed_decides_the_dice():
    def total_of(record):  # counted again, from what the players saw
        return tuple(float(sum(paid)) for paid in record)

    results = set()
    for seed in range(12):
        seen = ([], [])

        def keep(position, seen=seen):
            seen[position.player()].append(position.shown)
            return "keep"

        record = play_position(keep, keep, Dice(), seed=seed)
        assert record.totals == total_of(seen)
        assert record.result == (record.totals[0] > record.totals[1]) - (record.totals[0] < record.totals[1])
        again = play_position(lambda position: "keep", lambda position: "keep", Dice(), seed=seed)
        assert dataclasses.replace(again, seconds=record.seconds) == record
        results.add(record.totals)
    assert len(results) > 4
    passing = play_position(lambda position: "pass", lambda position: "pass", Dice())
    assert (passing.totals, passing.result, passing.moves) == ((4.0, 4.0), 0, ("pass",) * 4)


def test_chance_has_its_probabilities():
    games = [play_position(lambda position: "keep", lambda position: "pass", Dice(), seed=seed) for seed in range(400)]
    mean = sum(game.totals[0] for game in games) / len(games)
    assert mean == pytest.approx(5.0, abs=4 * math.sqrt(2 * 2.25 / len(games)))


def test_chance_may_be_sampled():
    games = [play_position(make_player("random"), make_player("random"), Sampled(), seed=seed) for seed in range(9)]
    assert {game.result for game in games} == {1, -1}
    assert all(set(game.moves) == {"roll"} for game in games)


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("illegal", "illegal move: returned 'everything'"),
        ("true", "illegal move: returned True"),
        ("failing", "RuntimeError: out of ideas ("),
    ],
)
def test_a_player_that_misbehaves_loses(name, ending):
    for players, result in (((player(name), player("first")), -1), ((player("first"), player(name)), 1)):
        record = play_position(*players, Nim((2, 2)))
        assert record.result == result
        assert record.ending.startswith(ending)
        assert all(map(math.isnan, record.totals))


def test_a_fault_of_the_game_is_nobodys_loss_and_names_the_method_and_the_moves():
    late = own_games.FailsLate((52,))

    def played(start, choose=own_games.first):
        return lambda: play_position(choose, choose, start)

    wanted = "result() of FailsLate must return a finite number for each of 2 players; got 'won'"
    refused(played(late), wanted, "(after the moves (0, 1), (0, 1))")
    wanted = f"result() of Endless must end a game within {MOST_STEPS:,} moves and draws of chance"
    refused(played(own_games.Endless()), wanted, "after the moves ..., ")
    wanted = "player() of ThirdPlayer must return 0 or 1 or 'chance'; got 2"
    refused(played(own_games.ThirdPlayer()), wanted)
    wanted = "play() fails: ZeroDivisionError", "own_games.py, line", "(after the moves (0, 2))"
    refused(played(own_games.Fails((2,)), own_games.Greedy()), *wanted)


def test_random_play_draws_from_all_moves_by_its_own_stream():
    player = make_player("random", seed=3)
    moves = [player.play(TicTacToe()) for _ in range(100)]
    assert set(moves) == set(TicTacToe().moves())
    player.reset(0)
    assert [player.play(TicTacToe()) for _ in range(100)] == moves


# ---------------------------------------------------------------- promises

BROKEN = {
    "NoResult": "a position must have the methods moves(), play(move), player(), result(); NoResult has no result()",
    "Endless": "result() of Endless must end a game within 10,000 moves and draws of chance",
    "NotANumber": "result() of NotANumber must return a finite number for each player; got (nan, 0)",
    "Unequal": "results and rewards of Unequal must hold a number for each player; they hold 2 and 3 numbers",
    "NoMoves": "moves() of NoMoves must return a move where result() is None; got none",
    "SetOfMoves": "moves() of SetOfMoves must return a sequence of moves; got {",
    "TwiceTheSame": "moves() of TwiceTheSame must return each move once",
    "Lists": "moves() of Lists must return hashable moves",
    "ChangesItself": "of ChangesItself must not change the position itself",
    "ReturnsItself": "play(move) of ReturnsItself must return a new position; got the position itself",
    "ThirdPlayer": "player() of ThirdPlayer must be below the number of players, 2 by its results; got 2",
    "Fails": "play() fails: ZeroDivisionError",
    "Over": "result() of Over must be None in the first position; got (-1, 1)",
    "Loaded": "chance() of Loaded must return probabilities of at least 0 that sum to 1; they sum to 0.9",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_promise_is_found_by_random_games(name):
    start = getattr(own_games, name)()
    said = refused(lambda: try_out(start), "", BROKEN[name])
    if name != "ChangesItself":  # random games are the same each time
        assert refused(lambda: try_out(start)) == said


def test_a_game_that_keeps_its_promises_says_how_many_play():
    kept = {Nim: 2, TicTacToe: 2, Dice: 2, Sampled: 2, own_games.Alone: 1, own_games.Three: 3}
    assert {cls: try_out(cls()) for cls in kept} == kept


def test_check_game_plays_a_thousand_games_of_a_class(command, attempt):
    said = command(f"{HERE}.Dice", "games=20", module="check_game")
    assert f"{HERE}.Dice: 20 random games of 2 players broke no promise." in said.out
    assert "20 random games of 1 player broke" in command(f"{HERE}.Alone", "games=20", module="check_game").out
    attempt(f"{HERE}.Loaded", module="check_game").assert_refused(["chance() of Loaded must return probabilities"])
    attempt(f"{HERE}.NoResult", module="check_game").assert_refused(
        ["a position must have the methods", "NoResult has no result()"]
    )


ANY_GAME = {"custom", "level_1", "monte_carlo", "random", "uct", "uct_best"}


@pytest.mark.parametrize("kind", sorted({*PLAYERS.members} - ANY_GAME))
def test_a_player_of_connect_4_alone_refuses_another_game(kind):
    made = make_player(kind, **NEEDED.get(kind, {}))
    refused(lambda: made.check_board(TicTacToe()), "playouts must be" if kind == "biased_monte_carlo" else "board must")


def test_a_game_is_pickled_without_its_positions():
    rules = custom("TicTacToe", size=3)
    assert rules.start.moves()
    again = pickle.loads(pickle.dumps(rules))
    assert again == rules
    assert "start" not in vars(again)
    assert again.start.moves() == rules.start.moves()


def test_openings_are_all_first_moves_with_all_answers():
    rules = custom("TicTacToe")
    assert rules.openings("none") == [()]
    assert [rules.write_opening(opening) for opening in rules.openings("first_moves")] == list(TicTacToe().moves())
    pairs = [rules.write_opening(opening) for opening in rules.openings("pairs")]
    assert len(set(pairs)) == 9 * 8
    assert sorted(rules.balanced_openings("pairs", 1)) == sorted(rules.openings("pairs"))
    assert rules.balanced_openings("pairs", 1) != rules.balanced_openings("pairs", 2)
    assert (rules.varied, custom("Dice").varied) == ("pairs", "none")
    over = "openings=pairs leave no game that goes on at tests.experiments.own_games.Nim heaps=[1, 1]; use none"
    refused(lambda: custom("Nim", heaps=[1, 1]).openings("pairs"), over)


def test_a_title_of_a_folder_asks_for_no_module_of_the_user():
    settings = {"game": {"name": "custom", "cls": "gone.Hex", "size": 5}, "board": None, "connect": None}
    assert ground(settings) == "at gone.Hex size=5"
    assert ground({"game": {"name": "open_spiel", "string": "hex(board_size=5)"}}) == "at hex(board_size=5)"


# ---------------------------------------------------------------- the experiments


def tables_of(folder):
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if path.suffix in (".csv", ".parquet") and path.name != "timings.parquet"
    }


def test_a_match_leaves_the_tables_of_any_match_and_the_totals(command):
    said = command("experiment=match", *GAME, *SIDES, "games=8", "openings=first_moves")
    assert "at tests.experiments.own_games.Nim heaps=[2, 3], 5 openings (first_moves)" in said.out
    games = pd.read_parquet(said.folder / "games.parquet")
    assert len(games) == 10  # whole rounds
    assert list(games["opening"][::2]) == ["(0,1)", "(0,2)", "(1,1)", "(1,2)", "(1,3)"]
    for game in games.to_dict("records"):
        nim = Nim((2, 3))
        words = game["moves"].split()
        assert words[0] == game["opening"]
        for word in words:
            nim = nim.play(next(move for move in nim.moves() if str(move).replace(" ", "") == word))
        assert game["plies"] == len(words)
        won = nim.result()[0] * (1 if game["first_player"] == 1 else -1)
        assert (game["result"], game["total1"], game["total2"]) == (won, won, -won)
        assert game["ending"] == "result"
    timings = pd.read_parquet(said.folder / "timings.parquet")
    assert ((timings["moves1"] + timings["moves2"] + 1) == games["plies"]).all()
    for text in (said.out, (said.folder / "config.yaml").read_text()):
        assert "7x6" not in text
        assert "in a row" not in text
    refused(lambda: games_of(said.folder), "folder", "must hold games of Connect 4; they are at tests.")


RUNS = {
    "match": ("player1=random", "player2=random", "games=12"),
    "tournament": (f"players=[random,{{name: custom, path: {HERE}.first, label: first}},level_1]", "games=6"),
    "uct_sweep": ("parameter=c", "values=[0.2,1]", "player.simulations=30", "opponent=random", "games=20"),
    "sprt": ("player1=uct", "player1.simulations=30", "player2=random", "elo1=300", "openings=none"),
    "tune": (
        *("player=custom", f"player.path={HERE}.one_by_one", "parameter=path", f"values=[{HERE}.Perfect,{HERE}.first]"),
        *("opponent=random", "signal=games", "epsilon=0.4", "batch=8", "games=40", "elo1=300"),
    ),
}


@pytest.mark.parametrize("kind", RUNS)
def test_every_experiment_gives_the_same_bytes_whoever_works(command, kind):
    run, two = (f"experiment={kind}", *GAME, *RUNS[kind]), "processes" if kind == "match" else "threads"
    said = command(*run, "executor=serial", "hydra.run.dir=one")
    tables, found = tables_of(said.folder), pd.read_csv(said.folder / Experiment.members[kind].summary)
    games = pd.read_parquet(said.folder / "games.parquet")
    assert {"total1", "total2", "chance_draws"} < {*games}
    assert set(games["ending"]) == {"result"}
    if kind == "uct_sweep":
        assert found["player.c"].tolist() == [0.2, 1.0]
        assert found["score"].min() > 0.5
    elif kind == "sprt":
        assert found["accepted"].tolist() == ["H1"]
        assert "Nim heaps=[2, 3], no openings, each with both colours" in said.out
    elif kind == "tune":
        assert found["value"][found["standing"] == "picked"].tolist() == [f"{HERE}.Perfect"]
    assert "in a row" not in said.out
    assert "7x6" not in (said.folder / "config.yaml").read_text()
    if kind in ("match", "sprt"):
        assert tables_of(command(*run, f"executor={two}", "executor.workers=2", "hydra.run.dir=two").folder) == tables


NIM = """
class Nim:
    def __init__(self, left=5, mover=0):
        self.left, self.mover = left, mover
    def moves(self):
        return [taken for taken in (1, 2, 3) if taken <= self.left]
    def play(self, move):
        return Nim(self.left - move, 1 - self.mover)
    def player(self):
        return self.mover
    def result(self):
        return None if self.left else ((-1, 1) if self.mover == 0 else (1, -1))
"""


def test_a_changed_class_is_another_run(command, attempt, tmp_path, monkeypatch):
    name = f"games_of_{tmp_path.name.replace('-', '_')}"
    file = tmp_path / f"{name}.py"
    file.write_text(NIM)
    monkeypatch.syspath_prepend(tmp_path)
    run = ("experiment=match", "games=4", "game=custom", f"game.cls={name}.Nim", "hydra.run.dir=run")
    command(*run)
    command(*run)
    assert "game.left" in attempt(*run, "+game.left=6").err
    file.write_text(NIM.replace("(1, 2, 3)", "(1, 2)"))
    assert "other source code" in attempt(*run).err
    sys.modules.pop(name, None)


def test_a_run_goes_on_where_it_stopped(command, attempt, tmp_path):
    run = ("experiment=match", *GAME, *SIDES, "games=12")
    whole = tables_of(command(*run, "hydra.run.dir=whole").folder)
    command(*run, "executor=slice", "executor.part=1", "executor.of=2", "hydra.run.dir=parts")
    assert list((tmp_path / "parts" / "shards").iterdir())
    assert tables_of(command(*run, "hydra.run.dir=parts").folder) == whole


def test_a_sweep_over_arguments_of_the_class_compares_no_settings(command):
    said = command("-m", "experiment=match", *GAME[:2], "+game.heaps=[1,2],[2,3]", *SIDES, "games=8")
    assert "game.heaps" in said.out


def test_a_game_of_openspiel_is_one_of_its_adapter(command, attempt, monkeypatch):
    asked = []

    def position_of(string):
        asked.append(string)
        if string == "poker":
            raise ValueError("game must have perfect information; poker has imperfect information")
        return TicTacToe()

    monkeypatch.setattr(open_spiel, "position_of", position_of)
    run = ("experiment=match", "game=open_spiel", "player1=random", "player2=random", "games=4")
    said = command(*run, 'game.string="hex(board_size=5)"')
    assert set(asked) == {"hex(board_size=5)"}
    assert "4 games at hex(board_size=5), no openings" in said.out
    attempt(*run, "game.string=poker").assert_refused(["game.string 'poker': game must have perfect information"])
    attempt(*run).assert_refused(["game.string must be a game of OpenSpiel, such as tic_tac_toe; got ''"])


@pytest.mark.parametrize("string", ["tic_tac_toe", '"breakthrough(rows=6,columns=6)"', "pig"])
def test_games_of_openspiel_are_played(command, string):
    pytest.importorskip("pyspiel")
    said = command("experiment=match", "game=open_spiel", f"game.string={string}", "player1=random", "games=4")
    games = pd.read_parquet(said.folder / "games.parquet")
    assert set(games["ending"]) == {"result"}
    assert (games["total1"] == -games["total2"]).all()
    assert (games["total1"] == games["result"]).all()


def test_a_board_of_another_library_is_a_game(command):
    pytest.importorskip("chess")
    position = "+game.fen='7k/8/6K1/8/8/8/8/7R b - - 149 80'"  # one move; then 75 moves of each without a capture
    said = command("experiment=match", "game=custom", "game.cls=chess.Board", position, "player1=random", "games=2")
    games = pd.read_parquet(said.folder / "games.parquet")
    assert games[["moves", "winner", "plies"]].to_numpy().tolist() == [["h8g8", "draw", 1]] * 2
    assert games["first_player"].tolist() == [1, 2]
    assert pd.read_parquet(said.folder / "timings.parquet")["moves1"].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("game", "player", "parts"),
    [
        ("Dice", "monte_carlo", ["monte_carlo cannot play at tests.", "two players, without chance"]),
        ("Nim", "uct tactics=true", ["uct tactics=true cannot play at tests.", "tactics must be false in a game"]),
        ("Nim", "uct_best", ["uct_best cannot play at tests."]),
    ],
)
def test_a_search_that_cannot_play_a_game_is_refused_before_any_work(attempt, game, player, parts):
    run = ("experiment=tournament", "game=custom", f"game.cls={HERE}.{game}", f"players=['{player}',random]")
    attempt(*run).assert_refused(parts)


# ---------------------------------------------------------------- at the terminal


@pytest.mark.parametrize("name", ["Dice", "Sampled"])
def test_a_stored_game_has_the_same_chance_when_it_is_played_again(command, name):
    said = command("experiment=match", "game=custom", f"game.cls={HERE}.{name}", "player1=random", "games=4")
    assert "games as independent" not in said.out  # though games of equal moves are told apart by their dice alone
    games, rules = pd.read_parquet(said.folder / "games.parquet"), custom(name)
    assert (games["chance_draws"] >= games["plies"]).all()
    assert games["moves"].nunique() > 1
    for game in games.to_dict("records"):
        sign, paid = 1 if game["first_player"] == 1 else -1, [0.0, 0.0]
        (_, _, before), *after = rules.replayed(game["moves"], game["seed"])
        for mover, move, position in after:
            paid[mover] += 2.0 if move == "pass" else getattr(before, "shown", 0.0)
            before = position
        totals = paid if name == "Dice" else before.result()
        assert [game["total1"], game["total2"]][::sign] == list(totals)


def test_replay_prints_the_positions(command, attempt):
    folder = command("experiment=match", *GAME, *SIDES, "games=4", "openings=first_moves").folder
    games = pd.read_parquet(folder / "games.parquet")
    said = command(str(folder), "game=1", module="replay")
    assert f"game 1 at {HERE}.Nim heaps=[2, 3]: custom" in said.out
    assert "\n2 3\n" in said.out
    assert "1. custom" in said.out
    assert "(0,1), the opening's\n1 3\n" in said.out
    assert f"\n{games['plies'][1]}. " in said.out
    assert said.out.endswith(f"wins after {games['plies'][1]} plies\n")
    attempt(str(folder), "game=99", module="replay").assert_refused(["game must be from 0 to 9; got 99"])


def test_a_person_plays_a_game_of_a_class(command, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("(0,1)\nnonsense\n(1, 1)\n"))
    said = command(f"game={HERE}.Nim heaps=[1,1,1]", "player=random", module="play")
    assert "you move first at tests.experiments.own_games.Nim heaps=[1, 1, 1]" in said.out
    assert "moves: (0,1), (1,1), (2,1)" in said.out
    monkeypatch.setattr(sys, "stdin", io.StringIO("(0,1)\nnonsense\n(0,1)\n(1,1)\n(2,1)\n"))
    said = command(f"game={HERE}.Nim heaps=[1,1,1]", f"player=custom path={HERE}.first", module="play")
    assert "'nonsense' is no move here." in said.out
    assert "you win; moves: (0,1) (1,1) (2,1)" in said.out
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    said = command(f"game={HERE}.TicTacToe", "player=random", "first=computer", module="play")
    assert "the computer plays" in said.out
    assert "you have left the game" in said.out


def test_a_game_at_the_terminal_refuses_what_only_connect_4_has(attempt):
    game = f"game={HERE}.Nim"
    attempt(game, "moves=4", module="play").assert_refused(["moves must be left out with another game"])
    attempt(game, "player=minimax", module="play").assert_refused(["minimax cannot play at tests."])
    attempt(f"game={HERE}.Alone", module="play").assert_refused(["game.cls", "it has 1", "experiment=planning"])
    attempt("game=connect4 board=4x4", module="play").assert_refused(["game.board and game.connect are no keys"])


# ---------------------------------------------------------------- mistakes

MISTAKES = [
    (["game=custom"], ["game.cls must be the dotted path of your class, such as my_games.Nim; got ''"]),
    (["game=custom", "game.cls=nowhere.Nim"], ["game.cls 'nowhere.Nim': no module 'nowhere' to import"]),
    (["game=custom", f"game.cls={HERE}.Nimm"], ["game.cls", "has no 'Nimm' (did you mean Nim?)"]),
    (["game=custom", f"game.cls={HERE}.number"], ["game.cls", "must name a class or a function; it names a int"]),
    (["game=custom", f"game.cls={HERE}.NeedsHeaps"], ["game.cls", "NeedsHeaps() fails: TypeError"]),
    (["game=custom", f"game.cls={HERE}.TicTacToe", "+game.size=4"], ["game.cls", "TicTacToe(size=4) fails: Asser"]),
    (["game=custom", f"game.cls={HERE}.Nim", "game.heaps=[1]"], ["game.heaps is no key here;", "as +game.heaps="]),
    (["game=custom", f"game.cls={HERE}.NoResult"], ["game.cls", "NoResult has no result()"]),
    (["game=custom", f"game.cls={HERE}.Alone"], ["game.cls", "must be a game of two players; it has 1", "=planning"]),
    (["game=custom", f"game.cls={HERE}.Three"], ["game.cls", "must be a game of two players; it has 3"]),
    (["game=custom", f"game.cls={HERE}.Fails"], ["game.cls", "ZeroDivisionError"]),
    ([f"game={HERE}.Nim"], ["game must be one of connect4, custom, open_spiel", f"game=custom game.cls={HERE}.Nim"]),
    (["+game.board=5x4"], ["game.board and game.connect are no keys: board and connect say"]),
    ([*GAME, "board=5x4"], ["board must be left out with another game than Connect 4; got 5x4"]),
    ([*GAME, "connect=3"], ["connect must be left out with another game than Connect 4; got 3"]),
    ([*GAME, "openings=book.txt"], ["openings must be none, first_moves or pairs with another game than Connect 4"]),
    (["game=custom", f"game.cls={HERE}.Dice", "openings=pairs"], ["openings=pairs must not meet chance; at tests."]),
    ([*GAME, "player1=perfect"], ["perfect cannot play at tests.", "board must be a connect4.Board"]),
    ([*GAME, "player1=level_3"], ["level_3 cannot play at tests.", "got a position of Nim"]),
    ([*GAME, "player1=human"], ["human cannot play at tests.", "got a position of Nim"]),
    (["experiment=sprt", *GAME], ["openings must be none, first_moves or pairs with another", "got 'balanced'"]),
    (["experiment=tune", *GAME], ["signal=positions must be of 7x6 with 4 in a row", "give signal=games"]),
    (["experiment=grade", "+game=custom"], ["game is no key here", "experiment="]),
]


@pytest.mark.parametrize(("words", "parts"), MISTAKES, ids=lambda one: one[-1][:60])
def test_a_mistake_is_one_sentence_before_any_work(attempt, tmp_path, words, parts):
    kind = [] if words[0].startswith("experiment=") else ["experiment=match", "player1=random", "player2=random"]
    if "player1=random" in kind and any(word.startswith("player1=") for word in words):
        kind.remove("player1=random")
    attempt(*kind, *words).assert_refused(parts, tmp_path)


def test_a_fault_of_the_game_in_a_run_ends_it_with_one_sentence(attempt, monkeypatch):
    monkeypatch.setattr(CustomRules, "probe", lambda self: None)  # which would find it
    game = ("game=custom", f"game.cls={HERE}.FailsLate", "+game.heaps=[52]")
    players = (word for seat in (1, 2) for word in (f"player{seat}=custom", f"player{seat}.path={HERE}.one_by_one"))
    said = attempt("experiment=match", *game, "games=2", *players)
    said.assert_refused(
        ["result() of FailsLate must return a finite number", "got 'won' (after the moves (0, 1), (0, 1"]
    )
