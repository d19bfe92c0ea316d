"""Answers: JSON, and one sentence for a request that fails."""

from __future__ import annotations

import json
import math
from typing import Any

from starlette.responses import Response

from numerics.checks import escape_controls

_LONGEST = 300  # signs of a sentence, which may repeat what was sent


class Refused(Exception):
    """A request that fails although it contains no mistake; holds the sentence and the status."""

    def __init__(self, sentence: str, status: int):
        super().__init__(sentence)
        self.status = status


def answer(value: Any, status: int = 200) -> Response:
    """Return an answer in JSON."""
    return Response(text_of(value), status, media_type="application/json")


def error_answer(sentence: object, status: int = 400) -> Response:
    """Return an answer with a sentence about the error."""
    text = escape_controls(" ".join(str(sentence).split()))
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 90]} ... {text[-80:]}"
    return answer({"error": text}, status)


def text_of(value: Any) -> str:
    """Return JSON of ASCII, so that every text that was sent can be sent back.

    Examples
    --------
    >>> text_of({"column": 3})
    '{"column":3}'
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def plain(value: float) -> float | None:
    """Return a number for JSON: None if it is missing or not finite.

    Examples
    --------
    >>> plain(0.123456789), plain(float("-inf"))
    (0.123457, None)
    """
    return round(float(value), 6) if math.isfinite(value) else None
