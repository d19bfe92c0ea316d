"""`report.html`: what it says; and in a real browser, whole, quiet, asking nobody, on a phone and in the dark."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from experiments.report import sheets
from tests.browser import accessible, quiet

pytestmark = pytest.mark.reported
COMPARISON = (
    "experiment=comparison",
    'bandits=[ucb,thompson,{name: ucb, c: 0.5, label: "<b>half & half</b>"}]',
    "horizon=60",
    "runs=7",
    "hydra.run.dir=run",
)
SWEEP = ("-m", "bandit.c=0.5,1,2", "horizon=50", "runs=4", "hydra.sweep.dir=sweep")


def test_a_report_says_what_was_run_with_which_command_and_what_to_beware_of(finished, tmp_path):
    finished(*COMPARISON)
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "<h1>Comparison: ucb, thompson, &lt;b&gt;half &amp; half&lt;/b&gt;</h1>" in page
    assert "7 replications" in page
    assert "python -m experiments.run experiment=comparison" in page
    assert "<b>half" not in page
    for name, version in json.loads((tmp_path / "run" / "manifest.json").read_text())["versions"].items():
        assert f"{name} {version}" in page
    assert not re.search(r"https?://", page)


@pytest.mark.parametrize(("words", "folder", "part"), [(COMPARISON, "run", "half"), (SWEEP, "sweep", "best of 3")])
def test_the_command_writes_the_same_report_again(finished, command, tmp_path, words, folder, part):
    finished(*words)
    place = tmp_path / folder / "report.html"
    before = place.read_text(encoding="utf-8")
    assert part in before
    place.unlink()
    said = command(folder, module="report")
    assert said.out.strip().endswith(f"{folder}/report.html")
    assert place.read_text(encoding="utf-8") == before


def test_the_tables_are_printed_as_markdown_and_latex(finished, command):
    finished(*COMPARISON)
    first, *_ = sheets("run")
    markdown = command("run", "format=markdown", module="report").out
    assert [line.count(" | ") for line in markdown.splitlines()[2:5]] == [len(first.heads) - 1] * 3
    latex = command("run", "format=latex", module="report").out
    assert latex.count(r" \\") >= len(first.cells) + 1
    assert "±" not in latex
    assert r"\%" in latex


@pytest.mark.jit
@pytest.mark.figures
def test_in_a_browser_it_is_whole_quiet_and_sorted_by_a_click(command, page, tmp_path):
    command(*COMPARISON)
    faults = quiet(page)
    page.goto((tmp_path / "run" / "report.html").as_uri())
    assert page.title() == "Comparison: ucb, thompson, <b>half & half</b>"
    drawn = page.eval_on_selector_all(
        "figure img", "images => images.map(one => one.complete && one.naturalWidth > 300)"
    )
    assert len(drawn) == len(list((tmp_path / "run" / "figures").glob("*.png")))
    assert all(drawn)
    summary = pd.read_csv(tmp_path / "run" / "summary.csv").sort_values("pseudo_regret_mean")
    table = page.locator("table").first
    head = table.get_by_role("button", name="pseudo-regret")
    head.focus()
    page.keyboard.press("Enter")  # a keyboard sorts as well as a mouse
    assert table.locator("tbody tr td:first-child").all_text_contents() == summary["policy"].to_list()
    head.click()
    assert table.locator("tbody tr td:first-child").all_text_contents() == summary["policy"].to_list()[::-1]
    assert table.locator("th[aria-sort=descending]").count() == 1
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert accessible(page) == []
    assert faults == []


@pytest.mark.jit
def test_on_paper_no_column_is_cut_and_the_interval_stands_beside_the_mean(command, page, tmp_path):
    command(*COMPARISON, "figures=false")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 695, "height": 1031})  # an A4 sheet within its margins, 184 mm x 273 mm
    page.goto((tmp_path / "run" / "report.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 695
    frames = page.eval_on_selector_all(
        ".scroll", "all => all.filter(one => one.checkVisibility()).map(one => [one.scrollWidth, one.clientWidth])"
    )
    assert len(frames) == 4  # two sheets, versions and settings; the stored tables stay on the screen
    assert all(inside <= outside for inside, outside in frames)
    first = page.locator("tbody tr").first.locator("td").nth(2).text_content()
    assert re.fullmatch(r"[\d.]+ ± [\d.]+|[\d.]+ \+[\d.]+ −[\d.]+", first)
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    assert page.locator("h2").first.evaluate("head => getComputedStyle(head).breakAfter") == "avoid"


@pytest.mark.jit
def test_the_report_of_a_trace_plays_it_step_by_step(command, page, tmp_path):
    words = "experiment=trace bandit=thompson arms.means=[0.3,0.5,0.7] horizon=50 run=2 figures=false hydra.run.dir=run"
    command(*words.split())
    place = tmp_path / "run" / "report.html"
    assert place.stat().st_size < 1_000_000
    steps = pd.read_parquet(tmp_path / "run" / "steps.parquet")
    faults = quiet(page)
    page.goto(place.as_uri())
    frame = page.frame_locator("iframe")
    frame.get_by_role("slider").focus()
    page.keyboard.press("End")
    pulls = steps["arm"].value_counts()
    frame.get_by_text(f"regret {steps['pseudo_regret'].iloc[-1]:.1f}").wait_for()
    told = frame.locator("body").inner_text()
    assert all(re.search(rf"\b{pulls[arm]}\b", told) for arm in range(3))
    assert faults == []


@pytest.mark.long
def test_a_trace_that_is_too_long_to_be_played_says_so(command, tmp_path):
    words = "experiment=trace bandit=ucb arms=two_close horizon=20000 figures=false rows=3 hydra.run.dir=run"
    command(*words.split())
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "No recording: horizon" in page
    assert "<iframe" not in page
