"""An agent in a file: JSON with the version of its form, and a digest that shows a damaged byte.

Numbers are written with as many digits as they have, and words of random streams as texts. So the agent that is read
makes the choices that the written one would have made, to the last bit.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import json
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bandits.live.description import of_json
from bandits.live.engine import numbers_of_json, numbers_to_json
from bandits.policies.base import Policy
from numerics.output.files import atomic_write

if TYPE_CHECKING:
    from bandits.live.agent import Agent

SCHEMA = 1
_WAITS, _LEFT = "pending", "forgotten"

A = TypeVar("A", bound="Agent")


def write(agent: Agent, path: Path) -> None:
    """Write an agent to a file; whole, or not at all.

    Raises
    ------
    ValueError
        A policy whose state no file can hold.
    """
    version = importlib.metadata.version("treebandit")
    content = {"schema": SCHEMA, "treebandit": version, "agent": agent.description.as_json()}
    content |= {"play": agent._play.as_json(), "ledger": ledger_of(agent)}
    content["digest"] = _digest(content)
    with atomic_write(path) as beside:
        beside.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read(cls: type[A], path: Path, policy: Policy | str | None) -> A:
    """Return the agent of a file.

    Raises
    ------
    ValueError
        As `Agent.load` says.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"path must be a file that Agent.save wrote; {path}: {error.strerror}") from None
    except ValueError:
        raise ValueError(f"path must be a file that Agent.save wrote; {path} is damaged, or no JSON") from None
    schema = content.get("schema") if isinstance(content, dict) else None
    if not isinstance(schema, int):
        raise ValueError(f"path must be a file that Agent.save wrote; {path} is another JSON file")
    if schema > SCHEMA:
        raise ValueError(f"path must be of form {SCHEMA} or older; {path} is of form {schema}: update treebandit")
    if content.pop("digest", None) != _digest(content):
        raise ValueError(f"path must be a whole file as Agent.save wrote it; {path} was damaged or edited")
    agent = cls._of(of_json(content["agent"], policy))
    agent._play.restore(content["play"])
    restore_ledger(agent, content["ledger"])
    return agent


def ledger_of(agent: Agent) -> dict[str, Any]:
    """Return the choices and rewards of an agent as JSON holds them."""
    names = {np.inf: _LEFT}
    return {
        "counted": [list(pair) for pair in agent._counted],
        "outcomes": [_WAITS if value != value else names.get(value, value) for value in agent._outcomes],
        "paid": [list(paid) for paid in agent._paid],
        "pending": [
            {
                "id": choice.id,
                "index": choice.index,
                "features": None if choice.features is None else choice.features.tolist(),
                "kept": base64.b64encode(kept).decode(),
                "chances": None
                if choice._known is None or len(choice._known) != 2
                else [numbers_to_json(choice._known[0]), choice._known[1]],
            }
            for choice, kept in agent._kept.values()
        ],
    }


def restore_ledger(agent: Agent, content: dict[str, Any]) -> None:
    """Give an agent the choices and rewards that `ledger_of` returned."""
    from bandits.live.agent import Choice

    names = {_WAITS: np.nan, _LEFT: np.inf}
    agent._outcomes = array("d", [names.get(value, value) for value in content["outcomes"]])
    agent._counted = [(pulls, total) for pulls, total in content["counted"]]
    agent._paid = [array("d", paid) for paid in content["paid"]]
    for each in content["pending"]:
        seen = None if each["features"] is None else np.array(each["features"])
        choice = Choice(agent, each["id"], agent._play.arms[each["index"]], each["index"], seen, None)
        if each["chances"] is not None:
            choice._known = numbers_of_json(each["chances"][0]), each["chances"][1]
        agent._kept[choice.id] = choice, base64.b64decode(each["kept"])


def _digest(content: dict[str, Any]) -> str:
    """Return a digest of a content, whatever the order of its keys and the spaces between them."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
