"""What the README prints can be done: its commands compose, its Python runs, its links lead somewhere."""

from __future__ import annotations

import re
import shlex
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


@pytest.mark.parametrize("line", [line for line in COMMANDS if "experiments.run" in line and "--help" not in line])
def test_every_run_command_composes(command, line):
    words = shlex.split(line)[3:]
    for overrides in combinations(words[1:]) if words[0] == "-m" else [words]:
        said = command(*overrides, "--cfg", "job")
        assert said.status == 0, said.err


def combinations(words):
    """Every value of a sweep once, beside the first values of the others; Hydra shows no configuration of a sweep."""
    values = [[f"{word.partition('=')[0]}={one}" for one in word.partition("=")[2].split(",")] for word in words]
    first = [one[0] for one in values]
    return [[*first[:place], one, *first[place + 1 :]] for place, own in enumerate(values) for one in own]


TINY = {
    "regret": ["horizon=40", "runs=3"],
    "comparison": ["horizon=40", "runs=3"],
    "match": ["player2.simulations=5", "games=6"],
    "tournament": ["players=[random,level_3]", "games=8"],
}


@pytest.mark.jit
@pytest.mark.parametrize("line", [line for line in COMMANDS if "/latest" in line])
def test_commands_for_the_latest_run_follow_one_that_makes_it(command, line):
    before = COMMANDS[: COMMANDS.index(line)]
    module, *words = shlex.split(line)[2:]
    kind = words[0].split("/")[1]
    chosen = "run bandit=ucb" if kind == "regret" else f"experiment={kind} "
    run = [one for one in before if chosen in one and "player1=human" not in one][-1]
    said = command(*shlex.split(run)[3:], *TINY[kind])
    assert said.status == 0, said.err
    said = command(*words, *(["--seconds", "0.01"] if "annotate" in module else []), module=module.split(".")[1])
    assert said.status == 0, said.err


@pytest.mark.parametrize("line", [line for line in COMMANDS if "experiments.record" in line])
def test_every_recording_is_made(command, line):
    said = command(*shlex.split(line)[3:], module="record")
    assert said.status == 0, said.err


@pytest.mark.parametrize("line", [line for line in COMMANDS if "--compare" in line])
def test_every_comparison_is_printed(command, line):
    said = command(*shlex.split(line)[3:], module="play")
    assert said.status == 0, said.err
    assert "expected play" in said.out


def test_there_are_commands_to_check():
    assert len(COMMANDS) >= 12


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
