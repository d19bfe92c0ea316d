"""Games of a user's class in the experiments: tables, openings, resume, the terminal, and one sentence for mistakes."""

from __future__ import annotations

import io
import pickle
import sys

import pandas as pd
import pytest

from mcts.adapters import open_spiel
from tests.experiments.own_games import Nim, TicTacToe
from tests.internals import CustomRules, Experiment, games_of, ground
from tests.refusals import refused

HERE = "tests.experiments.own_games"
GAME = ("game=custom", f"game.cls={HERE}.Nim", "+game.heaps=[2,3]")
SIDES = ("player1=random", "player2=custom", f"player2.path={HERE}.Perfect")


def custom(name, **arguments):
    return CustomRules(f"{HERE}.{name}", **arguments)


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
    refused(lambda: custom("Nim", heaps=[1, 1]).openings("pairs"), "openings=pairs", "heaps=[1, 1]")


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


def test_a_match_leaves_the_tables_of_any_match_and_the_totals_and_is_replayed(command, attempt):
    said = command("experiment=match", *GAME, *SIDES, "games=8", "openings=first_moves")
    assert f"{HERE}.Nim heaps=[2, 3]" in said.out
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
    refused(lambda: games_of(said.folder), "folder", f"{HERE}.Nim")
    told, nim = command(str(said.folder), "game=1", module="replay").out, Nim((2, 3))
    for word in games["moves"][1].split():
        nim = nim.play(next(move for move in nim.moves() if str(move).replace(" ", "") == word))
        assert f"\n{nim}\n" in told
    attempt(str(said.folder), "game=99", module="replay").assert_refused(["game", "99"])


