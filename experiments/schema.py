"""What may stand in a configuration: names, types and defaults, registered with Hydra.

The groups `bandit` and `arms` are made from the policies and arms themselves, so that the command line has the names,
parameters and defaults of the library. Ranges are checked where the objects are built. Imports nothing slow.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING

from bandits import POLICIES, RandomBernoulli, RandomGaussian


@dataclass
class BernoulliArms:
    """Bernoulli arms with fixed means."""

    kind: str = "bernoulli"
    means: list[float] = MISSING


@dataclass
class GaussianArms:
    """Gaussian arms with fixed means and one standard deviation."""

    kind: str = "gaussian"
    means: list[float] = MISSING
    scale: float = 1.0


@dataclass
class RandomBernoulliArms:
    """Bernoulli arms with means from Beta(a, b), anew in every replication."""

    kind: str = "random_bernoulli"
    arms: int = RandomBernoulli.arms
    a: float = RandomBernoulli.a
    b: float = RandomBernoulli.b


@dataclass
class RandomGaussianArms:
    """Gaussian arms with means from a normal law, anew in every replication."""

    kind: str = "random_gaussian"
    arms: int = RandomGaussian.arms
    center: float = RandomGaussian.center
    spread: float = RandomGaussian.spread
    scale: float = RandomGaussian.scale


@dataclass
class LogArms:
    """Bernoulli arms with the means of a click log."""

    kind: str = "from_log"
    path: str = MISSING
    arm_column: str = "item"
    reward_column: str = "click"


ARMS = {
    "bernoulli": BernoulliArms,
    "gaussian": GaussianArms,
    "random_bernoulli": RandomBernoulliArms,
    "random_gaussian": RandomGaussianArms,
    "from_log": LogArms,
}


@dataclass
class SerialExecutor:
    """One shard after another."""

    kind: str = "serial"


@dataclass
class ThreadsExecutor:
    """Threads; workers null means one a core."""

    kind: str = "threads"
    workers: int | None = None


@dataclass
class LocalExecutor:
    """Processes; workers null means one a core."""

    kind: str = "local"
    workers: int | None = None


EXECUTORS = {"serial": SerialExecutor, "threads": ThreadsExecutor, "local": LocalExecutor}


@dataclass
class Regret:
    """One policy, many replications."""

    kind: str = "regret"
    bandit: Any = MISSING
    arms: Any = MISSING
    executor: Any = MISSING
    horizon: int = 10_000
    runs: int = 1_000
    seed: int = 0


@dataclass
class Comparison:
    """Several policies on the same random numbers."""

    kind: str = "comparison"
    bandits: list[Any] = field(default_factory=list)
    arms: Any = MISSING
    executor: Any = MISSING
    horizon: int = 10_000
    runs: int = 1_000
    seed: int = 0


@dataclass
class Trace:
    """One replication, step by step; `rows` is how many steps are printed."""

    kind: str = "trace"
    bandit: Any = MISSING
    arms: Any = MISSING
    horizon: int = 40
    run: int = 0
    seed: int = 0
    rows: int = 60


EXPERIMENTS = {"regret": Regret, "comparison": Comparison, "trace": Trace}


def bandit_node(name: str) -> type:
    """Return the configuration of one policy: its name, a label for tables and figures, and its parameters."""
    policy: Any = POLICIES[name]
    hints = get_type_hints(policy)
    parameters: list[tuple[str, Any, Any]] = [
        (one.name, list[float], field(default_factory=list))
        if one.name == "params"
        else (one.name, hints[one.name], field(default=one.default))
        for one in dataclasses.fields(policy)
    ]
    head = [("name", str, field(default=name)), ("label", str | None, field(default=None))]
    return dataclasses.make_dataclass(f"Bandit_{name}", [*head, *parameters])


def register() -> None:
    """Tell Hydra every schema; safe to call twice."""
    store = ConfigStore.instance()
    for name in POLICIES:
        store.store(group="bandit", name=name, node=bandit_node(name))
    for group, nodes in (("arms", ARMS), ("executor", EXECUTORS)):
        for name, node in nodes.items():
            store.store(group=f"schema/{group}", name=name, node=node)
    for name, node in EXPERIMENTS.items():
        store.store(group="schema", name=name, node=node, package="_global_")
