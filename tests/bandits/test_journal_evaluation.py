"""The guide's simulated shop: what its journal says of uniform play and of UCB1 is the known truth."""

from __future__ import annotations

import importlib
import sys
from fractions import Fraction

import numpy as np
import pytest

from bandits import Bernoulli, Log, evaluate, read_log, simulate
from tests import pages

GUIDE = "guides/live_evaluate"


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """The shop of the page, whose clock stands still."""
    pages.page(GUIDE).write_files(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("bandits.live.shared.time.time", lambda: 1.7e9)
    yield importlib.import_module("shop")
    sys.modules.pop("shop")


@pytest.mark.long
@pytest.mark.jit
def test_the_journal_of_the_shop_holds_the_truth(shop, tmp_path):
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    shop.main(url)
    log = read_log(url, agent="banner")
    rates = np.array([shop.RATES[name] for name in log.names])
    frame = evaluate(log, ["uniform"], learners=["ucb"]).to_frame().set_index("policy")
    horizon = int(frame.loc["ucb", "effective_rows"])
    played = simulate("ucb", Bernoulli(rates.tolist()), horizon=horizon, runs=2_000, seed=1)
    truth = {"uniform": rates.mean(), "ucb": played.pulls.mean(axis=0) @ rates / horizon}
    page = pages.page(GUIDE).text
    for policy, value in truth.items():
        row = frame.loc[policy]
        assert row["value_low"] < value < row["value_high"]
        estimate, low, high = (1_000.0 * row[name] for name in ("value", "value_low", "value_high"))
        assert f"| {policy} | {estimate:.1f} | {low:.1f} to {high:.1f} |" in page
        assert f"{1_000.0 * value:.1f} |\n" in page
    assert abs(frame.loc["uniform", "mean_weight"] - 1.0) < 0.02


@pytest.mark.long
@pytest.mark.jit
def test_over_many_shops_uniform_play_is_estimated_without_bias(shop, tmp_path, monkeypatch):
    errors = {estimator: [] for estimator in ("ips", "snips", "dr")}
    for seed in range(20):
        draws = np.random.default_rng(seed)
        monkeypatch.setattr("shop.np.random.default_rng", lambda _, draws=draws: draws)
        url = f"sqlite:///{tmp_path / f'{seed}.db'}"
        shop.main(url, 2_000)
        log = read_log(url, agent="banner")
        for estimator, found in errors.items():
            value = evaluate(log, "uniform", estimator=estimator).to_frame()["value"].iloc[0]
            found.append(value - np.mean(list(shop.RATES.values())))
    for found in errors.values():
        assert abs(np.mean(found)) < 4.0 * np.std(found, ddof=1) / np.sqrt(len(found))


def test_1_over_n_is_wrong_by_a_third_and_weights_cannot_show_it_for_uniform_play():
    shown, paid = [Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 5), Fraction(2, 5)]
    for arm, factor in enumerate([Fraction(2, 3), Fraction(4, 3)]):
        assert shown[arm] * paid[arm] / Fraction(1, 2) == factor * paid[arm]
    arm = np.tile([0, 1, 1], 1_000)
    reward = (np.arange(3_000) // 3 % 5 < np.where(arm == 0, 1, 2)).astype(float)
    half, third = np.full(2, 0.5), np.array([1.0, 2.0]) / 3.0
    wrong, right = (Log(["a", "b"], arm, reward, chances[arm]) for chances in (half, third))
    rows = [evaluate(log, "uniform", estimator="ips").to_frame().iloc[0] for log in (wrong, right)]
    assert [row["mean_weight"] for row in rows] == pytest.approx([1.0, 1.0])
    assert [row["value"] for row in rows] == pytest.approx([1.0 / 3.0, 0.3])
    assert "chi-square test" in repr(evaluate(wrong, "uniform"))
