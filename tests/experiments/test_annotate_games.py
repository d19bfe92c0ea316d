"""Judged moves of other games than Connect 4: scores by a naive search, thirds, tables, what is printed, mistakes."""

from __future__ import annotations

import functools
import random

import numpy as np
import pandas as pd
import pytest

from tests.experiments.own_games import Nim
from tests.internals import GAMES, DotsAndBoxes, columns_of, judge_game, players_table

HERE = "tests.experiments.test_annotate_games"
OWN = Nim.__module__
SIDES = ("player1=uct", "player1.simulations=20", "player2=monte_carlo", "player2.simulations=10")
MATCH = ("experiment=match", *SIDES, "games=8", "hydra.run.dir=match")
SMALL = ("dots_and_boxes rows=2 columns=1", "breakthrough rows=4 columns=2 ranks=1", "hex size=3")


@functools.cache
def worth(position):
    """What player 0 gets in the end if both play their best: boxes, or a win."""
    result = position.result()
    if result is not None:
        return position.margin if isinstance(position, DotsAndBoxes) else int(np.sign(result[0] - result[1]))
    after = [worth(position.play(move)) for move in position.moves()]
    return min(after) if position.player() else max(after)


class ScoredNim(Nim):
    """Nim that knows its scores: who moves wins by a move that leaves no nim-sum."""

    def scores(self):
        after = [functools.reduce(int.__xor__, self.play(move).heaps, 0) for move in self.moves()]
        return [-1 if left else 1 for left in after]

    def __eq__(self, other):
        return (self.heaps, self.mover) == (other.heaps, other.mover)

    def __hash__(self):
        return hash((self.heaps, self.mover))


