"""The grade of a player: the fit and its interval, the rates of the next round, tables that agree with the games."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from experiments.kinds.grade.rates import fit_rates, grade_of, next_rates, rates_of
from numerics.statistics import fit_line, tally
from tests.experiments.commands import split_words

RUN = split_words("experiment=grade board=4x3 connect=3 games=32 player=random rates=[0,0.3,1] rounds=1 simulations=5")


def table(rates, scores, each=400):
    rows = []
    for rate, score in zip(rates, scores, strict=True):
        won = round(each * score)
        rows.append({"rate": rate, "round": 1} | tally([1] * won + [-1] * (each - won)))
    return pd.DataFrame(rows)


def test_the_fit_is_the_maximum_of_the_likelihood():
    x, points, total = np.array([0.0, 0.4, 0.8, 1.0]), np.array([47.0, 30.5, 14.0, 2.0]), np.full(4, 50.0)
    share = (points + 0.05) / (total + 0.1)

    def loss(line):
        chance = 1.0 / (1.0 + np.exp(-(line[0] + line[1] * x)))
        return -float(((total + 0.1) * (share * np.log(chance) + (1.0 - share) * np.log(1.0 - chance))).sum())

    found, best = fit_line(x, points, total), optimize.minimize(loss, [0.0, 0.0], method="Nelder-Mead", tol=1e-12).x
    assert np.allclose([found.start, found.slope], best, atol=1e-4)
    assert np.isclose(found.score(found.x_of(0.3)), 0.3)


def test_the_next_rates_lie_on_either_side_of_one_half():
    line = fit_rates(table([0.0, 0.16, 0.36, 1.0], [0.95, 0.55, 0.3, 0.01]))
    low, high = next_rates(line)
    assert np.isclose(line.score(np.sqrt(low)), 2 / 3, atol=1e-3)
    assert np.isclose(line.score(np.sqrt(high)), 1 / 3, atol=1e-3)
    assert next_rates(fit_rates(table([0.0, 1.0], [0.5, 0.01])))[0] == 0.0
    assert next_rates(fit_rates(table([0.0, 1.0], [0.4, 0.6]))) == [0.25]


def test_a_player_that_nothing_loses_to_has_no_grade_and_one_as_good_as_perfect_has_0():
    assert np.isnan(grade_of(table([0.0, 0.3, 1.0], [1.0, 1.0, 0.98])).rate)
    found = grade_of(table([0.0, 0.01, 0.3, 1.0], [0.5, 0.4, 0.02, 0.0]))
    assert found.low == 0.0
    assert found.rate < 0.01


@pytest.mark.long
def test_the_tables_agree_with_the_games(command):
    told = command(*RUN)
    found = pd.read_parquet(told.folder / "games.parquet")
    assert list(found["game"]) == list(range(len(found)))
    assert found["seed"].nunique() == len(found)
    assert set(found["round"]) == {1, 2}
    assert (found["player1"] == found["rate"].map("graded {:g}".format)).all()
    assert (found.groupby(["round", "rate"]).size() == 32).all()
    later = fit_rates(rates_of(found[found["round"] == 1]))
    assert sorted(set(found.loc[found["round"] == 2, "rate"])) == next_rates(later)
    rates = pd.read_csv(told.folder / "rates.csv")
    for row in rates.itertuples():
        own = found[found["rate"] == row.rate]
        assert (row.games, row.wins) == (len(own), (own["result"] == 1).sum())
    assert rates["score"].iloc[0] > 0.5
    assert np.isclose(pd.read_csv(told.folder / "grade.csv")["rate"].iloc[0], grade_of(rates).rate, equal_nan=True)
