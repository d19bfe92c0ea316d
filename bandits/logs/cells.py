"""The cells of a column as numbers, block by block, and which of them are wrong.

How a column writes its numbers shows only at its end: 1 or true or yes, a decimal point or a decimal comma. So each
cell gets a number and a style, and `done` says which styles do not belong.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

Array = npt.NDArray[Any]

UNREADABLE = "\uffff"
"""Stands before each byte that is not UTF-8; no text of a file has it."""

TIMES = (
    "a time as a number (1574553673.5)",
    "a time without an offset from UTC (2019-11-24T00:01:13)",
    "a time with an offset from UTC (2019-11-24T00:01:13Z)",
)
"""The forms of times, of which a column has one."""

TIME = "a time, such as 1574553673.5 or 2019-11-24 00:01:13"
_OFFSET = r"[T ].*(?:Z|[+-]\d{2}(?::?\d{2})?)$"  # of a date that says how far its clock is from UTC
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)  # either a fraction or thousands
_THOUSAND = 1000.0
_WORDS = {"true": ("truth", 1.0), "false": ("truth", 0.0), "yes": ("yes", 1.0), "no": ("yes", 0.0)}


class _Style(IntEnum):
    """How a cell is written."""

    NONE = 0  # as nothing that a number may be
    WHOLE = 1  # a number without a sign between its digits
    POINT = 2
    COMMA = 3
    TRUTH = 4  # true, false
    YES = 5  # yes, no
    POINT_OR_GROUP = 6  # 1.459
    COMMA_OR_GROUP = 7


_SIGNS = (_Style.POINT, _Style.COMMA)
_GROUPS = {_Style.POINT: _Style.POINT_OR_GROUP, _Style.COMMA: _Style.COMMA_OR_GROUP}


@dataclass(frozen=True, eq=False)  # rewards and features allow the same, but mistakes in them have other cures
class Numbers:
    """The allowed numbers of a column.

    Attributes
    ----------
    allowed : str
        In words.
    low, high : float
        The smallest and the largest.
    above : bool
        Whether the smallest itself is not allowed.
    whole : bool
        Whether they are whole numbers.
    has_words : bool
        Whether a column of true and false, or of yes and no, is read as 1 and 0.
    """

    allowed: str
    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    whole: bool = False
    has_words: bool = False


CLICKS = Numbers("0 or 1 (or true/false, or yes/no, in all rows)", 0.0, 1.0, whole=True, has_words=True)
REWARDS = Numbers("a finite number (or true/false, or yes/no, in all rows)", has_words=True)
FEATURES = Numbers("a finite number (or true/false, or yes/no, in all rows)", has_words=True)
COUNTS = Numbers("a whole number of at least 0", 0.0, float(1 << 53), whole=True)
SHARES = Numbers("a probability from 0 to 1", 0.0, 1.0)
PROPENSITIES = Numbers("a probability above 0 and at most 1", 0.0, 1.0, above=True)


@dataclass
class WordCells:
    """A column of names: each row's index into `names`, -1 where the cell is blank, -2 where it is not UTF-8."""

    names: list[str] = field(default_factory=list)
    _codes: dict[str, int] = field(default_factory=dict)
    _parts: list[Array] = field(default_factory=list)

    def add(self, texts: pa.Array) -> None:
        """Take the cells of the next block."""
        words, indices = _distinct_texts(texts)
        codes = np.empty(len(words), np.int32)
        for at, word in enumerate(text.strip() for text in words):
            if UNREADABLE in word:
                codes[at] = -2
                continue
            if word and word not in self._codes:
                self._codes[word] = len(self.names)
                self.names.append(word)
            codes[at] = self._codes.get(word, -1)
        self._parts.append(codes[indices])

    def blank(self) -> Array:
        """Return for each row whether its cell is blank."""
        blank: Array = _join(self._parts, np.int32) == -1
        return blank

    def done(self, rows: int) -> tuple[Array, Array, str]:
        """Return the values of the first rows, for each whether it is wrong, and what is allowed."""
        codes = _join(self._parts, np.int32)[:rows]
        return codes, codes < 0, "the name of an arm"


