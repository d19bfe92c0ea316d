"""What README.md and docs/ print can be done: commands compose and run, snippets run, links lead somewhere.

tests/pages.py says what a page's author has to know.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot
from matplotlib.testing.compare import compare_images

import bandits
import connect4
import mcts
from bandits import Policy
from docs.generate import tex
from experiments.catalogue import KINDS
from experiments.players import PLAYERS
from tests import pages
from tests.experiments.test_run import presets
from tests.internals import Experiment
from tests.pages import PAGES, ROOT, ROWS, Line, Page, run

AT_ONCE = ("experiments.record", "experiments.catalogue", "experiments.sprt", "connect4.solver")
# What needs a person, a browser, a cluster or hours, or makes what it takes from elsewhere.
NEVER_RUN = (
    "benchmarks.root_policies",  # reads the whole run of the command before it
    "player1=human",
    "treebandit.page",
    "treebandit agents",
    "executor.address",
    "executor=slice",
    "benchmarks",
    "benchmarks.calibration",
    "experiments.exact_table",
)
# Numbers of a measurement that takes hours, whose command says no time, as the long lane runs it.
FEWER = {"games": 14, "positions": 20, "runs": 10, "simulations": 50, "trees": 5}
COMMAND_OF = {"connect4.solver": "connect4.solver.command"}
TINY = {
    "regret": ["horizon=40", "runs=3"],
    "comparison": ["horizon=40", "runs=3"],
    "match": ["player2.simulations=5", "games=6"],
    "tournament": ["players=[random,level_3]", "games=8"],
}


def rows(holds):
    return [pytest.param(page, line, id=f"{page.name}: {line.text[10:70]}") for page, line in ROWS if holds(line)]


@pytest.fixture
def in_its_folder(request, monkeypatch, tmp_path):
    """The user's folder: the page's files, and the project's data."""
    page: Page = request.getfixturevalue("page")
    page.write_files(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    programs = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    monkeypatch.setenv("PATH", os.pathsep.join(programs))  # with `python`, which engines are started by
    yield
    for name in page.files:
        sys.modules.pop(name.removesuffix(".py"), None)


def composed(line: Line) -> bool:
    return line.module == "experiments.run" and "--help" not in line.words


@pytest.mark.usefixtures("in_its_folder")
@pytest.mark.parametrize(("page", "line"), rows(composed))
def test_every_run_command_composes(command, page: Page, line: Line):
    words = line.words[1:]
    for overrides in combinations(words[1:]) if words[0] == "-m" else [words]:
        command(*overrides, "--cfg", "job")


def combinations(words):
    """Every value of a sweep once, beside the first values of the others; Hydra shows no configuration of a sweep."""
    values = [
        [f"{word.partition('=')[0]}={one}" for one in re.split(r",(?![^\[{]*[\]}])", word.partition("=")[2])]
        for word in words
    ]
    first = [one[0] for one in values]
    return [[*first[:place], one, *first[place + 1 :]] for place, own in enumerate(values) for one in own]


@pytest.mark.sampled(2)
@pytest.mark.jit
@pytest.mark.usefixtures("in_its_folder")
@pytest.mark.parametrize(("page", "line"), rows(lambda line: "/latest" in line.text))
def test_commands_for_the_latest_run_follow_one_that_makes_it(command, page: Page, line: Line):
    (kind,) = re.findall(r"results/(\w+)/latest", line.text)
    chosen = "run bandit=" if kind == "regret" else f"experiment={kind} "
    before = [one for one in page.lines[: page.lines.index(line)] if chosen in one.text and "human" not in one.text]
    command(*before[-1].words[1:], *TINY[kind])
    small = ["seconds=0.01"] if "annotate" in line.module and "game=" not in before[-1].text else []
    command(*line.words[1:], *small, module=line.module.split(".")[1])


def is_quick(line: Line) -> bool:
    return not line.time and "book=" not in line.text and (line.module in AT_ONCE or "compare=" in line.text)


@pytest.mark.usefixtures("in_its_folder")
@pytest.mark.parametrize(("page", "line"), rows(is_quick))
def test_every_short_command_runs(command, page: Page, line: Line):
    command(*line.words[1:], module=COMMAND_OF.get(line.module, line.module))


def test_there_are_commands_to_check():
    assert len(ROWS) >= 50


@pytest.mark.jit
@pytest.mark.usefixtures("in_its_folder")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[] if page.name.startswith(("README", "start/")) else pytest.mark.long, id=page.name)
        for page in PAGES
        if page.python and not page.name.startswith("course/")  # those run as notebooks: test_lessons.py
    ],
)
@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.long)], ids=["quick", "slow"])
def test_the_python_of_a_page_runs(page: Page, slow: bool):
    if slow and not any(block.slow for block in page.python):
        return
    matplotlib.use("Agg")
    names: dict[str, object] = {"__name__": "page"}
    for block in page.python:
        if block.file:
            importlib.import_module(block.file.removesuffix(".py"))
        elif slow or not block.slow:
            run(block.text, names, page.name)
    pyplot.close("all")


