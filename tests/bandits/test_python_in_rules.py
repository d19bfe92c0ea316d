"""A compiled function of a user does as Python does: it prints, raises, checks indices, and sees changed globals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.internals import constants_of

pytestmark = pytest.mark.kernels

ROOT = Path(__file__).resolve().parents[2]

_STATE = "pulls, means, widths, variances, priors, t, horizon, params, rng"
HEAD = """
import numba
import numpy as np
from bandits import *

SCALE, ARRAY, END = 1.0, np.ones(3), 3

@numba.njit
def helper(t):
    {deed}

"""
PLAYED = "simulate('{module}.mine', [0.2, 0.5], 12, 1)"
SEARCHED = "search(Board(), policy='{module}.mine', simulations=20)"
KINDS = {  # a function that does the deed at t = 10, and what plays it
    "index": ("@index_rule\ndef mine(mean, t):\n    if t == 10.0: {deed}\n    return mean\n", PLAYED),
    "index in an agent": (
        "@index_rule\ndef mine(mean, t):\n    if t == 10.0: {deed}\n    return mean\n",
        "ask(Agent('{module}.mine', 2, seed=0))",
    ),
    "index in a tree": ("@index_rule\ndef mine(mean, t):\n    if t == 10.0: {deed}\n    return mean\n", SEARCHED),
    "helper": ("@index_rule\ndef mine(mean, t):\n    if t == 10.0: helper(t)\n    return mean\n", PLAYED),
    "bonus": ("@bonus_rule\ndef mine(t):\n    if t == 10.0: {deed}\n    return 1.0\n", PLAYED),
    "vector": (
        f"@vector_rule\ndef mine({_STATE}, out):\n    if t == 10.0: {{deed}}\n    out[:] = means\n",
        PLAYED,
    ),
    "choice": (
        f"@choice_rule\ndef mine({_STATE}, memory, arm):\n    if t == 10.0: {{deed}}\n    arm[:] = 0\n",
        PLAYED,
    ),
    "learn": (
        "@learn_rule\ndef learn(memory, arm, reward):\n    memory[0, 0] += 1.0\n    t = memory[0, 0]\n"
        "    if t == 10.0: {deed}\n"
        f"@choice_rule(memory=1, learn=learn)\ndef mine({_STATE}, memory, arm):\n    arm[:] = 0\n",
        PLAYED,
    ),
    "law": (
        "@reward_law\ndef mine(uniform, mean, arm, params, reward):\n    t = 10.0\n    if uniform[0] < 0.9: {deed}\n"
        "    reward[:] = mean\n",
        "simulate('ucb c=1', CustomArms(law='{module}.mine', means=[0.2, 0.5]), 12, 1)",
    ),
    "stop": (
        "@stopping_rule\ndef mine(pulls, means, variances, t, params):\n    if t == 10.0: {deed}\n"
        "    return t > 12.0\n",
        "identify_best('ucb', [0.2, 0.5], runs=1, stopping='custom rule={module}.mine')",
    ),
    "hook of a game": (
        "def mine(state):\n    t = 1.0 * state[0]\n    if t == 10.0: {deed}\n    return 0\n",
        "_compile_hook('plies', __import__('{module}').mine)(np.array([10]))",
    ),
}
READS = "t = np.ones(2)[int(SCALE)]; print('seen', t)"
PLAY = """
import faulthandler, importlib, json, sys
import numpy as np
from bandits import Agent, CustomArms, identify_best, simulate
from connect4 import Board
from mcts import search
from numerics.games import _compile_hook

def ask(agent):
    for _ in range(12):
        agent.reward(agent.choose(), 1.0)

faulthandler.dump_traceback_later(250, exit=True)
calls = json.load(open("calls.json"))
for module, call in calls.values():
    for scale in map(float, sys.argv[1:]):
        importlib.import_module(module).SCALE = scale
        try:
            eval(call)
            said = "played"
        except Exception as error:
            said = str(error)
        print(json.dumps(said), flush=True)
"""


def _told(folder: Path, deed: str, kinds: dict[str, tuple[str, str]], *scales: float) -> dict[str, list[str]]:
    """Return what a process says or prints that plays a function of each kind, once with each value of SCALE."""
    calls: dict[str, tuple[str, str]] = {}
    for number, (kind, (text, call)) in enumerate(kinds.items()):
        module = f"of_user_{number}"
        (folder / f"{module}.py").write_text((HEAD + text).replace("{deed}", deed), encoding="utf-8")
        calls[kind] = module, call.format(module=module)
    (folder / "calls.json").write_text(json.dumps(calls), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PLAY, *map(str, scales)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(folder)))},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    said, told = iter(done.stdout.splitlines()), {}
    for kind in calls:
        told[kind] = lines = list[str]()
        while sum(line[0] == '"' for line in lines) < len(scales):
            lines.append(next(said))
    return told


@pytest.mark.long
@pytest.mark.jit
def test_a_function_of_a_user_prints_checks_its_indices_and_is_compiled_again_when_a_global_has_changed(tmp_path: Path):
    for kind, lines in _told(tmp_path, READS, KINDS, 1.0, 2.0, 1.0).items():
        outside = next(line for line in lines if "out of bounds" in line)  # SCALE was 2
        assert set(lines) == {"seen 1.0", '"played"', outside}, kind
        assert lines.count('"played"') == 2, kind


SETTINGS = ModuleType("settings")
SETTINGS.__file__ = __file__
NUMBER: Any = 1.0
NUMBERS: Any = np.arange(3.0)
PAIR: Any = (1, NUMBERS)


def _helper():
    return NUMBER


def _makes() -> Callable[[], Any]:
    kept = NUMBER

    def made() -> Any:
        return SETTINGS.scale + NUMBERS + PAIR + (_helper() + kept + (lambda: np.sin(NUMBER))())

    return made


def _set(name: str, value: Any) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda monkeypatch: monkeypatch.setitem(globals(), name, value)


@pytest.mark.parametrize(
    "change",
    [
        _set("NUMBER", 1),
        _set("NUMBER", np.float32(1.0)),
        _set("NUMBERS", np.arange(3.0).reshape(1, 3)),
        _set("NUMBERS", np.arange(6.0)[::2]),
        _set("PAIR", (1, NUMBERS + 0.5)),
        _set("_helper", lambda: NUMBER),
        lambda monkeypatch: monkeypatch.setattr(SETTINGS, "scale", 2, raising=False),
    ],
)
def test_every_value_that_would_be_compiled_in_counts(change, monkeypatch: pytest.MonkeyPatch):
    function = _makes()
    before = constants_of(function)
    assert constants_of(function) == before
    assert hash(before) == hash(constants_of(function))
    assert before == constants_of(_makes())
    with monkeypatch.context() as changed:
        change(changed)
        assert constants_of(function) != before
    assert constants_of(function) == before


def test_values_of_closures_and_numbers_within_arrays_count(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(globals(), "NUMBERS", np.zeros(3))
    made = _makes()
    before = constants_of(made)
    NUMBERS[1] = -0.0
    changed = constants_of(made)
    assert changed != before
    made.__closure__[0].cell_contents = 3.0
    assert constants_of(made) not in (before, changed)
