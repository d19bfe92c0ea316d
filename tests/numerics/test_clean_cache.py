"""The command that removes compiled kernels reaches the folders it is told, and no help or mistake removes any."""

from __future__ import annotations

from pathlib import Path

import pytest

from numerics import clean_cache
from numerics.kernel_cache import CACHE_NAME


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the folders that the command clears, of which none is touched."""
    places: list[Path] = []
    monkeypatch.setattr(clean_cache, "clear_cache", lambda folder: places.append(folder) or [])
    return places


def test_the_caches_below_a_folder_that_is_named_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys):
    cache = tmp_path / "mine" / "__pycache__" / CACHE_NAME
    cache.mkdir(parents=True)
    clear = clean_cache.clear_cache
    only = tmp_path / "mine"
    monkeypatch.setattr(clean_cache, "clear_cache", lambda folder: clear(folder) if folder == only else [])
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "none"))
    assert clean_cache.main([str(only)]) == 0
    assert not cache.exists()
    assert f"removed {cache}" in capsys.readouterr().out


def test_the_project_and_the_current_folder_are_always_cleared(asked: list[Path], tmp_path: Path):
    assert clean_cache.main([str(tmp_path)]) == 0
    assert asked == [*dict.fromkeys([Path(clean_cache.__file__).parents[1], Path.cwd(), tmp_path.resolve()])]


def test_help_helps_and_removes_nothing(asked: list[Path], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as left:
        clean_cache.main(["--help"])
    assert left.value.code == 0
    assert "FOLDER" in capsys.readouterr().out
    assert not asked


def test_a_folder_that_is_not_there_is_one_sentence_and_nothing_goes(asked: list[Path], tmp_path: Path, capsys):
    assert clean_cache.main([str(tmp_path), str(tmp_path / "nowhere")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("folder must be")
    assert said.count("\n") == 1
    assert "nowhere" in said
    assert not asked
