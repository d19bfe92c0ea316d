"""What a recording shows in a browser: a template, a style sheet, and ES modules in a folder for each view.

Modules import each other by bare names, as "lab/shared/board". `experiments.recordings.html` puts them into one file,
with an import map. The page `treebandit.page` uses them too, beside its own.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

FOLDER = Path(__file__).parent
PREFIX = "lab/"  # of a module's bare name
_IMPORTED = re.compile(rf'from "{PREFIX}([^"]+)"')


def text_of(name: str) -> str:
    """Return a file of this folder.

    Examples
    --------
    >>> text_of("recording.html").startswith("<!doctype html>")
    True
    """
    return (FOLDER / name).read_text(encoding="utf-8")


@functools.cache
def modules_for(name: str) -> tuple[str, ...]:
    """Return a module and all that it imports, in turn.

    Examples
    --------
    >>> modules_for("shared/board")
    ('shared/board', 'shared/svg')
    """
    names = [name]
    for module in names:  # which grows meanwhile
        names += [other for other in dict.fromkeys(_IMPORTED.findall(text_of(f"{module}.js"))) if other not in names]
    return tuple(names)
