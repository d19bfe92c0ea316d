"""`report.html`: a run or a sweep as one file to read, send and print, with tables, figures, settings and the command.

The file is complete: it holds figures and recordings, and loads nothing from the network.
"""

from __future__ import annotations

import base64
import dataclasses
import html
import math
import shlex
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.engine import results
from experiments.engine.experiment import Choice, Experiment, families
from experiments.engine.manifest import read_manifest
from experiments.engine.store import NOT_SETTINGS, flat, read_config
from experiments.engine.sweep.table import Job
from numerics.families import default_of
from numerics.output import tables
from numerics.output.files import atomic_write
from numerics.output.sheets import Sheet, number, word
from numerics.texts import written

NAME = results.REPORT
MOST_ROWS = 300  # of a table; its file has all of them
_SORTED = '<p class="soft screen">A click on the head of a column sorts by it.</p>'
_PAGE = 7.6 * 150.0  # pixels of a PNG file as wide as a page; letters of narrower ones are no larger
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
    cls = Experiment.members[settings["kind"]]
    played = list(_embedded(cls, folder, facts))
    return _write(folder, cls, settings, facts, results.of_run(cls, folder, facts), played)


def of_sweep(
    folder: Path, kind: str, jobs: Sequence[Job], varied: Sequence[str], failed: Mapping[str, str] | None = None
) -> Path:
    """Write the report of a finished sweep beside its tables; it names the combinations that failed."""
    first = jobs[0].folder
    settings = flat(read_config(first / "config.yaml"))
    for key in varied:
        values = ", ".join(dict.fromkeys(job.overrides[key] for job in jobs))
        settings = {name: setting for name, setting in settings.items() if not name.startswith(f"{key}.")} | {
            key: values
        }
    cls = Experiment.members[kind]
    shown = results.of_sweep(cls, folder, {"jobs": jobs, "varied": varied, "failed": failed or {}})
    subtitle = f"{len(jobs)} runs, one for each choice of {', '.join(varied)}" if varied else "one run"
    title = f"Sweep of {kind.replace('_', ' ')}: {', '.join(varied)}"
    return _write(folder, cls, settings, read_manifest(first) or {}, shown, title=title, subtitle=subtitle)


def _write(
    folder: Path,
    cls: type[Experiment],
    settings: Mapping[str, Any],
    facts: Mapping[str, Any],
    shown: results.Shown,
    played: Sequence[str] = (),
    title: str = "",
    subtitle: str = "",
) -> Path:
    words = [shlex.quote(word) for word in facts.get("command", [])]
    body = "\n".join(
        [
            *_care(shown.caveats),
            *played,
            *_result(folder, shown),
            *_figures(folder, [figure.name for figure in cls.figures]),
            *_tables(folder, {sheet.table for sheet in shown.sheets}),
            f"<h2>How to repeat it</h2><pre>{html.escape(' '.join(words))}</pre>",
            *_provenance(facts),
            _pairs("Settings", flat(settings)),
        ]
    )
    texts = {
        "title": title or _title(cls, settings),
        "subtitle": subtitle or str(cls.__doc__).partition("\n")[0].replace("`", ""),
    }
    page = _TEMPLATE.substitute({key: html.escape(text) for key, text in texts.items()}, body=body)
    path = folder / NAME
    with atomic_write(path) as beside:
        beside.write_text(page, encoding="utf-8", newline="\n")
    return path


def _title(cls: type[Experiment], settings: Mapping[str, Any]) -> str:
    """Return the experiment's headline, or what was run: the experiment, and its members as tables call them."""
    if headline := cls.headline(settings):
        return headline
    names = [
        _label(choice, node)
        for field in dataclasses.fields(cls)
        if field.name in settings and field.name not in (*NOT_SETTINGS, "arms", "delivery")
        for choice, several in families(field)
        for node in (settings[field.name] if several else [settings[field.name]])
    ]
    return f"{cls.name.replace('_', ' ').capitalize()}{': ' * bool(names)}{', '.join(names)}"


def _label(choice: Choice, node: Any) -> str:
    """Return the label of a stored node, or its text; a user's rule in it may be gone, so that it is not made."""
    if isinstance(node, str) or node.get("label"):
        return str(node if isinstance(node, str) else node["label"])
    usual = {field.name: default_of(field) for field in choice.parameters(node["name"])}
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in usual.items()}
    unusual = {key: value for key, value in node.items() if value != plain.get(key, value)}
    return " ".join([node["name"], *(f"{key}={written(value)}" for key, value in unusual.items())])


def _care(caveats: Sequence[str]) -> Iterator[str]:
    if caveats:
        items = "".join(f"<li>{html.escape(caveat)}</li>" for caveat in caveats)
        yield f'<section class="care" aria-label="caveats"><strong>Read with care</strong><ul>{items}</ul></section>'


