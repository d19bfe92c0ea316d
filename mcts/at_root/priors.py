"""The priors of a search: the game's by name, or numbers for the moves of the root."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bandits import Policy
from numerics import checks
from numerics.games import Game

Prior = str | Sequence[float] | npt.NDArray[np.float64]


def priors_of_root(prior: Prior | None, game: Game, policy: Policy, *, read: bool) -> list[float] | None:
    """Check a prior; return the numbers of the root's moves if those are given.

    Parameters
    ----------
    prior : str or sequence of float, optional
    game : Game
        At the root.
    policy : Policy
        The search's, which the sentence names.
    read : bool
        Whether the search reads priors.

    Raises
    ------
    ValueError
        A prior that nobody reads, a name that the game does not have, or numbers that are no probabilities.
    """
    if prior is None:
        return None
    if not read:
        raise ValueError(f"prior must be left out unless the policy uses priors, as puct does; got {policy.name}")
    if isinstance(prior, str):
        game.prior(prior)
        return None
    values, moves = [checks.number("prior", value, 0.0, 1.0) for value in prior], game.legal_moves().size
    if len(values) != moves:
        raise ValueError(f"prior must have a number for each of the {moves} legal moves; got {len(values)}")
    if abs(np.sum(values) - 1.0) > 1e-6:
        raise ValueError(f"prior must sum to 1; got {np.sum(values):g}")
    return values
