"""The page in a real browser with a real server: games, links, breaks, two rules, bandits, replay, small screens."""

from __future__ import annotations

import itertools
import re

import pytest

from bandits import UCB
from connect4 import Board
from experiments.games.results import game_of
from mcts import search
from tests.browser import accessible, quiet
from tests.experiments.commands import until
from tests.experiments.tabs import (
    Served,
    game_is_told,
    link_of,
    moves_of,
    ready,
    turn,
    wait_for,
    wait_for_end_of_thought,
    wait_for_turn,
)
from tests.internals import Connect4, judge_game

pytestmark = pytest.mark.jit

SMALL = "board=4x3&connect=3"
QUICK = "o=uct&o.simulations=30"
LONG = "o=uct&o.seconds=30"


def test_a_whole_game_by_clicks(opened):
    page = opened(f"play&{SMALL}&{QUICK}")
    while True:
        page.locator(".board .column[aria-disabled=false]").first.click()
        wait_for_end_of_thought(page)
        board = Board.from_moves(moves_of(page), 4, 3, 3)
        if board.is_finished():
            break
        assert "of 30 simulations" in page.inner_text(".why")
    game_is_told(page, board)
    page.get_by_role("button", name="New game").click()
    assert moves_of(page) == ""
    page.get_by_text("Size of the board").click()
    page.get_by_label("columns", exact=True).fill("5")
    page.get_by_label("columns", exact=True).press("Enter")
    wait_for_turn(page)
    assert link_of(page)["board"] == "5x3"


def test_the_stream_moves_the_bars_until_the_move(opened):
    page = opened("play&o=uct&o.seconds=0.8")
    page.evaluate(
        """() => { window.seen = []; new MutationObserver(() => window.seen.push([
            document.querySelector('.caption').innerText,
            [...document.querySelectorAll('.bars .visits .part')].map((one) => one.style.height).join()]))
            .observe(document.querySelector('.board-width'), {subtree: true, childList: true, characterData: true});
        }"""
    )
    page.keyboard.press("4")
    wait_for_turn(page)
    seen = [(text, heights) for text, heights in page.evaluate("window.seen") if "simulations" in text]
    made = [int(re.search(r": ([\d,]+)", text)[1].replace(",", "")) for text, _ in seen]
    assert len(set(made)) >= 4
    assert made == sorted(made)
    assert len({heights for _, heights in seen}) >= 2
    assert page.locator(".bars td.chosen").count() > 0


def test_taking_back_ends_the_search_and_moves_can_be_redone(opened, served):
    page = opened(f"play&{LONG}")
    page.keyboard.press("4")
    page.locator(".bars .bar").first.wait_for()
    assert until(lambda: len(served.works.running) == 1)
    page.get_by_role("button", name="Take back").click()
    assert until(lambda: not served.works.running)
    assert moves_of(page) == ""
    assert turn(page) == "Your move, with X"
    page.get_by_role("button", name="Redo").click()
    assert moves_of(page) == "4"
    assert turn(page) == "O, uct seconds=30, is to move"  # and thinks only when it is told to
    page.get_by_role("button", name="Go on").click()
    assert until(lambda: len(served.works.running) == 1)
    page.go_back()  # which leaves the move that was redone
    wait_for_turn(page)
    assert until(lambda: not served.works.running)


def test_a_broken_stream_starts_no_second_search_and_a_new_server_is_found(browser):
    served = Served()
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{served.address}#play&o=uct&o.seconds=1.5")
    page.locator("#play[data-ready]").wait_for()
    page.keyboard.press("4")
    wait_for(page, ".caption", re.compile(r": [\d,]+ simulations"))
    served.break_connections()
    wait_for_turn(page)
    assert len(served.works._works) == 1
    assert page.locator("#server").is_hidden()
    page.keyboard.press("4")
    assert until(lambda: len(served.works.running) == 1)
    served.stop()
    page.locator("#server").wait_for()
    assert f"port={served.port}" in page.inner_text("#server")
    wait_for(page, ".turn", "waits for the server")
    served = Served(served.port)
    page.locator("#server").wait_for(state="hidden")
    wait_for_turn(page)
    assert len(moves_of(page)) == 4
    assert len(served.works._works) == 1
    page.get_by_role("button", name="Take back").click()
    assert moves_of(page) == moves_of(page)[:2]
    context.close()
    served.stop()


SHOWN = (
    "document.querySelector('.board').getAttribute('aria-label')",
    "[...document.querySelectorAll('#play select, #play input, #play textarea')].map((one) => one.value).join()",
    "document.querySelector('.turn').innerText",
    "document.querySelector('.bars').textContent",
)


