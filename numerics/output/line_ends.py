"""Names of lines at their right ends, in the order of their last values: a legend that takes no height."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from numerics.output.style import GREY, INK, SMALL, measured_width, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
