"""The page in a real browser with a real server: a search that is paused, left and found again; a user's program."""

from __future__ import annotations

import re
import sys

import pytest

from connect4 import Board
from connect4.players import ProgramPlayer
from experiments.players import make_player
from tests.browser import quiet
from tests.experiments.commands import until
from tests.experiments.tabs import Served, link_of, moves_of, turn, wait_for, wait_for_turn
from tests.internals import end_programs
from tests.pages import page as page_of_docs
from treebandit.page import work

pytestmark = pytest.mark.jit

LONG = "o=uct&o.simulations=1000000"
ENDLESS = "o=uct&o.seconds=60"
NUMBERS = "document.querySelector('.bars').innerText"


def simulations(page):
    """Return how many simulations the caption counts."""
    found = re.search(r": ([\d,]+)", page.inner_text(".caption"))
    return int(found[1].replace(",", "")) if found else 0


def begun(page):
    """Play a column, and wait until the answer is being searched; return the count."""
    page.keyboard.press("4")
    wait_for(page, ".caption", re.compile(r": \d*,?\d*,\d{3} (of [\d,]+ )?simulations"))
    return simulations(page)


def paused(page):
    """Pause, and wait until the server has; return the count."""
    page.get_by_role("button", name="Pause").click()
    wait_for(page, ".caption", "paused")
    page.wait_for_timeout(400)
    return simulations(page)


def test_pause_keeps_the_numbers_and_go_on_goes_on_with_the_same_tree(opened, served):
    page = opened(f"play&{LONG}")
    begun(page)
    count = paused(page)
    (search,) = served.works.resting
    shown, bars = page.evaluate(NUMBERS), page.locator(".bars .part").first.get_attribute("style")
    page.wait_for_timeout(300)
    assert "is paused" in turn(page)
    assert (page.evaluate(NUMBERS), page.locator(".bars .part").first.get_attribute("style")) == (shown, bars)
    assert simulations(page) == count >= 1_000
    page.get_by_role("button", name="Exact scores").click()  # which a pause has time for
    wait_for(page, ".board .marks", "−2")
    assert page.evaluate(NUMBERS) == shown
    page.get_by_role("button", name="Exact scores").click()
    page.get_by_role("button", name="Go on").click()
    assert until(lambda: served.works.running == [search])
    assert until(lambda: simulations(page) > count)
    count = paused(page)
    page.get_by_role("link", name="Compare", exact=True).click()
    page.locator("#compare[data-ready]").wait_for()
    page.get_by_role("link", name="Play", exact=True).click()
    assert simulations(page) == count
    assert served.works.resting == [search]
    page.get_by_role("button", name="Go on").click()
    wait_for_turn(page)
    player = make_player("uct", simulations=1_000_000)
    player.reset(2)
    found = player.think(Board.from_moves("4")).result()  # as if it had never been paused
    assert moves_of(page) == f"4{found.best_move + 1}"
    assert search.outcome["visits"] == found.visits.tolist()


def test_a_search_is_found_again_when_the_page_is_loaded_anew(opened, served):
    page = opened(f"play&{ENDLESS}")
    begun(page)
    (search,) = served.works.kept
    for is_paused in (False, True):
        count = paused(page) if is_paused else simulations(page)
        page.reload()
        page.locator("#play[data-ready]").wait_for()
        wait_for(page, ".turn", "is paused" if is_paused else "is thinking")
        assert until(lambda: simulations(page) == count if is_paused else simulations(page) > count)  # noqa: B023
        assert served.works.kept == [search]
    page.get_by_role("button", name="Take back").click()
    assert until(lambda: not served.works.kept)


def test_a_search_that_is_not_found_again_is_said(opened, page, served, monkeypatch):
    monkeypatch.setattr(work, "PATIENCE", 0.1)  # while the page is elsewhere
    opened(f"play&{ENDLESS}")
    begun(page)
    link = page.url
    page.goto("about:blank")
    assert until(lambda: not served.works.running)
    assert until(lambda: not served.works.kept)
    monkeypatch.undo()
    page.goto(link)
    wait_for(page, "#play .fault:visible", "uct seconds=60 was thinking")
    assert turn(page) == "O, uct seconds=60, is to move"
    page.get_by_role("button", name="Go on").click()
    assert until(lambda: len(served.works.running) == 1)
    page.get_by_role("button", name="Take back").click()


@pytest.fixture
def engine(tmp_path):
    """The command of the guide's engine."""
    (tmp_path / "my_engine.py").write_text(page_of_docs("guides/engines").files["my_engine.py"])
    yield f"{sys.executable} {tmp_path}/my_engine.py"
    end_programs()


def test_the_page_plays_against_the_program_of_its_command_line_and_none_that_a_link_names(browser, engine, tmp_path):
    served = Served(program=ProgramPlayer(command=engine, limit=5.0))
    context = browser.new_context()
    page = context.new_page()
    faults = quiet(page)
    first = context.new_page()
    first.goto(served.address)
    first.locator("#play[data-ready]").wait_for()
    assert link_of(first)["o"] == "program"  # without a choice in the link
    first.close()
    marks = tmp_path / "started"
    page.goto(f"{served.address}#play&o=program&o.command=touch%20{marks}")
    page.locator("#play[data-ready]").wait_for()
    assert 'There is no "command"' in page.locator(".player .fault:visible").inner_text()
    assert page.get_by_label("O, moves second").locator("option:checked").inner_text() == engine
    page.keyboard.press("4")
    wait_for_turn(page)
    assert moves_of(page) == "44"
    assert "played column 4" in page.inner_text(".why")
    page.get_by_label("seconds", exact=True).fill("6")
    page.get_by_label("seconds", exact=True).press("Enter")
    assert "at most 5" in page.locator(".field .fault:visible").inner_text()
    assert link_of(page)["o"] == "program"
    assert not marks.exists()
    assert faults == []
    context.close()
    served.stop()


def test_a_program_that_loses_says_why(browser):
    served = Served(program=ProgramPlayer(command=f"{sys.executable} -S -E -c 'raise SystemExit(3)'"))
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{served.address}#play&o=program")
    page.locator("#play[data-ready]").wait_for()
    page.keyboard.press("4")
    wait_for(page, ".player .fault:visible", "status 3")
    context.close()
    served.stop()
    end_programs()


def test_without_a_program_of_the_command_line_a_link_to_one_is_refused(opened):
    page = opened("play&o=program&o.command=ls")
    assert '"program"' in page.inner_text(".player .fault:visible")
