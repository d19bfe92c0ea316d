"""What the page says of links that mean nothing, and what fits a small screen, in a real browser with a real server."""

from __future__ import annotations

import itertools

import pytest

from tests.experiments.commands import until
from tests.experiments.tabs import link_of, ready, wait_for

pytestmark = pytest.mark.jit

BANNER = "#problem"
PLAYER = "#play .player .fault:visible"
RULE = "#compare form > .fault"


FIELD = ".field .fault:visible"
WRONG = {
    PLAYER: {
        "play&o=uct&o.policy=zzz": ["zzz", "ucb"],
        "play&o=zzz": ["zzz", "you"],
        "play&o=uct&o.cc=3": ["cc", "simulations"],
        "play&x.foo=3": ["foo"],
        "play&o=uct&o.final=best": ["final", "visits"],
    },
    f"#play {FIELD}": {
        "play&o=uct&o.policy.c=-1": ["c ", "-1"],
        "play&o=uct&o.simulations=0": ["simulations"],
    },
    BANNER: {
        "play&width=99&height=1": ["width", "height"],
        "play&board=99x1": ["board", "99x1"],
        "play&connect=1": ["connect", "64"],
        "play&seed=-1": ["seed", "-1"],
        "compare&exact=maybe": ["exact", "maybe"],
    },
    "#play .fault:visible": {"play&moves=48": ["moves", "8"]},
    RULE: {"compare&rule=zzz": ["zzz"], "compare&rule.cc=3": ["cc"]},
    f"#compare {FIELD}": {"compare&rule2.alpha=0": ["alpha"], "compare&search_seed=x": ["seed"]},
    "#bandit form > .fault": {"bandit&bandit=zzz": ["zzz"]},
    f"#bandit {FIELD}": {"bandit&jump=100&later=0.5": ["3"], "bandit&horizon=0": ["horizon"]},
    "#replay .fault": {"replay&run=nowhere": ["nowhere"]},
}


@pytest.mark.parametrize("place", WRONG)
def test_a_link_that_means_nothing_says_what_is_wrong(opened, page, place):
    for link, parts in WRONG[place].items():
        page.goto("about:blank")
        opened(link)
        for part in parts:
            wait_for(page, place, part)


def test_a_tab_that_is_none_is_said_and_the_sentence_goes_when_one_plays_on(page, served):
    page.goto(f"{served.address}#plai&moves=44")
    page.locator("#play[data-ready]").wait_for()
    assert "plai" in page.inner_text(BANNER)
    page.locator(".skip").press("Enter")  # the way past the tabs
    assert link_of(page)["moves"] == "44"
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("3")
    page.locator(BANNER).wait_for(state="hidden")


@pytest.mark.parametrize("size", [(1366, 650), (1280, 720)])
def test_board_and_exact_scores_fit_a_small_screen(opened, page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    opened("play&moves=4453&o=uct&o.simulations=2000")
    page.keyboard.press("4")
    wait_for(page, ".turn", "Your move")
    page.get_by_role("button", name="Exact scores").click()
    wait_for(page, ".board .marks", "−")
    for mark in page.locator(".board .marks text").all():
        box = mark.bounding_box()
        assert box["y"] + box["height"] <= size[1]
    assert page.evaluate("[scrollX, scrollY]") == [0, 0]
    board = page.locator(".board .frame").bounding_box()
    assert board["width"] >= 0.37 * size[1]
    heads = page.locator(".columns-table thead th").all()
    for column, head in enumerate(heads):  # numbers stand above their columns
        box = head.bounding_box()
        middle = board["x"] + board["width"] * (column + 0.5) / 7
        assert abs(box["x"] + box["width"] / 2 - middle) < 3


SEEN = {
    "simulations": 999_999,
    "of": 1_000_000,
    "visits": [87_337, 98_765, 12_345, 700_000, 99_949, 1_000, 603],
    "means": [0.444] * 7,
    "scores": [0.888] * 7,
    "index": "bonus",
    "line": [],
    "exact": None,
}


@pytest.mark.parametrize(("size", "columns"), [((1366, 768), 7), ((1366, 650), 12), ((360, 740), 7)])
def test_numbers_of_a_million_simulations_do_not_cover_one_another(opened, page, size, columns):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    opened(f"play&board={columns}x6&o=uct")
    seen = {name: value * 2 if isinstance(value, list) else value for name, value in SEEN.items()}
    seen = {name: value[:columns] if isinstance(value, list) else value for name, value in seen.items()}
    page.evaluate(
        """async (event) => {
            const { Bars } = await import("lab/play/bars"), bars = new Bars(), shown = document.querySelector(".bars");
            shown.replaceWith(bars.element);
            bars.show({ name: "uct", thinks: true, ply: 1, chosen: null, width: event.moves.length, event });
        }""",
        {**seen, "moves": list(range(columns))},
    )
    for row in page.locator(".bars tbody tr:has(td)").all():
        boxes = [cell.bounding_box() for cell in row.locator("td > span:last-child").all() if cell.is_visible()]
        for left, right in itertools.pairwise(boxes):
            assert left["x"] + left["width"] <= right["x"] + 0.5, row.inner_text()


def test_a_search_scrolls_to_its_result(opened, page):
    page.set_viewport_size({"width": 1366, "height": 768})
    opened("compare&moves=4453&simulations=100&exact=false")
    ready(page, "compare")
    assert page.evaluate("scrollY") == 0  # a link shows the form
    page.get_by_role("button", name="Search").click()
    assert until(lambda: page.evaluate("scrollY") > 100)
    assert abs(page.locator("#compare .recording").bounding_box()["y"]) < 20
