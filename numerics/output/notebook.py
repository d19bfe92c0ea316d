"""Results in a notebook: small tables and pictures as self-contained HTML."""

from __future__ import annotations

import base64
import functools
import importlib
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from numerics.output.style import PALETTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BAR = 120  # pixels


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], bold: int | None = None) -> str:
    """Return a table as HTML, with row number `bold` in bold; a cell that is no `Markup` is a text.

    Examples
    --------
    >>> table(["move"], [["<3>"]])
    '<table><thead><tr><th>move</th></tr></thead><tbody><tr><td>&lt;3&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = []
    for index, row in enumerate(rows):
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in row)
        body.append(f'<tr style="font-weight: bold">{cells}</tr>' if index == bold else f"<tr>{cells}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def bar(share: float) -> Markup:
    """Return a bar whose length shows a share of 1."""
    long = f"{_BAR * share:.1f}"
    return Markup(f'<svg width="{_BAR}" height="12"><rect y="1" width="{long}" height="10" fill="{PALETTE[0]}"/></svg>')


def paragraph(text: str) -> str:
    """Return a text as a paragraph."""
    return f"<p>{escape(text)}</p>"


def png(figure: Figure) -> bytes:
    """Return a figure as a PNG file's bytes."""
    pixels = io.BytesIO()
    figure.savefig(pixels, format="png", dpi=100)
    return pixels.getvalue()


def picture(figure: Figure) -> str:
    """Return a figure as an image of pixels, because ids inside an SVG would collide with those of other figures."""
    data = base64.b64encode(png(figure)).decode()
    return f'<img alt="figure" style="max-width: 100%" src="data:image/png;base64,{data}"/>'


@functools.cache
def figure_class() -> type[Figure]:
    """Return a class of pyplot figures that a notebook shows only once.

    A notebook shows the value of a cell's last line, and at the end of a cell all figures that pyplot holds. A figure
    of this class leaves pyplot once it has been shown.
    """
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    class FigureOfPyplot(Figure):
        """A figure that is shown once."""

        def _ipython_display_(self) -> None:
            importlib.import_module("IPython.display").display_png(png(self), raw=True)
            if "inline" in pyplot.get_backend():
                pyplot.close(self)

    return FigureOfPyplot
