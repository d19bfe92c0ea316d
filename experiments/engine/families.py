"""The families that configurations choose from, and how their objects are made: policies, arms, players, executors."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bandits import Arms, Custom, Policy
from experiments.engine.executors import Executor
from experiments.engine.experiment import Family
from experiments.players import PLAYERS
from experiments.players.specs import player_spec, player_specs, source_files
from numerics.checks import under
from numerics.kernels.sources import digest

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """A policy and its label in tables and figures."""

    label: str
    policy: Policy
    key: str = "bandit"  # where it stands in the configuration

    def probe(self, arms: Iterable[Arms | int], horizon: int) -> None:
        """Refuse a user's rule that fails on such arms, or numbers of arms, up to this horizon, by its place."""
        with under(self.key):
            self.policy.probe(arms, horizon)


def entry(values: Values, key: str = "bandit") -> Entry:
    """Build the policy of one `bandit` node; its label is the name unless the node has one."""
    parameters = {name: value for name, value in values.items() if name not in ("name", "label")}
    with under(key):
        policy = Policy.make(values["name"], **parameters)
        policy.spec()  # a user's rule is found here, before any work
    return Entry(str(values.get("label") or _name(policy)), policy, key)


def _name(policy: Policy) -> str:
    """Return what a policy is called: a user's own by its rule."""
    return policy.rule.rpartition(".")[2] if isinstance(policy, Custom) else policy.name


def _short(policy: Policy) -> str:
    """Return a policy's name with the parameters that are not the defaults."""
    changed = []
    for field in dataclasses.fields(policy):
        value = getattr(policy, field.name)
        if value != field.default and not (isinstance(policy, Custom) and field.name == "rule"):
            changed.append(f"{field.name}={f'{value:g}' if isinstance(value, float) else value}")
    return " ".join([_name(policy), *changed])


def entries(nodes: Sequence[Any], key: str = "bandits") -> list[Entry]:
    """Build a list of policies, each a name or a node `{name: ucb, c: 0.5, label: "UCB 0.5"}`.

    A node without a label is named by its parameters that are not the defaults, or by all that it gives where that is
    the label of another; equal labels are refused, because tables could not tell them apart.
    """
    if len(nodes) == 0:
        raise ValueError(f"{key} must hold at least 1 policy, such as [ucb,thompson]; got an empty list")
    built: list[Entry] = []
    for position, node in enumerate(nodes):
        entry_key = f"{key}[{position}]"
        values = {"name": node} if isinstance(node, str) else node
        built_entry, used = entry(values, entry_key), [other.label for other in built]
        if not values.get("label"):
            given = [f"{name}={value}" for name, value in values.items() if name not in ("name", "label")]
            labels = [_short(built_entry.policy), " ".join([values["name"], *given])]
            built_entry = dataclasses.replace(built_entry, label=labels[labels[0] in used])
        if built_entry.label in used:
            raise ValueError(
                f"{entry_key}.label must differ from the labels before it; got {built_entry.label!r} again"
            )
        built.append(built_entry)
    return built


def _arms(values: Values, key: str) -> Arms:
    """Build the arms of an `arms` node; a user's law is found and tried here, before any work."""
    with under(key):
        made = Arms.make(values["name"], **{name: value for name, value in values.items() if name != "name"})
        made.probe()
    return made


def _executor(values: Values, key: str) -> Executor:
    """Build the executor of an `executor` node."""
    with under(key):
        return Executor.make(values["name"], **{name: value for name, value in values.items() if name != "name"})


def _source_fingerprint_of_policy(policy_entry: Entry) -> str:
    """Return the digests of the files of a policy's hooks, which may be a user's."""
    return digests(hook.function for hook in policy_entry.policy.spec().hooks)


def _source_fingerprint_of_arms(arms: Arms) -> str:
    """Return the arms with every number, and the digests of their class's file and of their law's, a user's perhaps."""
    return f"{arms!r} {digests((type(arms), arms.reward_law.function))}"


def digests(members: Iterable[Any]) -> str:
    """Return the digests of the files where functions and classes stand."""
    return " ".join(digest(file) for file in sorted({inspect.getfile(member) for member in members}))


def _source_fingerprint_of_player(player: Any) -> str:
    """Return the digests of a player's class and of what its parameters name by a dotted path."""
    return " ".join(digest(file) for file in sorted(set(source_files(player))))


POLICY = Family(Policy.members, entry, entries, _source_fingerprint_of_policy, labelled=True)
ARMS = Family(Arms.members, _arms, source_fingerprint=_source_fingerprint_of_arms, hidden=("labels",))
PLAYER = Family(PLAYERS, player_spec, player_specs, _source_fingerprint_of_player, labelled=True, hidden=("seed",))
EXECUTOR = Family(Executor.members, _executor)
