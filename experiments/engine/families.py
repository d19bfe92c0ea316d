"""What experiments choose by name, and what they know of it: policies, arms, deliveries, stopping rules, executors."""

from __future__ import annotations

import hashlib
import inspect
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bandits import Arms, Policy
from bandits.arms import base as arms
from bandits.delivery.base import DELIVERY as DELIVERIES
from bandits.delivery.base import Delivery
from bandits.policies.base import POLICIES
from bandits.stopping.base import STOPPING as STOPPING_RULES
from bandits.stopping.base import Stopping
from experiments.engine.experiment import Choice
from experiments.engine.tasks import EXECUTORS
from numerics.checks import prefix_errors
from numerics.kernels.sources import digest


@dataclass(frozen=True)
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


def digests(sources: Iterable[Any]) -> str:
    """Return the digests of files, given by their paths or by functions and classes in them."""
    files = {source if isinstance(source, str) else _file_of(source) for source in sources}
    return " ".join(map(digest, sorted(files)))


def _file_of(source: Any) -> str:
    """Return the file of a function or class: of one that `exec` has made, that of its module."""
    file = inspect.getfile(source)
    return file if os.path.isfile(file) else inspect.getfile(sys.modules[source.__module__])


def _source_of_policy(labelled: LabelledPolicy) -> str:
    return digests(hook.function for hook in labelled.policy.spec().hooks)


def _source_of_arms(arms: Arms) -> str:
    return (
        f"{arms!r} {digests((type(arms), arms.reward_law.function))}"  # every number, such as the means of a click log
    )


def _source_of_delivery(delivery: Delivery) -> str:
    return f"{delivery!r} {hashlib.sha256(delivery.values.tobytes()).hexdigest()}"


def _source_of_stopping(rule: Stopping) -> str:
    return digests([rule.hook.function])


POLICY = Choice(POLICIES, _entry, _source_of_policy, labelled=True)
ARMS = Choice(arms.ARMS, _arms, _source_of_arms)
DELIVERY = Choice(DELIVERIES, source_fingerprint=_source_of_delivery)
STOPPING = Choice(STOPPING_RULES, source_fingerprint=_source_of_stopping)
EXECUTOR = Choice(EXECUTORS)
