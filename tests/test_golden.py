"""The same seeds give the same numbers as when they were stored, to the last bit unless libraries differ in it."""

from __future__ import annotations

import copy
import json

import pytest

from bandits import Gaussian
from tests import golden
from tests.data import read
from tests.experiments.commands import make_command
from tests.internals import Experiment

STORED = read("golden")


@pytest.fixture
def run(monkeypatch, capfd, tmp_path):
    """A function that runs a command without its figures, and returns its folder."""
    command = make_command(monkeypatch, capfd, tmp_path)
    for cls in Experiment.members.values():
        monkeypatch.setattr(cls, "figures", ())

    def folder_of(*overrides):
        said = command(*overrides, "executor=serial")  # processes would take longer to start
        assert said.status == 0, said.err
        return said.folder

    return folder_of


def as_read(found):
    return json.loads(json.dumps(found))


def pairs():
    """Every policy on Bernoulli or contextual arms, and a quarter of them on normal rewards, are fast."""
    normal = [pair for pair in golden.PAIRS if isinstance(pair[0], Gaussian)]
    late = [pair for place, pair in enumerate(normal) if place % 4]
    marks = {id(pair): pytest.mark.long for pair in late}
    return [pytest.param(pair, marks=marks.get(id(pair), ()), id=golden.name_of(*pair)) for pair in golden.PAIRS]


@pytest.mark.kernels
@pytest.mark.parametrize("pair", pairs())
def test_a_simulation_gives_the_stored_numbers_in_every_lane(pair):
    stored, now = STORED["plays"][golden.name_of(*pair)], golden.play(*pair)
    assert now["pulls"] == stored["pulls"]
    if not pair[0].unit_rewards:  # another system's logarithm may round the last bit of a normal reward otherwise
        assert now["reward_sum"] == pytest.approx(stored["reward_sum"], rel=1e-12, abs=1e-12)
        assert now["best_reward_sum"] == pytest.approx(stored["best_reward_sum"], rel=1e-12, abs=1e-12)
    else:
        assert now == stored


@pytest.mark.kernels
def test_draws_are_the_stored_ones_in_every_lane():
    for kind, stored in STORED["draws"].items():
        assert golden.draws()[kind] == pytest.approx(stored, rel=1e-12)


def test_regrets_and_pulls_of_all_policies(run):
    now, stored = as_read(golden.regrets(run)), copy.deepcopy(STORED["regrets"])
    means, expected = ({policy: row.pop("regret") for policy, row in rows.items()} for rows in (now, stored))
    assert now == stored
    for policy, regret in expected.items():  # of a CSV file, whose last digit some versions of pandas misread
        assert means[policy] == pytest.approx(regret, rel=1e-12)


def test_visits_of_trees_games_of_a_match_and_exact_scores(run):
    assert as_read(golden.trees()) == STORED["trees"]
    assert as_read(golden.match(run)) == STORED["match"]
    assert as_read(golden.scores()) == STORED["scores"]


@pytest.mark.parametrize("kind", golden.COLUMNS)
def test_tables_of_every_other_kind(run, kind):
    assert as_read(golden.digests(run, kind)) == STORED[kind]
