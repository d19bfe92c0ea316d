"""Who is tabulated: every policy that plays, and the Bayes-optimal one beside them as the yardstick."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from bandits import Policy
from bandits.exact.optimal import BayesOptimal
from experiments.engine.experiment import Family
from experiments.engine.families import POLICY, Entry, entries

OPTIMAL = BayesOptimal.name


@dataclasses.dataclass(frozen=True)
class Tabulated:
    """A policy and what it is called in tables and figures."""

    label: str
    policy: Policy | BayesOptimal


def tabulated(nodes: Sequence[Any], key: str = "bandits") -> list[Tabulated]:
    """Build a list of policies, each a name or a node, in the order given; see `experiments.engine.families`."""
    others = [node for node in nodes if _name(node) != OPTIMAL]
    built = [Tabulated(one.label, one.policy) for one in (entries(others, key) if others else [])]
    for place, node in enumerate(nodes):
        if _name(node) == OPTIMAL:
            label = str(node.get("label") or OPTIMAL) if isinstance(node, Mapping) else OPTIMAL
            if label in [one.label for one in built]:
                raise ValueError(f"{key}[{place}].label must differ from the labels before it; got {label!r} again")
            built.insert(place, Tabulated(label, BayesOptimal()))
    if not built:
        raise ValueError(f"{key} must hold at least 1 policy, such as [ucb,thompson]; got an empty list")
    return built


def _name(node: Any) -> Any:
    return node.get("name") if isinstance(node, Mapping) else node


def _one(values: Mapping[str, Any], key: str) -> Tabulated:
    return tabulated([values], key)[0]


def _stamp(one: Tabulated) -> str:
    return "" if isinstance(one.policy, BayesOptimal) else POLICY.stamp(Entry(one.label, one.policy))


TABULATED = Family({**Policy.members, OPTIMAL: BayesOptimal}, _one, tabulated, _stamp, labelled=True)
