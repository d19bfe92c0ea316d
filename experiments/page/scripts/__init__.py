"""What a browser shows: style sheets, templates and ES modules, which import each other by bare names, as "lab/board".

`experiments.page.recordings.html` puts those of `RECORDING` into one file; the server gives every module its address.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
PREFIX = "lab/"  # of a module's bare name
RECORDING = (
    "record",
    "search_view",
    "bandit_view",
    "replay",
    "board",
    "columns",
    "controls",
    "tree",
    "plot",
    "words",
    "svg",
    "story",
    "arms",
    "head",
    "game_view",
    "game",
    "elements",
    "sentences",
)


def text_of(name: str) -> str:
    """Return a file of this folder.

    Examples
    --------
    >>> text_of("recording.html").startswith("<!doctype html>")
    True
    """
    return (FOLDER / name).read_text(encoding="utf-8")
