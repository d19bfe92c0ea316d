"""Every example in a docstring runs and gives what it says, and every default is the one that it names."""

from __future__ import annotations

import doctest
import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ["treebandit", "numerics", "bandits", "connect4", "mcts", "experiments"]
MODULES = sorted(
    [*PACKAGES, *(one.name for name in PACKAGES for one in pkgutil.walk_packages([ROOT / name], prefix=f"{name}."))]
)
NEEDED = re.compile(r'(?:import_module\("|>>> import |>>> from )((?:chess|gymnasium|pettingzoo|pyspiel)\b[\w.]*)')


def source(name: str) -> str:
    path = ROOT / Path(*name.split("."))
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")


WITH_EXAMPLES = [name for name in MODULES if ">>> " in source(name)]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_give_what_they_say(name: str):
    for library in NEEDED.findall(source(name)):
        pytest.importorskip(library)
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0
    assert result.failed == 0


DEFAULTS = re.compile(r"^ +(\w+(?:, \w+)*) : .*default (.+)$", re.MULTILINE)  # "width, height : int, default 7 and 6"
WORDS = {"inf": math.inf, "NaN": math.nan, "all": ()}


def described(module: Any) -> Iterator[Any]:
    """The functions, classes and methods that a module defines."""
    for thing in vars(module).values():
        if callable(thing) and getattr(thing, "__module__", None) == module.__name__:  # no constant
            yield getattr(thing, "function", thing)  # of a kernel
            yield from (filter(inspect.isfunction, vars(thing).values()) if inspect.isclass(thing) else ())


def is_meant(word: str, value: Any, module: Any) -> bool:
    """Whether a docstring's word for a default means a value; a number may be rounded to three digits."""
    try:
        meant = eval(re.sub(r"(?<=\d),(?=\d{3})", "", word).replace("GiB", "* 2**30"), {**vars(module), **WORDS})
    except (NameError, SyntaxError):
        meant = word
    if isinstance(value, float):
        return meant == pytest.approx(value, rel=1e-3, abs=0.0, nan_ok=True)
    return bool(meant == value) or meant == str(value)


def test_every_default_is_the_one_that_its_docstring_names():
    wrong, compared = [], 0
    for module in (importlib.import_module(name) for name in MODULES if "open_spiel_bots" not in name):
        for thing in described(module):
            for names, words in DEFAULTS.findall(thing.__doc__ or ""):
                named, given = names.split(", "), inspect.signature(thing).parameters
                each = re.split(", | and ", words) if len(named) > 1 else [words]
                for name, word in zip(named, each if len(each) > 1 else each * len(named), strict=True):
                    compared += 1
                    if not is_meant(word, given[name].default, module):
                        wrong.append((module.__name__, thing.__qualname__, name, word, given[name].default))
    assert not wrong
    assert min(compared, len(WITH_EXAMPLES)) > 100
