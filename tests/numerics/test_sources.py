"""The digest of a source file sees every edit that could change its numbers, whatever was imported before."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import grimp
import pytest

from numerics.kernels import sources
from numerics.kernels.sources import PACKAGES, digest


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / (name.replace("__init__", "\0").replace("__", "/").replace("\0", "__init__") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_an_edit_counts_for_its_package_and_for_those_that_may_import_it(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    files = {name: tmp_path / name / "deep" / "file.py" for name in PACKAGES}

    def digests() -> dict[str, str]:
        return {name: digest(file) for name, file in files.items()}

    _write(tmp_path, **{f"{name}__deep__file": "x = 1\n" for name in PACKAGES})
    before = digests()
    assert digests() == before
    for name in PACKAGES:
        _write(tmp_path, **{f"{name}__another": "x = 12\n"})
        after = digests()
        changed = {other for other in PACKAGES if after[other] != before[other]}
        assert changed == {other for other in PACKAGES if name in sources._LAYERS[other]}
        before = after


def test_a_layer_has_all_packages_that_its_files_import():
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    for name, layer in sources._LAYERS.items():
        modules = {name, *graph.find_descendants(name)}
        imported = set().union(*map(graph.find_modules_directly_imported_by, modules))
        assert {module.partition(".")[0] for module in imported} - {"treebandit"} <= {*layer}


@pytest.mark.parametrize(
    "line",
    [
        "import helper",
        "from helper import f",
        "import json, helper",
        "def f():\n    from helper import g\n    return g",
        "try:\n    import helper\nexcept ImportError:\n    helper = None",
        "from between import f",
        "from parts import f",
        "from parts import inner",
        "from parts.inner import f",
        "import parts.inner",
        "import bare.inner",  # of a folder without an __init__.py
    ],
)
def test_an_edit_in_a_file_that_a_user_s_file_imports_changes_its_digest(tmp_path: Path, monkeypatch, line: str):
    monkeypatch.syspath_prepend(tmp_path)
    _write(
        tmp_path,
        rule=f"{line}\n",
        helper="f = 1\n",
        between="from helper import f\n",
        parts____init__="from .inner import f\n",
        parts__inner="from helper import f\n",
        bare__inner="from helper import f\n",
    )
    before = digest(tmp_path / "rule.py")
    _write(tmp_path, helper="f = 2\n")
    assert digest(tmp_path / "rule.py") != before
    _write(tmp_path, helper="f = 1\n", unrelated="f = 2\n")
    assert digest(tmp_path / "rule.py") == before


def test_a_package_s_own_file_counts_where_a_dotted_import_makes_it_readable(tmp_path: Path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    _write(tmp_path, rule="import tools.inner\n\nx = tools.f\n", tools____init__="f = 1\n", tools__inner="")
    before = digest(tmp_path / "rule.py")
    _write(tmp_path, tools____init__="f = 2\n")
    assert digest(tmp_path / "rule.py") != before


def _names(file: Path) -> set[str]:
    return {Path(path).name for path, _, _ in sources.stamps(file)}


def test_imports_within_a_package_are_followed_wherever_the_package_lies(tmp_path: Path):
    _write(
        tmp_path,
        pack____init__="",
        pack__helper="f = 1\n",
        pack__far="f = 1\n",
        pack__deep____init__="",
        pack__deep__rule="from ..helper import f\nfrom . import near\nfrom .close import g\nimport pack.far\n",
        pack__deep__near="g = 1\n",
        pack__deep__close="g = 1\n",
    )
    found = _names(tmp_path / "pack" / "deep" / "rule.py")
    assert found == {"rule.py", "helper.py", "near.py", "close.py", "far.py", "__init__.py"}


def test_libraries_and_this_project_are_left_out_and_circles_end(tmp_path: Path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    lines = "import json\nimport numpy as np\nfrom bandits import rules\nimport other_one, broken, not_to_be_found\n"
    _write(tmp_path, one=lines, other_one="from one import np\n", broken="def f(:\n")
    assert _names(tmp_path / "one.py") == {"one.py", "other_one.py", "broken.py"}


def test_the_packages_of_another_prefix_are_left_out(tmp_path: Path, monkeypatch):
    """As those of the Python that an environment with --system-site-packages was made from."""
    for folder in ("site-packages", "dist-packages"):
        monkeypatch.syspath_prepend(tmp_path / folder)
        _write(tmp_path, **{f"{folder}__a_{folder[:4]}": "f = 1\n"})
    _write(tmp_path, rule="import a_site, a_dist\n")
    assert _names(tmp_path / "rule.py") == {"rule.py"}


def test_the_digest_is_the_same_whatever_was_imported_before(tmp_path: Path, monkeypatch):
    for folder in ("first", "second"):
        monkeypatch.syspath_prepend(tmp_path / folder)
        _write(tmp_path, **{f"{folder}__twin": f"x = '{folder}'\n"})
    _write(tmp_path, second__rule="import twin\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "first"), *sys.path])
    rule = tmp_path / "second" / "rule.py"
    before = digest(rule)
    monkeypatch.setitem(sys.modules, "twin", importlib.import_module("twin"))
    assert digest(rule) == before
    _write(tmp_path, second__twin="x = 'an edit'\n")
    assert digest(rule) != before
