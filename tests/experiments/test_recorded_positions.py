"""Recordings of games of a user's class hold what the class says of itself; a browser shows that and runs nothing."""

from __future__ import annotations

import numpy as np
import pytest

from bandits import make
from experiments import record_search
from mcts import search
from numerics.commands import Command
from numerics.parameters import parameter
from tests.browser import accessible, quiet
from tests.experiments.own_games import Nim, TicTacToe
from tests.experiments.tabs import Served, link_of, ready, wait_for
from tests.experiments.test_record import recorded, unpacked
from tests.internals import CustomRules, page_of, positions_recording, words_of
from tests.refusals import refused

HERE = "tests.experiments.own_games"


class Again(Nim):
    """Nim in which who takes from the first heap moves again."""

    def play(self, move):
        after = super().play(move)
        return type(self)(after.heaps, self.mover) if move[0] == 0 and any(after.heaps) else after


class Drawn(Nim):
    """Nim as HTML, with all that no recording may run; moves are no HTML."""

    def moves(self):
        return [f"<b>{move}</b>" for move in super().moves()]

    def play(self, move):
        heap, taken = move.removeprefix("<b>(").removesuffix(")</b>").split(", ")
        return super().play((int(heap), int(taken)))

    def _repr_html_(self):
        return (
            "<style>p { color: rgb(1, 2, 3) }</style><script>document.title = 'run'</script>"
            f"<p style='padding: 9px' onclick='document.title = \"run\"'>{self}</p>"
            "<a href=' javascript:document.title=1'>a link</a><svg onload='document.title = \"run\"'></svg>"
        )


def lines_of(position, one):
    """Yield the moves and the nodes of each simulation of a recorded search, numbered by first visits."""
    lengths, path, known, at = unpacked(one["lengths"], "u2"), unpacked(one["path"], "u2"), {}, 0
    for length in lengths.tolist():
        nodes = [0]
        for number in path[at : at + length].tolist():
            nodes.append(known.setdefault((nodes[-1], number), len(known) + 1))
        yield [position["moves"][number] for number in path[at : at + length]], nodes
        at += length


@pytest.mark.parametrize(
    "start",
    [Nim((3, 1), 1), TicTacToe(), Again((2, 2, 1)), Again((2, 2, 1), 1)],
    ids=lambda start: type(start).__name__,
)
def test_a_recording_has_the_search_and_every_position_on_its_paths(start):
    found = search(start, "ucb", 80, seed=3)
    recording = positions_recording(start, [make("ucb", c=1.0), make("thompson")], 80, 3)
    position, passes = recording["position"], 0
    assert position["mover"] == start.player()
    one = recording["searches"][0]
    assert [position["moves"][number] for number in one["moves"]] == words_of(found.moves)
    first = [line[0] for line, _ in lines_of(position, one)]
    assert [first.count(word) for word in words_of(found.moves)] == found.visits.tolist()
    for one in recording["searches"]:
        shown, ends = unpacked(one["shown"], "u2"), unpacked(one["ends"], "u1")
        for line, nodes in lines_of(position, one):
            at, side = start, start.player()
            for move, node in zip(line, nodes[1:], strict=True):
                waits = at.player() != side
                assert (move == "pass") == waits
                passes += waits
                if not waits:
                    at = at.play(at.moves()[words_of(at.moves()).index(move)])
                side = 1 - side
                assert position["texts"][shown[node]] == str(at)
                result = at.result()
                assert ends[node] == (0 if result is None else 1 if result[0] > result[1] else 3)
        assert ends.size == shown.size == 1 + max(node for _, nodes in lines_of(position, one) for node in nodes)
    assert (passes > 0) == isinstance(start, Again)


def test_a_file_is_below_a_megabyte_whatever_its_positions_are():
    class Long(TicTacToe):
        def play(self, move):
            return Long(3, super().play(move).cells)

        def __str__(self):
            return self.cells * 200

    assert len(page_of(positions_recording(Long(), [make("ucb")], 700)).encode()) < 1_000_000
    told = refused(lambda: positions_recording(Nim((60,)), [make("greedy")], 10**6), "simulations")
    most = int(told.split()[5])
    assert most > 500
    recording = positions_recording(Long(), [make("ucb"), make("thompson")], 700)
    shown = [unpacked(one["shown"], "u2") for one in recording["searches"]]
    assert all((one == 2**16 - 1).any() and one[0] == 0 for one in shown)


class Failing(Nim):
    """No picture by any method that is named."""

    def __str__(self):
        raise RuntimeError("no picture")

    def _repr_html_(self):
        raise RuntimeError("no picture")


def test_a_class_that_cannot_be_shown_is_named():
    for method in ("__str__", "_repr_html_"):
        kind = type("Unshown", (Nim,), {method: getattr(Failing, method)})
        refused(lambda kind=kind: record_search(kind((1, 2)), simulations=10), f"{method}() of Unshown", "no picture")
    refused(lambda: record_search(Nim((1, 2)), exact=True), "exact")
    refused(lambda: record_search(3), "board", "connect4.Board")


