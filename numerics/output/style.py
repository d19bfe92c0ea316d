"""How figures look and are kept: type, colours, titles, axes, numbers; files that are whole, the same bytes each time.

Everything is drawn with `matplotlib.figure.Figure`, so that no window system and none of pyplot's state is touched.
A figure has a title that says what was played (`title=` of `caption` or `heading`), below it a short caption, and the
names of lines at their ends (`numerics.output.line_ends`) rather than in a legend.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import logging
import math
import re
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from numerics.output.files import written_whole

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure, SubFigure

# Eight colours of seaborn.color_palette("colorblind"), and in place of its pale pink and yellow, which are lost on
# white, indigo and wine of Tol's "muted" colours. They are written here because importing seaborn takes longer (0.6 s,
# and it loads pyplot) than drawing everything; a test compares them with seaborn's.
PALETTE = ("#0173b2", "#de8f05", "#029e73", "#d55e00", "#cc78bc", "#ca9161", "#949494", "#56b4e9", "#332288", "#882255")
MARKERS = "osD^vP*X<p>"  # one more than colours, so that the first 110 pairs of colour and marker differ
DASHES = ("-", (0, (6, 1.5)), (0, (6, 1.5, 1.5, 1.5)), (0, (2, 1)))  # that tell lines apart in grey print
MEDIAN = (0, (2, 1))  # dashes of a median, beside a mean
NORMAL_95 = 1.959963984540054  # standard errors on either side of a mean: 95 % of a normal law
WIDE = 30.0  # values this many times apart are drawn on a logarithmic axis
# Fonts of Debian, Windows and macOS with the letters of China, Japan and Korea, which Matplotlib's own lacks.
OTHER_FONTS = ("Noto Sans CJK JP", "WenQuanYi Zen Hei", "Microsoft YaHei", "Malgun Gothic", "Arial Unicode MS")
# STIX comes with Matplotlib, so that figures look the same everywhere, and it is the Times of printed papers: text,
# numbers and formulas are of one design. DejaVu Sans, which comes along too, has the signs that STIX lacks.
FONTS = ("STIXGeneral", "DejaVu Sans")
SMALL = 9.5  # font size of captions and labels, in points
TITLE = 12.5  # and of titles
INK, GREY = "0.1", "0.35"  # of titles and labels, and of captions
_TITLE = "title"  # what a title is called in an SVG file
_ZERO_SHARE = 0.12  # how far 0 stands before a logarithmic axis, over that axis's length
DIGIT, LETTER = 0.52, 0.44  # widths of a digit and, on average, of a letter, over the font size
_JOINED = ((re.compile(r" %"), "\u00a0%"), (re.compile(r"(?<=\d) ±"), "\u00a0±"), (re.compile(r"± "), "±\u00a0"))

_UNDATED: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
_endings = contextvars.ContextVar[tuple[str, ...]]("_endings", default=(".png",))  # of a figure's files

Floats = npt.NDArray[np.float64]


@contextlib.contextmanager
def page(place: str | Path, size: tuple[float, float] = (7.6, 4.8)) -> Iterator[Figure]:
    """Give an empty figure of `size` inches to draw on, in the house's style, and save it at `place` when done."""
    from matplotlib.figure import Figure

    with house_style():
        figure = Figure(figsize=size, layout="constrained")
        engine = figure.get_layout_engine()
        assert engine is not None
        engine.set(w_pad=0.08, h_pad=0.06)  # type: ignore[call-arg]  # inches, at the edges too
        yield figure
        save(figure, place)


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house's style, whatever the user's is: figures are read at about the width of a printed page."""
    import matplotlib.style

    own: Any = {
        "font.family": _families(),
        "mathtext.fontset": "stix",
        "font.size": SMALL + 1.0,
        "text.hinting": "none",  # hinted, signs such as + and = are heavier than letters
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
    with matplotlib.style.context(["default", own]):
        yield


def files(place: str | Path) -> list[Path]:
    """Return the files that a figure saved at `place` has: a PNG file, inside `vectors` also as SVG and PDF."""
    stem = Path(place)
    return [stem.with_name(f"{stem.name}{ending}") for ending in _endings.get()]


@contextlib.contextmanager
def vectors(wanted: bool = True) -> Iterator[None]:
    """Save each figure as SVG and PDF too, inside the block, if that is wanted: drawing them takes as long again."""
    before = _endings.set((".png", ".svg", ".pdf") if wanted else (".png",))
    try:
        yield
    finally:
        _endings.reset(before)


def save(figure: Figure, place: str | Path) -> list[Path]:
    """Write a figure as `place`.png, each file beside its place and then renamed; no date is written.

    Folders that are absent are made. The figure's layout is fixed by the first file.

    Returns
    -------
    list of Path
        The files, as `files` names them.
    """
    import matplotlib

    paths = files(place)
    paths[0].parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "bandits"}), _one_sentence_of_fonts():
        for path in paths:
            with written_whole(path) as beside:
                figure.savefig(beside, format=path.suffix[1:], dpi=150, metadata=_UNDATED[path.suffix])
            if path is not paths[-1]:
                figure.set_layout_engine(None)  # the next file keeps the first one's places, and their cost is saved
                _round_places(figure)
    return paths


def _round_places(figure: Figure) -> None:
    """Round where the axes lie: a layout varies in their last bits, by which an SVG file names what it clips."""
    from matplotlib.transforms import Bbox

    for axes in figure.axes:
        for original in (True, False):
            place = axes.get_position(original=original).get_points().round(9)
            axes.set_position(Bbox(place), which="original" if original else "active")


@functools.cache
def _families() -> list[str]:
    """Return the fonts that come with Matplotlib, and installed ones with the characters of languages they lack."""
    from matplotlib import font_manager

    installed = {one.name for one in font_manager.fontManager.ttflist}
    return [*FONTS, *(name for name in OTHER_FONTS if name in installed)]


@contextlib.contextmanager
def _one_sentence_of_fonts() -> Iterator[None]:
    """Say once that characters are missing, where Matplotlib names each of them and each weight that a font lacks."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.filterwarnings("always", "Glyph .* missing from font")
            yield
    finally:
        log.setLevel(level)
    for one in caught:
        if "missing from font" in str(one.message):
            _say_lacking()
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


