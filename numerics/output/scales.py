"""Axes of figures: one place decides whether an axis is logarithmic, and sets its view, its ticks and its label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from numerics.output.style import SMALL, measured_width, number

if TYPE_CHECKING:
    from matplotlib.axis import XAxis, YAxis

    Axis = XAxis | YAxis

_WIDE = 30.0  # measured numbers that span more than this ratio get a logarithmic axis
_GEOMETRIC = 4.0  # chosen numbers that span this ratio and grow by factors get one
_ZERO_SHARE = 0.12  # distance of 0 before a logarithmic axis, over the axis's length
_PAD = 0.07  # of the axis, beside the first and the last value
_ROOM = 0.8  # of the axis's length before the layout, which makes room for labels and names

Floats = npt.NDArray[np.float64]


def percent(share: float) -> str:
    """Write a share in percent."""
    return f"{100.0 * share:g} %"


def is_logarithmic(values: Any, measured: bool = False) -> bool:
    """Return whether numbers belong on a logarithmic axis.

    Chosen numbers do, apart from a 0, if they span a decade in unequal steps. Over less than a decade, they do if their
    steps are more even as factors. `measured` numbers do if all are positive and they span a factor of more than 30.

    Examples
    --------
    >>> is_logarithmic([0.05, 0.1, 0.2, 0.5]), is_logarithmic([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    (True, False)
    >>> is_logarithmic([1.0, 2.0, 40.0], measured=True), is_logarithmic([0.0, 1.0, 40.0], measured=True)
    (True, False)
    """
    numbers = np.unique(np.asarray(values, dtype=np.float64))
    positive = numbers[(numbers > 0.0) & np.isfinite(numbers)]
    if positive.size < 2 or numbers[0] < 0.0 or positive[-1] < _GEOMETRIC * positive[0]:
        return False
    if measured:
        return bool(numbers[0] > 0.0 and positive[-1] > _WIDE * positive[0])
    steps, factors = np.diff(positive), np.diff(np.log(positive))
    if positive[-1] >= 10.0 * positive[0]:
        return positive.size == 2 or bool(steps.std() > 0.1 * steps.mean())
    return positive.size > 2 and bool(factors.std() / factors.mean() < steps.std() / steps.mean())


@dataclass(frozen=True)
class Scale:
    """How an axis shows numbers.

    Attributes
    ----------
    label : str
        Of the axis; "(log scale)" is added where `is_logarithmic` decides so.
    log : bool, optional
        Whether it is logarithmic; by default `is_logarithmic` decides.
    low, high : float, optional
        The ends of the view; by default there is some room beside the numbers.
    at_values : bool, default False
        Whether ticks stand at the numbers themselves, as far as their labels do not touch.
    names : sequence of str, optional
        What stands at 0, 1, 2 ... on an axis of names in place of numbers.
    whole : bool, default False
        Whether ticks are whole numbers.
    form : callable
        Writes the number of a tick.
    """

    label: str = ""
    log: bool | None = None
    low: float | None = None
    high: float | None = None
    at_values: bool = False
    names: Sequence[str] = ()
    whole: bool = False
    form: Callable[[float], str] = lambda value: number(value, 4)

    def set(self, axis: Axis, values: Any, around: Any = (), *, measured: bool = False) -> bool:
        """Give an axis its scale, view, ticks and label; return whether it is logarithmic.

        Parameters
        ----------
        axis : matplotlib.axis.Axis
            `axes.xaxis` or `axes.yaxis`.
        values : array of float
            The numbers that decide whether it is logarithmic.
        around : array of float, optional
            More numbers for which the view has room, such as the ends of intervals.
        measured : bool, default False
            Whether the numbers are measured, not chosen. A linear axis of positive measured numbers
            begins at 0 if that takes no more than half of it.
        """
        from matplotlib.ticker import MaxNLocator, NullLocator

        numbers = _finite(values)
        log = is_logarithmic(numbers, measured) if self.log is None and not self.names else bool(self.log)
        set_scale, set_view = (getattr(axis.axes, f"set_{axis.axis_name}{what}") for what in ("scale", "lim"))
        drawn = np.unique(np.concatenate([numbers, _finite(around)]))
        if log and (drawn <= 0.0).any() and not measured and self.low is None:
            _set_zero_apart(set_scale, set_view, drawn)
        else:
            if log:
                set_scale("log")
            low, high = _view(drawn[drawn > 0.0] if log else drawn, log, measured)
            set_view(low if self.low is None else self.low, high if self.high is None else self.high)
        if self.at_values:
            axis.set_major_locator(_at(numbers, axis, self.form))
            axis.set_minor_locator(NullLocator())
        elif axis.get_scale() == "symlog":
            powers = np.arange(np.ceil(np.log10(drawn[1])), np.floor(np.log10(drawn[-1])) + 1.0)
            axis.set_major_locator(_at(np.append(0.0, 10.0**powers), axis, self.form))
        elif log:
            set_decades(axis)
        elif self.whole:
            axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))
        axis.set_major_formatter(lambda value, _: self.form(value))
        if self.names:
            axis.set_ticks(range(len(self.names)), list(self.names))
        zero = ", 0 set apart" if axis.get_scale() == "symlog" else ""
        axis.set_label_text(self.label + f" (log scale{zero})" * bool(log and self.log is None and self.label))
        return log


def _view(numbers: Floats, log: bool, measured: bool) -> tuple[float, float]:
    """Return the ends of a view with some room beside increasing numbers."""
    low, high = (float(numbers[0]), float(numbers[-1])) if numbers.size else (0.1 if log else 0.0, 1.0)
    if log:
        pad = 1.5 if measured or high == low else (high / low) ** _PAD
        return low / pad, high * pad
    if measured and 0.0 <= low <= 0.5 * high:  # 0 costs no more than half of the axis
        return 0.0, high + (_PAD * high or 1.0)
    pad = _PAD * (high - low) or 0.5
    return low - pad, high + pad


def _finite(values: Any) -> Floats:
    numbers = np.unique(np.asarray(values, dtype=np.float64))
    finite: Floats = numbers[np.isfinite(numbers)]
    return finite


def _set_zero_apart(set_scale: Callable[..., Any], set_view: Callable[..., Any], values: Floats) -> None:
    """Make an axis logarithmic from the smallest positive value on, with 0 a step below."""
    below = _ZERO_SHARE * np.log10(values[-1] / values[1])
    set_scale("symlog", linthresh=values[1], linscale=0.9 * below)  # Matplotlib divides by 1 - 1/10
    margin = 0.05 * (1.0 + 1.0 / _ZERO_SHARE)
    set_view(-margin * values[1], values[-1] * 10.0 ** (margin * below))


def set_decades(axis: Axis) -> None:
    """Put ticks at 1, 10, 100 ... of a logarithmic axis, at every second or third if there is no room for all.

    A short axis has some at 1, 2, 5, 10, 20, 50 ... if there is room for them.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    finer = 3.0 * np.log10(high / low) <= min(11, axis.get_tick_space())
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if finer else (1.0,)))
    axis.set_minor_formatter(NullFormatter())


def _at(values: Floats, axis: Axis, form: Callable[[float], str]) -> Any:
    """Return what puts ticks at those of the values whose labels do not touch."""
    from matplotlib.ticker import FixedLocator

    return FixedLocator(list(_fitting(values, axis, form)))


def _length(axis: Axis) -> float:
    """Return about how many points long an axis will be."""
    box = axis.axes.bbox
    return float(_ROOM * (box.width if axis.axis_name == "x" else box.height) * 72.0 / axis.axes.figure.dpi)


def _fitting(values: Floats, axis: Axis, form: Callable[[float], str]) -> Floats:
    """Return those of increasing values whose labels do not touch each other on an axis."""
    is_x, length = axis.axis_name == "x", _length(axis)
    transform = axis.get_transform()
    low, high = transform.transform(np.asarray(axis.get_view_interval()))
    places = length * (transform.transform(values) - low) / (high - low)
    kept, last = list[int](), 0.0
    for index, value in enumerate(values):
        size = measured_width(form(value), SMALL) if is_x else SMALL
        if kept and places[index] - places[kept[-1]] < 0.5 * (size + last) + 0.4 * SMALL:
            continue
        kept, last = [*kept, index], size
    return values[kept]
