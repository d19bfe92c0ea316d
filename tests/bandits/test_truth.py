"""The small copies of the ground truth in tests/data say what the collection beside the project says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.data import HERE, read

COLLECTION = Path(__file__).resolve().parents[3] / "shared" / "groundtruth" / "bandits"
needs_collection = pytest.mark.skipif(
    not COLLECTION.is_dir(), reason="the collection ../shared/groundtruth is not beside this project"
)


def _numbers(value: Any) -> list[str]:
    """Every number below a JSON value, as it is written."""
    if isinstance(value, dict):
        return [number for key, one in value.items() if key not in ("parameters", "digits") for number in _numbers(one)]
    if isinstance(value, list):
        return [number for one in value for number in _numbers(one)]
    return [repr(value)] if isinstance(value, float) else []


@pytest.mark.parametrize("path", sorted(HERE.glob("*.json")), ids=lambda path: path.stem)
def test_every_file_of_facts_names_its_source(path: Path):
    source = read(path.stem)["source"]
    assert all(len(one) > 20 for one in (source.values() if isinstance(source, dict) else [source]))


@needs_collection
def test_exact_values_are_copied_whole():
    copied = read("bandit_exact_values")
    del copied["source"]
    assert copied == json.loads((COLLECTION / "bandit_exact_values.json").read_text(encoding="utf-8"))


@needs_collection
def test_every_figure_of_regret_stands_in_the_collection():
    text = (COLLECTION / "reference_regret.md").read_text(encoding="utf-8").replace(" %", "%")
    known = {float(number) for number in re.findall(r"\d*\.?\d+", text)}
    known |= {float(number) / 100.0 for number in re.findall(r"(\d*\.?\d+)%", text)}
    known |= {k / 10 for k in range(1, 10)}  # of the means .1, .2, ..., .9
    for name in ("exact_regret", "reference_regret"):
        figures = [float(number) for number in _numbers(read(name))]
        assert len(figures) > 25
        for figure in figures:
            assert min(abs(figure - one) for one in known) < 1e-9, f"{name}: {figure}"


@needs_collection
def test_gittins_indices_are_copied_whole():
    for discount, rows in read("gittins").items():
        if discount != "source":
            text = (COLLECTION / f"gittins_bernoulli_g{discount}.csv").read_text(encoding="utf-8")
            expected = [line.split(",") for line in text.split()[1:]]
            assert rows == [[int(one[0]), int(one[1]), float(one[4])] for one in expected]
