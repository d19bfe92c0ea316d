"""`report.html`: a run or a sweep as one file to read, send and print, with tables, figures, settings and the command.

It needs nothing but itself: figures are inside, and no address is asked.
"""

from __future__ import annotations

import base64
import html
import math
import shlex
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.output import tables
from numerics.output.files import written_whole

if TYPE_CHECKING:
    import pandas as pd

NAME = "report.html"
MOST_ROWS = 300  # of a table; its file has all of them
_SHORT = 28  # letters of a cell that is not broken into lines
_KINDS = {".svg": "image/svg+xml", ".png": "image/png"}  # of figures, the better first
_TEMPLATE = string.Template((Path(__file__).with_suffix(".html")).read_text(encoding="utf-8"))


def write(
    folder: Path,
    *,
    title: str,
    subtitle: str,
    facts: Mapping[str, Any],
    settings: Mapping[str, Any],
    caveats: Sequence[str] = (),
    main: str | None = None,
) -> Path:
    """Write the report of a folder beside its tables.

    Parameters
    ----------
    folder : Path
        With tables and figures.
    title, subtitle : str
        What was run, in a few words and in a sentence.
    facts : mapping
        The manifest of the run, or of one run of a sweep: command, versions, commit, seed.
    settings : mapping
        Dotted keys of the configuration and their values.
    caveats : sequence of str
        What a reader must know before relying on the numbers.
    main : str, optional
        The name of the table that stands first.

    Returns
    -------
    Path
        The file.
    """
    parts = [
        *_care(caveats),
        *_tables(folder, main),
        *_figures(folder),
        "<h2>How to repeat it</h2>",
        f"<pre>{html.escape(shlex.join(facts.get('command', [])))}</pre>",
        *_provenance(facts),
        _settings(settings),
    ]
    page = _TEMPLATE.substitute(title=html.escape(title), subtitle=html.escape(subtitle), body="\n".join(parts))
    place = folder / NAME
    with written_whole(place) as beside:
        beside.write_text(page, encoding="utf-8")
    return place


def _care(caveats: Sequence[str]) -> Iterator[str]:
    if caveats:
        items = "".join(f"<li>{html.escape(one)}</li>" for one in caveats)
        yield f'<section class="care" aria-label="caveats"><strong>Read with care</strong><ul>{items}</ul></section>'


def _figures(folder: Path) -> Iterator[str]:
    """Yield the figures of a folder, each once, as an image that carries its data."""
    place = folder / "figures"
    names = sorted({path.stem for path in place.glob("*") if path.suffix in _KINDS})
    if names:
        yield "<h2>Figures</h2>"
    for name in names:
        path = next(file for ending in _KINDS if (file := place / f"{name}{ending}").is_file())
        data = base64.b64encode(path.read_bytes()).decode()
        said = html.escape(name.replace("_", " "))
        yield (
            f"<figure><figcaption>{said}</figcaption>"
            f'<img alt="figure: {said}" src="data:{_KINDS[path.suffix]};base64,{data}"></figure>'
        )


def _tables(folder: Path, main: str | None) -> Iterator[str]:
    """Yield the small tables of a folder, the main one first, and the names of the others."""
    small, others = (
        sorted(folder.glob("*.csv"), key=lambda path: (path.name != main, path.name)),
        sorted(folder.glob("*.parquet")),
    )
    if small:
        yield "<h2>Tables</h2>"
        yield '<p class="soft">A click on the head of a column sorts by it; a number’s digits are all in the file.</p>'
    for path in small:
        yield _table(path.name, tables.read(path))
    if others:
        names = ", ".join(f"<code>{html.escape(path.name)}</code>" for path in others)
        yield f'<p class="soft">Beside this file, in Parquet: {names}.</p>'


def _table(name: str, frame: pd.DataFrame) -> str:
    """Return a table as HTML; a cell of a number keeps the number to sort by."""
    numbers = [frame[column].dtype.kind in "iuf" for column in frame.columns]
    heads = "".join(
        f'<th scope="col"{" class=n" if number else ""}><button type="button">{html.escape(str(column))}</button></th>'
        for column, number in zip(frame.columns, numbers, strict=True)
    )
    rows = "".join(
        f"<tr>{''.join(_cell(value, number) for value, number in zip(row, numbers, strict=True))}</tr>"
        for row in frame.head(MOST_ROWS).itertuples(index=False)
    )
    more = f", the first {MOST_ROWS} of {len(frame):,} rows" if len(frame) > MOST_ROWS else ""
    caption = f"<caption><code>{html.escape(name)}</code>{more}</caption>"
    inner = f"{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>"
    return f'<div class="scroll" tabindex="0"><table>{inner}</table></div>'


def _cell(value: Any, number: bool) -> str:
    if not number:
        text = str(value)
        return f'<td class="{"t" if len(text) > _SHORT else "s"}">{html.escape(text)}</td>'
    if isinstance(value, float) and math.isnan(value):
        return '<td class="n" data-v="">–</td>'
    return f'<td class="n" data-v="{value!r}">{number_text(value)}</td>'


def number_text(value: float) -> str:
    """Write a number with five digits, or as many as its whole part has.

    Examples
    --------
    >>> number_text(8952.12345), number_text(10000), number_text(0.000123456)
    ('8,952.1', '10,000', '0.00012346')
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1e4 else f"{value:,.5g}"


def _provenance(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield when and with what the run was made."""
    versions = ", ".join(f"{name} {version}" for name, version in facts.get("versions", {}).items())
    told = {
        "finished": facts.get("finished"),
        "commit": facts.get("commit"),
        "Python": facts.get("python"),
        "machine": facts.get("platform"),
        "libraries": versions,
    }
    yield _pairs("Versions", {key: value for key, value in told.items() if value})


def _settings(settings: Mapping[str, Any]) -> str:
    return _pairs("Settings", settings)


def _pairs(caption: str, pairs: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{html.escape(str(key))}</th><td class="t">{html.escape(str(value))}</td></tr>'
        for key, value in pairs.items()
    )
    return f"<h2>{caption}</h2><div class=scroll tabindex=0><table><tbody>{rows}</tbody></table></div>"
