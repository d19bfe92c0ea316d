"""The sequential test: published vectors, an independent optimiser, runs that end where they should, mistakes."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from connect4 import Board, solve
from experiments import sprt
from numerics.statistics import Sprt, counts_of, drift_interval, elo_of, score_of, strength
from numerics.statistics.sprt import MODELS, SCORES
from tests.experiments.commands import split_words
from tests.internals import balanced_openings, counts_of_text
from tests.refusals import refused

RUN = split_words("experiment=sprt board=4x4 player1=level_4 player2=level_2 elo1=100 hydra.run.dir=run")

PUBLISHED = [  # by fishtest and OpenBench: pairs LL, LD, WL+DD, WD, WW; hypotheses in normalized Elo; LLR
    ([21, 134, 309, 203, 60], 0, 5, 3.00),
    ([54, 226, 410, 318, 87], 0, 5, 2.96),
    ([5, 52, 139, 95, 19], 0, 10, 3.02),
    ([30, 692, 1222, 511, 20], 0, 2, -2.25),
    ([10, 1072, 2768, 1327, 13], 0, 2, 2.89),
    ([15, 1437, 3444, 1501, 12], 0, 4, 0.52),
    ([379, 10170, 21828, 10640, 343], 0, 2, 2.945),
]


@pytest.mark.parametrize(("counts", "elo0", "elo1", "llr"), PUBLISHED)
def test_the_llr_is_the_one_that_was_published(counts, elo0, elo1, llr):
    assert float(Sprt(elo0, elo1).llr(counts)) == pytest.approx(llr, abs=0.01)


@pytest.mark.parametrize(
    ("model", "counts"), [(MODELS[0], [3, 10, 20, 12, 5]), (MODELS[1], [1, 2, 3, 9, 25]), (MODELS[1], [0, 4, 30, 6, 0])]
)
def test_the_llr_is_what_a_general_optimiser_finds(model, counts):
    cells = np.where(np.array(counts) == 0, 1e-3, counts)

    def most(theta):
        def gap(law):
            mean = law @ SCORES
            spread = np.sqrt(law @ (SCORES - mean) ** 2 / law.sum())
            return mean - theta if model == "logistic" else (mean - 0.5) - theta * spread

        rules = [{"type": "eq", "fun": lambda law: law.sum() - 1.0}, {"type": "eq", "fun": gap}]
        start = np.full(5, 0.2)
        found = optimize.minimize(
            lambda law: -(cells @ np.log(law)),
            start,
            bounds=[(1e-9, 1.0)] * 5,
            constraints=rules,
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )
        return -found.fun

    test = Sprt(-30, 40, model=model)
    assert float(test.llr(counts)) == pytest.approx(most(test.theta(40)) - most(test.theta(-30)), abs=2e-4)


@pytest.mark.parametrize("model", MODELS)
def test_a_side_that_loses_everything_ends_the_test(model):
    test = Sprt(0, 10, model=model)
    for kind, accepted in ((0, "H0"), (4, "H1")):
        pairs, said = test.end(test.llr(counts_of(np.full(400, kind))))
        assert said == accepted
        assert pairs < 120
    found = strength([30, 0, 0, 0, 0], test)
    assert found.score[1] == 0.0 <= found.score[0] < found.score[2] < 0.2
    assert found.elo[1] == -np.inf


def test_pairs_of_one_result_bound_the_strength_on_the_side_that_they_can(capsys):
    assert elo_of(score_of(123.0)) == pytest.approx(123.0)
    test, pairs = Sprt(0, 10), 50
    other = optimize.brentq(lambda share: (1.0 - share) ** pairs - 0.025, 0.0, 1.0)
    law = np.array([other, 0.0, 0.0, 0.0, 1.0 - other])  # of the weakest player for whom so many wins are not too many
    score = float(law @ SCORES)
    least = 800.0 / math.log(10.0) * (score - 0.5) / math.sqrt(2.0 * float(law @ (SCORES - score) ** 2))
    found, mirrored = strength([0, 0, 0, 0, pairs], test), strength([pairs, 0, 0, 0, 0], test)
    assert found.score[1:] == pytest.approx((score, 1.0))
    assert found.elo[1:] == pytest.approx((elo_of(score), np.inf))
    assert found.normalized[1:] == pytest.approx((least, np.inf))
    assert mirrored.normalized[1:] == pytest.approx((-np.inf, -least))
    drawn, ahead = strength([0, 0, pairs, 0, 0], test), strength([0, 0, 0, pairs, 0], test)
    assert np.isfinite([*drawn.elo, *drawn.normalized, *ahead.elo]).all()
    assert ahead.normalized[2] == np.inf
    sprt.main([f"0,0,0,0,{pairs}"])
    sprt.main([f"{pairs},0,0,0,0"])
    said = capsys.readouterr().out
    assert f"at least {elo_of(score):.2f} (95%), normalized at least {least:.2f}" in said
    assert f"at most -{elo_of(score):.2f} (95%), normalized at most -{least:.2f}" in said


def test_a_drift_is_estimated_from_when_and_where_the_process_ended():
    rng, missed, runs, (low, high), mu = np.random.default_rng(3), 0, 150, (-12.0, 15.0), 0.05
    for _ in range(runs):
        path = np.cumsum(rng.normal(mu, 1.0, 6_000))
        end = int(np.flatnonzero((path <= low) | (path >= high))[0])
        _, least, most = drift_interval(float(path[end]), end + 1.0, 1.0, (low, high))
        missed += not least <= mu <= most
    assert 0.0 < missed / runs < 0.14
    assert drift_interval(5.0, 100.0, 1.0, (-500.0, 500.0)) == pytest.approx(drift_interval(5.0, 100.0, 1.0))


@pytest.mark.parametrize("side", [1, -1])
def test_a_test_ended_where_its_last_pair_passed_the_bound(side):
    test, counts = Sprt(elo0=-2.5, elo1=2.5), np.array([11, 97, 225, 147, 56])[::side]
    before = counts - np.array([0, 0, 0, 0, 1])[::side]
    passed = [test.verdict(float(test.llr(cells))) for cells in (before, counts)]
    assert passed == ["", "H1" if side > 0 else "H0"]
    assert [strength(cells, test).stopped for cells in (before, counts, 2 * counts)] == [False, True, False]


def test_openings_are_drawn_and_shuffled_by_the_seed():
    board = Board(4, 4)
    found = balanced_openings("balanced", board, 0)
    assert len(found) == 153
    assert all(solve(Board.from_moves(moves, 4, 4)).value == 0.5 for moves in found[:20])
    other = balanced_openings("balanced", board, 1)
    assert sorted(found) == sorted(other)
    assert found != other


def test_a_test_ends_at_a_bound_and_counts_no_game_beyond_it(command, tmp_path):
    told = command(*RUN)
    folder = tmp_path / "run"
    games, path = pd.read_parquet(folder / "games.parquet"), pd.read_parquet(folder / "llr.parquet")
    row = pd.read_csv(folder / "sprt.csv").iloc[0]
    _, high = Sprt().bounds
    assert row["accepted"] == "H1"
    assert path["llr"].iloc[-1] >= high > path["llr"].iloc[:-1].max()
    assert len(games) == 2 * row["pairs"] == 2 * len(path) == row["games"]
    pairs = games.groupby(games["game"] // 2)
    assert (pairs["opening"].nunique() == 1).all()
    assert (pairs["first_player"].agg(list).map(tuple) == (1, 2)).all()
    points = pairs["result"].sum().to_numpy() + 2
    assert np.bincount(points, minlength=5).tolist() == [row[name] for name in ("ll", "ld", "wl_dd", "wd", "ww")]
    counts = counts_of(points)
    assert np.allclose(Sprt(0, 100).llr(counts), path["llr"])
    starts = ("Elo   | ", "SPRT  | ", "LLR   | ", "Games | N: ", "Penta | [")
    assert [sum(line.startswith(one) for line in told.out.splitlines()) for one in starts] == [1] * 5


def test_a_test_may_end_without_a_decision(command):
    told = command("experiment=sprt", "board=4x4", "player1=random", "player2=random", "elo1=1", "games=40")
    assert "no decision after 20 pairs" in told.out


@pytest.mark.parametrize(
    ("counts", "part"),
    [
        ("21,134,309,203,60", "LLR   | 3.00 (-2.94, 2.94) [0.00, 5.00]"),
        ("0,0,50,0,0", "Elo   | 0.00 +- 24.75"),
        ("10000000000,0,0,0,10000000000", "Elo   | 0.00 +- 0.00"),  # no negative zero
        ("1,0,0,0,0", "no decision after 1 pair: "),
    ],
)
def test_the_calculator_prints_its_lines(command, counts: str, part: str):
    assert part in command(counts, "elo0=0", "elo1=5", module="experiments.sprt").out


@pytest.mark.parametrize("text", ["1,2,3,4", "1,2,3,4,5,6", "0,0,0,0,0", "1,2,-3,4,5", "1,2,x,4,5"])
def test_counts_of_pairs_are_five_whole_numbers_and_not_all_of_them_0(text: str):
    refused(lambda: counts_of_text(text), "COUNTS")
