"""The style of figures: type, colours, axes, numbers; and their files, written atomically and reproducible to the byte.

Figures are `matplotlib.figure.Figure` objects, so that drawing needs no window system and leaves pyplot's state alone.
A figure has a title that says what was played, and a short caption below it. The names of lines stand at their ends
instead of a legend. See `numerics.output.captions`.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import logging
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from numerics.output.files import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Eight colours of seaborn.color_palette("colorblind"); indigo and wine of Tol's "muted" colours replace its pale pink
# and yellow, which fade on white. They are copied here because importing seaborn takes longer (0.6 s, and it loads
# pyplot) than drawing everything; a test compares them with seaborn's.
PALETTE = ("#0173b2", "#de8f05", "#029e73", "#d55e00", "#cc78bc", "#ca9161", "#949494", "#56b4e9", "#332288", "#882255")
MARKERS = "osD^vP*X<p>"  # one more than colours, so that the first 110 pairs of colour and marker differ
DASHES = ("-", (0, (6, 1.5)), (0, (6, 1.5, 1.5, 1.5)), (0, (2, 1)))  # distinct in grey print
MEDIAN = (0, (1, 1))  # dots for a median; dashes are for theory and for the mean beside it
# Opacity of a band of 5 to 95 % of replications, and of a band of a 95 % interval. No figure has other bands, so that
# pale and dark mean the same everywhere.
PALE, DARK = 0.16, 0.45
ALIKE = 1.1  # two sides of an interval within this ratio are written as ± the wider
# Fonts of Debian, Windows and macOS with Chinese, Japanese and Korean characters, which Matplotlib's fonts lack.
OTHER_FONTS = ("Noto Sans CJK JP", "WenQuanYi Zen Hei", "Microsoft YaHei", "Malgun Gothic", "Arial Unicode MS")
# STIX comes with Matplotlib, so that figures look the same everywhere, and is the Times of printed papers: text,
# numbers and formulas share a design. DejaVu Sans, which Matplotlib has too, supplies the characters that STIX lacks.
FONTS = ("STIXGeneral", "DejaVu Sans")
SMALL = 9.5  # font size of captions and labels, in points
TITLE = 12.5  # font size of titles
INK, GREY = "0.1", "0.35"  # colours of titles and labels, and of captions
DIGIT = 0.52  # width of a digit over the font size
_EDGE = 0.06  # inches between the edge of a page and the padding of its panels
_ROUNDING = 1e-9  # an end that is nearer, over the mean, is the mean but for rounding

_DPI = 150

_UNDATED: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
_endings = contextvars.ContextVar[tuple[str, ...]]("_endings", default=(".png",))  # of a figure's files

Floats = npt.NDArray[np.float64]


@contextlib.contextmanager
def page(stem: str | Path, size: tuple[float, float] = (7.6, 4.8)) -> Iterator[Figure]:
    """Open an empty figure of `size` inches in the house style, and save it as `stem` when the block ends."""
    from matplotlib.figure import Figure

    with house_style():
        figure = Figure(figsize=size, layout="constrained")
        engine = figure.get_layout_engine()
        assert engine is not None
        inside = (_EDGE / size[0], _EDGE / size[1], 1.0 - 2.0 * _EDGE / size[0], 1.0 - 2.0 * _EDGE / size[1])
        engine.set(w_pad=0.08, h_pad=0.06, rect=inside)  # type: ignore[call-arg]  # inches, beside _EDGE
        yield figure
        save(figure, stem)


def house_settings() -> dict[str, Any]:
    """Return the settings of Matplotlib that make the house style, for figures about as wide as a printed page."""
    from cycler import cycler

    return {
        "axes.prop_cycle": cycler(color=PALETTE),
        "font.family": _families(),
        "mathtext.fontset": "stix",
        "font.size": SMALL + 1.0,
        "text.hinting": "none",  # hinting makes signs such as + and = heavier than letters
        "axes.linewidth": 0.8,
        "axes.edgecolor": "0.3",
        "axes.labelcolor": INK,
        "text.color": INK,
        "xtick.color": "0.3",
        "ytick.color": "0.3",
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "lines.solid_capstyle": "round",
    }


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style, whatever the user's style is."""
    import matplotlib.style

    styles: Any = ["default", house_settings()]
    with matplotlib.style.context(styles):
        yield
        shown_at_once = matplotlib.is_interactive()
    matplotlib.interactive(shown_at_once)  # a notebook's backend turns it on at the first figure


def files(stem: str | Path) -> list[Path]:
    """Return the files of a figure saved as `stem`: a PNG file; inside `vectors`, SVG and PDF files too."""
    path = Path(stem)
    return [path.with_name(f"{path.name}{ending}") for ending in _endings.get()]


@contextlib.contextmanager
def vectors(wanted: bool = True) -> Iterator[None]:
    """Save each figure inside the block as SVG and PDF too, if `wanted`; this doubles the time to draw."""
    before = _endings.set((".png", ".svg", ".pdf") if wanted else (".png",))
    try:
        yield
    finally:
        _endings.reset(before)


