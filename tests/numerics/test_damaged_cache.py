"""Machine code on disk that is damaged, or another signature's, is compiled again and never run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
ROUNDS = """
import random, sys
from pathlib import Path

import numpy as np

from numerics.kernels.jit import Kernel
from numerics.random import fill_uniforms

def filled():
    fresh = Kernel(fill_uniforms.function, fill_uniforms.signature, False, None)  # reads the files anew
    out = np.empty(9)
    fresh(np.arange(1, 9, dtype=np.uint64), out)
    return out.tolist()

whole, chance, cache = filled(), random.Random(29), Path(sys.argv[1])
for number in range(20):
    file = chance.choice(sorted(cache.rglob("*fill_uniforms*.nb[ci]")))
    held = bytearray(file.read_bytes())
    for _ in range(3):
        held[chance.randrange(len(held))] ^= 1 << chance.randrange(8)
    file.write_bytes(held[: chance.randrange(len(held))] if number % 4 == 0 else held)
    assert filled() == whole, number
print("twenty")
"""
OTHER = """
import sys
from pathlib import Path

import numba

from numerics.kernels.cache import cached_in

def twice(x):
    return 2 * x

def made():
    with cached_in(Path(sys.argv[1])):
        return numba.njit(cache=True)(twice)

whole, real = made(), made()
assert whole(21) == 42
kept = [file.read_bytes() for file in sorted(Path(sys.argv[1]).rglob("*.nbc"))]
assert real(1.25) == 2.5
again = made()
assert again(1.25) == 2.5
assert again.stats.cache_hits.total() == 1, "what is whole is not compiled again"
for file in Path(sys.argv[1]).rglob("*.nbc"):  # as where two processes give their code the same file
    file.write_bytes(kept[0])
assert made()(1.25) == 2.5
for file in Path(sys.argv[1]).rglob("*.nbc"):
    file.write_bytes(file.read_bytes() + b"?")  # still a pickle, which ends before it
damaged = made()
assert damaged(21) == 42
assert damaged.stats.cache_hits.total() == 0, "what is damaged is not run"
print("right")
"""


@pytest.mark.long
@pytest.mark.jit
@pytest.mark.parametrize(
    ("text", "said"), [pytest.param(ROUNDS, "twenty", marks=pytest.mark.long), (OTHER, "right")], ids=["bits", "other"]
)
def test_damaged_machine_code_is_compiled_again(tmp_path, text, said):
    script = tmp_path / "rounds.py"
    script.write_text(text)
    cache = tmp_path / "cache"
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, str(script), str(cache)], env=environment, text=True, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, said), done.stderr
