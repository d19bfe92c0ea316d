"""Tables for display: declared once, with the same cells in terminals, reports, notebooks and Markdown.

A stored table has plain columns, such as `score`, `score_low` and `score_high`. A `Sheet` says how it is shown: the
columns, their heads and digits, and which columns are left out when there is no room.

    STANDINGS = Sheet(
        "standings.csv",  # the stored table; without this file, or without rows, the sheet is not shown
        "standings; score: wins + draws / 2; Elo with its 95 % interval",
        (
            word("player"),  # the stored column "player" under the head "player"
            number("games"),
            share("score", "score"),  # 0.523 as 52.3 %
            interval("Elo", "elo", "+,.0f"),  # of elo, elo_low and elo_high: +12 (-3 to +27)
            Column("lost by forfeit", lambda row: f"{row['lost']:,}", sort="lost", optional=1),  # leaves first
        ),
    )

What depends on the rows is a function of the rows and of `facts`, which a run's manifest keeps: `title` and `columns`
may be one. `read` returns the rows where they are not the stored table as it is, such as two tables joined. `group`
draws a line between rows for which it differs. `blocks` shows a table in several, each with facts added for it.
"""

from __future__ import annotations

import dataclasses
import html
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.checks import escape_controls
from numerics.output import tables
from numerics.output.style import ALIKE

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table
    from rich.text import Text

Row = Mapping[Any, Any]
Facts = Mapping[str, Any]

_MINUS = re.compile(r"(?<![\w.)\]])-(?=\d)")  # before a number, not within a word or a range
_LATEX = str.maketrans(
    {"−": "$-$", "±": r"$\pm$", "≤": r"$\leq$", "·": r"$\cdot$", "½": r"$\frac12$", "…": r"\ldots{}"}
    | {sign: f"${sign}$" for sign in "<>|"}
)
_WHOLE = 28  # letters to which longer words may be folded
_EDGE = 3  # characters of a column in the terminal besides its text
MISSING = "-"  # the cell of a number that does not exist


def is_known(value: Any) -> bool:
    """Return whether a stored value is neither None nor NaN."""
    return value is not None and bool(value == value)


def write_number(value: float, form: str, scale: float = 1) -> str:
    """Write a number times a scale in a format; what rounds to zero has no minus sign.

    Examples
    --------
    >>> write_number(-0.2, ".0f"), write_number(-0.002, "+.1f", 100), write_number(0, ",")
    ('0', '-0.2', '0')
    """
    text = format(value if scale == 1 else scale * value, form)
    return text if text.strip("-0.") else format(0 * abs(value), form)  # of the same type: a count stays one


def ends_text(low: float, high: float, form: str, scale: float = 1) -> str:
    """Write the ends of an interval, or the only end of one without the other; an interval may have neither.

    Examples
    --------
    >>> ends_text(-3.0, 27.0, "+.0f"), ends_text(56.0, float("inf"), "+.0f"), ends_text(float("-inf"), 9.0, "+.0f")
    ('-3 to +27', 'at least +56', 'at most +9')
    >>> ends_text(float("-inf"), float("inf"), "+.0f")
    'unbounded'
    """
    if not (is_known(low) and is_known(high)):
        return MISSING
    if low == -math.inf and high == math.inf:
        return "unbounded"
    if high == math.inf:
        return f"at least {write_number(low, form, scale)}"
    if low == -math.inf:
        return f"at most {write_number(high, form, scale)}"
    return f"{write_number(low, form, scale)} to {write_number(high, form, scale)}"


def p_text(value: float) -> str:
    """Write a p-value without more digits than it has."""
    return MISSING if not is_known(value) else "< 0.0001" if value < 1e-4 else f"{value:.4f}"


@dataclasses.dataclass(frozen=True)
class Column:
    """A displayed column.

    Attributes
    ----------
    head : str
        The words above it.
    cell : callable
        `cell(row)` returns the text of a row, which is a mapping of the stored columns.
    sort : str, optional
        The stored column of numbers by which a reader sorts; by the texts without it.
    number : bool, default True
        Whether it stands on the right and is never broken into lines.
    optional : int, default 0
        Where there is no room, columns leave from the highest on; those with 0 stay.
    whole : bool, default False
        Whether words too are never broken into lines, such as a path.
    picture : callable, optional
        `picture(row)` returns an image in HTML, which stands above the text in reports and notebooks.
    """

    head: str
    cell: Callable[[Row], str]
    sort: str | None = None
    number: bool = True
    optional: int = 0
    whole: bool = False
    picture: Callable[[Row], str] | None = None

    def text(self, row: Row) -> str:
        """Return the text of a row, without a character that acts on a terminal, such as a user's file may have."""
        return escape_controls(self.cell(row))


