"""Ctrl-C ends a command with status 130 and one sentence, wherever Python or a compiler happens to be."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator

import pytest

from experiments import interrupts
from experiments.failures import INTERRUPTED, guarded


@pytest.fixture(autouse=True)
def _as_in_a_command_of_its_own() -> Iterator[None]:
    handler, hooks = signal.getsignal(signal.SIGINT), (sys.unraisablehook, sys.excepthook)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)
    sys.unraisablehook, sys.excepthook = hooks


def _plainly() -> None:
    signal.raise_signal(signal.SIGINT)


def _in_a_compiler() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise RuntimeError("no compiled object yet for <Library 'play'>") from None


def _in_a_callback_of_the_collector() -> None:
    class Something:
        pass

    kept = Something()
    watched = weakref.ref(kept, lambda _: signal.raise_signal(signal.SIGINT))
    del kept
    assert watched() is None
    time.sleep(10.0)
    raise AssertionError("the interrupt was lost")


def _in_a_library_that_goes_on() -> None:
    with contextlib.suppress(BaseException):
        signal.raise_signal(signal.SIGINT)
    interrupts.raise_lost()


def _while_compiled_code_is_imported() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt as error:
        sys.excepthook(type(error), error, error.__traceback__)  # as PyErr_Print does
        raise ImportError("numpy.core.multiarray failed to import") from None


def _in_an_object_that_is_never_finished() -> None:
    class Half:
        def __del__(self) -> None:
            raise AttributeError("no such attribute yet")

    half = Half()
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        del half


def _several_in_a_moment() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        for _ in range(3):
            signal.raise_signal(signal.SIGINT)


MAINS = [
    _plainly, _in_a_compiler, _in_a_callback_of_the_collector, _in_a_library_that_goes_on,
    _while_compiled_code_is_imported, _in_an_object_that_is_never_finished, _several_in_a_moment,
]  # fmt: skip


@pytest.mark.parametrize("main", MAINS)
def test_an_interrupt_is_one_sentence_and_its_status(main, capsys):
    assert guarded(main) == INTERRUPTED
    assert capsys.readouterr().err == "interrupted\n"


def test_a_failure_without_an_interrupt_stays_what_it_is():
    with pytest.raises(RuntimeError, match="no compiled object"):
        guarded(lambda: (_ for _ in ()).throw(RuntimeError("no compiled object yet")))


def test_several_interrupts_do_not_meet_the_sentence_about_the_first(monkeypatch, capsys):
    monkeypatch.setattr("experiments.failures.say", lambda text: (signal.raise_signal(signal.SIGINT), print(text)))
    assert guarded(_plainly) == INTERRUPTED
    assert capsys.readouterr().out == "interrupted\n"


def test_an_interrupt_of_one_command_is_not_found_in_the_next(capsys):
    assert guarded(_plainly) == INTERRUPTED
    assert guarded(interrupts.raise_lost) == 0


BEGINS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ["-m"]
import experiments
os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.mark.parametrize(("begins", "said"), [(BEGINS, b"interrupted\n"), (BEGINS.replace('"-m"', '"notebook"'), None)])
def test_an_interrupt_before_a_command_begins_is_one_sentence_too_and_an_import_changes_nothing(begins, said):
    done = subprocess.run([sys.executable, "-c", begins], capture_output=True, check=False, env={**os.environ})
    if said is None:
        assert b"KeyboardInterrupt" in done.stderr
    else:
        assert (done.returncode, done.stderr) == (INTERRUPTED, said)
