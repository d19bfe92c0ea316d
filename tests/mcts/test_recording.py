"""A recorded search is the search itself, and all of it follows from paths and results; and the picture of a tree."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bandits import UCB, Policy, make
from bandits.hooks import IndexRule
from connect4 import Board
from mcts import SearchResult, search, tree_figure
from mcts.recording import Recording, record
from tests.bandits.policies import EXAMPLES
from tests.internals import PGame
from tests.mcts.classes import Nim
from tests.mcts.games import SlotMachines

INDEX = [policy for policy in EXAMPLES if isinstance(policy.spec().rule, IndexRule)]
SIMULATIONS = 80


def position() -> Board:
    return Board.from_moves("3321", 5, 4)


def replayed(kept: Recording) -> dict[tuple[int, ...], tuple[int, float]]:
    """Return visits and value of every visited node by the moves to it, from paths and results alone."""
    spec = kept.result.policy.spec()
    nodes = {(): (0, 0.5)}
    ends = np.cumsum(kept.lengths)
    for start, end, result in zip(ends - kept.lengths, ends, kept.results, strict=True):
        line = tuple(kept.path[start:end].tolist())
        for depth in range(len(line) + 1):
            visits, value = nodes.get(line[:depth], (0, spec.estimates.initial))
            own = result if depth % 2 else 1.0 - result
            rate = spec.estimates.step_size or 1.0 / (visits + 1 + spec.estimates.prior_pulls)
            nodes[line[:depth]] = (visits + 1, value + (own - value) * rate)
    return nodes


def visited(found: SearchResult) -> dict[tuple[int, ...], tuple[int, float]]:
    """Return the same of a tree."""
    tree, lines = found.tree, {0: ()}
    for node, parent in enumerate(found.parents.tolist()):
        if parent >= 0:
            lines[node] = (*lines[parent], int(tree.move[node]))
    return {line: (int(tree.visits[node]), tree.values[node]) for node, line in lines.items() if tree.visits[node]}


@pytest.mark.parametrize("policy", INDEX, ids=str)
def test_a_recorded_search_is_the_search_and_follows_from_its_paths_and_scores(policy: Policy):
    kept = record(position(), policy, SIMULATIONS, seed=3)
    found = search(position(), policy, SIMULATIONS, seed=3)
    for ours, theirs in zip(kept.result.tree, found.tree, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    told = visited(found)
    again = replayed(kept)
    assert {line: visits for line, (visits, _) in again.items()} == {line: visits for line, (visits, _) in told.items()}
    assert [again[line][1] for line in told] == pytest.approx([value for _, value in told.values()], abs=1e-12)
    first = kept.path[np.cumsum(kept.lengths) - kept.lengths]
    asked = policy.spec().estimates.explore * kept.moves.size
    assert np.isnan(kept.scores[:asked]).all()
    assert not np.isnan(kept.scores[asked:]).any()
    chosen = kept.scores[np.arange(SIMULATIONS), np.searchsorted(kept.moves, first)]
    assert (chosen[asked:] == kept.scores[asked:].max(axis=1)).all()


def test_the_index_of_ucb_is_that_of_its_formula():
    kept = record(position(), UCB(c=0.7), SIMULATIONS)
    first = kept.path[np.cumsum(kept.lengths) - kept.lengths]
    for t in (6, 20, SIMULATIONS):
        for place, move in enumerate(kept.moves):
            own = kept.results[: t - 1][first[: t - 1] == move]
            assert kept.scores[t - 1, place] == pytest.approx(own.mean() + 0.7 * math.sqrt(math.log(t) / own.size))


@pytest.mark.parametrize(
    "options",
    [{"prior": [0.4, 0.3, 0.1, 0.1, 0.1]}, {"prior": "lines", "playouts": "biased"}, {"playouts_per_leaf": 3}],
    ids=str,
)
def test_options_of_a_search_are_those_of_a_recording(options):
    kept = record(position(), make("puct"), SIMULATIONS, **options)
    found = search(position(), make("puct"), SIMULATIONS, **options)
    assert kept.result.visits.tolist() == found.visits.tolist()
    assert kept.result.values.tolist() == found.values.tolist()
    again = replayed(kept)
    assert [again[(move,)][0] for move in kept.moves.tolist()] == found.visits.tolist()
    assert [again[(move,)][1] for move in kept.moves.tolist()] == pytest.approx(found.values.tolist())


def test_a_leaf_at_the_end_of_what_a_game_can_last_has_a_result_at_every_visit():
    kept = record(SlotMachines([300, 600]), "ucb", 40, seed=2)  # after one move a playout goes on, again and again
    assert kept.results == pytest.approx(kept.results.round(), abs=1e-9)
    values = {line: value for line, (_, value) in replayed(kept).items()}
    assert [values[move,] for move in (0, 1)] == pytest.approx(kept.result.values.tolist(), abs=1e-9)


# --- the picture of a tree -----------------------------------------------------------------------------------------


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