def test_the_parameters_of_a_group_may_be_typed_as_an_experiment_has_them():
    class Grouped(Command, module="grouped"):
        game: str = parameter("connect4", help="what is played")

    assert Grouped.read(["game=custom", "game.cls=a.B", "game.name=two words", "game.sizes=[1, 2]"]).game == (
        'custom cls=a.B name="two words" sizes=[1, 2]'
    )
    refused(lambda: Grouped.read(["other.cls=3"]), "unexpected argument 'other.cls=3'")


# ---------------------------------------------------------------- in a browser


@pytest.mark.jit
def test_the_browser_shows_positions_as_the_class_has_them_and_runs_nothing(page, tmp_path):
    faults = quiet(page)
    recording = record_search(Drawn((2, 3)), ["ucb", "thompson"], 60)
    place = recording.save(tmp_path / "search.html")
    page.goto(place.as_uri())
    page.wait_for_selector("svg.tree .node")
    page.keyboard.press("End")
    found = search(Drawn((2, 3)), "ucb", 60)
    panel = page.locator(".panel").first
    assert panel.locator("thead th").all_text_contents() == words_of(found.moves)
    assert panel.locator("tbody.visits tr:nth-child(2) td").all_text_contents() == [str(n) for n in found.visits]
    page.keyboard.press("Home")
    shown = panel.locator(".position-html p")  # inside its own tree of elements
    assert shown.inner_text() == "2 3"
    assert shown.evaluate("p => [getComputedStyle(p).color, getComputedStyle(p).padding]") == ["rgb(1, 2, 3)", "9px"]
    assert page.locator(".formula").first.evaluate("p => getComputedStyle(p).color") != "rgb(1, 2, 3)"
    shown.click()
    panel.locator(".position-html a").click()
    assert page.title().startswith(recording.data["title"])
    assert accessible(page) == []
    assert faults == []


@pytest.mark.jit
def test_the_browser_replays_a_game_and_a_search_with_passes(page, command, tmp_path):
    faults = quiet(page)
    page.goto(record_search(Again((2, 2, 1)), "ucb", 40).save(tmp_path / "again.html").as_uri())
    page.wait_for_selector("svg.tree .node")
    values = page.evaluate(
        """async () => {
            const { Replay } = await import("lab/recording/replay");
            const { gameOf } = await import("lab/recording/positions");
            const recording = JSON.parse(document.getElementById("recording").textContent);
            const one = new Replay(recording.searches[0], gameOf(recording));
            one.seek(40);
            return Array.from({ length: one.size }, (_, node) => [one.visits[node], one.values[node]]);
        }"""
    )
    tree = search(Again((2, 2, 1)), "ucb", 40).tree
    told, seen = np.array(values), tree.visits > 0
    assert sorted(told[:, 0]) == sorted(tree.visits[seen])
    np.testing.assert_allclose(np.sort(told[1:, 1]), np.sort(tree.values[seen][1:]), atol=1e-6)
    start = (f"game={HERE}.Nim heaps=[2,3]", "(0,1)")
    command(*start, "player=random", "player2=random", "-o", "game.html", module="record")
    page.goto((tmp_path / "game.html").as_uri())
    game, at = recorded(tmp_path / "game.html"), Nim((2, 3))
    assert (game["given"], game["moves"][0]) == (1, [0, "(0,1)"])
    page.wait_for_selector(".position-text")
    for mover, move in game["moves"]:
        assert mover == at.player()
        at = at.play(at.moves()[words_of(at.moves()).index(move)])
        page.keyboard.press("ArrowRight")
        assert page.locator(".position-text").text_content() == str(at)
        assert page.locator(".now").inner_text().startswith(f"{mover}\n{game['players'][mover]} plays {move}.")
    assert accessible(page) == []
    assert faults == []


class Board(Drawn):
    """Of moves that one can type."""

    moves, play = Nim.moves, Nim.play


@pytest.mark.jit
def test_the_page_compares_two_rules_on_the_game_that_it_was_started_with(page, tmp_path):
    pytest.importorskip("uvicorn")
    served = Served(game=CustomRules(f"{__name__}.Board", heaps=(2, 3)))
    try:
        faults = quiet(page)
        page.goto(served.address)
        page.locator("#play[data-ready]").wait_for()
        page.get_by_role("link", name="Compare").click()
        shown, tab = ready(page, "compare"), page.locator("#compare")
        assert link_of(page)["own"] == "true"
        tab.get_by_role("textbox", name="simulations").fill("60")
        page.keyboard.press("Tab")
        wait_for(page, "#compare h2", "60 simulations")
        tab.get_by_label("position", exact=True).fill("(1,3)")
        page.keyboard.press("Tab")
        wait_for(page, "#compare h2", "after (1,3)")
        found = search(Board((2, 0), 1), "ucb", 60)
        told = shown.locator(".columns-table").first.locator("tbody.visits .bar td").all_inner_texts()
        assert told == [str(visits) for visits in found.visits]
        assert shown.locator(".position-html p").first.evaluate("p => getComputedStyle(p).padding") == "9px"
        with page.expect_download() as download:
            tab.get_by_role("button", name="Save as one file").click()
        download.value.save_as(tmp_path / "search.html")
        assert "(1,3)" in recorded(tmp_path / "search.html")["title"]
        tab.get_by_label("game", exact=True).select_option("Connect 4")
        wait_for(page, "#compare h2", "the empty board")
        assert faults == []
    finally:
        served.stop()
