"""Judged games: scores by a plain search, the move that decided, tables that agree, mistakes; other games too."""

from __future__ import annotations

import functools
import random

import numpy as np
import pandas as pd
import pytest

from connect4 import Board, screen
from experiments.players import proven
from tests.connect4.naive_search import exact_scores
from tests.experiments.commands import OF_EVERY_RUN
from tests.internals import (
    DECISIONS,
    MOVES,
    Bounds,
    Connect4,
    DotsAndBoxes,
    Task,
    _mean_of_games,
    columns_of,
    graded_positions,
    judge_game,
    players_table,
)
from tests.internals import GAMES as RULES_OF

SMALL = ("board=4x3", "connect=3")
MATCH = ("experiment=match", *SMALL, "games=40", "player1=level_3", "player2=random")
TABLES = ("moves.parquet", "decisions.parquet", "players.csv", "by_ply.csv")
RULES = Connect4(board="4x3", connect=3)
OWN = "tests.experiments.own_games"
SIDES = ("player1=uct", "player1.simulations=20", "player2=monte_carlo", "player2.simulations=10")
OTHER_MATCH = ("experiment=match", *SIDES, "games=8")
GAMES = ("dots_and_boxes rows=2 columns=1", "breakthrough rows=4 columns=2 ranks=1", "hex size=3")


@functools.cache
def worth(position):
    """What player 0 gets in the end if both play their best: boxes, or a win."""
    result = position.result()
    if result is not None:
        return position.margin if isinstance(position, DotsAndBoxes) else int(np.sign(result[0] - result[1]))
    after = [worth(position.play(move)) for move in position.moves()]
    return min(after) if position.player() else max(after)


def row(moves, result, ending="row"):
    known = {"game": 5, "player1": "a", "player2": "b", "first_player": 1, "opening": ""}
    return {**known, "moves": moves, "result": result, "ending": ending}


@pytest.fixture
def annotated(finished, tmp_path):
    """The folder of a match whose moves have been judged."""
    finished(*MATCH, "hydra.run.dir=match")
    finished("match", module="annotate")
    return tmp_path / "match"


def test_a_game_is_decided_by_a_forfeit_or_by_where_it_began_or_nobody_knows():
    _, decision = judge_game(row("12", -1, "illegal move: returned 9"), RULES, 1.0)
    assert decision == {"game": 5, "decided_by": "forfeit", "ply": None, "player": ""}
    best = Board(4, 3, 3)
    while not best.is_finished():
        scores = exact_scores(best)
        best.play(max(scores, key=lambda column: scores[column]))
    rows, decision = judge_game(row(best.notation, best.winner()), RULES, 1.0)
    assert decision["decided_by"] == "start"
    assert [one["loss"] for one in rows] == [0] * best.plies


@pytest.fixture
def hard_below(monkeypatch):
    """Positions of fewer stones than this give no more than the widest bounds."""
    exact, least = proven.bounds_of, [0]
    monkeypatch.setattr(
        proven, "bounds_of", lambda board, _: Bounds(-6, 6) if board.plies < least[-1] else exact(board, 1.0)
    )
    return least.append


def test_what_is_not_solved_is_left_empty_and_never_guessed(hard_below):
    board = Board.from_moves("1122443", 4, 3, 3)
    full, _ = judge_game(row(board.notation, 1), RULES, 1.0)
    hard_below(4)
    rows, decision = judge_game(row(board.notation, 1), RULES, 1.0)
    assert rows[4:] == full[4:]
    for one in rows[:3]:
        assert one["score_before"] is one["score_after"] is one["loss"] is one["keeps_value"] is None
    assert rows[3]["score_before"] is None
    assert rows[3]["score_after"] == full[3]["score_after"]
    blunders = [one["ply"] for one in full if one["keeps_value"] is False]
    assert decision["decided_by"] == ("move" if blunders[-1:] > [3] else "unknown")
    hard_below(100)
    assert judge_game(row(board.notation, 1), RULES, 1.0)[1]["decided_by"] == "unknown"


