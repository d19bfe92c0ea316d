"""Find the events of an agent in a database that do not fold, and set them aside.

The first such event may have changed the state behind it, so the choices after it count as recorded. An event that
cannot be read without those set aside is set aside too: the reward of a choice, or all choices of an arm.
"""

from __future__ import annotations

import datetime
import json
import operator
from collections.abc import Iterator
from typing import Any, NamedTuple

from bandits.journal.store import CHANGED, Event, Journal, JournalError
from bandits.live.description import is_described, of_json
from bandits.live.engine import CompiledEngine
from bandits.live.play import Play
from bandits.live.shared import fold, readable
from bandits.policies.base import Policy
from numerics import checks


class Fault(NamedTuple):
    """What does not fold: an event, or a gap, which has none."""

    number: int
    event: Event | None
    why: str

    def __str__(self) -> str:
        if self.event is None:
            return self.why
        return f"event {self.number} ({checks.show(self.event.kind)}, {_date(self.event.time)}): {self.why}"


class Findings(NamedTuple):
    """What a look at a journal found.

    Attributes
    ----------
    last : int
        The number of the last event.
    faults : list of Fault
        In the order of their numbers.
    state : dict
        The state without the faults, as a snapshot has it; empty for a class of one's own.
    snapshot : str
        What is wrong with the snapshot at which opening begins; empty if nothing is.
    """

    last: int
    faults: list[Fault]
    state: dict[str, Any]
    snapshot: str


def repair_agent(url: str, name: str, policy: Policy | str | None = None, apply: bool = False) -> Findings:
    """Find what does not fold in the journal of an agent, and set it aside if `apply` is true.

    Parameters
    ----------
    url, name
        As for `Agent.open`.
    policy : Policy or str, optional
        That of the agent, if it is a rule of your own.
    apply : bool, default False
        Whether the journal is changed. What is set aside stays in it as text.

    Returns
    -------
    Findings
        As found before any change.

    Raises
    ------
    ValueError
        An unknown agent, another policy, or a class of one's own whose journal would have to be changed.
    JournalError
        The database did not answer, or another process has written an event since. Or the snapshot is not readable
        at which the fold begins.

    Examples
    --------
    >>> import tempfile
    >>> from bandits import Agent
    >>> shop = f"sqlite:///{tempfile.mkdtemp()}/shop.db"
    >>> with Agent.open(shop, "banner", "ucb", 2) as agent:
    ...     choice = agent.choose()
    >>> repair_agent(shop, "banner").faults
    []
    """
    journal = Journal(url, create=False)
    try:
        stored = journal.use(name)
        if stored is None:
            known = ", ".join(journal.agents()) or "the agents in the database; there are none"
            raise ValueError(f"name must be one of {known}; got {checks.show(name)}")
        if not is_described(stored):
            raise JournalError(f"the description of {name!r} cannot be read; {CHANGED}")
        description = of_json(stored, policy)
        play = Play(description)
        found = _look(journal, play, name, description.policy.revision != stored["revision"])
        if apply and (found.faults or found.snapshot):
            if not isinstance(play.engine, CompiledEngine):
                raise ValueError(f"apply must be false for {description.policy.name}: a Python class has no snapshots")
            events = {fault.number: fault.event for fault in found.faults if fault.event is not None}
            journal.set_aside(events, found.last, found.state)
        return found
    finally:
        journal.close()


def _look(journal: Journal, play: Play, name: str, lenient: bool) -> Findings:
    """Fold a journal without its faults."""
    made, last, is_compiled = 0, 0, isinstance(play.engine, CompiledEngine)
    if base := journal.base():
        with readable(f"the snapshot of {name!r} at event {base}, before which events may be deleted,"):
            if (found := journal.snapshot(base=True)) is None:
                raise ValueError
            play.restore(found[2]["play"])
            made, last = found[2]["made"], base
    snapped, known, snapshot = _snapshot(journal, name, play) if is_compiled else (0, None, "")
    arms = dict(journal.columns("choice", ("choice", "arm"), base))
    faults: list[Fault] = []
    lost = 0  # numbers of choices that faults may have
    for number, event in _events(journal, base):
        if gap := number - last - 1:
            lost += gap
            several = f"events {last + 1} to {number - 1} are" if gap > 1 else f"event {number - 1} is"
            faults.append(Fault(last + 1, None, f"{several} missing"))
        last = number
        try:
            at = _number_of(event, made, lost)
            _check(event, arms)
            fold(play, event, at, lenient=lenient or bool(faults))
        except (JournalError, ValueError) as error:
            lost += event.kind == "choice" or event.propensity is not None  # which no other event has
            faults.append(Fault(number, event, str(error)))
            continue
        if event.kind == "choice":
            arms[event.choice] = event.arm
            made, lost = at + 1, lost - (at - made)
        if number == snapped and not faults and not lenient and known != _text_of(play, made):
            snapshot = f"the snapshot of {name!r} does not follow from its {number:,} events"
    if not is_compiled:
        return Findings(last, faults, {}, "")
    if faults:
        play.renew(last)
    return Findings(last, faults, {"play": play.as_json(), "made": made + lost}, snapshot)


def _text_of(play: Play, made: int) -> str:
    """Return a state as a text; the same state has the same one."""
    return json.dumps([play.as_json(), made])


def _snapshot(journal: Journal, name: str, play: Play) -> tuple[int, str | None, str]:
    """Return the number of the latest snapshot, its state as a text, and what is wrong with it."""
    try:
        with readable(f"the snapshot of {name!r}"):
            if (found := journal.snapshot()) is not None:
                restored = Play(play.description)
                restored.restore(found[2]["play"])
                return found[0], _text_of(restored, operator.index(found[2]["made"])), ""
    except JournalError as error:
        return 0, None, str(error)
    return 0, None, ""


def _events(journal: Journal, after: int) -> Iterator[tuple[int, Event]]:
    while events := journal.listed(after):
        yield from events
        after = events[-1][0]


def _number_of(event: Event, made: int, lost: int) -> int:
    """Return the number of choices before an event, some of which may be lost.

    Raises
    ------
    JournalError
        A choice has a number that it cannot have.
    """
    if event.kind != "choice":
        return made + lost
    if isinstance(event.choice, int) and made <= event.choice <= made + lost:
        return event.choice
    raise JournalError(f"its number is {checks.show(event.choice)}, but {made} comes next; {CHANGED}")


def _check(event: Event, arms: dict[Any, Any]) -> None:
    """Refuse what opening does not read, but a log or a summary does.

    Raises
    ------
    JournalError
        A time or a propensity that is no number, or an event of a choice that is not there or of another arm.
    """
    with readable(f"a time or propensity of {event.kind}"):
        checks.number("time", event.time)
        if event.propensity is not None:
            checks.number("propensity", event.propensity)
    if event.kind in ("reward", "forgotten"):
        if event.choice not in arms:
            raise JournalError(f"its choice {checks.show(event.choice)} is missing or set aside")
        if arms[event.choice] != event.arm:
            raise JournalError(
                f"its arm is {checks.show(event.arm)}, but choice {event.choice} is arm {arms[event.choice]}; {CHANGED}"
            )


def _date(time: Any) -> str:
    """Return a time in UTC as a person reads it, and a wrong one as it is."""
    try:
        return f"{datetime.datetime.fromtimestamp(time, datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ArithmeticError, OSError, TypeError, ValueError):
        return f"time {checks.show(time)}"
