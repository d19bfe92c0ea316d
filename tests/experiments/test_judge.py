"""The judge: its tables and report for programs and players, programs that fail, other boards, known engines."""

from __future__ import annotations

import io
import re
import sys

import numpy as np
import pandas as pd
import pytest

from connect4 import Board
from connect4.players import program
from connect4.referee import play_game
from experiments.kinds.judge.results import KINDS
from experiments.players import make_player
from numerics.output import tables
from numerics.players import Forfeit, Player
from numerics.statistics import wilson
from tests.internals import (
    RANDOM,
    SELF_PLAY,
    PlayerSpec,
    graded_positions,
    judge_choice,
    player_spec,
    reference,
    results,
    sign,
    sourced_positions,
    try_out,
)
from tests.pages import page

ENGINE = page("guides/judge").files["my_engine.py"]
PYTHON = f"{sys.executable} -S -E"


@pytest.fixture
def judge(attempt, tmp_path):
    """A function that judges a program by its source, or a player by its name."""

    def run(source, *options):
        (tmp_path / "engine.py").write_text(source)
        return attempt(f"command={PYTHON} engine.py", "label=mine", *options, module="experiments.judge")

    yield run
    program.end_programs()


FAILING = {
    "is not there": (None, "(No such file or directory)"),
    "is silent": ("import sys\nfor line in sys.stdin: pass", "no move after"),
    "a full column": ("for line in open(0): print(9, flush=True)", "illegal move"),
}


@pytest.fixture
def fast(monkeypatch):
    """Nobody is waited for long."""
    monkeypatch.setattr(program, "_silent", set())
    monkeypatch.setattr(program, "_STARTING", 2.0)


@pytest.mark.usefixtures("fast")
@pytest.mark.parametrize("case", FAILING)
def test_a_program_without_a_legal_move_in_three_positions_is_not_judged(attempt, judge, tmp_path, case):
    source, why = FAILING[case]
    options = ("positions=600", "limit=0.1" if case == "is silent" else "limit=10", "budget=20")
    if source is None:
        said = attempt("command=./nowhere", "label=mine", *options, module="experiments.judge")
    else:
        said = judge(source, *options)
    said.assert_refused(["command", why], tmp_path)
    assert ("flush" in said.err) == (case == "is silent")


@pytest.mark.usefixtures("fast")
def test_a_program_that_fails_later_loses_its_positions_without_points_and_the_run_goes_on(judge):
    tried = f"print({1 + sourced_positions('test')[0][0].board.legal_moves()[0]}, flush=True)"
    once = f"import os\nif not os.path.exists('tried'):\n open('tried', 'w')\n input()\n {tried}\n"
    said = judge(once + FAILING["a full column"][0], "positions=6", "budget=20")
    assert said.status == 0, said.err
    assert "illegal move" in said.out
    assert tables.read(said.folder / "summary.csv")["keeps_value"].tolist() == [0.0]
    table = mistakes(said)
    assert (table[["after", "played"]] == ["loss", ""]).all(axis=None)
    assert table["points_lost"].isna().all()
    assert table["failure"].str.contains("illegal move").tolist() == [True] * 6
    assert table["value_lost"].is_monotonic_decreasing
    assert said.complaint == ""


def test_a_program_is_tried_on_early_positions_of_another_board(judge):
    judge("import sys\nsys.exit(3)", "board=5x4").assert_refused(["command", "first 3 positions", "status 3"])


def test_a_silent_program_is_waited_for_once(monkeypatch, tmp_path):
    (tmp_path / "silent.py").write_text("import sys\nfor line in sys.stdin: pass")
    monkeypatch.setattr(program, "_STARTING", 0.5)
    monkeypatch.setattr(program, "_silent", set())
    player = make_player("program", command=f"{PYTHON} {tmp_path / 'silent.py'}", limit=0.05)
    for waited in ("0.55", "0.05"):  # the second time without the time to start
        with pytest.raises(program.Forfeit, match=f"^no move after {waited} s$"):
            player.play(Board())


def mistakes(said):
    """Return the table of mistakes of a run."""
    return tables.read(said.folder / "mistakes.csv")


VALUES = """
import sys
for line in sys.stdin:
    moves = line.partition(" ")[0].strip()
    column = next(c for c in "4352617" if moves.count(c) < 6)
    print(column, 0.9 if len(moves) % 2 else 0.2, flush=True)
"""


