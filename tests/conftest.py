"""What every test runs under: which of the three lanes runs it, and the floating-point rules of compiled code."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from numerics.kernels.jit import COMPILED
from numerics.output import style

_HERE = Path(__file__).parent
# The lanes without full speed: kernels as plain Python, or compiled with every array index checked.
_SHORT_LANE = not COMPILED or os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")
_FOLDERS_WITH_KERNELS = {"numerics", "bandits", "connect4", "mcts"}


def _belongs_to_this_lane(item: pytest.Item) -> bool:
    """Say whether this lane runs a test: the jitted one nearly all, the short ones what runs kernels and is quick."""
    if not _SHORT_LANE:
        return not any(item.iter_markers("short"))
    folder = item.path.relative_to(_HERE).parts[0]
    runs_kernels = folder in _FOLDERS_WITH_KERNELS or any(item.iter_markers("lanes")) or any(item.iter_markers("short"))
    return runs_kernels and item.get_closest_marker("jit") is None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the short lanes, leave out the tests that need full speed or cannot turn out differently there."""
    kept = [item for item in items if _belongs_to_this_lane(item)]
    config.hook.pytest_deselected(items=list(set(items) - set(kept)))
    items[:] = kept


@pytest.fixture(autouse=True)
def _floating_point_of_compiled_code() -> Iterator[None]:
    """Let unsigned words wrap round in silence when a helper is called as plain Python, as they do when compiled."""
    if COMPILED:
        yield
    else:
        with np.errstate(all="ignore"):
            yield


@pytest.fixture
def house_style() -> Iterator[None]:
    """Draw as figures on disk are drawn."""
    with style.house_style():
        yield
