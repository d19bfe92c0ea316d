"""The one decorator of all kernels, where compiled code is kept, and the command that removes it."""

from __future__ import annotations

import errno
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from bandits import simulate
from numerics.kernels import cache, machine_code, sources
from numerics.random import draw_uniform
from tests.internals import CACHE_NAME, NOTICE, cache_folder, compiling, kernel
from treebandit import clean_cache

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


@kernel(inline=True)
def _doubled(x):
    return x + x


@kernel()
def _tripled(x):
    return 3.0 * x


@kernel("float64(float64)")
def _six_times(x):
    return _doubled(_tripled(x))


@pytest.mark.jit
def test_inline_helpers_are_pasted_into_their_callers_and_python_may_call_them_too():
    assert _six_times(1.5) == 9.0
    (text,) = _six_times.dispatcher.inspect_llvm().values()
    assert not re.search("call .*_doubled", text)
    assert _doubled(4) == 8


# Where its code is kept


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a package of a project, whose caches are all below tmp_path, and whose files are older than it."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", None)
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)
    for module in (sources, cache):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(cache, "_STARTED", math.inf)
    cache._root.cache_clear()
    yield tmp_path / "bandits"
    cache._root.cache_clear()


def _file(path: Path, text: str = "x = 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_compiled_code_lies_in_its_package_in_a_folder_of_its_own_for_every_text(project: Path):
    source, other = _file(project / "deep" / "rules.py"), _file(project / "other.py")
    folder = cache_folder(str(source))
    assert folder is not None
    assert folder.parent == project / "__pycache__" / CACHE_NAME
    assert cache_folder(str(other)) == folder
    other.write_text("x = 12\n")
    assert cache_folder(str(source)) != folder


@pytest.mark.parametrize("source", [None, "<stdin>", "no/such/file.py", "users/rules.py"])
def test_the_code_of_a_user_and_what_is_in_no_file_is_not_kept(project: Path, source: str | None):
    _file(project.parent / "users" / "rules.py")
    assert cache_folder(source if source is None else str(project.parent / source)) is None


def test_nothing_is_kept_of_a_file_that_was_edited_while_the_process_ran(
    project: Path, monkeypatch: pytest.MonkeyPatch
):
    source = _file(project / "rules.py")
    monkeypatch.setattr(cache, "_STARTED", source.stat().st_mtime_ns)
    assert cache_folder(str(source)) is not None
    monkeypatch.setattr(cache, "_STARTED", source.stat().st_mtime_ns - 1)
    assert cache_folder(str(source)) is None


@pytest.mark.parametrize("moved", [False, True])
def test_a_place_that_cannot_be_written_is_passed_over(project: Path, monkeypatch: pytest.MonkeyPatch, moved: bool):
    """First comes Numba's own variable, last the user's cache; a user with none of these has no cache."""
    if moved:
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(project.parent / "elsewhere"))
    _file(project / "__pycache__", "a file, where a folder is needed")
    folder = cache_folder(str(_file(project / "rules.py")))
    assert folder is not None
    assert folder.parents[1] == project.parent / ("elsewhere" if moved else "home/treebandit")


def test_a_user_without_a_home_has_no_cache(project: Path, monkeypatch: pytest.MonkeyPatch):
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    _file(project / "__pycache__", "a file, where a folder is needed")
    assert cache_folder(str(_file(project / "rules.py"))) is None


def test_code_with_bounds_checks_is_kept_apart_from_code_without(project: Path, monkeypatch: pytest.MonkeyPatch):
    source = str(_file(project / "rules.py"))
    unchecked = cache_folder(source)
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert cache_folder(source) not in (None, unchecked)


PAST_THE_END = """
from numerics.random import Purpose, next_uniform, streams
next_uniform(streams(0, (Purpose.REWARD,), 0, 8)[:1], 5)
"""


@pytest.mark.long
@pytest.mark.jit
def test_bounds_are_checked_in_their_lane_though_unchecked_code_is_in_the_cache(tmp_path: Path):
    for more, error in (({}, ""), ({"NUMBA_BOUNDSCHECK": "1"}, "IndexError")):
        done = _in_a_process(PAST_THE_END, NUMBA_CACHE_DIR=str(tmp_path), **more)
        assert (done.returncode != 0) == bool(error), done.stderr
        assert error in done.stderr


CODE = "import math\n\ndef f(x):\n    return math.sin(x) + {}\n"


