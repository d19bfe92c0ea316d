"""Figures of stored tables: declared once, and drawn after a run, in a sweep, or again from a folder.

    FIGURES = (
        Figure(
            "ratings",  # the file's name: ratings.png, and on request ratings.svg and ratings.pdf
            "standings.csv",  # the stored table; without this file, or without rows, the figure is not drawn
            draw_ratings,
            size=lambda standings, facts: (8.0, 1.5 + 0.4 * len(standings)),  # inches; or two numbers
        ),
    )

    def draw_ratings(standings, axes, facts):
        axes.barh(standings["player"], standings["elo"])
        return Caption("Bars: 95 % intervals", title=f"Elo ratings of {len(standings)} players")

A figure of several tables names them all: `draw` and `size` get them in this order, None for one that is not there. A
figure of several panels gets an empty `matplotlib.figure.Figure` in place of the axes. `facts` are what a run keeps in
its manifest. The page, the caption and the files are made here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.output import style, tables
from numerics.output.captions import Caption

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Caption", "Facts", "Figure", "Reader", "draw_figures", "reader_of"]

Facts = Mapping[str, Any]
Reader = Callable[[str], "pd.DataFrame | None"]


@dataclass(frozen=True)
class Figure:
    """A declared figure; see the top of this module.

    Attributes
    ----------
    name : str
        The file's name, without its ending.
    tables : str or tuple of str
        The stored tables; the first one must be there and hold a row.
    draw : callable
        `draw(*tables, axes, facts)` draws, and returns the caption unless it has written it.
    size : tuple of float, or callable
        Width and height of the page in inches, or `size(*tables, facts)`.
    when : callable, optional
        `when(*tables, facts)` tells whether there is something to see; always by default.
    panels : bool, default False
        Whether `draw` gets an empty figure in place of axes.
    """

    name: str
    tables: str | tuple[str, ...]
    draw: Callable[..., Caption | None]
    size: tuple[float, float] | Callable[..., tuple[float, float]] = (7.6, 4.8)
    when: Callable[..., bool] | None = None
    panels: bool = False


def reader_of(folder: Path) -> Reader:
    """Return a reader of the tables in a folder by name; it returns None for a missing table."""
    return lambda name: tables.read(folder / name) if (folder / name).is_file() else None


def draw_figures(figures: Sequence[Figure], folder: Path, read: Reader, facts: Facts) -> list[Path]:
    """Draw declared figures into a folder, which is made if it is absent, and return their files.

    Parameters
    ----------
    figures : sequence of Figure
    folder : Path
        The folder of the figures.
    read : callable
        Returns a table by its name, or None: `stored(folder)`, or `get` of a dictionary.
    facts : mapping
        What the tables do not hold, such as who played.
    """
    read, drawn = functools.cache(read), list[Path]()
    for figure in figures:
        frames = [read(name) for name in ([figure.tables] if isinstance(figure.tables, str) else figure.tables)]
        if frames[0] is None or frames[0].empty or (figure.when and not figure.when(*frames, facts)):
            continue
        size = figure.size(*frames, facts) if callable(figure.size) else figure.size
        with style.page(folder / figure.name, size) as drawing:
            where = drawing if figure.panels else drawing.subplots()
            caption = figure.draw(*frames, where, facts)
            if caption is not None:
                caption.write(where)
        drawn += style.files(folder / figure.name)
    return drawn