@dataclass
class NumberCells:
    """A column of numbers.

    Attributes
    ----------
    may_be : Numbers
        What they may be.
    between : str
        The sign between the cells of the file.
    signs : set of _Style
        The decimal signs that any column of the file shows, which decide what 1,459 is.
    unclear : ndarray of bool, shape (n,), or None
        Known from `done` on: rows that can be read in two ways; None without any.
    """

    may_be: Numbers
    between: str
    signs: set[_Style]
    unclear: Array | None = None
    _values: list[Array] = field(default_factory=list)
    _styles: list[Array] = field(default_factory=list)
    _blank: list[Array] = field(default_factory=list)

    def add(self, texts: pa.Array) -> None:
        """Take the cells of the next block."""
        if (values := _cast(texts)) is not None and self.between == ",":  # then style does not matter
            self._take(values, np.full(len(values), _Style.WHOLE, np.int8), np.zeros(len(values), bool))
            return
        words, indices = _distinct_texts(texts)
        read = [_number(word.strip().lower(), self.between != ",") for word in words]
        values = np.array([value for value, _ in read], np.float64)
        styles = np.array([style for _, style in read], np.int8)
        if self.may_be.high < _THOUSAND:
            for sign, group in _GROUPS.items():
                styles[styles == group] = sign
        self.signs.update(sign for sign in _SIGNS if (styles == sign).any())
        self._take(values[indices], styles[indices], np.array([not word.strip() for word in words], bool)[indices])

    def _take(self, values: Array, styles: Array, blank: Array) -> None:
        self._values.append(values)
        self._styles.append(styles)
        self._blank.append(blank)

    def blank(self) -> Array:
        """Return for each row whether its cell is blank."""
        return _join(self._blank, bool)

    def done(self, rows: int) -> tuple[Array, Array, str]:
        """Return the values of the first rows, for each whether it is wrong, and what is allowed."""
        values, styles = _join(self._values, np.float64)[:rows], _join(self._styles, np.int8)[:rows]
        allowed = self.may_be.allowed
        if self.may_be.has_words:
            for style in (_Style.TRUTH, _Style.YES):
                readable = styles != _Style.NONE
                if readable.any() and (styles[readable] == style).all():
                    return values, styles != style, allowed
        for sign, group in _GROUPS.items():
            if self.signs == {sign}:
                styles = np.where(styles == group, sign, styles)
        if (unclear := np.isin(styles, list(_GROUPS.values()))).any():
            self.unclear = unclear
            return values, unclear, f"{allowed.split(' (')[0]} that is not ambiguous"
        comma = bool((styles == _Style.COMMA).any())
        if comma:  # then a point may stand between thousands
            allowed = f"{allowed.split(' (')[0]} with a decimal comma, as in other rows"
        right = (styles == _Style.WHOLE) | (styles == (_Style.COMMA if comma else _Style.POINT))
        low = values > self.may_be.low if self.may_be.above else values >= self.may_be.low
        right &= low & (values <= self.may_be.high) & np.isfinite(values)
        if self.may_be.whole:
            right &= values == np.floor(values)
        return values, ~right, allowed


@dataclass
class TimeCells:
    """A column of times, as numbers or as dates: seconds, of dates since 1970 in UTC.

    Dates without an offset are read as UTC, which changes no difference. `unclear`, set by `done`, marks the rows whose
    form differs from the first row's.
    """

    unclear: Array | None = None
    _parts: list[Array] = field(default_factory=list)
    _forms: list[Array] = field(default_factory=list)
    _blank: list[Array] = field(default_factory=list)

    def add(self, texts: pa.Array) -> None:
        """Take the cells of the next block."""
        import pyarrow.compute as pc

        values, forms = _cast(texts), np.zeros(len(texts), np.int8)
        if values is None:
            values, forms = times_of(_strip(texts))
        self._parts.append(values)
        self._forms.append(forms)
        self._blank.append(pc.equal(pc.utf8_trim_whitespace(texts), "").to_numpy(zero_copy_only=False))

    def blank(self) -> Array:
        """Return for each row whether its cell is blank."""
        return _join(self._blank, bool)

    def done(self, rows: int) -> tuple[Array, Array, str]:
        """Return the values of the first rows, for each whether it is wrong, and what is allowed."""
        values, forms = _join(self._parts, np.float64)[:rows], _join(self._forms, np.int8)[:rows]
        wrong = ~np.isfinite(values)
        if not wrong.all():
            first = forms[~wrong][0]
            if (other := ~wrong & (forms != first)).any():
                self.unclear = other
                return values, other, f"{TIMES[first]}, as in earlier rows"
        return values, wrong, TIME