@pytest.mark.reported
def test_every_position_is_judged_values_in_pairs_and_those_that_were_lost_are_listed_worst_first(
    judge, command, monkeypatch
):
    said = judge(VALUES, "positions=30")
    assert said.status == 0, said.err
    choices, table, positions = tables.read(said.folder / "choices.parquet"), mistakes(said), sourced_positions("test")
    lost, errors = [], []
    for number, ((one, kind), row) in enumerate(zip(positions, choices.itertuples(), strict=False)):
        played = next(place for place in (3, 2, 4, 1, 5, 0, 6) if one.scores[place] is not None)
        assert (row.column, row.source, row.failure) == (played, kind, "")
        assert (row.keeps_value, row.loss) == (one.keeps_value(played), one.loss(played))
        values, result = ((0.9, 0.2) if len(one.moves) % 2 else (0.2, 0.9)), 0.5 + 0.5 * sign(one.top)
        if kind in (RANDOM, SELF_PLAY) and number % 12 < 6:
            errors.append(((values[0] - result) ** 2 + (values[1] - (1.0 - result)) ** 2) / 2.0)
        if one.loss(played):
            after = 0.5 + 0.5 * sign(one.scores[played])
            moves, best = ("".join(str(place + 1) for place in places) for places in (one.moves, one.best))
            words = [{1.0: "win", 0.5: "draw", 0.0: "loss"}[value] for value in (result, after)]
            scores = ",".join("" if score is None else str(score) for score in one.scores)
            facts = (number, moves, str(played + 1), " ".join(best), values[0], *words, scores)
            lost.append((after - result, one.scores[played] - one.top, *facts))
    assert number == 29
    names = ["position", "moves", "played", "best", "engine_value", "before", "after", "scores"]
    got = table[["value_lost", "points_lost", *names]].to_dict("split")
    assert [(-value, -points, *rest) for value, points, *rest in got["data"]] == sorted(lost)
    assert 0 < sum(row[0] < 0 for row in lost) < len(lost)
    kept = float(choices["keeps_value"].mean())
    low, high = wilson(30 * kept, 30)
    assert f"{100 * kept:.1f} % ± {50 * (high - low):.1f} points" in said.out
    by_kind = tables.read(said.folder / "by_kind.csv").set_index("kind")
    assert (by_kind["positions"].sum(), *by_kind["positions"][list(KINDS[:2])]) == (30, 10, 10)
    assert np.isclose((by_kind["keeps_value"] * by_kind["positions"]).sum() / 30, kept)
    chance = np.mean([one.chance for one, kind in positions[:30] if kind == RANDOM])
    assert np.isclose(by_kind.loc["random games", "chance"], chance)
    assert tables.read(said.folder / "by_plies.csv")["positions"].sum() == 30
    row = tables.read(said.folder / "calibration.csv").iloc[0]
    assert (row["pairs"], row["brier"]) == (len(errors), pytest.approx(np.mean(errors)))
    assert sorted(tables.read(said.folder / "reliability.csv")["said"]) == pytest.approx([0.2, 0.9])
    report = (said.folder / "report.html").read_text()
    assert report.count('<td class="s"><svg') == min(12, len(lost))
    assert all(f"</svg>{moves}<" in report for moves in table["moves"][:12])
    opened = re.search(
        r"python -m (connect4\.solver) (\d+); .*: python -m (experiments\.play) (moves=\d+) (\S+)", said.out
    )
    solved = command(opened[2], module=f"{opened[1]}.command")
    assert f"best: {table['best'][0].replace(' ', ', ')}" in solved.out
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    played = command(opened[4], opened[5], module=opened[3])
    assert f"{'XO'[len(table['moves'][0]) % 2]} to move." in played.out


@pytest.mark.long
@pytest.mark.jit
def test_players_of_the_project_are_judged_at_several_budgets(command):
    said = command("player=uct c=0.7", "budget=1,20", "positions=6", "label=u", module="experiments.judge")
    assert {"u, 1 ms", "u, 20 ms"} <= set(tables.read(said.folder / "timings.parquet")["player"])
    said = command("player=perfect", "positions=4", "workers=1", module="experiments.judge")
    assert tables.read(said.folder / "calibration.csv")["brier"].tolist() == [0.0]
    assert mistakes(said).empty


@pytest.mark.jit
def test_positions_of_another_board_are_drawn_and_solved_and_mistakes_are_opened_with_its_size(command):
    said = command("player=level_0", "positions=6", "board=5x4", "connect=3", module="experiments.judge")
    assert tables.read(said.folder / "choices.parquet")["source"].tolist() == ["random", "self_play"] * 3
    moves = mistakes(said)["moves"].iloc[0]
    assert f"python -m connect4.solver {moves} board=5x4 connect=3" in said.out
    solved = command(moves, "board=5x4", "connect=3", module="connect4.solver.command")
    assert f"best: {mistakes(said)['best'].iloc[0].replace(' ', ', ')}" in solved.out


