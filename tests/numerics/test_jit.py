"""The one decorator of all kernels, and where compiled code is kept."""

from __future__ import annotations

import errno
import importlib
import math
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import float64

from numerics import clean_cache
from numerics.jit import kernel
from numerics.kernel_cache import CACHE_NAME, cache_folder, clear_cache
from numerics.sources import digest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A world whose cache folders are all below tmp_path."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", None)
    return tmp_path


def _file(path: Path, text: str = "x = 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_kernels_follow_ieee_754_where_python_raises():
    @kernel(float64(float64, float64))
    def ratio(x, y):
        return x / y

    assert math.isinf(ratio(np.float64(1.0), np.float64(0.0)))
    assert math.isnan(ratio(np.float64(0.0), np.float64(0.0)))


def test_compiled_code_lies_beside_its_file_in_a_folder_named_by_the_digest(apart: Path):
    source = _file(apart / "code" / "rules.py")
    folder = cache_folder(str(source))
    assert folder == apart / "code" / "__pycache__" / CACHE_NAME / digest(source)
    source.write_text("x = 2\n")
    assert cache_folder(str(source)) != folder


def test_nothing_is_kept_of_a_project_that_was_edited_while_the_process_ran(
    apart: Path, monkeypatch: pytest.MonkeyPatch
):
    own, users = ROOT / "numerics" / "random.py", _file(apart / "code" / "rules.py")
    assert cache_folder(str(own)) is not None
    monkeypatch.setattr("numerics.kernel_cache._STARTED", own.stat().st_mtime - 1.0)
    assert cache_folder(str(own)) is None
    assert cache_folder(str(users)) is not None  # of a user's function, what it was made of is in the digest


def test_numba_s_own_variable_moves_the_cache(apart: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(apart / "elsewhere"))
    source = _file(apart / "moved" / "rules.py")
    assert cache_folder(str(source)) == apart / "elsewhere" / CACHE_NAME / digest(source)


def test_code_with_bounds_checks_is_kept_apart_from_code_without(apart: Path, monkeypatch: pytest.MonkeyPatch):
    source = str(_file(apart / "checked" / "rules.py"))
    unchecked = cache_folder(source)
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert cache_folder(source) not in (None, unchecked)


PAST_THE_END = """
import numpy as np
from numba import float64, int64
from numerics.jit import kernel

@kernel(float64(float64[::1], int64))
def entry(values, index):
    return values[index]

if __name__ == "__main__":
    entry(np.zeros(3), 3)
"""


@pytest.mark.jit
def test_bounds_are_checked_in_their_lane_though_unchecked_code_is_in_the_cache(tmp_path: Path):
    file = _file(tmp_path / "past_the_end.py", PAST_THE_END)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    plain |= {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for more, error in (({}, ""), ({"NUMBA_BOUNDSCHECK": "1"}, "IndexError"), ({}, "")):
        done = subprocess.run(
            [sys.executable, str(file)], env=plain | more, capture_output=True, text=True, timeout=120
        )
        assert (done.returncode != 0) == bool(error), done.stderr
        assert error in done.stderr


@pytest.mark.jit
def test_threads_that_compile_at_once_keep_their_code_in_its_own_place(apart: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(apart)
    before, made = numba.config.CACHE_DIR, {}
    text = "import math\n\ndef f(x):\n    return math.sin(x) * math.exp(x) + {}\n"
    files = {name: _file(apart / f"{name}.py", text.format(name[-1])) for name in ("thread_1", "thread_2")}
    folders = {name: cache_folder(str(file)) for name, file in files.items()}

    def unhurried(*signature, **options):
        time.sleep(0.1)  # the other thread has the time to meddle
        return numba.njit(*signature, **options)

    monkeypatch.setattr("numerics.jit._njit", unhurried)

    def compile_one(name: str) -> None:
        made[name] = kernel(float64(float64))(importlib.import_module(name).f)

    threads = [threading.Thread(target=compile_one, args=(name,)) for name in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert before == numba.config.CACHE_DIR
    for name, function in made.items():
        assert Path(function.stats.cache_path).parent == folders[name]
    assert made["thread_1"](0.0) == 1.0


def test_a_place_that_cannot_be_written_is_passed_over_for_the_users_cache(apart: Path):
    source = _file(apart / "locked" / "rules.py")
    _file(apart / "locked" / "__pycache__", "a file, where a folder is needed")
    assert cache_folder(str(source)) == apart / "home" / "bandit-laboratory" / CACHE_NAME / digest(source)


@pytest.mark.parametrize("source", [None, "<stdin>", "no/such/file.py"])
def test_code_that_is_in_no_file_is_not_kept(source: str | None):
    assert cache_folder(source) is None


def test_clearing_removes_the_caches_below_a_folder_and_nothing_else(apart: Path):
    kept = _file(apart / "project" / "__pycache__" / "rules.pyc")
    gone = [
        _file(apart / "project" / "__pycache__" / CACHE_NAME / "0123" / "code.nbc"),
        _file(apart / "project" / "deep" / "er" / "__pycache__" / CACHE_NAME / "4567" / "code.nbc"),
        _file(apart / "home" / "bandit-laboratory" / CACHE_NAME / "89ab" / "code.nbc"),
    ]
    beside = _file(apart / "other" / "__pycache__" / CACHE_NAME / "cdef" / "code.nbc")
    removed = clear_cache(apart / "project")
    assert len(removed) == 3
    assert not any(path.exists() for path in [*gone, *removed])
    assert kept.exists()
    assert beside.exists()
    assert clear_cache(apart / "project") == []


def test_clearing_reaches_the_rules_that_were_compiled_outside_the_project(apart: Path):
    rules = [str(_file(apart / name / "rules.py")) for name in ("here", "there")]
    folders = [cache_folder(rule) for rule in (*rules, *rules)]
    notes = apart / "home" / "bandit-laboratory" / "rules_elsewhere.txt"
    assert len(notes.read_text().splitlines()) == 2  # each once
    (apart / "project").mkdir()
    removed = clear_cache(apart / "project")
    assert removed == sorted({folder.parent for folder in folders if folder is not None})
    assert not any(root.exists() for root in removed)
    assert not notes.exists()
    assert (apart / "here" / "rules.py").is_file()


def test_a_note_that_names_anything_but_a_cache_removes_nothing(apart: Path):
    kept = _file(apart / "precious" / "thesis.txt")
    _file(apart / "home" / "bandit-laboratory" / "rules_elsewhere.txt", f"{kept.parent}\n{apart}/kernels\n\n")
    (apart / "project").mkdir()
    assert clear_cache(apart / "project") == []
    assert kept.exists()


def test_the_command_says_what_it_removed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    asked: list[Path] = []

    def pretend(folder: Path) -> list[Path]:
        asked.append(folder)
        return [folder / "__pycache__"]

    monkeypatch.setattr(clean_cache, "clear_cache", pretend)
    clean_cache.main()
    told = capsys.readouterr().out.split("\n")
    assert Path.cwd() in asked
    assert Path(clean_cache.__file__).parents[1] in asked
    assert {f"removed {folder / '__pycache__'}" for folder in asked} == {line for line in told if line}
    monkeypatch.setattr(clean_cache, "clear_cache", lambda folder: [])
    clean_cache.main()
    assert capsys.readouterr().out == "no kernel cache found\n"


CODE = "import math\n\ndef f(x):\n    return math.sin(x) + 1.0\n"


def _compiled_again(name: str):
    """Compile the function of a module that was written before, as a new process would."""
    return kernel(float64(float64))(importlib.import_module(name).f)


@pytest.mark.jit
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("left", [0, 20])
def test_a_broken_file_of_the_cache_costs_the_time_to_compile_and_is_mended(
    apart: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, left: int
):
    monkeypatch.syspath_prepend(apart)
    name = f"broken_{suffix[1:]}_{left}"
    _file(apart / f"{name}.py", CODE)
    first = _compiled_again(name)
    for file in Path(first.stats.cache_path).glob(f"*{suffix}"):
        file.write_bytes(file.read_bytes()[:left])  # as after a loss of power
    second = _compiled_again(name)
    assert second(0.0) == 1.0
    assert not second.stats.cache_hits
    assert _compiled_again(name).stats.cache_hits


@pytest.mark.jit
def test_a_full_disk_under_the_cache_costs_the_time_to_compile(apart: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(apart)
    _file(apart / "on_a_full_disk.py", CODE)

    def full(*anything):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr("numba.core.caching.IndexDataCacheFile._save_data", full)
        assert _compiled_again("on_a_full_disk")(0.0) == 1.0
    with monkeypatch.context() as disk:
        disk.setattr("numba.core.caching._CacheLocator.ensure_cache_path", full)  # no folder can be made either
        assert _compiled_again("on_a_full_disk")(0.0) == 1.0
    assert not _compiled_again("on_a_full_disk").stats.cache_hits
    assert _compiled_again("on_a_full_disk").stats.cache_hits
