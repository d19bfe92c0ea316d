"""Small kinds of experiments, each beside an independent count: exact, identification, scaling, tune, sweeps, trace."""

from __future__ import annotations

import importlib.util
import re

import numpy as np
import pandas as pd
import pytest

from experiments.engine import printing
from tests.experiments.commands import split_words
from tests.internals import slopes

TWO_ARMS = ("experiment=identification", "arms.means=[0.8,0.2]", "seed=3")
RULE = """from bandits import stopping_rule


@stopping_rule
def never(pulls, means, variances, t, params):
    return False
"""
TUNE = ("experiment=tune", "values=[0.1,1,4]", "player.simulations=5", "epsilon=0.4", "games=20", "hydra.run.dir=run")
GAMES = ("board=4x3", "connect=3", "games=16", "openings=first_moves")
SWEEP = ("experiment=uct_sweep", *GAMES, "opponent=random", "player.simulations=8")
TRACE = ("experiment=trace", "bandit=ucb")


@pytest.mark.jit
def test_exact_has_the_value_of_the_optimal_policy_and_labels(command, tmp_path):
    bandits = "bandits=[{name: ucb, c: 0.5, label: narrow},bayes_optimal]"
    said = command("experiment=exact", bandits, "arms.means=[0.3,0.5]", "horizon=60", "hydra.run.dir=run")
    table = pd.read_csv(tmp_path / "run" / "exact.csv").set_index("policy")
    assert list(table.index) == ["narrow", "bayes_optimal"]
    assert table.loc["bayes_optimal", "gain_mean"] == pytest.approx(27.667781619675154, abs=1e-10)
    assert "27.667782" in said.out
    curves = pd.read_csv(tmp_path / "run" / "curves.csv")
    assert (curves.groupby("policy")["horizon"].max() == 60).all()


@pytest.mark.jit
def test_errors_against_budgets_are_put_together(command, tmp_path):
    words = "stopping=budget most=2,10,60 runs=400 bandits=[round_robin,sequential_halving] hydra.sweep.dir=sweep"
    command("-m", *TWO_ARMS, *split_words(words))
    table = pd.read_csv(tmp_path / "sweep" / "sweep.csv")
    assert table["most"].tolist() == [2, 2, 10, 10, 60, 60]
    assert table["policy"].tolist() == ["round_robin", "sequential_halving"] * 3
    uniform = table[table["policy"] == "round_robin"]["wrong"]
    assert abs(uniform.iloc[0] - 0.2) < 0.1  # after a pull of each: 0 and 1, or half of the equal means
    assert uniform.iloc[2] == 0.0


@pytest.mark.jit
def test_a_rule_that_never_stops_is_not_taken_for_a_budget(command, tmp_path, monkeypatch):
    (tmp_path / "never_rules.py").write_text(RULE)
    monkeypatch.setenv("COLUMNS", "160")
    words = "stopping=custom stopping.rule=never_rules.never bandits=[round_robin] runs=5 most=50"
    said = command(*TWO_ARMS, *split_words(words))
    assert "50 pulls" in said.out
    assert "100.0 %" in said.out


@pytest.mark.jit
def test_quantiles_of_the_pulls_lie_in_their_intervals(command, tmp_path):
    command(*TWO_ARMS, "stopping.delta=0.2", "bandits=[kl_lucb]", "runs=100", "hydra.run.dir=run")
    row = pd.read_csv(tmp_path / "run" / "summary.csv").iloc[0]
    pulls = pd.read_parquet(tmp_path / "run" / "stops.parquet")["pulls"].sort_values().to_numpy()
    assert (row["pulls_q50"], row["pulls_q50_low"], row["pulls_q50_high"]) == (pulls[49], pulls[39], pulls[60])
    assert row["pulls_q95_low"] <= row["pulls_q95"] <= row["pulls_q95_high"]


