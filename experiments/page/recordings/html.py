"""One self-contained HTML file of a recording: style, modules and data are inside, and no address is asked."""

from __future__ import annotations

import base64
import html
import json
import string
from collections.abc import Mapping
from typing import Any

from experiments.page import scripts


def page_of(recording: Mapping[str, Any]) -> str:
    """Return the file's text.

    The template has ``$title``, ``$style``, ``$imports`` (an import map of ``data:`` addresses) and ``$recording``.

    Parameters
    ----------
    recording : mapping
        What `experiments.page.recordings.search` or `experiments.page.recordings.bandit` returns, or a game as
        `experiments.page.server.runs` tells it.

    Examples
    --------
    >>> "<title>a &lt; b · c</title>" in page_of({"kind": "bandit", "title": "a < b", "command": "c"})
    True
    """
    modules = scripts.modules_for("recording/record")
    return string.Template(scripts.text_of("recording.html")).substitute(
        title=html.escape(" · ".join(filter(None, [recording["title"], recording["command"]]))),
        style=scripts.text_of("style.css"),
        imports=in_script({"imports": {f"{scripts.PREFIX}{name}": _address(name) for name in modules}}),
        recording=in_script(recording),
    )


def in_script(value: Any) -> str:
    r"""Return JSON that may stand in a script element: ASCII, and no sign in it opens or ends an element or a comment.

    Examples
    --------
    >>> in_script("</script>")
    '"\\u003c/script>"'
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _address(name: str) -> str:
    data = base64.b64encode(scripts.text_of(f"{name}.js").encode()).decode()
    return f"data:text/javascript;base64,{data}"
