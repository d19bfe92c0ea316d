"""Agents in JSON files, with the format version and a digest that detects damage.

Numbers are written with as many digits as they have, and words of random streams as texts. So the agent that is read
makes the choices that the written one would have made, to the last bit.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numerics.output.files import atomic_write, stale_temporaries

SCHEMA = 1
_ABANDONED = 3_600.0  # seconds after which a temporary file is one that a killed process left


def write(path: Path, agent: Mapping[str, Any]) -> None:
    """Write an agent to a file atomically.

    Raises
    ------
    ValueError
        A path that cannot be written.
    """
    content = {"schema": SCHEMA, "treebandit": importlib.metadata.version("treebandit"), **agent}
    content["digest"] = _digest(content)
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    try:
        with atomic_write(path) as beside:
            beside.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ValueError(f"path must be a file that can be written; {path}: {error.strerror}") from None
    for left in stale_temporaries(path.parent):
        with contextlib.suppress(OSError):
            if left.name.startswith(f".{path.name}.") and time.time() - left.stat().st_mtime > _ABANDONED:
                left.unlink()


def read(path: Path) -> dict[str, Any]:
    """Return what `write` wrote.

    Raises
    ------
    ValueError
        No such file, another one, a damaged one, or one of a newer form.
    """
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"path must be a file that Agent.save wrote; {path}: {error.strerror}") from None
    except ValueError:
        raise ValueError(f"path must be a file that Agent.save wrote; {path} is not valid JSON") from None
    schema = content.get("schema") if isinstance(content, dict) else None
    if not isinstance(schema, int):
        raise ValueError(f"path must be a file that Agent.save wrote; {path} is another JSON file")
    if schema > SCHEMA:
        raise ValueError(f"path must have format {SCHEMA} or older; {path} has format {schema}: update treebandit")
    if content.pop("digest", None) != _digest(content):
        raise ValueError(f"path must be an unchanged file that Agent.save wrote; {path} is damaged or edited")
    read_content: dict[str, Any] = content
    return read_content


def _digest(content: dict[str, Any]) -> str:
    """Return a digest of a content, whatever the order of its keys and the spaces between them."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
