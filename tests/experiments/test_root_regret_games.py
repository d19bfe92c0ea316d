"""The roots of searches of other games than Connect 4: values, playouts and visits of the mover's moves, and tables."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from bandits import UCB
from tests.experiments.test_annotate_games import SMALL, worth
from tests.internals import (
    KINDS,
    MEANS,
    PLAYED,
    TREE,
    VALUES,
    VISITS,
    Root,
    drawn_positions,
    over_moves,
    root_regret_figures,
    steps_of,
)

RUN = (
    "experiment=root_regret",
    "simulations=12",
    "playouts_per_move=5",
    "policies=[ucb,{name: ucb, c: 0.5, label: half}]",
)
MINE = "tests.experiments.test_annotate_games.ScoredNim"
NIM = (*RUN, "game=custom", f"game.cls={MINE}", "+game.heaps=[2,1,1]", "positions=40")


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
@pytest.mark.parametrize("game", [*SMALL, f"{MINE} heaps=[3,2,2]"])
def test_arms_are_the_moves_of_the_position_and_pay_the_side_that_makes_them(game):
    steps = steps_of(40)
    for number, graded in enumerate(drawn_positions(game, 4, "random")):
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


@pytest.mark.drawn
def test_tables_have_a_column_for_each_move_of_the_widest_position(command, tmp_path):
    words = (*RUN, "game=dots_and_boxes", "game.rows=2", "game.columns=1", "positions=6", "hydra.run.dir=run")
    said = command(*words)
    folder = tmp_path / "run"
    visits, positions = (pd.read_parquet(folder / f"{name}.parquet") for name in ("visits", "positions"))
    graded = drawn_positions("dots_and_boxes rows=2 columns=1", 6, "random")
    assert len(positions) == len(graded)
    width = max(len(one.scores) for one in graded)
    assert [over_moves(positions, what).shape[1] for what in (VALUES, PLAYED)] == [width, width]
    assert [over_moves(visits, what).shape[1] for what in (VISITS, MEANS)] == [width, width]
    assert len(visits) == len(graded) * 2 * len(KINDS) * steps_of(12).size
    assert (over_moves(visits, VISITS).sum(axis=1) == visits["n"]).all()
    for row, one in zip(positions.to_dict("records"), graded, strict=True):
        moves = one.board.moves()
        assert row["options"].split() == [str(move) for move in moves]
        assert row["ply"] == len(row["moves"].split()) == len(one.moves)
        values = [row[f"value{place}"] for place in range(1, width + 1)]
        expected = 0.5 + 0.5 * np.sign(one.board.scores())
        assert np.array_equal(values[: len(moves)], expected)
        assert np.isnan(values[len(moves) :]).all()
        own = over_moves(visits[visits["position"] == row["position"]], VISITS)
        assert not own[:, len(moves) :].any()
        best = int(np.nanargmax([row[f"playouts{place}"] for place in range(1, width + 1)]))
        assert row["group"] == ("right" if expected[best] == max(expected) else "wrong")
    assert "at dots_and_boxes rows=2 columns=1" in said.out
    figures = {path.name for path in (folder / "figures").iterdir()}
    assert figures == {f"{name}.png" for name in ("root_regret", "kinds", "means")}
    curves, facts = pd.read_parquet(folder / "curves.parquet"), {"settings": {"game": "dots_and_boxes"}}
    captions = [figure.draw(curves, positions, Figure(), facts) for figure in root_regret_figures.FIGURES]
    assert all(caption.title.endswith(" at dots_and_boxes rows=3 columns=3") for caption in captions)


def test_a_small_game_says_how_many_positions_it_has(command, tmp_path):
    said = command(*NIM, "executor=serial", "hydra.run.dir=run")
    found = len(pd.read_parquet(tmp_path / "run" / "positions.parquet"))
    assert f"{found} of the 40 requested positions were found, because the game is small." in said.out


@pytest.mark.long
def test_any_workers_leave_the_same_bytes(command, tmp_path):
    command(*NIM, "executor=serial", "hydra.run.dir=one")
    command(*NIM, "executor=processes", "executor.workers=2", "hydra.run.dir=two")
    for name in ("visits.parquet", "positions.parquet", "curves.parquet", "summary.csv", "differences.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
