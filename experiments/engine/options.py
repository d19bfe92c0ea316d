"""Values that people type after an option, and parameters by their names."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from omegaconf import OmegaConf


def named(parameters: Sequence[str]) -> dict[str, Any]:
    """Return the parameters that are given by their names, with values as in a configuration.

    Examples
    --------
    >>> named(["depth=5", "heuristic=lines"])
    {'depth': 5, 'heuristic': 'lines'}
    """
    for parameter in parameters:
        if "=" not in parameter.strip("="):
            raise ValueError(f"parameters must be given as NAME=VALUE, such as depth=5; got {parameter!r}")
    try:
        values: Any = OmegaConf.to_container(OmegaConf.from_dotlist(list(parameters)))
    except Exception:  # of the parser of YAML, which has several
        given = " ".join(parameters)
        raise ValueError(f"parameters must have values as in a configuration, such as depth=5; got {given!r}") from None
    return dict(values)


def number(name: str, text: str | None, kind: type[int] | type[float]) -> Any:
    """Return the number that an option holds; a whole one may be written as 1e4.

    Examples
    --------
    >>> number("horizon", "1e4", int)
    10000
    """
    if text is None:
        return None
    for read in (kind, float):
        with contextlib.suppress(ValueError, OverflowError):  # of inf
            value = read(text)
            if kind is float or value == int(value):
                return kind(value)
    what = "a whole number" if kind is int else "a number"
    raise ValueError(f"--{name} must be {what}; got {text!r}")