def word(head: str, name: str | None = None, optional: int = 0) -> Column:
    """Return a column of words, by default those of the stored column of the same name."""
    return Column(head, lambda row: str(row[name or head]), None, number=False, optional=optional)


def number(
    head: str, name: str | None = None, form: str = ",", scale: float = 1, unit: str = "", optional: int = 0
) -> Column:
    """Return a column of numbers in a format, such as `",.1f"`, times a scale, with a unit behind."""
    key = name or head
    return Column(
        head,
        lambda row: write_number(row[key], form, scale) + unit if is_known(row[key]) else MISSING,
        key,
        optional=optional,
    )


def share(head: str, name: str | None = None, optional: int = 0) -> Column:
    """Return a column of shares of 1 in percent.

    Examples
    --------
    >>> share("score").cell({"score": 0.523})
    '52.3 %'
    """
    return number(head, name, ".1f", 100, " %", optional)


def p_value(head: str, name: str, optional: int = 0) -> Column:
    """Return a column of p-values, without more digits than they have."""
    return Column(head, lambda row: p_text(row[name]), name, optional=optional)


def interval(head: str, name: str | None = None, form: str = ".1f", scale: float = 1, optional: int = 0) -> Column:
    """Return a column of numbers, each with the ends of its interval, of the stored NAME, NAME_low and NAME_high.

    Examples
    --------
    >>> interval("score, %", "score", scale=100).cell({"score": 0.5, "score_low": 0.4, "score_high": 0.6})
    '50.0 (40.0 to 60.0)'
    """
    key = name or head

    def cell(row: Row) -> str:
        if not is_known(row[key]):
            return MISSING
        between = ends_text(row[f"{key}_low"], row[f"{key}_high"], form, scale)
        return write_number(row[key], form, scale) + (f" ({between})" if between != MISSING else "")

    return Column(head, cell, key, optional=optional)


def interval_ends(head: str, name: str, form: str = ".1f", scale: float = 1, unit: str = "") -> Column:
    """Return a column of intervals alone, of the stored NAME_low and NAME_high; it is sorted by the lower end.

    Examples
    --------
    >>> interval_ends("95 % interval", "score", scale=100, unit=" %").cell({"score_low": 0.4, "score_high": 0.6})
    '40.0 to 60.0 %'
    """
    low, high = f"{name}_low", f"{name}_high"

    def cell(row: Row) -> str:
        text = ends_text(row[low], row[high], form, scale)
        return text if text == MISSING else text + unit

    return Column(head, cell, low)


def margin(head: str, name: str, form: str = ",.2f", optional: int = 0) -> Column:
    """Return a column of means NAME_mean, each with the distances to NAME_low and NAME_high, one where they are alike.

    Examples
    --------
    >>> regret = margin("regret", "regret")
    >>> regret.cell({"regret_mean": 46.8, "regret_low": 45.1, "regret_high": 51.2})
    '46.80 +4.40 −1.70'
    >>> regret.cell({"regret_mean": 374.15, "regret_low": 372.43, "regret_high": 375.87})
    '374.15 ± 1.72'
    >>> regret.cell({"regret_mean": 46.8, "regret_low": 45.1, "regret_high": float("inf")})
    '46.80 −1.70, no upper end'
    >>> regret.cell({"regret_mean": 0.0, "regret_low": 0.0, "regret_high": 0.29})
    '0.00 +0.29'
    """

    def cell(row: Row) -> str:
        mean = row[f"{name}_mean"]
        if not is_known(mean):
            return "-"
        down, up = mean - row[f"{name}_low"], row[f"{name}_high"] - mean
        if not is_known(up):
            return write_number(mean, form)
        if up == math.inf:
            return f"{write_number(mean, form)} −{down:{form}}, no upper end"
        if down == 0.0 < up:
            return f"{write_number(mean, form)} +{up:{form}}"
        alike = max(up, down) <= ALIKE * min(up, down)
        return write_number(mean, form) + (f" ± {max(up, down):{form}}" if alike else f" +{up:{form}} −{down:{form}}")

    return Column(head, cell, f"{name}_mean", optional=optional)


