"""What an installation brings and what the default command loads are as small as install.md says."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bandits.policies import gittins

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "start" / "install.md").read_text(encoding="utf-8")
NEEDED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
NEVER = ["seaborn", "matplotlib.pyplot", "scipy.stats", "scipy.optimize", "choix", "distributed", "optuna", "starlette"]
SMALL = ["bandit=ucb", "horizon=500", "runs=20"]

pytestmark = pytest.mark.jit


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


def loaded(*words: str, folder: Path) -> set[str]:
    """Return the modules in memory when a command has ended."""
    code = (
        "import atexit, runpy, sys; atexit.register(lambda: print(*sys.modules, file=open('modules', 'w')));"
        f"sys.argv = {['experiments.run', *words]!r}; runpy.run_module('experiments.run', run_name='__main__')"
    )
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, timeout=600, capture_output=True)
    return set((folder / "modules").read_text(encoding="utf-8").split())


def test_help_loads_no_library_that_only_runs_need(tmp_path):
    modules = loaded("--help", folder=tmp_path)
    assert "hydra" in modules
    assert modules.isdisjoint({*NEVER, "numba", "pandas", "matplotlib", "pyarrow", "scipy"})


def test_asking_gittins_what_it_needs_computes_no_indices():
    gittins._params.cache_clear()
    policy = gittins.Gittins(discount=0.5)
    assert not policy.needs_features
    assert gittins._params.cache_info().currsize == 0
    assert "features" not in policy.spec().rule.needs


@pytest.mark.long
def test_the_default_run_loads_no_library_that_it_does_not_need(tmp_path):
    loaded(*SMALL, folder=tmp_path)  # compiles what is not compiled yet
    modules = loaded(*SMALL, folder=tmp_path)
    assert {"llvmlite", "pandas", "matplotlib.figure"} <= modules
    assert sorted(modules.intersection({*NEVER, "numba"})) == []
