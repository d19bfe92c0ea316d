"""The site of docs/: built without a warning; in a real browser it asks nobody, and nothing of it is cut off."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.browser import quiet
from tests.pages import ROOT

pytestmark = [
    pytest.mark.jit,
    pytest.mark.long,
    pytest.mark.skipif(find_spec("sphinx") is None, reason="needs the extra [docs]"),
]
SCREENS = [(1366, 768), (1280, 720), (1024, 768), (390, 844)]
TOO_WIDE = """() => {
  const column = document.querySelector(".content");  // on a phone, the page scrolls in it
  const most = Math.max(document.documentElement.scrollWidth, innerWidth + column.scrollWidth - column.clientWidth);
  return most - innerWidth;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site."""
    folder = tmp_path_factory.mktemp("site")
    words = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(folder / "doctrees"), "docs", str(folder / "html")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words], cwd=ROOT, capture_output=True, text=True, timeout=1_200
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_the_pages_of_policies_are_made_from_their_classes(site):
    assert "ln t / n" in (site / "generated" / "policies" / "ucb.html").read_text(encoding="utf-8")


def test_no_page_is_wider_than_its_screen_or_asks_another_machine(site, page):
    faults = quiet(page)
    places = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    assert len(places) > 150
    for place in places:
        page.goto(place.as_uri())
        for width, height in SCREENS:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate(TOO_WIDE) <= 0, f"{place.name} at {width}"
    assert faults == []


@pytest.mark.parametrize(("name", "least"), [("course/3_ucb", 30), ("generated/policies/ucb", 1)])
def test_formulas_are_typeset(site, page, name, least):
    page.goto((site / f"{name}.html").as_uri())
    page.locator("mjx-container svg").first.wait_for()
    assert page.locator(".math").count() == page.locator(".math mjx-container").count() >= least
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0


def test_a_button_copies_commands_which_are_wrapped(site, page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((site / "guides" / "tuning.html").as_uri())
    block = page.locator("div.highlight").first
    assert block.locator("pre").evaluate("code => code.scrollWidth <= code.clientWidth")
    block.hover()
    block.get_by_role("button", name="Copy").click()
    block.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert len(copied) == 3
    assert all(line.startswith("python -m experiments.run ") for line in copied)


def test_a_lesson_offers_its_notebook(site, page):
    lesson = site / "course" / "2_regret.html"
    page.goto(lesson.as_uri())
    link = page.get_by_role("link", name="This lesson as a notebook").get_attribute("href")
    notebook = json.loads((lesson.parent / link).read_text(encoding="utf-8"))
    assert (Path(link).name, notebook["nbformat"]) == ("2_regret.ipynb", 4)
