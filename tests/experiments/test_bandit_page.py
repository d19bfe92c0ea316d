"""Drawings of recordings in a real browser: the arms and regret of a bandit, the tree of a search, lines in a plot."""

import re

import numpy as np
import pytest

from bandits import Bernoulli, Gaussian, Piecewise, Sine, make
from bandits.simulation import replicate_steps
from connect4 import Board
from mcts import search
from tests.browser import accessible, quiet
from tests.internals import bandit_recording, page_of, result_recording, search_recording

pytestmark = pytest.mark.jit
ARMS, RULES, PULLS = Bernoulli([0.3, 0.5, 0.7]), ("ucb", "thompson"), 400
SLIDER = "input[type=range]"


@pytest.fixture
def shown(page, tmp_path):
    """Open the file of a recording; at the end the page must have been quiet."""
    faults = quiet(page)

    def shown(recording):
        place = tmp_path / "recording.html"
        place.write_text(page_of(recording), encoding="utf-8")
        page.goto(place.as_uri())
        page.locator(SLIDER).wait_for()

    yield shown
    assert faults == []


@pytest.fixture(scope="module")
def bandit():
    return bandit_recording(ARMS, [make(name) for name in RULES], PULLS, seed=3)


@pytest.mark.parametrize("n", [7, PULLS])
def test_every_number_of_an_arm_is_that_of_the_trace(page, shown, bandit, n):
    shown(bandit)
    page.locator(SLIDER).fill(str(n))
    for place, name in enumerate(RULES):
        played, steps = replicate_steps(make(name), ARMS, PULLS, 3, 0)
        panel, at = page.locator(".rule").nth(place), n - 1
        for arm in range(3):
            mean, score = steps.means[at, arm], steps.scores[at, arm]
            pulls = int((steps.arm[:at] == arm).sum())
            written = "–" if np.isnan(score) else "lower" if np.isneginf(score) else f"{score:.3f}"
            bonus = [f"{score - mean:.3f}" if np.isfinite(score) else "–"] if name == "ucb" else []
            paid = f"{steps.reward[at]:g}" if steps.arm[at] == arm else ""
            expected = [ARMS.names[arm], f"{mean:.3f}" if pulls else "–", *bonus, written, str(pulls), paid]
            cells = panel.locator("tbody tr").nth(arm).locator("th, td:not(.chart)").all_inner_texts()
            assert [text.replace("−", "-") for text in cells] == expected
        assert panel.locator("tr.pulled th").inner_text() == ARMS.names[steps.arm[at]]
        said = panel.locator(".sums").inner_text().replace("−", "-")
        regret = (0.7 - np.array([0.3, 0.5, 0.7])[steps.arm[:n]]).sum()
        assert n < PULLS or regret == pytest.approx(played.pseudo_regret[0, -1])
        realised = (steps.best_reward - steps.reward)[:n].sum()
        won = int(steps.reward[:n].sum())
        assert re.findall(r"-?\d+(?:\.\d)?", said) == [f"{won}", f"{regret:.1f}", f"{realised:.1f}"]


def test_a_world_that_jumps_moves_the_true_means_and_of_a_rule_that_forgets_no_mean_is_a_reason(page, shown):
    arms = Piecewise([0.2, 0.8], changes=[50], means=[[0.9, 0.1]])
    shown(bandit_recording(arms, [make("glr_kl_ucb"), make("epsilon_greedy")], 100, seed=3))
    rule = page.locator(".rule").first
    for n, means in ((0, (0.2, 0.8)), (50, (0.2, 0.8)), (51, (0.9, 0.1)), (100, (0.9, 0.1))):
        page.locator(SLIDER).fill(str(n))
        titles = [one.get_attribute("title") for one in rule.locator(".arms tbody th").all()]
        assert titles == [f"{arm}: true mean {mean:g}" for arm, mean in enumerate(means)]
        first, second = (float(one.get_attribute("x1")) for one in rule.locator(".arms tbody line.truth").all())
        assert (first < second) == (means[0] < means[1])
        if n == 50:
            assert ["mean" in said for said in page.locator(".told-pull").all_inner_texts()] == [False, True]
    played, _ = replicate_steps(make("glr_kl_ucb"), arms, 100, 3, 0)
    assert f"regret {played.pseudo_regret[0, -1]:.1f} " in rule.locator(".sums").inner_text()
    assert page.locator("svg.plot line.mark").count() == 3  # of the pulls of each and of the regret
    with pytest.raises(ValueError, match=r"^arms .*100"):
        bandit_recording(Sine([0.2, 0.8]), [make("ucb")], 100)  # which change at every pull


