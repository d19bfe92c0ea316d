"""`python -m treebandit.repair_agent`: find the first event of an agent in a database that does not fold.

Such an agent cannot be opened: its journal was changed, or lost an event. With apply=true that event is set aside, and
so are the events that cannot be read without it, such as the reward of a choice. Every other choice counts as recorded,
and every other reward counts. What is set aside stays in the journal as text. The agent then opens, and running
processes read its new state.
"""

from __future__ import annotations

from collections.abc import Sequence

from bandits.live.repair import repair_agent
from numerics.commands import Command
from numerics.exits import leave, run_guarded
from numerics.parameters import parameter

_SHOWN = 20  # faults


class RepairAgent(Command, module="treebandit.repair_agent"):
    """Which agent, and whether its journal is changed."""

    database: str = parameter(help="such as sqlite:///shop.db, or postgresql://user@host/database")
    name: str = parameter(help="of the agent")
    policy: str | None = parameter(None, help="its policy, if that is a rule of your own")
    apply: bool = parameter(False, help="true sets aside what does not fold")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, and say what was found."""
    given = RepairAgent.read(words)
    found = repair_agent(given.database, given.name, given.policy, given.apply)
    if not found.faults and not found.snapshot:
        print(f"all {found.last:,} events of {given.name!r} fold")
        return
    if found.faults:
        first, *others = found.faults
        print(f"the first of {found.last:,} events of {given.name!r} that does not fold:", f"  {first}", sep="\n")
        if others:
            print("then, without it:", *(f"  {fault}" for fault in others[:_SHOWN]), sep="\n")
        if len(others) > _SHOWN:
            print(f"  and {len(others) - _SHOWN:,} more")
    if found.snapshot:
        print(found.snapshot)
    if given.apply:
        print(f"{len(found.faults):,} set aside; the agent opens again")
    elif not found.state:
        print("its policy is a Python class, which has no snapshots: its journal cannot be repaired")
    else:
        print(f"apply=true sets {len(found.faults):,} aside, after which the agent opens again")


if __name__ == "__main__":
    leave(run_guarded(main))
