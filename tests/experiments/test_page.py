"""The page in a real browser with a real server: games, links, two rules on one position, replay, bandits, breaks."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from bandits import UCB
from connect4 import Board
from experiments.annotation.judged_moves import judged
from experiments.match.finished import game_of
from experiments.players import make_player
from mcts import search
from tests.browser import accessible, quiet

pytestmark = pytest.mark.jit

SMALL = "board=4x3&connect=3"
QUICK = "o=uct&o.simulations=30"
LONG = "o=uct&o.seconds=30"


class Served:
    """The server in a thread of this process; stopping it breaks every connection, as the end of a process does."""

    def __init__(self, port=0):
        import uvicorn

        from experiments.serve import listening
        from experiments.server.app import make_app

        self.socket = listening("127.0.0.1", port)
        self.port = self.socket.getsockname()[1]
        self.app = make_app("127.0.0.1", self.port)
        options = {"lifespan": "off", "ws": "none", "http": "h11", "loop": "asyncio", "log_config": None}
        self.server = uvicorn.Server(uvicorn.Config(self.app, **options))
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        self.loop = asyncio.new_event_loop()
        with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
            runner.run(self.server.serve(sockets=[self.socket]))

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/"

    @property
    def works(self):
        return self.app.state.works

    def break_connections(self):
        def abort():
            for one in list(self.server.server_state.connections):
                one.transport.abort()

        self.loop.call_soon_threadsafe(abort)

    def stop(self):
        self.server.should_exit = self.server.force_exit = True
        self.break_connections()
        self.thread.join()
        self.socket.close()


@pytest.fixture(scope="module")
def served():
    make_player("uct", simulations=10).play(Board())  # compiled before any test looks at a clock
    one = Served()
    yield one
    one.stop()


@pytest.fixture
def opened(page, served):
    """Open a tab with a link's settings; at the end the page must have been quiet."""
    faults = quiet(page)

    def opened(link):
        page.goto(f"{served.address}#{link}")
        page.locator(f"#{link.split('&')[0]}[data-ready]").wait_for()
        return page

    yield opened
    assert faults == []


def turn(page):
    return page.locator(".turn").inner_text()


def link_of(page):
    """Return the settings in the page's address: the moves, and others by their names."""
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).fragment).items()}


def moves_of(page):
    return link_of(page).get("moves", "")


def wait_for(page, place, words):
    """Wait until an element's text has some words, or a pattern."""
    from playwright.sync_api import expect

    expect(page.locator(place)).to_contain_text(
        words, timeout=60_000
    )  # of which compiling takes most, where it comes first


def wait_for_turn(page):
    wait_for(page, ".turn", "Your move")


def wait_for_end_of_thought(page):
    wait_for(page, ".turn", re.compile("Your move|wins|draw"))