@pytest.mark.jit
@pytest.mark.long
@pytest.mark.usefixtures("in_its_folder")
@pytest.mark.parametrize("page", dict.fromkeys(page for page, _ in ROWS), ids=lambda page: page.name)
def test_the_commands_of_a_page_run_and_print_what_it_shows(page: Page):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "300"}
    printed, cut = "", False
    for block in page.blocks:
        for line in block.lines:
            if "hour" in line.time or any(word in line.text for word in NEVER_RUN):
                continue
            words = fewer(page, line)
            cut |= words != line.words
            done = subprocess.run(
                [sys.executable, "-m", *words], env=environment, capture_output=True, text=True, timeout=1_200
            )
            assert done.returncode == 0, f"{line.text}\n{done.stderr}"
            printed += flat(done.stdout)
        if block.is_output and printed and not cut:
            for shown in block.text.splitlines():
                assert flat(shown) in printed, shown


def fewer(page: Page, line: Line) -> list[str]:
    """Return the words of a command, with the small numbers of FEWER where the page's are those of a measurement."""
    if "--reference" in line.words or "reference=true" in line.words:  # ten engines
        return [word.replace("600", "60") for word in line.words]
    kinds = [word.partition("=")[2] for word in line.words if word.startswith("experiment=")]
    if line.time.endswith(" minutes"):
        given = [(word.partition("=")[0], word) for word in line.words]
        return [f"{key}={FEWER[key]}" if key in ("games", "positions") else word for key, word in given]
    if not page.name.startswith("measured/") or line.time or not kinds:
        return line.words
    given = {word.partition("=")[0]: word for word in line.words}
    more = {field.name for field in fields(Experiment.members[kinds[0]])} & {
        "games",
        "positions",
        "runs",
    } - given.keys()
    small = [
        f"{key}=[{FEWER[key]}]"  # of a list one number: players of several would be called alike
        if key in FEWER and word.startswith(f"{key}=[")
        else re.sub(r"\d+", str(FEWER[key]), word)
        if key in FEWER
        else word
        for key, word in given.items()
    ]
    return [*small, *(f"{key}={FEWER[key]}" for key in sorted(more))]


