"""`benchmarks.elsewhere` and `benchmarks.laws` on a few positions: the same numbers again, by exact scores and fits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.elsewhere import __main__ as elsewhere
from benchmarks.elsewhere import claims, figure, page, players, regret
from benchmarks.elsewhere.kept import REPORT, TUNING, Study, kept_in
from benchmarks.elsewhere.players import FLAT, OPTIONS, ROOTS, family
from benchmarks.elsewhere.positions import moves_of, values_of
from benchmarks.laws import __main__ as laws
from benchmarks.laws import bonus, choice_law, positions, tails, traps
from benchmarks.laws.scaled_search import ScaledSearch
from benchmarks.solved_games import CONNECT4, HEX
from experiments.graded_positions.positions import value_of
from numerics.output import tables
from tests.internals import Hex, graded_positions, sign
from tests.refusals import refused

WORDS = ["positions=20", "tuning=3", "simulations=3", "budgets=[5,10]"]
TABLES = ("summary", "constants", "rules", "options", "roots", "misleading", "regret", "growth")


@pytest.fixture
def few_players(monkeypatch):
    monkeypatch.setattr(players, "CONSTANTS", {name: players.CONSTANTS[name][:2] for name in ("ucb c={}", "puct c={}")})
    for module in (claims, page, players):
        monkeypatch.setattr(module, "RULES", ("ucb_tuned", "puct c={}"))
    for module in (claims, page):
        monkeypatch.setattr(module, "ROOTS", ROOTS[:1])
    monkeypatch.setattr(regret, "POLICIES", ("ucb c=1", "thompson"))


def study(folder, game="hex"):
    return Study(folder, (game,), positions=20, tuning=3, simulations=20, budgets=(5, 20), seed=0)


@pytest.mark.jit
@pytest.mark.usefixtures("few_players")
def test_the_command_fills_a_page_and_the_same_seed_gives_the_same_numbers(tmp_path, capsys):
    target = tmp_path / "page.md"
    target.write_text("".join(f"<!-- {name} -->\n\n| old |\n|---|\n\nafter {name}\n" for name in TABLES))
    elsewhere.main([*WORDS, "games=[hex,dots_and_boxes]", f"folder={tmp_path / 'a'}", f"page={target}"])
    text = target.read_text()
    assert "| old |" not in text
    assert all(f"<!-- {name} -->" in text and f"after {name}" in text for name in TABLES)
    assert "Hex, 4 x 4 | Dots and Boxes, 3 x 3" in text
    assert (tmp_path / "a" / "elsewhere.png").is_file()
    hex_alone = [*WORDS, f"folder={tmp_path / 'b'}", "games=[hex]"]
    elsewhere.main([*hex_alone, "part=claims"])  # p-values are adjusted for fewer
    first, again = (tables.read(tmp_path / name / "comparisons.csv").drop(columns="p_adjusted") for name in "ab")
    pd.testing.assert_frame_equal(first[first["game"] == "hex"], again)
    assert {"rule", "option", "root", "regret"} <= set(again["section"])
    capsys.readouterr()
    elsewhere.main([*hex_alone, "part=figure"])  # goes on where the claims ended
    assert "tasks are done" in capsys.readouterr().out
    points = tables.read(tmp_path / "b" / "figure.csv")
    assert set(points["line"]) == set(figure.LINES)
    assert (points["rate_low"] <= points["rate"]).all()
    assert (points["rate"] <= points["rate_high"]).all()


@pytest.mark.jit
def test_a_move_keeps_the_value_if_its_exact_score_says_so(tmp_path):
    made = study(tmp_path)
    made.place("hex").mkdir()
    made.drawing("hex")()
    both = [made.graded("hex", which) for which in (TUNING, REPORT)]
    assert [len(part) for part in both] == [3, 20]
    assert len({one.board for part in both for one in part}) == 23
    task = made.asking("hex", REPORT, "ucb c=1", FLAT.added, 20)
    task()
    kept = []
    for position, move in zip(both[1], tables.read(task.path)["move"], strict=True):
        board = position.board
        assert values_of(position).tolist() == [0.5 + 0.5 * score for score in board.scores()]
        assert moves_of(position).tolist() == board.moves()
        kept.append(-1 in board.scores() and board.scores()[board.moves().index(move)] == 1)
    assert kept_in(task).tolist() == kept


def test_a_full_column_is_no_move():
    position = next(one for one in graded_positions(100) if None in one.scores)
    assert moves_of(position).tolist() == position.board.legal_moves()
    assert values_of(position).tolist() == [0.5 + 0.5 * sign(score) for score in position.scores if score is not None]


@pytest.mark.usefixtures("few_players")
def test_an_option_that_a_game_lacks_is_not_asked_for(tmp_path):
    chosen = {(game, "ucb c={}", size): "ucb c=0.5" for game in ("hex", CONNECT4) for size in (2, 20, 200)}
    asked = {game: list(claims._asked(study(tmp_path, game), game, chosen)) for game in ("hex", CONNECT4)}
    only = [option for option in OPTIONS if option.games]
    assert len(asked[CONNECT4]) - len(asked["hex"]) == 2 * len(only)  # at two numbers of simulations each
    assert family("puct c={}") == ["puct c=0.5", "puct c=1"]


def test_a_table_stands_between_empty_lines_and_is_replaced(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("<!-- rules -->\n\ntext\n\n<!-- roots -->\n")
    for table in (["| a |", "| --- |"], ["| b |"]):
        page.fill(path, {"rules": table, "roots": table})
        rows = "\n".join(table)
        assert path.read_text() == f"<!-- rules -->\n\n{rows}\n\ntext\n\n<!-- roots -->\n\n{rows}\n"
    path.write_text("nothing\n")
    refused(lambda: page.fill(path, {"rules": ["| a |"]}), "", "<!-- rules -->")


@pytest.mark.parametrize(
    ("main", "words", "place", "value"),
    [
        (elsewhere.main, ["games=[chess]"], "games[0]", "'chess'"),
        (elsewhere.main, ["budgets=[0]"], "budgets[0]", 0),
        (laws.main, ["part=traps", "games=[Go]"], "games[0]", "'Go'"),
        (laws.main, ["part=bonus", "budgets=[1]"], "budgets[0]", 1),
    ],
)
def test_an_entry_of_a_list_is_refused_before_anything_is_played(main, words, place, value, tmp_path):
    refused(lambda: main([*words, f"folder={tmp_path / 'none'}"]), place, value)
    assert not (tmp_path / "none").exists()


# --- the laws of the tree ---------------------------------------------------------------------------------------------

_SIZES = ["positions=240", "tuning=8", "held_out=9", "runs=60", "long_runs=50"]
_BUDGETS = ["simulations=[30,100]", "budgets=[20,60]", "visits=[10,50]"]


@pytest.mark.parametrize(("part", "stored"), [("traps", 1), ("bonus", 3)])
def test_each_part_is_measured_once_and_drawn(part: str, stored: int, tmp_path, capsys):
    words = [f"part={part}", f"games=[{HEX}]", f"folder={tmp_path}", *_SIZES, *_BUDGETS]
    laws.main(words)
    printed = capsys.readouterr().out
    kept = {path: path.read_bytes() for path in tmp_path.glob("*.parquet")}
    assert len(kept) == stored
    assert (tmp_path / f"{part}.png").stat().st_size > 10_000
    laws.main(words)
    assert capsys.readouterr().out == printed
    assert {path: path.read_bytes() for path in tmp_path.glob("*.parquet")} == kept


def test_depths_of_traps_are_those_of_a_plain_search():
    def plies(board) -> int:
        """How long the game lasts for the side to move: positive if it wins."""
        if board.result() is not None:
            return 0  # the side that moved last has won
        after = [plies(board.play(move)) for move in board.moves()]
        wins = [1 - length for length in after if length <= 0]
        return min(wins) if wins else -1 - max(after)

    drawn = positions.trapped_positions(HEX, positions.TRAPS, 80)
    late = [position for position in drawn if len(position.graded.scores) <= 7]
    assert len(late) > 5
    for position in late:
        board = position.graded.board
        assert list(position.graded.scores) == board.scores()
        for move, score in zip(board.moves(), board.scores(), strict=True):
            length = plies(board.play(move))
            assert (length > 0) == (score < 0)
            assert position.depths.get(move, 0) == max(length, 0)


@pytest.mark.parametrize("game", [HEX, CONNECT4])
def test_positions_for_tuning_are_not_held_out(game: str):
    tuning, held = (bonus.positions_for(game, use, 30, 30, seed=0) for use in (positions.TUNING, positions.HELD_OUT))
    assert len({one.board for one in tuning} | {one.board for one in held}) == 60
    assert all(value_of(min(one.legal_scores)) < value_of(one.top) for one in tuning + held)


def test_the_fit_finds_the_law_that_made_the_decisions():
    truth, rng, rows = np.array([2.0, -0.7, -2.5, 0.8]), np.random.default_rng(0), []
    form = "a + b ln d + c ln n + e ln d ln n"
    for position in range(3_000):
        depths, others = sorted(rng.integers(1, 15, 3).tolist()), int(rng.integers(1, 5))
        for n in (30, 1_000):
            odds = [float(np.exp(choice_law.features(form, depth, n) @ truth)) for depth in depths]
            weights = np.array([*odds, others])
            pick = rng.choice(4, p=weights / weights.sum())
            chosen = (*depths, 0)[pick]
            rows.append((position, n, others, " ".join(map(str, depths)), chosen, chosen == 0))
    names = ["position", "simulations", "others", "depths", "chosen", "keeps_value"]
    decisions = choice_law.decisions_of(tables.table_of(rows, names))
    law = choice_law.fit(form, decisions)
    errors = np.sqrt(np.diag(law.covariance))
    assert np.all(np.abs(law.coefficients - truth) < 4.0 * errors)
    assert errors.max() < 0.5
    assert abs(traps.calibration(law, decisions)["slope"] - 1.0) < 0.1
    assert choice_law.cross_validated(form, decisions) < choice_law.cross_validated("a + c ln n", decisions)


def test_the_scaled_search_takes_sigma_of_the_tree_and_may_be_run_in_parts():
    whole, parts = ScaledSearch(Hex(4), 2.0, seed=1), ScaledSearch(Hex(4), 2.0, seed=1)
    whole.run(500)
    for count in (7, 93, 400):
        parts.run(count)
    assert np.array_equal(whole.result().visits, parts.result().visits)
    assert whole.sigma == parts.sigma
    looks = [16]
    while looks[-1] <= 500:
        looks.append(int(looks[-1] * 1.25))
    again = ScaledSearch(Hex(4), 2.0, seed=1)
    again.run(looks[-2])
    tree = again.result().tree
    assert again.sigma == tree.values[1:][tree.visits[1:] > 0.0].std() == whole.sigma


def test_the_shape_of_a_tail_tells_a_power_from_an_exponential():
    rng = np.random.default_rng(0)
    signs = rng.choice((-1.0, 1.0), 4_000)
    power, exponential = signs * rng.pareto(4.0, 4_000), signs * rng.exponential(1.0, 4_000)
    rows = [(name, 0.0, 1, run, mean) for name, of in (("p", power), ("e", exponential)) for run, mean in enumerate(of)]
    shapes = tails.shapes(tables.table_of(rows, ["node", "value", "visits", "run", "mean"]), {"p": 1, "e": 1})
    heavy, light = shapes.to_dict("records")
    assert heavy["shape_low"] > 0.05
    assert light["shape_low"] < 0.0 < light["shape_high"]
