"""The pages on policies and arms of one's own: their files play."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from bandits import UCB, Custom, CustomArms, Linear, LinEpsilonGreedy, Log, Logistic, simulate
from tests.internals import replay
from tests.pages import page

TEN = [a / 10 for a in range(10)]


@pytest.fixture
def my_rules(tmp_path, monkeypatch, request):
    for name in getattr(request, "param", ("guides/own_rules", "guides/vector_rules")):
        page(name).write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in ("my_rules", "my_vectors"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("my_rules")
def test_the_policies_and_the_law_of_the_page_play():
    compared = simulate(
        {
            "bonus": Custom("my_rules.my_index", c=1.0),
            "ucb": UCB(c=1.0),
            "index": Custom("my_rules.careful", c=0.5),
            "choice": Custom("my_vectors.gradient"),
            "class": Custom("my_rules.Gradient", step=0.1),
        },
        TEN,
        horizon=400,
        runs=60,
    )
    assert compared["bonus"].pulls.tolist() == compared["ucb"].pulls.tolist()
    uniform = 400 * (0.9 - 0.45)
    means = {label: result.pseudo_regret.mean() for label, result in compared.items()}
    assert max(means.values()) < 0.85 * uniform
    row = compared.differences.set_index(["policy_a", "policy_b"]).loc[("choice", "class")]
    assert abs(row["difference_mean"]) < 4.0 * row["difference_se"]  # one algorithm, other random numbers
    simulate(UCB(c=1.0), CustomArms(law="my_rules.exponential", means=[0.2, 0.5]), 50, 5)


@pytest.mark.long
@pytest.mark.usefixtures("my_rules")
@pytest.mark.parametrize("my_rules", [["guides/contexts", "guides/vector_rules"]], indirect=True)
def test_rules_that_see_features_play_and_are_replayed():
    arms = Linear(arms=3, features=3, scale=0.5)
    compared = simulate(
        {
            "class": Custom("my_rules.Regress"),
            "the same": LinEpsilonGreedy(),
            "sees nothing": UCB(c=0.5),
        },
        arms,
        horizon=400,
        runs=60,
    )
    rows = compared.differences.set_index(["policy_a", "policy_b"])
    same = rows.loc[("class", "the same")]
    assert abs(same["difference_mean"]) < 4.0 * same["difference_se"]  # one algorithm, other random numbers
    blind = rows.loc[("class", "sees nothing")]
    assert blind["difference_mean"] < -4.0 * blind["difference_se"]

    clicks, rng = Logistic(weights=[[0, 3, 0], [0, -3, 0], [0, 0, 3]]), np.random.default_rng(1)
    _, means, features = clicks.with_features(1, 0, 1, 3_000)
    arm = rng.integers(3, size=3_000, dtype=np.int32)
    reward = (rng.random(3_000) < means[0, np.arange(3_000), arm]).astype(float)
    log = Log(("a", "b", "c"), arm, reward, np.full(3_000, 1.0 / 3.0), features=features[0])
    assert replay(log, Custom("my_vectors.follow", c=1.0)).reward.mean() > reward.mean() + 0.1
    with pytest.raises(ValueError, match="Regress is a Python class"):
        replay(log, Custom("my_rules.Regress"))
