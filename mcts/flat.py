"""Flat Monte Carlo: the moves of one position valued by playouts, which any bandit policy shares out.

`monte_carlo_values` runs N simulations, uniform over the moves or given out by UCB, Thompson sampling or any other
policy. `playout_values` makes the same number of playouts after every move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits import Policy
from bandits.kernels.argmax import choose_highest
from bandits.kernels.arguments import Estimates
from bandits.spec import PolicySpec, no_select, refuse_nan
from mcts.kernels.flat import Tally, value_moves
from mcts.ordinary.boards import game_of, names_of
from mcts.policy import IN_A_TREE, check_policy
from mcts.streams import ORDER, streams_of
from numerics import checks
from numerics.games import UNDECIDED, Game, Playable
from numerics.kernels.addresses import address_of
from numerics.kernels.users import user_errors
from numerics.random import Purpose

MOST_SIMULATIONS = 10**9  # of one search, which cannot be interrupted

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class MoveValues:
    """What simulations found out about the moves of a position, for the side to move.

    Attributes
    ----------
    moves : int64[K]
        The legal moves, in increasing order; of an ordinary class a list of its moves, in its order.
    pulls : int64[K]
        N(a), the simulations of each move.
    wins : int64[K]
        How many of them were won.
    means : float64[K]
        Their mean result in [0, 1], a draw counting 1/2; NaN for a move without a simulation.
    known : bool[K]
        Whether the move ends the game, so that its result is no estimate and no playout was needed.
    best_move : int, or a move of an ordinary class
        The move to play; see the function that made this.
    """

    moves: Any
    pulls: npt.NDArray[np.int64]
    wins: npt.NDArray[np.int64]
    means: npt.NDArray[np.float64]
    known: npt.NDArray[np.bool_]
    best_move: Any


def monte_carlo_values(
    board: Playable,
    simulations: int = 1_000,
    policy: Policy | str | Mapping[str, Any] = "random",
    *,
    playouts: str = "uniform",
    seed: int = 0,
) -> MoveValues:
    """Value the moves of a position by simulations that a bandit policy shares out.

    A simulation plays one move and then the game to its end. Its reward is 1, 1/2 or 0 for a win, a draw or a loss of
    the side to move. The best move is the one of the highest mean; of equals one that ends the game, then the one of
    most simulations, then any.

    Parameters
    ----------
    board : object with a ``game``
        The position, such as a ``connect4.Board``; not changed.
    simulations : int, default 1,000
        N, at least 1; the horizon of policies that know theirs. First pulls of every move that a policy asks for are
        cut off where they do not fit.
    policy : Policy, str or mapping, default "random"
        Chooses the move of a simulation. A policy of the bandits package, a text such as ``"ucb c=0.7"``, or a mapping
        such as ``{"name": "ucb", "c": 0.7}``. "random" chooses each move with probability 1 / K, and "ucb" has c = 1.
    playouts : str, default "uniform"
        The game's playouts by name; Connect 4 has "uniform" and "biased" (wins at once, else blocks, else uniform).
    seed : int, default 0
        At least 0; the same seed gives the same pulls and means to the last bit.

    Returns
    -------
    MoveValues

    Raises
    ------
    ValueError
        A finished board, an unknown policy or playouts, or a number out of its range.

    Examples
    --------
    >>> from connect4 import Board
    >>> values = monte_carlo_values(Board.from_moves("112233"), policy="ucb", seed=0)
    >>> values.best_move, float(values.means[values.best_move]), int(values.pulls.sum())
    (3, 1.0, 1000)
    """
    game = game_of(board)
    simulations = checks.check_whole("simulations", simulations, 1, most=MOST_SIMULATIONS)
    chosen = IN_A_TREE.of(policy, "policy")
    check_policy(chosen)
    return run_simulations(game, chosen.spec(), playouts, simulations, streams_of(seed, Purpose.FLAT_SEARCH))


def playout_values(
    board: Playable, playouts_per_move: int = 100, *, playouts: str = "biased", seed: int = 0
) -> MoveValues:
    """Value the moves of a position by a fixed number of playouts after each.

    The best move is the one of most wins; of equals the one of fewest losses, then one that ends the game, then any.

    Parameters
    ----------
    board : object with a ``game``
        The position, such as a ``connect4.Board``; not changed.
    playouts_per_move : int, default 100
        At least 1. A move that ends the game has its result as often.
    playouts : str, default "biased"
        The game's playouts by name.
    seed : int, default 0
        At least 0.

    Raises
    ------
    ValueError
        A finished board, unknown playouts, or a number out of its range.

    Examples
    --------
    >>> from connect4 import Board
    >>> values = playout_values(Board.from_moves("112233"), playouts_per_move=50, seed=0)
    >>> values.best_move, values.pulls.tolist()
    (3, [50, 50, 50, 50, 50, 50, 50])
    """
    game = game_of(board)
    playouts_per_move = checks.check_whole(
        "playouts_per_move", playouts_per_move, 1, most=MOST_SIMULATIONS // game.most_moves
    )
    return run_playouts(game, playouts, playouts_per_move, streams_of(seed, Purpose.FLAT_SEARCH))


def run_playouts(game: Game, playouts: str, playouts_per_move: int, rng: Words) -> MoveValues:
    """Run the playouts of `playout_values`, arguments as checked there; the streams `rng` advance."""
    in_turn = PolicySpec(
        no_select, estimates=Estimates(playouts_per_move)
    )  # the rule is never asked: these are all first pulls
    return run_simulations(game, in_turn, playouts, playouts_per_move * game.legal_moves().size, rng, by_wins=True)


def run_simulations(
    game: Game, spec: PolicySpec, playouts: str, simulations: int, rng: Words, *, by_wins: bool = False
) -> MoveValues:
    """Run the simulations of `monte_carlo_values`, arguments as checked there; the streams `rng` advance."""
    playout, moves = game.playout(playouts), game.legal_moves()
    tally = Tally(moves, np.empty_like(moves), *(np.empty(moves.size) for _ in range(3)))
    with user_errors((*spec.hooks, game)):
        fault = value_moves(
            spec.addresses(),
            address_of(game.play),
            address_of(game.outcome),
            address_of(playout),
            spec.kernel_spec(simulations, moves.size),
            game.state,
            simulations,
            rng,
            tally,
        )
    refuse_nan(spec.rule.path, fault)
    return _values(tally, by_wins, rng, names_of(game))


def _values(tally: Tally, by_wins: bool, rng: Words, names: Sequence[Any] | None) -> MoveValues:
    """Put what the kernel found in the order of the moves, and choose the best one."""
    order = np.argsort(tally.moves)
    moves, pulls, wins = (values[order].astype(np.int64) for values in (tally.moves, tally.pulls, tally.wins))
    means = np.full(moves.size, np.nan)
    np.divide(tally.sums[order], tally.pulls[order], out=means, where=pulls > 0)
    known = tally.outcomes[order] != UNDECIDED
    keys = (wins, means, known) if by_wins else (means, known, pulls)
    ranks = list(zip(*(np.nan_to_num(key, nan=-1.0).tolist() for key in keys), strict=True))
    is_best = np.array([rank == max(ranks) for rank in ranks], dtype=np.float64)
    named: Any = moves if names is None else [names[move] for move in moves.tolist()]
    best = named[choose_highest(is_best, rng, ORDER)]
    return MoveValues(named, pulls, wins, means, known, int(best) if names is None else best)
