"""Games of a user's class in the experiments: tables, openings, resume, the terminal, and one sentence for mistakes."""

from __future__ import annotations

import io
import pickle
import sys
from dataclasses import dataclass, fields
from io import StringIO
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from connect4 import Board
from experiments.engine.experiment import build
from experiments.players import PLAYERS, make_player
from mcts import UCTPlayer, search
from mcts.adapters import open_spiel
from tests.experiments.own_games import Nim, TicTacToe
from tests.experiments.test_bad_input import configuration, lines_of
from tests.experiments.test_players import NEEDED
from tests.internals import (
    GAMES,
    CustomRules,
    Experiment,
    Person,
    PGame,
    games_of,
    ground,
    judge_game,
    rules_game,
    words_of,
)
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


# ---------------------------------------------------------------- the experiments


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
    attempt(*run).assert_refused(["game.string "])


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

MISTAKES = rf"""
game=custom | game.cls | ''
game=custom game.cls=nowhere.Nim | game.cls | 'nowhere'
game=custom game.cls={HERE}.Nimm | game.cls | Nim?
game=custom game.cls={HERE}.number | game.cls | int
game=custom game.cls={HERE}.NeedsHeaps | game.cls | TypeError
game=custom game.cls={HERE}.TicTacToe game.size=4 | game.cls | TicTacToe(size=4)
game=custom game.cls={HERE}.Alone | game.cls | 1
game=custom game.cls={HERE}.Fails | game.cls | ZeroDivisionError
game=custom game.cls={HERE}.Dice openings=pairs | openings=pairs | {HERE}.Dice
game=custom game.cls={HERE}.Dice player1=monte_carlo | monte_carlo | chance
game=custom game.cls={HERE}.Nim openings=book.txt | openings | 'book.txt'
game=custom game.cls={HERE}.Nim player1=perfect | perfect | Nim
experiment=tune game=custom game.cls={HERE}.Nim | signal=positions | signal=games
"""
TYPED = rf"""
game=custom game.cls={HERE}.Nim game.heaps=[1] | game.heaps | +game.heaps=
game={HERE}.Nim | game | game=custom game.cls={HERE}.Nim
+game.board=5x4 | game.board
"""


@pytest.mark.parametrize(("words", "parts"), lines_of(MISTAKES))
def test_what_is_no_game_or_no_setting_of_one_is_refused_by_its_place(words, parts):
    kind = [] if "experiment=" in words[0] else ["experiment=match"]
    refused(lambda: build(configuration([*kind, *words])), *parts)


@pytest.mark.parametrize(("words", "parts"), lines_of(TYPED))
def test_what_hydra_cannot_take_as_a_game_is_one_sentence_before_any_work(attempt, tmp_path, words, parts):
    attempt("experiment=match", *words).assert_refused(parts, tmp_path)


def test_a_fault_of_the_game_in_a_run_ends_it_with_one_sentence(attempt, monkeypatch):
    monkeypatch.setattr(CustomRules, "probe", lambda self: None)  # which would find it
    game = ("game=custom", f"game.cls={HERE}.FailsLate", "+game.heaps=[52]")
    players = (word for seat in (1, 2) for word in (f"player{seat}=custom", f"player{seat}.path={HERE}.one_by_one"))
    said = attempt("experiment=match", *game, "games=2", *players)
    said.assert_refused(["result() of FailsLate", "'won'", "after the moves (0, 1), (0, 1"])


@dataclass(frozen=True, repr=False)
class Taken:
    """A move that says nothing of itself."""

    count: int


class Named(Taken):
    """All are called the same."""

    def __repr__(self):
        return "take"


class Sticks(Nim):
    """Take one to three of ten; whoever takes the last wins."""

    kind = Taken

    def __init__(self, heaps=(10,), mover=0):
        super().__init__(heaps, mover)

    def moves(self):
        return [self.kind(count) for count in (1, 2, 3)][: self.heaps[0]]

    def play(self, move):
        return super().play((0, move.count))

    def scores(self):
        return [1 if (self.heaps[0] - move.count) % 4 == 0 else -1 for move in self.moves()]


class Same(Sticks):
    kind = Named