def test_bounds_tell_a_value_only_where_they_prove_it():
    known = {(1, 3): 1.0, (-3, -1): 0.0, (0, 0): 0.5, (0, 3): None, (-3, 0): None, (-1, 1): None}
    assert {ends: Bounds(*ends).value for ends in known} == known
    assert Bounds(-3, 1).turned() == Bounds(-1, 3)
    assert Bounds(-3, 1).score is None
    (late,) = [one for one in graded_positions(21) if len(one.moves) == 28]
    assert proven.bounds_of(Board(8, 7), 0.001).score is None  # for want of time
    assert proven.bounds_of(late.board, 0.001).score == late.top


def test_the_interval_of_a_mean_reckons_with_losses_that_no_game_shows():
    """Of 30 games of 10 moves, of which one in 200 loses ten points, most samples show three losses at most."""
    rng, covered, runs = np.random.default_rng(8), 0, 200
    for _ in range(runs):
        loss = np.where(rng.random(300) < 0.005, 10, 0)
        found = _mean_of_games(pd.DataFrame({"game": np.repeat(np.arange(30), 10), "loss": loss}), 42)
        covered += found["loss_low"] <= 0.05 <= found["loss_high"]
        assert found["loss_high"] < 42.0
    assert covered / runs > 0.95
    perfect = pd.DataFrame({"game": np.repeat(np.arange(30), 10), "loss": 0})
    found = _mean_of_games(perfect, 42)
    assert (found["loss"], found["loss_low"]) == (0.0, 0.0)
    assert found["loss_high"] == pytest.approx(42.0 * (1.0 - 0.025 ** (1.0 / 300)))  # the rule of three
    assert np.isnan(_mean_of_games(perfect[perfect["game"] == 0], 42)["loss_high"])  # a single game


@pytest.mark.long
def test_a_run_that_was_stopped_goes_on_and_any_workers_leave_the_same_bytes(
    command, attempt, tmp_path, monkeypatch, annotated
):
    done, work = [], Task.__call__

    def dying(part):
        if len(done) == 15:
            raise OSError("the power went")
        done.append(part.path.name)
        work(part)

    with monkeypatch.context() as patch:
        patch.setattr(Task, "__call__", dying)
        assert attempt("match", "into=other", "workers=1", module="annotate").status == 2
    assert "resuming: 15 of 40 tasks" in command("match", "into=other", "workers=3", module="annotate").out
    for name in TABLES:
        assert (tmp_path / "other" / name).read_bytes() == (annotated / "annotation" / name).read_bytes()


@pytest.mark.long
def test_one_game_is_shown_move_by_move_with_the_board_before_each_blunder(command, annotated):
    folder = annotated
    decisions = pd.read_parquet(folder / "annotation" / "decisions.parquet")
    moves = pd.read_parquet(folder / "annotation" / "moves.parquet")
    one = decisions[decisions["decided_by"] == "move"].iloc[0]
    own = moves[moves["game"] == one["game"]]
    said = command(str(folder), f"game={one['game']}", module="annotate")
    game = pd.read_parquet(folder / "games.parquet").set_index("game").loc[one["game"]]
    board = Board.from_moves(game["moves"], 4, 3, 3)
    while board.plies > one["ply"]:
        board.undo()
    scores = exact_scores(board)
    told = [f"{scores[column]:+d}" if scores.get(column) else "0" * (column in scores) for column in range(4)]
    assert f"before move {one['ply'] + 1}, {one['player']}" in said.out
    assert "\n".join(screen.lines(board, told)) in said.out
    assert said.out.count("scores of the columns:") == (~own["keeps_value"].astype(bool)).sum()


