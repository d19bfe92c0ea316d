"""The shape of a log: shares of arms over time, propensities, and the figures of both."""

from __future__ import annotations

import numpy as np
import pytest

from bandits import Log
from bandits.figures.log_shape import draw_shares
from bandits.logs import shape
from tests.drawn import legend_text, new_axes

pytestmark = pytest.mark.jit  # how kernels run decides nothing here

DAY = 86_400.0


def log_of(arms: int, rows: int, seed: int = 0, timed: bool = False) -> Log:
    """A log whose arm of number a is shown with a probability in proportion to a + 1."""
    rng, chance = np.random.default_rng(seed), np.arange(1.0, arms + 1.0)
    chance /= chance.sum()
    arm = rng.choice(arms, rows, p=chance).astype(np.int32)
    arm[:arms] = np.arange(arms)
    time = np.sort(1.6e9 + 7 * DAY * rng.random(rows)) if timed else None
    return Log(tuple(f"arm {a}" for a in range(arms)), arm, rng.random(rows).round(), chance[arm], time)


@pytest.mark.parametrize(("arms", "named", "timed"), [(3, 3, True), (7, 7, False), (8, 7, True), (80, 7, False)])
def test_shares_are_those_of_plain_counting(arms, named, timed):
    log = log_of(arms, 2_345, timed=timed)
    table = shape.shares_of(log)
    assert table["rank"].nunique() == named
    assert table["begin"].nunique() == 40
    names = [name for _, name in sorted(set(zip(table["rank"], table["arm"], strict=True)))]
    by_rows = sorted(range(arms), key=lambda a: (-(log.arm == a).sum(), a))
    assert names[:6] == [log.names[a] for a in by_rows][:6]
    assert (names[-1] == f"{arms - 6} others") == (arms > 7)
    at = np.arange(2_345.0) if log.time is None else log.time
    for row in table.sample(30, random_state=1).to_dict("records"):
        last = row["end"] == table["end"].max()
        inside = (at >= row["begin"]) & ((at < row["end"]) | last)
        chosen = by_rows[6:] if row["arm"].endswith("others") else [log.names.index(row["arm"])]
        assert row["rows"] == np.isin(log.arm[inside], chosen).sum()
        assert row["share"] == pytest.approx(row["rows"] / inside.sum())
    assert table["rows"].sum() == 2_345


def test_periods_without_rows_have_no_share_and_short_logs_few_periods():
    time = np.concatenate([np.linspace(0.0, 1.0, 1_000), np.linspace(9.0, 10.0, 1_000)])
    log = Log(("a", "b"), np.arange(2_000, dtype=np.int32) % 2, np.zeros(2_000), None, time)
    table = shape.shares_of(log)
    empty = table["rows"].groupby(table["begin"]).sum().to_numpy() == 0
    assert empty.sum() >= 30
    assert table["share"].isna().sum() == 2 * empty.sum()
    assert shape.shares_of(log_of(2, 120))["begin"].nunique() == 2
    assert shape.shares_of(log_of(2, 20))["begin"].nunique() == 1
    still = Log(("a", "b"), np.arange(200, dtype=np.int32) % 2, np.zeros(200), None, np.ones(200))
    assert shape.shares_of(still)["rows"].sum() == 200


def test_propensities_are_counted_in_equal_factors_where_they_span_decades():
    narrow, wide = shape.propensities_of(log_of(3, 500)), shape.propensities_of(log_of(80, 5_000))
    assert np.ptp(narrow["high"] - narrow["low"]) < 1e-12
    assert np.ptp(wide["high"] / wide["low"]) < 1e-9
    for table, rows in ((narrow, 500), (wide, 5_000)):
        assert table["rows"].sum() == rows
        assert table["weight"].sum() == pytest.approx(1.0)
    log = log_of(80, 5_000)
    first = log.propensity < wide["high"].iloc[0]
    assert wide["weight"].iloc[0] == pytest.approx((1.0 / log.propensity[first]).sum() / (1.0 / log.propensity).sum())


def test_of_a_log_without_propensities_or_with_equal_ones_or_a_wide_one_only_what_applies_is_there():
    log = log_of(4, 300)
    bare, even = Log(log.names, log.arm, log.reward), Log(log.names, log.arm, log.reward, np.full(300, 0.25))
    assert shape.propensities_of(bare) is None
    assert shape.propensities_of(even) is None
    assert [*shape.arms_of(bare)] == ["arm", "rows", "share", "reward"]
    assert "0.25" in shape.sentences_of(even)[1]
    rewards = np.arange(8.0).reshape(4, 2)
    wide = Log(("a", "b"), np.empty(0, np.int32), np.empty(0), rewards=rewards)
    assert shape.shares_of(wide) is None
    assert shape.propensities_of(wide) is None
    assert shape.sentences_of(wide) == []
    assert shape.arms_of(wide).to_dict("list") == {"arm": ["a", "b"], "rows": [4, 4], "reward": [3.0, 4.0]}


def test_sentences_name_the_arms_shown_most_and_least_and_those_hardly_known():
    arm = np.repeat(np.arange(5, dtype=np.int32), [600, 300, 80, 17, 3])
    log = Log(tuple("abcde"), arm, np.zeros(1_000), np.array([0.6, 0.3, 0.08, 0.017, 0.003])[arm])
    shares, propensities = shape.sentences_of(log)
    assert all(fact in shares for fact in ("a (60 %), b (30 %), c (8 %)", "e (0.3 %)", "1 of 5 arms"))
    assert all(fact in propensities for fact in ("0.003 to 0.6", "10 %", "0.2"))


def test_an_arm_all_of_whose_rows_were_left_out_has_no_reward():
    arm = np.repeat(np.array([0, 2], np.int32), [90, 30])
    log = Log(("a", "b", "c"), arm, np.ones(120), np.where(arm == 0, 0.7, 0.2))
    table = shape.arms_of(log).set_index("arm")
    assert table["rows"].tolist() == [90, 0, 30]
    assert table.loc["b", ["reward", "propensity_low", "propensity_high"]].isna().all()
    assert table.loc["c", ["propensity_low", "propensity_high"]].tolist() == [0.2, 0.2]
    assert "b (0 %)" in shape.sentences_of(log)[0]
    assert shape.shares_of(log)["rows"].sum() == 120


@pytest.mark.parametrize("timed", [False, True])
def test_bands_stand_on_each_other_and_fill_the_axes(timed):
    log, axes = log_of(9, 4_000, timed=timed), new_axes()
    table = shape.shares_of(log)
    caption = draw_shares(table, axes, arms=9, timed=timed)
    bands = np.array([[patch.get_data().values, patch.get_data().baseline] for patch in axes.patches])
    np.testing.assert_allclose(bands[-1, 0], 1.0)
    np.testing.assert_allclose(bands[1:, 1], bands[:-1, 0])
    np.testing.assert_allclose(bands[0, 0], table[table["rank"] == 0]["share"])
    caption.write(axes)
    assert axes.get_legend() is None
    assert "3 others: " in legend_text(axes)
