"""Ctrl-C and SIGTERM end a command with a status and a sentence, which says how to go on where something was begun."""

from __future__ import annotations

import contextlib
import signal

import pytest

from experiments.engine.errors import INTERRUPTED, TERMINATED, guarded


def _interrupt(*told: str) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(*told) from None
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("told", "said"),
    [((), ""), (("hydra.run.dir=x",), "; the same command with hydra.run.dir=x plays only what is missing")],
)
def test_an_interrupt_is_one_sentence_and_its_status(capsys, told, said):
    assert guarded(lambda: _interrupt(*told)) == INTERRUPTED
    assert capsys.readouterr().err == f"interrupted{said}\n"


def test_a_failure_without_an_interrupt_stays_what_it_is():
    with pytest.raises(RuntimeError, match="no compiled object"):
        guarded(lambda: (_ for _ in ()).throw(RuntimeError("no compiled object yet")))


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
