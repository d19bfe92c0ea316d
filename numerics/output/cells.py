"""Numbers as the cells of tables show them."""

from __future__ import annotations

import math
from typing import Any

MISSING = "-"  # the cell of a number that does not exist


def is_known(value: Any) -> bool:
    """Return whether a stored value is there: neither None nor NaN."""
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
