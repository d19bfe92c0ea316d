"""A recording as HTML that loads nothing from the network: one file with style, modules and data, or a frame of it.

The frame stands in a report or a notebook, and may run scripts and nothing more.
"""

from __future__ import annotations

import base64
import html
import json
import string
from collections.abc import Mapping
from typing import Any

from experiments.recordings import scripts

_HEIGHTS = {"search": 1_100, "bandit": 940}  # pixels; a frame scrolls, and can be pulled longer


def page_of(recording: Mapping[str, Any]) -> str:
    """Return the file's text.

    The template has ``$title``, ``$style``, ``$imports`` (an import map of ``data:`` addresses) and ``$recording``.

    Parameters
    ----------
    recording : mapping
        What `experiments.recordings.search`, `experiments.recordings.bandit` or
        `experiments.recordings.game` returns.

    Examples
    --------
    >>> "<title>a &lt; b · c</title>" in page_of({"kind": "bandit", "title": "a < b", "command": "c"})
    True
    """
    addresses = {}
    for name in scripts.modules_for("recording/record"):
        data = base64.b64encode(scripts.text_of(f"{name}.js").encode()).decode()
        addresses[f"{scripts.PREFIX}{name}"] = f"data:text/javascript;base64,{data}"
    return string.Template(scripts.text_of("recording.html")).substitute(
        title=html.escape(" · ".join(filter(None, [recording["title"], recording["command"]]))),
        style=scripts.text_of("style.css"),
        imports=in_script({"imports": addresses}),
        recording=in_script(recording),
    )


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


def in_script(value: Any) -> str:
    r"""Return JSON that may stand in a script element: ASCII, and no sign in it opens or ends an element or a comment.

    Examples
    --------
    >>> in_script("</script>")
    '"\\u003c/script>"'
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
