"""The agents of a service: each is opened once, and shared by all requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from bandits import Agent
from bandits.journal.store import Journal
from bandits.live.shared import SharedAgent
from bandits.policies.base import POLICIES
from numerics.checks import show

_BINS = 50  # of a figure, at most
_QUICK = 0.05  # seconds of work, up to which an answer is made anew ...
_SHARE = 0.1  # ... else of a core, at most, that goes into what is shown of one agent


class UnknownAgent(ValueError):
    """There is no agent of that name."""


class OpenAgents:
    """The agents in a database.

    Parameters
    ----------
    url : str
        As for `Agent.open`.
    rules : sequence of str
        Rules of one's own by their dotted paths, which agents may have; others are not imported.
    durable : str
        As for `Agent.open`.
    """

    def __init__(self, url: str, rules: Sequence[str] = (), durable: str = "process"):
        self.url: str = url
        self._rules = tuple(rules)
        self._durable = durable
        self._open: dict[str, SharedAgent] = {}
        self._seen: dict[tuple[str, bool], tuple[float, dict[str, Any]]] = {}  # what was shown, and until when it is
        self._lock, self._looking = threading.Lock(), threading.Lock()
        self._journal = Journal(url, durable)  # for what only reads

    def close(self) -> None:
        """Let go of the database."""
        with self._lock:
            for agent in self._open.values():
                agent.close()
            self._open.clear()
        self._journal.close()

    def names(self) -> list[str]:
        """Return the names of all agents in the database."""
        with self._looking:
            return self._journal.agents()

    def create(self, name: str, policy: str, arms: Sequence[str | int] | int, options: dict[str, Any]) -> SharedAgent:
        """Make an agent, or open the one of that name if it is the same.

        Raises
        ------
        ValueError
            As for `Agent.open`; a rule of one's own that was not named at the start.
        """
        self._check(policy)
        agent = Agent.open(self.url, name, policy, arms, durable=self._durable, **options)
        with self._lock:
            if name in self._open:
                agent.close()
            else:
                self._open[name] = agent
            return self._open[name]

    def __getitem__(self, name: str) -> SharedAgent:
        agent = self._open.get(name)
        if agent is not None:
            return agent
        with self._looking:
            stored = self._journal.use(name)
        if stored is None:
            raise UnknownAgent(f"name must be the name of an agent; got {show(name)}")
        self._check(stored["policy"])
        opened = Agent.open(self.url, name, stored["policy"], durable=self._durable)
        with self._lock:
            if name in self._open:
                opened.close()
            else:
                self._open[name] = opened
            return self._open[name]

    def _check(self, policy: str) -> None:
        """Refuse a policy whose code would be imported, unless it was named at the start."""
        word = policy.split(" ", 1)[0]
        if word not in self._rules and (word not in POLICIES.members or word == "custom"):
            raise ValueError(
                f"policy must be a registered policy, or one given by rules= at the start; got {show(policy)}"
            )

    def shown(self, name: str, course: bool) -> dict[str, Any]:
        """Return what an agent is and knows, and its course; some time old where that takes long to compute."""
        until, known = self._seen.get((name, course), (0.0, {}))
        if time.monotonic() < until:
            return known
        agent, begun = self[name], time.monotonic()
        events = self._events(name) if course else None
        rows = arms_of(agent)  # which may have come since, so that all arms of the events are known
        content = {**described(agent), "arms": rows, **(course_of(*events, len(rows)) if events else {})}
        now = time.monotonic()
        if now - begun > _QUICK:
            self._seen[name, course] = now + (now - begun) / _SHARE, content
        return content

    def _events(self, name: str) -> tuple[list[int], list[tuple[int, float]]]:
        """Return the arm of every choice, and the choice and size of every reward."""
        with self._looking:
            self._journal.use(name)
            chosen = [row[0] for row in self._journal.columns("choice", ("arm",))]
            return chosen, self._journal.columns("reward", ("choice", "reward"))


def course_of(chosen: list[int], paid: list[tuple[int, float]], count: int) -> dict[str, Any]:
    """Return shares of `count` arms and cumulative reward over the choices, in bins of as many."""
    total = len(chosen)
    edges = np.unique(np.linspace(0, total, min(_BINS, max(1, total)) + 1).round().astype(int))
    earned = np.zeros(total)
    for choice, reward in paid:
        if choice < total:
            earned[choice] = reward
    sums = np.concatenate([[0.0], np.cumsum(earned)])
    arms = np.array(chosen, dtype=np.int64)
    shares = [
        (np.bincount(arms[low:high], minlength=count) / (high - low)).round(4).tolist()
        for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]
    return {"edges": edges.tolist(), "shares": shares, "earned": sums[edges].tolist()}


def described(agent: SharedAgent) -> dict[str, Any]:
    """Return what an agent is, as JSON holds it."""
    content = {"name": agent.name, **agent.description.as_json(), "formula": agent.policy.formula}
    return {**content, "choices": agent.choices, "retired": agent.retired}


def arms_of(agent: SharedAgent) -> list[dict[str, Any]]:
    """Return what is known of each arm; null where nothing is."""
    frame = agent.to_frame()
    rows: list[dict[str, Any]] = []
    for row in frame.to_dict("records"):
        rows.append({str(key): None if value != value else value for key, value in row.items()})
    return rows
