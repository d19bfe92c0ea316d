"""Intervals of scores against the closed forms that they have, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from numerics.statistics import Scores, observations, tally, wilson
from tests.internals import tally_of

Z = 1.959963984540054


@pytest.mark.parametrize(("wins", "games"), [(0, 1), (20, 20), (7, 20), (999, 1000)])
def test_without_draws_it_is_wilsons_with_continuity(wins, games):
    counted = tally([1] * wins + [-1] * (games - wins))
    assert np.allclose((counted["score_low"], counted["score_high"]), wilson(wins, games), rtol=0.0, atol=1e-6)


def test_a_draw_counts_half_and_without_games_nothing_is_known():
    counted, nothing = tally([1, 0, 0, -1, -1]), tally([])
    names = ("games", "wins", "draws", "losses", "score")
    assert [counted[name] for name in names] == [5, 1, 2, 2, 0.4]
    assert np.isnan(nothing["score"])
    assert (nothing["score_low"], nothing["score_high"]) == (0.0, 1.0)


@pytest.mark.parametrize(("up", "down", "equal"), [(5, 0, 15), (40, 41, 2)])
def test_differences_of_pairs_are_tangos_with_continuity(up, down, equal):
    n = up + down + equal

    def excess(mean):  # Tango 1998, equations (3) to (5): the discordant rate of most likelihood under a difference
        b = -up - down + (2 * n - up + down) * mean
        q = (math.sqrt(b * b + 8 * n * down * mean * (1 - mean)) - b) / (4 * n)
        return abs(up - down - n * mean) - 0.5 - Z * math.sqrt(n * (2 * q + mean * (1 - mean)))

    found = Scores([np.repeat([1.0, -1.0, 0.0], [up, down, equal])], limits=(-1.0, 1.0)).interval()
    middle = (up - down) / n
    ends = [optimize.brentq(excess, *side) for side in ((-0.9999999, middle), (middle, 0.9999999))]
    assert np.allclose(found, ends, atol=1e-6)
    nothing = Scores([np.zeros(12)], limits=(-1.0, 1.0)).interval()[1]
    assert nothing == pytest.approx(optimize.brentq(lambda p: 12 * p - 0.5 - Z * math.sqrt(12 * p * (1 - p)), 0.1, 0.9))


def test_the_difference_of_two_rates_is_mees_with_continuity():
    a, m, b, n = 12, 20, 30, 38

    def excess(difference):  # the likelihood of both rates at a given difference, maximised
        def loss(other):
            one = other + difference
            return -(
                a * math.log(one) + (m - a) * math.log(1 - one) + b * math.log(other) + (n - b) * math.log(1 - other)
            )

        low, high = max(1e-9, 1e-9 - difference), min(1 - 1e-9, 1 - 1e-9 - difference)
        other = optimize.minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-12}).x
        one = other + difference
        return abs(a / m - b / n - difference) - 0.5 / m - Z * math.sqrt(one * (1 - one) / m + other * (1 - other) / n)

    samples = [np.repeat([1.0, 0.0], [a, m - a]), np.repeat([1.0, 0.0], [b, n - b])]
    found, middle = Scores(samples, (1.0, -1.0), (0.0, 1.0)).interval(), a / m - b / n
    assert np.allclose(
        found, [optimize.brentq(excess, -0.99, middle), optimize.brentq(excess, middle, 0.99)], atol=1e-5
    )


def test_the_p_value_is_below_the_level_where_the_interval_leaves_the_mean_out():
    rng = np.random.default_rng(0)
    for _ in range(10):
        scores = Scores([rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], 30)], limits=(-1.0, 1.0))
        low, high = scores.interval()
        assert scores.p_value(low + 1e-4) > 0.05 > scores.p_value(low - 1e-4)
        assert scores.p_value(high - 1e-4) > 0.05 > scores.p_value(high + 1e-4)
    mcnemar = Scores([np.repeat([1.0, -1.0, 0.0], [9, 2, 20])], limits=(-1.0, 1.0)).p_value()
    assert mcnemar == pytest.approx(stats.chi2.sf((9 - 2 - 0.5) ** 2 / (9 + 2), 1))


@pytest.mark.parametrize("games", [1, 2, 3, 7, 60, 5_000])
def test_the_interval_holds_the_score_and_stays_between_0_and_1(games):
    for wins, draws in ((0, 0), (games, 0), (0, games), (games - 1, 1), (games // 2, games - games // 2)):
        counted = tally([1] * wins + [0] * draws + [-1] * (games - wins - draws))
        assert 0.0 <= counted["score_low"] <= counted["score"] <= counted["score_high"] <= 1.0
        assert counted["score_low"] < counted["score_high"]


def test_strata_that_all_won_or_all_lost_end_at_the_limit():
    won, lost = Scores([np.ones(10), np.ones(20)]).interval(), Scores([np.zeros(10), np.zeros(20)]).interval()
    assert won[1] == 1.0
    assert won[0] == pytest.approx(Scores([np.ones(30)]).interval()[0])  # one law for all: more is not known
    assert lost == pytest.approx((0.0, 1.0 - won[0]))


def test_units_of_one_size_are_together_and_strata_apart():
    found = observations(np.array([1.0, 0.0, 1.0, 1.0, 0.5]), [0, 0, 1, 1, 2], ["a", "a", "b", "b", "b"])
    assert [(one.tolist(), share) for one, share in found] == [([0.5], 0.4), ([0.5], 0.2), ([1.0], 0.4)]


def table(results, opening, first=(1, 2)):
    count = len(results)
    return pd.DataFrame(
        {"game": range(count), "opening": opening, "first_player": list(first) * (count // 2), "result": results}
    )


def test_games_of_one_opening_are_one_observation():
    same = [1, 1, -1, -1] * 50  # whoever meets an opening wins or loses it with both colours
    swapped = [1, -1, 1, -1] * 50  # whoever moves first wins
    widths = {
        name: found["score_high"] - found["score_low"]
        for name, found in {
            "same": tally_of(table(same, "4")),
            "swapped": tally_of(table(swapped, "4")),
            "no openings": tally_of(table(same, "")),
            "colours": tally_of(table(swapped, "")),
        }.items()
    }
    low, high = wilson(100, 200)
    assert widths["no openings"] == pytest.approx(high - low, abs=1e-6)
    assert widths["same"] == pytest.approx(np.ptp(wilson(50, 100)), abs=1e-6)
    assert widths["swapped"] < 0.6 * widths["no openings"]
    assert widths["colours"] < 0.6 * widths["no openings"]


@pytest.mark.parametrize("games", [6, pytest.param(14, marks=pytest.mark.long)])
def test_every_law_of_wins_draws_and_losses_is_covered_counted_over_all_outcomes(games):
    outcomes = np.array([(won, drawn) for won in range(games + 1) for drawn in range(games + 1 - won)])
    counted = [tally([1] * won + [0] * drawn + [-1] * (games - won - drawn)) for won, drawn in outcomes]
    low, high = (np.array([row[end] for row in counted]) for end in ("score_low", "score_high"))
    counts = np.column_stack([outcomes, games - outcomes.sum(axis=1)])
    # Coverage is least next to where an end lies.
    rates = np.unique(np.concatenate([np.linspace(0.005, 0.5, 40), low - 1e-6, high + 1e-6]).clip(1e-4, 0.5))
    least = 1.0
    for rate in rates:
        for share in (0.0, 0.1, 0.3, 0.6, 0.9, 1.0):  # of the draws that the expected score allows
            drawn = share * 2.0 * rate
            law = stats.multinomial(games, [rate - drawn / 2.0, drawn, 1.0 - rate - drawn / 2.0])
            least = min(least, float(law.pmf(counts)[(low <= rate) & (rate <= high)].sum()))
    assert 0.945 < least < 0.955


@pytest.mark.parametrize(("corrections", "is_limit"), [(1.0005, True), (1.01, False), (1.04, False)])
def test_an_end_is_the_limit_where_the_mean_is_within_a_correction_of_it(corrections: float, is_limit: bool):
    once, never = np.eye(20)[0], np.zeros(20)
    for sign in (1, -1):  # at either limit
        samples = [never, once] if sign > 0 else [1.0 - never, 1.0 - once]
        ends = Scores(samples, [2.0 / (2.0 + corrections), corrections / (2.0 + corrections)]).interval()
        end = ends[0] if sign > 0 else 1.0 - ends[1]
        assert end == pytest.approx(0.0, abs=1e-4)
        assert (abs(end) < 1e-12) == is_limit
