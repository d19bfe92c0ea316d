"""The same seeds give the same numbers as before the rebuilding, to the last bit."""

from __future__ import annotations

import json

import pytest

from experiments.engine.experiment import experiments
from tests import golden
from tests.data import read
from tests.experiments.commands import make_command

STORED = read("golden")


@pytest.fixture
def run(monkeypatch, capfd, tmp_path):
    """A function that runs a command without its figures, and returns its folder."""
    command = make_command(monkeypatch, capfd, tmp_path)
    for cls in experiments().values():
        monkeypatch.setattr(cls, "figures", ())

    def folder_of(*overrides):
        said = command(*overrides)
        assert said.status == 0, said.err
        return said.folder

    return folder_of


def as_read(found):
    return json.loads(json.dumps(found))


def test_regrets_and_pulls_of_all_policies(run):
    assert as_read(golden.regrets(run)) == STORED["regrets"]


def test_visits_of_trees():
    assert as_read(golden.trees()) == STORED["trees"]


def test_games_of_a_match(run):
    assert as_read(golden.match(run)) == STORED["match"]


def test_exact_scores():
    assert as_read(golden.scores()) == STORED["scores"]


@pytest.mark.parametrize("kind", golden.COLUMNS)
def test_tables_of_every_other_kind(run, kind):
    assert as_read(golden.digests(run, kind)) == STORED[kind]
