"""The digest of a source file sees every edit that could change compiled code, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import bandits.policies.thompson
from numerics.kernels.sources import PACKAGES, _imported_names, closure, digest


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / (name.replace("__init__", "\0").replace("__", "/").replace("\0", "__init__") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "line",
    [
        "import helper",
        "import helper as h",
        "from helper import f",
        "from helper import f as g, h",
        "from helper import *",
        "import json, helper",
        "def f():\n    from helper import g\n    return g",
        "try:\n    import helper\nexcept ImportError:\n    helper = None",
        "import between",
        "from between import f",
        "from parts import f",
        "from parts import inner",
        "from parts.inner import f",
        "import parts.inner",
    ],
)
def test_an_edit_in_an_imported_file_changes_the_digest(tmp_path: Path, monkeypatch, line: str):
    monkeypatch.syspath_prepend(tmp_path)
    _write(
        tmp_path,
        rule=f"{line}\n",
        helper="f = 1\n",
        between="from helper import f\n",
        parts____init__="from .inner import f\n",
        parts__inner="from helper import f\n",
    )
    before = digest(tmp_path / "rule.py")
    assert digest(tmp_path / "rule.py") == before
    _write(tmp_path, helper="f = 2\n")
    assert digest(tmp_path / "rule.py") != before
    _write(tmp_path, helper="f = 1\n")
    assert digest(tmp_path / "rule.py") == before


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_the_packages_of_another_prefix_are_left_out(tmp_path: Path, monkeypatch, folder: str):
    """As those of the Python that an environment with --system-site-packages was made from."""
    monkeypatch.syspath_prepend(tmp_path / folder)
    _write(tmp_path, rule="import a_library\n", **{f"{folder}__a_library": "f = 1\n"})
    assert closure(tmp_path / "rule.py") == {tmp_path / "rule.py"}


def test_a_helper_that_is_made_later_or_lies_in_another_current_folder_is_found(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("sys.path", ["", *sys.path])
    for name in ("one", "two"):
        _write(tmp_path / name, rule="import lately\n")
        _write(tmp_path / name / "below", rule="import lately\n")
        monkeypatch.chdir(tmp_path / name)
        before = [digest(tmp_path / name / "rule.py"), digest(tmp_path / name / "below" / "rule.py")]
        _write(tmp_path / name, lately="f = 1\n", rule="import lately\nx = 1\n")
        _write(tmp_path / name / "below", rule="import lately\nx = 1\n")
        files = [closure(tmp_path / name / "rule.py"), closure(tmp_path / name / "below" / "rule.py")]
        assert all(tmp_path / name / "lately.py" in own for own in files)
        assert before != [digest(tmp_path / name / "rule.py"), digest(tmp_path / name / "below" / "rule.py")]


def test_an_edit_in_the_file_itself_changes_the_digest_and_one_in_an_unrelated_file_does_not(tmp_path: Path):
    _write(tmp_path, rule="x = 1\n", other="y = 1\n")
    before = digest(tmp_path / "rule.py")
    _write(tmp_path, other="y = 2\n")
    assert digest(tmp_path / "rule.py") == before
    _write(tmp_path, rule="x = 2\n")
    assert digest(tmp_path / "rule.py") != before


def test_a_package_s_own_file_counts_where_a_dotted_import_makes_it_readable(tmp_path: Path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    _write(tmp_path, rule="import tools.inner\n\nx = tools.f\n", tools____init__="f = 1\n", tools__inner="")
    before = digest(tmp_path / "rule.py")
    _write(tmp_path, tools____init__="f = 2\n")
    assert digest(tmp_path / "rule.py") != before


def test_relative_imports_are_followed_up_the_package(tmp_path: Path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    _write(
        tmp_path,
        pack____init__="",
        pack__helper="f = 1\n",
        pack__deep____init__="",
        pack__deep__rule="from ..helper import f\nfrom . import near\nfrom .near import g\n",
        pack__deep__near="g = 1\n",
    )
    found = closure(tmp_path / "pack" / "deep" / "rule.py")
    assert {path.name for path in found} >= {"rule.py", "helper.py", "near.py"}


def test_libraries_are_left_out_and_circles_end(tmp_path: Path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    _write(
        tmp_path,
        one="import json\nimport numpy as np\nfrom scipy import special\nimport other_one\nimport not_to_be_found\n",
        other_one="from one import np\n",
    )
    assert closure(tmp_path / "one.py") == {tmp_path / "one.py", tmp_path / "other_one.py"}


def test_a_file_that_is_no_python_is_its_own_closure(tmp_path: Path):
    _write(tmp_path, broken="def f(:\n")
    assert closure(tmp_path / "broken.py") == {tmp_path / "broken.py"}


def test_the_rules_stand_on_the_hooks_the_streams_and_the_decorator():
    names = {f"{path.parent.name}/{path.name}" for path in closure(Path(bandits.policies.thompson.__file__))}
    assert {
        "policies/thompson.py",
        "bandits/rules.py",
        "kernels/beta_tail.py",
        "numerics/random.py",
        "kernels/jit.py",
    } <= names
    assert not any(name.startswith(("connect4/", "mcts/", "experiments/")) for name in names)


@pytest.mark.long
def test_the_imports_of_our_files_are_read_without_parsing_the_rest_of_them():
    root = Path(bandits.__file__).parents[1]
    files = [file for package in PACKAGES for file in (root / package).rglob("*.py")]
    assert len(files) > 300
    for file in files:
        assert [*_imported_names(file, ours=True)] == [*_imported_names(file, ours=False)], file
