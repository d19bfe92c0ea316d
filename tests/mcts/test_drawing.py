"""The picture of a tree: which nodes are in it, what is written there, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bandits import UCB
from connect4 import Board
from mcts import search, tree_figure
from tests.internals import PGame
from tests.mcts.classes import Nim

pytestmark = pytest.mark.jit  # how kernels run decides nothing here


def words(path: Path) -> str:
    """The text of an SVG, whose letters are drawn: Matplotlib keeps each string as a comment beside them."""
    return path.read_text(encoding="utf-8")


def test_a_picture_shows_the_moves_with_their_visits_and_values(tmp_path: Path):
    found = search(Board.from_moves("4435"), UCB(c=0.5), simulations=600, seed=1)
    png, svg, pdf = found.draw(tmp_path / "tree", levels=2, share=0.05)
    assert (png.name, svg.name, pdf.name) == ("tree.png", "tree.svg", "tree.pdf")
    assert png.stat().st_size > 5_000
    text = words(svg)
    for move, visits, value in zip(found.moves, found.visits, found.values, strict=True):
        if visits >= 30:
            assert f"<!-- {visits} -->" in text
            assert f"<!-- {value:.2f} -->" in text
            assert f"<!-- {move} -->" in text
    assert "<!-- 600 -->" in text


def test_longer_moves_stand_beside_their_discs_and_are_cut(tmp_path: Path):
    result = search(Nim((1, 2)), simulations=100)
    assert "<!-- (1, 1) -->" in words(result.draw(tmp_path / "nim")[1])
    assert "Beside a disc" in tree_figure._words(result, 0.1)
    assert tree_figure._shorten("castle on the long side") == "castle ..."


@pytest.mark.parametrize("share", [0.2, 0.02, 0.0001])
def test_the_nodes_of_a_picture_are_those_with_their_share_of_the_visits(share: float):
    found = search(Board(), UCB(c=0.5), simulations=800, seed=1)
    shown, places = tree_figure._layout(found, 3, share)
    assert set(shown) == set(places)
    assert all(found.tree.visits[node] >= share * 800 for node in shown)
    if share > 0.01:
        depth = found.to_frame().depth.to_numpy()
        assert set(shown) == set(np.flatnonzero((found.tree.visits >= share * 800) & (depth <= 3)).tolist())
    for level in range(4):
        columns = [x for x, y in places.values() if y == level]
        assert len(columns) <= 40
        assert len(set(columns)) == len(columns), "no two discs stand in one place"


@pytest.mark.long
def test_proven_nodes_say_so_and_wide_and_shared_trees_are_drawn(tmp_path: Path):
    won = search(Board.from_moves("112233"), simulations=500, solve=True)
    assert "<!-- won -->" in words(won.draw(tmp_path / "won")[1])
    wide = search(PGame(branching=100, depth=4), simulations=400)
    assert wide.draw(tmp_path / "wide", share=0.001)[0].is_file()
    shared = search(Board.from_moves("44"), UCB(c=0.2), simulations=900, transpositions=True)
    assert shared.draw(tmp_path / "shared", levels=4)[0].is_file()
