"""The laws of the tree: their positions, their fit and their searches; the measurements run, on few positions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.laws import bonus, choice_law, positions, tails, traps
from benchmarks.laws.__main__ import main
from benchmarks.laws.scaled_search import ScaledSearch
from benchmarks.solved_games import HEX, USUAL
from experiments.graded_positions.positions import value_of
from numerics.output import tables
from tests.internals import Hex

GAME = HEX
_SIZES = ["positions=240", "tuning=8", "held_out=9", "runs=60", "long_runs=50"]
_BUDGETS = ["simulations=[30,100]", "budgets=[20,60]", "visits=[10,50]"]


@pytest.mark.parametrize(("part", "stored"), [("traps", 1), ("bonus", 3)])
def test_each_part_is_measured_once_and_drawn(part: str, stored: int, tmp_path: Path, capsys):
    words = [f"part={part}", f"games=[{GAME}]", f"folder={tmp_path}", *_SIZES, *_BUDGETS]
    main(words)
    printed = capsys.readouterr().out
    kept = {path: path.read_bytes() for path in tmp_path.glob("*.parquet")}
    assert len(kept) == stored
    assert (tmp_path / f"{part}.png").stat().st_size > 10_000
    main(words)
    assert capsys.readouterr().out == printed
    assert {path: path.read_bytes() for path in tmp_path.glob("*.parquet")} == kept


def test_words_that_are_wrong_are_named():
    with pytest.raises(ValueError, match=r"games\[0\] must be one of .*got 'Go'"):
        main(["part=traps", "games=[Go]"])
    with pytest.raises(ValueError, match=r"budgets\[0\] must be .*got 1"):
        main(["part=bonus", "budgets=[1]"])


def test_depths_of_traps_are_those_of_a_plain_search():
    def plies(board) -> int:
        """How long the game lasts for the side to move: positive if it wins."""
        if board.result() is not None:
            return 0  # the side that moved last has won
        after = [plies(board.play(move)) for move in board.moves()]
        wins = [1 - length for length in after if length <= 0]
        return min(wins) if wins else -1 - max(after)

    drawn = positions.trapped_positions(GAME, positions.TRAPS, 80)
    late = [position for position in drawn if len(position.graded.scores) <= 7]
    assert len(late) > 5
    for position in late:
        board = position.graded.board
        assert list(position.graded.scores) == board.scores()
        for move, score in zip(board.moves(), board.scores(), strict=True):
            length = plies(board.play(move))
            assert (length > 0) == (score < 0)
            assert position.depths.get(move, 0) == max(length, 0)


@pytest.mark.parametrize("game", USUAL)
def test_positions_for_tuning_are_not_held_out(game: str):
    tuning, held = (bonus.positions_for(game, use, 30, 30, seed=0) for use in (positions.TUNING, positions.HELD_OUT))
    assert len({one.board for one in tuning} | {one.board for one in held}) == 60
    assert all(value_of(min(one.legal_scores)) < value_of(one.top) for one in tuning + held)


def test_the_fit_finds_the_law_that_made_the_decisions():
    truth, rng, rows = np.array([2.0, -0.7, -2.5, 0.8]), np.random.default_rng(0), []
    form = "a + b ln d + c ln n + e ln d ln n"
    for position in range(3_000):
        depths, others = sorted(rng.integers(1, 15, 3).tolist()), int(rng.integers(1, 5))
        for n in (30, 1_000):
            odds = [float(np.exp(choice_law.features(form, depth, n) @ truth)) for depth in depths]
            weights = np.array([*odds, others])
            pick = rng.choice(4, p=weights / weights.sum())
            chosen = (*depths, 0)[pick]
            rows.append((position, n, others, " ".join(map(str, depths)), chosen, chosen == 0))
    names = ["position", "simulations", "others", "depths", "chosen", "keeps_value"]
    decisions = choice_law.decisions_of(tables.table_of(rows, names))
    law = choice_law.fit(form, decisions)
    errors = np.sqrt(np.diag(law.covariance))
    assert np.all(np.abs(law.coefficients - truth) < 4.0 * errors)
    assert errors.max() < 0.5
    assert abs(traps.calibration(law, decisions)["slope"] - 1.0) < 0.1
    assert choice_law.cross_validated(form, decisions) < choice_law.cross_validated("a + c ln n", decisions)


def test_the_scaled_search_takes_sigma_of_the_tree_and_may_be_run_in_parts():
    whole, parts = ScaledSearch(Hex(4), 2.0, seed=1), ScaledSearch(Hex(4), 2.0, seed=1)
    whole.run(500)
    for count in (7, 93, 400):
        parts.run(count)
    assert np.array_equal(whole.result().visits, parts.result().visits)
    assert whole.sigma == parts.sigma
    looks = [16]
    while looks[-1] <= 500:
        looks.append(int(looks[-1] * 1.25))
    again = ScaledSearch(Hex(4), 2.0, seed=1)
    again.run(looks[-2])
    tree = again.result().tree
    assert again.sigma == tree.values[1:][tree.visits[1:] > 0.0].std() == whole.sigma


def test_the_shape_of_a_tail_tells_a_power_from_an_exponential():
    rng = np.random.default_rng(0)
    signs = rng.choice((-1.0, 1.0), 4_000)
    power, exponential = signs * rng.pareto(4.0, 4_000), signs * rng.exponential(1.0, 4_000)
    rows = [(name, 0.0, 1, run, mean) for name, of in (("p", power), ("e", exponential)) for run, mean in enumerate(of)]
    shapes = tails.shapes(tables.table_of(rows, ["node", "value", "visits", "run", "mean"]), {"p": 1, "e": 1})
    heavy, light = shapes.to_dict("records")
    assert heavy["shape_low"] > 0.05
    assert light["shape_low"] < 0.0 < light["shape_high"]
