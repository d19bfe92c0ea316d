"""A player makes a move: a tree search in slices, with a view of the search after each; any other player in one call.

The exact scores that `perfect` and `graded` need are searched, and a program is asked, only while somebody waits, too.
Other players get at most about a second of work (`given.check_work`) and finish it.

A tree search runs in slices of about 15 ms of simulations. Between slices it shows its statistics, checks that a client
still waits for it, and holds while it is paused. A paused search keeps its tree, and the clock of its budget stops. Its
kernel lets other threads run. With a budget of simulations the tree, and so the move, is that of one call.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from connect4 import Board
from connect4.notation import number_of_column
from connect4.players.program import ProgramPlayer
from experiments.players.perfect import PerfectPlayer
from experiments.players.proven import scores_within
from experiments.recordings.rules import kind_of_index
from mcts import SearchResult, UCTPlayer
from numerics.players import Forfeit, Player
from treebandit.page.answers import plain
from treebandit.page.given import SECONDS
from treebandit.page.work import Work

_SLICE = 0.015  # seconds between two looks at whether a search is wanted
_SHOWN = 0.1  # seconds between two pictures of it
_LINE = 12  # moves of the principal variation

Seen = dict[str, Any]


def move_of(player: Player, board: Board, work: Work) -> Seen:
    """Make a player move; return what it saw and the `column`, 0-based.

    Meanwhile `work.seen` shows `visits`, `means` and `scores` of each move in `moves`. The means are in [0, 1] for the
    side to move. The scores are the index of the rule, or None where it has none yet. It also shows how many
    `simulations` there were `of` how many (None: the clock decides), and the `line` of play that the search expects.
    What a player does not know is None.

    Raises
    ------
    ValueError
        If the move is illegal (as `level_0` may play), a program gives no move, or a position is not solved in time.
    Stopped
        No client waits for it any more.
    """
    work.seen = _empty_view(board)
    if isinstance(player, UCTPlayer):
        return _search(player, board, work)
    if isinstance(player, PerfectPlayer):
        scores = scores_within(board, SECONDS, work.is_unwanted)
        work.check()
        if scores is None:
            raise ValueError(
                f"{player.name} could not solve this position in {SECONDS:g} s; use a smaller board, or a "
                "position with more stones"
            )
        return {**_empty_view(board), "exact": scores, "column": player.choose(board, scores)}
    try:
        if isinstance(player, ProgramPlayer):
            column = player.play_unless(board, work.check)
        else:
            column = player.play(board.copy())
    except Forfeit as reason:
        raise ValueError(f"{player.name} loses: {reason}") from reason
    work.check()
    if why := board.why_not(column, first=number_of_column(0)):
        raise ValueError(f"{player.name} loses because of an illegal move: {why}")
    return {**work.seen, "column": column}


def _search(player: UCTPlayer, board: Board, work: Work) -> Seen:
    search: Any = player.begin(board)
    index = kind_of_index(player.selector)
    begun = shown_at = time.perf_counter()
    end = begun + (SECONDS if player.seconds is None else player.seconds)
    processor_end = np.inf if player.cpu_seconds is None else time.thread_time() + player.cpu_seconds
    left = np.inf if player.budget is None else player.budget
    count = 1
    while left > 0 and not search.is_finished and (now := time.perf_counter()) < end:
        if work.is_to_rest and (result := search.result(copied=False)).simulations:
            work.seen = _view(result, player.budget, index)
        rested = work.rest()
        now, end = now + rested, end + rested
        count = int(min(count, left))
        search.run(count)
        took = time.perf_counter() - now
        left = left - count if time.thread_time() < processor_end else 0
        count = max(1, min(4 * count, int(count * min(_SLICE, end - now) / max(took, 1e-6))))
        if now - shown_at >= _SHOWN:
            work.seen, shown_at = _view(search.result(copied=False), player.budget, index), now
    result = search.result(copied=False)
    return {**_view(result, player.budget, index), "column": result.choose(player.final)}


def _view(result: SearchResult, budget: int | None, index: str) -> Seen:
    """Return the view of a search."""
    return {
        "simulations": result.simulations,
        "of": budget,
        "moves": result.moves.tolist(),
        "visits": result.visits.tolist(),
        "means": [plain(value) for value in result.values],
        "scores": [plain(score) for score in result.scores],
        "index": index,
        "line": result.principal_variation[:_LINE],
        "exact": None,
    }


def _empty_view(board: Board) -> Seen:
    """Return the view of a player without a search."""
    return {
        "simulations": 0,
        "of": None,
        "moves": board.legal_moves(),
        "visits": None,
        "means": None,
        "scores": None,
        "index": None,
        "line": [],
        "exact": None,
    }