@pytest.mark.long
def test_the_bar_of_a_bonus_goes_from_the_mean_to_the_index_and_a_posterior_is_highest_at_its_mode(page, shown, bandit):
    shown(bandit)
    page.locator(SLIDER).fill("300")
    _, steps = replicate_steps(make("ucb"), ARMS, PULLS, 3, 0)
    _, drawn = replicate_steps(make("thompson"), ARMS, PULLS, 3, 0)
    marks = page.eval_on_selector_all(".rule:first-child .truth", "all => all.map((one) => +one.getAttribute('x1'))")
    scale = (marks[2] - marks[0]) / 0.4
    bars = page.eval_on_selector_all(
        ".rule:first-child .arm-row .interval",
        "all => all.map((one) => ['x1', 'x2'].map((end) => +one.getAttribute(end)))",
    )
    for arm, (left, right) in enumerate(bars):
        assert (left - marks[0]) / scale + 0.3 == pytest.approx(steps.means[299, arm], abs=1e-4)
        assert (right - marks[0]) / scale + 0.3 == pytest.approx(steps.scores[299, arm], abs=1e-4)
    marks = page.eval_on_selector_all(".rule:last-child .truth", "all => all.map((one) => +one.getAttribute('x1'))")
    outlines = page.eval_on_selector_all(".rule:last-child .density", "all => all.map((one) => one.getAttribute('d'))")
    for arm in (1, 2):
        points = np.array(re.findall(r"([\d.]+) ([\d.]+)", outlines[arm]), dtype=float)
        pulls, won = (drawn.arm[:299] == arm).sum(), drawn.reward[:299][drawn.arm[:299] == arm].sum()
        highest = (points[points[:, 1].argmin(), 0] - marks[0]) / ((marks[2] - marks[0]) / 0.4) + 0.3
        assert pulls > 5
        assert highest == pytest.approx(won / pulls, abs=0.03)  # the mode of Beta(1 + S, 1 + n - S)


def test_keys_step_and_the_plots_say_their_numbers(page, shown, bandit):
    shown(bandit)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    _, steps = replicate_steps(make("ucb"), ARMS, PULLS, 3, 0)
    said = page.locator(".told-pull").first.inner_text()
    arm, mean, score = steps.arm[4], steps.means[4, steps.arm[4]], steps.scores[4, steps.arm[4]]
    assert f"{mean:.3f} + {score - mean:.3f} = {score:.3f}" in said
    assert said.startswith(f"Arm {arm} ")
    page.keyboard.press("End")
    pulls = ", ".join(f"Arm {arm}: {(steps.arm == arm).sum()}" for arm in range(3))
    label = page.locator(".plot-of-rule").first.locator("svg.plot").get_attribute("aria-label")
    assert f" 400 pulls: {pulls}" in label
    assert accessible(page) == []


@pytest.mark.long
def test_a_click_in_a_plot_goes_there_and_the_axis_becomes_logarithmic(page, shown, bandit):
    shown(bandit)
    plot = page.locator(".regret svg.plot")
    plot.scroll_into_view_if_needed()
    axis = plot.locator(".axis").bounding_box()
    page.mouse.click(axis["x"] + axis["width"] / 2, axis["y"] - 60)
    assert int(page.locator(SLIDER).input_value()) == pytest.approx(PULLS / 2, abs=2)
    page.get_by_label("logarithmic axis of pulls").check()
    ticks = {*plot.locator(".axes text").all_text_contents()}
    assert {"1", "10", "100"} <= ticks
    assert not {"200", "300"} & ticks