def until(condition, seconds=5.0):
    """Wait until something holds; return whether it does."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def game_is_told(page, board):
    winner = {1: "X wins", -1: "O wins", 0: "A draw"}[board.winner()]
    assert turn(page).startswith(winner)


def test_a_whole_game_by_clicks(opened):
    page = opened(f"play&{SMALL}&{QUICK}")
    while True:
        page.locator(".board .column[aria-disabled=false]").first.click()
        wait_for_end_of_thought(page)
        board = Board.from_moves(moves_of(page), 4, 3, 3)
        if board.is_finished():
            break
        assert board.plies % 2 == 0
        assert turn(page) == "Your move, with X"
        assert re.search(r"O, uct\(simulations=30\), played column \d: \d+ of 30 simulations", page.inner_text(".why"))
    game_is_told(page, board)
    assert "in a row" in page.locator("#said").inner_text() or "draw" in page.locator("#said").inner_text()
    page.get_by_role("button", name="New game").click()
    assert moves_of(page) == ""
    assert turn(page) == "Your move, with X"


def test_a_whole_game_by_keyboard(opened):
    page = opened(f"play&{SMALL}&o=level_2")
    first = page.locator(".board .column").first
    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_turn(page)
    assert moves_of(page).startswith("2")
    for digit in "123412341234":
        if Board.from_moves(moves_of(page), 4, 3, 3).is_finished():
            break
        before = moves_of(page)
        page.keyboard.press(digit)
        if Board.from_moves(before, 4, 3, 3).allows(int(digit) - 1):
            wait_for_end_of_thought(page)
            assert moves_of(page).startswith(before + digit)
        else:
            assert moves_of(page) == before
    board = Board.from_moves(moves_of(page), 4, 3, 3)
    assert board.is_finished()
    game_is_told(page, board)


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
    began = time.monotonic()
    page.get_by_role("button", name="Take back").click()
    assert until(lambda: not served.works.running)
    assert time.monotonic() - began < 2.0  # 0.1 s on a machine with nothing else to do
    assert moves_of(page) == ""
    assert turn(page) == "Your move, with X"
    page.get_by_role("button", name="Redo").click()
    assert moves_of(page) == "4"
    assert turn(page) == "O, uct(seconds=30), is to move"  # and thinks only when it is told to
    page.get_by_role("button", name="Go on").click()
    assert until(lambda: len(served.works.running) == 1)
    page.go_back()  # which leaves the move that was redone
    wait_for_turn(page)
    assert until(lambda: not served.works.running)


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
    page.get_by_label("seconds").fill("30")
    page.get_by_label("seconds").press("Enter")
    page.keyboard.press("Tab")
    page.locator(".board .column").first.click()
    assert until(lambda: len(served.works.running) == 1)
    page.goto("about:blank")
    assert until(lambda: not served.works.running, 2.0)


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
    assert "does not answer" in page.inner_text("#server")
    assert f"python -m experiments.serve --no-browser --port {served.port}" in page.inner_text("#server")
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


def test_a_link_opened_afresh_shows_the_same(opened, page, served, browser):
    opened("play&moves=4453&o=level_2")
    page.get_by_label("O, moves second").select_option("minimax")
    page.get_by_label("depth").fill("3")
    page.get_by_label("depth").press("Enter")
    page.get_by_role("button", name="Mirror").click()
    page.get_by_role("button", name="Switch sides").click()
    wait_for_turn(page)
    page.evaluate("scrollTo(0, 0)")
    context = browser.new_context(viewport=page.viewport_size)
    other = context.new_page()
    other.goto(page.url)
    other.locator("#play[data-ready]").wait_for()
    assert other.url == page.url
    assert link_of(other)["x"] == "minimax"
    assert link_of(other)["x.depth"] == "3"
    assert link_of(other)["moves"].startswith("4435")
    for shown in (
        "document.querySelector('.board').getAttribute('aria-label')",
        "document.querySelector('.board .stones').innerHTML",
        "[...document.querySelectorAll('#play select, #play input, #play textarea')].map((one) => one.value).join()",
        "document.querySelector('.turn').innerText",
    ):
        assert other.evaluate(shown) == page.evaluate(shown)
    context.close()


def test_a_link_opened_afresh_has_the_numbers_of_the_last_move_if_its_player_made_it(opened, page, served, browser):
    opened(f"play&{SMALL}&{QUICK}")
    page.locator(".board .column").nth(1).click()
    wait_for_turn(page)
    told = page.inner_text(".why")
    assert "of 30 simulations tried it" in told
    context = browser.new_context()
    other = context.new_page()
    other.goto(page.url)
    wait_for(other, ".why", told)
    shown = "document.querySelector('.bars').innerText"
    assert other.evaluate(shown) == page.evaluate(shown)
    moves = moves_of(page)
    another = next(column for column in "1234" if column != moves[1])
    other.goto(page.url.replace(f"moves={moves}", f"moves={moves[0]}{another}"))
    other.reload()
    other.locator("#play[data-ready]").wait_for()
    assert until(lambda: not served.works.running)
    assert other.inner_text(".why") == ""  # somebody else moved
    context.close()


def test_enter_in_a_size_of_the_board_begins_a_game_of_it(opened):
    page = opened("play&o=level_2")
    page.get_by_text("Size of the board").click()
    page.get_by_label("columns", exact=True).fill("5")
    page.get_by_label("columns", exact=True).press("Enter")
    wait_for_turn(page)
    assert link_of(page)["board"] == "5x6"


def test_what_a_file_has_room_for_is_said_beside_its_field(opened):
    page = opened("compare&simulations=20&exact=false")
    ready(page, "compare")
    simulations = page.locator("#compare .fields .field", has_text="simulations").first
    most = 525_000 // (2 * (29 + 4 * 7))
    assert f"{most:,}" in simulations.inner_text()
    assert "found in 20 s" in page.inner_text("#compare form")
    page.get_by_label("Second rule").select_option("none")
    assert f"{525_000 // (29 + 4 * 7):,}" in simulations.inner_text()
    page.get_by_label("Second rule").select_option("thompson")
    simulations.locator("input").fill(str(most + 1))
    simulations.locator("input").press("Tab")
    assert f"from 1 to {most:,}; got {most + 1:,}" in simulations.locator(".fault").inner_text()
    simulations.locator("input").fill(str(most))
    simulations.locator("input").press("Tab")
    assert not simulations.locator(".fault").is_visible()
    wait_for(page, "#compare .recording h2 >> nth=0", f"{most:,} simulations")
    assert page.locator("#compare form > .fault").is_hidden()


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
    for wrong, said in (
        ("48", "moves must be columns from 1 to 7; at move 2 got 8"),
        ("1111111", "move 7 cannot be played: column 1 is full"),
        ("12121213", "move 8 comes after the end: X has won before it"),
        (". . .\nX . X", "X must have as many stones as O or one more"),
    ):
        text.fill(wrong)
        page.get_by_role("button", name="Use these moves").click()
        assert said.lower() in page.locator("#play .fault:visible").inner_text().lower()
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
    assert "X must have as many stones as O or one more" in page.inner_text(".setup .fault")
    page.get_by_role("button", name="Cancel").click()
    assert moves_of(page) == "3"


def test_what_cannot_be_is_said_beside_its_field(opened, page):
    page = opened("play")
    simulations = page.get_by_label("simulations").first
    simulations.fill("none at all")
    simulations.press("Enter")
    assert "simulations must be a whole number from 1 to" in page.locator(".field .fault:visible").inner_text()
    assert "o.simulations" not in link_of(page)


def test_a_full_column_is_said_and_a_small_screen_shows_the_whole_board(opened, page):
    page.set_viewport_size({"width": 1366, "height": 768})
    page = opened("play&moves=444444")
    page.locator("#play[data-ready]").wait_for()
    page.keyboard.press("4")
    assert page.locator("#play .fault:visible").inner_text() == "Column 4 is full."
    board = page.locator("svg.board").bounding_box()
    assert board["y"] + board["height"] <= 768
    page.keyboard.press("3")
    assert page.locator("#play .fault:visible").count() == 0


def test_what_the_server_refuses_is_said_beside_the_player(page, served):
    page.goto(f"{served.address}#play&o=uct&o.seconds=3600&x=nobody")
    page.locator("#play[data-ready]").wait_for()
    assert 'There is no "nobody" here' in page.locator(".player .fault:visible").inner_text()
    page.keyboard.press("4")
    page.locator(".player .fault:visible", has_text="seconds must be").wait_for()
    assert turn(page) == "O, uct(seconds=3600), is to move"


def test_on_a_phone_the_page_is_light_played_by_touch_and_has_no_serious_fault(browser, served):
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page, sizes = context.new_page(), []
    page.on("response", lambda answer: sizes.append(len(answer.body())))
    page.goto(f"{served.address}#play&moves=44&o=level_1")
    page.locator("#play[data-ready]").wait_for()
    page.wait_for_load_state("networkidle")
    assert 20_000 < sum(sizes) < 150_000
    page.locator(".board .column").nth(2).tap()
    wait_for_turn(page)
    assert moves_of(page).startswith("443")
    for scheme, tab in (
        ("light", "Play"),
        ("dark", "Play"),
        ("dark", "Compare"),
        ("light", "Bandit"),
        ("dark", "Replay"),
    ):
        page.emulate_media(color_scheme=scheme)
        page.get_by_role("link", name=tab, exact=True).tap()
        page.locator(f"#{tab.lower()}[data-ready]").wait_for()
        if tab in ("Compare", "Bandit"):
            ready(page, tab.lower())
        else:
            assert accessible(page) == []  # the components in the other tabs have their own tests
        assert page.evaluate("document.documentElement.scrollWidth") == 360
    context.close()


def test_a_player_without_a_search_says_how_it_plays(opened):
    page = opened("play&o=level_4&o.order=runs-blocks")
    page.keyboard.press("4")
    wait_for(page, ".why", "O, level_4(order=runs-blocks), played column")
    assert "how it plays: wins or blocks at once if it can" in page.inner_text(".why")


def test_hints_and_exact_scores(opened):
    page = opened(f"play&{SMALL}&moves=21&o=human")
    page.get_by_role("button", name="Hint").click()
    wait_for(page, ".advice", "Hint: ")
    assert page.inner_text(".advice").startswith("Hint: column 2, 3 or 4, exactly a win")
    page.get_by_role("button", name="Exact scores").click()
    wait_for(page, ".board .marks", "+")
    marks = page.locator(".board .marks text").all_text_contents()
    assert [mark.startswith("+") for mark in marks] == [False, True, True, True]


def ready(page, tab):
    """Wait until a recording is shown; return its place."""
    place = page.locator(f"#{tab} .recording[data-ready]")
    place.wait_for()
    return place


def test_two_rules_search_one_position_side_by_side(opened, page, served, tmp_path):
    page = opened("compare&moves=4453&simulations=200&exact=false&o=uct&o.simulations=150&o.c=0.5&o.solve=true")
    shown = ready(page, "compare")
    panels = shown.locator(".columns-table")
    assert panels.count() == 2
    for place in range(2):
        cells = panels.nth(place).locator("tbody.visits .bar td").all_inner_texts()
        assert sum(int(text) for text in cells) == 200
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
    assert {key: link_of(page)[key] for key in ("rule", "rule.c", "simulations")} == {
        "rule": "ucb", "rule.c": "0.5", "simulations": "150",
    }  # fmt: skip
    page.get_by_role("link", name="Play", exact=True).click()  # the game is where it was left
    wait_for_turn(page)
    page.wait_for_url(lambda url: len(link_of(page)["moves"]) == 6)
    page.get_by_role("button", name="Why did it move so?").click()
    ready(page, "compare")
    page.get_by_role("button", name="Play on from here").click()
    wait_for(page, ".turn", "is to move")
    assert moves_of(page) == "44534"


def test_a_bandit_is_played_step_by_step_and_kept(opened, page):
    page = opened("bandit&horizon=40&means=0.2,0.8")
    assert f"{525_000 // (2 * (14 + 8 * 2)):,}" in page.inner_text("#bandit form")
    shown = ready(page, "bandit")
    assert "means 0.2, 0.8: 40 pulls, seed 0" in shown.locator("h2").first.inner_text()
    page.keyboard.press("ArrowRight")
    wait_for(page, "#bandit .controls .count", "1 of 40")
    page.get_by_role("button", name="Another seed").click()
    wait_for(page, "#bandit .recording h2 >> nth=0", "seed 1")
    assert link_of(page)["bandit_seed"] == "1"
    means = page.get_by_label("means of the arms")
    means.fill("0.2, 8")
    means.press("Tab")
    assert "two numbers from 0 to 1" in page.locator("#bandit .fault:visible").inner_text()
    with page.expect_download() as download:
        means.fill("0.2, 0.7")
        page.get_by_role("button", name="Save as one file").click()
    assert download.value.suggested_filename == "bandit_ucb_thompson.html"


def test_a_game_of_a_run_is_replayed_with_its_blunders(opened, command, tmp_path):
    said = command(
        "experiment=match", "player1=level_1", "player2=level_3", "games=6", "board=4x4", "connect=3",
        "hydra.run.dir=results/match/tiny",
    )  # fmt: skip
    assert said.status == 0, said.err
    games = [game_of(tmp_path / "results" / "match" / "tiny", number) for number in range(6)]
    found = [judged(row, Board(4, 4, 3), 5.0) for row, _ in games]
    number = next(place for place, (_, decision) in enumerate(found) if place and decision["decided_by"] == "move")
    page = opened("replay")
    assert "(6 games)" in page.locator("#replay select option").first.inner_text()
    game = page.get_by_label("Game", exact=True)
    assert game.input_value() == "1"
    assert "game 0" in page.inner_text("#replay .choose")
    game.fill("7")
    game.press("Enter")
    assert "from 1 to 6" in page.inner_text("#replay .fault")
    game.fill("1")
    game.press("Enter")
    for place in range(number):
        page.locator(f"#replay [data-game='{place}']").wait_for()
        page.get_by_role("button", name="Next game").click()
    page.locator(f"#replay [data-game='{number}']").wait_for()
    assert link_of(page)["game"] == str(number)
    moves = page.locator("#replay .moves button")
    count = moves.count()
    (rows, decision), (_, board) = found[number], games[number]
    assert [int(text[0]) - 1 for text in moves.all_inner_texts()] == list(board.moves)
    wrong = [one["ply"] for one in rows if one["keeps_value"] is False]
    assert [place for place, text in enumerate(moves.all_inner_texts()) if text.endswith("?")] == wrong
    assert page.inner_text("#replay .why").startswith(f"Move {decision['ply'] + 1} decided the game")
    assert page.inner_text("#replay .now").startswith("Blunder: ")
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
    page.keyboard.press("Home")
    wait_for(page, "#replay .now", "The empty board")
    moves.nth(count - 1).click()
    wait_for(page, "#replay .count", f"{count} of {count}")
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Play on from here").click()
    page.locator("#play[data-ready]").wait_for()
    assert len(moves_of(page)) == count - 1
    assert link_of(page)["board"] == "4x4"