class Mixed(Sticks):
    """Texts that coincide once they are words."""

    class Count(str):
        """One of three texts."""

        @property
        def count(self):
            return {"a b": 1, "a_b": 2, "c": 3}[self]

    def moves(self):
        return [self.Count(text) for text in ("a b", "a_b", "c")][: self.heaps[0]]


KINDS = ["Sticks", "Same", "Mixed"]


@given(st.lists(st.one_of(st.integers(0, 3), st.sampled_from(["1", "a b", "a_b", "1#1", "1#2", "x"])), max_size=6))
def test_words_of_different_moves_differ(moves: list[Any]) -> None:
    words = words_of(moves)
    assert len(set(words)) == len(words) == len(moves)
    assert not any(" " in word for word in words)
    plain = words_of(list(range(len(moves))))
    assert plain == [str(number) for number in range(len(moves))], "texts that differ are the words"


def best(position):
    return position.moves()[position.scores().index(max(position.scores()))]


def last(position):
    return position.moves()[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_game_is_replayed_and_judged_as_it_was_played(kind: str) -> None:
    rules = GAMES.of(f"{__name__}.{kind}")
    assert isinstance(rules, CustomRules)
    for opening in ((), (1,), (2, 0)):
        record = rules.play(best, last, opening, seed=0)
        text = rules.write(record)
        assert "0x" not in text
        again = list(rules.replayed(text, 0))
        taken = [move.count for move in record.moves]
        assert [move.position.heaps[0] for move in again] == [10 - sum(taken[:at]) for at in range(len(taken) + 1)]
        assert text.startswith(rules.write_opening(opening))
        row = {"game": 0, "player1": "best", "player2": "last", "first_player": 1, "moves": text, "seed": 0}
        row |= {"opening": rules.write_opening(opening), "result": record.result, "ending": record.ending}
        judged, _ = judge_game(row, rules, 1.0)
        assert all(one["keeps_value"] for one in judged if one["player"] == "best"), "the best player never blunders"
        page = rules_game(rules, [("best", best), ("last", last)], rules.write_opening(opening), 0, "")
        assert "0x" not in repr(page)


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_may_type_each_of_the_moves(kind: str) -> None:
    position = globals()[kind]()
    for move, word in zip(position.moves(), words_of(position.moves()), strict=True):
        sink = StringIO()
        assert Person(StringIO(f"{word}\n"), sink).play(position).count == move.count
        assert f"moves: {', '.join(words_of(position.moves()))}" in sink.getvalue()


@pytest.mark.parametrize("kind", sorted(PLAYERS.members))
def test_a_player_plays_another_game_or_says_that_it_cannot(kind: str):
    """The two that search any game play it."""
    player, board = make_player(kind, **NEEDED.get(kind, {})), PGame(branching=2, depth=3)
    if kind in ("uct", "monte_carlo"):
        assert player.play(board) in (0, 1)
        return
    for refuses in (player.play, player.check_board):
        with pytest.raises(ValueError, match=r"^(board|playouts|tactics) "):
            refuses(board)


def test_a_tree_is_kept_only_where_the_board_knows_its_moves():
    with pytest.raises(ValueError, match=r"^keep requires board\.moves"):
        UCTPlayer(simulations=10, keep=True).play(PGame(branching=2, depth=3))
    assert UCTPlayer(simulations=10, keep=True).play(Board()) in range(7)


def test_what_has_no_game_is_told_where_games_are_described():
    kind = type("State", (), {"__repr__": lambda self: "x |\no |"})
    with pytest.raises(ValueError, match=r"^board .*docs/guides/own_game\.md"):
        search(kind())


SOLVED = (
    "hex game.size=3",
    "dots_and_boxes game.rows=2 game.columns=2",
    "breakthrough game.rows=4",
    "custom game.cls=tests.experiments.own_games.Scored",
)
OF_GAMES = [kind for kind, cls in Experiment.members.items() if any(field.name == "game" for field in fields(cls))]


SOME = [(kind, SOLVED[(at + shift) % len(SOLVED)]) for at, kind in enumerate(OF_GAMES) for shift in (0, 1)]


@pytest.mark.parametrize(("kind", "game"), SOME)
def test_the_defaults_of_an_experiment_are_those_of_its_game(kind: str, game: str):
    more = ["signal=games"] if kind == "tune" else []
    build(configuration([f"experiment={kind}", *f"game={game}".split(), *more]))