RUNS = {
    "tournament": (f"players=[random,{{name: custom, path: {HERE}.first, label: first}},level_1]", "games=4"),
    "uct_sweep": ("parameter=c", "values=[0.2,1]", "player.simulations=30", "opponent=random", "games=10"),
    "sprt": ("player1=uct", "player1.simulations=30", "player2=random", "elo1=300", "openings=none"),
    "tune": (
        *("player=custom", f"player.path={HERE}.one_by_one", "parameter=path", f"values=[{HERE}.Perfect,{HERE}.first]"),
        *("opponent=random", "signal=games", "epsilon=0.4", "batch=8", "games=40", "elo1=300"),
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", RUNS)
def test_every_experiment_plays_games_of_a_class(command, kind):
    said = command(f"experiment={kind}", *GAME, *RUNS[kind], "executor=serial")
    found = pd.read_csv(said.folder / Experiment.members[kind].summary)
    games = pd.read_parquet(said.folder / "games.parquet")
    assert {"total1", "total2", "chance_draws"} < {*games}
    assert set(games["ending"]) == {"result"}
    if kind == "uct_sweep":
        assert found["player.c"].tolist() == [0.2, 1.0]
        assert found["score"].min() > 0.5
    elif kind == "sprt":
        assert found["accepted"].tolist() == ["H1"]
    elif kind == "tune":
        assert found["value"][found["standing"] == "picked"].tolist() == [f"{HERE}.Perfect"]
    assert "7x6" not in said.out + (said.folder / "config.yaml").read_text()


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


@pytest.mark.parametrize("executor", ["threads", pytest.param("processes", marks=pytest.mark.long)])
def test_a_run_goes_on_where_it_stopped_and_is_the_same_with_two_workers(command, tmp_path, executor):
    run = ("experiment=match", *GAME, *SIDES, "games=12")
    whole = tables_of(command(*run, "hydra.run.dir=whole").folder)
    command(*run, "executor=slice", "executor.part=1", "executor.of=2", "hydra.run.dir=parts")
    assert list((tmp_path / "parts" / "shards").iterdir())
    assert tables_of(command(*run, "hydra.run.dir=parts").folder) == whole
    two = (f"executor={executor}", "executor.workers=2", "hydra.run.dir=two")
    assert tables_of(command(*run, *two).folder) == whole


def test_a_game_of_openspiel_is_one_of_its_adapter(command, attempt, monkeypatch):
    asked = []

    def position_of(string):
        asked.append(string)
        if string == "poker":
            raise ValueError("poker hides cards")
        return TicTacToe()

    monkeypatch.setattr(open_spiel, "position_of", position_of)
    run = ("experiment=match", "game=open_spiel", "player1=random", "player2=random", "games=4")
    said = command(*run, 'game.string="hex(board_size=5)"')
    assert set(asked) == {"hex(board_size=5)"}
    assert "hex(board_size=5)" in said.out
    attempt(*run, "game.string=poker").assert_refused(["game.string 'poker'", "poker hides cards"])
    attempt(*run).assert_refused(["game.string must"])


@pytest.mark.parametrize("string", ["tic_tac_toe", "pig"])
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


def test_a_person_plays_a_game_of_a_class(command, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("(0,1)\nnonsense\n(1, 1)\n"))
    said = command(f"game={HERE}.Nim heaps=[1,1,1]", "player=random", module="play")
    assert "moves: (0,1), (1,1), (2,1)" in said.out
    monkeypatch.setattr(sys, "stdin", io.StringIO("(0,1)\nnonsense\n(0,1)\n(1,1)\n(2,1)\n"))
    said = command(f"game={HERE}.Nim heaps=[1,1,1]", f"player=custom path={HERE}.first", module="play")
    assert "'nonsense'" in said.out
    assert "you win; moves: (0,1) (1,1) (2,1)" in said.out
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    said = command(f"game={HERE}.TicTacToe", "player=random", "first=computer", module="play")
    assert said.status == 0


# ---------------------------------------------------------------- mistakes

MISTAKES = [
    ("game=custom", ["game.cls", "''"]),
    ("game=custom game.cls=nowhere.Nim", ["game.cls", "'nowhere'"]),
    (f"game=custom game.cls={HERE}.Nimm", ["game.cls", "did you mean Nim?"]),
    (f"game=custom game.cls={HERE}.number", ["game.cls", "int"]),
    (f"game=custom game.cls={HERE}.NeedsHeaps", ["game.cls", "TypeError"]),
    (f"game=custom game.cls={HERE}.TicTacToe +game.size=4", ["game.cls", "TicTacToe(size=4)"]),
    (f"game=custom game.cls={HERE}.Nim game.heaps=[1]", ["game.heaps", "+game.heaps="]),
    (f"game=custom game.cls={HERE}.Alone", ["game.cls", "it has 1"]),
    (f"game=custom game.cls={HERE}.Fails", ["game.cls", "ZeroDivisionError"]),
    (f"game=custom game.cls={HERE}.Dice openings=pairs", ["openings=pairs", f"{HERE}.Dice"]),
    (f"game=custom game.cls={HERE}.Dice player1=monte_carlo", ["monte_carlo cannot play", "chance"]),
    (f"game=custom game.cls={HERE}.Nim board=5x4", ["board", "5x4"]),
    (f"game=custom game.cls={HERE}.Nim openings=book.txt", ["openings"]),
    (f"game=custom game.cls={HERE}.Nim player1=perfect", ["perfect cannot play", "got Nim"]),
    (f"game=custom game.cls={HERE}.Nim experiment=tune", ["signal=positions", "signal=games"]),
    (f"game={HERE}.Nim", ["game must be one of", f"game=custom game.cls={HERE}.Nim"]),
    ("+game.board=5x4", ["game.board"]),
]


@pytest.mark.parametrize(("words", "parts"), MISTAKES, ids=[words for words, _ in MISTAKES])
def test_a_mistake_is_one_sentence_before_any_work(attempt, tmp_path, words, parts):
    given = [] if "experiment=" in words else ["experiment=match", "player2=random"]
    given += [] if given == [] or "player1=" in words else ["player1=random"]
    attempt(*given, *words.split()).assert_refused(parts, tmp_path)


def test_a_fault_of_the_game_in_a_run_ends_it_with_one_sentence(attempt, monkeypatch):
    monkeypatch.setattr(CustomRules, "probe", lambda self: None)  # which would find it
    game = ("game=custom", f"game.cls={HERE}.FailsLate", "+game.heaps=[52]")
    players = (word for seat in (1, 2) for word in (f"player{seat}=custom", f"player{seat}.path={HERE}.one_by_one"))
    said = attempt("experiment=match", *game, "games=2", *players)
    said.assert_refused(["result() of FailsLate", "'won'", "after the moves (0, 1), (0, 1"])
