"""From configuration values to real objects: policies, arms, executors. Below this line there is no configuration."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bandits import (
    POLICIES,
    Arms,
    Bernoulli,
    ClickLog,
    Gaussian,
    Policy,
    RandomBernoulli,
    RandomGaussian,
    make,
)
from bandits.simulate import LONGEST, MOST_RUNS
from numerics import checks

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """A policy and what it is called in tables and figures."""

    label: str
    policy: Policy
    key: str = "bandit"  # where it stands in the configuration

    def probe(self, arms: Iterable[int], horizon: int) -> None:
        """Refuse a user's rule that fails with such numbers of arms up to this horizon, by its place."""
        with under(self.key):
            self.policy.probe(arms, horizon)


@contextlib.contextmanager
def under(key: str) -> Iterator[None]:
    """Put the configuration key before the argument that a library error begins with: `c must` -> `bandit.c must`."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{key}.{error}") from error


def entry(values: Values, key: str = "bandit") -> Entry:
    """Build the policy of one `bandit` node; its label is the name unless the node has one."""
    parameters = {name: value for name, value in values.items() if name not in ("name", "label")}
    with under(key):
        if not isinstance(values["name"], str):
            raise ValueError(f"name must be one of {', '.join(sorted(POLICIES))}; got {values['name']!r}")
        policy = make(str(values["name"]), **parameters)
        policy.hooks()  # a user's rule is found here, before any work
    return Entry(str(values.get("label") or values["name"]), policy, key)


def entries(nodes: Sequence[Any], key: str = "bandits") -> list[Entry]:
    """Build a list of policies, each a name or a node `{name: ucb, c: 0.5, label: "UCB 0.5"}`.

    A node without a label is named by its own parameters; equal labels are refused, because tables could not tell them
    apart.
    """
    if len(nodes) == 0:
        raise ValueError(f"{key} must hold at least 1 policy, such as [ucb,thompson]; got an empty list")
    built: list[Entry] = []
    for position, node in enumerate(nodes):
        place = f"{key}[{position}]"
        values = {"name": node} if isinstance(node, str) else node
        if not isinstance(values, Mapping) or not isinstance(values.get("name"), str):
            raise ValueError(f"{place} must be a policy's name or a node such as {{name: ucb, c: 0.5}}; got {node!r}")
        if not isinstance(values.get("label"), str | int | float | None):
            raise ValueError(f"{place}.label must be a text; got {values['label']!r}")
        for name in values:
            if not isinstance(name, str):
                raise ValueError(f"{place} must have keys that are texts, such as c; got {name!r}")
        if values["name"] not in POLICIES:
            raise ValueError(f"{place} must be one of {', '.join(sorted(POLICIES))}; got {values['name']!r}")
        own = [f"{name}={value}" for name, value in values.items() if name not in ("name", "label")]
        label = values.get("label") or " ".join([values["name"], *own])
        one = entry({**values, "label": label}, place)
        if one.label in [other.label for other in built]:
            raise ValueError(f"{place}.label must differ from the labels before it; got {one.label!r} again")
        built.append(one)
    return built


def arms(values: Values) -> tuple[Arms, str | None]:
    """Build the arms of an `arms` node; a click log also gives its summary, to be said before the run."""
    parameters = {name: value for name, value in values.items() if name != "kind"}
    kind = values.get("kind")
    with under("arms"):
        if kind not in (*ARMS, "from_log"):
            raise ValueError(f"kind must be one of {', '.join([*ARMS, 'from_log'])}; got {kind!r}")
        made = ClickLog.read if kind == "from_log" else ARMS[kind]
        known = list(inspect.signature(made).parameters)
        for name in parameters:
            if name not in known:
                raise ValueError(f"{name} is no key of arms of kind {kind}, which take {', '.join(known)}")
        if kind == "from_log":
            log = ClickLog.read(**parameters)
            return log.arms(), log.summary()
        return ARMS[kind](**parameters), None


ARMS: dict[Any, Any] = {
    "bernoulli": Bernoulli,
    "gaussian": Gaussian,
    "random_bernoulli": RandomBernoulli,
    "random_gaussian": RandomGaussian,
}


def has_means(kind: str) -> bool:
    """Whether arms of a kind are told their means."""
    return kind in ("bernoulli", "gaussian")


def sizes(values: Values, names: Sequence[str]) -> tuple[int, ...]:
    """Check the whole numbers of an experiment: at least 1, or at least 0 for the seed and the run."""
    most = {"horizon": LONGEST, "runs": MOST_RUNS, "run": MOST_RUNS}
    return tuple(
        checks.whole(name, values[name], 0 if name in ("seed", "run") else 1, most=most.get(name)) for name in names
    )
