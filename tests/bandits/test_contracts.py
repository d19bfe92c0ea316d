"""What every registered policy promises; its file, papers and preset; facts of others name a source."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import re
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from bandits import Arms, Bernoulli, Gaussian, Policy, RandomBernoulli, RandomGaussian, Softmax, make, simulate
from bandits.policies import base
from bandits.references import cited_in, references
from numerics.parameters import parameters
from tests.bandits.policies import ALL, EXAMPLES, LIMITED, PLANNED, variations
from tests.data import HERE, read
from tests.refusals import refused

pytestmark = pytest.mark.kernels

every_policy = pytest.mark.parametrize("policy", [*ALL, *PLANNED], ids=str)
every_example = pytest.mark.parametrize("policy", EXAMPLES, ids=lambda policy: policy.name)
every_name = pytest.mark.parametrize("policy", [*EXAMPLES, *LIMITED, *PLANNED], ids=lambda policy: policy.name)
ARMS = Bernoulli([0.3, 0.8, 0.5])
GAUSSIAN = Gaussian([0.1, -0.4])


@every_policy
def test_pulls_sum_to_the_horizon_and_regrets_stay_within_it(policy: Policy):
    horizon = 60
    played = simulate(policy, ARMS, horizon, 6, seed=1, checkpoints=range(1, horizon + 1)).replications
    assert (played.pulls >= policy.spec().estimates.explore).all()
    assert (played.pulls.sum(axis=1) == horizon).all()
    np.testing.assert_allclose(played.pseudo_regret[:, -1], played.pulls @ np.array([0.5, 0.0, 0.3]), rtol=1e-12)
    steps = np.diff(played.pseudo_regret, axis=1, prepend=0.0)
    assert (np.abs(steps[:, :, None] - [0.0, 0.3, 0.5]).min(axis=2) < 1e-9).all(), "each step costs the gap of one arm"
    np.testing.assert_array_equal(played.optimal == 1, np.abs(steps) < 1e-9)
    assert (np.abs(played.realised_regret) <= played.checkpoints).all()
    np.testing.assert_array_equal(played.reward_sum, played.reward.cumsum(axis=1))
    assert set(np.unique(played.reward)) <= {0.0, 1.0}


@pytest.mark.parametrize("policy", [*ALL, *LIMITED, *PLANNED], ids=str)
def test_one_replication_of_two_arms_plays_though_the_horizon_holds_only_the_first_pulls(policy: Policy):
    explore = policy.spec().estimates.explore
    result = simulate(policy, Bernoulli([0.5, 0.6]), max(1, 2 * explore), runs=1)
    assert result.pulls.shape == (1, 2)
    assert result.pulls.sum() == max(1, 2 * explore)
    if explore:
        assert result.pulls.tolist() == [[explore, explore]]


@every_example
def test_arms_that_always_pay_or_never_pay_are_played_without_a_warning(policy: Policy):
    result = simulate(policy, Bernoulli([0.0, 1.0, 1.0, 0.0]), 80, 4)
    assert (result.replications.best_reward_sum[:, -1] == 80).all()
    assert (result.pseudo_regret == result.pulls[:, [0, 3]].sum(axis=1)).all()
    nothing = simulate(policy, Bernoulli([0.0, 0.0]), 50, 4)
    assert (nothing.pseudo_regret == 0.0).all()
    assert (nothing.realised_regret == 0.0).all()


@every_name
def test_every_policy_explains_itself(policy: Policy):
    assert Policy.members[policy.name] is type(policy)
    assert policy.formula.strip() == policy.formula != ""
    assert policy.source
    assert policy.other_rewards != "refused" or policy.limits is not None, "then `limits` refuses such arms"
    assert (type(policy).__doc__ or "").strip()


@every_name
def test_the_formula_shows_every_parameter(policy: Policy):
    for name, varied in variations(policy):
        assert varied.formula != policy.formula, f"{policy.name} does not print {name}"


@pytest.mark.parametrize("policy", [*ALL, *LIMITED, *PLANNED], ids=str)
def test_policies_are_values_that_pickle_and_are_remade_from_their_name_and_parameters(policy: Policy):
    copy = pickle.loads(pickle.dumps(policy))
    assert copy == policy
    assert hash(copy) == hash(policy)
    parameters = {field.name: getattr(policy, field.name) for field in dataclasses.fields(policy) if field.init}
    assert make(policy.name, **parameters, **getattr(policy, "more", {})) == policy
    spec, spec_copy = policy.spec(), pickle.loads(pickle.dumps(policy.spec()))
    assert (spec_copy.rule, spec_copy.estimates) == (spec.rule, spec.estimates)
    assert spec_copy.numbers(30, 2).tolist() == spec.numbers(30, 2).tolist()
    for field in dataclasses.fields(policy):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(policy, field.name, None)


@every_name
def test_policies_for_rewards_from_0_to_1_refuse_gaussian_arms_and_others_play_them(policy: Policy):
    for arms in (GAUSSIAN, RandomGaussian(arms=2)):
        if policy.unit_rewards:
            refused(lambda arms=arms: simulate(policy, arms, 50, 2), "arms", "[0, 1]", policy.name, arms.describe())
        else:
            assert np.isfinite(simulate(policy, arms, 50, 2).realised_regret).all()


@every_example
def test_a_horizon_shorter_than_the_first_pulls_ends_amid_them(policy: Policy):
    explore, arms = policy.spec().estimates.explore, RandomBernoulli(arms=20)
    block = 3 if len(policy.name) % 2 else None
    horizon = 20 * explore - 1 if explore else 7
    result = simulate(policy, arms, horizon, 5, seed=1, block=block, checkpoints=range(1, horizon + 1))
    assert (result.pulls.sum(axis=1) == horizon).all()
    if explore:
        assert (result.pulls == [explore] * 19 + [explore - 1]).all()
        longer = simulate(policy, arms, horizon + 30, 5, seed=1, block=block, checkpoints=range(1, horizon + 31))
        for name in ("pseudo_regret", "reward_sum", "best_reward_sum", "reward", "optimal"):
            first = getattr(longer.replications, name)[:, :horizon]
            np.testing.assert_array_equal(getattr(result.replications, name), first)
    assert (simulate(policy, arms, 1, 5, block=block).pulls.sum(axis=1) == 1).all()


def test_softmax_of_a_vanishing_temperature_is_the_best_mean():
    cold = simulate(Softmax(temperature=1e-310), Bernoulli([1.0, 0.0, 0.0]), 50, 20)
    assert cold.pulls.tolist() == [[48, 1, 1]] * 20


# ---------------------------------------------------------------- the registry


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
