"""Every policy and law is a file of its folder, described, with papers in the table; facts of others name a source."""

from __future__ import annotations

import inspect
import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from bandits import Arms, Policy
from bandits.policies import base
from bandits.references import cited_in, references
from numerics.parameters import parameters
from tests.data import HERE, read

ROOT = Path(__file__).resolve().parents[2]
UNPUBLISHED = {"custom", "random"}
NEEDED = {
    "article": {"author", "title", "journal", "volume", "pages", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
    "misc": {"author", "title", "howpublished", "year"},
}


def test_each_file_of_the_folder_is_one_policy_and_its_preset_begins_with_its_formula():
    files = {path.stem for path in Path(base.__file__).parent.glob("*.py")} - {"__init__", "base"}
    assert files == set(Policy.members)
    for name, policy in Policy.members.items():
        assert Path(inspect.getfile(policy)).stem == name
        if name != "custom":
            text = (ROOT / "configs" / "bandit" / f"{name}.yaml").read_text(encoding="utf-8")
            assert text.splitlines()[0].endswith(Policy.make(name).formula), name


def test_every_parameter_is_described():
    for cls in (*Policy.members.values(), *Arms.members.values()):
        assert all(one.metadata["range"].help.strip() for one in parameters(cls)), cls
        assert (cls.__doc__ or "").strip()


def test_every_paper_that_a_policy_names_is_in_the_table():
    for name, policy in Policy.members.items():
        years = re.findall(r"\b(?:19|20)\d\d\b", policy.source)
        assert [entry.fields["year"] for entry in cited_in(policy.source)] == years, name
        assert bool(years) == (name not in UNPUBLISHED)


def test_entries_are_complete_sorted_and_used_and_the_table_holds_nothing_that_is_not_read():
    for entry in references().values():
        assert NEEDED[entry.kind] <= set(entry.fields), entry
        assert all("," in author or author == "others" for author in entry.fields["author"].split(" and ")), entry
        assert all(text.count("{") == text.count("}") and text.isascii() for text in entry.fields.values()), entry
        assert "--" in entry.fields.get("pages", "--"), entry
        assert len(entry.fields) == entry.text.count(" = "), "every line is a field that was read"
        assert any(entry in cited_in(cls.source) for cls in Policy.members.values()), entry
    assert list(references()) == sorted(references())
    assert len({entry.cited for entry in references().values()}) == len(references())
    table = resources.files("bandits.references").joinpath("references.bib").read_text(encoding="utf-8")
    assert "\n\n".join(entry.text for entry in references().values()) == table.strip()


# ---------------------------------------------------------------- facts of others in tests/data
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


def test_every_file_of_facts_names_its_source():
    for path in HERE.glob("*.json"):
        source = read(path.stem)["source"]
        assert all(len(one) > 20 for one in (source.values() if isinstance(source, dict) else [source])), path


@needs_collection
def test_exact_values_and_gittins_indices_are_copied_whole():
    copied = read("bandit_exact_values")
    del copied["source"]
    assert copied == json.loads((COLLECTION / "bandit_exact_values.json").read_text(encoding="utf-8"))
    for discount, rows in read("gittins").items():
        if discount != "source":
            text = (COLLECTION / f"gittins_bernoulli_g{discount}.csv").read_text(encoding="utf-8")
            expected = [line.split(",") for line in text.split()[1:]]
            assert rows == [[int(one[0]), int(one[1]), float(one[4])] for one in expected]


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
