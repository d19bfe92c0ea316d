"""An exception from outside at any line of a call: the agent agrees with its journal or ledger afterwards."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import bandits
from bandits import Agent
from tests.bandits.live.test_shared import ARMS

_OURS = tuple(str(Path(bandits.__file__).parent / folder) for folder in ("live", "journal"))


class StopError(Exception):
    """What a signal's handler raises."""


def interrupted(call: Callable[[], object], line: int) -> bool:
    """Carry out a call with an exception at a line of our files, counted; return whether it has so many."""
    left = line

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(_OURS):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                sys.settrace(None)
                raise StopError
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except StopError:
        return True
    finally:
        sys.settrace(before)
    return False


def at_each_line(call: Callable[[], object], check: Callable[[], object], step: int) -> None:
    """Interrupt a call at each `step`-th line, and look at the agent after each."""
    line = 1
    while interrupted(call, line):
        check()
        line += step
    assert line > 20, "the call has some lines"


@pytest.mark.parametrize(("policy", "step"), [("ucb", 41), pytest.param("exp3", 5, marks=pytest.mark.long)])
def test_an_agent_in_a_database_agrees_with_its_journal_after_an_interrupt(policy: str, step: int, file: str):
    with Agent.open(file, "a", policy, 2) as one, Agent.open(file, "a", policy) as other:
        foreign = [other.choose()]

        def check() -> None:
            one.reward(one.choose(), 1.0)
            if one.choices % 8 == 0:  # it reads all events, and what is wrong stays so
                one.check_journal()
            foreign[0] = other.choose()  # which the next call must learn first

        for call in (
            one.choose,
            lambda: one.choose(key=f"request {one._made}"),
            lambda: one.reward(foreign[0].id, 1.0),
        ):
            at_each_line(call, check, step)
        one.check_journal(), other.check_journal()


@pytest.mark.parametrize("step", [41, pytest.param(5, marks=pytest.mark.long)])
def test_arms_and_choices_to_forget_agree_with_the_journal_after_an_interrupt(step: int, file: str):
    with Agent.open(file, "a", "ucb", ARMS) as agent:

        def change() -> None:
            (agent.retire_arm if "pink" in agent.arms and "pink" not in agent.retired else agent.add_arm)("pink")

        at_each_line(change, agent.check_journal, step)
        at_each_line(lambda: agent.forget([agent.choose()]), agent.check_journal, step)


@pytest.mark.parametrize("policy", ["ucb", pytest.param("exp3", marks=pytest.mark.long)])
def test_an_agent_in_memory_agrees_with_its_ledger_after_an_interrupt(policy: str):
    agent = Agent(policy, ARMS)

    def check() -> None:
        agent.reward(agent.choose(), 1.0)
        pulls = [agent._play.engine.column(arm)[0] for arm in range(3)]
        assert pulls == [len(paid) for paid in agent._ledger.paid]
        assert agent._play.step == agent.choices
        waiting = np.isnan(agent._ledger.outcomes)
        assert np.flatnonzero(waiting).tolist() == [choice.id for choice in agent.pending]

    for call in (agent.choose, lambda: agent.reward(agent.choose(), 1.0)):
        at_each_line(call, check, 1)


def test_a_reward_that_was_interrupted_may_be_told_again():
    agent = Agent("ucb", ARMS)
    at, line = agent.choose().id, 1
    while interrupted(lambda: agent.reward(agent.choices - 1, 1.0), line):
        agent.reward(at, 1.0)
        assert sum(len(paid) for paid in agent._ledger.paid) == line
        at, line = agent.choose().id, line + 1


def test_a_choice_that_was_being_forgotten_can_be_forgotten_again():
    agent = Agent("ucb", ARMS)
    for line in range(1, 60):
        choice = agent.choose()
        interrupted(lambda choice=choice: agent.forget([choice]), line)
        agent.forget([choice])
        assert not agent.pending
