"""What every test runs under: which of the three lanes runs it, and the floating-point rules of compiled code."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numerics.output import style
from tests.internals import COMPILED

_BOUNDS = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")
# The lanes without full speed: kernels as plain Python, or compiled with every array index checked.
_SHORT_LANE = not COMPILED or _BOUNDS
_LANE = "kernels as plain Python" if not COMPILED else "kernels with checked indices" if _BOUNDS else "compiled kernels"
_SEED = os.environ.get("TEST_SEED")  # of the cases of `sampled` that are fast; without one they are evenly spaced


def _belongs_to_this_lane(item: pytest.Item) -> bool:
    """Say whether this lane runs a test: the jitted one nearly all, the short ones what runs kernels and is quick."""
    marks = {mark.name for mark in item.iter_markers()}
    return not _SHORT_LANE or ("kernels" in marks and "jit" not in marks)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """In the short lanes, do not even import a file without tests of theirs: half a minute of processor time in all."""
    if not _SHORT_LANE or not collection_path.match("test_*.py"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    return None if "mark.kernels" in text else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sample cases; in the short lanes, run the tests of kernels alone, but for those that need full speed."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.long)
        if "program" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.program)
        if item.get_closest_marker("sampled") and not item.get_closest_marker("long"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for test, those in cases.items():
        count = those[0].get_closest_marker("sampled").args[0]  # type: ignore[union-attr]
        fast = {(2 * place + 1) * len(those) // (2 * count) for place in range(count)}
        if _SEED:
            fast = {*random.Random(f"{_SEED} {test}").sample(range(len(those)), min(count, len(those)))}
        for place, item in enumerate(those):
            if place not in fast:
                item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: item.path.name != "test_pages.py")  # minutes each: no other waits for these
    kept = [item for item in items if _belongs_to_this_lane(item)]
    config.hook.pytest_deselected(items=list(set(items) - set(kept)))
    items[:] = kept


@pytest.fixture(autouse=True)
def _floating_point_of_compiled_code() -> Iterator[None]:
    """Let unsigned words wrap round in silence when a helper is called as plain Python, as they do when compiled."""
    if COMPILED:
        yield
    else:
        with np.errstate(all="ignore"):
            yield


@pytest.fixture(scope="session")
def program() -> Callable[[str], str]:
    """Find a program on PATH; where it is missing, the test is skipped and says which."""

    def path_of(name: str) -> str:
        path = shutil.which(name)
        if path is None:
            pytest.skip(f"no {name} on PATH")
        return path

    return path_of


@pytest.fixture
def house_style() -> Iterator[None]:
    """Draw as figures on disk are drawn."""
    with style.house_style():
        yield


_spent: Counter[str] = Counter()  # processor seconds by file, of ended processes and compiling too
_before = 0.0


def pytest_runtest_logstart() -> None:
    """Begin to count what a test costs."""
    global _before
    _before = sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the processor seconds of this phase of a test into its report, which goes to the process that prints."""
    report = yield
    began = _before
    pytest_runtest_logstart()
    report.processor = _before - began
    return report


def pytest_runtest_logreport(report: Any) -> None:
    """Add them up."""
    _spent[report.location[0]] += getattr(report, "processor", 0.0)  # none of a process that was killed


_memory: list[float] = []  # GB at most of each process of tests


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Note the largest memory of this process, for the one that prints."""
    if sys.platform != "win32":
        import resource

        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "darwin" else 1)
        getattr(session.config, "workeroutput", {})["memory"] = kilobytes / 2**20
        _memory.append(kilobytes / 2**20)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the memory that a process of tests noted."""
    _memory.append(getattr(node, "workeroutput", {}).get("memory", 0.0))  # none of a process that was killed


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the dearest files beside the slowest tests, where those are asked for, and the seed of the sample.

    They are added to the file that LANES names, which `.ci/run` prints last.
    """
    if _SEED:
        terminalreporter.write_line(f"the sampled cases are those of TEST_SEED={_SEED}: TEST_SEED={_SEED} make test")
    if not config.option.durations or hasattr(config, "workerinput"):
        return
    counts = {kind: len(terminalreporter.stats.get(kind, ())) for kind in ("passed", "failed", "error", "skipped")}
    said = ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)
    title = f"{_LANE}: {said}; {max(_memory, default=0.0):.1f} GB in a process; {_spent.total():.0f} processor seconds"
    rows = [f"{seconds:6.1f} s  {file}" for file, seconds in _spent.most_common(10)]
    terminalreporter.section(title)
    for row in rows:
        terminalreporter.write_line(row)
    if place := os.environ.get("LANES"):
        with open(place, "a", encoding="utf-8") as file:
            file.write("\n".join([title, *rows, ""]))
