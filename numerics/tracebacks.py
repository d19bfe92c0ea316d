"""Mistakes of a Python caller show as a sentence below few frames, not below all of ours."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from numerics.checks import shortened
from numerics.places import is_ours

Given = ParamSpec("Given")
Result = TypeVar("Result")


def brief(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let a ValueError that this project raises leave a public function without the frames in between.

    Long values in its sentence are cut. One that a library raises is a bug of ours and keeps its traceback.

    Examples
    --------
    >>> brief(lambda name: name.upper())("ucb")
    'UCB'
    """

    @functools.wraps(function)
    def call(*arguments: Given.args, **named: Given.kwargs) -> Result:
        try:
            return function(*arguments, **named)
        except ValueError as error:
            if not is_ours(traceback.extract_tb(error.__traceback__)[-1].filename):
                raise
            if type(error) is ValueError:  # not a kind that has fields of its own
                error.args = (shortened(str(error)),)
            raise error.with_traceback(None) from None

    return call
