"""Positions of other games than Connect 4: how they are drawn, and players that are judged on them."""

from __future__ import annotations

import json
import pickle
from collections import Counter

import numpy as np
import pytest

from mcts import playout_values
from numerics.output import tables
from numerics.players import Player
from tests.experiments.test_annotate import worth
from tests.internals import (
    CHOICES,
    ELSEWHERE,
    GAMES,
    Drawing,
    Graded,
    PlayerSpec,
    chance,
    drawn_positions,
    judge_choice,
    results,
    settle,
    sign,
)
from tests.refusals import refused

HERE = "tests.experiments.own_games"
NIM = f"{HERE}.Scored heaps=[3,4,5]"
SMALL = {"hex size=3": 12, "dots_and_boxes rows=2 columns=2": 12, "breakthrough rows=4 columns=3": 8, NIM: 12}


@pytest.mark.parametrize(
    ("game", "kind"),
    [*zip(SMALL, ("random", "self_play") * 2, strict=True), ("dots_and_boxes rows=2 columns=2", "misleading")],
)
def test_drawn_positions_keep_what_they_promise_by_plain_search(game, kind):
    count = 3 if kind == "misleading" else SMALL[game]
    drawn = drawn_positions(game, count, kind, seed=1)
    assert len(drawn) == count
    low, high = Drawing(GAMES.of(game), 1).plies
    for one in drawn:
        position = one.board
        assert low <= len(one.moves) <= high
        assert position.result() is None
        assert list(one.options) == list(position.moves())
        side = 1 - 2 * position.player()
        truth = {move: sign(side * worth(position.play(move))) for move in position.moves()}
        assert [sign(score) for score in one.scores] == list(truth.values())
        assert min(truth.values()) < max(truth.values())
        assert not any(position.play(move).result() is not None and value > 0 for move, value in truth.items())
        if kind == "misleading":
            found = playout_values(position, 20_000, playouts="uniform", seed=5)
            assert not one.keeps_value(int(found.moves[found.means.argmax()]))
        for move, value in truth.items():
            assert one.keeps_value(move) == (value == max(truth.values()))
            assert one.loss(move) == one.top - one.score(move) >= 0
            assert (move in one.best) == (one.loss(move) == 0)
        assert np.isclose(one.chance, np.mean([one.keeps_value(move) for move in position.moves()]))
    assert len({one.board for one in drawn}) == len(drawn)
    refused(lambda: drawn[0].loss(99), "move", "99")


@pytest.mark.parametrize("kind", ["held_out", "held_out_self_play"])
def test_held_out_positions_are_others_of_the_same_kinds(kind):
    other = kind.removeprefix("held_out_").replace("held_out", "test")
    of_test = Drawing(GAMES.of("hex size=4"), 30, other).draw()
    assert other != "test" or [own for _, own in of_test] == ["random", "self_play"] * 15
    test = {one.board for one, _ in of_test}
    held_out = Drawing(GAMES.of("hex size=4"), 30, kind).draw()
    assert len(test) == 30
    assert len(held_out) == 30
    assert test.isdisjoint(one.board for one, _ in held_out)
    assert {own for _, own in held_out} == ({"random", "self_play"} if kind == "held_out" else {kind[9:]})


def test_plies_are_spread_over_the_middle_of_the_game_and_a_seed_decides_which_positions_are_drawn():
    drawn, again, other = (drawn_positions("hex size=4", 48, "random", seed=seed) for seed in (3, 3, 4))
    assert drawn == again == pickle.loads(pickle.dumps(again)) != other
    counts = Counter(len(one.moves) for one in drawn)
    assert set(counts) <= set(range(2, 10))  # of games of 13 moves
    assert len(counts) >= 7
    assert max(counts.values()) <= 15


def test_a_small_game_has_fewer_positions_than_are_asked_for():
    drawn = drawn_positions("dots_and_boxes rows=1 columns=2", 200)
    assert 10 < len(drawn) < 128  # sets of seven edges
    assert len({one.board for one in drawn}) == len(drawn)


def test_equal_positions_of_a_class_that_does_not_compare_them_are_told_apart_by_their_moves():
    rules = GAMES.of(f"{HERE}.Nim heaps=[1,1,2]")
    one, twin, other = (Graded(moves, (1, -1), rules) for moves in ((0,), (0,), (1,)))
    assert settle({0: [one], 1: [twin, other]}) == ([one, other], [])


