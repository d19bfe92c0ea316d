"""What experiments choose by name, and what they know of it: policies, arms, processes, executors and so on."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import os
import sys
from collections.abc import Iterable
from typing import Any

from bandits import Arms, Policy
from bandits.arms import base as arms
from bandits.delivery.base import DELIVERY as DELIVERIES
from bandits.logs.forms import LOGS
from bandits.logs.journal import pin
from bandits.policies.base import POLICIES
from bandits.stopping.base import STOPPING as STOPPING_RULES
from experiments.engine.experiment import Choice
from experiments.engine.tasks import EXECUTORS
from mcts.policy import IN_A_TREE
from mcts.processes.base import PROCESSES, NamedProcess
from numerics.checks import prefix_errors
from numerics.kernels.sources import digest


@dataclasses.dataclass(frozen=True)
class LabelledPolicy:
    """A policy and its label in tables and figures."""

    label: str
    policy: Policy
    key: str = "bandit"  # where it stands in the configuration

    def probe(self, arms: Arms | None = None) -> None:
        """Refuse a user's rule that fails on such arms, or in a search, by its place."""
        if arms is not None:
            self.policy.check_features(arms)
        with prefix_errors(self.key):
            self.policy.probe(arms)


def _arms(label: str, made: Arms, key: str) -> Arms:
    """Return arms; a user's law is tried here, before any work."""
    with prefix_errors(key):
        made.probe()
    return made


def _entry(label: str, policy: Policy, key: str) -> LabelledPolicy:
    """Return a policy with its label; a user's rule is found here, before any work."""
    with prefix_errors(key):
        policy.spec()
    return LabelledPolicy(label, policy, key)


def _process(label: str, made: NamedProcess, key: str) -> NamedProcess:
    """Return a process; a user's is made here, before any work."""
    with prefix_errors(key):
        made.process  # noqa: B018
    return made


def digests(sources: Iterable[Any]) -> str:
    """Return the digests of files, given by their paths or by functions and classes in them."""
    files = set()
    for source in sources:
        file = source if isinstance(source, str) else inspect.getfile(source)
        # What `exec` has made has the file of its module.
        files.add(file if os.path.isfile(file) else inspect.getfile(sys.modules[source.__module__]))
    return " ".join(map(digest, sorted(files)))


POLICY = Choice(
    POLICIES, _entry, lambda labelled: digests(hook.function for hook in labelled.policy.spec().hooks), labelled=True
)
TREE_POLICY = dataclasses.replace(POLICY, family=IN_A_TREE)
ARMS = Choice(arms.ARMS, _arms, lambda arms: f"{arms!r} {digests((type(arms), arms.reward_law.function))}", settle=pin)
LOG = Choice(LOGS, source_fingerprint=lambda log: log.fingerprint(), settle=pin)
DELIVERY = Choice(
    DELIVERIES,
    source_fingerprint=lambda delivery: f"{delivery!r} {hashlib.sha256(delivery.values.tobytes()).hexdigest()}",
)
PROCESS = Choice(PROCESSES, _process, lambda process: digests(process.source_files()))
STOPPING = Choice(STOPPING_RULES, source_fingerprint=lambda rule: digests([rule.hook.function]))
EXECUTOR = Choice(EXECUTORS)
