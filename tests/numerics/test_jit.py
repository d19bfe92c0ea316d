"""The one decorator of all kernels, and where compiled code is kept."""

from __future__ import annotations

import errno
import importlib.util
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import numba
import numpy as np
import pytest

from numerics.kernels import cache, sources
from numerics.kernels.cache import CACHE_NAME, cache_folder
from numerics.kernels.jit import Function, kernel
from numerics.kernels.sources import digest

ROOT = Path(__file__).resolve().parents[2]


def _in_a_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=plain | environment, capture_output=True, text=True, timeout=300
    )


# What a kernel is


def test_kernels_follow_ieee_754_where_python_raises():
    @kernel("float64(float64, float64)")
    def ratio(x, y):
        return x / y

    assert math.isinf(ratio(np.float64(1.0), np.float64(0.0)))
    assert math.isnan(ratio(np.float64(0.0), np.float64(0.0)))


DECORATED = """
import sys
from numerics.kernels.addresses import hook_at
from numerics.kernels.jit import kernel
from numerics.random import normal_quantile

@kernel("float64(float64, int64)")
def sixth(x, hook):
    return normal_quantile(x) / hook_at("float64(float64)")(hook)(6.0)

print("numba" in sys.modules)
normal_quantile(0.5)
print("numba" in sys.modules)
"""


@pytest.mark.jit
def test_decorating_imports_no_numba_and_the_first_call_does():
    done = _in_a_process(DECORATED)
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_a_kernel_looks_like_the_function_and_has_its_type():
    def twice(x: float) -> float:
        """Return 2 x."""
        return 2.0 * x

    compiled = kernel("float64(float64)")(twice)
    assert (compiled.__name__, compiled.__doc__, compiled.__module__) == ("twice", "Return 2 x.", __name__)
    assert get_type_hints(compiled) == {"x": float, "return": float}
    assert get_type_hints(kernel)["return"] == Callable[[Function], Function]  # what a type checker is promised


@kernel(inline=True)
def _doubled(x):
    return x + x


@kernel()
def _tripled(x):
    return 3.0 * x


@kernel("float64(float64)")
def _six_times(x):
    return _doubled(_tripled(x))


@kernel("float64(FunctionType(float64(float64)), float64)")
def _applied_twice(hook, x):
    return hook(hook(x))


@kernel("int64(int64)")
def _factorial(n):
    return 1 if n == 0 else n * _factorial(n - 1)


@kernel()
def _sum_to(n):
    return 0 if n == 0 else n + _sum_to(n - 1)


@pytest.mark.jit
def test_inline_kernels_are_pasted_into_their_callers_and_others_are_called():
    assert _six_times(1.5) == 9.0
    assert _doubled.dispatcher.signatures == []  # never compiled by itself
    assert len(_tripled.dispatcher.signatures) == 1


def test_a_kernel_is_passed_to_another_as_a_hook():
    assert _applied_twice(_six_times, 1.0) == 36.0


def test_a_kernel_may_call_itself():
    assert _factorial(10) == math.factorial(10)
    assert _sum_to(10) == 55


# Where its code is kept


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a package of a project, whose caches are all below tmp_path, and whose files are older than it."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", None)
    monkeypatch.setattr(sources, "_PROJECT_FOLDERS", (f"{tmp_path / 'bandits'}{os.sep}",))
    monkeypatch.setattr(cache, "_STARTED", math.inf)
    return tmp_path / "bandits"


