"""An agent in a database: several processes and machines share its choices and rewards, and none is lost.

The database holds one list of events for each agent, and a process the state after some of them. It computes its next
event on this state, and appends it as the next one. If another process was first, it learns the events that it does not
know, and computes its own again. So all choices and rewards stand in one order, and the state is the fold of the list.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import math
import operator
import random
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from bandits.journal.store import CHANGED, SET_ASIDE, Event, Journal, JournalError, SetBackError
from bandits.live.base import BaseAgent
from bandits.live.choices import Choice, check_arm
from bandits.live.description import OPTIONS, Arm, Description, check_text, described, is_described, names_of, of_json
from bandits.live.engine import CompiledEngine
from bandits.live.play import Play
from bandits.live.summary import Known
from bandits.policies.base import POLICIES, Policy
from numerics import checks
from numerics.parameters import did_you_mean

T = TypeVar("T")

_BETWEEN_SNAPSHOTS = 10_000  # events
_MOST_OPEN = 100_000  # pending choices that a process remembers; it looks others up
_PAUSE, _MOST_DOUBLED = 0.004, 3  # seconds that a process waits, at most, when another was first; doubled so often
_LONGEST_KEY = 200  # characters
_DAY, _HOUR = 86_400.0, 3_600.0  # seconds
_pauses = random.SystemRandom()  # which a fork does not copy


class _Open(NamedTuple):
    """What a process remembers of a choice that waits for its reward."""

    arm: int  # its index
    kept: bytes


class SharedAgent(BaseAgent):
    """An agent in a database, as `Agent.open` returns it.

    Attributes
    ----------
    name : str
        Its name in the database.
    """

    def __init__(self, journal: Journal, name: str, description: Description, retain: float | None):
        self._begin(description)
        self.name: str = name
        self._journal = journal
        self._retain, self._next_deletion = retain, 0.0
        self._seq, self._time = 0, 0.0  # the number and time of the last event that the state knows
        self._made = 0  # the choices up to it
        self._sure = False  # whether the state is that after the last event: not within a change, or after an interrupt
        self._remembered: OrderedDict[int, _Open] = OrderedDict()
        self._stored: dict[str, Any] = {}  # the description in the database
        self._older = False  # whether the events are those of another revision of the policy

    def __repr__(self) -> str:
        return f"<agent {self.name!r}: {POLICIES.text(self.policy)}, {self._made:,} choices, {self._journal!r}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database, after the calls of other threads that run."""
        with self._lock:
            self._journal.close()

    def _after_fork(self) -> None:
        """Read the state anew in a child, as another thread may have been within a change."""
        self._lock, self._sure = threading.RLock(), False

    @property
    def arms(self) -> list[Arm]:
        """All arms, also retired ones, in the order of their addition."""
        with self._lock:
            self._refresh()
            return super().arms

    @property
    def retired(self) -> list[Arm]:
        """The retired arms."""
        with self._lock:
            self._refresh()
            return super().retired

    @property
    def choices(self) -> int:
        """The number of choices of all processes."""
        with self._lock:
            self._refresh()
            return self._made

    @property
    def pending(self) -> list[Choice]:
        """The choices of all processes without a reward, in order."""
        with self._lock:
            events = self._journal.pending()
            self._refresh()  # after they were read, so that all of their arms are known
            return [self._choice_of(event) for event in events]

    # ------------------------------------------------------------ choose and learn

    def choose(self, features: Sequence[float] | None = None, *, key: str | None = None) -> Choice:
        """Choose an arm; the choice is in the database before this returns.

        Parameters
        ----------
        features : sequence of float, shape (d,), optional
            As for `Agent.choose`.
        key : str, optional
            A name of the request. A second call with the same key gets the same choice.

        Returns
        -------
        Choice

        Raises
        ------
        ValueError
            As for `Agent.choose`, or a key that is empty or longer than 200 characters.
        JournalError
            The database did not answer. The choice may be there; a call with the same key gets it.
        """
        seen = self.description.check_features(features)
        if key is not None:
            check_text("key", key, _LONGEST_KEY)
        with self._lock:
            if key is not None and (made := self._journal.by_key(key)) is not None:
                self._refresh()  # as its arm may be new
                return self._choice_of(made)
            return self._append(lambda: self._make_choice(seen, key))

    def choose_many(self, n: int, features: Sequence[Sequence[float]] | None = None) -> list[Choice]:
        """Choose n arms; `features` has a row for each choice."""
        n = checks.check_whole("n", n, 1, most=10**6)
        return [self.choose(row) for row in self._rows_of(n, features)]

    def reward(self, choice: Choice | int, reward: float) -> bool:
        """Tell the agent a reward; it is in the database before this returns. Else as `Agent.reward` says."""
        at = self._id_of(choice)
        number = self.description.check_reward(reward)
        with self._lock:
            self._look_for(at)
            return self._append(lambda: self._make_reward(at, choice, number))

    def forget(self, choices: Iterable[Choice | int]) -> None:
        """Forget pending choices that will get no reward; as `Agent.forget` says."""
        given = self._ids_of(choices)
        with self._lock:
            self._refresh()
            for at, choice in given.items():
                self._make_forgotten(at, choice)
            for at, choice in given.items():
                self._append(lambda at=at, choice=choice: self._make_forgotten(at, choice))  # type: ignore[misc]

    def add_arm(self, arm: Arm) -> None:
        """Add an arm, or bring one back, in all processes; as `Agent.add_arm` says."""
        with self._lock:
            self._append(lambda: self._make_change("arm_added", arm))

    def retire_arm(self, arm: Arm) -> None:
        """Stop choosing an arm, in all processes; as `Agent.retire_arm` says."""
        with self._lock:
            self._append(lambda: self._make_change("arm_retired", arm))

    @property
    def probabilities(self) -> dict[Arm, float]:
        """The probability of each arm at the next choice, for a policy without features."""
        with self._lock:
            self._refresh()
            return super().probabilities

    # ------------------------------------------------------------ events

    def _append(self, make: Callable[[], tuple[Event | None, T]]) -> T:
        """Append the event that `make` makes on the state, again after others if another process was first.

        `make` changes the state, and returns the event, or None where there is nothing to append, and a result.
        """
        for lost in itertools.count(1):
            if not self._sure:
                self._reload()
            mark = self._play.mark()
            self._sure = False
            try:
                event, result = make()
                written = event is not None and self._journal.append(self._seq, event, self._time)
            except BaseException:
                self._rewind(mark)
                raise
            if event is None:
                self._sure = True
                return result
            if written:
                self._count(self._seq + 1, event)
                self._sure = True
                break
            self._rewind(mark)
            time.sleep(_pauses.uniform(0.0, _PAUSE * 2.0 ** min(lost, _MOST_DOUBLED)))
            if not self._refresh():
                raise JournalError(
                    f"{self._journal!r} rejects event {self._seq + 1} of {self.name!r}, although it has no such event"
                )
            if event.key is not None and (made := self._journal.by_key(event.key)) is not None:
                same: Any = self._choice_of(made)
                return same  # type: ignore[no-any-return]
        if self._seq % _BETWEEN_SNAPSHOTS == 0:
            self._write_snapshot()
        self._delete_old()
        return result

    def _rewind(self, mark: Any) -> None:
        self._play.rewind(mark)
        self._sure = True

    def _make_choice(self, seen: Any, key: str | None) -> tuple[Event, Choice]:
        index, state, kept = self._play.choose(seen)
        chances, error = self._play.chances(state, index)
        event = Event(
            "choice",
            time.time(),
            self._made,
            index,
            float(chances[index]),
            error or None,
            features=None if seen is None else json.dumps(seen.tolist()),
            kept=base64.b64encode(kept).decode() if kept else None,
            key=key,
        )
        choice = Choice(self._play, self._made, self._play.arms[index], index, seen, None)
        choice._known = chances, error
        return event, choice

    def _make_reward(self, at: int, choice: Any, reward: float) -> tuple[Event | None, bool]:
        found = self._remembered.get(at)
        if found is None:
            events = self._looked_up(at)
            if "forgotten" in events:
                raise ValueError(f"choice must not be forgotten; choice {at} is forgotten")
            if "reward" in events:
                known = events["reward"].reward
                if known != reward:
                    raise ValueError(f"reward of choice {at} must be {known:g}, as recorded before; got {reward:g}")
                return None, False
            found = _opened(events["choice"])
            if self._play.engine.keeps and not found.kept:
                raise ValueError(f"reward of choice {at} must arrive earlier; its features were deleted (retain)")
        check_arm(choice, self._play.arms[found.arm])
        self._play.learn(found.arm, reward, found.kept)
        kept = base64.b64encode(found.kept).decode() if found.kept else None
        return Event("reward", time.time(), at, found.arm, reward=reward, kept=kept), True

    def _make_forgotten(self, at: int, choice: Any) -> tuple[Event | None, None]:
        events = self._looked_up(at)
        if "forgotten" in events:
            return None, None
        if "reward" in events:
            raise ValueError(f"choices must be pending; choice {at} is not pending")
        arm = events["choice"].arm
        assert arm is not None
        check_arm(choice, self._play.arms[arm])
        return Event("forgotten", time.time(), at, arm), None

    def _make_change(self, kind: str, arm: Any) -> tuple[Event, None]:
        if kind == "arm_added":
            self._check_arm(arm)
        index = self._play.add_arm(arm) if kind == "arm_added" else self._play.retire_arm(arm)
        return Event(kind, time.time(), arm=index, name=json.dumps(self._play.arms[index])), None

    def _look_for(self, at: int) -> None:
        """Learn what other processes have done if a choice may be one of theirs; not while an event is made."""
        if at not in self._remembered:
            self._refresh()

    def _looked_up(self, at: int) -> dict[str, Event]:
        """Return the events of a choice."""
        events = self._journal.of_choice(at) if 0 <= at < self._made else {}
        if "choice" not in events:
            raise ValueError(f"choice must be the id of one of this agent's {self._made} choices; got {at}")
        return events

    def _refresh(self) -> bool:
        """Learn the events that other processes have appended, and return whether there are any."""
        before = self._seq
        if self._sure:
            try:
                self._learn()
            except DeletedError:
                self._reload()  # from a snapshot that is newer than what was deleted
        else:
            self._reload()
            return True
        return self._seq > before

    def _reload(self) -> None:
        """Come to the state after the last event: from the latest snapshot, if there is one."""
        self._sure = False
        if (stored := self._journal.use(self.name)) is None or _without_revision(stored) != self._stored:
            raise JournalError(f"{self._journal!r} has no such agent {self.name!r} any more; open it again")
        self._remembered.clear()
        self._play, self._seq, self._time, self._made = Play(self.description), 0, 0.0, 0
        self._play.agent = self.name
        if isinstance(self._play.engine, CompiledEngine):
            with readable(f"the snapshot of {self.name!r}"):
                if (found := self._journal.snapshot()) is not None:
                    self._seq, self._time, state = found
                    self._play.restore(state["play"])
                    if (made := operator.index(state["made"])) < 0:
                        raise ValueError
                    self._made = made
        self._learn()

    def _learn(self) -> None:
        """Fold all events that the state does not know."""
        try:
            while events := self._journal.read(self._seq, since=self._time if self._seq else None):
                self._sure = False
                for seq, event in events:
                    fold(self._play, event, self._made, lenient=self._older)
                    self._count(seq, event)
        except SetBackError:
            self._sure = False  # so the next call goes on with the events that there are
            raise
        self._sure = True

    def _count(self, seq: int, event: Event) -> None:
        """Know an event as the last one."""
        self._seq, self._time = seq, event.time
        self._remember(event)

    def _remember(self, event: Event) -> None:
        """Count an event, and remember what a later reward needs."""
        if event.kind == "choice":
            assert event.choice is not None
            self._made += 1
            self._remembered[event.choice] = _opened(event)
            if len(self._remembered) > _MOST_OPEN:
                self._remembered.popitem(last=False)
        elif event.choice is not None:
            self._remembered.pop(event.choice, None)

    def _choice_of(self, event: Event) -> Choice:
        """Return the choice of an event, of which the propensity alone is known."""
        assert event.choice is not None
        assert event.arm is not None
        seen = None if event.features is None else np.array(json.loads(event.features))
        choice = Choice(self._play, event.choice, self._play.arms[event.arm], event.arm, seen, None)
        chances = np.full(event.arm + 1, math.nan)
        chances[event.arm] = event.propensity
        choice._known = chances, event.error or 0.0
        return choice

    # ------------------------------------------------------------ open, and what is kept

    def _state(self) -> dict[str, Any]:
        return {"play": self._play.as_json(), "made": self._made}

    def _write_snapshot(self) -> None:
        """Keep the state, so that opening takes short."""
        if self._seq and isinstance(self._play.engine, CompiledEngine):
            self._journal.write_snapshot(self._seq, self._time, self._state())

    def _delete_old(self) -> None:
        """Delete features and keys that are older than is allowed, once an hour at most."""
        if self._retain is None or (now := time.time()) < self._next_deletion:
            return
        kept = self._retain * _DAY
        self._next_deletion = now + min(_HOUR, kept / 10.0)
        if self._journal.holds_older(now - kept):
            self._write_snapshot()
            self._journal.forget_before(now - kept)

    def check_journal(self) -> int:
        """Fold the whole journal again, and return the number of events in the state.

        Raises
        ------
        JournalError
            The state is another one, or the database did not answer.
        """
        with self._lock:
            self._refresh()
            play, made, seq = Play(self.description), 0, 0
            with readable(f"the snapshot of {self.name!r}"):
                if (base := self._journal.base()) and (found := self._journal.snapshot(base=True)) is not None:
                    seq, state = base, found[2]
                    play.restore(state["play"])
                    made = operator.index(state["made"])
            while seq < self._seq and (events := self._journal.read(seq)):
                for at, event in events:
                    if at <= self._seq:
                        fold(play, event, made, lenient=self._older)
                        made += event.kind == "choice"
                        seq = at
            if made != self._made or not _alike(play, self._play):
                raise JournalError(f"the state of {self.name!r} does not follow from its {seq:,} events")
            return seq

    def save(self, path: Any) -> None:
        """Refuse: the database has the agent.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError(f"save must be left out for {self.name!r}, which is stored in {self._journal!r}")

    def _known(self) -> Known:
        with self._lock:
            self._refresh()
            arms, retired, seq, made = list(self._play.arms), self._are_retired(), self._seq, self._made
        paid: list[array[float]] = [array("d") for _ in arms]
        waiting, begun = [0] * len(arms), [(0.0, 0.0)] * len(arms)
        with readable(f"a reward of {self.name!r}"):
            for index, reward in self._journal.columns("reward", ("arm", "reward"), seq):
                paid[index].append(reward)
            for reward in itertools.chain.from_iterable((min(of_arm), max(of_arm)) for of_arm in paid if of_arm):
                self.description.check_reward(reward)
        for index, count in self._journal.waiting(made):
            waiting[index] = count
        return Known(arms, retired, made, paid, waiting, begun)


def open_agent(
    url: str,
    name: str,
    policy: Policy | str | None,
    arms: Sequence[Arm] | int | None,
    durable: str,
    retain: float | None,
    options: dict[str, Any],
) -> SharedAgent:
    """Return the agent of a name in a database; arguments as for `Agent.open`."""
    check_text("name", name, _LONGEST_KEY)
    arms = None if arms is None else names_of("arms", arms)
    for option in options:
        if option not in OPTIONS:
            known = f"{', '.join(OPTIONS)}{did_you_mean(option, OPTIONS)}"
            raise ValueError(f"options must be some of {known}; got {checks.show(option)}")
    if retain is not None:
        retain = checks.number("retain", retain, 0.0, above=True)
    journal = Journal(url, durable, create=policy is not None and arms is not None)
    try:
        stored = journal.use(name)
        if stored is None:
            if policy is None or arms is None:
                raise ValueError(f"policy and arms must be given for a new agent; there is no agent {name!r} yet")
            stored = journal.create(name, described(policy, arms, **options).as_json())
        if not is_described(stored):
            raise JournalError(f"the description of {name!r} cannot be read; {CHANGED}")
        description = of_json(stored, policy)
        _check_same(stored, options)
        agent = SharedAgent(journal, name, description, retain)
        if retain is not None and not isinstance(agent._play.engine, CompiledEngine):
            raise ValueError(f"retain must be left out for {description.policy.name}, which is a Python class")
        agent._stored = _without_revision(stored)
        agent._older = description.policy.revision != stored["revision"]
        agent._reload()
        if arms is not None:
            every, retired = agent._play.arms, agent._play.retired
            active = [arm for arm in every if arm not in retired]
            if list(arms) not in (stored["arms"], every, active):
                raise ValueError(f"arms must be as in the database, {active}; got {checks.show(list(arms))}")
        agent._delete_old()
        if agent._older:
            agent._write_snapshot()
            journal.describe(description.as_json())
            agent._older = False
    except BaseException:
        journal.close()
        raise
    return agent


class DeletedError(JournalError):
    """An event cannot be replayed, as its features were deleted or a repair set it aside."""


def fold(play: Play, event: Event, made: int, lenient: bool = False) -> None:
    """Apply an event to a state; a choice must be the one that the state makes, unless `lenient`.

    Raises
    ------
    JournalError
        Another choice: the event is not of this state, or of another version of the policy.
    """
    if event.kind == SET_ASIDE:
        raise DeletedError(f"an event after {made:,} choices cannot be replayed: a repair set it aside")
    if event.kind == "choice" and event.features is None and play.description.features is not None:
        raise DeletedError(f"choice {event.choice} cannot be replayed: its features were deleted (retain)")
    with readable(f"an event after {made:,} choices"):
        content = _content_of(event, play, made)
    if event.kind == "choice":
        index, _, _ = play.choose(content)
        if (index, made) != (event.arm, event.choice) and not lenient:
            raise JournalError(
                f"choice {event.choice} is arm {event.arm} in the journal, but arm {index} with this version of the "
                f"policy; {CHANGED}"
            )
    elif event.kind == "reward":
        assert event.arm is not None
        play.learn(event.arm, content, base64.b64decode(event.kept or ""))
    elif event.kind in ("arm_added", "arm_retired"):
        with readable(f"an event after {made:,} choices"):
            (play.add_arm if event.kind == "arm_added" else play.retire_arm)(content)


def _content_of(event: Event, play: Play, made: int) -> Any:
    """Return the features, the reward or the arm of an event; raise any error for one that no agent has written."""
    if event.kind in ("arm_added", "arm_retired"):
        name = json.loads(event.name or "")
        if event.arm != (play.arms.index(name) if name in play.arms else len(play.arms)):
            raise ValueError
        return name
    arm, choice = operator.index(event.arm), operator.index(event.choice)  # type: ignore[arg-type]
    known = made + (event.kind == "choice")
    if event.kind not in ("choice", "reward", "forgotten") or not (0 <= arm < len(play.arms) and 0 <= choice < known):
        raise ValueError
    if event.kind == "choice":
        return play.description.check_features(None if event.features is None else json.loads(event.features))
    if event.kind == "forgotten":
        return None
    play.engine.check_kept(base64.b64decode(event.kept or ""))
    return play.description.check_reward(event.reward)


@contextlib.contextmanager
def readable(what: str) -> Iterator[None]:
    """Say of what the database has, and cannot be read, that it was changed."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise JournalError(f"{what} cannot be read; {CHANGED}") from error


def _opened(event: Event) -> _Open:
    assert event.arm is not None
    return _Open(event.arm, base64.b64decode(event.kept) if event.kept else b"")


def _alike(one: Play, other: Play) -> bool:
    """Return whether two states are the same to the last bit."""
    if not isinstance(one.engine, CompiledEngine):
        return one.step == other.step
    return json.dumps(one.as_json()) == json.dumps(other.as_json())


def _without_revision(stored: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in stored.items() if name != "revision"}


def _check_same(stored: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuse options that differ from those of the agent in the database."""
    for argument, value in options.items():
        value = list(value) if isinstance(value, tuple) else value
        if value != stored[argument]:
            raise ValueError(f"{argument} must be as in the database, {stored[argument]}; got {checks.show(value)}")