def test_a_link_opened_afresh_shows_the_same_and_the_numbers_of_the_last_move_if_its_player_made_it(opened, served):
    page = opened("play&moves=4453&o=level_2")
    page.get_by_label("O, moves second").select_option("minimax")
    page.get_by_label("depth").fill("3")
    page.get_by_label("depth").press("Enter")
    page.get_by_role("button", name="Mirror").click()
    assert link_of(page)["moves"] == "4435"
    page.get_by_role("button", name="Switch sides").click()
    page.get_by_label("O, moves second").select_option("human")
    assert (link_of(page)["x"], link_of(page)["x.depth"]) == ("minimax", "3")
    page.goto("about:blank")
    opened(f"play&{SMALL}&{QUICK}")
    page.locator(".board .column").nth(1).click()
    wait_for_turn(page)
    told = page.inner_text(".why")
    assert "of 30 simulations tried it" in told
    other = page.context.new_page()
    other.goto(page.url)
    wait_for(other, ".why", told)
    assert other.url == page.url
    assert [other.evaluate(one) for one in SHOWN] == [page.evaluate(one) for one in SHOWN]
    moves = moves_of(page)
    another = next(column for column in "1234" if column != moves[1])
    other.goto(page.url.replace(f"moves={moves}", f"moves={moves[0]}{another}"))
    other.reload()
    other.locator("#play[data-ready]").wait_for()
    assert until(lambda: not served.works.running)
    assert other.inner_text(".why") == ""  # somebody else moved


def test_what_a_file_has_room_for_is_said_beside_its_field(opened):
    page = opened("compare&simulations=20&exact=false")
    ready(page, "compare")
    simulations = page.locator("#compare .fields .field", has_text="simulations").first
    most = 525_000 // (2 * (29 + 4 * 7))
    assert f"{most:,}" in simulations.inner_text()
    simulations.locator("input").fill(str(most + 1))
    simulations.locator("input").press("Tab")
    assert f"{most:,}" in simulations.locator(".fault").inner_text()
    simulations.locator("input").fill(str(most))
    simulations.locator("input").press("Tab")
    assert not simulations.locator(".fault").is_visible()
    wait_for(page, "#compare .recording h2 >> nth=0", f"{most:,} simulations")
    assert page.locator("#compare form > .fault").is_hidden()


def test_two_computers_play_until_they_are_told_to_pause(opened):
    page = opened(f"play&{SMALL}&x=level_1&o=level_3")
    assert moves_of(page) == ""
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(re.compile("moves="))
    page.get_by_role("button", name="Pause").click()
    moves = moves_of(page)
    page.get_by_role("button", name="Take back").click()
    assert moves_of(page) == moves[:-1]
    page.get_by_role("button", name="Start" if len(moves) == 1 else "Go on").click()
    wait_for(page, ".turn", re.compile("wins|draw"))
    assert Board.from_moves(moves_of(page), 4, 3, 3).is_finished()


def test_a_position_is_pasted_set_up_by_hand_and_refused_in_a_sentence(opened):
    page = opened("play&o=human")
    text = page.get_by_label("Moves, columns from 1")
    text.fill("4455")
    text.press("Enter")
    assert moves_of(page) == "4455"
    for wrong in ("48", "44x5", "1111111", "12121213", ". . .\nX . X"):
        text.fill(wrong)
        page.get_by_role("button", name="Use these moves").click()
        page.locator("#play .fault:visible").wait_for()
        assert moves_of(page) == "4455"
    drawing = ". . . .\n. O . .\n. X O X\n1 2 3 4"
    text.fill(drawing)
    page.get_by_role("button", name="Use these moves").click()
    board = Board.from_moves(moves_of(page), 4, 3)
    assert str(board) == str(Board.from_text(drawing))
    page.get_by_role("button", name="Set up by hand").click()
    page.get_by_role("button", name="Empty the board").click()
    page.locator(".board .column").nth(2).click()
    page.get_by_role("button", name="Use this position").click()
    assert moves_of(page) == "3"
    page.get_by_role("button", name="Set up by hand").click()
    page.get_by_label("Erase").check()
    page.locator(".board .column").nth(2).click()
    page.get_by_label("O", exact=True).check()
    page.locator(".board .column").nth(0).click()
    page.get_by_role("button", name="Use this position").click()
    page.locator(".setup .fault:visible").wait_for()
    page.get_by_role("button", name="Cancel").click()
    assert moves_of(page) == "3"


def test_what_the_server_refuses_is_said_beside_the_player(page, served):
    page.goto(f"{served.address}#play&o=uct&o.seconds=3600&x=nobody")
    page.locator("#play[data-ready]").wait_for()
    assert "nobody" in page.locator(".player p.fault:visible").inner_text()
    assert "seconds" in page.locator(".player .field .fault:visible").inner_text()  # before it is asked
    page.keyboard.press("4")
    page.locator(".player p.fault:visible", has_text="seconds").wait_for()
    assert turn(page) == "O, uct seconds=3600, is to move"