def _module(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _made(file: Path, signature: str = "float64(float64)", name: str = "f") -> Any:
    """Return the kernel of a function in a file, as a new process makes it."""
    return kernel(signature)(getattr(_module(file), name))


def _kept(project: Path) -> list[Path]:
    return sorted(project.rglob("*.code"))


@pytest.mark.jit
def test_a_second_process_finds_the_code_of_the_first_and_none_of_an_older_text(project: Path, monkeypatch):
    file = _file(project / "rules.py", CODE.format(1.0))
    monkeypatch.setattr(compiling, "say", (said := []).append)
    assert _made(file)(0.0) == 1.0
    assert said == [NOTICE]
    monkeypatch.setattr(compiling, "say", (said := []).append)
    again = _made(file)
    assert again.loaded is not None
    assert again(0.0) == 1.0
    assert not said
    # Of another length: Python goes by seconds and bytes, and takes its older bytecode for a text that has both.
    edited = _made(_file(project / "rules.py", CODE.format(12.5)))
    assert edited.loaded is None
    assert edited(0.0) == 12.5


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


HELPED = """
from numerics.kernels.jit import kernel
twice = kernel()(lambda x: x + x)
summed = kernel("float64(float64, int64)")(lambda x, n: twice(x) + twice(n))
"""


@pytest.mark.jit
def test_only_what_has_one_signature_is_kept_so_that_no_two_codes_have_one_file(project: Path):
    module = _module(_file(project / "helped.py", HELPED))
    assert module.summed(1.5, 2) == 7.0
    assert module.twice(2) == 4
    assert len(_kept(project)) == 1


@pytest.mark.jit
def test_a_full_disk_under_the_cache_costs_the_time_to_compile(project: Path, monkeypatch: pytest.MonkeyPatch):
    file = _file(project / "rules.py", CODE.format(1.0))

    def full(*anything: Any, **named: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for failing in ("tempfile.mkstemp", "os.replace"):
        with monkeypatch.context() as disk:
            disk.setattr(f"numerics.kernels.machine_code.{failing}", full)
            assert _made(file)(0.0) == 1.0
        assert not [kept for kept in project.rglob(f"{CACHE_NAME}/*/*") if kept.is_file()]
    assert _made(file)(0.0) == 1.0
    assert _made(file).loaded is not None


@pytest.mark.jit
def test_what_cannot_be_compiled_says_so_with_a_cache_as_without(project: Path):
    file = _file(project / "rules.py", "def f(x):\n    return x.nothing\n")
    with pytest.raises(numba.TypingError, match="nothing"):
        _made(file)(0.0)


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


ELSEWHERE = """
import sys
import numpy as np
from numerics.kernels.jit import compile_elsewhere
from numerics.random import draw_uniform
sys.executable = {!r}
compile_elsewhere(draw_uniform)
print(draw_uniform(np.ones((1, 4), np.uint64), 0) == {!r}, draw_uniform._elsewhere is not None)
"""


WARM = """
import sys
from bandits import simulate
print(simulate("thompson", [0.3, 0.6], 200, 20).pulls.tolist(), "numba" in sys.modules)
if {}:
    import numba
    print(simulate("kl_ucb", [0.3, 0.6], 200, 20).pulls.tolist())
"""


@pytest.mark.jit
@pytest.mark.long
def test_a_kernel_is_compiled_in_another_process_or_here_where_that_fails(tmp_path: Path):
    failing = _file(tmp_path / "python", "#!/bin/sh\nexit 1\n")
    failing.chmod(0o755)
    first = draw_uniform(np.ones((1, 4), np.uint64), 0)
    for number, (program, begun) in enumerate([(sys.executable, True), (failing, True), ("no program", False)]):
        done = _in_a_process(ELSEWHERE.format(str(program), first), NUMBA_CACHE_DIR=str(tmp_path / str(number)))
        assert (done.stderr, done.stdout) == ("", f"True {begun}\n")


@pytest.mark.jit
@pytest.mark.long
def test_what_is_compiled_is_played_without_numba_and_beside_it(tmp_path: Path):
    done = [_in_a_process(WARM.format(more), NUMBA_CACHE_DIR=str(tmp_path)) for more in (0, 0, 1)]
    assert [one.stderr for one in done] == [""] * 3
    first, second, third = (one.stdout for one in done)
    assert first.endswith("True\n")
    assert second == first.replace("True", "False")
    assert third.startswith(second)
    assert json.loads(third.splitlines()[1]) == simulate("kl_ucb", [0.3, 0.6], 200, 20).pulls.tolist()


ITEM = "def f(values, i):\n    return values[i]\n\ndef g(values, i):\n    return -values[i]\n"
ITEM_TYPE = "float64(float64[::1], int64)"


@pytest.mark.jit
def test_loaded_code_takes_the_arguments_of_its_signature_alone(project: Path):
    file = _file(project / "rules.py", ITEM)
    assert _made(file, ITEM_TYPE)(np.array([1.0, 2.0]), 1) == 2.0  # compiles
    made = _made(file, ITEM_TYPE)
    assert made.loaded is not None
    assert made(np.array([1.0, 2.0]), 1) == 2.0
    for values in (np.array([1, 2]), np.zeros((2, 2)), np.zeros(4)[::2], [1.0, 2.0]):
        with pytest.raises(TypeError, match=re.escape(ITEM_TYPE)):
            made(values, 0)
    with pytest.raises(TypeError, match=r"float$"):
        made(np.zeros(2), 0.0)


def _flipped(kept: bytes, bit: int) -> bytes:
    return kept[: bit // 8] + bytes([kept[bit // 8] ^ 1 << bit % 8]) + kept[bit // 8 + 1 :]


def _damages(kept: bytes, other: bytes) -> Iterator[bytes]:
    """Yield what may become of a file: cut off, made zeros, another kernel's, or with a changed bit, near and far."""
    bits = 8 * len(kept)
    yield from (kept[:size] for size in (0, 1, 31, 32, 33, len(kept) // 2, len(kept) - 1))
    yield from (b"\0" * len(kept), kept[:32] + b"\0" * (len(kept) - 32), kept + b"\0", kept * 2, b"no code at all")
    yield from (_flipped(kept, bit) for bit in (*range(0, bits, bits // 100), bits - 1))
    yield from (other, kept[:32] + other[32:], other[:32] + kept[32:])


@pytest.mark.jit
def test_a_damaged_file_and_that_of_another_kernel_are_compiled_again_and_never_loaded(project: Path):
    file, values = _file(project / "rules.py", ITEM), np.array([1.0, 2.0])
    assert [_made(file, ITEM_TYPE, name)(values, 1) for name in "fg"] == [2.0, -2.0]
    path, other = _kept(project)
    kept, made = path.read_bytes(), _made(file, ITEM_TYPE)
    for damaged in _damages(kept, other.read_bytes()):
        path.write_bytes(damaged)
        assert machine_code.load(path, made.function) is None
    assert made(values, 1) == 2.0
    assert _made(file, ITEM_TYPE).loaded is not None  # it is written anew
    path.write_bytes(kept)
    assert machine_code.load(path, made.function) is not None


@pytest.mark.jit
@pytest.mark.skipif(os.name == "nt", reason="files have no modes there")
def test_only_a_file_that_no_other_user_could_have_written_is_loaded(project: Path, monkeypatch: pytest.MonkeyPatch):
    file, before = _file(project / "rules.py", ITEM), os.umask(0)
    try:
        assert _made(file, ITEM_TYPE)(np.zeros(2), 1) == 0.0
    finally:
        os.umask(before)
    (path,) = _kept(project)
    assert [found.stat().st_mode & 0o777 for found in (path, path.parent, path.parents[1])] == [0o600, 0o700, 0o700]
    for mode, is_loaded in ((0o644, True), (0o620, False), (0o602, False), (0o600, True)):
        path.chmod(mode)
        assert (_made(file, ITEM_TYPE).loaded is not None) == is_loaded
    found, me = os.fstat, os.geteuid()
    for owner, is_loaded in ((0, True), (me, True), (me + 1, False)):
        monkeypatch.setattr(os, "fstat", lambda handle, owner=owner: _owned_by(owner, found(handle)))
        assert (machine_code.load(path, _made(file, ITEM_TYPE).function) is not None) == is_loaded
    cache._root.cache_clear()  # as on a file system that names another owner for all files
    assert cache_folder(str(file)) is None


def _owned_by(user: int, found: os.stat_result) -> os.stat_result:
    return os.stat_result((*found[:4], user, *found[5:]))


@pytest.mark.jit
def test_functions_of_one_name_have_machine_code_of_their_own(project: Path):
    text = "f = lambda x: x + 1.0\ng = lambda x: x + 2.0\n"
    file = _file(project / "lambdas.py", text)
    for _ in range(2):  # compiled, and loaded
        assert [_made(file, name=name)(0.0) for name in "fg"] == [1.0, 2.0]


# --- the command that removes the caches of this project and nothing else ---


def test_the_caches_of_the_project_go_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    installed = tmp_path / "project"
    monkeypatch.setattr(cache, "ROOT", installed)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "moved"))
    kept = [
        _file(installed / "bandits" / "__pycache__" / "rules.pyc"),
        _file(installed / "bandits" / CACHE_NAME / "argmax.py"),
        _file(tmp_path / "other" / "bandits" / "__pycache__" / CACHE_NAME / "cdef" / "code.nbc"),
        _file(tmp_path / "moved" / "of_another_program.nbc"),
    ]
    gone = [
        _file(installed / "bandits" / "__pycache__" / CACHE_NAME / "0123" / "code.nbc"),
        _file(installed / "numerics" / "deep" / "er" / "__pycache__" / CACHE_NAME / "4567" / "code.nbc"),
        _file(tmp_path / "home" / "treebandit" / CACHE_NAME / "89ab" / "code.nbc"),
        _file(tmp_path / "moved" / CACHE_NAME / "cdef" / "code.nbc"),
    ]
    clean_cache.main([])
    assert set(capsys.readouterr().out.splitlines()) == {f"removed {file.parents[1]}" for file in gone}
    assert not any(file.parents[1].exists() for file in gone)
    assert all(file.exists() for file in kept)
    clean_cache.main([])
    assert capsys.readouterr().out.count("\n") == 1