@pytest.mark.jit
def test_random_play_loses_in_proportion_to_the_gap_and_hardly_more_with_more_arms(command, tmp_path):
    words = "bandits=[random] numbers_of_arms=[2,10,50,200] gaps=[0.1,0.2,0.4,0.8] horizons=[] horizon=500 runs=40"
    command("experiment=scaling", *split_words(words), "hydra.run.dir=run")
    found = pd.read_csv(tmp_path / "run" / "slopes.csv").set_index("varied")
    assert list(found.index) == ["arms", "gap"]
    assert found.loc["gap", "slope"] == pytest.approx(1.0, abs=0.02)  # R = T gap (1 - 1 / K)
    exact = np.polyfit(np.log([2, 10, 50, 200]), np.log([1 / 2, 9 / 10, 49 / 50, 199 / 200]), 1)[0]
    assert found.loc["arms", "slope"] == pytest.approx(exact, abs=0.01)
    assert (found["ci_low"] <= found["slope"]).all()
    assert (found["slope"] <= found["ci_high"]).all()


def test_a_law_of_the_logarithm_is_found_and_its_interval_holds_it():
    rng, held = np.random.default_rng(0), 0
    for _ in range(60):
        own = {t: 3.0 + 7.0 * np.log(t) + rng.normal(0.0, 4.0, 50) for t in (10.0, 100.0, 1_000.0, 10_000.0, 100_000.0)}
        row = slopes({("a", "horizon"): own}).iloc[0]
        assert row["slope"] == pytest.approx(7.0, abs=1.5)
        held += bool(row["ci_low"] <= 7.0 <= row["ci_high"])
    assert held > 48  # 95 % of 60 is 57
    assert slopes({("a", "horizon"): {10.0: np.ones(5), 20.0: np.ones(5)}}).empty


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["paired_lucb", "kl_lucb"])
def test_a_value_is_picked_and_tested_against_the_player_as_it_is_given(command, tmp_path, method):
    command(*TUNE, "player.c=0.01", f"method={method}")
    table = pd.read_csv(tmp_path / "run" / "tune.csv")
    assert list(table["value"]) == [0.1, 1.0, 4.0]
    (pick,) = table[table["standing"] == "picked"].to_dict("records")
    if method == "kl_lucb":
        assert (table["score_high"][table["standing"] != "picked"] < pick["score_low"] + 0.4).all()
    tested = pd.read_csv(tmp_path / "run" / "sprt.csv").iloc[0]
    assert tested["player"] == f"uct c={pick['value']:g}"
    assert tested["opponent"] == "uct simulations=5 c=0.01"
    assert len(pd.read_parquet(tmp_path / "run" / "games.parquet")) == tested["games"]


@pytest.mark.long
def test_games_with_an_opponent_are_a_signal_too_and_halving_spends_its_budget(command, tmp_path):
    words = "signal=games method=sequential_halving budget=48 opponent=random board=4x4 confirm=false hydra.run.dir=run"
    command(*TUNE[:3], *split_words(words))
    assert sorted(pd.read_csv(tmp_path / "run" / "tune.csv")["rewards"]) == [8, 20, 20]
    assert not (tmp_path / "run" / "sprt.csv").exists()


@pytest.mark.long
def test_optuna_tries_values_between_two_ends_the_same_each_time_and_whole_ones_of_whole_parameters(command, tmp_path):
    words = "method=optuna parameter=simulations values=[5,20] trials=4 budget=80 confirm=false"
    for name in ("run", "again"):
        command("experiment=tune", *split_words(words), f"hydra.run.dir={name}")
    table = pd.read_csv(tmp_path / "run" / "tune.csv")
    assert (table["rewards"] == 20).all()
    assert table["value"].between(5, 20).all()
    assert np.issubdtype(table["value"].dtype, np.integer)
    assert (tmp_path / "run" / "tune.csv").read_bytes() == (tmp_path / "again" / "tune.csv").read_bytes()


def test_without_optuna_one_sentence_says_how_to_get_it(attempt, monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "optuna" else there(name, *rest)
    )
    told = attempt("experiment=tune", "method=optuna", "values=[0.1,4]")
    told.assert_refused(["method=optuna", "pip install", "[tune]"])


