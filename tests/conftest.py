"""What every test runs under: which of the three lanes runs it, and the floating-point rules of compiled code."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numerics.output import style
from tests.internals import COMPILED

# The lanes without full speed: kernels as plain Python, or compiled with every array index checked.
_SHORT_LANE = not COMPILED or os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")


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
    for those in cases.values():
        count = those[0].get_closest_marker("sampled").args[0]  # type: ignore[union-attr]
        fast = {(2 * place + 1) * len(those) // (2 * count) for place in range(count)}
        for place, item in enumerate(those):
            if place not in fast:
                item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: item.path.name != "test_pages.py")  # minutes each: no other waits for these
    kept = [item for item in items if _belongs_to_this_lane(item)]
    if not _SHORT_LANE and (part := os.environ.get("LONG_PART")):  # 1/8: the second of every eight long tests
        which, parts = map(int, part.split("/"))
        long = [item for item in kept if item.get_closest_marker("long")]
        left_out = {item for place, item in enumerate(long) if place % parts != which}
        kept = [item for item in kept if item not in left_out]
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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the dearest files beside the slowest tests, where those are asked for."""
    if config.option.durations:
        terminalreporter.section(f"{_spent.total():.0f} processor seconds, most of them in")
        for file, seconds in _spent.most_common(config.option.durations):
            terminalreporter.write_line(f"{seconds:6.1f} s  {file}")
