"""The root of a search as a bandit: counts against plain loops, values of other games, tables that agree."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import pytest

from bandits import UCB, Bernoulli, make, simulate
from mcts.tree_search import Search
from numerics.random import Purpose, streams, unit
from numerics.statistics import compare_rates, interval_of
from tests.experiments.test_annotate import worth
from tests.internals import (
    EXACT,
    KINDS,
    MEANS,
    PLAYED,
    TREE,
    VALUES,
    VISITS,
    WIDTH,
    Root,
    bandit_counts,
    drawn_positions,
    graded_positions,
    names_of,
    over_moves,
    root_regret_tables,
    sign,
    steps_of,
    tree_counts,
)

SMALL = ("experiment=root_regret", "positions=4", "simulations=12", "playouts_per_move=5")
POLICIES = "policies=[ucb,{name: ucb, c: 0.5, label: half}]"
TABLES = ("visits.parquet", "positions.parquet", "curves.parquet")
GAMES = ("dots_and_boxes rows=2 columns=1", "hex size=3", "tests.experiments.own_games.Scored heaps=[3,2,2]")


@pytest.fixture
def folder(finished, tmp_path):
    """The folder of a small run."""
    finished(*SMALL, POLICIES, "hydra.run.dir=run")
    return tmp_path / "run"


def naive_root(visits, means, exact, playouts, drawn):
    """The measures of one root at one n, one column after another."""
    legal = [column for column in range(len(exact)) if not np.isnan(exact[column])]
    top = max(exact[column] for column in legal)
    regret, on_optimal, total, ranks = 0.0, 0.0, 0.0, {}
    for column in legal:
        regret += visits[column] * (top - exact[column])
        total += visits[column]
        on_optimal += visits[column] if exact[column] == top else 0.0
        ranks[column] = (visits[column], -1.0 if np.isnan(means[column]) else means[column])
    equals = [column for column in legal if ranks[column] == max(ranks.values())]
    chosen = equals[int(drawn * len(equals))]
    ranked = sorted(legal, key=lambda column: -playouts[column])
    firsts = [[column for column in ranked if (exact[column] == top) == best] for best in (True, False)]
    averages = [means[columns[0]] if columns else np.nan for columns in firsts]
    simple = top - exact[chosen]
    return regret, simple, on_optimal / total, float(simple == 0.0), *averages


def test_what_is_seen_is_what_a_plain_loop_over_the_moves_sees():
    rng = np.random.default_rng(3)
    visits = rng.integers(0, 4, (30, 5, 7)).astype(float)
    exact = rng.choice([0.0, 0.5, 1.0, np.nan], (30, 7))
    exact[:, 2], visits[:, :, 2] = 0.5, visits[:, :, 2] + 1.0
    visits[np.broadcast_to(np.isnan(exact)[:, None, :], visits.shape)] = 0.0
    means = np.where(visits > 0.0, rng.choice([0.25, 0.5, 0.75], visits.shape), np.nan)
    playouts = np.where(np.isnan(exact), np.nan, rng.random((30, 7)))
    drawn = rng.random(30)
    found = root_regret_tables.measure_root(visits, means, exact, playouts, drawn)
    for x in range(30):
        for c in range(5):
            expected = naive_root(visits[x, c], means[x, c], exact[x], playouts[x], drawn[x])
            assert np.allclose([part[x, c] for part in found], expected, equal_nan=True)


def test_the_visits_of_a_tree_at_n_sum_to_n_and_are_those_of_a_search_that_was_not_stopped():
    board, steps = graded_positions(3)[2].board, steps_of(60)
    counts = tree_counts(board, UCB(), steps, seed=4)
    assert np.array_equal(counts.visits.sum(axis=1), steps)
    search = Search(board, UCB(), simulations=60, seed=4)
    search.run(60)
    result = search.result()
    assert np.array_equal(counts.visits[-1], result.visits)
    assert np.array_equal(counts.means[-1], result.values)
    assert np.array_equal(counts.visits == 0, np.isnan(counts.means))


@pytest.mark.parametrize("name", ["moss", "thompson"])
def test_the_bandit_without_a_tree_is_that_of_the_bandits_package(name):
    arms, policy = [0.2, 1.0, 0.5], make(name)
    steps = [1, 4, 9, 40]
    result = simulate(policy, Bernoulli(arms), horizon=40, runs=3, seed=8, checkpoints=steps)
    for run in range(3):
        counts = bandit_counts(arms, policy, steps, seed=8, run=run)
        assert np.array_equal(counts.visits[-1], result.pulls[run])
        regret = counts.visits @ (1.0 - np.array(arms))
        assert np.allclose(regret, result.replications.pseudo_regret[run])
        gains = np.nansum(counts.visits * counts.means, axis=1)
        assert np.allclose(gains, result.replications.reward_sum[run])


def test_the_arms_of_a_bandit_come_in_an_order_of_their_own_and_go_back_to_their_columns():
    firsts = set()
    for number, one in enumerate(graded_positions(12)):
        root = Root.of(number, one, playouts_per_move=1, seed=0)
        counts = root.counts(EXACT, one.board, UCB(), np.array([1, 30]), seed=0)
        firsts.add(int(root.places[counts.visits[0].argmax()]))
        sure = np.isin(root.exact, (0.0, 1.0)) & (counts.visits[-1] > 0)
        assert np.array_equal(counts.means[-1][sure], root.exact[sure])  # arms without chance pay what they are
    assert len(firsts) > 2


def test_growth_is_the_exponent_of_a_power_of_n_and_its_interval_covers_it():
    steps = steps_of(1_000)
    rng = np.random.default_rng(2)
    factors = rng.exponential(1.0, (200, 1))
    assert np.allclose(root_regret_tables.growth_of(factors * steps**0.5, steps), 0.5)
    covered, runs = 0, 150
    for _ in range(runs):
        noisy = rng.exponential(1.0, (60, steps.size)) * steps**0.5
        _, low, high = root_regret_tables.growth_of(noisy, steps)
        covered += low <= 0.5 <= high
        _, lower, higher = root_regret_tables.growth_of(noisy, steps, locks=True)
        assert lower <= low < high < higher
    assert 0.86 < covered / runs < 1.0
    assert np.isnan(root_regret_tables.growth_of(np.zeros((4, steps.size)), steps)[0])


def test_the_tables_agree_with_the_positions_and_each_other(folder):
    visits, positions, curves = (pd.read_parquet(folder / name) for name in TABLES[:3])
    steps = steps_of(12)
    assert len(visits) == 4 * 2 * len(KINDS) * steps.size
    assert (over_moves(visits, VISITS).sum(axis=1) == visits["n"]).all()
    for row, one in zip(positions.itertuples(), graded_positions(4), strict=True):
        values = [getattr(row, name) for name in names_of(VALUES, WIDTH)]
        assert values == [
            pytest.approx(np.nan if score is None else (1 + sign(score)) / 2, nan_ok=True) for score in one.scores
        ]
        playouts = np.array([getattr(row, name) for name in names_of(PLAYED, WIDTH)])
        assert row.group == ("right" if one.keeps_value(int(np.nanargmax(playouts))) else "wrong")
    whole = curves[(curves["policy"] == "half") & (curves["arms"] == TREE) & (curves["group"] == "all")]
    assert whole["n"].tolist() == steps.tolist()
    own = visits[(visits["policy"] == "half") & (visits["arms"] == TREE) & (visits["n"] == 12)]
    both = [
        *(over_moves(own, what) for what in (VISITS, MEANS)),
        *(over_moves(positions, what) for what in (VALUES, PLAYED)),
    ]
    both += [unit(streams(0, (Purpose.ROOT_RECOMMENDATION,), 0, 4)[:, 0])]
    seen = [naive_root(*(part[place] for part in both)) for place in range(4)]
    last = whole.iloc[-1]
    for place, name in enumerate(root_regret_tables.MEASURES):
        assert np.isclose(last[name], np.nanmean([one[place] for one in seen]))
        assert last[f"{name}_low"] <= last[name] <= last[f"{name}_high"]
    groups = curves[["group", "positions"]].drop_duplicates().set_index("group")["positions"]
    assert groups["all"] == groups.drop("all").sum() == 4


def test_differences_are_paired(folder):
    (row,) = pd.read_csv(folder / "differences.csv").to_dict("records")
    visits = pd.read_parquet(folder / "visits.parquet")
    positions = pd.read_parquet(folder / "positions.parquet")
    found = root_regret_tables.seen_in(visits, positions, 0)
    a, b = (found[name, TREE] for name in ("ucb", "half"))
    assert (row["policy_a"], row["policy_b"]) == ("ucb", "half")
    assert np.isclose(row["regret_difference"], (a.regret - b.regret)[:, -1].mean())
    assert row["regret_low"] <= row["regret_difference"] <= row["regret_high"]
    rates = compare_rates(*(one.recommended_optimal[:, -1].astype(bool) for one in (a, b)))
    assert np.isclose(row["optimal_difference"], rates["difference"])


def test_no_interval_of_a_share_leaves_0_to_1():
    steps = np.array([1, 2])
    shares = np.array([[0.0, 0.0], [0.0, 0.1], [1.0, 0.9]])
    own = root_regret_tables.Seen(*(shares for _ in root_regret_tables.MEASURES))
    positions = pd.DataFrame({"group": ["right", "right", "right"]})
    curves, _ = root_regret_tables.curves_and_summary({("ucb", TREE): own}, positions, steps)
    for name in root_regret_tables.MEASURES:
        assert (curves[f"{name}_low"] >= 0.0).all()
        assert (curves[f"{name}_high"] <= 1.0).all() or name == "regret"


def test_intervals_reckon_with_positions_that_mislead_all_simulations_and_that_no_position_shows():
    """One position in 50 does; 30 in 55 samples of 30 positions have none."""
    rng, steps, covered = np.random.default_rng(3), np.array([100, 1_000]), np.zeros(3)
    mean, runs = 0.98 * 60.0 + 0.02 * 900.0, 100
    zero, most = np.zeros(1), np.array([1_000.0])
    for _ in range(runs):
        last = np.where(rng.random(30) < 0.02, 900.0, rng.uniform(50.0, 70.0, 30))
        _, (low,), (high,) = root_regret_tables.means_of(last[:, None], zero, most)
        _, least, largest = root_regret_tables.growth_of(np.stack([np.full(30, 40.0), last], axis=1), steps, locks=True)
        plain = interval_of(last)
        covered += [low <= mean <= high, least <= np.log10(mean / 40.0) <= largest, plain[0] <= mean <= plain[1]]
    assert covered[0] / runs > 0.95
    assert covered[1] / runs > 0.95
    assert covered[2] / runs < 0.6  # without the bound
    lasts = np.linspace(50.0, 70.0, 30)[:, None]
    assert [float(end[0]) for end in root_regret_tables.means_of(lasts, zero, most, rare=False)[1:]] == pytest.approx(
        [float(end) for end in interval_of(lasts[:, 0])]
    )


def test_trees_that_differ_by_the_same_in_a_few_positions_are_not_surely_different(folder):
    """A constant difference has a p-value: that of rare positions the other way."""
    visits, positions = (pd.read_parquet(folder / name) for name in TABLES[:2])
    found = root_regret_tables.seen_in(visits, positions, 0)
    a = found["ucb", TREE]
    played = {("a", TREE): a, ("b", TREE): a._replace(regret=a.regret + 1.0)}
    (row,) = root_regret_tables.differences_of(played, 12).to_dict("records")
    assert row["regret_difference"] == pytest.approx(-1.0)
    assert row["regret_low"] == pytest.approx(-12.0 + 11.0 * 0.025 ** (1.0 / 4))
    assert 0.05 < row["regret_p"] <= 1.0
    assert row["regret_high"] > 0.0


@functools.cache
def fair(position):
    """What player 0 gets on average if all moves are at random: 1 for a win, 1/2 for a draw."""
    result = position.result()
    if result is not None:
        return 0.5 + 0.5 * np.sign(result[0] - result[1])
    return np.mean([fair(position.play(move)) for move in position.moves()])


def for_mover(position, of_first):
    return 1.0 - of_first if position.player() else of_first


@pytest.mark.kernels
@pytest.mark.parametrize("game", GAMES)
def test_arms_are_the_moves_of_the_position_and_pay_the_side_that_makes_them(game):
    steps = steps_of(40)
    for number, graded in enumerate(drawn_positions(game, 3, "random")):
        position = graded.board
        root = Root.of(number, graded, playouts_per_move=1_500, seed=1)
        after = [position.play(move) for move in position.moves()]
        assert root.places.tolist() == list(range(len(after)))
        assert root.exact.tolist() == [for_mover(position, 0.5 + 0.5 * np.sign(worth(each))) for each in after]
        assert np.allclose(root.playouts, [for_mover(position, fair(each)) for each in after], atol=0.06)
        counts = root.counts(TREE, position, UCB(), steps, seed=0)
        assert np.array_equal(counts.visits.sum(axis=1), steps)
        for place, each in enumerate(after):
            if each.result() is not None:
                assert counts.means[-1, place] == root.exact[place]


def test_tables_have_a_column_for_each_move_of_the_widest_position(command):
    game = ("game=dots_and_boxes", "game.rows=2", "game.columns=1", "positions=6")
    said = command("experiment=root_regret", "simulations=12", "playouts_per_move=5", POLICIES, *game)
    visits, positions = (pd.read_parquet(said.folder / name) for name in TABLES[:2])
    graded = drawn_positions(GAMES[0], 6, "random")
    width = max(len(one.scores) for one in graded)
    for table, what in ((positions, VALUES), (positions, PLAYED), (visits, VISITS), (visits, MEANS)):
        assert over_moves(table, what).shape[1] == width
    for row, one in zip(positions.to_dict("records"), graded, strict=True):
        moves = one.board.moves()
        assert row["options"].split() == [str(move) for move in moves]
        assert row["ply"] == len(row["moves"].split()) == len(one.moves)
        values = [row[f"value{place}"] for place in range(1, width + 1)]
        expected = 0.5 + 0.5 * np.sign(one.board.scores())
        assert np.array_equal(values, [*expected, *[np.nan] * (width - len(moves))], equal_nan=True)
        assert not over_moves(visits[visits["position"] == row["position"]], VISITS)[:, len(moves) :].any()
