"""`report.html`: a run or a sweep as one file to read, send and print, with tables, figures, settings and the command.

It needs nothing but itself: figures and recordings are inside, and no address is asked.
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

from experiments.engine.experiment import Experiment, Job, experiments
from experiments.engine.store import NOT_SETTINGS, flat, read_config, read_manifest
from numerics.output import tables
from numerics.output.files import atomic_write

if TYPE_CHECKING:
    import pandas as pd

NAME = "report.html"
MOST_ROWS = 300  # of a table; its file has all of them
_SHORT = 28  # letters of a cell that is not broken into lines
_SORTED = '<p class="soft">A click on the head of a column sorts by it; a number’s digits are all in the file.</p>'
_KINDS = {".svg": "image/svg+xml", ".png": "image/png"}  # of figures, the better first
_TEMPLATE = string.Template((Path(__file__).with_suffix(".html")).read_text(encoding="utf-8"))


def of_run(folder: Path) -> Path:
    """Write the report of a finished run beside its tables.

    Raises
    ------
    ValueError
        No finished run.
    """
    facts = read_manifest(folder)
    if facts is None:
        raise ValueError(f"folder {str(folder)!r}: no manifest.json of a finished run in it, nor sweep.json of a sweep")
    settings = read_config(folder / "config.yaml")
    cls = experiments()[settings["kind"]]
    return _write(folder, cls, settings, facts, cls.caveats(folder, facts), list(_embedded(cls, folder, facts)))


def of_sweep(folder: Path, kind: str, jobs: Sequence[Job], varied: Sequence[str]) -> Path:
    """Write the report of a finished sweep beside its tables."""
    first = jobs[0].folder
    settings = flat(read_config(first / "config.yaml"))
    for key in varied:
        values = ", ".join(dict.fromkeys(job.overrides[key] for job in jobs))
        settings = {name: one for name, one in settings.items() if not name.startswith(f"{key}.")} | {key: values}
    said = f"{len(jobs)} runs, one for each choice of {', '.join(varied)}" if varied else "one run"
    chosen = (
        f"The best of {len(jobs)} choices is named by the results that score it, so its own result is likely to be too "
        "good. Run it again with another seed before you quote it."
    )
    care = [chosen] if len(jobs) > 2 else []
    title = f"Sweep of {kind.replace('_', ' ')}: {', '.join(varied)}"
    return _write(folder, experiments()[kind], settings, read_manifest(first) or {}, care, title=title, subtitle=said)


def _write(
    folder: Path,
    cls: type[Experiment],
    settings: Mapping[str, Any],
    facts: Mapping[str, Any],
    caveats: Sequence[str],
    played: Sequence[str] = (),
    title: str = "",
    subtitle: str = "",
) -> Path:
    words = [shlex.quote(word) for word in facts.get("command", [])]
    body = "\n".join(
        [
            *_care(caveats),
            *played,
            *_result(folder, cls.summary),
            *_figures(folder),
            *_other_tables(folder, cls.summary),
            f"<h2>How to repeat it</h2><pre>{html.escape(' '.join(words))}</pre>",
            *_provenance(facts),
            _pairs("Settings", flat(settings)),
        ]
    )
    texts = {
        "title": title or _title(settings),
        "subtitle": subtitle or str(cls.__doc__).partition("\n")[0].replace("`", ""),
    }
    page = _TEMPLATE.substitute({key: html.escape(text) for key, text in texts.items()}, body=body)
    place = folder / NAME
    with atomic_write(place) as beside:
        beside.write_text(page, encoding="utf-8")
    return place


def _title(settings: Mapping[str, Any]) -> str:
    """Say what was run: the experiment and the names of who took part."""
    nodes = [
        one
        for key, value in settings.items()
        if key not in (*NOT_SETTINGS, "arms")
        for one in (value if isinstance(value, list) else [value])
        if isinstance(one, Mapping) or (isinstance(value, list) and key in ("players", "bandits", "policies"))
    ]
    names = [str(one.get("label") or one.get("name")) if isinstance(one, Mapping) else str(one) for one in nodes]
    kind = str(settings["kind"]).replace("_", " ").capitalize()
    return f"{kind}: {', '.join(dict.fromkeys(names))}" if names else kind


def _care(caveats: Sequence[str]) -> Iterator[str]:
    if caveats:
        items = "".join(f"<li>{html.escape(one)}</li>" for one in caveats)
        yield f'<section class="care" aria-label="caveats"><strong>Read with care</strong><ul>{items}</ul></section>'


def _embedded(cls: type[Experiment], folder: Path, facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield a recording that can be played, or why there is none, of an experiment that has recordings."""
    if cls.embedded is None:
        return
    yield "<h2>Step by step</h2>"
    try:
        yield cls.embedded(folder, facts)
    except ValueError as reason:
        yield f'<p class="soft">Not played here: {html.escape(str(reason))}.</p>'


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


def _result(folder: Path, main: str | None) -> Iterator[str]:
    """Yield the main table of a folder, where it has one."""
    if main is not None and (folder / main).is_file():
        yield f"<h2>Result</h2>{_SORTED}"
        yield _table(main, tables.read(folder / main))


def _other_tables(folder: Path, main: str | None) -> Iterator[str]:
    """Yield the other small tables of a folder, and the names of the large ones."""
    small = [path for path in sorted(folder.glob("*.csv")) if path.name != main]
    large = sorted(folder.glob("*.parquet"))
    if small:
        yield f"<h2>Tables</h2>{_SORTED}"
    for path in small:
        yield _table(path.name, tables.read(path))
    if large:
        names = ", ".join(f"<code>{html.escape(path.name)}</code>" for path in large)
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


def _pairs(caption: str, pairs: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{html.escape(str(key))}</th><td class="t">{html.escape(str(value))}</td></tr>'
        for key, value in pairs.items()
    )
    return f"<h2>{caption}</h2><div class=scroll tabindex=0><table><tbody>{rows}</tbody></table></div>"
