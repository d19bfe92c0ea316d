"""No two files import each other in a circle, folders stay small, packages load fast, installations bring little.

Which package may import which is checked by import-linter (`make check`; the contracts are in pyproject.toml).
"""

from __future__ import annotations

import ast
import graphlib
import platform
import re
import subprocess
import sys
import tomllib
from collections import Counter
from importlib import metadata
from pathlib import Path

import grimp
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import bandits
import connect4
import experiments
import mcts

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("treebandit", "numerics", "bandits", "connect4", "mcts", "experiments")
SLOW = ("numba", "pandas", "matplotlib", "seaborn", "scipy.stats", "pyarrow", "rich", "joblib", "loky", "hydra")
PAGE = (ROOT / "docs" / "start" / "install.md").read_text(encoding="utf-8")
NEEDED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
NEVER = ["seaborn", "matplotlib.pyplot", "scipy.stats", "scipy.optimize", "choix", "distributed", "optuna", "starlette"]
SMALL = ["bandit=ucb", "horizon=500", "runs=20"]
FULL = 16  # .py files in one folder
LISTS = {"bandits/policies"}  # one file an entry, all alike: as many as there are


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Return every import between our modules: those inside functions and for annotations alone too."""
    return grimp.build_graph(*PACKAGES, exclude_type_checking_imports=False, cache_dir=None)


def files() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def test_no_modules_import_each_other_in_a_circle(graph):
    arrows = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    circles = []
    while True:
        try:
            graphlib.TopologicalSorter(arrows).prepare()
            break
        except graphlib.CycleError as error:
            circle = error.args[1][::-1]  # each imports the next
            circles.append(" -> ".join(circle))
            arrows[circle[0]].discard(circle[1])
    assert not circles, "\n".join(circles)


def test_statistics_imports_nothing_of_ours(graph):
    package = "numerics.statistics"
    modules = {package, *graph.find_descendants(package)}
    assert set().union(*map(graph.find_modules_directly_imported_by, modules)) <= modules


def test_no_kind_of_experiment_imports_another(graph):
    package = "experiments.kinds"

    def kind(module: str) -> str:
        return module.removeprefix(package).split(".")[1]

    modules = graph.find_descendants(package)
    assert len({kind(one) for one in modules}) > 15
    others = [
        f"{one} imports {other}"
        for one in sorted(modules)
        for other in sorted(graph.find_modules_directly_imported_by(one) & modules)
        if kind(one) != kind(other)
    ]
    assert not others, "\n".join(others)


def test_no_kind_of_experiment_prints_tables_of_its_own():
    kinds = (ROOT / "experiments" / "kinds").rglob("*.py")
    assert [path for path in kinds if "rich.table" in path.read_text(encoding="utf-8")] == []


def test_no_folder_is_crowded():
    counts = Counter(str(path.parent.relative_to(ROOT)) for path in files())
    assert {folder: count for folder, count in counts.items() if count > FULL and folder not in LISTS} == {}


def late(source: str) -> set[str]:
    """Return what a source imports of ours inside functions."""
    found = set()
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom):
                    names = ["." * node.level + (node.module or "")]
                found |= {name for name in names if name.split(".")[0] in {"", *PACKAGES}}
    return found


def test_our_modules_are_imported_at_the_top_of_files():
    """But for commands, which import what they carry out once the command line is known to be right."""
    teaching = ROOT / "numerics" / "kernels" / "jit.py"  # Numba our types, just before it compiles
    texts = {path: path.read_text(encoding="utf-8") for path in files() if path != teaching}
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path, text in texts.items()
        if "\ndef main(" not in text
        for name in sorted(late(text))
    ]
    assert not found, "\n".join(found)


def loaded(code: str) -> set[str]:
    """Return the modules in memory after a line of Python."""
    code = f"import sys; {code}; print(*sys.modules)"
    words = [sys.executable, "-c", code]
    return {*subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True).stdout.split()}


def test_describing_loads_nothing_slow():
    ask = "bandits.make('ucb').formula, bandits.Bernoulli([0.1, 0.9]).describe(), bandits.Policy.members"
    assert not loaded(f"import bandits; {ask}") & {*SLOW}


@pytest.mark.parametrize("package", ["bandits", "connect4", "mcts", "experiments"])
def test_a_package_imports_its_modules_when_they_are_asked_for(package: str):
    modules = loaded(f"import {package}")
    ours = {name for name in modules if name.split(".")[0] in PACKAGES[1:]}
    assert ours - {"numerics", "numerics.starting"} == {package}
    assert not modules & {*SLOW}


@pytest.mark.parametrize("package", [bandits, connect4, experiments, mcts], ids=lambda package: package.__name__)
def test_completion_shows_the_public_names_of_a_package_and_no_others(package):
    assert dir(package) == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)


# --- what an installation brings, and what commands load ---


def brought() -> dict[str, float]:
    """Return the packages that an installation without extras brings, and the MB of their files without bytecode."""
    sizes, waiting = dict[str, float](), [Requirement(text) for text in NEEDED]
    while waiting:
        needed = waiting.pop()
        name = canonicalize_name(needed.name)
        if name in sizes or (needed.marker and not needed.marker.evaluate({"extra": ""})):
            continue
        package = metadata.distribution(name)
        files = [Path(str(file.locate())) for file in package.files or () if file.suffix != ".pyc"]
        sizes[name] = sum(file.stat().st_size for file in files if file.is_file()) / 1e6
        waiting += map(Requirement, package.requires or ())
    return sizes


@pytest.mark.skipif((sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the page says what Linux brings")
def test_an_installation_brings_what_the_page_says():
    sizes = brought()
    packages, files = re.search(r"brings (\d+) packages of other projects: (\d+) MB", PAGE).groups()
    assert abs(len(sizes) - int(packages)) <= 2, sorted(sizes)
    assert sum(sizes.values()) == pytest.approx(float(files), rel=0.1)
    rows = re.findall(r"^\| (llvmlite|pyarrow|SciPy|NumPy) \| (\d+) \|", PAGE, flags=re.MULTILINE)
    largest = sorted(sizes, key=lambda name: -sizes[name])[:4]
    assert [name.lower() for name, _ in rows] == largest
    for name, size in rows:
        assert sizes[name.lower()] == pytest.approx(float(size), rel=0.15), name


def loaded_by(*words: str, folder: Path) -> set[str]:
    """Return the modules in memory when a command has ended."""
    code = (
        "import atexit, runpy, sys; atexit.register(lambda: print(*sys.modules, file=open('modules', 'w')));"
        f"sys.argv = {['experiments.run', *words]!r}; runpy.run_module('experiments.run', run_name='__main__')"
    )
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, timeout=600, capture_output=True)
    return set((folder / "modules").read_text(encoding="utf-8").split())


def test_help_loads_no_library_that_only_runs_need(tmp_path):
    modules = loaded_by("--help", folder=tmp_path)
    assert "hydra" in modules
    assert modules.isdisjoint({*NEVER, "numba", "pandas", "matplotlib", "pyarrow", "scipy"})


def test_asking_gittins_what_it_needs_computes_no_indices():
    policy = bandits.make("gittins", discount=0.5)
    indices = sys.modules[type(policy).__module__]._params
    indices.cache_clear()
    assert not policy.needs_features
    assert indices.cache_info().currsize == 0
    assert "features" not in policy.spec().rule.needs


@pytest.mark.long
def test_the_default_run_loads_no_library_that_it_does_not_need(tmp_path):
    loaded_by(*SMALL, folder=tmp_path)  # compiles what is not compiled yet
    modules = loaded_by(*SMALL, folder=tmp_path)
    assert {"llvmlite", "pandas", "matplotlib.figure"} <= modules
    assert sorted(modules.intersection({*NEVER, "numba"})) == []