def test_a_sweep_in_one_run_plays_the_games_of_the_sweep_of_matches(command, tmp_path):
    folder = command(*SWEEP, "values=[0.25,1]").folder
    words = "player1=uct player2=random player1.simulations=8 player1.c=0.25,1 hydra.sweep.dir=sweep"
    command("-m", "experiment=match", *GAMES, *split_words(words))
    table = pd.read_parquet(folder / "games.parquet")
    assert list(table["game"]) == list(range(32))
    for place, own in enumerate((table.iloc[:16], table.iloc[16:])):
        other = pd.read_parquet(tmp_path / "sweep" / str(place) / "games.parquet")
        for column in ("seed", "opening", "first_player", "moves", "result"):
            assert list(own[column]) == list(other[column])
    one, two = pd.read_csv(folder / "sweep.csv"), pd.read_csv(tmp_path / "sweep" / "sweep.csv")
    for column in ("score", "score_low", "difference", "p_adjusted", "standing"):
        assert one[column].equals(two[column])
    assert list(one["player.c"]) == [0.25, 1.0]


@pytest.mark.long
def test_settings_of_several_parameters_are_swept_too(command):
    values = ["{solve: true}", "{c: 0.7, keep: true}", "{}"]
    said = command(*SWEEP, "parameter=settings", f"values=[{','.join(values)}]")
    table = pd.read_csv(said.folder / "sweep.csv")
    assert list(table["player.settings"]) == values
    assert list(table["player"]) == [f"uct settings={text}" for text in values]
    assert table["difference"].max() == pytest.approx(0.0)
    assert pd.read_parquet(said.folder / "games.parquet")["player1"].nunique() == len(values)


@pytest.mark.parametrize(
    ("arms", "width"), [("arms=gaussian", 80), (f"arms.means={[a / 100 for a in range(40)]}", None)]
)
def test_a_trace_prints_every_arm_in_tables_as_wide_as_there_is_room(command, monkeypatch, arms, width):
    if width is not None:
        monkeypatch.setattr(printing, "_WIDTH_OF_A_FILE", width)
    said = command(*TRACE, arms, "horizon=50", "rows=7")
    table = [line for line in said.out.splitlines() if line[:1] in "┏┃┡│└"]
    assert max(map(len, table)) <= (width or 150)
    assert "…" not in said.out
    steps = pd.read_csv(said.folder / "steps.csv")
    count = len([name for name in steps if name.startswith("mean_")])
    heads = [line for line in table if line.startswith("┃")]
    assert re.findall(r"arm +(\d+)", " ".join(heads)) == [str(a) for a in range(count)]
    rows = [[cell.strip() for cell in row.split("│")[1:-1]] for row in table if row.startswith("│")]
    expected = [1, 2, 3, 4, 48, 49, 50]
    assert [row[:2] for row in rows] == [[str(t), str(steps["arm"][t - 1])] for t in expected] * len(heads)
    for at, t in enumerate(expected):
        told = [cell for row in rows[at::7] for cell in row[4:]]
        assert [a for a in range(count) if told[a].startswith("*")] == [steps["arm"][t - 1]]
        assert t > 1 or {*told} == {"-", "*-"}
    index = [f"{steps[f'mean_{a}'][49]:.2f} {steps[f'index_{a}'][49]:.2f}" for a in range(count)]
    assert [cell.removeprefix("*") for cell in told] == index


def test_a_trace_says_after_which_pulls_a_policy_was_alarmed(command, tmp_path):
    world = ["arms=piecewise", "arms.arms=[0.1,0.9]", "arms.changes=[60]", "arms.means=[[0.9,0.1]]", "horizon=200"]
    said = command("experiment=trace", "bandit=glr_kl_ucb", *world, f"hydra.run.dir={tmp_path / 'run'}")
    alarms = pd.read_parquet(tmp_path / "run" / "steps.parquet")["alarms"].to_numpy()
    after = 1 + np.flatnonzero(np.diff(alarms, prepend=0.0))
    assert len(after) > 0
    assert (after > 60).all()
    assert f"alarms after pulls {', '.join(map(str, after))}\n" in said.out
    assert "alarm" not in command(*TRACE, "arms.means=[0.3,0.7]", "horizon=20").out