def test_twenty_arms_and_the_tree_of_a_wide_board_fit_a_phone(page, shown):
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 360, "height": 740})
    shown(search_recording(Board(20, 4), [make("ucb", c=1.0)], 200))
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.locator(".tree-box").evaluate("one => one.scrollWidth > one.clientWidth")
    for level in (2, 3):  # of the most visited move, at any width
        assert page.locator(f"svg.tree .node[aria-level='{level}']").count() == 20
    recording = bandit_recording(Bernoulli(np.linspace(0.05, 0.95, 20)), [make("ucb"), make("thompson")], 1_000)
    recording["arms"]["names"][0] = "a name that is much longer than all others"
    shown(recording)
    page.locator(SLIDER).fill("1000")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    boxes = page.locator(".arms-box")
    assert boxes.evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth)")
    assert page.locator(".rule").first.locator("tbody tr").count() == 20
    assert page.locator(".plot-of-rule").first.locator("svg.plot .label").count() == 8  # the others stand in the table
    assert accessible(page) == []


@pytest.fixture(scope="module")
def searched():
    return search_recording(Board.from_moves("4453"), [make("ucb", c=1.0)], 600)


def places(page):
    return page.eval_on_selector_all("svg.tree .node", "all => all.map((one) => one.getAttribute('transform'))")


def test_the_tree_tells_the_visits_of_the_search_and_stands_still_while_they_grow(page, shown, searched):
    shown(searched)
    before = places(page)
    page.locator(SLIDER).fill("30")
    assert places(page) == before
    assert page.locator("svg.tree .node.unvisited").count() > 3
    page.locator(SLIDER).fill("600")
    assert places(page) == before
    found = search(Board.from_moves("4453"), make("ucb", c=1.0), 600)
    labels = page.eval_on_selector_all(
        "svg.tree .node[aria-level='2']", "all => all.map((one) => one.getAttribute('aria-label'))"
    )
    assert [int(re.search(r"After (\d+): ", one)[1]) - 1 for one in labels] == found.moves.tolist()
    assert [int(re.search(r": (\d+) visits", one)[1]) for one in labels] == found.visits.tolist()
    told = [float(re.search(r"mean ([\d.]+)\.", one)[1]) for one in labels]
    assert told == pytest.approx(found.values.tolist(), abs=6e-4)
    widths = page.eval_on_selector_all(
        "svg.tree .edge", "all => all.slice(0, 7).map((one) => parseFloat(one.style.strokeWidth))"
    )
    thick = found.visits > 60
    assert np.corrcoef(widths, found.visits)[0, 1] > 0.99
    assert np.ptp((np.array(widths) / found.visits)[thick]) < 1e-4


@pytest.mark.long
def test_what_a_cut_tree_lacks_is_not_called_unvisited(page, tmp_path):
    found = search(Board.from_moves("4453"), make("ucb", c=1.0), 3_000)
    recording = result_recording(found)
    tree = recording["searches"][0]["tree"]
    kept = []
    for node, parent in enumerate(tree["parent"]):  # without column 4 below the first moves
        if node == 0 or (parent in kept and not (parent > 0 and tree["move"][node] == 3)):
            kept.append(node)
    places = {node: place for place, node in enumerate(kept)}
    for key, values in tree.items():
        tree[key] = [places.get(values[node], -1) if key == "parent" else values[node] for node in kept]
    (tmp_path / "found.html").write_text(page_of(recording), encoding="utf-8")
    page.goto((tmp_path / "found.html").as_uri())
    shown = page.locator("svg.tree .node[aria-level='3']")
    assert shown.count() >= 6
    assert page.locator("svg.tree .node.unvisited").count() == 0
    assert "4" not in shown.locator("text").all_text_contents()


