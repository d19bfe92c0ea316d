"""Names of lines at their right ends, in the order of their last values: a legend that costs no height."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from numerics.output.captions import width
from numerics.output.style import GREY, INK, SMALL, measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST = 7.0  # points: smaller letters cannot be read
_LEADING = 1.15  # from line to line, over the font size
_KEY = 22.0  # points from the axes to a name: its line goes on to its marker
_WIDEST = 0.45  # of the axes' width, which names may take at most

NAME = "line_end"  # what a name is called in an SVG file, and its line

Floats = npt.NDArray[np.float64]


class End(NamedTuple):
    """The right end of a line: its name, its last value, and how it is drawn (colour, marker, dashes).

    A faint one, such as a line of theory, is written in grey. One that ends before the right edge is not joined.
    """

    name: str
    value: float
    style: Mapping[str, Any]
    faint: bool = False
    joined: bool = True


def name_ends(axes: Axes, ends: Sequence[End]) -> bool:
    """Write names beside the axes, each joined with the end of its line; return False where they do not fit.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        With the limits that it will have, in a constrained layout. A line that ends above or below the view has an
        arrow behind its name.
    ends : sequence of End
        In any order; the names come in the order of their values, the highest on top.

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
    names = [one.name for one in ends]
    if size < _LEAST or max(measured(name, size) for name in names) > _WIDEST * width(axes):
        return False
    points = axes.transData.transform([(axes.get_xlim()[1], one.value) for one in ends])
    places = axes.transAxes.inverted().transform(points)[:, 1]
    seen = np.clip(places, 0.0, 1.0)
    written = spread(places, _LEADING * size / height)
    right, key = 1.0 + _KEY / width(axes), 1.0 + 0.72 * _KEY / width(axes)
    for one, place, inside, at in zip(ends, places, seen, written, strict=True):
        gone = abs(place - inside) > 1e-9
        look: dict[str, Any] = {"color": one.style["color"], "linewidth": 1.0, "clip_on": False, "gid": NAME}
        look |= {"transform": axes.transAxes}
        if one.joined and not gone:
            dashes = {"linestyle": one.style.get("linestyle", "-")} if one.faint else {}
            axes.add_line(Line2D([1.0, key], [inside, at], **dashes, **look))
        marker = one.style.get("marker", "")
        if marker or gone or not one.joined:
            axes.add_line(Line2D([key], [at], marker=marker or "o", markersize=5.0, **look))
        arrow = "" if not gone else " ↑" if place > inside else " ↓"
        axes.text(
            right,
            at,
            one.name + arrow,
            transform=axes.transAxes,
            ha="left",
            va="center_baseline",
            fontsize=size,
            color=GREY if one.faint else INK,
            gid=NAME,
        )
    return True


def spread(places: Sequence[float] | Floats, gap: float) -> Floats:
    """Return places in the same order, at least `gap` apart, in [0, 1] where there is room, and otherwise near.

    Neighbours that are too near stand around the mean of their own places.

    Examples
    --------
    >>> spread([0.5, 0.5, 0.9], 0.1).round(2).tolist()
    [0.45, 0.55, 0.9]
    """
    order = np.argsort(np.asarray(places, dtype=np.float64), kind="stable")
    groups: list[tuple[float, list[int]]] = []  # the middle of each, and its members from below
    for one in order:
        middle, members = float(np.clip(places[one], 0.0, 1.0)), [int(one)]
        while groups and middle - groups[-1][0] < gap * (len(members) + len(groups[-1][1])) / 2.0:
            other, before = groups.pop()
            count = len(before) + len(members)
            middle, members = (other * len(before) + middle * len(members)) / count, [*before, *members]
            reach = gap * (count - 1) / 2.0
            middle = min(max(middle, reach), max(1.0 - reach, reach))
        groups.append((middle, members))
    found = np.empty(len(order))
    for middle, members in groups:
        found[members] = middle + gap * (np.arange(len(members)) - (len(members) - 1) / 2.0)
    return found
