"""Text above and beside axes: titles, captions, legends and names, fitted into the available space."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from numerics.output.style import DIGIT, GREY, INK, SMALL, TITLE, measured_width, width

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

_LEAST = 7.0  # points: smaller letters are illegible
_LEADING = 1.15  # line spacing over the font size
_KEY = 22.0  # points from the axes to a name; its line continues to its marker there
_WIDEST = 0.45  # share of the axes' width that names may take

NAME = "line_end"  # the id of a name and of its line in an SVG file

Floats = npt.NDArray[np.float64]


class End(NamedTuple):
    """The right end of a line: its name, its last value, and its style (colour, marker, dashes).

    The name of a `faint` line, such as a line of theory, is grey. A line that ends before the right edge is not
    `joined` to its name.
    """

    name: str
    value: float
    style: Mapping[str, Any]
    faint: bool = False
    joined: bool = True


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


def name_ends(axes: Axes, ends: Sequence[End]) -> bool:
    """Write names beside the axes, each joined to the end of its line; return False if they do not fit.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        With their final limits, in a constrained layout. A line that ends above or below the view gets an arrow after
        its name.
    ends : sequence of End
        In any order; the names are sorted by their values, the highest on top.

    Returns
    -------
    bool
        Whether the names were written. If not, the caller needs a legend.
    """
    from matplotlib.lines import Line2D

    if not ends:
        return True
    height = float(axes.bbox.height * 72.0 / axes.figure.dpi)
    size = min(SMALL, height / (_LEADING * len(ends)))
    names = [end.name for end in ends]
    if size < _LEAST or max(measured_width(name, size) for name in names) > _WIDEST * width(axes):
        return False
    points = axes.transData.transform([(axes.get_xlim()[1], end.value) for end in ends])
    places = axes.transAxes.inverted().transform(points)[:, 1]
    seen = np.clip(places, 0.0, 1.0)
    written = spread(places, _LEADING * size / height)
    right, key = 1.0 + _KEY / width(axes), 1.0 + 0.72 * _KEY / width(axes)
    for end, height_of, inside, at in zip(ends, places, seen, written, strict=True):
        gone = abs(height_of - inside) > 1e-9
        look: dict[str, Any] = {"color": end.style["color"], "linewidth": 1.0, "clip_on": False, "gid": NAME}
        look |= {"transform": axes.transAxes}
        if end.joined and not gone:
            dashes = {"linestyle": end.style.get("linestyle", "-")} if end.faint else {}
            axes.add_line(Line2D([1.0, key], [inside, at], **dashes, **look))
        marker = end.style.get("marker", "")
        if marker or gone or not end.joined:
            axes.add_line(Line2D([key], [at], marker=marker or "o", markersize=5.0, **look))
        arrow = "" if not gone else " ↑" if height_of > inside else " ↓"
        axes.text(
            right,
            at,
            end.name + arrow,
            transform=axes.transAxes,
            ha="left",
            va="center_baseline",
            fontsize=size,
            color=GREY if end.faint else INK,
            gid=NAME,
        )
    return True


def spread(heights: Sequence[float] | Floats, gap: float) -> Floats:
    """Return heights in the same order, at least `gap` apart, within [0, 1] if there is room.

    Neighbours that are too close are spread around the mean of their heights.

    Examples
    --------
    >>> spread([0.5, 0.5, 0.9], 0.1).round(2).tolist()
    [0.45, 0.55, 0.9]
    """
    order = np.argsort(np.asarray(heights, dtype=np.float64), kind="stable")
    groups: list[tuple[float, list[int]]] = []  # the middle of each group, and its members from below
    for index in order:
        middle, members = float(np.clip(heights[index], 0.0, 1.0)), [int(index)]
        while groups and middle - groups[-1][0] < gap * (len(members) + len(groups[-1][1])) / 2.0:
            other, before = groups.pop()
            count = len(before) + len(members)
            middle, members = (other * len(before) + middle * len(members)) / count, [*before, *members]
            reach = gap * (count - 1) / 2.0
            middle = min(max(middle, reach), max(1.0 - reach, reach))
        groups.append((middle, members))
    positions = np.empty(len(order))
    for middle, members in groups:
        positions[members] = middle + gap * (np.arange(len(members)) - (len(members) - 1) / 2.0)
    return positions
