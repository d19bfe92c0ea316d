"""Pages in a real browser: Debian's Chromium, without a window; what they say in the console, ask for, and get wrong.

`tests/experiments/conftest.py` makes the fixtures known. Tests with a browser are marked `jit`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

OWN = ("file:", "data:", "blob:", "about:", "http://127.0.0.1:")  # addresses that do not leave the machine


@pytest.fixture(scope="module")
def browser(program: Callable[[str], str]) -> Iterator[Any]:
    """One browser for a module: starting one takes half a second, and its event loop must not outlive the module."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra dev)")
    chromium = program("chromium")
    with playwright.sync_playwright() as play:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = play.chromium.launch(executable_path=chromium, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """An empty page of a browser that remembers nothing."""
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    context.set_default_timeout(60_000.0)
    yield context.new_page()
    context.close()


def quiet(page: Any) -> list[str]:
    """Return a list that grows by what a good page does not do: messages, errors, requests that leave the machine."""
    faults: list[str] = []
    page.on("console", lambda message: faults.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: faults.append(f"error: {error}"))
    page.on("request", lambda request: request.url.startswith(OWN) or faults.append(f"request: {request.url}"))
    return faults


def accessible(page: Any) -> list[str]:
    """Return the serious and critical faults that axe-core finds in what a page shows, one sentence each."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed (extra dev)")
    return [
        f"{one['id']}: {one['help']}: " + "; ".join(node["html"] for node in one["nodes"])
        for one in axe.Axe().run(page).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