def test_tournaments_and_a_game_without_a_move_are_judged_too(command, tmp_path, monkeypatch):
    (tmp_path / "annotated_players.py").write_text("def illegal(board):\n    return -1\n")
    monkeypatch.syspath_prepend(tmp_path)
    folder = command(
        "experiment=tournament",
        *SMALL,
        "games=4",
        "players=[random,level_3,{name: custom, path: annotated_players.illegal}]",
    ).folder
    said = command(str(folder), module="annotate")
    assert "8 by a forfeit" in said.out
    moves, decisions = (pd.read_parquet(folder / "annotation" / name) for name in TABLES[:2])
    assert (list(moves), list(decisions)) == (list(MOVES), list(DECISIONS))
    command(str(folder), "game=4", module="annotate")


def random_games(rules, count, given):
    """Rows of games.parquet of random games, whose first moves are an opening; positions, moves and who made each."""
    rng = random.Random(4)
    for number in range(count):
        sides = [lambda position: rng.choice(list(rules.legal_moves(position)))] * 2
        record = rules.play(*sides, (), seed=0)
        if isinstance(rules, Connect4):
            opening = rules.write(record)[:given]
            positions = [rules.reached(record.moves[:ply]) for ply in range(len(record.moves))]
        else:
            opening = " ".join(record.words[:given])
            positions = [move.position for move in rules.replayed(rules.write(record), seed=0)]
        known = {"game": number, "player1": "a", "player2": "b", "first_player": 1 + number % 2, "seed": 0}
        known |= {"moves": rules.write(record), "opening": opening, "ending": record.ending}
        known |= {"result": record.result * (-1) ** number}
        yield known, positions, record.moves, rules.movers(record, 0)


def scores_of(position):
    """What each move is worth to its maker, by naive search."""
    if isinstance(position, Board):
        return exact_scores(position)
    return {move: (1 - 2 * position.player()) * worth(position.play(move)) for move in position.moves()}


ON_4X3 = pytest.param("connect4 board=4x3 connect=3", marks=pytest.mark.jit)


@pytest.mark.kernels
@pytest.mark.parametrize("game", [*GAMES, f"{OWN}.Scored heaps=[3,2,2]", ON_4X3])
def test_every_move_has_the_scores_that_a_naive_search_finds_for_its_maker_and_the_last_blunder_decided(game):
    rules = RULES_OF.of(game)
    twice = blunders = 0
    for row, positions, moves, movers in random_games(rules, 8, given=2):
        rows, decision = judge_game(row, rules, 1.0)
        assert [one["ply"] for one in rows] == list(range(2, len(moves)))
        for one in rows:
            position, move, mover = (each[one["ply"]] for each in (positions, moves, movers))
            scores = scores_of(position)
            before, after = max(scores.values()), scores[move]
            assert (one["score_before"], one["score_after"], one["loss"]) == (before, after, before - after)
            values = 0.5 + 0.5 * np.sign([before, after])
            assert [one["value_before"], one["value_after"]] == values.tolist()
            assert one["keeps_value"] == (np.sign(before) == np.sign(after))
            assert one["player"] == "ab"[mover ^ (row["first_player"] == 2)]
            said = one["column"] if isinstance(rules, Connect4) else list(rules.words(position)).index(one["move"])
            assert said == list(rules.options(position)).index(move)
            twice += mover == movers[one["ply"] - 1]
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
    known = {"player": "a", "loss": 0, "keeps_value": True, "score_before": 1, "score_after": 1}
    moves = pd.DataFrame([known | {"game": game, "ply": ply} for game in range(2) for ply in range(lengths[game])])
    moves = moves.astype({"score_before": "Int64", "score_after": "Int64"})
    row = players_table(moves, pd.DataFrame({"player": []}), None).iloc[0]
    assert [row[f"moves_{name}"] for name in ("early", "middle", "late")] == [6, 6, 6]
    assert row["loss_high"] == pytest.approx(2.0 * (1.0 - 0.025 ** (1.0 / 18)))  # the rule of three
    on_a_board = players_table(moves, pd.DataFrame({"player": []}), 12).iloc[0]
    assert [on_a_board[f"moves_{name}"] for name in ("early", "middle", "late")] == [8, 6, 4]


