"""What every test runs under: the lane without compilation, and its floating-point rules."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from numerics.jit import COMPILED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs compiled speed where nothing is compiled, whatever markers were asked for."""
    if COMPILED:
        return
    for item in items:
        if item.get_closest_marker("jit") or item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="kernels are plain Python in this lane"))


@pytest.fixture(autouse=True)
def _floating_point_of_compiled_code() -> Iterator[None]:
    """Let unsigned words wrap round in silence when a helper is called as plain Python, as they do when compiled."""
    if COMPILED:
        yield
    else:
        with np.errstate(all="ignore"):
            yield
