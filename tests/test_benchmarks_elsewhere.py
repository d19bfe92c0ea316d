"""`python -m benchmarks.elsewhere` on a few positions: the same numbers again, from exact values, corrected together."""

from __future__ import annotations

import pytest

from benchmarks.elsewhere import claims, figure, page, regret
from benchmarks.elsewhere.__main__ import main
from benchmarks.elsewhere.kept import REPORT, TUNING, Study, kept_in
from benchmarks.elsewhere.players import FLAT, OPTIONS, ROOTS, family
from benchmarks.elsewhere.positions import CONNECT4, Judged
from mcts.games.hex import Hex
from numerics.output import tables

WORDS = ["games=[hex,dots_and_boxes]", "positions=20", "tuning=3", "simulations=20", "budgets=[5,20]"]
TABLES = ("summary", "constants", "rules", "options", "roots", "misleading", "regret", "growth")


@pytest.fixture(autouse=True)
def few_players(monkeypatch):
    for module in (claims, page):
        monkeypatch.setattr(module, "RULES", ("ucb_tuned", "puct c={}"))
        monkeypatch.setattr(module, "ROOTS", ROOTS[:1])
    monkeypatch.setattr(regret, "POLICIES", ("ucb c=1", "thompson"))


def study(folder, game="hex"):
    return Study(folder, (game,), positions=20, tuning=3, simulations=20, budgets=(5, 20), seed=0)


@pytest.mark.jit
def test_the_command_fills_a_page_and_the_same_seed_gives_the_same_numbers(tmp_path, capsys):
    target = tmp_path / "page.md"
    target.write_text("".join(f"<!-- {name} -->\n\n| old |\n|---|\n\nafter {name}\n" for name in TABLES))
    main([*WORDS, f"folder={tmp_path / 'a'}", f"page={target}"])
    text = target.read_text()
    assert "| old |" not in text
    assert all(f"<!-- {name} -->" in text and f"after {name}" in text for name in TABLES)
    assert "Hex, 4 x 4 | Dots and Boxes, 3 x 3" in text
    assert (tmp_path / "a" / "elsewhere.png").is_file()
    main([*WORDS, f"folder={tmp_path / 'b'}", "part=claims"])
    first, again = (tables.read(tmp_path / name / "comparisons.csv") for name in "ab")
    assert first.equals(again)
    capsys.readouterr()
    main([*WORDS, f"folder={tmp_path / 'b'}", "part=figure"])  # goes on where the claims ended
    assert "shards are there already" in capsys.readouterr().out
    points = tables.read(tmp_path / "b" / "figure.csv")
    assert set(points["line"]) == set(figure.LINES)
    assert (points["rate_low"] <= points["rate"]).all() and (points["rate"] <= points["rate_high"]).all()


@pytest.mark.jit
def test_a_move_keeps_the_value_if_its_exact_score_says_so(tmp_path):
    made = study(tmp_path)
    made.place("hex").mkdir()
    made.drawing("hex")()
    both = [made.judged("hex", which) for which in (TUNING, REPORT)]
    assert [len(part) for part in both] == [3, 20]
    assert len({one.board for part in both for one in part}) == 23
    for position in both[1]:
        assert position.values == tuple(0.5 + 0.5 * score for score in position.board.scores())
        assert 0.0 < position.chance < 1.0
        for move in position.moves:
            result = position.board.play(move).result()
            assert result is None or result[position.board.player()] == 0.0  # nobody wins at once
    task = made.asking("hex", REPORT, "ucb c=1", FLAT.added, 20)
    task()
    moves = tables.read(task.path)["move"]
    kept = [one.values[one.moves.index(move)] == 1.0 for one, move in zip(both[1], moves, strict=True)]
    assert kept_in(task).tolist() == kept


def test_a_position_knows_what_its_moves_lose():
    position = Judged(Hex(2), (0, 1, 2, 3), (0.0, 1.0, 0.5, 1.0))
    assert position.gaps.tolist() == [1.0, 0.0, 0.5, 0.0]
    assert [position.keeps_value(move) for move in position.moves] == [False, True, False, True]
    assert position.chance == 0.5


def test_an_option_that_a_game_lacks_is_not_asked_for(tmp_path):
    chosen = {(game, "ucb c={}", size): "ucb c=0.5" for game in ("hex", CONNECT4) for size in (2, 20, 200)}
    asked = {game: list(claims._asked(study(tmp_path, game), game, chosen)) for game in ("hex", CONNECT4)}
    only = [option for option in OPTIONS if option.games]
    assert len(asked[CONNECT4]) - len(asked["hex"]) == 2 * len(only)  # at two numbers of simulations each
    assert family("puct c={}") == ["puct c=0.5", "puct c=1", "puct c=2", "puct c=4"]


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


def test_a_page_without_the_line_of_a_table_is_refused(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("nothing\n")
    with pytest.raises(ValueError, match="must have a line <!-- rules -->; got none"):
        page.fill(path, {"rules": ["| a |"]})