class FailingNim(Nim):
    """Nim that fails to know them."""

    def scores(self):
        return [1 // 0]


def random_games(rules, count, given):
    """Rows of games.parquet of random games, whose first moves are an opening; and the positions of each."""
    rng = random.Random(4)
    for number in range(count):
        sides = [lambda position: rng.choice(list(position.moves()))] * 2
        record = rules.play(*sides, (), seed=0)
        positions = [move.position for move in rules.replayed(rules.write(record), seed=0)]
        yield (
            {
                "game": number,
                "player1": "a",
                "player2": "b",
                "first_player": 1 + number % 2,
                "moves": rules.write(record),
                "opening": " ".join(record.words[:given]),
                "seed": 0,
                "result": record.result if number % 2 == 0 else -record.result,
                "ending": record.ending,
            },
            record.moves,
            positions,
        )


@pytest.mark.kernels
@pytest.mark.parametrize("game", [*SMALL, f"{OWN}.Scored heaps=[3,2,2]"])
def test_every_move_has_the_scores_that_a_naive_search_finds_for_its_maker(game):
    rules = GAMES.of(game)
    twice = blunders = 0
    for row, moves, positions in random_games(rules, 12, given=2):
        rows, decision = judge_game(row, rules, 1.0)
        assert [one["ply"] for one in rows] == list(range(2, len(moves)))
        for one in rows:
            position, move = positions[one["ply"]], moves[one["ply"]]
            sign = 1 - 2 * position.player()
            before, after = (sign * worth(each) for each in (position, position.play(move)))
            assert (one["score_before"], one["score_after"], one["loss"]) == (before, after, before - after)
            assert (one["value_before"], one["value_after"]) == (
                0.5 + 0.5 * np.sign(before),
                0.5 + 0.5 * np.sign(after),
            )
            assert one["keeps_value"] == (np.sign(before) == np.sign(after))
            first, second = ("a", "b") if row["first_player"] == 1 else ("b", "a")
            assert one["player"] == (second if position.player() else first)
            assert one["move"] == rules.words(position)[list(position.moves()).index(move)]
            twice += position.player() == positions[one["ply"] - 1].player()
        wrong = [one for one in rows if not one["keeps_value"]]
        blunders += len(wrong)
        assert decision["decided_by"] == ("move" if wrong else "start")
        assert [one["ply"] for one in rows if one["decided"]] == [one["ply"] for one in wrong[-1:]]
        if wrong:
            result = row["result"] if wrong[-1]["player"] == "a" else -row["result"]
            assert wrong[-1]["value_after"] == 0.5 + 0.5 * result  # what it left its maker is what the maker got
    assert blunders > 0
    assert (twice > 0) == game.startswith("dots")


def test_thirds_are_those_of_each_game_and_the_worst_loss_is_twice_the_highest_score():
    lengths = (6, 12)
    moves = pd.DataFrame(
        [
            {
                "player": "a",
                "game": game,
                "ply": ply,
                "loss": 0,
                "keeps_value": True,
                "score_before": 1,
                "score_after": 1,
            }
            for game, length in enumerate(lengths)
            for ply in range(length)
        ]
    ).astype({"score_before": "Int64", "score_after": "Int64"})
    row = players_table(moves, pd.DataFrame({"player": []}), None).iloc[0]
    assert [row[f"moves_{name}"] for name in ("early", "middle", "late")] == [6, 6, 6]
    assert row["loss_high"] == pytest.approx(2.0 * (1.0 - 0.025 ** (1.0 / 18)))  # the rule of three
    on_a_board = players_table(moves, pd.DataFrame({"player": []}), 12).iloc[0]
    assert [on_a_board[f"moves_{name}"] for name in ("early", "middle", "late")] == [8, 6, 4]


def test_the_tables_of_a_run_and_one_game_on_the_screen(finished, command, tmp_path):
    finished(*MATCH, "game=dots_and_boxes", "game.rows=2", "game.columns=2")
    said = command("match", "workers=1", module="annotate")
    place = tmp_path / "match" / "annotation"
    games = pd.read_parquet(tmp_path / "match" / "games.parquet").set_index("game")
    moves = pd.read_parquet(place / "moves.parquet")
    assert list(moves) == list(columns_of(GAMES.of(SMALL[0])))
    assert len(moves) == games["plies"].sum() == 96
    assert "96 moves; at dots_and_boxes rows=2 columns=2" in said.out
    assert "early, middle and late: thirds of each game's moves" in said.out
    assert (moves["loss"] == moves["score_before"] - moves["score_after"]).all()
    players = pd.read_csv(place / "players.csv").set_index("player")
    for player, own in moves.groupby("player"):
        assert players.loc[player, "loss"] == pytest.approx(own["loss"].mean())
        late = own[own["ply"] >= 8]
        assert players.loc[player, "moves_late"] == len(late)
        assert players.loc[player, "blunders_late"] == (~late["keeps_value"].astype(bool)).sum()
    blunder = moves[~moves["keeps_value"].astype(bool)].iloc[0]
    shown = command("match", f"game={blunder['game']}", module="annotate").out
    position = DotsAndBoxes(2, 2)
    for move in games.loc[blunder["game"], "moves"].split()[: blunder["ply"]]:
        position = position.play(int(move))
    best = [
        str(move)
        for move, score in zip(position.moves(), position.scores(), strict=True)
        if score == max(position.scores())
    ]
    assert f"before move {blunder['ply'] + 1}, {blunder['player']} to move, moves by score:\n{position}" in shown
    assert f"{max(position.scores()):+d}: {', '.join(best)}\n".replace("+0", "0") in shown
    assert f"{blunder['player']} played {blunder['move']}; blunder: " in shown


def test_a_class_with_scores_is_annotated_and_one_that_has_changed_is_another_run(
    command, attempt, tmp_path, monkeypatch
):
    text = "from tests.experiments.test_annotate_games import ScoredNim\nclass Mine(ScoredNim):\n    pass\n"
    (tmp_path / "scored_nim.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    command(*MATCH, "game=custom", "game.cls=scored_nim.Mine", "+game.heaps=[3,2]")
    assert "8 games decided" in command("match", module="annotate").out
    (tmp_path / "scored_nim.py").write_text(text + "    # other scores\n")
    assert "source" in attempt("match", module="annotate").err


CASES = [
    (
        ("game=custom", f"game.cls={Nim.__module__}.Nim"),
        (),
        ["folder 'match' cannot be annotated: game must have exact"],
    ),
    (
        ("game=custom", f"game.cls={HERE}.FailingNim"),
        (),
        ["folder 'match' cannot be annotated: scores() fails: ZeroDiv"],
    ),
    (("game=hex", "game.size=6"), (), ["folder 'match' cannot be annotated: ", "at most"]),
    (("game=hex", "game.size=2"), ("seconds=3",), ["seconds must be left out with games other than Connect 4; got 3"]),
    (("game=hex", "game.size=2"), ("game=9",), ["game must be from 0 to 7; got 9"]),
]


@pytest.mark.parametrize(("game", "words", "parts"), CASES, ids=str)
def test_a_mistake_is_one_sentence_and_leaves_nothing_behind(finished, attempt, tmp_path, game, words, parts):
    finished(*MATCH, *game)
    attempt("match", *words, module="annotate").assert_refused(parts)
    assert not list(tmp_path.glob("*/annotation"))