@dataclass
class TextCells:
    """A column of texts without surrounding spaces; none is wrong."""

    _parts: list[Array] = field(default_factory=list)

    def add(self, texts: pa.Array) -> None:
        """Take the cells of the next block."""
        self._parts.append(_strip(texts))

    def blank(self) -> Array:
        """Return for each row whether its cell is blank."""
        blank: Array = _join(self._parts, object) == ""
        return blank

    def done(self, rows: int) -> tuple[Array, Array, str]:
        """Return the values of the first rows, for each whether it is wrong, and what is allowed."""
        return _join(self._parts, object)[:rows], np.zeros(rows, bool), "a text"


Cells = WordCells | NumberCells | TimeCells | TextCells
Kind = Numbers | type[WordCells] | type[TimeCells] | type[TextCells]


def cells_of(kinds: Sequence[Kind], between: str) -> list[Cells]:
    """Return readers for columns of these kinds in a file with this separator."""
    signs = set[_Style]()
    return [NumberCells(kind, between, signs) if isinstance(kind, Numbers) else kind() for kind in kinds]


def times_of(texts: Array) -> tuple[Array, Array]:
    """Return texts as seconds, of dates since 1970 in UTC, NaN where they are no times; and their places in `TIMES`.

    Examples
    --------
    >>> times_of(np.array(["1.5", "1970-01-01T00:01", "1970-01-01T01:01+01:00", "soon"], object))
    (array([ 1.5, 60. , 60. ,  nan]), array([0, 1, 2, 0], dtype=int8))
    """
    import pandas as pd

    words = pd.Series(texts, dtype="str")
    values = pd.to_numeric(words, errors="coerce").to_numpy(np.float64, copy=True)
    dates = pd.to_datetime(words.where(np.isnan(values)), errors="coerce", utc=True, format="ISO8601")
    known = dates.notna().to_numpy()
    values[known] = dates[known].astype("datetime64[us, UTC]").astype("int64").to_numpy() / 1e6
    has_offset = words.str.contains(_OFFSET).to_numpy(bool)
    return values, known.astype(np.int8) + (known & has_offset)


def _strip(texts: pa.Array) -> Array:
    """Return a block of texts without surrounding spaces."""
    import pyarrow.compute as pc

    stripped: Array = pc.utf8_trim_whitespace(texts).to_numpy(zero_copy_only=False)
    return stripped


def _join(parts: list[Array], dtype: Any) -> Array:
    """Return the parts as one vector, which takes their place."""
    if len(parts) != 1:
        parts[:] = [np.concatenate(parts) if parts else np.empty(0, dtype)]
    return parts[0]


def _distinct_texts(texts: pa.Array) -> tuple[list[str], Array]:
    """Return the different texts of a block, and for each row the index of its text."""
    encoded: Any = texts.dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy()


def _cast(texts: pa.Array) -> Array | None:
    """Return a block of numbers, or None if any text is none."""
    import pyarrow as pa

    try:
        values: Array = texts.cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    return values


def is_grouped(text: str) -> bool:
    """Return whether a number may have thousands or be a fraction, such as 1,459.

    Examples
    --------
    >>> is_grouped("1,459"), is_grouped("0,459"), is_grouped("1,45")
    (True, False, False)
    """
    return _GROUPED.fullmatch(text.strip()) is not None


def _number(text: str, may_have_comma: bool) -> tuple[float, _Style]:
    """Return the number that a text without surrounding spaces and capital letters is, and its style.

    A sign before three digits may stand between thousands where commas do not separate the cells.

    Examples
    --------
    >>> _number("0.5", True), _number("1,0", True)[0], _number("1,0", False), _number("yes", False)[0]
    ((0.5, <_Style.POINT: 2>), 1.0, (nan, <_Style.NONE: 0>), 1.0)
    """
    if text in _WORDS:
        name, value = _WORDS[text]
        return value, _Style[name.upper()]
    style = _Style.POINT if "." in text else _Style.WHOLE
    if may_have_comma and "," in text:
        style = _Style.COMMA if style == _Style.WHOLE else _Style.NONE
    try:
        value = math.nan if "_" in text else float(text.replace(",", ".") if style == _Style.COMMA else text)
    except ValueError:
        value = math.nan
    if may_have_comma and style in _GROUPS and is_grouped(text):
        style = _GROUPS[style]
    return (value, style) if style and math.isfinite(value) else (math.nan, _Style.NONE)