def save(figure: Figure, stem: str | Path) -> list[Path]:
    """Write a figure as `stem`.png, atomically and without a date.

    Makes missing folders. The first file fixes the figure's layout.

    Returns
    -------
    list of Path
        The files, as `files` names them.
    """
    import matplotlib
    from matplotlib.transforms import Bbox

    paths = files(stem)
    paths[0].parent.mkdir(parents=True, exist_ok=True)
    figure.set_dpi(_DPI)
    with matplotlib.rc_context({"svg.hashsalt": "bandits"}), _one_sentence_of_fonts():
        # Place the axes once for all files: Matplotlib would draw all of a figure once more before each, to nowhere.
        if (engine := figure.get_layout_engine()) is not None:
            engine.execute(figure)
            figure.set_layout_engine(None)
        for path in paths:
            with atomic_write(path) as beside:
                figure.savefig(beside, format=path.suffix[1:], dpi=_DPI, metadata=_UNDATED[path.suffix])
            for axes in figure.axes:  # the last bits of their places vary, and SVG files name clip paths by them
                for original in (True, False):
                    corners = axes.get_position(original=original).get_points().round(9)
                    axes.set_position(Bbox(corners), which="original" if original else "active")
    return paths


@functools.cache
def _families() -> list[str]:
    """Return the fonts that come with Matplotlib, and installed fonts with characters that those lack."""
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return [*FONTS, *(name for name in OTHER_FONTS if name in installed)]


@contextlib.contextmanager
def _one_sentence_of_fonts() -> Iterator[None]:
    """Warn once that characters are missing, instead of once for each character and each font weight."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.filterwarnings("always", "Glyph .* missing from font")
            yield
    finally:
        log.setLevel(level)
    for warning in caught:
        if "missing from font" in str(warning.message):
            _warn_of_missing_characters()
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


@functools.cache
def _warn_of_missing_characters() -> None:
    logging.getLogger(__name__).warning(
        "no installed font has all characters of the labels; figures show boxes for the missing ones"
    )


def plain(axes: Axes, grid: str = "both") -> None:
    """Give axes a light grid, no box, small labels, and numbers in full (10,000, not 10^4)."""
    axes.grid(True, axis=grid, color="0.9", linewidth=0.6)  # type: ignore[arg-type]
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=SMALL)
    for axis, kind in ((axes.xaxis, "x"), (axes.yaxis, "y")):
        axis.label.set_fontsize(SMALL + 1.0)
        if grid in ("both", kind):
            axis.set_major_formatter(lambda value, _: number(value))


def number(value: float, digits: int = 10) -> str:
    """Write a number in full, with a thousands separator and a true minus, to `digits` figures."""
    if value != 0.0 and math.isfinite(value):
        value = round(value, min(300, max(0, digits - 1 - math.floor(math.log10(abs(value))))))
    return f"{value:,.{max(digits, 10)}g}".replace("-", "−")


@functools.lru_cache(4096)
def measured_width(text: str, size: float) -> float:
    """Return the width of a text's widest line in points, in the fonts of the house style."""
    from matplotlib import font_manager

    font = font_manager.get_font([font_manager.findfont(family) for family in _families()])
    font.set_size(size, 72.0)
    widths = [0.0]
    with _one_sentence_of_fonts():
        for line in text.replace(r"\$", "$").splitlines():
            font.set_text(line)
            widths.append(float(font.get_width_height()[0]) / 64.0)
    return max(widths)


def width(axes: Axes) -> float:
    """Return the width of the axes in points, as known before the layout."""
    return float(axes.bbox.width * 72.0 / axes.figure.dpi)


def line_style(index: int) -> dict[str, Any]:
    """Return colour, dashes and marker of the n-th line; after ten, colours repeat with other dashes and markers."""
    dashes = DASHES[(index + index // len(PALETTE)) % len(DASHES)]
    return {"color": line_colour(index), "linestyle": dashes, "marker": MARKERS[index % len(MARKERS)]}


def line_colour(index: int) -> str:
    """Return the colour of the n-th line."""
    return PALETTE[index % len(PALETTE)]


def plus_minus(mean: float, low: float, high: float, between: str = " ") -> str:
    """Write a mean and the distances to the ends of its interval, if known; as ± where the two are about equal.

    The wider side has two figures, the other at least one, and all numbers have as many decimals. `between` stands
    before the distances instead of a space, such as the end of a line.

    Examples
    --------
    >>> plus_minus(47.72, 45.72, 49.72), plus_minus(0.324, -3.7, 4.3)
    ('47.7 ± 2.0', '0.3 ± 4.0')
    >>> plus_minus(438.0, 433.0, 443.6).replace("\u00a0", " ")
    '438.0 +5.6 −5.0'
    """
    mean, low, high = float(mean), float(low), float(high)  # NumPy cannot round numbers as small as 1e-320
    up, down = high - mean, mean - low
    if up == math.inf:
        return f"{number(mean, 3)}{between}(no upper end)"
    if not math.isfinite(up + down):
        return number(mean, 3)
    sides = [round(side, 1 - _power(side)) for side in (up, down) if side > _ROUNDING * abs(mean)]
    decimals = max(0, 1 - _power(max(sides)), -_power(min(sides))) if sides else 0
    middle = f"{mean:,.{decimals}f}".replace("-", "−") if sides else number(mean, 3)
    if max(up, down) <= ALIKE * min(up, down) or not sides:
        return f"{middle}{between}± {max(up, down):,.{decimals}f}"
    if between == " ":  # so that three numbers stay together
        between = "\u00a0"
    return f"{middle}{between}+{up:,.{decimals}f}\u00a0−{down:,.{decimals}f}"


def _power(value: float) -> int:
    """Return the power of ten of the first figure of a positive number."""
    return math.floor(math.log10(value))


def replications(runs: int | None) -> str:
    """Return the beginning of a caption: the number of replications, if known."""
    return "" if runs is None else f"{runs:,} replication{'s' if runs > 1 else ''}, "