def test_on_a_phone_the_page_is_light_played_by_touch_and_has_no_serious_fault(browser, served):
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page, sizes = context.new_page(), []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto(f"{served.address}#play&moves=44&o=level_1")
    page.locator("#play[data-ready]").wait_for()
    page.wait_for_load_state("networkidle")
    assert 20_000 < sum(sizes) < 80_000  # as they are sent, compressed
    page.locator(".board .column").nth(2).tap()
    wait_for_turn(page)
    assert moves_of(page).startswith("443")
    for scheme, tab in (("dark", "Play"), ("dark", "Compare"), ("light", "Bandit"), ("light", "Replay")):
        page.emulate_media(color_scheme=scheme)
        page.get_by_role("link", name=tab, exact=True).tap()
        page.locator(f"#{tab.lower()}[data-ready]").wait_for()
        if tab in ("Compare", "Bandit"):
            ready(page, tab.lower())
        else:
            assert accessible(page) == []  # the components in the other tabs have their own tests
        assert page.evaluate("document.documentElement.scrollWidth") == 360
    context.close()


def test_a_game_by_keyboard_and_a_full_column_is_said(opened):
    page = opened(f"play&{SMALL}&o=level_2")
    page.locator(".board .column").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_turn(page)
    assert moves_of(page).startswith("2")
    for digit in "1234" * 3:
        before = moves_of(page)
        page.keyboard.press(digit)
        if not Board.from_moves(before, 4, 3, 3).allows(int(digit) - 1):
            assert digit in page.locator("#play .fault:visible").inner_text()
            assert moves_of(page) == before
            continue
        wait_for_end_of_thought(page)
        assert moves_of(page).startswith(before + digit)
        if Board.from_moves(moves_of(page), 4, 3, 3).is_finished():
            return


def test_two_tabs_play_their_own_games_and_leaving_ends_a_search(opened, page, served):
    opened("play&moves=44&o=uct&o.seconds=0.3")
    other = page.context.new_page()
    other.goto(f"{served.address}#play&moves=11&o=uct&o.seconds=0.3")
    other.locator("#play[data-ready]").wait_for()
    for one, column in ((page, "3"), (other, "2")):
        one.bring_to_front()
        one.keyboard.press(column)
    for one, begin in ((page, "443"), (other, "112")):
        one.bring_to_front()
        wait_for_turn(one)
        assert moves_of(one).startswith(begin)
        assert len(moves_of(one)) == 4
    page.get_by_label("seconds", exact=True).fill("30")
    page.get_by_label("seconds", exact=True).press("Enter")
    page.keyboard.press("Tab")
    page.locator(".board .column").first.click()
    assert until(lambda: len(served.works.running) == 1)
    page.goto("about:blank")
    assert until(lambda: not served.works.running, 2.0)


def test_a_game_that_was_played_is_saved_as_one_file(opened, page, tmp_path):
    opened(f"play&{SMALL}&o=level_1&moves=12")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the game as one file").click()
    assert download.value.suggested_filename == "game_12.html"
    download.value.save_as(tmp_path / "game.html")
    page.goto((tmp_path / "game.html").as_uri())
    assert page.inner_text("h1") == "you against level_1: Left after 2 plies"
    assert page.inner_text(".why") == "The moves are not judged: the game is not over."
    assert page.locator(".moves button").all_inner_texts() == ["1", "2"]


def test_hints_and_exact_scores(opened):
    page = opened(f"play&{SMALL}&moves=21&o=human")
    page.get_by_role("button", name="Hint").click()
    wait_for(page, ".advice", "Hint: ")
    assert page.inner_text(".advice").startswith("Hint: column 2, 3 or 4, exactly a win")
    page.get_by_role("button", name="Exact scores").click()
    wait_for(page, ".board .marks", "+")
    marks = page.locator(".board .marks text").all_text_contents()
    assert [mark.startswith("+") for mark in marks] == [False, True, True, True]


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


def test_the_page_says_that_it_is_loading_until_its_data_have_come(page, served):
    waiting = []
    page.route("**/api/catalogue", lambda route: waiting.append(route))
    page.goto(served.address)
    loading = page.get_by_text("Loading the page")
    loading.wait_for()
    assert until(lambda: waiting)
    assert loading.is_visible()
    waiting[0].continue_()
    page.locator("#play[data-ready]").wait_for()
    assert not loading.is_visible()


