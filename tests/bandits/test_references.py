"""The table of references: complete entries, and one for every paper that a policy's source names."""

from __future__ import annotations

import re

import pytest

from bandits import Policy
from bandits.references import cited_in, references

UNPUBLISHED = {"custom", "random"}
NEEDED = {
    "article": {"author", "title", "journal", "volume", "pages", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
    "misc": {"author", "title", "howpublished", "year"},
}


@pytest.mark.parametrize("name", sorted(set(Policy.members) - UNPUBLISHED))
def test_every_paper_that_a_policy_names_is_in_the_table(name):
    source = Policy.members[name].source
    years = re.findall(r"\b(?:19|20)\d\d\b", source)
    assert years
    assert [entry.fields["year"] for entry in cited_in(source)] == years


def test_policies_without_a_paper_cite_none():
    assert all(not cited_in(Policy.members[name].source) for name in UNPUBLISHED)


@pytest.mark.parametrize("key", references())
def test_an_entry_is_complete_and_used(key):
    entry = references()[key]
    assert NEEDED[entry.kind] <= set(entry.fields)
    assert re.fullmatch(r"(19|20)\d\d", entry.fields["year"])
    assert all("," in author or author == "others" for author in entry.fields["author"].split(" and "))
    assert all(text.count("{") == text.count("}") and text.isascii() for text in entry.fields.values())
    assert all("--" in pages for pages in [entry.fields.get("pages", "--")])
    assert len(entry.fields) == entry.text.count(" = ")  # every line is a field that was read
    assert any(entry in cited_in(cls.source) for cls in Policy.members.values())


def test_the_table_is_sorted_and_holds_nothing_that_is_not_read():
    assert list(references()) == sorted(references())
    assert len({entry.cited for entry in references().values()}) == len(references())
    from importlib import resources

    table = resources.files("bandits.references").joinpath("references.bib").read_text(encoding="utf-8")
    assert table.count("@") == len(references())
    assert "\n\n".join(entry.text for entry in references().values()) == table.strip()
