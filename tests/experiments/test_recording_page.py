"""A recorded search in a real browser: it plays, says what is true, stands still, and is for everybody."""

from __future__ import annotations

import pytest

from bandits import make
from connect4 import Board
from mcts import search
from tests.browser import accessible, quiet
from tests.experiments.commands import until
from tests.internals import page_of, search_recording

pytestmark = pytest.mark.jit

BOARD = Board.from_moves("4123", width=5, height=5)
RULES = [make("ucb", c=1.0), make("thompson")]
SIMULATIONS = 120
TOLD = ".story li:not(:nth-child(2)) .told"  # all but the path, which may be long
CUT = "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"


@pytest.fixture(scope="module")
def recording():
    return search_recording(BOARD, RULES, SIMULATIONS, seed=3, exact=True)


def show(page, tmp_path, recording):
    """Open the file of a recording; return the list of its faults."""
    faults = quiet(page)
    (tmp_path / "search.html").write_text(page_of(recording), encoding="utf-8")
    page.goto((tmp_path / "search.html").as_uri())
    page.wait_for_selector("svg.tree .node")
    return faults


def numbers(page, row):
    """Return what a line of each table says."""
    return [
        panel.locator(f"tbody.{row} tr:nth-child(2) td").all_text_contents() for panel in page.locator(".panel").all()
    ]


def shown(page):
    """Return the simulation that the page shows."""
    return int(page.locator(".controls input").input_value())


def places(page):
    """Return where everything stands that must stand still."""
    return page.eval_on_selector_all(
        "h1, .controls > *, .story li > *, .columns-table th, .columns-table td, svg.board, .more > section",
        "all => all.map((one) => { const { x, y, width, height } = one.getBoundingClientRect();"
        " return [x, y + scrollY, width, height].map(Math.round).join(); })",
    )


def test_the_end_of_a_recording_has_the_numbers_of_the_search_for_both_rules(page, tmp_path, recording):
    faults = show(page, tmp_path, recording)
    assert page.locator("h1").inner_text() == recording["title"]
    assert recording["command"] in page.title()
    assert page.locator(".command").inner_text() == recording["command"]
    assert numbers(page, "visits") == [["0"] * 5] * 2
    page.keyboard.press("End")
    for place, rule in enumerate(RULES):
        found = search(BOARD, rule, SIMULATIONS, seed=3)
        assert numbers(page, "visits")[place] == [str(visits) for visits in found.visits]
        assert numbers(page, "mean")[place] == [f"{mean:.3f}" for mean in found.values]
    best = max(recording["exact"])
    signed = [f"{score:+d}".replace("-", "−") if score else "0" for score in recording["exact"]]
    assert numbers(page, "exact") == [signed] * 2
    assert page.locator(".panel").first.locator("tbody.exact .best").count() == recording["exact"].count(best)
    assert faults == []


def test_mean_and_bonus_add_up_to_the_index_and_the_highest_is_taken(page, tmp_path, recording):
    show(page, tmp_path, recording)
    page.locator(".controls input").fill("40")
    before = [float(mean) for mean in numbers(page, "mean")[0]]
    page.get_by_role("button", name="One step on").click()
    assert shown(page) == 41
    parts, indices = ([float(text) for text in numbers(page, row)[0]] for row in ("part", "index"))
    assert indices == pytest.approx([mean + part for mean, part in zip(before, parts, strict=True)], abs=0.0011)
    chosen = indices.index(max(indices))
    panel = page.locator(".panel").first
    assert panel.locator("th.chosen").inner_text() == str(chosen + 1)
    story = panel.locator(".story .told").all_text_contents()
    assert story[0].startswith(f"column {chosen + 1}: ")
    assert story[0].endswith(f" = {max(indices):.3f}, the highest")
    path = story[1].split(", ")
    assert path[0] == f"{chosen + 1} ({numbers(page, 'visits')[0][chosen]})"
    assert path[-1].endswith(" (new)")
    assert panel.locator(".position .stone.tried text").count() == len(path)


