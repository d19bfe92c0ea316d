"""`report.html`: a run or a sweep as one file to read, send and print, with tables, figures, settings and the command.

The file is complete: it holds figures and recordings, and loads nothing from the network.
"""

from __future__ import annotations

import base64
import dataclasses
import html
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.engine import results
from experiments.engine.experiment import Choice, Experiment, Facts
from experiments.engine.manifest import read_manifest
from experiments.engine.store import NOT_SETTINGS, flat, read_config, write_text
from numerics.families import default_of
from numerics.output import tables
from numerics.output.sheets import Filled, Sheet, number, word
from numerics.texts import write_value

NAME = results.REPORT
MOST_ROWS = 300  # of a table; its file has all of them
_PAGE = 7.6 * 150.0  # pixels of a PNG file as wide as a page; letters of narrower ones are no larger
_KINDS = {".svg": "image/svg+xml", ".png": "image/png"}  # of figures, the better first


def of_run(folder: Path, facts: Facts) -> Path:
    """Write the report of a finished run beside its tables; `facts` are its manifest."""
    settings = read_config(folder / "config.yaml")
    cls = Experiment.members[settings["kind"]]
    shown = results.of_run(cls, folder, facts)
    try:
        recording = "" if cls.embedded is None else cls.embedded(folder, facts)
    except ValueError as reason:
        recording = f'<p class="soft">No recording: {html.escape(str(reason))}.</p>'
    return _write(folder, cls, settings, facts, shown, recording=recording)


def of_sweep(folder: Path, cls: type[Experiment], facts: Facts) -> Path:
    """Write the report of a finished sweep beside its tables; it names the combinations that failed."""
    jobs, varied, kind = facts["jobs"], facts["varied"], cls.name
    first = jobs[0].folder
    settings = flat(read_config(first / "config.yaml"))
    for key in varied:
        values = ", ".join(dict.fromkeys(job.overrides[key] for job in jobs))
        settings = {name: setting for name, setting in settings.items() if not name.startswith(f"{key}.")} | {
            key: values
        }
    shown = results.of_sweep(cls, folder, facts)
    subtitle = f"{len(jobs)} runs, one for each combination of {', '.join(varied)}" if varied else "one run"
    title = f"Sweep of {kind.replace('_', ' ')}: {', '.join(varied)}"
    return _write(folder, cls, settings, read_manifest(first) or {}, shown, title=title, subtitle=subtitle)


def _write(
    folder: Path,
    cls: type[Experiment],
    settings: Mapping[str, Any],
    facts: Mapping[str, Any],
    shown: results.Shown,
    *,
    recording: str = "",
    title: str = "",
    subtitle: str = "",
) -> Path:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    stored = [sheet for path in sorted(folder.glob("*.csv")) for sheet in _whole(path)]
    libraries = ", ".join(f"{name} {version}" for name, version in facts.get("versions", {}).items())
    versions = {
        "finished": facts.get("finished"),
        "commit": facts.get("commit"),
        "Python": facts.get("python"),
        "machine": facts.get("platform"),
        "libraries": libraries,
    }
    pages = Environment(
        loader=PackageLoader("experiments.engine", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    page = pages.get_template(NAME).render(
        title=title or _title(cls, settings),
        subtitle=subtitle or str(cls.__doc__).partition("\n")[0].replace("`", ""),
        caveats=shown.caveats,
        recording=recording,
        sheets=shown.sheets,
        notes=shown.notes,
        figures=_figures(folder / "figures", [figure.name for figure in cls.figures]),
        stored=stored,
        large=[path.name for path in sorted(folder.glob("*.parquet"))],
        most=MOST_ROWS,
        command=shlex.join(facts.get("command", [])),
        lists={"Versions": {key: value for key, value in versions.items() if value}, "Settings": flat(settings)},
    )
    write_text(folder / NAME, page)
    return folder / NAME


def _whole(path: Path) -> list[Filled]:
    """Return a stored table with every column and digit; nothing of an empty one."""
    frame = tables.read(path)
    columns = [
        number(name, form="") if frame[name].dtype.kind in "iuf" else word(name) for name in map(str, frame.columns)
    ]
    return Sheet(path.name, "", columns).of(frame)


def _figures(folder: Path, first: Sequence[str]) -> list[dict[str, Any]]:
    """Return the figures of a folder, each once, with its data and width; `first` are in the order given."""
    names = sorted({path.stem for path in folder.glob("*") if path.suffix in _KINDS})
    names.sort(key=lambda name: first.index(name) if name in first else len(first))
    figures = []
    for name in names:
        path = next(file for ending in _KINDS if (file := folder / f"{name}{ending}").is_file())
        data = base64.b64encode(path.read_bytes()).decode()
        pixels = folder / f"{name}.png"  # whose header says how wide they are
        wide = int.from_bytes(pixels.read_bytes()[16:20], "big") / _PAGE if pixels.is_file() else 1.0
        source = f"data:{_KINDS[path.suffix]};base64,{data}"
        figures.append({"title": name.replace("_", " "), "source": source, "wide": min(1.0, wide)})
    return figures


def _title(cls: type[Experiment], settings: Mapping[str, Any]) -> str:
    """Return the experiment's headline, or what was run: the experiment, and its members as tables call them."""
    if headline := cls.headline(settings):
        return headline
    names = [
        _label(field.metadata["choice"], node)
        for field in dataclasses.fields(cls)
        if "choice" in field.metadata and field.name in settings
        if field.name not in (*NOT_SETTINGS, "arms", "delivery")
        for node in (settings[field.name] if field.metadata["several"] else [settings[field.name]])
    ]
    return f"{cls.name.replace('_', ' ').capitalize()}{': ' * bool(names)}{', '.join(names)}"


def _label(choice: Choice, node: Any) -> str:
    """Return the label of a stored node, or its text; a user's rule in it may be gone, so that it is not made."""
    if isinstance(node, str) or node.get("label"):
        return str(node if isinstance(node, str) else node["label"])
    usual = {field.name: default_of(field) for field in choice.parameters(node["name"])}
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in usual.items()}
    unusual = {key: value for key, value in node.items() if value != plain.get(key, value)}
    return " ".join([node["name"], *(f"{key}={write_value(value)}" for key, value in unusual.items())])
