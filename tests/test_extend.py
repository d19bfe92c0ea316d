"""Every recipe of docs/guides/extend.md: its diff applies to a copy of the project, and its command runs there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import ROOT, page

PACKAGES = ("treebandit", "numerics", "bandits", "connect4", "mcts", "configs", "experiments")
PAGE = page("guides/extend").text


def recipe(section: str) -> tuple[str, str, list[str]]:
    """Return the title of a section, its diff, and the words of the command below it."""
    title, _, text = section.partition("\n")
    diff, command = re.findall(r"^```(?:diff)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return title, diff, command.split()


RECIPES = [recipe(section) for section in PAGE.split("\n## ")[1:]]
assert len(RECIPES) == 4  # a policy, a law, an experiment, an executor

pytestmark = [pytest.mark.jit, pytest.mark.long]


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("project")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    return place


@pytest.mark.parametrize(
    ("diff", "command"), [recipe[1:] for recipe in RECIPES], ids=[title for title, _, _ in RECIPES]
)
def test_a_recipe_applies_and_runs(copy: Path, diff: str, command: list[str], program):
    subprocess.run([program("git"), "apply", "-"], cwd=copy, input=diff, text=True, check=True, timeout=60)
    done = subprocess.run(
        [sys.executable, *command[1:], "hydra.run.dir=run"],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert (copy / "run" / "manifest.json").is_file()
    assert list((copy / "run" / "figures").glob("*.png"))
    shutil.rmtree(copy / "run")
