"""Sweeps and comparisons: one table, figures of what is alike, paired tests; bad combinations do not stop others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bandits import UCB, Bernoulli, Thompson, simulate, summaries
from bandits.differences import final_regret, paired_differences
from experiments.engine import printing
from experiments.report import sheets
from numerics.output import style
from numerics.statistics import elo_per_doubling, interval_of, scores_of_pairs
from tests.drawn import assert_readable
from tests.experiments.commands import sketch
from tests.internals import against_best, compare, holm

SMALL = ("runs=20", "horizon=100", "hydra.sweep.dir=sweep")
REGRET, ALIKE = ("regret", "regret_log"), ("simple_regret", "pulls", "final_regret")
QUANTILES = ("regret_quantiles", "regret_quantiles_log")
UCT = (
    *("-m", "experiment=match", "player1=uct", "player2=random", "board=4x3", "connect=3"),
    *("openings=first_moves", "games=8", "hydra.sweep.dir=sweep"),
)


@pytest.mark.parametrize(
    ("swept", "column", "values", "figures"),
    [
        (["bandit=ucb,moss", "arms=two_close,low_means"], "bandit", ["ucb", "ucb", "moss", "moss"], REGRET + QUANTILES),
        (["runs=10,20"], "runs", [10, 20], (*REGRET, "final_regret")),
        (["bandit.c=range(0.1,0.31,step=0.2)"], "bandit.c", [0.1, 0.3], (*REGRET, *ALIKE)),
    ],
)
def test_a_sweep_is_one_table_and_figures_of_what_is_alike(command, tmp_path, swept, column, values, figures):
    said = command("-m", *SMALL, *swept)
    assert list(pd.read_csv(tmp_path / "sweep" / "sweep.csv")[column]) == values
    assert {path.stem for path in (tmp_path / "sweep" / "figures").iterdir()} == set(figures)
    assert "0.30000000" not in said.out.partition("┏")[2]
    assert f"table: {tmp_path / 'sweep' / 'sweep.csv'}" in said.out


@pytest.mark.reported
def test_combinations_that_failed_are_named_with_the_tables_and_their_values_can_be_corrected(
    command, attempt, tmp_path
):
    sweep = ("-m", "bandit=ucb", *SMALL)
    said = attempt(*sweep, "bandit.c=0.5,-1,abc,1")
    assert said.status == 2
    assert ["bandit.c=-1" in line for line in said.complaint.splitlines()] == [True, False]
    report, table = tmp_path / "sweep" / "report.html", tmp_path / "sweep" / "sweep.csv"
    assert list(pd.read_csv(table)["bandit.c"]) == [0.5, 1.0]
    assert (tmp_path / "sweep" / "figures" / "final_regret.png").exists()
    for value in ("-1", "abc"):
        assert f"bandit.c={value} failed" in said.out
        assert f"bandit.c={value} failed" in report.read_text(encoding="utf-8")
    report.unlink()
    command("sweep", module="report")
    assert "bandit.c=-1 failed" in report.read_text(encoding="utf-8")
    before = (tmp_path / "sweep" / "0" / "manifest.json").stat().st_mtime_ns
    other = attempt(*sweep, "bandit.c=0.6,2,3,1")
    assert other.status == 2
    assert "bandit.c=0.5, not 0.6" in other.err
    command(*sweep, "bandit.c=0.5,2,3,1")
    assert list(pd.read_csv(table)["bandit.c"]) == [0.5, 2.0, 3.0, 1.0]
    assert "failed" not in report.read_text(encoding="utf-8")
    assert (tmp_path / "sweep" / "0" / "manifest.json").stat().st_mtime_ns == before


def test_a_combination_that_cannot_be_composed_stops_the_sweep_before_any_run(attempt, tmp_path):
    attempt("-m", "bandit=ucb,nope,moss", *SMALL).assert_refused(["bandit ", "'nope'"])
    assert not list((tmp_path / "sweep").glob("*/*"))
    assert attempt("-m", "bandit=ucb", "bandit.c=-1,-2", *SMALL).status == 2
    assert not list(tmp_path.rglob("sweep.csv"))


def test_sweeps_may_lie_in_one_another_and_a_damaged_note_is_one_sentence(command, attempt, tmp_path):
    command("-m", "bandit=ucb", "bandit.c=0.5,1", *SMALL, "hydra.sweep.dir=all/one")
    command("-m", "seed=1,2", *SMALL, "hydra.sweep.dir=all")
    assert len(pd.read_csv(tmp_path / "all" / "sweep.csv")) == 2
    (tmp_path / "all" / "extra").mkdir()
    (tmp_path / "all" / "extra" / "combination.json").write_text("[")
    said = attempt("-m", "seed=1,2", *SMALL, "hydra.sweep.dir=all")
    said.assert_refused(["all/extra/combination.json", "damaged"])


def test_a_comparison_tests_every_difference_and_labels_stay_the_text_that_they_are(command):
    given = 'bandits=[{name: ucb, label: "NA"},{name: ucb, c: 0.5, label: "007"},{name: ucb, c: 0.1},thompson]'
    said = command("experiment=comparison", given, *SMALL[:2])
    summary = pd.read_csv(said.folder / "summary.csv", keep_default_na=False)
    names = ["NA", "007", "ucb c=0.1", "thompson"]
    assert list(summary["policy"]) == names
    rows = [" ".join(line.split()[1:3]) for line in said.out.splitlines() if line.startswith("│")]
    assert [row.startswith(name) for row, name in zip(rows, names, strict=False)] == [True] * 4
    differences = pd.read_csv(said.folder / "differences.csv", keep_default_na=False)
    assert len(differences) == 6
    means = dict(zip(names, summary["pseudo_regret_mean"], strict=True))
    for row in differences.itertuples():
        assert np.isclose(row.difference_mean, means[row.policy_a] - means[row.policy_b])


@pytest.mark.drawn
@pytest.mark.parametrize(("count", "letters"), [(4, 60), pytest.param(12, 12, marks=pytest.mark.long)])
def test_the_text_of_differences_is_never_cut(command, monkeypatch, count, letters):
    figures = {}

    def keep(figure, place):
        figure.draw_without_rendering()
        figures[place.name] = figure
        return sketch(figure, place)

    monkeypatch.setattr(style, "save", keep)
    names = [f"{place}".rjust(letters, "w") for place in range(count)]
    bandits = [f"{{name: ucb, c: {place}, label: {name}}}" for place, name in enumerate(names)]
    command("experiment=comparison", f"bandits=[{','.join(bandits)}]", "runs=4", "horizon=50")
    figure = figures["differences"]
    (axes, *_) = figure.axes
    assert len(axes.get_yticklabels()) == count - 1
    for text in (axes._left_title, *axes.get_yticklabels(), *axes.get_xticklabels()):
        box = text.get_window_extent()
        assert box.x0 >= 0.0
        assert box.x1 <= figure.bbox.x1 + 1.0
    assert_readable(axes, "y")


def test_paired_differences_are_the_paired_t_test_corrected_for_skewness():
    arms = Bernoulli([0.3, 0.5, 0.7])
    results = {"ucb": simulate(UCB(), arms, 300, 50), "thompson": simulate(Thompson(), arms, 300, 50)}
    pulls = pd.concat([summaries.pulls(label, result.replications) for label, result in results.items()])
    finals = final_regret(pulls)
    for label, result in results.items():
        assert np.allclose(finals[label], result.pseudo_regret)
    (row,) = paired_differences(pulls).itertuples()
    test = stats.ttest_rel(results["ucb"].pseudo_regret, results["thompson"].pseudo_regret)
    assert test.pvalue < row.p_value < 0.001
    assert row.ci_low <= test.confidence_interval(0.95).low
    assert (row.ci_low, row.ci_high) == interval_of(results["ucb"].pseudo_regret - results["thompson"].pseudo_regret)
    assert row.p_adjusted == row.p_value


@pytest.mark.parametrize(("other", "runs", "p_value"), [(UCB(), 10, 1.0), (Thompson(), 1, np.nan)])
def test_identical_policies_differ_by_nothing_and_a_single_replication_allows_no_statement(other, runs, p_value):
    played = [simulate(policy, Bernoulli([0.4, 0.6]), 50, runs).replications for policy in (UCB(), other)]
    (row,) = paired_differences(
        pd.concat([summaries.pulls(name, one) for name, one in zip("ab", played, strict=True)])
    ).itertuples()
    assert np.array_equal([row.p_value, row.p_adjusted], [p_value] * 2, equal_nan=True)
    if runs > 1:
        assert (row.difference_mean, row.share_a_lower) == (0.0, 0.5)


def test_a_narrow_terminal_leaves_columns_out_and_says_which(command, monkeypatch):
    for width in (100, 300):
        monkeypatch.setattr(printing, "_WIDTH_OF_A_FILE", width)
        said = command("experiment=comparison", "bandits=[ucb,random]", *SMALL[:2], "hydra.run.dir=run")
        table = "".join(line for line in said.out.splitlines() if line[:1] in "┃│")
        assert "…" not in table
        left_out = said.out.partition(f"not shown on {width} columns")[2].partition("\n")[0]
        assert bool(left_out) == (width == 100)
        heads = sheets(said.folder)[0].heads
        assert [head in left_out for head in heads] == [head.split()[0] not in table for head in heads]


def games_of(results, **columns):
    """A table of games with these results of player 1, as a match writes it."""
    count = len(results)
    known = {"game": range(count), "seed": np.arange(count, dtype=np.uint64), "player1": "one", "player2": "other"}
    known |= {"opening": "", "first_player": [1, 2] * (count // 2), "moves": [str(n) for n in range(count)]}
    return pd.DataFrame({**known, "plies": 9, "result": results, "winner": "", "ending": "row"} | columns)


def test_a_sweep_of_matches_plays_the_same_games_and_names_the_best_with_its_equals(command, tmp_path):
    command(*UCT, "player1.c=0.1,2", "player1.simulations=8")
    table = pd.read_csv(tmp_path / "sweep" / "sweep.csv")
    assert list(table["player1.c"]) == [0.1, 2.0]
    (best,) = table.loc[table["standing"] == "best", "score"]
    assert best == table["score"].max()
    assert np.allclose(table["difference"], table["score"] - best)
    assert np.allclose(table["score"], (table["score_moving_first"] + table["score_moving_second"]) / 2)
    assert {path.name for path in (tmp_path / "sweep" / "figures").iterdir()} == {"score.png"}
    first, other = (pd.read_parquet(tmp_path / "sweep" / name / "games.parquet") for name in "01")
    for column in ("game", "seed", "opening", "first_player"):
        assert first[column].equals(other[column])
    assert not first["moves"].equals(other["moves"])


def test_differences_from_the_best_agree_with_tests_of_scipy_where_games_are_many():
    rng = np.random.default_rng(1)
    good, fair, poor = rng.choice([0.5, 1.0], 900), rng.choice([0.0, 0.5, 1.0], 900), rng.choice([0.0, 0.5], 900)
    for scores, paired, test in (
        ([good, fair], True, stats.ttest_1samp(fair - good, 0.0).confidence_interval()),
        ([good, fair[:700]], False, stats.ttest_ind(fair[:700], good, equal_var=False).confidence_interval()),
        ([good, fair, poor], False, stats.ttest_ind(poor, good, equal_var=False).confidence_interval(1 - 0.05 / 3)),
    ):
        row = against_best(scores, paired=paired).iloc[-1]
        assert (row["difference_low"], row["difference_high"]) == pytest.approx((test.low, test.high), abs=2e-3)
        assert row["difference"] == pytest.approx(scores[-1].mean() - good.mean())


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


def test_the_unit_is_a_pair_of_games_and_settings_that_met_other_games_are_not_paired():
    assert scores_of_pairs(games_of([1, -1, 1, 0, -1, -1])).tolist() == [0.5, 0.75, 0.0]
    first, other = games_of([1, -1, 1, 1]), games_of([1, -1, -1, -1], seed=np.arange(4, 8, dtype=np.uint64))
    paired, apart = (
        compare([({"c": 1}, first), ({"c": 2}, games)])["p_value"].iloc[1]
        for games in (other.assign(seed=first["seed"]), other)
    )
    assert paired != apart


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
    rng, seen = np.random.default_rng(5), set()
    for place in range(30):
        scores = [(rng.uniform(size=(40, 2)) < rate).mean(axis=1) for rate in (0.3, 0.45, 0.5, 0.6)]
        others = against_best(scores, paired=place % 2 == 0).query("standing != 'best'")
        lower = others["standing"] == "lower"
        assert lower.equals(others["difference_high"] < 0.0)
        assert lower.equals(others["p_adjusted"] < 0.05)
        seen |= set(lower & (others["p_adjusted"] > 0.03)) | set(~lower & (others["p_value"] < 0.05))
    assert seen == {False, True}  # near the limit too


def test_elo_per_doubling_is_found_again_and_its_interval_covers():
    rng = np.random.default_rng(4)
    budgets, games = 2.0 ** np.arange(4, 10), np.full(6, 400)
    truth = 1.0 / (1.0 + 10.0 ** (-(-500.0 + 80.0 * np.log2(budgets)) / 400.0))
    fits = [elo_per_doubling(budgets, rng.binomial(games, truth), games) for _ in range(200)]
    assert abs(np.mean([fit.elo for fit in fits]) - 80.0) < 1.5
    assert np.mean([fit.elo_low < 80.0 < fit.elo_high for fit in fits]) > 0.92
    assert np.allclose(elo_per_doubling(budgets, truth * games, games).score(budgets), truth, atol=0.003)


def test_elo_per_doubling_is_finite_where_every_game_was_won_and_scores_off_the_line_widen_its_interval():
    fit = elo_per_doubling([1, 2, 4], [0, 50, 50], [50, 50, 50])
    assert np.isfinite([fit.elo, fit.elo_low, fit.elo_high]).all()
    assert fit.elo > 0
    on, off = (elo_per_doubling([1, 2, 4, 8], points, [200] * 4) for points in ([60, 87, 113, 140], [90, 60, 140, 110]))
    assert off.elo_high - off.elo_low > 2.0 * (on.elo_high - on.elo_low)


@pytest.mark.long
def test_a_sweep_of_simulations_has_a_fit(command, tmp_path):
    command(*UCT, "player1.simulations=2,4,16", "player1.c=1")
    (row,) = pd.read_csv(tmp_path / "sweep" / "elo_per_doubling.csv").itertuples()
    assert row.key == "player1.simulations"
    assert row.elo_low < row.elo < row.elo_high


@pytest.mark.long
def test_a_rule_that_must_know_its_horizon_is_refused_under_a_clock_and_the_others_are_drawn(attempt, tmp_path):
    said = attempt(*UCT, "player1.policy=ucb,moss,kl_ucb", "player1.seconds=0.0005")
    assert said.status == 2
    assert "horizon" in said.err
    assert list(pd.read_csv(tmp_path / "sweep" / "sweep.csv")["player1.policy"]) == ["ucb", "kl_ucb"]
