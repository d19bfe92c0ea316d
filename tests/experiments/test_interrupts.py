"""Ctrl-C ends a command with status 130 and one sentence, wherever Python or a compiler happens to be."""

from __future__ import annotations

import signal
import sys
import time
import weakref
from collections.abc import Iterator

import pytest

from experiments.failures import INTERRUPTED, guarded


@pytest.fixture(autouse=True)
def _as_in_a_command_of_its_own() -> Iterator[None]:
    handler, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)
    sys.unraisablehook = hook


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


@pytest.mark.parametrize("main", [_plainly, _in_a_compiler, _in_a_callback_of_the_collector])
def test_an_interrupt_is_one_sentence_and_its_status(main, capsys):
    assert guarded(main) == INTERRUPTED
    assert capsys.readouterr().err == "interrupted\n"


def test_a_failure_without_an_interrupt_stays_what_it_is():
    with pytest.raises(RuntimeError, match="no compiled object"):
        guarded(lambda: (_ for _ in ()).throw(RuntimeError("no compiled object yet")))
