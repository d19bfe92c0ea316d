"""A user's own rule in a search: never stale, and called by pointers as it would be by arrays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import make
from bandits.kernels.signatures import STATISTICS
from connect4 import Board
from mcts import search
from numerics.kernels.pointers import array_at, pointer

ROOT = Path(__file__).resolve().parents[2]
SEARCH = """
import json
from bandits import make
from connect4 import Board
from mcts import search

found = search(Board(), make("custom", rule="my_rules.my_index", c=0.7), simulations=400, seed=1)
print(json.dumps(found.visits.tolist()))
"""
RULE = """
import math
from bandits import index_rule
import helper

@index_rule
def my_index(mean, width, t, c=1.0):
    return mean + c * helper.bonus(t) * width
"""
HELPER = "import math\nfrom numba import njit\n\n@njit\ndef bonus(t):\n    return {factor} * math.sqrt(math.log(t))\n"


def searched(folder: Path) -> Any:
    """Search with the rule in a folder in a new process; return the visits."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SEARCH],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.long
@pytest.mark.jit
def test_a_rule_is_never_stale_when_a_file_that_it_imports_is_edited(tmp_path: Path):
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "my_rules.py").write_text(RULE, encoding="utf-8")
    (folder / "helper.py").write_text(HELPER.format(factor=1.0), encoding="utf-8")
    plain, other = (
        [int(n) for n in search(Board(), make("ucb", c=c), simulations=400, seed=1).visits] for c in (0.7, 1.4)
    )
    assert plain != other
    assert searched(folder) == plain
    (folder / "helper.py").write_text(HELPER.format(factor=2.0), encoding="utf-8")
    later = (folder / "helper.py").stat().st_mtime + 10.0
    os.utime(folder / "helper.py", (later, later))
    assert searched(folder) == other


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize("policy", ["ucb", "kl_ucb", "ucb_v", "thompson", "moss", "puct"])
def test_a_rule_given_pointers_writes_what_it_writes_given_arrays(policy: str):
    hooks, generator = make(policy).spec(), np.random.default_rng(5)
    for count in (1, 2, 7):
        pulls = generator.integers(1, 90, count).astype(np.float64)
        columns = [
            pulls,
            generator.random(count),
            1.0 / np.sqrt(pulls),
            generator.random(count) / 4,
            pulls / pulls.sum(),
        ]
        assert len(columns) == len(STATISTICS)
        words = generator.integers(1, 2**63, (1, 4), dtype=np.uint64)
        params, found = np.array(hooks.params, dtype=np.float64), []
        for form in ("compiled", "pointed"):
            rng, out = words.copy(), np.full(count, np.nan)
            given = (*columns, pulls.sum() + 1.0, 500.0, params, rng, out)
            if form == "compiled":
                hooks.rule.compiled(*given)
            else:
                from_pointers(hooks.rule.pointed, count, *given)
            found.append((out.tolist(), rng.tolist()))
        assert found[0] == found[1]


def from_pointers(hook: Any, count: int, *given: Any) -> None:
    """Call a hook's pointed form from compiled code, which alone has pointers."""
    from numerics.kernels.jit import kernel

    @kernel()
    def call(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        hook(
            count,
            1,
            pointer(pulls, 0),
            pointer(means, 0),
            pointer(widths, 0),
            pointer(variances, 0),
            pointer(priors, 0),
            t,
            horizon,
            pointer(params, 0),
            params.size,
            pointer(rng, 0),
            pointer(out, 0),
        )

    call(*given)


def test_a_pointer_is_the_address_of_one_entry():
    from numerics.kernels.jit import kernel

    @kernel()
    def shifted(values, place, count):
        return array_at(pointer(values, place), count).sum() + array_at(pointer(values, place), (2, count))[1, 0]

    values = np.arange(24.0).reshape(4, 6)
    assert shifted(values, 5, 4) == 5 + 6 + 7 + 8 + 9
