"""Games of a user's class in the experiments: tables, openings, resume, the terminal, and one sentence for mistakes."""

from __future__ import annotations

import io
import pickle
import sys

import pandas as pd
import pytest

from experiments.players import PLAYERS, make_player
from mcts.adapters import open_spiel
from tests.connect4.test_players_contract import NEEDED
from tests.experiments.own_games import Nim, TicTacToe
from tests.internals import CustomRules, Experiment, games_of, ground
from tests.refusals import refused

HERE = "tests.experiments.own_games"
GAME = ("game=custom", f"game.cls={HERE}.Nim", "+game.heaps=[2,3]")
SIDES = ("player1=random", "player2=custom", f"player2.path={HERE}.Perfect")


def custom(name, **arguments):
    return CustomRules(f"{HERE}.{name}", **arguments)


def player(name):
    return make_player("custom", path=f"{HERE}.{name}")


ANY_GAME = {"custom", "graded", "level_1", "monte_carlo", "perfect", "random", "uct", "uct_best"}


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
    over = "openings=pairs end every game at tests.experiments.own_games.Nim heaps=[1, 1]; use none"
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
    refused(lambda: games_of(said.folder), "folder", "must hold games of Connect 4; its games are at tests.")


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
    attempt(*run).assert_refused(["game.string must name a game of OpenSpiel, such as tic_tac_toe; got ''"])


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
        ("Dice", "monte_carlo", ["monte_carlo cannot play at tests.", "two-player game without chance"]),
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
    assert "assume independent games" not in said.out  # though games of equal moves are told apart by their dice alone
    games, rules = pd.read_parquet(said.folder / "games.parquet"), custom(name)
    assert (games["chance_draws"] >= games["plies"]).all()
    assert games["moves"].nunique() > 1
    for game in games.to_dict("records"):
        sign, paid = 1 if game["first_player"] == 1 else -1, [0.0, 0.0]
        begun, *after = rules.replayed(game["moves"], game["seed"])
        before = begun.position
        for move in after:
            paid[move.mover] += 2.0 if move.word == "pass" else getattr(before, "shown", 0.0)
            before = move.position
        totals = paid if name == "Dice" else before.result()
        assert [game["total1"], game["total2"]][::sign] == list(totals)


def test_replay_prints_the_positions(command, attempt):
    folder = command("experiment=match", *GAME, *SIDES, "games=4", "openings=first_moves").folder
    games = pd.read_parquet(folder / "games.parquet")
    said = command(str(folder), "game=1", module="replay")
    assert f"game 1 at {HERE}.Nim heaps=[2, 3]: custom" in said.out
    assert "\n2 3\n" in said.out
    assert "1. custom" in said.out
    assert "(0,1) (opening)\n1 3\n" in said.out
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
    assert "'nonsense' is not a legal move." in said.out
    assert "you win; moves: (0,1) (1,1) (2,1)" in said.out
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    said = command(f"game={HERE}.TicTacToe", "player=random", "first=computer", module="play")
    assert "the computer plays" in said.out
    assert "you have left the game" in said.out


def test_a_game_at_the_terminal_refuses_what_only_connect_4_has(attempt):
    game = f"game={HERE}.Nim"
    attempt(game, "moves=4", module="play").assert_refused(["moves must be left out with games other"])
    attempt(game, "player=minimax", module="play").assert_refused(["minimax cannot play at tests."])
    attempt(f"game={HERE}.Alone", module="play").assert_refused(["game.cls", "it has 1", "experiment=planning"])
    attempt("game=connect4 board=4x4", module="play").assert_refused(["game.board and game.connect are not keys"])


# ---------------------------------------------------------------- mistakes

MISTAKES = [
    (["game=custom"], ["game.cls must be the dotted path of your class, such as my_games.Nim; got ''"]),
    (["game=custom", "game.cls=nowhere.Nim"], ["game.cls 'nowhere.Nim': no module 'nowhere' can be imported"]),
    (["game=sailing"], ["game must be one of", "sailing is a process: use experiment=planning process=sailing"]),
    (["game=custom", f"game.cls={HERE}.Nimm"], ["game.cls", "has no 'Nimm' (did you mean Nim?)"]),
    (["game=custom", f"game.cls={HERE}.number"], ["game.cls", "must name a class or a function; it names a int"]),
    (["game=custom", f"game.cls={HERE}.NeedsHeaps"], ["game.cls", "NeedsHeaps() fails: TypeError"]),
    (["game=custom", f"game.cls={HERE}.TicTacToe", "+game.size=4"], ["game.cls", "TicTacToe(size=4) fails: Asser"]),
    (["game=custom", f"game.cls={HERE}.Nim", "game.heaps=[1]"], ["game.heaps is not a known key;", "as +game.heaps="]),
    (["game=custom", f"game.cls={HERE}.NoResult"], ["game.cls", "NoResult has no result()"]),
    (["game=custom", f"game.cls={HERE}.Alone"], ["game.cls", "must be a game of two players; it has 1", "=planning"]),
    (["game=custom", f"game.cls={HERE}.Three"], ["game.cls", "must be a game of two players; it has 3"]),
    (["game=custom", f"game.cls={HERE}.Fails"], ["game.cls", "ZeroDivisionError"]),
    ([f"game={HERE}.Nim"], ["game must be one of breakthrough, connect4, ", f"game=custom game.cls={HERE}.Nim"]),
    (["+game.board=5x4"], ["game.board and game.connect are not keys: the keys of the board are"]),
    ([*GAME, "board=5x4"], ["board must be left out with games other than Connect 4; got 5x4"]),
    ([*GAME, "connect=3"], ["connect must be left out with games other than Connect 4; got 3"]),
    ([*GAME, "openings=book.txt"], ["openings must be none, first_moves or pairs with games other than Connect 4"]),
    (
        ["game=custom", f"game.cls={HERE}.Dice", "openings=pairs"],
        ["openings=pairs must not contain chance moves, but at tests."],
    ),
    ([*GAME, "player1=perfect"], ["perfect cannot play at tests.", "game must have exact values: ", "got Nim"]),
    ([*GAME, "player1=level_3"], ["level_3 cannot play at tests.", "got a position of Nim"]),
    ([*GAME, "player1=human"], ["human cannot play at tests.", "got a position of Nim"]),
    (["experiment=tune", *GAME], ["signal=positions requires Connect 4 on 7x6", "use signal=games"]),
    (["experiment=random_games", "+game=custom"], ["game is not a known key", "experiment="]),
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
