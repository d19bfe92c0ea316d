"""What the page says of links that mean nothing, and what fits a small screen, in a real browser with a real server."""

from __future__ import annotations

import itertools

import pytest

from tests.experiments.tabs import link_of, ready, wait_for

pytestmark = pytest.mark.jit

BANNER = "#problem"
PLAYER = "#play .player .fault:visible"
RULE = "#compare form > .fault"


@pytest.mark.parametrize(
    ("link", "place", "said"),
    [
        ("play&o.policy=zzz", PLAYER, 'There is no "zzz" here; ucb stands in its place.'),
        ("play&o=uct&o.policy=zzz", PLAYER, 'There is no "zzz" here; ucb stands in its place.'),
        ("play&o=uct&o.policy.c=-1", "#play .field .fault:visible", "c must be a number at least 0; got -1."),
        ("play&o=zzz", PLAYER, 'There is no "zzz" here; you stands in its place.'),
        ("play&o=", PLAYER, 'There is no "" here; you stands in its place.'),
        ("play&o=uct&o.cc=3", PLAYER, 'There is no "cc" of uct here; it takes simulations, seconds'),
        ("play&x.foo=3", PLAYER, 'There is no "foo" of you here; it takes no settings.'),
        ("play&o=uct&o.final=best", PLAYER, 'final must be one of visits, value, index; got "best"; none stands'),
        ("play&o=uct&o.solve=perhaps", PLAYER, 'solve must be one of true, false; got "perhaps"; '),
        ("play&o=uct&o.simulations=0", "#play .field .fault:visible", "simulations must be a whole number from 1 to 1"),
        ("play&width=99&height=1", BANNER, 'There is no "width" and no "height" in a link; it may have moves, board'),
        ("play&board=99x1", BANNER, 'board must be columns x rows, such as 7x6, each from 1 to 64; got "99x1"; 7x6'),
        ("play&connect=1", BANNER, 'connect must be a whole number from 2 to 64; got "1"; 4 stands in its place.'),
        ("play&seed=-1", BANNER, 'seed must be a whole number from 0 to 9007199254740991; got "-1"; 0 stands'),
        ("play&moves=48", "#play .fault:visible", "The link's position cannot be shown: moves must be columns from 1"),
        ("compare&rule=zzz", RULE, 'There is no "zzz" here; asymptotic_ucb stands in its place.'),
        ("compare&rule.cc=3", RULE, 'There is no "cc" of ucb here; it takes c.'),
        ("compare&rule2.alpha=0", "#compare .field .fault:visible", "alpha must be a number from "),
        ("compare&simulations=abc", "#compare .field .fault:visible", "simulations must be a whole number from 1 to 4"),
        ("compare&search_seed=x", "#compare .field .fault:visible", "seed must be a whole number at least 0"),
        ("compare&exact=maybe", BANNER, 'exact must be true or false; got "maybe"; true stands in its place.'),
        ("compare&board=99x1", BANNER, 'board must be columns x rows, such as 7x6, each from 1 to 64; got "99x1"; 7x6'),
        ("bandit&bandit=zzz", "#bandit form > .fault", 'There is no "zzz" here'),
        (
            "bandit&bandit=kl_lucb&bandit.delta=1",
            "#bandit .field .fault:visible",
            "delta must be a number above 0, below 1; got 1.",
        ),
        (
            "bandit&jump=100&later=0.5",
            "#bandit .field .fault:visible",
            "Means after the jump must be 3 numbers from 0 to 1; got",
        ),
        ("bandit&horizon=0", "#bandit .field .fault:visible", "horizon must be a whole number from 1 to "),
        ("replay&run=nowhere", "#replay .fault", 'There is no run "nowhere" here any more.'),
    ],
)
def test_a_link_that_means_nothing_says_what_is_wrong(opened, page, link, place, said):
    opened(link)
    wait_for(page, place, said)


def test_a_tab_that_is_none_is_said_and_the_sentence_goes_when_one_plays_on(page, served):
    page.goto(f"{served.address}#plai&moves=44")
    page.locator("#play[data-ready]").wait_for()
    assert page.inner_text(BANNER) == 'There is no tab "plai" here; play stands in its place.'
    assert link_of(page)["moves"] == "44"
    page.keyboard.press("3")
    page.locator(BANNER).wait_for(state="hidden")


def test_the_way_past_the_tabs_keeps_the_link(opened, page):
    opened("play&moves=44&o=level_1")
    page.locator(".skip").press("Enter")
    assert link_of(page)["moves"] == "44"
    assert page.evaluate("document.activeElement.id") == "main"


@pytest.mark.parametrize("size", [(1366, 768), (1366, 650), (1280, 720)])
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


@pytest.mark.parametrize("size", [(1366, 768), (1366, 650), (360, 740)])
@pytest.mark.parametrize("columns", [7, 12])
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
    for _ in range(100):
        if page.evaluate("scrollY") > 100:
            break
        page.wait_for_timeout(100)
    assert abs(page.locator("#compare .recording").bounding_box()["y"]) < 20
