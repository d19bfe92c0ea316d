"""The wheel holds what the packages need, and works where it is installed, away from any checkout."""

from __future__ import annotations

import email
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.test_architecture import PACKAGES
from tests.test_makefile import MINORS
from treebandit import __version__

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "tests" / "data" / "typed_project.py"
SMALL = ["bandit=ucb", "horizon=500", "runs=20"]

pytestmark = pytest.mark.jit


def done(*words: str | Path, cwd: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command outside the checkout."""
    return subprocess.run(words, cwd=cwd, env=environment(cwd), input=text, capture_output=True, text=True, timeout=600)


def environment(cwd: Path) -> dict[str, str]:
    """Return an environment in which only what is installed can be found."""
    astray = ("PYTHONPATH", "PYTHONHOME", "NUMBA_CACHE_DIR", "COVERAGE_PROCESS_START")
    return {name: value for name, value in os.environ.items() if name not in astray} | {"HOME": str(cwd)}


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Return a folder with the wheel and the source archive."""
    place = tmp_path_factory.mktemp("dist")
    made = done(sys.executable, "-m", "hatchling", "build", "-d", place, cwd=ROOT)
    assert made.returncode == 0, made.stderr
    return place


@pytest.fixture(scope="module")
def wheel(built) -> Path:
    (path,) = built.glob("*.whl")
    return path


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(wheel):
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    lying = {
        path.relative_to(ROOT).as_posix()
        for package in (*PACKAGES, "configs")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == lying
    typed = {name.partition("/")[0] for name in held if name.endswith("/py.typed")}
    assert typed == {*PACKAGES}


def test_the_source_archive_holds_what_is_built_tested_and_read(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "Makefile", "noxfile.py", "README.md", "CHANGELOG.md", "LICENSE"} <= held
    assert {"tests/test_wheel.py", "tests/data/golden.json", "docs/index.md", "data/open_bandit/README.md"} <= held
    assert not [name for name in held if name.startswith((".venv", "results", "build", "dist"))]


@pytest.mark.long
def test_built_again_from_its_own_archive_the_wheel_and_the_archive_have_the_same_bytes(built, tmp_path):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # which Python 3.11.4 brought
        archive.extractall(tmp_path)
    (unpacked,) = tmp_path.iterdir()
    (unpacked / "PKG-INFO").unlink()  # which is made, and no file of the project
    for file in unpacked.rglob("*"):
        os.utime(file, (1e9, 1e9))  # a checkout of another day
    made = done(sys.executable, "-m", "hatchling", "build", "-d", tmp_path / "again", cwd=unpacked)
    assert made.returncode == 0, made.stderr
    for first in built.iterdir():
        assert (tmp_path / "again" / first.name).read_bytes() == first.read_bytes(), first.name


def test_the_wheel_says_what_it_is_and_which_pythons_it_is_for(wheel):
    with zipfile.ZipFile(wheel) as archive:
        told = email.message_from_bytes(archive.read(f"treebandit-{__version__}.dist-info/METADATA"))
        points = archive.read(f"treebandit-{__version__}.dist-info/entry_points.txt").decode()
    assert (told["Name"], told["Version"]) == ("treebandit", __version__)
    named = [int(minor) for minor in re.findall(r"Python :: 3\.(\d+)$", "\n".join(told.get_all("Classifier")), re.M)]
    assert named == MINORS
    assert "treebandit = treebandit.__main__:main" in points
    assert {*told.get_all("Provides-Extra")} == {"cluster", "web", "interop", "live", "tune", "docs", "dev", "peers"}


@pytest.fixture(scope="module")
def programs(wheel, tmp_path_factory) -> Path:
    """Return the folder of the programs of an environment that has the wheel, and the libraries of this one."""
    place = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / "venv"], check=True, timeout=120)
    programs = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "-q", wheel]
    assert (said := done(*pip, cwd=place)).returncode == 0, said.stderr
    (packages,) = (place / "venv").rglob("site-packages")
    # A .pth file in the folder that is named is not read: the checkout stays out of sight.
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    said = done(python, "-c", "import bandits, experiments; print(bandits.__file__)", cwd=place)
    assert said.stdout.startswith(str(packages)), said.stderr
    return programs


