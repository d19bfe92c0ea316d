"""A machine without semaphores, as one whose /dev/shm is not writable: what needs processes says so, the rest runs."""

from __future__ import annotations

import errno
import multiprocessing.synchronize
import os

import pytest

from mcts import search
from tests.experiments.own_games import Dice, Nim
from tests.internals import Auto, Processes, auto


@pytest.fixture(autouse=True, params=[errno.EROFS, errno.ENOSYS])
def without_semaphores(request, monkeypatch):
    def fail(*_, **__):
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(multiprocessing.synchronize._multiprocessing, "SemLock", fail)
    return os.strerror(request.param)


def test_the_executor_of_processes_is_refused_by_its_name(without_semaphores):
    with pytest.raises(ValueError, match=rf"^executor .*{without_semaphores}"):
        list(Processes(workers=2).run([lambda: None] * 2))


def test_the_automatic_executor_stays_with_threads(monkeypatch):
    monkeypatch.setattr(auto, "_LONG", -1.0)
    done = []
    assert len(list(Auto(workers=2).run([lambda: done.append(1)] * 5))) == len(done) == 5


@pytest.mark.parametrize("board", [Nim((2, 3)), Dice()], ids=["turns", "chance"])
def test_a_search_in_processes_is_refused(board):
    with pytest.raises(ValueError, match=r"^workers .*1.*; got 2"):
        search(board, simulations=20, workers=2)