def test_the_tables_of_a_run_and_one_game_on_the_screen(finished, command, tmp_path):
    finished(*OTHER_MATCH, "hydra.run.dir=match", "game=dots_and_boxes", "game.rows=2", "game.columns=2")
    command("match", "workers=1", module="annotate")
    place = tmp_path / "match" / "annotation"
    games = pd.read_parquet(tmp_path / "match" / "games.parquet").set_index("game")
    moves = pd.read_parquet(place / "moves.parquet")
    assert list(moves) == list(columns_of(RULES_OF.of(GAMES[0])))
    assert len(moves) == games["plies"].sum() == 96
    assert (moves["loss"] == moves["score_before"] - moves["score_after"]).all()
    assert {path.name for path in place.iterdir()} - OF_EVERY_RUN - {".lock"} == {*TABLES}
    players, plies = pd.read_csv(place / "players.csv").set_index("player"), pd.read_csv(place / "by_ply.csv")
    for player, own in moves.groupby("player"):
        assert players.loc[player, "loss"] == pytest.approx(own["loss"].mean())
        late = own[own["ply"] >= 8]
        assert players.loc[player, "moves_late"] == len(late)
        assert players.loc[player, "blunders_late"] == (~late["keeps_value"].astype(bool)).sum()
        assert players.loc[player, "decided"] == own["decided"].sum()
        by_ply = plies[plies["player"] == player]
        assert by_ply["moves"].sum() == len(own)
        assert (by_ply["loss"] * by_ply["known"]).sum() == pytest.approx(own["loss"].sum())
    blunder = moves[~moves["keeps_value"].astype(bool)].iloc[0]
    shown = command("match", f"game={blunder['game']}", module="annotate").out
    position = DotsAndBoxes(2, 2)
    for move in games.loc[blunder["game"], "moves"].split()[: blunder["ply"]]:
        position = position.play(int(move))
    scored = zip(position.moves(), position.scores(), strict=True)
    best = [str(move) for move, score in scored if score == max(position.scores())]
    assert f"\n{position}" in shown
    assert f"{max(position.scores()):+d}: {', '.join(best)}\n".replace("+0", "0") in shown
    assert f"{blunder['player']} played {blunder['move']}" in shown


def test_a_class_with_scores_is_annotated_and_one_that_has_changed_is_another_run(
    command, attempt, tmp_path, monkeypatch
):
    text = "from tests.experiments.own_games import Scored\nclass Mine(Scored):\n    pass\n"
    (tmp_path / "scored_nim.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    command(*OTHER_MATCH, "hydra.run.dir=match", "game=custom", "game.cls=scored_nim.Mine", "+game.heaps=[3,2]")
    assert "8 games decided" in command("match", module="annotate").out
    (tmp_path / "scored_nim.py").write_text(text + "    # other scores\n")
    assert "source" in attempt("match", module="annotate").err


BEGUN = {
    "match": MATCH,
    "large": ("experiment=match", "board=10x10", "games=2"),
    "nim": (*OTHER_MATCH, "game=custom", f"game.cls={OWN}.Nim"),
    "failing": (*OTHER_MATCH, "game=custom", f"game.cls={OWN}.FailsToScore", "+game.heaps=[0,1,2]"),
    "hex": (*OTHER_MATCH, "game=hex", "game.size=2"),
}


@pytest.mark.parametrize(
    ("folder", "words", "parts"),
    [
        ("match", ["game=40"], ["game", "0 to 39", "40"]),
        ("large", [], ["folder", "10x10"]),
        ("nim", [], ["folder", "exact"]),
        ("failing", [], ["folder", "scores()", "ZeroDiv"]),
        ("hex", ["seconds=3"], ["seconds", "3"]),
    ],
)
def test_what_cannot_be_judged_is_refused_and_leaves_nothing_behind(finished, attempt, tmp_path, folder, words, parts):
    finished(*BEGUN[folder], f"hydra.run.dir={folder}")
    attempt(folder, *words, module="annotate").assert_refused(parts)
    assert not list(tmp_path.glob("*/annotation"))
