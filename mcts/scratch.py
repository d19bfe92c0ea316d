"""Room that searches need beside their trees, made before the kernel runs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.hooks import BonusRule
from bandits.spec import PolicySpec
from mcts.kernels.tree import Scratch
from numerics.games import Game

_BONUSES = 4_096  # of a bonus rule that are kept: a first-level cache has room for them


def scratch_for(game: Game, spec: PolicySpec) -> Scratch:
    """Return the scratch of searches from a position."""
    most = game.most_moves
    return Scratch(
        state=np.empty_like(game.state),
        moves=np.empty(most, np.int64),
        path=np.empty(game.most_plies + 1, np.int64),
        places=np.empty(most, np.int64),
        unproven=np.zeros((5, most)),
        scores=np.empty(most),
        nothing=np.zeros(most),
        bonuses=bonuses_of(spec.rule, tuple(spec.params)),
    )


@functools.lru_cache(maxsize=64)
def bonuses_of(rule: Any, _params: tuple[float, ...]) -> npt.NDArray[np.float64]:
    """Return the room for the bonuses of a rule with these parameters, by t, which all of its searches fill and read.

    They depend on nothing else: searches in several threads write the same numbers.
    """
    bonuses = np.full(_BONUSES if isinstance(rule, BonusRule) else 0, np.nan)
    bonuses[:1] = 1.0
    return bonuses