@pytest.mark.long
def test_what_is_installed_runs_and_leaves_its_results_in_the_users_folder(programs, tmp_path):
    home, checkout = tmp_path / "home", tmp_path / "checkout"
    home.mkdir()
    checkout.mkdir()
    before = files(programs.parent)
    treebandit = programs / "treebandit"
    assert done(treebandit, "--version", cwd=home).stdout == f"treebandit {__version__}\n"
    assert (said := done(treebandit, "run", *SMALL, cwd=home)).returncode == 0, said.stderr
    (ours,) = (path for path in (home / "results" / "regret").iterdir() if not path.is_symlink())
    own = [sys.executable, "-m", "experiments.run", *SMALL, f"hydra.run.dir={checkout}"]
    subprocess.run(own, cwd=ROOT, check=True, timeout=600, capture_output=True)
    for name in ("summary.csv", "curves.parquet", "pulls.parquet", "source.digest"):
        assert (ours / name).read_bytes() == (checkout / name).read_bytes(), name
    assert '"commit": null' in (ours / "manifest.json").read_text()
    assert (ours / "report.html").is_file()
    said = done(treebandit, "solve", "4453", cwd=home)
    assert "score -2; best: 3, 6, 7" in said.stdout, said.stderr
    said = done(treebandit, "play", "player=random", "moves=414141", cwd=home, text="4\n")
    assert said.returncode == 0, said.stderr
    assert "X wins" in said.stdout
    said = done(treebandit, "plot", "results/regret/latest", cwd=home)
    assert said.returncode == 0, said.stderr
    assert files(programs.parent) == before, "results, or anything but caches, lie among the packages"


def files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


@pytest.mark.long
def test_the_page_comes_along(programs, tmp_path):
    words = [programs / "treebandit", "serve", "browser=false"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(words, cwd=tmp_path, env=environment(tmp_path), **pipes)
    try:
        address = re.search(r"http://\S+:\d+/", process.stdout.readline())[0]
        for name, part in (("", b"<!doctype html>"), ("static/app.js", b"import"), ("static/style.css", b"{")):
            with urllib.request.urlopen(f"{address}{name}", timeout=60) as page:
                assert part in page.read().lower()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    finally:
        process.kill()
        process.communicate()


@pytest.mark.long
def test_a_typed_project_is_checked_against_what_is_installed_and_runs(programs, tmp_path):
    example = Path(shutil.copy(EXAMPLE, tmp_path))
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--python-executable", programs / "python"]
    assert (said := done(*mypy, example, cwd=tmp_path)).returncode == 0, said.stdout
    example.write_text(
        example.read_text(encoding="utf-8")
        .replace("horizon=1_000", 'horizon="long"')
        .replace("found.best_move", '"4"'),
        encoding="utf-8",
    )
    said = done(*mypy, example, cwd=tmp_path)
    assert said.stdout.count("error:") == 2, said.stdout
    shutil.copy(EXAMPLE, tmp_path)
    said = done(programs / "python", example, cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    printed = r"\{'ucb c=0.5': [\d.]+, '\S+ c=0.5': [\d.]+, 'greedy': [\d.]+\}\n"
    assert re.fullmatch(printed, said.stdout)


@pytest.mark.long
def test_pyright_knows_the_types_of_nineteen_public_names_in_twenty(programs, tmp_path, program):
    """What it does not know are kernels, whose signatures are Numba's."""
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": str(programs.parent)}
    names, known = 0, 0
    for package in sorted({*PACKAGES}):
        words = [program("pyright"), "--outputjson", "--ignoreexternal", "--verifytypes", package]
        said = subprocess.run(
            words, cwd=tmp_path, env=environment(tmp_path) | path, capture_output=True, encoding="utf-8", timeout=600
        )
        counts = json.loads(said.stdout)["typeCompleteness"]["exportedSymbolCounts"]
        names += sum(counts.values())
        known += counts["withKnownType"]
    assert names > 7_000
    assert known / names >= 0.95
