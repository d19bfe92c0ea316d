"""What README.md and docs/ print can be done: commands compose and run, snippets run, links lead somewhere.

tests/pages.py says what a page's author has to know.
"""

from __future__ import annotations

import importlib
import io
import itertools
import os
import re
import runpy
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
from tests.experiments.test_help_examples import main_of
from tests.experiments.test_run import presets
from tests.internals import Experiment
from tests.pages import PAGES, ROOT, ROWS, Line, Page, run

AT_ONCE = ("experiments.record", "experiments.catalogue", "experiments.sprt", "connect4.solver")
# What needs a person, a browser, a cluster or hours, or makes what it takes from elsewhere.
NEVER_RUN = (
    "player1=human",
    "treebandit.page",
    "treebandit agents",
    "executor.address",
    "executor=slice",
    "benchmarks",
    "experiments.exact_table",
    "-m venv",
)
# What makes a command small: each of these numbers in it becomes at most this one, or is added where it has a larger
# default. A command runs as the page has it only where the page shows at once what it prints, and names no time.
SMALL = {"games": 8, "positions": 5, "runs": 10, "trees": 5, "starts": 5, "trials": 4, "paths": 1_000}
SMALL |= {"position_paths": 100, "fillings": 100, "playouts_per_move": 100}
GIVEN = {"simulations": 50, "iterations": 256, "depth": 4, "budget": 300, "plies": 4}  # no kind of run has them large
MORE = {
    "exact": ["horizon=20"],
    "root_regret": ["simulations=50"],
    "leaderboard": ["problems=[short]"],
    "experiments.judge": ["positions=5"],
}
NUMBER = re.compile(rf"\b({'|'.join(SMALL | GIVEN)})=(\d+)")
THINKS = re.compile(r"(player[12]?|opponent)=(uct|uct_best|monte_carlo|open_spiel)")


def marks_of(page: Page) -> list[pytest.MarkDecorator]:
    """The first pages are for the fast tests."""
    return [] if page.name.startswith(("README", "start/")) else [pytest.mark.long]


def is_run(line: Line) -> bool:
    return not any(word in line.text for word in NEVER_RUN)


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
    for overrides in combinations(words[1:])[:: len(words)] if words[0] == "-m" else [words]:
        command(*overrides, "--cfg", "job")


def combinations(words):
    """Every value of a sweep once, beside the first values of the others; Hydra shows no configuration of a sweep."""
    values = [
        [f"{word.partition('=')[0]}={one}" for one in re.split(r",(?![^\[{]*[\]}])", word.partition("=")[2])]
        for word in words
    ]
    first = [one[0] for one in values]
    return [[*first[:place], one, *first[place + 1 :]] for place, own in enumerate(values) for one in own]


def test_there_are_commands_to_check():
    assert len(ROWS) >= 50


@pytest.mark.jit
@pytest.mark.usefixtures("in_its_folder")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=marks_of(page), id=page.name)
        for page in PAGES
        if page.python and not page.name.startswith("course/")  # those run as notebooks: test_lessons.py
    ],
)
def test_the_python_of_a_page_runs(page: Page):
    """Blocks that say how long they take run with fewer replications and positions."""
    matplotlib.use("Agg")
    names: dict[str, object] = {"__name__": "page"}
    for block in page.python:
        if block.file:
            importlib.import_module(block.file.removesuffix(".py"))
        else:
            text = re.sub(r"\b(runs=|graded_positions\()\d[\d_]*", r"\g<1>5", block.text) if block.slow else block.text
            run(text, names, page.name)
    pyplot.close("all")


WORD = re.compile(r"[^\W\d_]{2,}")  # what a smaller run prints too


@pytest.mark.jit
@pytest.mark.usefixtures("in_its_folder")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=marks_of(page), id=page.name)
        for page in dict.fromkeys(page for page, line in ROWS if is_run(line))
    ],
)
def test_the_commands_of_a_page_run_and_print_what_it_shows(attempt, monkeypatch, page: Page):
    """In one folder, one after the other; small, unless the page shows at once what the commands of a block print."""
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # for engines
    printed, is_exact = "", False
    for block, after in itertools.zip_longest(page.blocks, page.blocks[1:]):
        lines = [line for line in block.lines if is_run(line)]
        if lines:
            is_shown = after is not None and after.is_output
            is_exact = is_shown and not any(line.time for line in lines)
        for line in lines:
            printed += run_line(attempt, monkeypatch, line.words if is_exact else small(line, is_shown))
        for shown in block.text.splitlines() if block.is_output and printed else []:
            if is_exact or "│" not in shown:
                assert flat(shown, is_exact) in flat(printed, is_exact)
            else:  # numbers of another size break the cells of a table elsewhere
                assert {*WORD.findall(shown)} <= {*WORD.findall(printed)}


def run_line(attempt, monkeypatch, words: list[str]) -> str:
    """Run the words behind `python -m`; return what is printed."""
    module, *others = words
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    if (Path(module.replace(".", "/")).with_suffix(".py")).is_file():  # of the page
        runpy.run_module(module, run_name="__main__")
        return ""
    said = attempt(*others, module="treebandit.__main__" if module == "treebandit" else main_of(module))
    assert said.status == 0, f"{words}\n{said.err}"
    return said.out


def small(line: Line, is_shown: bool) -> list[str]:
    """Return the words of a command with small numbers; of a sweep that is not shown, two values of each list."""
    words = [re.sub(r"^simulations=\[\d+.*\]$", "simulations=[50]", word) for word in line.words]
    words = [NUMBER.sub(lambda at: f"{at[1]}={min(int(at[2]), (SMALL | GIVEN)[at[1]])}", word) for word in words]
    if "-m" in words and not is_shown:
        words = [re.sub(r"^([\w.]+=[^\[{,]+,[^\[{,]+),.*", r"\1", word) for word in words]
    kind, added = line.module, []
    if line.module == "experiments.run" and "--help" not in words:
        kind = next((word.partition("=")[2] for word in words if word.startswith("experiment=")), "regret")
        own, given = {one.name for one in fields(Experiment.members[kind])}, {word.partition("=")[0] for word in words}
        added = [f"{key}={SMALL[key]}" for key in sorted(own & {*SMALL} - given)]
        if "executor" in own and not any(key.startswith("executor") for key in given):
            added += ["executor=serial"]  # processes take longer to start than these runs
        if not any("seconds" in key for key in given):  # one budget is enough
            players = [at[1] for at in map(THINKS.fullmatch, words) if at]
            added += [f"{player}.simulations=50" for player in players if f"{player}.simulations" not in given]
    cut = {word.partition("=")[0] for word in MORE.get(kind, [])}
    return [*(word for word in words if word.partition("=")[0] not in cut), *MORE.get(kind, []), *added]


def flat(text: str, is_exact: bool) -> str:
    """Leave out what depends on the width of a terminal, spaces and the lines of a table, or the numbers too."""
    text = re.sub(r"[\s│┃─━┏┓┡┩└┘┴┳╇]+", "", text)
    return text if is_exact else re.sub(r"[-+]?[\d.,]+", "#", text)


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