def test_two_rules_search_one_position_side_by_side(opened, page, served, tmp_path):
    page = opened("compare&moves=4453&simulations=200&exact=false&o=uct&o.simulations=150&o.c=0.5&o.solve=true")
    shown = ready(page, "compare")
    panels = shown.locator(".columns-table")
    assert panels.count() == 2
    found = search(Board.from_moves("4453"), UCB(c=1.0), simulations=200, seed=0)
    assert panels.first.locator("tbody.visits .bar td").all_inner_texts() == [str(one) for one in found.visits]
    page.get_by_label("Second rule").select_option("puct")
    assert link_of(page)["rule2"] == "puct"
    wait_for(page, "#compare .recording", "puct")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as one file").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert 'id="recording"' in file.read_text(encoding="utf-8")
    assert file.name == "search_4453_ucb_puct.html"
    page.get_by_role("button", name="Play on from here").click()
    page.locator("#play[data-ready]").wait_for()
    assert moves_of(page) == "4453"
    page.locator(".board .column").nth(3).click()
    page.get_by_role("button", name="Why did it move so?").click()
    ready(page, "compare")
    assert moves_of(page) == "44534"  # where the player was to move
    assert page.get_by_role("textbox", name="position", exact=True).input_value() == "44534"
    assert link_of(page).items() >= {"rule": "ucb", "rule.c": "0.5", "simulations": "150"}.items()
    page.get_by_role("link", name="Play", exact=True).click()  # the game is where it was left
    wait_for_turn(page)
    page.wait_for_url(lambda url: len(link_of(page)["moves"]) == 6)


def test_a_bandit_is_played_step_by_step_and_kept(opened, page):
    page = opened("bandit&horizon=40&means=0.2,0.8")
    assert f"{525_000 // (2 * (14 + 8 * 2)):,}" in page.inner_text("#bandit form")
    shown = ready(page, "bandit")
    assert "40 pulls" in shown.locator("h2").first.inner_text()
    page.keyboard.press("ArrowRight")
    wait_for(page, "#bandit .controls .count", "1 of 40")
    page.get_by_role("button", name="Another seed").click()
    wait_for(page, "#bandit .recording h2 >> nth=0", "seed 1")
    assert link_of(page)["bandit_seed"] == "1"
    means = page.get_by_label("means of the arms")
    means.fill("0.2, 8")
    means.press("Tab")
    page.locator("#bandit .fault:visible").wait_for()
    with page.expect_download() as download:
        means.fill("0.2, 0.7")
        page.get_by_role("button", name="Save as one file").click()
    assert download.value.suggested_filename == "bandit_ucb_thompson.html"


def test_a_game_of_a_run_is_replayed_with_its_blunders(opened, command, tmp_path):
    match = "experiment=match player1=level_1 player2=level_3 games=6 board=4x4 connect=3"
    command(*match.split(), "hydra.run.dir=results/match/tiny")
    games = [game_of(tmp_path / "results" / "match" / "tiny", number) for number in range(6)]
    found = [judge_game(row, Connect4(board="4x4", connect=3), 5.0) for row, _ in games]
    number = next(place for place, (_, decision) in enumerate(found) if place and decision["decided_by"] == "move")
    page = opened("replay")
    game = page.get_by_label("Game", exact=True)
    page.locator("#replay [data-game='0']").wait_for()
    assert game.input_value() == "0"  # as in tables, commands and links
    game.fill("6")
    game.press("Enter")
    assert "0 to 5" in page.inner_text("#replay .fault")
    game.fill(str(number - 1))
    game.press("Enter")
    page.locator(f"#replay [data-game='{number - 1}']").wait_for()
    page.get_by_role("button", name="Next game").click()
    page.locator(f"#replay [data-game='{number}']").wait_for()
    assert link_of(page)["game"] == game.input_value() == str(number)
    moves = page.locator("#replay .moves button")
    count = moves.count()
    (rows, decision), (_, board) = found[number], games[number]
    assert [int(text[0]) - 1 for text in moves.all_inner_texts()] == list(board.moves)
    wrong = [one["ply"] for one in rows if one["keeps_value"] is False]
    assert [place for place, text in enumerate(moves.all_inner_texts()) if text.endswith("?")] == wrong
    assert f"Move {decision['ply'] + 1} " in page.inner_text("#replay .why")
    told = page.inner_text("#replay .now")
    with page.expect_download() as download:
        page.locator("#replay").get_by_role("button", name="Save as one file").click()
    download.value.save_as(tmp_path / "game.html")
    with page.context.new_page() as alone:
        faults = quiet(alone)
        alone.goto((tmp_path / "game.html").as_uri())
        assert alone.inner_text(".now") == told
        assert alone.locator(".moves button").all_inner_texts() == moves.all_inner_texts()
        alone.keyboard.press("Home")
        wait_for(alone, ".now", "The empty board")
        assert accessible(alone) == faults == []
    for ply in wrong:
        moves.nth(ply).click()
        assert f" {rows[ply]['loss']} point" in page.inner_text("#replay .now")
    moves.nth(count - 1).click()
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Play on from here").click()
    page.locator("#play[data-ready]").wait_for()
    assert (len(moves_of(page)), link_of(page)["board"]) == (count - 1, "4x4")
