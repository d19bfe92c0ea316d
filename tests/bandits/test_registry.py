"""Every policy and law is a file of its folder, described, with papers in the table; facts of others name a source."""

from __future__ import annotations

import inspect
import re
from importlib import resources
from pathlib import Path

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
def test_every_file_of_facts_names_its_source():
    for path in HERE.glob("*.json"):
        source = read(path.stem)["source"]
        assert all(len(one) > 20 for one in (source.values() if isinstance(source, dict) else [source])), path