@functools.cache
def _say_lacking() -> None:
    logging.getLogger(__name__).warning(
        "no installed font has all characters of the labels; figures show boxes for those that are missing"
    )


def caption(
    axes: Axes, text: str, more: dict[str, Artist] | None = None, *, title: str = "", legend: bool = True
) -> None:
    """Write a title and a caption above the axes, and the legend of all that has a label, so that it covers nothing.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Drawn already.
    text : str
        Wrapped to the width of the axes, or of the figure where no other stand beside them.
    more : dict of str to Artist, optional
        Further entries of the legend: lines as they are, bands in neutral grey.
    title : str, optional
        What was played, such as "Regret on 10 Bernoulli arms".
    legend : bool, default True
        Whether there is a legend; not where all is named already.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    place, figure = axes.get_subplotspec(), axes.get_figure(root=False)
    alone = place is not None and place.get_gridspec().ncols == 1 and figure is not None
    room = width(axes)
    if alone and figure is not None:  # what the labels of the rows leave of the figure
        named = max((measured(label.get_text(), SMALL) for label in axes.get_yticklabels()), default=0.0)
        room = float(figure.bbox.width * 72.0 / figure.dpi) - max(named, 2.5 * SMALL) - 4.0 * SMALL
    wrapped = fill(text, room, SMALL)
    handles, labels = axes.get_legend_handles_labels() if legend else ([], [])
    for label, artist in (more or {}).items():
        grey = Patch(color="0.4", alpha=artist.get_alpha(), linewidth=0)
        handles.append(artist if isinstance(artist, Line2D) else grey)
        labels.append(label)
    below: Artist
    if handles:
        lines = 3.0 if more is not None else 1.0
        shown = axes.legend(
            handles, labels, title=wrapped, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.3,
            borderpad=0.0, ncols=_columns(labels, width(axes), lines), frameon=False, fontsize=SMALL,
            handlelength=lines, title_fontsize=SMALL, alignment="left", columnspacing=1.2,
        )  # fmt: skip
        shown.get_title().set(multialignment="left", color=GREY)
        for entry in shown.legend_handles:
            if isinstance(entry, Line2D):
                entry.set_markersize(5.0)
        below = shown
    else:
        below = axes.set_title(wrapped, loc="left", fontsize=SMALL, color=GREY)
    if title:
        axes.annotate(
            fill(title, room, TITLE), (0.0, 1.0), xycoords=below, xytext=(0.0, 4.0), textcoords="offset points",
            ha="left", va="bottom", fontsize=TITLE, fontweight="bold", annotation_clip=False, gid=_TITLE,
        )  # fmt: skip


def heading(figure: Figure | SubFigure, text: str, *, title: str = "") -> None:
    """Write a title and a caption above everything, from the figure's left edge and wrapped to its width.

    It is for figures of several panels, or whose axes stand far from the edges because their labels are long.
    """
    from matplotlib.lines import Line2D

    room = float(figure.bbox.width * 72.0 / figure.dpi) - 12.0
    lines = fill(text, room, SMALL)
    if not title:
        figure.suptitle(lines, x=6.0 / (room + 12.0), ha="left", fontsize=SMALL, color=GREY)
        return
    legend = figure.legend(  # a suptitle has one size of letters
        [Line2D([], [], linestyle="")] if lines else [], [lines] if lines else [], title=fill(title, room, TITLE),
        loc="outside upper left", alignment="left", frameon=False, fontsize=SMALL, labelcolor=GREY,
        title_fontproperties={"size": TITLE, "weight": "bold"}, handlelength=0.0, handletextpad=0.0, borderpad=0.0,
        borderaxespad=0.3,
    )  # fmt: skip
    legend.get_title().set(multialignment="left")


def title_of(figure: Figure | SubFigure) -> str:
    """Return the title that `caption` or `heading` wrote, on one line; an empty text where there is none."""
    found = [legend.get_title().get_text() for legend in figure.legends]
    found += [text.get_text() for axes in figure.axes for text in axes.texts if text.get_gid() == _TITLE]
    return " ".join(found[0].split()) if found else ""


def name_rows(figure: Figure | SubFigure, text: str) -> None:
    """Write the common name of the y axes of all panels, apart from their numbers, and keep the panels apart."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.set(w_pad=0.09)  # inches
    figure.supylabel(text, fontsize=SMALL + 1.0)


