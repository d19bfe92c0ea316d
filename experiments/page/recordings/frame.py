"""A recording inside a report or a notebook: its page in a frame, which may run scripts and nothing more."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from experiments.page.recordings.html import page_of

_HEIGHTS = {"search": 1_100, "bandit": 940}  # pixels; a frame scrolls, and can be pulled longer


def frame_of(recording: Mapping[str, Any]) -> str:
    """Return HTML that shows a recording and needs nothing else.

    Examples
    --------
    >>> frame_of({"kind": "bandit", "title": "a < b", "command": ""}).startswith('<iframe title="a &lt; b" sandbox')
    True
    """
    inner = page_of(recording).replace("&", "&amp;").replace('"', "&quot;")
    height = _HEIGHTS[recording["kind"]]
    style = f"display: block; width: 100%; height: {height}px; border: 1px solid #8888; resize: vertical"
    title = html.escape(recording["title"])
    return f'<iframe title="{title}" sandbox="allow-scripts" style="{style}" srcdoc="{inner}"></iframe>'