def plus_minus(head: str, name: str, form: str = ",.2f", optional: int = 0) -> Column:
    """Return a column of means NAME_mean, each with its standard error NAME_se."""

    def cell(row: Row) -> str:
        mean, error = row[f"{name}_mean"], row[f"{name}_se"]
        return write_number(mean, form) + (f" ± {error:{form}}" if is_known(error) else "")

    return Column(head, cell, f"{name}_mean", optional=optional)


@dataclasses.dataclass(frozen=True)
class Sheet:
    """The display of a stored table; see the top of this module.

    Attributes
    ----------
    table : str
        The name of the stored file; empty where rows are in memory alone.
    title : str or callable
        The words above it, or `title(frame, facts)`.
    columns : sequence of Column, or callable
        The columns, or `columns(frame, facts)`.
    read : callable, optional
        `read(folder, facts)` returns the rows; by default those of the stored table.
    group : callable, optional
        `group(row)`: a line stands between rows for which it differs.
    blocks : callable, optional
        `blocks(frame, facts)` yields the facts and rows of each block; by default all rows are one.
    leading : int, default 0
        How many of the first columns begin each part where a table that is too wide is cut into parts.
    few : int, optional
        How many rows of each block the terminal shows at most; by default all.
    """

    table: str
    title: str | Callable[[pd.DataFrame, Facts], str]
    columns: Sequence[Column] | Callable[[pd.DataFrame, Facts], Sequence[Column]]
    read: Callable[[Path, Facts], pd.DataFrame] | None = None
    group: Callable[[Row], object] | None = None
    blocks: Callable[[pd.DataFrame, Facts], Iterable[tuple[Facts, pd.DataFrame]]] | None = None
    leading: int = 0
    few: int | None = None

    def of_folder(self, folder: Path, facts: Facts) -> list[Filled]:
        """Return the sheet with the rows of a folder, block by block; nothing where its table is not there or empty."""
        if not (folder / self.table).is_file():
            return []
        return self.of(self.read(folder, facts) if self.read else tables.read(folder / self.table), facts)

    def of(self, frame: pd.DataFrame, facts: Facts | None = None) -> list[Filled]:
        """Return the sheet with these rows, block by block; nothing of none."""
        whole, filled = facts or {}, list[Filled]()
        for given, part in self.blocks(frame, whole) if self.blocks else [(whole, frame)]:
            if len(part):
                title = escape_controls(self.title(part, given) if callable(self.title) else self.title)
                columns = self.columns(part, given) if callable(self.columns) else self.columns
                shown = tuple(dataclasses.replace(column, head=escape_controls(column.head)) for column in columns)
                rows: Sequence[Row] = part.to_dict("records")
                groups = [self.group(row) if self.group else None for row in rows]
                lines = frozenset(at for at, (group, after) in enumerate(itertools.pairwise(groups)) if group != after)
                filled.append(Filled(self.table, title, shown, rows, lines, self.leading, self.few))
        return filled