def plain(axes: Axes, grid: str = "both") -> None:
    """Give axes a light grid, no box, small labels, and numbers written out (10,000, not 10^4)."""
    axes.grid(True, axis=grid, color="0.9", linewidth=0.6)  # type: ignore[arg-type]
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=SMALL)
    for axis, kind in ((axes.xaxis, "x"), (axes.yaxis, "y")):
        axis.label.set_fontsize(SMALL + 1.0)
        if grid in ("both", kind):
            axis.set_major_formatter(lambda value, _: number(value))


def ticks(axis: Axis, low: float, high: float, room: float = math.inf, enough: float = 100.0) -> None:
    """Put ticks at 1, 10, 100 ... of a logarithmic axis, and at 2, 5, 20, 50 ... too where high / low is not `enough`.

    An x axis `room` points wide that begins at 1 has them at 1, 100, 10,000 ... or fewer if their labels need it.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    step, powers = 1, np.arange(1.0 + math.floor(math.log10(high))) if room < math.inf else np.zeros(1)
    while powers.size > 2 and len(apart(10.0 ** powers[::step], True, room)) < powers[::step].size:
        step += 1
    axis.set_major_locator(LogLocator(10.0**step, (1.0,) if high >= enough * low else (1.0, 2.0, 5.0), numticks=12))
    axis.set_minor_formatter(NullFormatter())


def apart(values: Floats, logarithmic: bool, room: float | None = None) -> list[float]:
    """Return the values that can be written under an axis without touching.

    Parameters
    ----------
    values : array of float
        Increasing.
    logarithmic : bool
        Whether the axis is logarithmic; a 0 among the values then stands as `zero_apart` places it.
    room : float, optional
        Width of the axis in points: as many values are kept as their labels of four figures leave room for. Without
        it, neighbours are 6 % of the axis apart.
    """
    places = values
    if logarithmic:
        with_zero = values[0] == 0.0
        places = np.log(values[1:] if with_zero else values)
        places = np.append(places[0] - _ZERO_SHARE * np.ptp(places), places) if with_zero else places
    whole, kept = float(np.ptp(places)), [0]
    for place in range(1, values.size):
        gap = 0.06 * whole
        if room is not None:  # the margins at both ends of the axis take a tenth of it
            pair = number(float(values[place]), 4) + number(float(values[kept[-1]]), 4)
            digits = len(pair) - 0.5 * (pair.count(".") + pair.count(","))
            gap = (0.5 * DIGIT * digits + 0.5) * SMALL / (room / 1.1) * whole
        if places[place] - places[kept[-1]] >= gap:
            kept.append(place)
    return [float(values[place]) for place in kept]


def zero_apart(axes: Axes, values: Floats) -> None:
    """Make the x axis logarithmic from the smallest positive of increasing values on, with 0 a step below them."""
    below = _ZERO_SHARE * math.log10(values[-1] / values[1])
    axes.set_xscale("symlog", linthresh=values[1], linscale=0.9 * below)  # Matplotlib divides by 1 - 1/10
    margin = 0.05 * (1.0 + 1.0 / _ZERO_SHARE)
    axes.set_xlim(-margin * values[1], values[-1] * 10.0 ** (margin * below))


def error_arms(middle: Floats, low: Floats, high: Floats) -> Floats:
    """Return the lengths of both arms of an error bar; rounding does not make one negative."""
    return np.maximum(np.vstack([middle - low, high - middle]), 0.0)


def number(value: float, digits: int = 10) -> str:
    """Write a number in full, with a thousands separator and a true minus, to `digits` figures."""
    if value != 0.0 and math.isfinite(value):
        value = round(value, max(0, digits - 1 - math.floor(math.log10(abs(value)))))
    return f"{value:,.{max(digits, 10)}g}".replace("-", "−")


def called(name: str, most: int = 40) -> str:
    """Write a name of a user's: cut, its dollars no formula, and its leading underscore no reason to be left out."""
    name = name if len(name) <= most else name[: most - 1] + "…"
    return (" " if name.startswith("_") else "") + name.replace("$", r"\$")


