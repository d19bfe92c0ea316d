"""How far long work is: nothing of what ends at once, lines where output is no terminal, a bar where it is one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from numerics.kernels.compiling import NOTICE, PHASE, Compiling
from numerics.output import progress
from numerics.output.progress import Count, Lines

WORK = """
import time
from numerics.output import progress
progress._FIRST, progress._EVERY, progress._LOOK = 0.2, 0.4, 0.02
with progress.progress(100, "games", 10) as advance:
    for _ in range(10):
        time.sleep(0.1)
        advance()
"""


def _said(capsys, parts, seconds, **more):
    """The lines of work whose parts take so many seconds each, by a clock that stands still between looks."""
    now = [0.0]
    count = Count(10 * parts, "games", parts, clock=lambda: now[0])
    lines = Lines(count, **{"brief": False, **more})
    for _ in range(parts):
        for _ in range(10):
            now[0] += seconds / 10
            lines.look()
        count.advance()
    lines.end()
    return capsys.readouterr().err.splitlines()


def test_work_that_ends_at_once_prints_nothing(capsys):
    assert _said(capsys, 3, 0.4) == []


def test_long_work_prints_an_estimate_a_line_a_minute_and_one_at_its_end(monkeypatch, capsys):
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # whose fourth part makes the estimate sure
    begun, first, *later, last = _said(capsys, 100, 2.0)
    assert begun == f"{PHASE}playing 1,000 games, 0 % so far"
    assert first.startswith("40 of 1,000 games in 8 s, ")
    assert first.endswith(" left")
    assert [re.search(r" in (\d+ \w+)", line)[1] for line in later] == ["68 s", "2 min", "3 min"]
    assert last == "1,000 games in 3 min"


def test_work_in_one_long_part_says_that_none_has_ended(capsys):
    begun, first, last = _said(capsys, 1, 70.0)
    assert begun == f"{PHASE}playing 10 games, 0 % so far"
    assert first == "0 of 10 games in 63 s"
    assert last == "10 games in 70 s"


def test_a_run_of_a_sweep_prints_the_line_of_each_minute_alone(capsys):
    (line,) = _said(capsys, 10, 7.0, brief=True)
    assert line.startswith("80 of 100 games in 60 s, ")
    assert line.endswith(" left")


def test_lines_are_printed_while_the_work_blocks_its_thread(monkeypatch, capsys):
    for name, value in (("_EVERY", 0.0), ("_LOOK", 0.01)):
        monkeypatch.setattr(progress, name, value)
    with progress.progress(10, "games"):
        until, said = time.monotonic() + 60.0, ""
        while "0 of 10 games" not in said and time.monotonic() < until:
            time.sleep(0.01)
            said += capsys.readouterr().err
    assert "0 of 10 games" in said


def test_work_that_fails_prints_no_end(monkeypatch, capsys):
    monkeypatch.setattr(Lines, "look", lambda lines: setattr(lines, "_has_estimate", True))
    monkeypatch.setattr(progress, "_LOOK", 0.0)
    with pytest.raises(KeyboardInterrupt), progress.progress(30, "games"):
        raise KeyboardInterrupt
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("parts", "ends", "now", "said"),
    [
        (
            100,
            [1.6 * n for n in range(1, 26)],
            40.0,
            "250 of 1,000 games in 40 s, 6.3 games a second, about 2 min left",
        ),
        (100, [7200.0], 7200.0, "10 of 1,000 games in 2 h, 5.0 games an hour, about 8.2 days left"),
        (
            10,
            [31.0, 32.0, 33.0, 34.0],
            34.0,
            "400 of 1,000 games in 34 s, 100 games a second, about 6 s left",
        ),  # a slow start
    ],
)
def test_a_line_tells_how_much_how_fast_and_how_long(parts, ends, now, said):
    times = iter([0.0, *ends])
    count = Count(1_000, "games", parts, clock=lambda: next(times, now))
    for _ in ends:
        count.advance()
    assert count.text() == said


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_terminal_has_a_bar_with_the_time_left_that_goes_at_the_end():
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", WORK], stderr=theirs, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                said += os.read(ours, 10_000)
            except OSError:  # as Linux ends a terminal
                break
        os.close(ours)
    assert process.returncode == 0
    assert "0 of 100 games" in said.decode()
    assert "s left" in said.decode()
    assert said.decode().rstrip().endswith("\x1b[2K")  # the line of the bar is erased


class Clock:
    """A clock that is set by hand, and the timers that it starts."""

    def __init__(self):
        self.now, self.timers = 0.0, []

    def monotonic(self):
        return self.now

    def Timer(self, seconds, call, words=()):
        start = lambda: self.timers.append(timer)  # noqa: E731
        timer = SimpleNamespace(due=self.now + seconds, call=lambda: call(*words), start=start)
        timer.cancel = lambda: timer in self.timers and self.timers.remove(timer)
        return timer

    def pass_time(self, seconds):
        """Go on by so many seconds; what is due is called at its moment."""
        until = self.now + seconds
        while due := [timer for timer in self.timers if timer.due <= until]:
            timer = min(due, key=lambda one: one.due)
            self.timers.remove(timer)
            self.now = timer.due
            timer.call()
        self.now = until


def test_a_command_says_once_that_it_compiles_and_of_code_that_is_not_kept_nothing():
    compiling, said = Compiling(), []
    with compiling.announced(said.append):
        for is_kept, lines in ((False, []), (True, [NOTICE]), (True, [NOTICE])):
            compiling.start(is_kept=is_kept)
            compiling.start(is_kept=False)
            compiling.end()
            assert compiling.now
            compiling.end()
            assert not compiling.now
            assert said == lines
    compiling.start(is_kept=True)  # where nobody waits
    assert said == [NOTICE]


def test_a_phase_that_takes_long_says_what_it_is_and_a_short_one_nothing(monkeypatch, capsys):
    clock = Clock()
    monkeypatch.setattr(progress, "threading", clock)
    with progress.doing("drawing"):
        clock.pass_time(1.6)
    with progress.doing("storing"):
        clock.pass_time(1.4)
    clock.pass_time(100.0)
    assert capsys.readouterr().err == f"{PHASE}drawing\n"
