"""Facts that the tests hold the code against, each file with its source."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def read(name: str) -> dict[str, Any]:
    """Return the content of `<name>.json`."""
    content: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return content
