"""The agents of a service: one that is used is opened once, and shared by all requests."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bandits import Agent
from bandits.journal.store import Journal
from bandits.live.shared import SharedAgent
from bandits.policies.base import POLICIES
from numerics.checks import prefix_errors, show

_MOST_OPEN = 64  # agents
_BINS = 50  # of a figure, at most
_QUICK = 0.05  # seconds of work, up to which an answer is made anew ...
_SHARE = 0.1  # ... else of a core, at most, that goes into what is shown of one agent


class WrongRequest(ValueError):
    """What a client asked for is refused; any other ValueError is a fault of the service."""


class UnknownAgent(WrongRequest):
    """There is no agent of that name."""


@contextlib.contextmanager
def of_request() -> Iterator[None]:
    """Tell a ValueError about what a client gave as that client's mistake."""
    try:
        yield
    except ValueError as error:
        raise WrongRequest(str(error)) from error


class _Open:
    """An agent that is open, or being opened, and what was shown of it."""

    def __init__(self) -> None:
        self.agent: SharedAgent | None = None
        self.users: int = 0
        self.opening, self.showing = threading.Lock(), threading.Lock()
        self.seen: dict[bool, tuple[float, dict[str, Any]]] = {}  # with the time until which it is shown again


class OpenAgents:
    """The agents in a database: of each that is used there is one object, which all requests share.

    Parameters
    ----------
    url : str
        As for `Agent.open`.
    rules : sequence of str
        Rules of one's own by their dotted paths, which agents may have; others are not imported.
    durable : str
        As for `Agent.open`.
    most : int
        How many agents stay open while no request uses them; the least recently used are closed.
    """

    def __init__(self, url: str, rules: Sequence[str] = (), durable: str = "process", most: int = _MOST_OPEN):
        self.url: str = url
        for number, rule in enumerate(rules):
            with prefix_errors(f"rules[{number}]"):
                POLICIES.of(rule).spec()  # refuses one that cannot be imported
        self._rules = tuple(rules)
        self._durable = durable
        self._most = most
        self._open: OrderedDict[str, _Open] = OrderedDict()  # the most recently used last
        self._lock, self._looking = threading.Lock(), threading.Lock()
        self._journal = Journal(url, durable)  # for what only reads

    def close(self) -> None:
        """Let go of the database; a request that is not answered yet closes its own agent, and keeps what it reads."""
        self._most = 0
        self._close_idle()
        if self._looking.acquire(blocking=False):
            self._journal.close()
            self._looking.release()

    def names(self) -> list[str]:
        """Return the names of all agents in the database."""
        with self._looking:
            return self._journal.agents()

    def create(
        self, name: str, policy: str, arms: Sequence[str | int] | int, options: dict[str, Any]
    ) -> dict[str, Any]:
        """Make an agent, or open the one of that name if it is the same; return what it is.

        Raises
        ------
        WrongRequest
            As for `Agent.open`; a rule of one's own that was not named at the start.
        """
        self._check(policy)
        with self._entry(name) as entry, entry.opening:
            with of_request():
                agent = Agent.open(self.url, name, policy, arms, durable=self._durable, **options)
            if entry.agent is None:
                entry.agent = agent
            else:
                agent.close()
            return described(entry.agent)

    @contextlib.contextmanager
    def using(self, name: str) -> Iterator[SharedAgent]:
        """Open an agent, which stays open in the block.

        Raises
        ------
        UnknownAgent
            There is none of that name.
        """
        with self._entry(name) as entry:
            yield self._agent(name, entry)

    @contextlib.contextmanager
    def _entry(self, name: str) -> Iterator[_Open]:
        """Keep the entry of a name; afterwards close the agents that are too many."""
        with self._lock:
            entry = self._open.setdefault(name, _Open())
            self._open.move_to_end(name)
            entry.users += 1
        try:
            yield entry
        finally:
            with self._lock:
                entry.users -= 1
            self._close_idle()

    def _close_idle(self) -> None:
        """Close agents that no request uses: the least recently used of too many, and forget names without one."""
        with self._lock:
            idle = [name for name, entry in self._open.items() if not entry.users]
            leaving = [name for name in idle if self._open[name].agent is None]
            kept = [name for name in idle if name not in leaving]
            leaving += kept[: max(0, len(self._open) - len(leaving) - self._most)]
            closed = [self._open.pop(name).agent for name in leaving]
        for agent in closed:
            if agent is not None:
                agent.close()

    def _agent(self, name: str, entry: _Open) -> SharedAgent:
        """Return the agent of an entry, which is opened once."""
        with entry.opening:
            if entry.agent is None:
                with self._looking:
                    stored = self._journal.use(name)
                if stored is None:
                    raise UnknownAgent(f"name must be the name of an agent; got {show(name)}")
                self._check(stored["policy"])
                entry.agent = Agent.open(self.url, name, stored["policy"], durable=self._durable)
            return entry.agent

    def _check(self, policy: str) -> None:
        """Refuse a policy whose code would be imported, unless it was named at the start."""
        word = policy.split(" ", 1)[0]
        if word not in self._rules and (word not in POLICIES.members or word == "custom"):
            raise WrongRequest(
                f"policy must be a registered policy, or one given by rules= at the start; got {show(policy)}"
            )

    def shown(self, name: str, course: bool) -> dict[str, Any]:
        """Return what an agent is and knows, and its course; some time old where that takes long to compute."""
        with self._entry(name) as entry:
            agent = self._agent(name, entry)
            with entry.showing:  # requests that wait here find what the first one computed
                until, known = entry.seen.get(course, (0.0, {}))
                begun = time.monotonic()
                if begun < until:
                    return known
                events = self._events(name) if course else None
                rows = arms_of(agent)  # which may have come since, so that all arms of the events are known
                content = {**described(agent), "arms": rows, **(course_of(*events, len(rows)) if events else {})}
                now = time.monotonic()
                if now - begun > _QUICK:
                    entry.seen[course] = now + (now - begun) / _SHARE, content
                return content

    def _events(self, name: str) -> tuple[list[int], list[tuple[int, float]]]:
        """Return the arm of every choice, and the choice and size of every reward; choices by their places."""
        with self._looking:
            self._journal.use(name)
            made = self._journal.columns("choice", ("choice", "arm"))
            paid = self._journal.columns("reward", ("choice", "reward"))
        places = {choice: place for place, (choice, _) in enumerate(made)}  # a repair may have set choices aside
        return [arm for _, arm in made], [(places[choice], reward) for choice, reward in paid if choice in places]


def course_of(chosen: list[int], paid: list[tuple[int, float]], count: int) -> dict[str, Any]:
    """Return shares of `count` arms and cumulative reward over the choices, in bins of as many."""
    total = len(chosen)
    edges = np.unique(np.linspace(0, total, min(_BINS, max(1, total)) + 1).round().astype(int))
    earned = np.zeros(total)
    for place, reward in paid:
        earned[place] = reward
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
