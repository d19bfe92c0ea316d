"""The digest of what a function captures sees what its compiled code would hold, and is the same in every process."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from numerics.captures import captured

ROOT = Path(__file__).resolve().parents[2]


def made(text: str, **names) -> types.FunctionType:
    """The function f of a text whose other global names are given."""
    space = {"__name__": "made", **names}
    exec(text, space)
    return space["f"]


PLAIN = "def f(x):\n    return x * K\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1.0, 2.0), (1, 1.0), (True, 1), (0.0, -0.0), ("a", "b"), (None, 0), ((1, 2.0), (1, 3.0)), ([1], [2]),
        ({"a": 1}, {"a": 2}), (frozenset("ab"), frozenset("ac")), (np.float32(1), np.float64(1)), (len, abs),
        (np.arange(3), np.arange(3.0)), (np.arange(3), np.array([0, 1, 3])), (np.ones((2, 3)), np.ones((3, 2))),
        (np.sin, np.cos),
    ],
)  # fmt: skip
def test_another_value_of_a_global_name_is_seen_and_an_equal_one_is_not(one, other):
    assert captured(made(PLAIN, K=one)) != captured(made(PLAIN, K=other))
    assert captured(made(PLAIN, K=one)) == captured(made(PLAIN, K=one, UNUSED=other))


def test_values_are_followed_through_functions_modules_closures_defaults_and_inner_functions():
    def through(value) -> list[str]:
        module = types.ModuleType("aside")
        module.inner = types.ModuleType("inner")
        module.inner.K = value
        helper = made(PLAIN, K=value)
        compiled = types.SimpleNamespace(py_func=helper)
        over = "def over(K):\n    def f(x):\n        return x * K\n    return f\n\n\nf = over(V)\n"
        return [
            captured(made("def f(x):\n    return g(x)\n", g=helper)),
            captured(made("def f(x):\n    return g(x)\n", g=compiled)),
            captured(made("def f(x):\n    return m.inner.K * x\n", m=module)),
            captured(made(over, V=value)),
            captured(made("def f(x, k=V):\n    return k * x\n", V=value)),
            captured(made("def f(x):\n    return [(lambda y: y * K)(z) for z in x]\n", K=value)),
        ]

    ones, twos = through(1.0), through(2.0)
    assert all(one != two for one, two in zip(ones, twos, strict=True))
    assert through(1.0) == ones


def test_circles_end_and_what_lies_in_a_circle_is_seen():
    def in_circle(value) -> str:
        one, other = types.ModuleType("one"), types.ModuleType("other")
        one.other, other.one, other.K = other, one, value
        row = [value]
        row.append((row,))
        return captured(made("def f(x):\n    return f(x) + one.other.one.other.K + row[0]\n", one=one, row=row))

    assert in_circle(1.0) == in_circle(1.0) != in_circle(2.0)


def test_objects_without_a_value_are_told_by_their_kind_and_never_by_their_address():
    assert captured(made(PLAIN, K=object())) == captured(made(PLAIN, K=object()))


def test_the_project_s_own_functions_capture_nothing_that_their_files_do_not_tell():
    from bandits import rules

    assert captured(rules.kl_ucb.function) == rules.kl_ucb.captured == ""


def test_an_edit_of_a_file_that_only_the_running_program_imports_is_seen(tmp_path: Path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "captured_aside.py").write_text("def g(x):\n    return x\n")
    aside = importlib.import_module("captured_aside")
    by_module, by_name = (
        made("def f(x):\n    return m.g(x)\n", m=aside),
        made("def f(x):\n    return g(x)\n", g=aside.g),
    )
    before = captured(by_module), captured(by_name)
    (tmp_path / "captured_aside.py").write_text("def g(x):\n    return x  # the same code\n")
    assert captured(by_module) != before[0]
    assert captured(by_name) != before[1]


MIXED = """
import enum, math, os, random
import numpy as np
from numba import njit, float64

class Colour(enum.Enum):
    RED = "red"

NAMES, TABLE, PAIR = frozenset({"a", "b", "c", "d"}), np.arange(6.0).reshape(2, 3), (1.5, ("x", None))
THING, GENERATOR = object(), np.random.default_rng()

@njit
def helper(x):
    return x + PAIR[0] + (x in {1.0, 2.0, 3.0})

def f(x):
    '''Text.'''
    seen = Colour.RED, NAMES, THING, GENERATOR, x in {"p", "q"}
    return helper(x) + TABLE[0, 0] + math.sin(x) + np.sqrt(x) + float64(x), seen
"""


def test_the_digest_is_the_same_in_processes_that_hash_and_load_otherwise(tmp_path: Path):
    (tmp_path / "mixed.py").write_text(MIXED)
    code = "import mixed; from numerics.captures import captured; print(captured(mixed.f))"
    said = set()
    for seed in ("1", "2", "3"):  # the first compiles the module, the others load what it left
        environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}", "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        said.add(done.stdout)
    assert len(said) == 1
