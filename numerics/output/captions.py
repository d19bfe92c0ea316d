"""Text above and beside axes: titles, captions, legends and names, fitted into the room there is."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from numerics.output.line_ends import End, name_ends
from numerics.output.style import DIGIT, GREY, SMALL, TITLE, measured_width, width

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_TITLE = "title"  # the id of a title in an SVG file
_BOLD = 1.15  # width of bold letters over that of others
_ROWS, _EASY = 10, 4  # a legend of more than _ROWS rows makes the page higher, so that the axes are as with _EASY rows
_JOINED = (  # lines do not break before %, nor around ±
    (re.compile(r" %"), "\u00a0%"),
    (re.compile(r"(?<=\d) ±"), "\u00a0±"),
    (re.compile(r"± "), "±\u00a0"),
)


@dataclass(frozen=True)
class Caption:
    """What stands above a figure: over its axes, or over the page where that has panels or `wide` is true.

    Attributes
    ----------
    text, title, legend
        As for `caption`, and over the page for `heading`, which has no legend.
    ends : sequence of End
        Names of lines, which stand at their ends, or in a legend where they do not fit.
    wide : bool, default False
        Whether the text begins at the left edge of the page, for axes whose labels are long.
    """

    text: str
    title: str = ""
    legend: bool = True
    wide: bool = False
    ends: Sequence[End] = ()

    def write(self, where: Axes | Figure) -> None:
        """Write it above axes or a figure, drawn already."""
        from matplotlib.axes import Axes

        if not isinstance(where, Axes):
            heading(where, self.text, title=self.title)
        elif self.wide:
            heading(where.figure, self.text, title=self.title)
        else:
            beside = bool(self.ends) and name_ends(where, self.ends)
            caption(where, self.text, title=self.title, legend=self.legend and not beside)


def caption(axes: Axes, text: str, *, title: str = "", legend: bool = True) -> None:
    """Write a title, a caption and the legend above the axes, where they cover nothing.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        With everything already drawn.
    text : str
        The caption, wrapped to the width of the axes, or of the figure if no other axes lie beside them.
    title : str, optional
        What was played, such as "Regret on 10 Bernoulli arms".
    legend : bool, default True
        Whether to draw a legend of all labels; False where names are drawn otherwise.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    spec, figure = axes.get_subplotspec(), axes.get_figure(root=False)
    alone = spec is not None and spec.get_gridspec().ncols == 1 and figure is not None
    room = width(axes)
    if alone and figure is not None:  # the width of the figure minus the labels of the rows
        named = max((measured_width(label.get_text(), SMALL) for label in axes.get_yticklabels()), default=0.0)
        room = float(figure.bbox.width * 72.0 / figure.dpi) - max(named, 2.5 * SMALL) - 4.0 * SMALL
    wrapped = fill(text, room, SMALL)
    handles, labels = axes.get_legend_handles_labels() if legend else ([], [])
    below: Artist
    if handles:
        is_line = any(isinstance(handle, Line2D) and handle.get_linestyle() not in ("None", "") for handle in handles)
        lines = 3.0 if is_line else 1.0  # letters, in which dashes are seen
        columns = columns_of(labels, 1.15 * width(axes), lines)  # the layout widens the axes by about this much
        shown = axes.legend(
            handles,
            labels,
            title=wrapped,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            borderaxespad=0.3,
            borderpad=0.0,
            ncols=columns,
            frameon=False,
            fontsize=SMALL,
            handlelength=lines,
            title_fontsize=SMALL,
            alignment="left",
            columnspacing=1.2,
        )
        shown.get_title().set(multialignment="left", color=GREY)
        for entry in shown.legend_handles:
            if isinstance(entry, Line2D):
                entry.set_markersize(5.0)
        if alone and isinstance(figure, Figure) and (rows := -(-len(handles) // columns)) > _ROWS:
            figure.set_figheight(figure.get_figheight() + 1.5 * (rows - _EASY) * SMALL / 72.0)
        below = shown
    else:
        below = axes.set_title(wrapped, loc="left", fontsize=SMALL, color=GREY)
    if title:
        axes.annotate(
            fill(title, room / _BOLD, TITLE),
            (0.0, 1.0),
            xycoords=below,
            xytext=(0.0, 4.0),
            textcoords="offset points",
            ha="left",
            va="bottom",
            fontsize=TITLE,
            fontweight="bold",
            annotation_clip=False,
            gid=_TITLE,
        )


def heading(figure: Figure | SubFigure, text: str, *, title: str = "") -> None:
    """Write a title and a caption above everything, from the figure's left edge and wrapped to its width.

    For figures of several panels, or with long labels that push the axes far from the edges.
    """
    from matplotlib.lines import Line2D

    room = float(figure.bbox.width * 72.0 / figure.dpi) - 18.0
    lines = fill(text, room, SMALL)
    if not title:
        figure.suptitle(lines, x=9.0 / (room + 18.0), ha="left", fontsize=SMALL, color=GREY)
        return
    legend = figure.legend(  # a suptitle has one size of letters
        [Line2D([], [], linestyle="")] if lines else [],
        [lines] if lines else [],
        title=fill(title, room / _BOLD, TITLE),
        loc="outside upper left",
        alignment="left",
        frameon=False,
        fontsize=SMALL,
        labelcolor=GREY,
        title_fontproperties={"size": TITLE, "weight": "bold"},
        handlelength=0.0,
        handletextpad=0.0,
        borderpad=0.0,
        borderaxespad=0.6,
    )
    legend.get_title().set(multialignment="left")


def name_rows(figure: Figure | SubFigure, text: str) -> None:
    """Write the common label of all panels' y axes, clear of their numbers, and keep the panels apart."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.set(w_pad=0.09)  # inches
    figure.supylabel(text, fontsize=SMALL + 1.0)


def label_of(name: str, most: int = 40) -> str:
    """Return a user's name fit for a label: cut, with escaped dollars, and kept in legends despite a leading _."""
    name = name if len(name) <= most else name[: most - 1] + "…"
    return (" " if name.startswith("_") else "") + name.replace("$", r"\$")


def called_all(names: Iterable[str], most: int = 40) -> dict[str, str]:
    """Map a user's names to labels as `label_of` makes them; different names get different labels, even when cut."""
    distinct = list(dict.fromkeys(names))
    written = {name: label_of(name, most) for name in distinct}
    if len(set(written.values())) < len(distinct):  # the names differ only after the cut
        head = most // 3
        cut = {name: name if len(name) <= most else f"{name[:head]}…{name[head + 1 - most :]}" for name in distinct}
        written = {name: label_of(cut[name], most) for name in distinct}
    if len(set(written.values())) < len(distinct):
        numbered = {name: f" … {number}" for number, name in enumerate(distinct, start=1) if len(name) > most}
        written |= {name: label_of(name[: most - len(end)] + end, most) for name, end in numbered.items()}
    return written


def fill(text: str, room: float, size: float) -> str:
    """Break a text into lines of at most `room` points at a font size; longer words are broken."""
    shortest = max(20, int(room / (DIGIT * size)))
    for where, kept in _JOINED:
        text = where.sub(kept, text)
    lines = [""]
    for word in (part for whole in text.split(" ") for part in textwrap.wrap(whole, shortest) or [whole]):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if (
            lines[-1] and len(longer) * size > room and measured_width(longer, size) > room
        ):  # no letter is wider than high
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def columns_of(labels: Sequence[str], room: float, handle: float = 2.0, most: int = 4) -> int:
    """Return how many columns of a legend fit into `room` points; `handle` is the handles' length in letters."""
    beside = (handle + 2.0) * SMALL  # a handle, and the gaps beside it
    widths = [measured_width(label, SMALL) + beside for label in labels]
    for columns in range(min(most, len(labels)), 1, -1):
        if sum(max(part) for part in np.array_split(np.asarray(widths), columns)) <= room:
            return -(-len(labels) // -(-len(labels) // columns))
    return 1