def _file(path: Path, text: str = "x = 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_compiled_code_lies_beside_its_file_in_a_folder_named_by_the_digest(project: Path):
    source = _file(project / "rules.py")
    folder = cache_folder(str(source))
    assert folder == project / "__pycache__" / CACHE_NAME / digest(source)
    source.write_text("x = 2\n")
    assert cache_folder(str(source)) != folder


@pytest.mark.parametrize("source", [None, "<stdin>", "no/such/file.py", "users/rules.py"])
def test_the_code_of_a_user_and_what_is_in_no_file_is_not_kept(project: Path, source: str | None):
    _file(project.parent / "users" / "rules.py")
    assert cache_folder(source if source is None else str(project.parent / source)) is None


def test_nothing_is_kept_of_a_file_that_was_edited_while_the_process_ran(
    project: Path, monkeypatch: pytest.MonkeyPatch
):
    source = _file(project / "rules.py")
    monkeypatch.setattr(cache, "_STARTED", source.stat().st_mtime + 1.0)
    assert cache_folder(str(source)) is not None
    monkeypatch.setattr(cache, "_STARTED", source.stat().st_mtime - 1.0)
    assert cache_folder(str(source)) is None


def test_numba_s_own_variable_moves_the_cache(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(project.parent / "elsewhere"))
    source = _file(project / "rules.py")
    assert cache_folder(str(source)) == project.parent / "elsewhere" / CACHE_NAME / digest(source)


def test_a_place_that_cannot_be_written_is_passed_over_for_the_users_cache(project: Path):
    source = _file(project / "rules.py")
    _file(project / "__pycache__", "a file, where a folder is needed")
    assert cache_folder(str(source)) == project.parent / "home" / "treebandit" / CACHE_NAME / digest(source)


def test_a_user_without_a_home_has_a_cache_for_the_process(project: Path, monkeypatch: pytest.MonkeyPatch):
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr(tempfile, "tempdir", str(project.parent))
    _file(project / "__pycache__", "a file, where a folder is needed")
    folder = cache_folder(str(_file(project / "rules.py")))
    assert folder is not None
    assert folder.parent.name.startswith("treebandit-")


def test_code_with_bounds_checks_is_kept_apart_from_code_without(project: Path, monkeypatch: pytest.MonkeyPatch):
    source = str(_file(project / "rules.py"))
    unchecked = cache_folder(source)
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert cache_folder(source) not in (None, unchecked)


PAST_THE_END = """
from numerics.random import Purpose, next_uniform, streams
next_uniform(streams(0, (Purpose.REWARD,), 0, 8)[:1], 5)
"""


BOTH_FORMS = """
from numerics.random import Purpose, next_gamma, next_uniform, streams
rng = streams(0, (Purpose.REWARD,), 0, 8)[:1]
print(next_uniform(rng, 0), next_gamma(2.5, rng, 0))  # which calls the form of `next_uniform` that Python cannot
for helper in (next_uniform, next_gamma):
    print(sum(helper._entry.stats.cache_hits.values()))
print(sum(next_uniform.dispatcher.stats.cache_hits.values()))
"""


@pytest.mark.long
@pytest.mark.jit
def test_a_helper_is_called_from_python_and_from_kernels_and_both_forms_are_on_disk(tmp_path: Path):
    first, second = (_in_a_process(BOTH_FORMS, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert first.stdout.split()[2:] == ["0", "0", "0"], first.stderr
    assert second.stdout.split()[:2] == first.stdout.split()[:2]
    assert second.stdout.split()[2:] == ["1", "1", "0"]  # from disk; one form brings all that it calls


@pytest.mark.long
@pytest.mark.jit
def test_bounds_are_checked_in_their_lane_though_unchecked_code_is_in_the_cache(tmp_path: Path):
    for more, error in (({}, ""), ({"NUMBA_BOUNDSCHECK": "1"}, "IndexError"), ({}, "")):
        done = _in_a_process(PAST_THE_END, NUMBA_CACHE_DIR=str(tmp_path), **more)
        assert (done.returncode != 0) == bool(error), done.stderr
        assert error in done.stderr


CODE = "import math\n\ndef f(x):\n    return math.sin(x) + {}\n"


def _compiled(file: Path) -> Any:
    """Return the kernel of a file, loaded and compiled as a new process would."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    compiled: Any = kernel("float64(float64)")(module.f)
    compiled.dispatcher  # noqa: B018 (the access compiles)
    return compiled


@pytest.mark.jit
def test_a_second_process_finds_the_code_of_the_first_and_none_of_an_older_text(project: Path):
    file = _file(project / "rules.py", CODE.format(1.0))
    assert not _compiled(file).dispatcher.stats.cache_hits
    again = _compiled(file)
    assert again.dispatcher.stats.cache_hits
    assert again(0.0) == 1.0
    # Of another length: Python goes by seconds and bytes, and takes its older bytecode for a text that has both.
    edited = _compiled(_file(project / "rules.py", CODE.format(12.5)))
    assert not edited.dispatcher.stats.cache_hits
    assert edited(0.0) == 12.5


@pytest.mark.jit
def test_threads_that_compile_at_once_keep_their_code_in_its_own_place(project: Path, monkeypatch: pytest.MonkeyPatch):
    before, made, njit = numba.config.CACHE_DIR, {}, numba.njit
    files = [_file(project / f"thread_{number}.py", CODE.format(number)) for number in (1, 2)]

    def unhurried(*signature, **options):
        time.sleep(0.1)  # the other thread has the time to meddle
        return njit(*signature, **options)

    monkeypatch.setattr(numba, "njit", unhurried)
    threads = [threading.Thread(target=lambda file=file: made.update({file: _compiled(file)})) for file in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert before == numba.config.CACHE_DIR
    for number, file in enumerate(files, start=1):
        assert Path(made[file].dispatcher.stats.cache_path).parent == cache_folder(str(file))
        assert made[file](0.0) == number


@pytest.mark.jit
def test_threads_that_need_the_same_kernel_at_once_compile_it_once(monkeypatch: pytest.MonkeyPatch):
    needed, njit, calls = kernel("float64(float64)")(lambda x: x + 1.0), numba.njit, []
    monkeypatch.setattr(
        numba, "njit", lambda *given, **options: calls.append(time.sleep(0.1)) or njit(*given, **options)
    )
    threads = [threading.Thread(target=needed, args=(1.0,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1


@pytest.mark.jit
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("left", [0, 20])
def test_a_broken_file_of_the_cache_costs_the_time_to_compile_and_is_mended(project: Path, suffix: str, left: int):
    file = _file(project / "rules.py", CODE.format(1.0))
    first = _compiled(file)
    for kept in Path(first.dispatcher.stats.cache_path).glob(f"*{suffix}"):
        kept.write_bytes(kept.read_bytes()[:left])  # as after a loss of power
    second = _compiled(file)
    assert second(0.0) == 1.0
    assert not second.dispatcher.stats.cache_hits
    assert _compiled(file).dispatcher.stats.cache_hits


@pytest.mark.jit
def test_a_full_disk_under_the_cache_costs_the_time_to_compile(project: Path, monkeypatch: pytest.MonkeyPatch):
    file = _file(project / "rules.py", CODE.format(1.0))

    def full(*anything):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr("numba.core.caching.IndexDataCacheFile._open_for_write", full)
        assert _compiled(file)(0.0) == 1.0
    with monkeypatch.context() as disk:
        disk.setattr("numba.core.caching._CacheLocator.ensure_cache_path", full)  # no folder can be made either
        assert _compiled(file)(0.0) == 1.0
    assert not _compiled(file).dispatcher.stats.cache_hits
    assert _compiled(file).dispatcher.stats.cache_hits


@kernel()
def _shifted(x, by):
    return x + by


@pytest.mark.jit
def test_a_number_written_in_a_call_compiles_no_kernel_of_its_own():
    @kernel("int64(int64)")
    def both(x):
        return _shifted(x, 1) + _shifted(x, x)

    assert both(3) == 10
    assert [str(one) for one in _shifted.dispatcher.signatures] == ["(int64, int64)"]
