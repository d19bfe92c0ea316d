"""How far long work is: nothing of what ends at once, lines where output is no terminal, a bar where it is one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from numerics.output import progress
from tests.internals import NOTICE, PHASE, Compiling

WORK = """
import time
from numerics.output import progress
with progress.progress(100, "games", 10) as advance:
    for _ in range(10):
        time.sleep(0.1)
        advance("60 % won")
"""


def test_work_that_ends_at_once_prints_nothing(capsys):
    with progress.progress(10, "games") as advance, progress.show_doing("storing"):
        advance()
    assert capsys.readouterr().err == ""


def heard(capsys) -> str:
    """A line of the standard error, which another thread prints."""
    until, said = time.monotonic() + 60.0, ""
    while "\n" not in said and time.monotonic() < until:
        time.sleep(0.01)
        said += capsys.readouterr().err
    return said


def test_lines_are_printed_while_the_work_blocks_its_thread(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_FIRST", 0.01)
    with progress.progress(1_000, "games", 2) as advance:
        advance("60 % won")
        said = heard(capsys)
    assert said == f"{PHASE}500 of 1,000 games in 1 s; 60 % won\n"


def test_a_line_tells_how_much_how_long_and_what_is_left():
    task = SimpleNamespace(
        completed=400.0, total=1_000, description="games", elapsed=34.2, time_remaining=6.0, fields={"words": ""}
    )
    assert progress.describe(task) == "400 of 1,000 games in 34 s, about 6 s left"


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
    for words in ("0 of 100 games", "s left", "60 % won"):
        assert words in said.decode()
    assert said.decode().rstrip().endswith("\x1b[2K")  # the line of the bar is erased


def test_a_command_says_once_that_it_compiles_and_of_code_that_is_not_kept_nothing():
    compiling, said = Compiling(), []
    compiling.say = said.append
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


def test_a_step_that_takes_long_says_what_it_is(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_SILENT", 0.01)
    with progress.show_doing("drawing"):
        said = heard(capsys)
    assert said == f"{PHASE}drawing\n"