def test_a_column_without_visits_has_its_first_mean_and_what_is_no_sum_is_not_split(page, tmp_path):
    puct = make("puct")
    faults = show(page, tmp_path, search_recording(BOARD, [puct, make("imed")], 20))
    page.keyboard.press("ArrowRight")
    parts, indices = ([float(text) for text in numbers(page, row)[0]] for row in ("part", "index"))
    assert indices == pytest.approx([puct.initial + part for part in parts], abs=0.0011)
    assert [panel.locator("tbody.part").count() for panel in page.locator(".panel").all()] == [1, 0]
    page.keyboard.press("End")
    best = page.locator(".panel").nth(1).locator("tbody.index .chosen .rest-part")
    assert best.bounding_box()["height"] > 5  # bars of negative numbers rise from the lower end of their scale
    assert faults == []


def test_keys_and_buttons_play_pause_step_and_scrub(page, tmp_path, recording):
    show(page, tmp_path, recording)
    for key, there in [("ArrowRight", 1), ("Shift+ArrowRight", 11), ("ArrowLeft", 10), ("Home", 0), ("ArrowLeft", 0)]:
        page.keyboard.press(key)
        assert shown(page) == there, key
    page.locator(".speed select").select_option("64")
    page.locator("h1").click()
    page.keyboard.press("Space")
    assert until(lambda: shown(page) > 5)
    page.get_by_role("button", name="Pause").click()
    still = shown(page)
    page.wait_for_timeout(100)
    assert 5 < shown(page) == still
    page.locator("svg.tree").first.focus()
    page.keyboard.press("ArrowDown")  # these keys walk through the tree
    assert shown(page) == still
    caption = page.locator("figcaption").first
    assert "Chosen in the tree" in caption.inner_text()
    page.keyboard.press("End")
    page.locator(".controls input").focus()
    page.keyboard.press("End")
    assert shown(page) == SIMULATIONS
    caption.get_by_role("button", name="Back to the path").click()
    assert "Chosen" not in caption.inner_text()
    assert page.locator("svg.tree [aria-selected=true]").count() == 0


def test_nothing_moves_while_it_plays_and_it_fits_a_phone_the_dark_and_every_reader(page, tmp_path, recording):
    faults = show(page, tmp_path, recording)
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 740})
        page.locator(".controls input").fill("0")
        page.wait_for_timeout(50)
        first = places(page)
        for n in [*range(1, 40, 3), SIMULATIONS]:
            page.locator(".controls input").fill(str(n))
            assert places(page) == first, (width, n)
            assert page.eval_on_selector_all(TOLD, CUT) == [], (width, n)
        assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.eval_on_selector_all(".controls button", "all => Math.min(...all.map((one) => one.offsetWidth))") >= 40
    first, second = page.locator(".panel").all()
    assert (first.is_visible(), second.is_visible()) == (True, False)  # a phone has room for one
    page.get_by_role("button", name="thompson").click()
    assert (first.is_visible(), second.is_visible()) == (False, True)
    assert accessible(page) == []
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.set_viewport_size({"width": 1280, "height": 740})
    assert accessible(page) == []
    sentences = page.locator(".sentence").all()
    assert all(one.is_visible() for one in sentences)
    page.get_by_label("Explanations").uncheck()
    assert not any(one.is_visible() for one in sentences)
    assert faults == []


def test_a_search_without_its_history_shows_its_tree_and_no_controls(page, tmp_path, recording):
    found = search(BOARD, RULES[0], SIMULATIONS, seed=3)
    first, count = int(found.tree.child[0]), int(found.tree.children[0])
    nodes = range(first, first + count)
    ended = {key: value for key, value in recording["searches"][0].items() if key not in ("lengths", "path", "results")}
    ended["scores"] = [0.5] * count
    ended["tree"] = {
        "parent": [-1, *[0] * count],
        "move": [-1, *(int(found.tree.move[i]) for i in nodes)],
        "visits": [SIMULATIONS, *(int(found.tree.visits[i]) for i in nodes)],
        "value": [float(1 - found.value), *(float(found.tree.values[i]) for i in nodes)],
    }
    faults = show(page, tmp_path, {**recording, "searches": [ended]})
    assert numbers(page, "visits") == [[str(visits) for visits in found.visits]]
    assert page.locator(".controls").count() == 0
    page.locator("svg.tree .node").nth(1).click()
    assert f"{found.visits[0]} visits, mean {found.values[0]:.3f} for X" in page.locator("figcaption").inner_text()
    assert page.locator(".position .stone.tried").count() == 1
    assert faults == []