@pytest.mark.long
def test_a_plot_of_many_points_draws_no_more_than_its_pixels(page, shown, bandit):
    shown(bandit)
    drawn = page.evaluate(
        """() => import("lab/shared/plot").then(({ LinePlot }) => {
            const place = document.createElement("div");
            document.body.append(place);
            const values = Float64Array.from({ length: 50001 }, (_, i) => Math.sin(i / 40) + (i === 33333 ? 9 : 0));
            const series = [{ label: "a", values }, { label: "b", values: values.map((x) => -x) }];
            const plot = new LinePlot(place, { title: "Waves", xLabel: "steps", series });
            plot.update(33333);
            const [path, svg] = [place.querySelector("path"), place.querySelector("svg")];
            return [path.getAttribute("d"), svg.getAttribute("aria-label"), place.clientWidth];
        })"""
    )
    path, label, width = drawn
    assert len(re.findall("[MLV]", path)) < 9 * width  # half pixels, four points each
    heights = [float(one) for one in re.findall(r"V([\d.]+)", path)]
    assert min(heights) < 15  # the one point that stands out is not lost
    peak = float(np.sin(33333 / 40)) + 9
    assert label == f"Waves. At 33,333 steps: a: {peak:.4g}, b: −{peak:.4g}."


def test_labels_stand_beside_the_cursor_and_the_axis_holds_every_index_that_is_shown(page, shown, bandit):
    shown(bandit)
    ends = []
    for n in (12, 60, PULLS):
        page.locator(SLIDER).fill(str(n))
        for place, one in enumerate(bandit["plays"]):
            plot = page.locator(".plot-of-rule").nth(place)
            cursor = float(plot.locator(".cursor").get_attribute("x1"))
            for label in plot.locator(".names .label").all():
                assert cursor < float(label.get_attribute("x")) < cursor + 20
            arms = page.locator(".rule").nth(place)
            axis = [float(text) for text in arms.locator(".arm-axis text").all_text_contents()]
            room = float(arms.locator(".arm-axis").get_attribute("width"))
            for bar, text in zip(
                arms.locator(".interval").all(), arms.locator(".score").all_inner_texts(), strict=True
            ):
                if one["index"] == "bonus":
                    assert 7 <= float(bar.get_attribute("x2")) <= room - 7
                    assert float(text) <= axis[-1] + (axis[1] - axis[0])
            if one["index"] == "bonus":
                assert not [end for end in arms.locator(".end").all() if "l7 6" in end.get_attribute("d")]
        ends.append(axis[-1])
    assert ends[0] >= 2 * ends[-1] >= 2  # it narrows as the indices come down


@pytest.mark.long
def test_rules_without_index_and_rewards_below_zero_are_shown(page, shown):
    shown(bandit_recording(Gaussian([-1.0, 0.5]), [make("epsilon_greedy"), make("ucb")], 50))
    page.locator(SLIDER).fill("50")
    said = page.locator(".told-pull").first.inner_text()
    assert re.search(r"is pulled(: it has the highest mean|, though another arm has a higher mean)", said)
    assert page.locator(".rule").first.locator("thead th").all_inner_texts()[2:] == ["Mean", "Pulls", "Pays"]


@pytest.mark.long
def test_a_node_is_chosen_by_click_and_by_keys_and_its_board_is_shown(page, shown, searched):
    shown(searched)
    page.locator(SLIDER).fill("600")
    row = page.locator("svg.tree .node[aria-level='2']")
    row.nth(2).click()
    assert row.nth(2).get_attribute("aria-selected") == "true"
    assert "after 3: " in page.locator("figcaption").inner_text()
    small, large = page.locator(".tree-picture svg"), page.locator(".position svg.board")
    assert small.locator(".stone").count() == large.locator(".stone").count() == 5
    page.locator("svg.tree").focus()
    page.keyboard.press("ArrowRight")
    assert "after 4: " in page.locator("figcaption").inner_text()
    page.keyboard.press("ArrowUp")
    assert page.locator("svg.tree .node").first.get_attribute("aria-selected") == "true"
    assert page.locator(SLIDER).input_value() == "600"  # the same keys move the recording elsewhere
    assert accessible(page) == []