def flat(text: str) -> str:
    """Leave out what depends on the width of a terminal: spaces and the lines of a table."""
    return re.sub(r"[\s│┃─━┏┓┡┩└┘┴┳╇]+", "", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_link_leads_nowhere(page: Page):
    for link in page.links:
        place, _, anchor = link.partition("#")
        path = (page.path.parent / place).resolve() if place else page.path
        assert ROOT / "docs" / "generated" not in path.parents  # which only the site has
        assert path.exists(), link
        assert not anchor or anchor in Page(path).anchors, link


def test_the_readme_counts_the_rows_of_the_page_of_intervals():
    def count(text: str) -> int:
        return len(re.findall(r"^\| (?!claim |families )", text, flags=re.MULTILINE))

    claims, families = pages.page("measured/calibration").text.split("## Where they hold least")
    said = re.findall(r"(\d+) claims cover .* of (\d+) families", pages.page("README").text)
    assert said == [(str(count(claims)), str(count(families.partition("\n## ")[0])))]


def test_pages_name_every_policy_preset_and_player():
    for name in [*Policy.members, *presets("arms")]:
        assert f"`{name}`" in pages.page("guides/bandits").text
    for name in PLAYERS.members:
        assert f"`{name}`" in pages.page("guides/connect4").text


@pytest.mark.parametrize("package", [bandits, connect4, mcts], ids=lambda package: package.__name__)
def test_the_names_of_the_reference_are_offered(package):
    rows = re.findall(
        rf"^\| `{package.__name__}`[^`|]* \| (.*) \|$", pages.page("reference/api").text, flags=re.MULTILINE
    )
    named = re.findall(r"`(\w+)`", " ".join(rows))
    assert len(named) >= 7
    assert set(named) <= set(package.__all__)


def test_a_typeset_formula_says_what_its_text_says():
    written = {name: dict(KINDS["policies"].card(name).about)["formula"] for name in Policy.members}
    typeset = {name: text for name in written if (text := tex(written[name]))}
    assert {"ucb", "kl_ucb", "moss", "ucb_tuned", "thompson", "imed"} <= {*typeset}
    for name, text in typeset.items():
        assert text.count("{") == text.count("}")
        plain = re.sub(r"\\(operatorname|text|quad|leq|sim)", "", text)
        assert re.findall(r"\w+", plain) == re.findall(r"\w+", written[name])


@pytest.mark.jit
@pytest.mark.long
@pytest.mark.figures
@pytest.mark.parametrize(
    ("name", "text", "figure", "kept"),
    [
        ("guides/bandits", "experiments.run bandit=ucb", "regret.png", "regret.png"),
        ("guides/bandits", "-m bandit=random,greedy,epsilon_greedy", "regret_log.png", "comparison.png"),
        ("guides/contexts", "arms=linear 'arms.weights", "regret.png", "contexts.png"),
        ("guides/random_play", "experiment=random_games", "lengths.png", "lengths.png"),
        ("guides/tuning", "-m experiment=match player1=uct", "score.png", "uct_c.png"),
        ("guides/click_logs", "log=open_bandit", "shares.png", "log_shares.png"),
        ("guides/click_logs", "log=open_bandit", "propensities.png", "log_propensities.png"),
        ("guides/click_logs", "log.uniform=true", "values.png", "log_values.png"),
    ],
)
def test_a_figure_is_what_its_command_draws(command, tmp_path, monkeypatch, name, text, figure, kept):
    pages.page(name).write_files(tmp_path)  # rules that a command names
    monkeypatch.syspath_prepend(tmp_path)
    line = next(line for line in pages.page(name).lines if text in line.text)
    (tmp_path / "data").symlink_to(ROOT / "data")
    place = f"hydra.{'sweep' if '-m' in line.words else 'run'}.dir=out"
    command(*line.words[1:], place)
    # Root mean square difference of pixel values: fonts move text by a little, other data moves the curves.
    drawn = tmp_path / "out" / "figures" / figure
    assert compare_images(str(ROOT / "docs" / "guides" / kept), str(drawn), tol=4.0) is None


@pytest.mark.jit
@pytest.mark.long
def test_the_figure_of_the_readme_is_what_its_script_draws(tmp_path):
    script, drawn = ROOT / "docs" / "gallery" / "plot_one_rule.py", tmp_path / "one_rule.png"
    subprocess.run(
        [sys.executable, script, drawn], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, timeout=600
    )
    assert compare_images(str(ROOT / "docs" / "start" / "one_rule.png"), str(drawn), tol=4.0) is None
