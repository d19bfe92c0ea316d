"""The arrows between packages point one way, and importing a package stays cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = {
    "numerics": set(),
    "bandits": {"numerics"},
    "connect4": {"numerics"},
    "mcts": {"numerics", "bandits"},
    "configs": set(),
    "experiments": {"numerics", "bandits", "connect4", "mcts", "configs"},
}
ROOMS = {  # the folders of the experiments, and which others each may import besides itself and `statistics`
    "statistics": set(),
    "regret": set(),
    "matches": set(),
    "p_games": set(),
    "environments": {"matches"},
    "random_games": {"matches"},
    "exact_scores": {"matches"},
    "root_regret": {"exact_scores"},
}
EXISTING = [name for name in ALLOWED if (ROOT / name / "__init__.py").is_file()]
SLOW = ("numba", "pandas", "matplotlib", "seaborn", "scipy.stats", "joblib", "hydra")


def _imports(source: str, package: list[str]) -> Iterator[str]:
    """Absolute names of all modules that a source imports, anywhere in it; `package` is where the file lies."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            yield ".".join([*base, node.module or ""]).rstrip(".")


def _arrows(name: str) -> set[tuple[str, str]]:
    """Every (file, other package of the project) that a package's files import."""
    found = set()
    for file in sorted((ROOT / name).rglob("*.py")):
        place = file.relative_to(ROOT)
        for imported in _imports(file.read_text(encoding="utf-8"), list(place.parent.parts)):
            top = imported.split(".")[0]
            if top in {*ALLOWED, "tests", "benchmarks"} and top != name:
                found.add((str(place), top))
    return found


def test_the_walk_sees_imports_of_every_form():
    source = """
import json, mcts.tree
def late():
    from experiments import run
    from ..connect4 import board
    from . import near
"""
    found = set(_imports(source, ["bandits", "deep"]))
    assert found == {"json", "mcts.tree", "experiments", "bandits.connect4", "bandits.deep"}


@pytest.mark.parametrize("name", EXISTING)
def test_a_package_imports_only_those_below_it(name: str):
    assert {(file, top) for file, top in _arrows(name) if top not in ALLOWED[name]} == set()


def test_the_walk_finds_the_arrows_that_are_meant():
    assert {top for _, top in _arrows("bandits")} == {"numerics"}
    assert len(EXISTING) >= 2


def test_every_folder_of_the_experiments_is_a_room_that_is_known():
    assert {file.parent.name for file in (ROOT / "experiments").glob("*/__init__.py")} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_of_the_experiments_imports_only_the_rooms_below_it(room: str):
    found = set()
    for file in sorted((ROOT / "experiments" / room).rglob("*.py")):
        for imported in _imports(file.read_text(encoding="utf-8"), ["experiments", room]):
            package, *below = imported.split(".")[:2]
            if package == "experiments" and (room == "statistics" or (below[:1] and below[0] in ROOMS)):
                found.add(below[0] if below else package)
    assert found <= {room, "statistics", *ROOMS[room]}


@pytest.mark.parametrize("name", [name for name in ("numerics", "bandits", "connect4", "mcts") if name in EXISTING])
def test_importing_a_package_loads_nothing_slow(name: str):
    code = f"import sys, {name}; print([slow for slow in {SLOW!r} if slow in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "line", ["bandits.make('ucb').formula", "bandits.Bernoulli([0.1, 0.9]).describe()", "bandits.POLICIES"]
)
def test_describing_bandits_loads_nothing_slow_either(line: str):
    code = f"import sys, bandits; {line}; print([slow for slow in {SLOW!r} if slow in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "[]"