@pytest.mark.long
@pytest.mark.jit
def test_known_engines_are_measured_again(judge, monkeypatch):
    few = {"random": ({"name": "random"}, ()), "UCT": ({"name": "uct"}, (10, 20))}
    monkeypatch.setattr(reference, "ENGINES", few)
    said = judge(ENGINE, "positions=6", "reference=true")
    assert said.status == 0, said.err
    table = tables.read(said.folder / "reference.csv")
    whole = table[table["kind"] == "all"]
    assert whole["engine"].tolist() == ["random", "UCT", "UCT"]
    assert whole["simulations"].tolist()[1:] == [10, 20]
    assert (whole["positions"] == 6).all()
    assert set(table["kind"]) == {"all", "random games", "self-play", KINDS[2], "misleading playouts"}


def test_the_packed_engines_are_those_that_are_measured_and_lie_in_order():
    table = reference.read("")
    whole = table[table["kind"] == reference.TOTAL]
    wanted = [(engine, n) for engine, (_, budgets) in reference.ENGINES.items() for n in budgets or (None,)]
    assert [(row.engine, None if pd.isna(row.simulations) else row.simulations) for row in whole.itertuples()] == wanted
    assert set(table["kind"]) == {reference.TOTAL, *KINDS}
    kept = whole.set_index("engine")["keeps_value"]
    assert kept["perfect"] == 1.0
    chance = np.mean([one.chance for one in graded_positions(int(whole["positions"].iloc[0]), "all")])
    assert abs(kept["random"] - chance) < 0.04
    uct = whole[whole["engine"] == "UCT"]["keeps_value"].tolist()
    assert uct == sorted(uct)
    assert (whole["seconds"] > 0.0).all()


def test_pairs_are_those_in_which_both_values_are_said():
    choices = pd.DataFrame({"player": "a", "position": [0, 1, 2], "value": [0.8, np.nan, 0.6]})
    replies = pd.DataFrame({"player": "a", "position": [0, 1], "value": [0.1, 0.4], "result": [0.0, 0.5]})
    found = results.pairs_of(choices, replies, [1.0, 0.5, 1.0])
    assert found[["position", "value", "result"]].to_numpy().tolist() == [[0.0, 0.8, 1.0], [0.0, 0.1, 0.0]]
    told = results.brier_of(found)
    assert (told["pairs"], told["brier_of_half"]) == (1, 0.25)
    assert told["brier"] == pytest.approx((0.04 + 0.01) / 2.0)
    curve = results.reliability_of(found)
    assert curve[["low", "said", "positions", "got"]].to_numpy().tolist() == [
        [0.1, 0.1, 1.0, 0.0],
        [0.8, 0.8, 1.0, 1.0],
    ]
    assert results.brier_of(found.iloc[:0])["pairs"] == 0
    silent = results.reliability_of(found.iloc[:0])  # of an engine that says no values, beside others in one table
    assert (pd.concat([curve, silent]).dtypes == curve.dtypes).all()


class Loses(Player):
    """A player that gives up with the text of an engine."""

    def play(self, board):
        raise self.error  # set by the test


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (Forfeit("no move after 1.2 s"), "no move after 1.2 s"),
        (program._Late("no move after 1.2 s"), "no move after 1.2 s"),
        (RuntimeError("boom \x1b[31m\nred"), r"RuntimeError: boom \x1b[31m red"),
    ],
    ids=str,
)
def test_why_a_player_loses_is_one_printable_line_wherever_it_is_asked(tmp_path, error, why):
    player = Loses()
    player.error = error
    (graded,) = graded_positions(1, "both")
    found = judge_choice(player, 0, graded, "both")["failure"]
    assert found.partition(" (")[0] == why
    ending = play_game(player, make_player("random"), Board()).ending
    assert ending.partition(" (")[0] == why
    spec = PlayerSpec("loses", player)
    results.ask_values(tmp_path / "x.parquet", spec, 0, [(0, graded)])
    assert [text.partition(" (")[0] for text in tables.read(tmp_path / "x.parquet")["failure"]] == [why]
    with pytest.raises(ValueError, match="got none") as caught:
        try_out(player, [Board()], "command")
    assert why in str(caught.value)


def test_an_engine_without_values_is_not_asked_in_pairs_for_long(tmp_path):
    spec = player_spec("random", make_player("random"), "players[0]")
    numbered = list(enumerate(graded_positions(20, "both")))
    results.ask_values(tmp_path / "x.parquet", spec, 0, numbered)
    assert len(tables.read(tmp_path / "x.parquet")) == 3
