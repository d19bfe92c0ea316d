"""The command that removes compiled kernels removes those of this project and nothing else; its help removes none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from numerics.exits import run_guarded
from numerics.kernels import cache
from tests.internals import CACHE_NAME
from treebandit import clean_cache


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose caches, also the user's, are all below tmp_path."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(cache, "ROOT", tmp_path / "project")
    monkeypatch.setattr(sys, "argv", ["clean_cache"])
    return tmp_path / "project"


def _file(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"code")
    return path


def test_the_caches_of_the_project_go_and_nothing_else(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "moved"))
    kept = [
        _file(project / "bandits" / "__pycache__" / "rules.pyc"),
        _file(project / "bandits" / CACHE_NAME / "argmax.py"),
        _file(tmp_path / "other" / "bandits" / "__pycache__" / CACHE_NAME / "cdef" / "code.nbc"),
        _file(tmp_path / "moved" / "of_another_program.nbc"),
    ]
    gone = [
        _file(project / "bandits" / "__pycache__" / CACHE_NAME / "0123" / "code.nbc"),
        _file(project / "numerics" / "deep" / "er" / "__pycache__" / CACHE_NAME / "4567" / "code.nbc"),
        _file(tmp_path / "home" / "treebandit" / CACHE_NAME / "89ab" / "code.nbc"),
        _file(tmp_path / "moved" / CACHE_NAME / "cdef" / "code.nbc"),
    ]
    clean_cache.main()
    assert set(capsys.readouterr().out.splitlines()) == {f"removed {file.parents[1]}" for file in gone}
    assert not any(file.parents[1].exists() for file in gone)
    assert all(file.exists() for file in kept)
    clean_cache.main()
    assert capsys.readouterr().out == "no kernel cache found\n"


@pytest.mark.parametrize(("argument", "status"), [("--help", 0), ("elsewhere", 2)])
def test_help_helps_and_removes_nothing_and_so_does_a_mistake(
    project: Path, monkeypatch: pytest.MonkeyPatch, argument: str, status: int
):
    kept = _file(project / "bandits" / "__pycache__" / CACHE_NAME / "0123" / "code.nbc")
    monkeypatch.setattr(sys, "argv", ["clean_cache", argument])
    assert run_guarded(clean_cache.main) == status
    assert kept.exists()