def called_all(names: Iterable[str], most: int = 40) -> dict[str, str]:
    """Write names of a user's as `called` does, each by its own; those that differ still differ when they are cut."""
    own = list(dict.fromkeys(names))
    written = {name: called(name, most) for name in own}
    if len(set(written.values())) < len(own):  # what differs stands behind the cut
        head = most // 3
        cut = {name: name if len(name) <= most else f"{name[:head]}…{name[head + 1 - most :]}" for name in own}
        written = {name: called(cut[name], most) for name in own}
    if len(set(written.values())) < len(own):
        numbered = {name: f" … {place}" for place, name in enumerate(own, start=1) if len(name) > most}
        written |= {name: called(name[: most - len(end)] + end, most) for name, end in numbered.items()}
    return written


def half_width(runs: int | None) -> float:
    """Return how many standard errors on either side of a mean are its 95 % confidence, by Student's t of `runs`.

    Those of a normal law where `runs` is not known.
    """
    if runs is None or runs < 2:
        return NORMAL_95
    from scipy.special import stdtrit

    return float(stdtrit(runs - 1, 0.975))


def width(axes: Axes) -> float:
    """Return the width of the axes in points, as far as it is known before the layout."""
    return float(axes.bbox.width * 72.0 / axes.figure.dpi)


def fill(text: str, room: float, size: float) -> str:
    """Break a text into lines of at most `room` points at a font size; a word that is longer than that is cut."""
    shortest = max(20, int(room / (DIGIT * size)))
    lines = [""]
    for word in (piece for one in _joined(text).split(" ") for piece in textwrap.wrap(one, shortest) or [one]):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and measured(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def _joined(text: str) -> str:
    """Keep % with its number, and both numbers with their ±, on one line."""
    for where, kept in _JOINED:
        text = where.sub(kept, text)
    return text


def _columns(labels: Sequence[str], room: float, handle: float) -> int:
    """Return how many columns of labels, beside handles so many letters long, fit into about `room` points."""
    lengths, widths = [len(label) for label in labels], [measured(label, SMALL) for label in labels]
    for columns in range(min(4, len(labels)), 1, -1):
        rows = -(-len(labels) // columns)
        widest, longest = (
            [max(part) for part in np.array_split(np.asarray(one), columns)] for one in (lengths, widths)
        )
        guessed = sum((LETTER * length + 5.0) * SMALL for length in widest)
        true = sum(longest) + columns * (handle + 2.0) * SMALL  # with the gaps beside a handle and between columns
        if guessed <= 1.08 * room and true <= 1.15 * room:  # the axes grow by about so much when they are laid out
            return -(-len(labels) // rows)
    return 1


def measured(text: str, size: float) -> float:
    """Return the width of a text in points, of several lines that of the widest."""
    from matplotlib import font_manager

    font = font_manager.get_font(font_manager.findfont(font_manager.FontProperties()))
    font.set_size(size, 72.0)
    widths = [0.0]
    with _one_sentence_of_fonts():
        for line in text.replace(r"\$", "$").splitlines():
            font.set_text(line)
            widths.append(float(font.get_width_height()[0]) / 64.0)
    return max(widths)


def line_style(place: int) -> dict[str, Any]:
    """Return colour, dashes and marker of the n-th line; after ten colours the same ones with others of the rest."""
    dashes = DASHES[(place + place // len(PALETTE)) % len(DASHES)]
    return {"color": line_colour(place), "linestyle": dashes, "marker": MARKERS[place % len(MARKERS)]}


def line_colour(place: int) -> str:
    """Return the colour of the n-th line."""
    return PALETTE[place % len(PALETTE)]


def plus_minus(mean: float, half: float) -> str:
    """Write a mean and, where it is known, half the width of its interval."""
    return number(mean, 3) + (f" ± {number(half, 2)}" if math.isfinite(half) else "")


def replications(runs: int | None) -> str:
    """Begin a caption with the number of replications, where it is known."""
    return "" if runs is None else f"{runs:,} replication{'s' if runs > 1 else ''}, "
