"""Copies of other people's environments: independent, complete, and with their random generators in hand."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
_SHARED = (  # attributes that no step changes
    *("action_space", "observation_space", "action_spaces", "observation_spaces", "spec"),
    *("_action_space", "_observation_space", "_cached_spec"),
)


def copy_environment(env: Any) -> tuple[Any, list[Any]]:
    """Return an independent copy of an environment, and all generators of random numbers that the copy holds.

    `copy.deepcopy` makes some environments anew from their arguments, without their position. So the attributes of each
    wrapper, and of what it wraps, are copied instead.

    Raises
    ------
    ValueError
        An attribute cannot be copied.
    """
    chain = [env]
    while "env" in vars(chain[-1]):
        chain.append(chain[-1].env)
    copies = [object.__new__(type(part)) for part in chain]
    memo: dict[int, Any] = dict(zip(map(id, chain), copies, strict=True))
    for part in chain:
        memo.update((id(vars(part)[name]), vars(part)[name]) for name in _SHARED if name in vars(part))
    try:
        for part, made in zip(chain, copies, strict=True):
            vars(made).update(copy.deepcopy(vars(part), memo))
    except Exception as error:
        raise ValueError(
            f"env must support copies, as environments without a window do; copying {type(env.unwrapped).__name__} "
            f"failed: {error}"
        ) from None
    return copies[0], [value for value in memo.values() if isinstance(value, GENERATORS)]
