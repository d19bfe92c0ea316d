"""The page in a real browser with a real server: two rules on one position, bandits, replay."""

from __future__ import annotations

import pytest

from bandits import UCB
from connect4 import Board
from experiments.games.results import game_of
from mcts import search
from tests.browser import accessible, quiet
from tests.experiments.commands import split_words
from tests.experiments.tabs import link_of, moves_of, ready, wait_for, wait_for_turn
from tests.internals import Connect4, judge_game

pytestmark = pytest.mark.jit


def test_the_page_says_that_it_is_loading_until_its_data_have_come(page, served):
    waiting = []
    page.route("**/api/catalogue", lambda route: waiting.append(route))
    page.goto(served.address)
    loading = page.get_by_text("Loading the page")
    loading.wait_for()
    while not waiting:
        page.wait_for_timeout(50)
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
    page.get_by_role("button", name="Why did it move so?").click()
    ready(page, "compare")
    page.get_by_role("button", name="Play on from here").click()
    wait_for(page, ".turn", "is to move")
    assert moves_of(page) == "44534"


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
    command(
        *split_words(
            "experiment=match player1=level_1 player2=level_3 games=6 board=4x4 connect=3 "
            "hydra.run.dir=results/match/tiny"
        ),
    )
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
    game.fill("0")
    game.press("Enter")
    for place in range(number):
        page.locator(f"#replay [data-game='{place}']").wait_for()
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
    losses = {one["ply"]: one["loss"] for one in rows if one["keeps_value"] is False}
    for ply, loss in losses.items():
        moves.nth(ply).click()
        assert f" {loss} point" in page.inner_text("#replay .now")
    moves.nth(count - 1).click()
    wait_for(page, "#replay .count", f"{count} of {count}")
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Play on from here").click()
    page.locator("#play[data-ready]").wait_for()
    assert len(moves_of(page)) == count - 1
    assert link_of(page)["board"] == "4x4"
