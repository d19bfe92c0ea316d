"""An agent in a file: JSON with the version of its form, and a digest that shows a damaged byte.

Numbers are written with as many digits as they have, and words of random streams as texts. So the agent that is read
makes the choices that the written one would have made, to the last bit.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import json
import warnings
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bandits.live.engine import (
    CompiledEngine,
    numbers_of_json,
    numbers_to_json,
    words_of_json,
    words_to_json,
)
from bandits.policies.base import POLICIES, Policy
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
    content = {"schema": SCHEMA, **description_of(agent), **state_of(agent), **ledger_of(agent)}
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
    agent = agent_of(cls, content, policy)
    restore_state(agent, content)
    restore_ledger(agent, content)
    return agent


def description_of(agent: Agent) -> dict[str, Any]:
    """Return what makes an agent the one that it is."""
    return {
        "treebandit": importlib.metadata.version("treebandit"),
        "policy": POLICIES.text(agent.policy),
        "revision": agent.policy.revision,
        "arms": agent.arms,
        "seed": agent.seed,
        "run": agent.run,
        "horizon": agent.horizon,
        "features": agent.features,
        "floor": agent.floor,
        "rewards": None if agent.rewards is None else list(agent.rewards),
    }


def agent_of(cls: type[A], content: dict[str, Any], policy: Policy | str | None) -> A:
    """Return a new agent of a description; one of another revision gets a warning.

    Raises
    ------
    ValueError
        Another policy than the one that is given, or a rule of one's own that is not given.
    """
    text = content["policy"]
    if policy is None:
        if text.split(" ", 1)[0] not in POLICIES.members or text.split(" ", 1)[0] == "custom":
            raise ValueError(f"policy must be given, as {text!r} is a rule of your own, which a file does not import")
        policy = text
    chosen = POLICIES.of(policy)
    if POLICIES.text(chosen) != text:
        raise ValueError(f"policy must be {text!r}, whose agent this is; got {POLICIES.text(chosen)!r}")
    if chosen.revision != content["revision"]:
        warnings.warn(
            f"{chosen.name} chooses otherwise since revision {chosen.revision}; this agent is of revision "
            f"{content['revision']}, and will not go on to the same choices",
            stacklevel=4,
        )
    rewards = None if content["rewards"] is None else tuple(content["rewards"])
    options = {name: content[name] for name in ("seed", "run", "horizon", "features", "floor")}
    return cls(chosen, content["arms"], rewards=rewards, **options)


def state_of(agent: Agent) -> dict[str, Any]:
    """Return the state of an agent as JSON holds it.

    Raises
    ------
    ValueError
        A policy that is a class of one's own.
    """
    engine = agent._engine
    if not isinstance(engine, CompiledEngine):
        raise ValueError(f"policy must be a compiled one to be saved; {engine.spec.rule.who} is a class")
    return {
        "state": engine.as_json(),
        "known": list(agent._columns),
        "new": [[index, *known] for index, known in agent._new.items()],
        "retired": [
            [index, "new" if isinstance(known, list) else "known", _listed(known), later]
            for index, (known, later) in agent._retired.items()
        ],
        "coin": words_to_json(agent._coin),
        "earlier": agent._earlier,
        "counted": [list(pair) for pair in agent._counted],
    }


def restore_state(agent: Agent, content: dict[str, Any]) -> None:
    """Put an agent into a state that `state_of` returned."""
    known = content["known"]
    agent._resize(known, [None] * len(known))
    agent._engine.restore(content["state"])
    agent._new = {index: list(rest) for index, *rest in content["new"]}
    agent._retired = {
        index: (list(was) if kind == "new" else numbers_of_json(was), list(later))
        for index, kind, was, later in content["retired"]
    }
    agent._coin[:] = words_of_json(content["coin"])
    agent._earlier = content["earlier"]
    agent._counted = [(pulls, total) for pulls, total in content["counted"]]


def ledger_of(agent: Agent) -> dict[str, Any]:
    """Return the choices and rewards of an agent as JSON holds them."""
    names = {np.inf: _LEFT}
    return {
        "outcomes": [_WAITS if value != value else names.get(value, value) for value in agent._outcomes],
        "paid": [list(paid) for paid in agent._paid],
        "pending": [
            {
                "id": choice.id,
                "index": choice.index,
                "features": None if choice.features is None else choice.features.tolist(),
                "kept": base64.b64encode(kept).decode(),
                "chances": None
                if choice._chances is None
                else [numbers_to_json(choice._chances[0]), choice._chances[1]],
            }
            for choice, kept in agent._kept.values()
        ],
    }


def restore_ledger(agent: Agent, content: dict[str, Any]) -> None:
    """Give an agent the choices and rewards that `ledger_of` returned."""
    from bandits.live.agent import Choice

    names = {_WAITS: np.nan, _LEFT: np.inf}
    agent._outcomes = array("d", [names.get(value, value) for value in content["outcomes"]])
    agent._paid = [array("d", paid) for paid in content["paid"]]
    for each in content["pending"]:
        seen = None if each["features"] is None else np.array(each["features"])
        choice = Choice(agent, each["id"], agent._arms[each["index"]], each["index"], seen, None)
        if each["chances"] is not None:
            choice._chances = numbers_of_json(each["chances"][0]), each["chances"][1]
        agent._kept[choice.id] = choice, base64.b64decode(each["kept"])


def _listed(known: Any) -> list[Any]:
    return known if isinstance(known, list) else numbers_to_json(known)


def _digest(content: dict[str, Any]) -> str:
    """Return a digest of a content, whatever the order of its keys and the spaces between them."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
