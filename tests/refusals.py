"""What every refusal is: a ValueError of one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest


def refused(act: Callable[[], object], start: str = "", *parts: str) -> str:
    """Return the message of a refusal, which begins with `start` and has every part."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is looked at below)
        act()
    message = str(caught.value)
    assert message.startswith(start), message
    for part in parts:
        assert part in message, message
    assert "\n" not in message
    ours = re.sub(r"\(.*\)", "", message)  # within brackets a library may say more
    assert not re.search(r"(?<!\.)\.\s", ours), "one sentence"
    assert not message.endswith(".")
    return message
