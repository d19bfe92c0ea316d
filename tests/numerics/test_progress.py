"""How far long work is: nothing of what ends at once, lines where output is no terminal, a bar where it is one."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from numerics.kernels.compiling import PHASE, Compiling, notice
from numerics.output import progress
from numerics.output.progress import Count

WORK = """
import time
from numerics.output import progress
progress._FIRST, progress._EVERY, progress._LOOK = 0.2, 0.4, 0.02
with progress.progress(100, "games", 10) as advance:
    for _ in range(10):
        time.sleep(0.1)
        advance()
"""


def _lines(monkeypatch, capsys, parts, seconds, **more):
    for name, value in (("_FIRST", 0.1), ("_EVERY", 0.3), ("_LOOK", 0.01)):
        monkeypatch.setattr(progress, name, value)
    with progress.progress(10 * parts, "games", parts, **more) as advance:
        for _ in range(parts):
            time.sleep(seconds)
            advance()
    return capsys.readouterr().err.splitlines()


def test_work_that_ends_at_once_prints_nothing(monkeypatch, capsys):
    assert _lines(monkeypatch, capsys, 3, 0.01) == []


def test_long_work_prints_an_estimate_a_line_now_and_then_and_one_at_its_end(monkeypatch, capsys):
    first, *later, last = _lines(monkeypatch, capsys, 10, 0.08)
    assert " of 100 games in 1 s, " in first
    assert first.endswith(" left")
    assert 1 <= len(later) <= 3
    assert last == "100 games in 1 s"


def test_work_in_one_long_part_says_that_none_has_ended(monkeypatch, capsys):
    first, *_ = _lines(monkeypatch, capsys, 1, 0.5)
    assert first == "0 of 10 games in 1 s"


def test_a_run_of_a_sweep_prints_the_line_of_each_minute_alone(monkeypatch, capsys):
    said = _lines(monkeypatch, capsys, 10, 0.05, brief=True)
    assert len(said) == 1
    assert said[0].endswith(" left")


def test_work_that_fails_prints_no_end(monkeypatch, capsys):
    def fail(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", fail)
    with pytest.raises(KeyboardInterrupt):
        _lines(monkeypatch, capsys, 3, 0.2)
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


def test_what_is_compiled_is_named_after_a_second_and_where_a_kernel_takes_long(monkeypatch):
    for name, seconds in (("_FIRST", 0.05), ("_EVERY", 100.0), ("_LONG", 0.5)):
        monkeypatch.setattr(f"numerics.kernels.compiling.{name}", seconds)
    compiling, said = Compiling(), []

    def compile_for(seconds, kernel):
        compiling.start(kernel)
        compiling.start("helper")
        time.sleep(seconds)
        compiling.end()
        assert compiling.now
        compiling.end()
        assert not compiling.now

    with compiling.announced(said.append):
        for kernel in ("first", "second", "third", "fourth"):  # it is the sum that is long
            compile_for(0.03, kernel)
        assert said in ([notice("second")], [notice("first")])  # on a machine that is busy
        compile_for(1.0, "long")
    assert said[1:] == [notice("long")]
    monkeypatch.setattr("numerics.kernels.compiling._AGAIN", 0.1)
    with compiling.announced(said.append):
        compile_for(1.0, "very long")
    assert said[2:4] == [notice("very long")] * 2
    del said[2:]
    assert 2.1 < compiling.seconds < 20.0
    compile_for(0.6, "of nobody who waits")
    assert len(said) == 2


def test_a_phase_that_takes_long_says_what_it_is_and_a_short_one_nothing(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_SILENT", 0.05)
    with progress.doing("drawing"):
        time.sleep(0.5)
    with progress.doing("storing"):
        pass
    time.sleep(0.1)
    assert capsys.readouterr().err == f"{PHASE}drawing\n"


def test_long_play_says_what_is_played_before_there_is_an_estimate(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_SILENT", 0.05)
    first, *_ = _lines(monkeypatch, capsys, 1, 0.5)
    assert first == f"{PHASE}playing 10 games, 0 % so far"
