"""Every example in a docstring runs and gives what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ["treebandit", "numerics", "bandits", "connect4", "mcts", "experiments"]
MODULES = sorted(
    [*PACKAGES, *(one.name for name in PACKAGES for one in pkgutil.walk_packages([ROOT / name], prefix=f"{name}."))]
)
WITH_EXAMPLES = [
    name
    for name in MODULES
    for path in [ROOT / Path(*name.split("."))]
    if ">>> " in (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")
]


def test_the_packages_have_examples():
    assert {"bandits", "bandits.simulate", "bandits.arms.bernoulli", "numerics.random"} <= set(WITH_EXAMPLES)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_give_what_they_say(name: str):
    if name == "connect4.open_spiel_bots":
        pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0
    assert result.failed == 0
