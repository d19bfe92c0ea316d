"""`python -m benchmarks.elsewhere` on a few positions: the same numbers again, counted by exact scores."""

from __future__ import annotations

import pandas as pd
import pytest

from benchmarks.elsewhere import claims, figure, page, players, regret
from benchmarks.elsewhere.__main__ import main
from benchmarks.elsewhere.kept import REPORT, TUNING, Study, kept_in
from benchmarks.elsewhere.players import FLAT, OPTIONS, ROOTS, family
from benchmarks.elsewhere.positions import moves_of, values_of
from benchmarks.solved_games import CONNECT4
from numerics.output import tables
from tests.internals import graded_positions, sign

WORDS = ["positions=20", "tuning=3", "simulations=10", "budgets=[5,10]"]
TABLES = ("summary", "constants", "rules", "options", "roots", "misleading", "regret", "growth")


@pytest.fixture(autouse=True)
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
def test_the_command_fills_a_page_and_the_same_seed_gives_the_same_numbers(tmp_path, capsys):
    target = tmp_path / "page.md"
    target.write_text("".join(f"<!-- {name} -->\n\n| old |\n|---|\n\nafter {name}\n" for name in TABLES))
    main([*WORDS, "games=[hex,dots_and_boxes]", f"folder={tmp_path / 'a'}", f"page={target}"])
    text = target.read_text()
    assert "| old |" not in text
    assert all(f"<!-- {name} -->" in text and f"after {name}" in text for name in TABLES)
    assert "Hex, 4 x 4 | Dots and Boxes, 3 x 3" in text
    assert (tmp_path / "a" / "elsewhere.png").is_file()
    main([*WORDS, f"folder={tmp_path / 'b'}", "part=claims", "games=[hex]"])  # p-values are adjusted for fewer
    first, again = (tables.read(tmp_path / name / "comparisons.csv").drop(columns="p_adjusted") for name in "ab")
    pd.testing.assert_frame_equal(first[first["game"] == "hex"], again)
    assert {"rule", "option", "root", "regret"} <= set(again["section"])
    capsys.readouterr()
    main([*WORDS, f"folder={tmp_path / 'b'}", "part=figure", "games=[hex]"])  # goes on where the claims ended
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


def test_an_option_that_a_game_lacks_is_not_asked_for(tmp_path):
    chosen = {(game, "ucb c={}", size): "ucb c=0.5" for game in ("hex", CONNECT4) for size in (2, 20, 200)}
    asked = {game: list(claims._asked(study(tmp_path, game), game, chosen)) for game in ("hex", CONNECT4)}
    only = [option for option in OPTIONS if option.games]
    assert len(asked[CONNECT4]) - len(asked["hex"]) == 2 * len(only)  # at two numbers of simulations each
    assert family("puct c={}") == ["puct c=0.5", "puct c=1"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["games=[chess]"], r"games\[0\] must be .*connect4.*; got 'chess'"),
        (["budgets=[0]"], r"budgets\[0\] must be .*; got 0"),
        (["positions=4000"], r"positions must be a whole number of at most 3000; got 4000"),
        (["part=all of it"], "part must be .*claims"),
    ],
)
def test_bad_input_is_refused_before_anything_is_played(words, sentence, tmp_path):
    with pytest.raises(ValueError, match=sentence):
        main([*words, f"folder={tmp_path / 'none'}"])
    assert not (tmp_path / "none").exists()


def test_a_table_stands_between_empty_lines_and_is_replaced(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("<!-- rules -->\n\ntext\n\n<!-- roots -->\n")
    for table in (["| a |", "| --- |"], ["| b |"]):
        page.fill(path, {"rules": table, "roots": table})
        rows = "\n".join(table)
        assert path.read_text() == f"<!-- rules -->\n\n{rows}\n\ntext\n\n<!-- roots -->\n\n{rows}\n"


def test_a_page_without_the_line_of_a_table_is_refused(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("nothing\n")
    with pytest.raises(ValueError, match="must have a line <!-- rules -->; got none"):
        page.fill(path, {"rules": ["| a |"]})
