"""What a browser shows: templates, style sheets, and ES modules in a folder for each view.

Modules import each other by bare names, as "lab/shared/board", which an import map translates: the server gives every
module its address, and `experiments.page.recordings.html` puts those that a recording needs into one file.
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
