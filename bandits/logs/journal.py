"""The journal of an agent as a log: its choices, their propensities and rewards."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bandits.journal import store
from bandits.logs.forms import LogForm
from bandits.logs.log import Log, alike, sorted_names
from numerics import checks
from numerics.checks import escape_controls
from numerics.parameters import parameter

Floats = npt.NDArray[np.float64]

_KEPT = 2  # logs that stay in memory after they were read
_NAMED = 8  # agents that a sentence names
_LISTED = 3  # choices without a propensity that a sentence names
_PASSWORD = "url must have no password, because results store the url: use PGPASSWORD or a pgpass file"


def _url(name: str, value: Any) -> str:
    """Return the URL of a database without a password; nothing that is refused is shown."""
    if not isinstance(value, str) or "://" not in value:
        raise ValueError(f"{name} must be sqlite:///PATH or postgresql://USER@HOST/DATABASE; got {checks.show(value)}")
    rest = value.partition("://")[2]
    place, _, query = rest.partition("?")
    server = place.partition("/")[0]  # of sqlite:///PATH there is none
    user = place.rpartition("@")[0] if "@" in place and not value.startswith("sqlite") else server.rpartition("@")[0]
    if ":" in user or "password" in query.lower():
        raise ValueError(_PASSWORD)
    return value


def _agent(name: str, value: Any) -> str | float:
    """Return the name of an agent, or the number, true or false that a command line makes of one."""
    if not isinstance(value, str | int | float) or value == "":
        raise ValueError(f"{name} must be the name of an agent; got {checks.show(value)}")
    return value


def _name_of(word: str | float, names: Sequence[str]) -> str:
    """Return which agent is meant.

    Raises
    ------
    ValueError
        None, or several that a command line makes the same number.
    """
    meant = [name for name in names if name == word] if isinstance(word, str) else alike(word, names)
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise ValueError(f"agent must be one of {_listed(meant)}, the same number: write agent='\"{meant[0]}\"'")
    raise ValueError(f"agent must be one of {_listed(names)}; got {checks.show(word)}")


class Journal(LogForm, name="journal"):
    """The journal of an agent in a database: a row for each choice, with its propensity, its time and its reward."""

    url: str = parameter(check=_url, help="sqlite:///PATH or postgresql://USER@HOST/DATABASE, without a password")
    agent: str | float = parameter(check=_agent, help="the agent's name in the database")
    unrewarded: float | None = parameter(
        None, help="reward of choices that have none: 0 if no reward means no click; null leaves them out"
    )
    wait: float = parameter(0.0, low=0.0, help="seconds that a reward may take; younger choices are left out")
    up_to: int | None = parameter(None, low=0, help="number of the last event to read; null: all events")

    @property
    def title(self) -> str:
        """The agent."""
        return f"agent {self.agent}"

    def read(self, columns: tuple[str, ...] = ()) -> Log:
        """As `LogForm` says.

        Raises
        ------
        ValueError
            A database that does not answer or has no such agent, an agent without a row, or columns.
        """
        if columns:
            raise ValueError(f"columns must be left out for a journal; got {list(columns)}")
        return _read(*self._stamped())

    def fingerprint(self) -> str:
        """Return a digest of the log."""
        log = self.read()
        total = hashlib.sha256(json.dumps([log.names, log.unrewarded, dict(log.missing)]).encode())
        for each in (log.arm, log.reward, log.propensity, log.time, log.features):
            total.update(b"" if each is None else each.tobytes())
        return total.hexdigest()

    def pinned(self) -> Journal:
        """Return this journal up to `up_to`, or up to the current last event.

        Raises
        ------
        ValueError
            A database that does not answer or has no such agent, or `up_to` beyond its events.
        """
        return self._stamped()[0]

    def _stamped(self) -> tuple[Journal, tuple[float, int]]:
        """Return the journal up to a certain event, and what tells it from another one of the same name."""
        with self.opened() as (journal, _):
            up_to = journal.last() if self.up_to is None else self.up_to
            name = _name_of(self.agent, journal.agents())
            return dataclasses.replace(self, agent=name, up_to=up_to), journal.stamp()

    def history(self) -> History:
        """Return all choices of the agent up to the event, and their outcomes.

        Raises
        ------
        ValueError
            As for `pinned`, or an agent without a choice.
        """
        pinned, stamp = self._stamped()
        return _history(dataclasses.replace(pinned, unrewarded=None, wait=0.0), stamp)

    @contextmanager
    def opened(self) -> Iterator[tuple[store.Journal, dict[str, Any]]]:
        """Yield the journal in the database, opened for reading, and the description of the agent.

        Raises
        ------
        ValueError
            As for `pinned`.
        """
        try:
            database = store.Journal(self.url, create=False)
            try:
                description = database.use(_name_of(self.agent, database.agents()))
                assert description is not None
                if self.up_to is not None and self.up_to > (last := database.last()):
                    raise ValueError(f"up_to must be at most {last:,}, the agent's last event; got {self.up_to:,}")
                yield database, description
            finally:
                database.close()
        except store.JournalError as error:
            raise ValueError(f"url must name a readable journal; {error}") from None


def pin(node: Any, earlier: Any) -> Any:
    """Return the node of a configuration with journals pinned to an event: that of an earlier start, else the last one.

    Parameters
    ----------
    node
        A mapping, list or value, with journals at any depth.
    earlier
        The same of the configuration that a folder has; None where it has none.
    """
    if isinstance(node, list):
        olds: Sequence[Any] = earlier if isinstance(earlier, list) and len(earlier) == len(node) else [None] * len(node)
        return [pin(each, old) for each, old in zip(node, olds, strict=True)]
    if not isinstance(node, Mapping):
        return node
    old = earlier if isinstance(earlier, Mapping) else {}
    if node.get("name") != Journal.name:
        return {key: pin(value, old.get(key)) for key, value in node.items()}
    given = {key: value for key, value in node.items() if key not in ("name", "label")}
    if given.get("up_to") is not None:
        return dict(node)
    if old.get("up_to") is not None and {**old, "up_to": None} == {**node, "up_to": None}:
        return {**node, "up_to": old["up_to"]}
    return {**node, "up_to": Journal(**given).pinned().up_to}


class History(NamedTuple):
    """The choices of an agent, in order, and their outcomes.

    Attributes
    ----------
    description : mapping
        Of the agent.
    names : list of str
        All arms that it has or had, by their places.
    retired : list of bool
        Which of them are chosen no more.
    arm : ndarray of int32, shape (n,)
    propensity : ndarray of float64, shape (n,)
        NaN where it is not known.
    time : ndarray of float64, shape (n,)
        Of the choice, in seconds since 1970.
    reward, reward_time : ndarray of float64, shape (n,)
        NaN where there is none.
    reward_rank : ndarray of int64, shape (n,)
        The place of the reward among all rewards as they came; -1 where there is none.
    forgotten : ndarray of bool, shape (n,)
        Whether the reward is not expected any more.
    features : list of str or None, length n
        As JSON; None where there are none, or where they are forgotten.
    """

    description: Mapping[str, Any]
    names: list[str]
    retired: list[bool]
    arm: npt.NDArray[np.int32]
    propensity: Floats
    time: Floats
    reward: Floats
    reward_time: Floats
    reward_rank: npt.NDArray[np.int64]
    forgotten: npt.NDArray[np.bool_]
    features: list[str | None]


def now_of(history: History) -> float:
    """Return the time of the last choice or reward, which a report takes for now."""
    return float(np.fmax(history.time.max(), np.nanmax(np.append(history.reward_time, -np.inf))))


@functools.lru_cache(1)
def _history(pinned: Journal, stamp: tuple[float, int]) -> History:
    """Return the history of an agent up to an event."""
    up_to = pinned.up_to
    with pinned.opened() as (journal, description):
        wanted = ("choice", "arm", "propensity", "time", *(["features"] if description["features"] else []))
        choices = journal.columns("choice", wanted, up_to)
        rewards = journal.columns("reward", ("choice", "reward", "time"), up_to)
        ended = journal.columns("forgotten", ("choice",), up_to)
        changed = [
            (seq, event)
            for kind in ("arm_added", "arm_retired")
            for seq, *event in journal.columns(kind, ("seq", "kind", "arm", "name"), up_to)
        ]
    if not choices:
        raise ValueError(f"agent {pinned.agent!r} has made no choice up to event {up_to}")
    number, arm, propensity, time, *features = zip(*choices, strict=True)
    place = np.full(max(number) + 1, -1)
    place[list(number)] = np.arange(len(number))
    reward, reward_time = np.full((2, len(number)), np.nan)
    rank, forgotten = np.full(len(number), -1), np.zeros(len(number), np.bool_)
    if rewards:
        of_choice, paid, told = zip(*rewards, strict=True)
        at = place[list(of_choice)]
        reward[at], reward_time[at], rank[at] = paid, told, np.arange(len(paid))
    forgotten[place[[row[0] for row in ended]]] = True
    names = dict(enumerate(map(str, description["arms"])))
    retired = dict.fromkeys(names, False)
    for _, (kind, which, name) in sorted(changed):
        names[which], retired[which] = str(json.loads(name)), kind == "arm_retired"
    return History(
        description,
        [names[which] for which in sorted(names)],
        [retired[which] for which in sorted(names)],
        np.array(arm, np.int32),
        np.array(propensity, np.float64),
        np.array(time, np.float64),
        reward,
        reward_time,
        rank,
        forgotten,
        list(features[0]) if features else [None] * len(number),
    )


@functools.lru_cache(_KEPT)
def _read(pinned: Journal, stamp: tuple[float, int]) -> Log:
    """Return the log of an agent up to an event."""
    history = pinned.history()
    reward, known = history.reward.copy(), ~np.isnan(history.reward)
    waited = now_of(history) - history.time >= pinned.wait
    unrewarded = int((waited & ~known).sum())
    if pinned.unrewarded is not None:
        reward[~known] = pinned.unrewarded
        known[:] = True
    known &= waited
    if not known.any():
        old = f" for choices older than {pinned.wait:g} s" if pinned.wait else ""
        raise ValueError(f"agent {pinned.agent!r} has no reward{old} up to event {pinned.up_to}")
    missing = {}
    lacks = known & ~(history.propensity > 0.0)
    if (lacks == known).all():
        missing["propensity"] = "unknown in all rows"
        lacks[:] = False
    known &= ~lacks
    chances = None if missing else history.propensity[known]
    seen = None
    if not history.description["features"]:
        missing["features"] = "the agent uses no features"
    else:
        texts = list(itertools.compress(history.features, known))
        kept = [text for text in texts if text is not None]
        if len(kept) < len(texts):
            missing["features"] = f"deleted (retain) in {len(texts) - len(kept):,} of {len(texts):,} rows"
        else:
            seen = np.array([json.loads(text) for text in kept], np.float64)
    names, arm = sorted_names(history.names, history.arm[known])
    left_out = f" without the last {pinned.wait:g} s" if pinned.wait else ""
    return Log(
        names,
        arm,
        reward[known],
        chances,
        np.maximum.accumulate(history.time[known]),  # clocks of processes differ a little
        source=f"agent {pinned.agent!r} up to event {pinned.up_to:,}{left_out}",
        left_out=tuple(f"choice {at} has no propensity above 0" for at in np.flatnonzero(lacks)[:_LISTED]),
        bad=int(lacks.sum()),
        features=seen,
        unrewarded=unrewarded,
        filled=pinned.unrewarded,
        missing=missing,
    )


def _listed(agents: Sequence[str]) -> str:
    """Return the first agents of a database as a sentence shows them."""
    shown = ", ".join(escape_controls(name) for name in agents[:_NAMED])
    return shown + ", ..." * (len(agents) > _NAMED) if agents else "the agents in the database; there are none"
