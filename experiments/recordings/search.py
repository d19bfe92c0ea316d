"""A recorded search as JSON: one rule, or two side by side, from the same position and seed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from bandits import Policy
from connect4 import Board
from experiments.players.advice import exact_scores
from experiments.recordings.packed import check_steps, count_steps, pack, position_of
from experiments.recordings.rules import COMMAND, describe_rule, with_left_out
from mcts.policy import IN_A_TREE
from mcts.recording import Recording, record

SECONDS = 30.0  # for the exact score of a column
OF_A_SIMULATION = (29, 4)  # bytes, with a path of 24 moves in the tree; and of each column


def search_recording(
    board: Board,
    policies: Sequence[Policy],
    simulations: int | None = None,
    seed: int = 0,
    *,
    playouts: str = "uniform",
    exact: bool = False,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Search a position with each policy and return every simulation, as JSON.

    Parameters
    ----------
    board : Board
        A position whose game goes on.
    policies : sequence of Policy
        One or two index policies.
    simulations : int, optional
        As many at most as a file of a megabyte has room for; 2,000 by default, or fewer to fit.
    seed, playouts
        As for `mcts.search`.
    exact : bool, default False
        Whether the exact score of every column is shown.
    seconds : float
        For the exact score of a column.

    Raises
    ------
    ValueError
        A board that is too large, a finished game, not an index policy, or too many simulations. With `exact`, a score
        that is not found in time.

    Examples
    --------
    >>> from bandits import make
    >>> recording = search_recording(Board.from_moves("4453"), [make("ucb", c=1.0)], 100)
    >>> recording["title"]
    'ucb c=1 searches 4453: 100 simulations, seed 0'
    >>> recording["command"]
    'python -m experiments.record 4453 rule=ucb simulations=100'
    """
    legal = len(board.legal_moves())
    fixed, each = OF_A_SIMULATION
    simulations = check_steps("simulations", simulations, fixed + each * legal, len(policies))
    kept = [record(board, policy, simulations, seed=seed, playouts=playouts) for policy in policies]
    scores = exact_scores(board, seconds) if exact else None
    if exact and scores is None:
        raise ValueError(
            f"exact must be left out for this position: the solver did not finish within {seconds:g} s per column; got "
            f"{_position_text(board)}"
        )
    labels = " and ".join(describe_rule(policy)["label"] for policy in policies)
    search = "searches" if len(policies) == 1 else "search"
    return {
        "kind": "search",
        "version": 1,
        "title": f"{labels} {search} {_position_text(board)}: {count_steps(simulations, 'simulation')}, seed {seed}",
        "command": _command(board, policies, simulations, seed, playouts, exact),
        "position": position_of(board),
        "exact": None if scores is None else list(scores),
        "searches": [
            pack_search(search, search.moves.tolist(), search.path.tolist(), search.lengths.tolist(), "u1")
            for search in kept
        ],
    }


def pack_search(
    kept: Recording, moves: list[int], path: Sequence[int], lengths: Sequence[int], kind: str
) -> dict[str, Any]:
    """Return a recorded search in JSON; moves are numbers, and lengths and paths are of the type `kind`."""
    policy = kept.result.policy
    estimates = policy.spec().estimates
    scores = with_left_out(policy, kept.scores, kept.visits, kept.means, kept.simulations)
    return {
        **describe_rule(policy),
        "seed": kept.seed,
        "simulations": kept.simulations,
        "initial": estimates.initial,
        "prior_pulls": estimates.prior_pulls,
        "step_size": estimates.step_size,
        "moves": moves,
        "lengths": pack(lengths, kind),
        "path": pack(path, kind),
        "results": pack(kept.results, "f4"),
        "scores": pack(scores, "f4"),
    }


def _position_text(board: Board) -> str:
    """Say which position it is: its moves, and the board where it is no 7x6 that four in a row win."""
    moves = board.notation or "the empty board"
    usual = (board.width, board.height, board.connect) == (7, 6, 4)
    return moves if usual else f"{moves} on {board.width}x{board.height} ({board.connect} in a row win)"


def _command(board: Board, policies: Sequence[Policy], simulations: int, seed: int, playouts: str, exact: bool) -> str:
    """Return the command that records the same."""
    words = [board.notation] if board.notation else []
    if (board.width, board.height, board.connect) != (7, 6, 4):
        words += [f"board={board.width}x{board.height}", f"connect={board.connect}"]
    for key, policy in zip(("rule", "rule2"), policies, strict=False):
        words.append(f"{key}={IN_A_TREE.text(policy)}")
    words += [f"simulations={simulations}", *([f"seed={seed}"] if seed else [])]
    words += [*([f"playouts={playouts}"] if playouts != "uniform" else []), *(["exact=true"] if exact else [])]
    return f"{COMMAND} {shlex.join(words)}"
