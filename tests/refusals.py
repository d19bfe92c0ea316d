"""What every refusal is: a ValueError of one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 1_200  # letters; some list all policies, or all keys of an experiment


def assert_sentence(said: str, start: str = "", *parts: object) -> None:
    """Assert that what is said is one sentence, which begins with `start` and has every part."""
    assert said.startswith(start), (start, said)
    for part in parts:
        assert str(part) in said, (part, said)
    assert len(said) <= LONGEST, said
    assert said.isprintable(), said  # on one line
    assert "Traceback" not in said, said
    assert not re.search(rf"{re.escape(str(ROOT))}/(?!tests/)\S*\.py\b", said), said  # no file of the source
    assert not said.removesuffix("...").endswith("."), said


def refused(act: Callable[[], object], start: str = "", *parts: object) -> str:
    """Return the message of a refusal, which begins with `start` and has every part."""
    try:
        act()
    except ValueError as error:
        message = str(error)
    else:
        pytest.fail(f"nothing is refused, where a sentence begins with {start!r} and has {parts}")
    assert_sentence(message, start, *parts)
    ours = re.sub(r"\(.*\)", "", message)  # within brackets a library may say more
    assert not re.search(r"(?<!\.)\.\s", ours), "one sentence"
    return message
