"""A sweep of matches: settings compared over the same games, the best and those like it, Elo per doubling, figures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp, ttest_ind

from numerics.statistics import elo_per_doubling, scores_of_pairs
from tests.internals import against_best, compare, holm

SMALL = ("board=4x3", "connect=3", "openings=first_moves", "games=16", "hydra.sweep.dir=sweep")
UCT = ("-m", "experiment=match", "player1=uct", "player2=random", *SMALL)


def games_of(results, **columns):
    """A table of games with these results of player 1, as a match writes it."""
    count = len(results)
    return pd.DataFrame(
        {
            "game": range(count),
            "seed": np.arange(count, dtype=np.uint64),
            "player1": "one",
            "player2": "other",
            "opening": "",
            "first_player": [1, 2] * (count // 2),
            "moves": [str(n) for n in range(count)],
            "plies": 9,
            "result": results,
            "winner": "",
            "ending": "row",
        }
        | columns
    )


def test_a_sweep_of_c_is_one_table_one_figure_and_the_best_with_its_equals(command, tmp_path):
    said = command(*UCT, "player1.c=0.1,1,2", "player1.simulations=8")
    table = pd.read_csv(tmp_path / "sweep" / "sweep.csv")
    assert list(table["player1.c"]) == [0.1, 1.0, 2.0]
    assert list(table["games"]) == [16, 16, 16]
    assert (table["standing"] == "best").sum() == 1
    assert table.loc[table["standing"] == "best", "score"].item() == table["score"].max()
    assert np.allclose(table["difference"], table["score"] - table["score"].max())
    assert np.allclose(table["score"], (table["score_moving_first"] + table["score_moving_second"]) / 2)
    assert {path.name for path in (tmp_path / "sweep" / "figures").iterdir()} == {"score.png"}
    assert "player 1: uct simulations=8" in said.out
    assert "minus the best: score test over pairs of games" in said.out


@pytest.mark.long
def test_matches_of_a_sweep_share_openings_and_seeds(command, tmp_path):
    command(*UCT, "player1.c=0,2", "player1.simulations=12")
    first, other = (pd.read_parquet(tmp_path / "sweep" / name / "games.parquet") for name in "01")
    for column in ("game", "seed", "opening", "first_player"):
        assert first[column].equals(other[column])
    assert not first["moves"].equals(other["moves"])


def test_pairs_of_games_agree_with_the_paired_t_test_of_scipy_where_they_are_many():
    rng = np.random.default_rng(1)
    good, poor = rng.choice([0.5, 1.0], 900), rng.choice([0.0, 0.5, 1.0], 900)
    row = against_best([poor, good], paired=True).iloc[0]
    interval = ttest_1samp(poor - good, 0.0).confidence_interval()
    assert (row["difference_low"], row["difference_high"]) == pytest.approx((interval.low, interval.high), abs=2e-3)
    assert row["difference"] == pytest.approx(poor.mean() - good.mean())


def test_different_games_agree_with_the_welch_test_of_scipy_where_they_are_many():
    rng = np.random.default_rng(2)
    good, poor = rng.choice([0.5, 1.0], 900), rng.choice([0.0, 0.5, 1.0], 1_500)
    row = against_best([good, poor], paired=False).iloc[1]
    test = ttest_ind(poor, good, equal_var=False).confidence_interval()
    assert (row["difference_low"], row["difference_high"]) == pytest.approx((test.low, test.high), abs=2e-3)


def test_intervals_of_three_settings_hold_for_all_three_pairs():
    rng = np.random.default_rng(2)
    good, fair, poor = rng.choice([0.5, 1.0], 900), rng.choice([0.0, 0.5, 1.0], 900), rng.choice([0.0, 0.5], 900)
    row = against_best([good, fair, poor], paired=False).iloc[2]
    test = ttest_ind(poor, good, equal_var=False).confidence_interval(1.0 - 0.05 / 3)
    assert (row["difference_low"], row["difference_high"]) == pytest.approx((test.low, test.high), abs=2e-3)


def test_a_few_games_never_feign_certainty():
    table = against_best([np.array([0.0]), np.array([1.0])], paired=True)
    assert table["standing"].tolist() == ["not distinguishable", "best"]
    same = against_best([np.ones(50), np.ones(50)], paired=True).iloc[1]
    assert same["p_value"] == 1.0
    assert same["difference_low"] < 0.0 < same["difference_high"]


@pytest.mark.parametrize("values", [[0.01, 0.04, 0.03], [0.5], [0.9, 0.8, 0.02, 0.02]])
def test_holm_is_the_step_down_method(values):
    order = np.argsort(values)
    expected = np.minimum(1.0, np.maximum.accumulate(np.sort(values) * np.arange(len(values), 0, -1)))
    assert holm(values) == pytest.approx(expected[np.argsort(order)])


def test_the_unit_is_a_pair_of_games():
    assert scores_of_pairs(games_of([1, -1, 1, 0, -1, -1])).tolist() == [0.5, 0.75, 0.0]


def test_settings_that_met_other_games_are_not_paired():
    first, other = games_of([1, -1, 1, 1]), games_of([1, -1, -1, -1], seed=np.arange(4, 8, dtype=np.uint64))
    paired, apart = (
        compare([({"c": 1}, first), ({"c": 2}, games)])["p_value"].iloc[1]
        for games in (other.assign(seed=first["seed"]), other)
    )
    assert paired != apart


@pytest.mark.sampled(2)
@pytest.mark.parametrize("key", ["player2", "player2.simulations", "board", "connect"])
def test_only_settings_that_met_one_opponent_on_one_board_are_compared(key):
    strong, weak = games_of([1] * 40), games_of([-1] * 40)
    settings = [
        ({"player1.c": c, key: where}, games) for c, games in (("1", strong), ("2", weak)) for where in ("7", "8")
    ]
    table = compare(settings)
    assert table["standing"].tolist() == ["best", "best", "lower", "lower"]
    assert table["difference"].tolist() == [0.0, 0.0, -1.0, -1.0]
    alone = compare([({key: "7"}, strong), ({key: "8"}, weak)])
    assert alone["standing"].tolist() == ["", ""]
    assert alone["p_value"].isna().all()


@pytest.mark.long
def test_the_interval_the_p_value_and_the_verdict_agree():
    rng = np.random.default_rng(5)
    seen = set()
    for paired in (True, False):
        for _ in range(30):
            scores = [(rng.uniform(size=(40, 2)) < rate).mean(axis=1) for rate in (0.3, 0.45, 0.5, 0.6)]
            others = against_best(scores, paired=paired).query("standing != 'best'")
            lower = others["standing"] == "lower"
            assert lower.equals(others["difference_high"] < 0.0)
            assert lower.equals(others["p_adjusted"] < 0.05)
            seen |= set(lower & (others["p_adjusted"] > 0.03)) | set(~lower & (others["p_value"] < 0.05))
    assert seen == {False, True}  # near the limit too


@pytest.mark.long
@pytest.mark.drawn
def test_each_opponent_has_a_panel_a_table_and_a_best(command, tmp_path):
    said = command(
        "-m",
        "experiment=match",
        "player1=uct",
        *SMALL,
        "player1.simulations=2,16",
        "player2=random,level_2",
    )
    for opponent in ("random", "level_2"):
        assert f"player 1's results, {opponent};" in said.out
    assert "player 2: random and level_2\n" in said.out
    assert pd.read_csv(tmp_path / "sweep" / "sweep.csv")["games"].tolist() == [16] * 4
    texts = (tmp_path / "sweep" / "figures" / "score.png").read_text()
    assert all(opponent in texts for opponent in ("random", "level_2"))


def test_elo_per_doubling_is_found_again_and_its_interval_covers():
    rng = np.random.default_rng(4)
    budgets, games = 2.0 ** np.arange(4, 10), np.full(6, 400)
    truth = 1.0 / (1.0 + 10.0 ** (-(-500.0 + 80.0 * np.log2(budgets)) / 400.0))
    fits = [elo_per_doubling(budgets, rng.binomial(games, truth), games) for _ in range(200)]
    covered = np.mean([fit.elo_low < 80.0 < fit.elo_high for fit in fits])
    assert abs(np.mean([fit.elo for fit in fits]) - 80.0) < 1.5
    assert covered > 0.92
    assert np.allclose(elo_per_doubling(budgets, truth * games, games).score(budgets), truth, atol=0.003)


def test_elo_per_doubling_is_finite_where_every_game_was_won():
    fit = elo_per_doubling([1, 2, 4], [0, 50, 50], [50, 50, 50])
    assert np.isfinite([fit.elo, fit.elo_low, fit.elo_high]).all()
    assert fit.elo > 0


def test_scores_that_leave_the_line_widen_its_interval():
    on, off = (elo_per_doubling([1, 2, 4, 8], points, [200] * 4) for points in ([60, 87, 113, 140], [90, 60, 140, 110]))
    assert off.elo_high - off.elo_low > 2.0 * (on.elo_high - on.elo_low)


@pytest.mark.long
def test_a_sweep_of_simulations_has_a_fit(command, tmp_path):
    said = command(*UCT, "player1.simulations=2,4,16", "player1.c=1")
    table = pd.read_csv(tmp_path / "sweep" / "elo_per_doubling.csv")
    assert list(table["key"]) == ["player1.simulations"]
    assert table["elo_low"].item() < table["elo"].item() < table["elo_high"].item()
    assert "Elo per doubling" in said.out


@pytest.mark.long
def test_a_rule_that_must_know_its_horizon_is_refused_under_a_clock_and_the_others_are_drawn(attempt, tmp_path):
    said = attempt(*UCT, "player1.policy=ucb,moss,kl_ucb", "player1.seconds=0.0005")
    assert said.status == 2
    assert "horizon" in said.err
    assert list(pd.read_csv(tmp_path / "sweep" / "sweep.csv")["player1.policy"]) == ["ucb", "kl_ucb"]
