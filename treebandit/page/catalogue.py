"""Every player and rule by its name, with its parameters, as the page's forms need them."""

from __future__ import annotations

import functools
import inspect
import math
import types
import typing
from typing import Any

from bandits import Policy
from bandits.hooks import IndexRule
from bandits.policies.base import POLICIES
from connect4.lines import LARGEST
from connect4.players.program import ProgramPlayer
from experiments.games.positions import PositionRules
from experiments.players import PLAYERS
from experiments.recordings import positions
from experiments.recordings.bandit import OF_A_PULL
from experiments.recordings.packed import BYTES
from experiments.recordings.search import OF_A_SIMULATION
from mcts.policy import IN_A_TREE
from numerics.families import Family, default_of
from numerics.parameters import Range, parameters
from numerics.positions import moves_of
from treebandit.page import given


def catalogue(program: ProgramPlayer | None = None, game: PositionRules | None = None) -> dict[str, Any]:
    """Return the names of players and rules, their parameters, the sizes of boards, and the room of recordings.

    The players have `program` where the command line has given one. `search_rules` has only the rules whose defaults
    differ in a search. `recordings` has the bytes of a file's steps, and those of one step: a fixed number, and one for
    each column or arm. `game` is that of the user, with the room of its recordings, or null.
    """
    known = {**_catalogue(), "game": None if game is None else _game(game)}
    if program is None:
        return known
    (seconds,) = (known for known in _parameters(ProgramPlayer) if known["name"] == "seconds")
    described = {  # it is asked under its command, with a budget
        "name": given.PROGRAM,
        "title": program.command,
        "help": f"Plays the moves of the program given at the start of this page, with {program.limit:g} s per move.",
        "parameters": [{**seconds, "default": program.seconds, "high": program.limit}],
    }
    return {**known, "players": [*known["players"], described]}


def _game(game: PositionRules) -> dict[str, Any]:
    fixed, each = positions.OF_A_SIMULATION
    title, moves = game.title.removeprefix("at "), len(moves_of(game.start))
    return {"title": title, "bytes": positions.ROOM, "step": fixed + each * moves}


@functools.cache
def _catalogue() -> dict[str, Any]:
    rules, in_a_search = ([_rule(name, family) for name in given.RULES] for family in (POLICIES, IN_A_TREE))
    return {
        "players": [
            {"name": name, "help": _first_line(PLAYERS.members[name]), "parameters": _parameters(PLAYERS.members[name])}
            for name in given.OFFERED
        ],
        "rules": rules,
        "search_rules": [rule for rule in in_a_search if rule not in rules],
        "sizes": {
            "width": [1, LARGEST],
            "height": [1, LARGEST],
            "connect": [2, LARGEST],
            "solvable": "(height + 1) * width <= 64",
        },
        "recordings": {"bytes": BYTES, "search": OF_A_SIMULATION, "bandit": OF_A_PULL, "seconds": given.SCORES},
    }


def _rule(name: str, family: Family[Policy]) -> dict[str, Any]:
    policy = family.of(name)
    spec = policy.spec()
    return {
        "name": name,
        "help": _first_line(type(policy)),
        "formula": policy.formula,
        "parameters": [
            described | {"default": getattr(policy, described["name"])} for described in _parameters(type(policy))
        ],
        "tree": isinstance(spec.rule, IndexRule) and spec.plan is None,
    }


def _parameters(cls: Any) -> list[dict[str, Any]]:
    """Return the parameters that a page may set; a limit that one has not is left out."""
    hints, described = typing.get_type_hints(cls), []
    most = given.MOST.get(cls.name, {})
    for field in parameters(cls):
        if field.name in given.OWN:
            continue
        allowed: Range = field.metadata["range"]
        high, hint = min(allowed.high, most.get(field.name, math.inf)), hints[field.name]
        kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        limits = {
            "optional": types.NoneType in kinds,
            "low": _bound(allowed.low),
            "high": _bound(high),
            "above": allowed.above,
            "below": allowed.below,
            "choices": list(allowed.choices),
        }
        described.append(
            {"name": field.name, "type": _type(kinds), "default": default_of(field), "help": allowed.help}
            | {name: limit for name, limit in limits.items() if limit or type(limit) in (int, float)}
        )
    return described


def _type(kinds: tuple[Any, ...]) -> str:
    names = {int: "whole", float: "number", bool: "switch", list: "list"}
    named = [names[kind] for kind in kinds if kind in names]
    return "rule" if Policy in kinds else named[0] if named else "text"


def _bound(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _first_line(cls: type) -> str:
    return (inspect.getdoc(cls) or "").splitlines()[0]
