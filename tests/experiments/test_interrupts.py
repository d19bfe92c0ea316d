"""Ctrl-C and SIGTERM end a command with a status and a sentence, which says how to go on where something was begun."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.experiments.commands import hear_interrupts
from tests.internals import INTERRUPTED, TERMINATED, guarded

ROOT = Path(__file__).resolve().parents[2]
# Run by Python before a command: Ctrl-C comes at the first import of a module that commands load early.
INTERRUPTING = """
import signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "numerics.exits":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""


@pytest.fixture
def interruptible():
    """Hear Ctrl-C where the tests run in the background too."""
    before = signal.getsignal(signal.SIGINT)
    hear_interrupts()
    yield
    signal.signal(signal.SIGINT, before)


def test_a_sigterm_is_one_sentence_and_its_status(capsys):
    before = signal.getsignal(signal.SIGTERM)
    assert guarded(lambda: signal.raise_signal(signal.SIGTERM)) == TERMINATED
    assert capsys.readouterr().err == "terminated\n"
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_sigterm_that_a_library_swallows_ends_the_command_by_what_comes_of_it(capsys):
    def compile_kernel():
        with contextlib.suppress(KeyboardInterrupt):  # as ctypes does with what a callback raises
            signal.raise_signal(signal.SIGTERM)
        raise RuntimeError("no compiled object yet")

    assert guarded(compile_kernel) == TERMINATED
    assert capsys.readouterr().err == "terminated\n"


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_that_a_library_turns_into_another_error_is_still_an_interrupt(capsys):
    def read_configuration():
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            raise AttributeError("'NoneType' object has no attribute '_invalidate_flags_cache'")

    assert guarded(read_configuration) == INTERRUPTED
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a signal ends no process there")
@pytest.mark.parametrize("words", [["-m", "experiments.run"], ["-m", "treebandit", "solve", "4453"]])
def test_ctrl_c_while_python_loads_a_command_ends_it_without_a_traceback(tmp_path: Path, words: list[str]):
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTING, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, *words],
        env=environment,
        preexec_fn=hear_interrupts,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