def _embedded(cls: type[Experiment], folder: Path, facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield a recording that can be played, or the reason why there is none, if the experiment has recordings."""
    if cls.embedded is None:
        return
    try:
        played = cls.embedded(folder, facts)
    except ValueError as reason:
        played = f'<p class="soft">Not played here: {html.escape(str(reason))}.</p>'
    yield f'<section class="screen"><h2>Step by step</h2>{played}</section>'


def _figures(folder: Path, first: Sequence[str]) -> Iterator[str]:
    """Yield the figures of a folder, each once, as an image that carries its data; `first` are in the order given."""
    figures = folder / "figures"
    names = sorted({path.stem for path in figures.glob("*") if path.suffix in _KINDS})
    names.sort(key=lambda name: first.index(name) if name in first else len(first))
    if names:
        yield "<h2>Figures</h2>"
    for name in names:
        path = next(file for ending in _KINDS if (file := figures / f"{name}{ending}").is_file())
        data = base64.b64encode(path.read_bytes()).decode()
        wide = min(1.0, _pixels(figures / f"{name}.png") / _PAGE)
        title = html.escape(name.replace("_", " "))
        yield (
            f"<figure><figcaption>{title}</figcaption>"
            f'<div class="scroll" tabindex="0"><img alt="figure: {title}" style="--wide: {wide:.3f}" '
            f'src="data:{_KINDS[path.suffix]};base64,{data}"></div></figure>'
        )


def _pixels(path: Path) -> float:
    """Return the width of a PNG file, which its header says; infinity where there is none."""
    if not path.is_file():
        return math.inf
    with path.open("rb") as file:
        return float(int.from_bytes(file.read(20)[16:], "big"))


def _result(folder: Path, shown: results.Shown) -> Iterator[str]:
    """Yield the sheets, each with the stored table behind the last one made of it, and the notes."""
    if shown.sheets or shown.notes:
        yield f"<h2>Result</h2>{_SORTED if shown.sheets else ''}"
    for index, sheet in enumerate(shown.sheets):
        yield _scrolling(sheet.html(most=MOST_ROWS, sortable=True))
        if all(later.table != sheet.table for later in shown.sheets[index + 1 :]):
            yield _stored(folder / sheet.table)
    if shown.notes:
        yield f"<ul>{''.join(f'<li>{html.escape(sentence)}</li>' for sentence in shown.notes)}</ul>"


def _tables(folder: Path, shown: Collection[str]) -> Iterator[str]:
    """Yield the small tables that no sheet shows, and the names of the large ones."""
    small = [path for path in sorted(folder.glob("*.csv")) if path.name not in shown]
    large = sorted(folder.glob("*.parquet"))
    if small or large:
        yield f"<h2{'' if large else ' class=screen'}>Tables</h2>"  # on paper there are no stored tables
    yield from map(_stored, small)
    if large:
        names = ", ".join(f"<code>{html.escape(path.name)}</code>" for path in large)
        yield f'<p class="soft">Beside this file, in Parquet: {names}.</p>'


def _stored(path: Path) -> str:
    """Return a stored table with every column, behind its name; of one in Parquet, nothing, for it may be large."""
    if path.suffix != ".csv":
        return ""
    frame = tables.read(path)
    columns = [
        number(name, form="") if frame[name].dtype.kind in "iuf" else word(name) for name in map(str, frame.columns)
    ]
    raw = "".join(table.html(most=MOST_ROWS, sortable=True) for table in Sheet(path.name, "", columns).of(frame))
    more = f", the first {MOST_ROWS} of {len(frame):,} rows" if len(frame) > MOST_ROWS else ""
    name = f"<summary><code>{html.escape(path.name)}</code>: every column and digit{more}</summary>"
    return f"<details>{name}{_scrolling(raw)}</details>"


def _scrolling(table: str) -> str:
    return f'<div class="scroll" tabindex="0">{table}</div>'


def _provenance(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the date, the versions and the machine of the run."""
    versions = ", ".join(f"{name} {version}" for name, version in facts.get("versions", {}).items())
    environment = {
        "finished": facts.get("finished"),
        "commit": facts.get("commit"),
        "Python": facts.get("python"),
        "machine": facts.get("platform"),
        "libraries": versions,
    }
    yield _pairs("Versions", {key: value for key, value in environment.items() if value})


def _pairs(caption: str, pairs: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{html.escape(str(key))}</th><td class="t">{html.escape(str(value))}</td></tr>'
        for key, value in pairs.items()
    )
    return f"<h2>{caption}</h2><div class=scroll tabindex=0><table><tbody>{rows}</tbody></table></div>"
