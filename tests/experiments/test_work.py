"""The works of the page's server: what they used goes when they end, and requests that never arrive are given up."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest
from starlette.requests import Request

from connect4 import Board
from experiments.players import make_player
from tests.internals import move_of
from treebandit.page import requests
from treebandit.page.work import Work, Works


class Watched(Work):
    """A work that somebody watches all the time."""

    def rest(self):
        return 0.0


class Tree:
    """Something large that a task holds."""


def succeeds(tree, work):
    return "moved"


def fails(tree, work):
    """Fail with a tree in the functions of the error and of its cause."""
    try:
        raise OSError("no memory")
    except OSError as cause:
        inner = tree
        raise ValueError(f"no move from {type(inner).__name__}") from cause


@pytest.mark.parametrize("does", [succeeds, fails])
def test_an_ended_work_keeps_its_outcome_and_not_what_it_used(does):
    tree = Tree()
    seen = weakref.ref(tree)
    work = Work(lambda work, tree=tree: does(tree, work))
    del tree
    assert seen() is not None
    work.run()
    gc.collect()
    assert seen() is None
    assert work.has_ended
    assert work.outcome == "moved" or str(work.error) == "no move from Tree"
    bug = Work(lambda work: {}["absent"])
    bug.run()
    assert "in <lambda>" in bug.error.__notes__[0]


@pytest.mark.kernels
def test_the_player_and_the_tree_of_a_move_go_when_it_is_made():
    player = make_player("uct", simulations=50)
    seen = weakref.ref(player)

    def task(work, player=player):
        return move_of(player, Board(4, 4, 3), work)

    work = Watched(task)
    del task, player
    work.run()
    assert work.outcome["simulations"] == 50
    gc.collect()
    assert seen() is None


def test_a_recording_that_was_answered_is_dropped():
    class App:
        class state:
            works = Works()

    async def receive():
        await asyncio.sleep(60.0)

    request = Request({"type": "http", "method": "POST", "headers": [], "app": App}, receive)
    assert asyncio.run(requests.done(request, lambda work: "a recording")) == "a recording"
    assert App.state.works._works == {}
