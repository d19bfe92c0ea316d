"""The lessons of the course as notebooks, made from their pages: `python docs/notebooks.py FOLDER` writes all of them.

Text becomes cells of Markdown and Python cells of code; a block that is a file of the reader's becomes a cell that
writes it. Pictures are left out: the cells draw them. So are links, but those to other lessons and to other sites.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

LESSONS = sorted((Path(__file__).resolve().parent / "course").glob("[0-9]_*.md"))
PYTHON = re.compile(r"^```python\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"^!\[.*\n\n?", flags=re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)\s]+)\)")
FILE = re.compile(r"# (\w+\.py)\n")


def write_notebooks(folder: Path) -> None:
    """Write all notebooks into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for lesson in LESSONS:
        text = json.dumps(notebook(lesson.read_text(encoding="utf-8")), indent=1, ensure_ascii=False)
        (folder / f"{lesson.stem}.ipynb").write_text(text + "\n", encoding="utf-8", newline="\n")


def notebook(page: str) -> dict:
    """Return a page as a notebook, in the format's version 4."""
    cells, written = [], set()
    for index, part in enumerate(PYTHON.split(page)):
        if index % 2 == 0:
            text = LINK.sub(_link, PICTURE.sub("", part)).strip()
            cells += [{"cell_type": "markdown", "metadata": {}, "source": text}] if text else []
            continue
        named = FILE.match(part)
        if named:
            part = f"%%writefile {'-a ' * (named[1] in written)}{named[1]}\n{part}"
            written.add(named[1])
        code = {"cell_type": "code", "metadata": {}, "source": part.strip(), "execution_count": None, "outputs": []}
        cells.append(code)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}


def _link(link: re.Match) -> str:
    """Return a link to a lesson as one to its notebook, and of any other the words."""
    lesson = re.fullmatch(r"(\d_\w+)\.md", link[2])
    return f"[{link[1]}]({lesson[1]}.ipynb)" if lesson else link[1]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python docs/notebooks.py FOLDER")
    write_notebooks(Path(sys.argv[1]))
    print(f"{len(LESSONS)} notebooks: {sys.argv[1]}")