@pytest.mark.parametrize(
    ("game", "words", "parts"),
    [
        (f"{HERE}.Nim", (10,), ["game", "exact values"]),
        (f"{HERE}.Dice", (10,), ["game", "chance"]),
        ("hex size=6", (10,), ["board", "31"]),
        ("dots_and_boxes rows=4 columns=4", (10,), ["board", "24"]),
        ("hex", (10, "traps"), ["positions_from"]),
        ("hex", (10, "book"), ["positions_from", "'book'"]),
        (f"{HERE}.Scored heaps=[1]", (5,), ["game"]),
        (f"{HERE}.FailsToScore heaps=[1,2,2]", (10,), ["scores()", "ZeroDivisionError", "(0, 1)"]),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(game, words, parts):
    refused(lambda: drawn_positions(game, *words), *parts)


class Answers(Player):
    """A player that gives one answer."""

    answer = None
    value = 0.25

    def play(self, board):
        return self.answer


def test_an_answer_is_judged_by_its_place_among_the_legal_moves():
    (one,) = drawn_positions(NIM, 1)
    player = Answers()
    for place, move in enumerate(one.board.moves()):
        player.answer = move
        found = judge_choice(player, 0, one, "random")
        assert (found["place"], found["move"]) == (place, f"({move[0]},{move[1]})")
        assert (found["loss"], found["failure"], found["value"]) == (one.loss(move), "", 0.25)
        assert found["keeps_value"] == one.keeps_value(move)
    player.answer = (9, 9)
    found = judge_choice(player, 0, one, "random")
    assert (found["place"], found["move"], found["failure"]) == (-1, "", "illegal move: returned (9, 9)")
    assert not found["keeps_value"]
    assert np.isnan(found["loss"])


def test_after_the_best_move_the_side_that_moves_gets_its_own_result(tmp_path):
    rules = GAMES.of("dots_and_boxes rows=2 columns=2")
    drawn = drawn_positions(rules, 40, "random")
    spec = PlayerSpec("a", Answers())
    results.ask_values(tmp_path / "x.parquet", spec, 0, list(enumerate(drawn)))
    found, again = tables.read(tmp_path / "x.parquet"), 0
    for row in found.itertuples():
        one = drawn[row.position]
        after = one.board.play(one.best[0])
        again += after.player() == one.board.player()
        assert row.result == 0.5 + 0.5 * sign(max(after.scores()))
    assert 0 < again < len(found)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dots_and_boxes rows=2 columns=2", ["game=dots_and_boxes", "game.rows=2", "game.columns=2"]),
        (NIM, ["game=custom", f"game.cls={HERE}.Scored", "+game.heaps=[3,4,5]"]),
    ],
)
def test_players_are_judged_on_another_game(command, name, words):
    players = "players=[{name: monte_carlo, simulations: 60},{name: uct, simulations: 60}]"
    said = command("experiment=strength", *words, players, "positions=12", "seed=1", "executor=threads")
    drawn = Drawing(GAMES.of(name), 12, "both", 1).draw()
    choices = tables.read(said.folder / "choices.parquet")
    expected = list(CHOICES)
    expected[expected.index("column") : expected.index("column") + 1] = ELSEWHERE
    assert list(choices) == expected
    for row in choices.itertuples():
        one, kind = drawn[row.position]
        move = one.options[row.place]
        assert (row.source, row.ply, row.move) == (kind, len(one.moves), one.rules.words(one.board)[row.place])
        assert (row.keeps_value, row.loss) == (one.keeps_value(move), one.loss(move))
    manifest = json.loads((said.folder / "manifest.json").read_text())
    assert np.isclose(manifest["chance"], 100 * chance([one for one, _ in drawn]))


@pytest.mark.drawn
@pytest.mark.reported
def test_an_engine_is_judged_at_a_game_of_ones_own(command):
    said = command(
        "player=monte_carlo simulations=20",
        f"game={HERE}.Scored heaps=[3,4,5]",
        "positions=12",
        module="experiments.judge",
    )
    assert "connect4.solver" not in said.out
    wrong = tables.read(said.folder / "mistakes.csv")
    assert not wrong.empty
    drawn = Drawing(GAMES.of(NIM), 12, "all", 0).draw()
    for row in wrong.itertuples():
        one, _ = drawn[row.position]
        assert row.drawn == str(one.board)
        assert row.moves == one.rules.write_opening(one.moves)
        assert row.best.split() == [one.rules.words(one.board)[one.place(move)] for move in one.best]
    report = (said.folder / "report.html").read_text()
    assert f"<pre>{wrong['drawn'].iloc[0]}</pre>" in report
    assert "stones" not in (said.folder / "figures" / "judge.png").read_text()