@dataclasses.dataclass(frozen=True)
class Filled:
    """A sheet with its rows; it shows itself in a notebook, and printed it is Markdown.

    Attributes
    ----------
    table, title, columns, leading, few
        As in `Sheet`, with all that depends on the rows decided.
    rows : sequence of mappings
        The stored rows.
    lines : set of int
        The indices of the rows below which a line stands.
    """

    table: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    lines: frozenset[int]
    leading: int = 0
    few: int | None = None

    def __str__(self) -> str:
        """Return Markdown."""
        return self.markdown()

    def _repr_html_(self) -> str:
        return self.html()

    @property
    def heads(self) -> list[str]:
        """The heads of the columns."""
        return [column.head for column in self.columns]

    @property
    def cells(self) -> list[list[str]]:
        """The texts of each row."""
        return [[column.text(row) for column in self.columns] for row in self.rows]

    def terminal(self, width: int) -> Iterator[Table | Text]:
        """Yield what a terminal shows: the title, the table as wide as there is room, and what is left out."""
        from rich.text import Text

        if self.few is not None and self.few < len(self.rows):
            yield from dataclasses.replace(self, rows=self.rows[: self.few], few=None).terminal(width)
            yield Text(f"in the report: {len(self.rows) - self.few:,} more")
            return
        kept, left_out = list(self.columns), list[Column]()
        for column in sorted(filter(lambda column: column.optional, self.columns), key=lambda column: -column.optional):
            if self._room(kept) > width:
                kept.remove(column)
                left_out.append(column)
        if self.title:
            yield Text(self.title, style="italic")
        for part in self._parts(kept, width):
            yield self._table(part, width)
        if left_out:
            heads = ", ".join(column.head for column in left_out)
            yield Text(f"not shown on {width} columns, but in the report: {heads}")

    def _parts(self, columns: Sequence[Column], width: int) -> Iterator[Sequence[Column]]:
        """Cut columns into as many parts as the width needs, each with the leading ones at its beginning."""
        leading, rest = columns[: self.leading], columns[self.leading :]
        while leading and self._room([*leading, *rest]) > width and len(rest) > 1:
            fit = next((n for n in range(len(rest) - 1, 1, -1) if self._room([*leading, *rest[:n]]) <= width), 1)
            yield [*leading, *rest[:fit]]
            rest = rest[fit:]
        yield [*leading, *rest]

    def _room(self, columns: Sequence[Column], *, least: bool = True) -> int:
        """Return the characters that columns take, at least: heads are broken between words, and long words too."""
        room = 1
        for column in columns:
            longest, head = max(len(column.text(row)) for row in self.rows), len(column.head)
            if least:
                longest = longest if column.number or column.whole else min(longest, _WHOLE)
                head = max(map(len, column.head.split() or [""]))
            room += _EDGE + max(head, longest)
        return room

    def _table(self, columns: Sequence[Column], width: int) -> Table:
        """Return a table; where it is too wide, long words give way, and where that is too little, all columns."""
        from rich.table import Table
        from rich.text import Text

        table, is_narrow = Table(), self._room(columns) <= width < self._room(columns, least=False)
        for column in columns:
            side: Any = "right" if column.number else "left"
            least = self._room([column])
            is_wide = not (column.number or column.whole) and self._room([column], least=False) > least
            room = None if is_wide or not is_narrow else least - _EDGE - 1
            table.add_column(Text(column.head), justify=side, overflow="fold", width=room)
        for index, row in enumerate(self.rows):
            table.add_row(*(Text(column.text(row)) for column in columns), end_section=index in self.lines)
        return table

    def html(self, *, most: int | None = None, sortable: bool = False) -> str:
        """Return an HTML table of all rows, or of the first ones, with buttons for heads where a script sorts."""
        head = '<button type="button">{}</button>' if sortable else "{}"
        heads = "".join(
            f'<th scope="col" class="{"n" if column.number else "s"}">{head.format(html.escape(column.head))}</th>'
            for column in self.columns
        )
        rows = "".join(
            f"<tr>{''.join(_td(column, row, text) for column, text in zip(self.columns, cells, strict=True))}</tr>"
            for row, cells in list(zip(self.rows, self.cells, strict=True))[:most]
        )
        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"

    def markdown(self) -> str:
        """Return Markdown: the title, then the table."""
        sides = ["--:" if column.number else "---" for column in self.columns]
        lines = [" | ".join(cell.replace("|", "\\|") for cell in line) for line in (self.heads, sides, *self.cells)]
        return "\n".join([*([self.title, ""] if self.title else []), *(f"| {line} |" for line in lines)])

    def latex(self) -> str:
        """Return a LaTeX table, which needs the package booktabs."""
        import pandas as pd

        title = re.sub(r"([&%$#_{}])", r"\\\1", self.title)
        sides = "".join("r" if column.number else "l" for column in self.columns)
        frame = pd.DataFrame(self.cells, columns=self.heads)
        text = frame.to_latex(index=False, escape=True, column_format=sides, caption=title or None)
        return _MINUS.sub("−", text).translate(_LATEX)


def _td(column: Column, row: Row, text: str) -> str:
    """Return a cell in HTML; one of numbers keeps the stored number to sort by."""
    if not column.number:
        picture = column.picture(row) if column.picture else ""
        return f'<td class="{"t" if len(text) > _WHOLE else "s"}">{picture}{html.escape(text)}</td>'
    stored = row[column.sort] if column.sort else text
    value = html.escape(str(stored)) if is_known(stored) else ""
    return f'<td class="n" data-v="{value}">{html.escape(text)}</td>'
