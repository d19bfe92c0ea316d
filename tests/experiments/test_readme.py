"""What the README prints can be done: its commands compose, its Python runs, its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest
from matplotlib.testing.compare import compare_images

from bandits import Policy
from experiments.players import PLAYERS
from tests.experiments.test_run import presets

PROJECT = Path(__file__).resolve().parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = [line for kind, text in BLOCKS if not kind for line in text.splitlines() if line.startswith("python -m ")]


@pytest.mark.jit
def test_the_python_of_the_readme_runs(tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    text = "\n".join(text for kind, text in BLOCKS if kind == "python" and "simulate" in text)
    names = {}
    exec(text, names)
    assert names["result"].pulls.shape == (1000, 3)
    assert (tmp_path / "folder" / "summary.csv").exists()
    matplotlib.pyplot.close("all")


@pytest.mark.jit
def test_the_board_of_the_readme_is_played(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (text,) = (text for kind, text in BLOCKS if kind == "python" and "make_player" in text)
    names = {}
    exec(text, names)
    assert names["board"].notation == "4453"
    assert "X" in capsys.readouterr().out
    assert (tmp_path / "board.png").stat().st_size > 1_000


@pytest.mark.jit
def test_the_search_of_the_readme_runs():
    (text,) = (text for kind, text in BLOCKS if kind == "python" and "from mcts import" in text)
    names = {}
    exec(text, names)
    assert names["result"].visits.sum() == 10_000
    assert names["result"].best_move == 3


def test_the_player_of_the_readme_is_accepted(tmp_path, monkeypatch):
    (text,) = (text for kind, text in BLOCKS if kind == "python" and "class Leftmost" in text)
    (tmp_path / "readme_players.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    from connect4 import Board
    from experiments.players import make_player

    assert make_player("custom", path="readme_players.Leftmost").play(Board()) == 0


def test_the_rule_of_the_readme_is_accepted(tmp_path, monkeypatch):
    (text,) = (text for kind, text in BLOCKS if kind == "python" and "bonus_rule" in text)
    (tmp_path / "readme_rules.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    from bandits import Custom

    assert Custom(rule="readme_rules.my_index", params=[1.0]).spec().explore == 1


@pytest.mark.jit
def test_the_class_of_the_readme_plays(tmp_path, monkeypatch):
    (text,) = (text for kind, text in BLOCKS if kind == "python" and "class Gradient" in text)
    (tmp_path / "readme_classes.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    from bandits import Custom, simulate

    result = simulate(Custom("readme_classes.Gradient", [0.1]), [0.1, 0.9], 200, 10)
    assert result.pulls[:, 1].mean() > 120


def test_every_link_of_the_readme_leads_to_a_file():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    for link in links:
        assert (PROJECT / link).exists(), link


@pytest.mark.jit
@pytest.mark.long
@pytest.mark.figures
@pytest.mark.parametrize(
    ("arguments", "figure", "kept"),
    [
        (["bandit=ucb", "hydra.run.dir=out"], "regret.png", "regret.png"),
        (
            ["-m", "bandit=random,greedy,epsilon_greedy,ucb,thompson", "hydra.sweep.dir=out"],
            "regret_log.png",
            "comparison.png",
        ),
        (["experiment=random_games", "hydra.run.dir=out"], "lengths.png", "lengths.png"),
        (
            [
                "-m",
                "experiment=match",
                "player1=uct",
                "player1.c=0.1,0.25,0.5,0.7,1,1.4,2",
                "player2=monte_carlo",
                "games=294",
                "openings=pairs",
                "hydra.sweep.dir=out",
            ],
            "score.png",
            "uct_c.png",
        ),
    ],
)
def test_the_figures_of_the_readme_are_what_its_commands_draw(command, tmp_path, arguments, figure, kept):
    assert command(*arguments).status == 0
    # Root mean square difference of pixel values: fonts move text by a little, other data moves the curves.
    kept_path, drawn = PROJECT / "docs" / "guides" / kept, tmp_path / "out" / "figures" / figure
    assert compare_images(str(kept_path), str(drawn), tol=4.0) is None


def test_the_readme_names_every_policy_preset_and_player():
    for name in [*Policy.members, *presets("arms"), *PLAYERS]:
        assert f"`{name}`" in README


def test_the_names_of_the_readme_are_offered():
    import bandits
    import connect4
    import mcts

    for package in (bandits, connect4, mcts):
        (row,) = re.findall(rf"^\| `{package.__name__}` \| (.*) \|$", README, flags=re.MULTILINE)
        named = re.findall(r"`(\w+)`", row)
        assert len(named) >= 7
        assert set(named) <= set(package.__all__)
