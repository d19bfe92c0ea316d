"""Results in a notebook after `%load_ext experiments`: what was shown before, and the recording in a frame below it."""

from __future__ import annotations

import html
import json
import re
import types

import pytest

import experiments
from bandits import Comparison, Result, Trace, simulate, trace
from connect4 import Board
from experiments import record_bandit, record_search
from mcts import SearchResult, search
from tests.browser import quiet
from tests.internals import PGame, result_recording

pytestmark = pytest.mark.jit  # how kernels run decides nothing here


@pytest.fixture
def show():
    """What a notebook that has loaded the extension shows of a result."""
    known = {}
    formats = types.SimpleNamespace(for_type=known.__setitem__)
    shell = types.SimpleNamespace(display_formatter=types.SimpleNamespace(formatters={"text/html": formats}))
    experiments.load_ipython_extension(shell)
    assert set(known) == {SearchResult, Result, Comparison, Trace}
    return lambda result: known[type(result)](result)


def recording_in(markup):
    (page,) = re.findall(r'srcdoc="([^"]*)"', markup)
    found = re.search(r'<script type="application/json" id="recording">(.*?)</script>', html.unescape(page), re.S)
    return json.loads(found[1])


def test_a_search_is_shown_with_its_moves_tree_and_indices():
    found = search(Board.from_moves("112", 4, 3, 3), "thompson", 5_000, seed=2)
    (one,) = result_recording(found)["searches"]
    tree = one["tree"]
    children = [place for place, parent in enumerate(tree["parent"]) if parent == 0]
    assert dict(
        zip((tree["move"][place] for place in children), (tree["visits"][place] for place in children), strict=True)
    ) == dict(zip(found.moves.tolist(), found.visits.tolist(), strict=True))
    assert tree["visits"][0] == 5_000
    assert [float(score) for score in one["scores"]] == found.scores.tolist()
    assert 100 < len(tree["move"]) <= 1_510


def test_the_board_of_a_result_is_the_one_that_was_searched():
    board = Board.from_moves("44")
    found, shared = search(board, simulations=50), search(board, simulations=50, workers=2)
    board.play(0)
    assert found.board.notation == shared.board.notation == "44"


@pytest.mark.parametrize(
    "make",
    [
        lambda: search(PGame(3, 3, seed=1), simulations=50),
        lambda: simulate(["ucb", "thompson", "random"], [0.3, 0.7], 50, 4),
        lambda: search(Board.from_grid([[0, 0, 0], [0, 0, 0], [1, -1, 0]], connect=3), simulations=50),
    ],
)
def test_what_no_recording_can_show_is_shown_as_before(show, make):
    result = make()
    assert show(result) == result._repr_html_()


def test_a_result_plays_its_first_replication_step_by_step(show):
    result = simulate(["ucb", "thompson"], [0.3, 0.5, 0.7], 1_500, 4, seed=5)
    shown = show(result)
    assert shown.startswith(result._repr_html_()), "the table and the figure come first"
    told = recording_in(shown)
    assert (told["horizon"], told["seed"], [play["name"] for play in told["plays"]]) == (1_000, 5, ["ucb", "thompson"])
    assert recording_in(show(trace("ucb", [0.3, 0.7], 30, seed=1, run=7)))["run"] == 7


def test_records_are_made_and_saved_in_python(tmp_path):
    kept = record_search("4453", ["ucb c=0.5", "thompson"], 60)
    assert kept.save(tmp_path / "one.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert recording_in(record_bandit([0.3, 0.7], horizon=20)._repr_html_())["horizon"] == 20


def test_in_a_browser_the_frame_runs_its_scripts_and_can_do_nothing_else(show, page, tmp_path):
    found = search(Board.from_moves("4453"), simulations=300, seed=1)
    place = tmp_path / "notebook.html"
    place.write_text(f"<!doctype html><meta charset=utf-8>{show(found)}", encoding="utf-8")
    faults = quiet(page)
    page.goto(place.as_uri())
    frame = page.frame_locator("iframe")
    frame.get_by_role("heading", name="ucb c=1 searched 4453: 300 simulations").wait_for()
    text = frame.locator("body").inner_text()
    assert all(str(visits) in text for visits in found.visits)
    assert faults == []
    assert page.locator("iframe").get_attribute("sandbox") == "allow-scripts"
    assert page.locator("iframe").bounding_box()["width"] > 900
    assert page.locator("table").first.bounding_box()["y"] < page.locator("iframe").bounding_box()["y"]
    page.emulate_media(media="print")
    assert not page.locator("iframe").is_visible()
    assert page.locator("table").first.is_visible()
