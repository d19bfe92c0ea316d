"""Every declared parameter refuses a wrong value in one sentence: its place, the value, and what is allowed.

The wrong values are drawn from the declarations, so that a new policy, kind, command or field of a request is tested by
being there. Which command lines are tried is drawn by `TEST_SEED`, as the cases of `sampled` are.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import json
import math
import os
import random
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from starlette.testclient import TestClient

from connect4 import Board
from experiments.engine.experiment import build
from experiments.players import PLAYERS
from numerics.commands import Command
from numerics.families import REQUIRED, Declared, Family, default_of
from numerics.parameters import Range, check_parameter, hints, parameters
from tests.experiments.conftest import attempt as attempt
from tests.experiments.conftest import client as client
from tests.experiments.served import refused as answered
from tests.experiments.test_help_examples import CLASSES, main_of
from tests.internals import Experiment, presets
from tests.refusals import ROOT, assert_sentence, refused
from treebandit.page import given

SEED = os.environ.get("TEST_SEED", "")
OURS = ("bandits", "experiments", "mcts", "numerics")
BASES: list[Any] = [base for base in Declared.__subclasses__() if base.__module__.startswith(OURS)]
FAMILIES: list[Family[Any]] = sorted((base.family for base in BASES if "family" in vars(base)), key=lambda it: it.noun)
MEMBERS = [pytest.param(family, name, id=f"{family.noun} {name}") for family in FAMILIES for name in family.members]
# Values of parameters that have no default, or one that is refused.
GIVEN: dict[str, Any] = {
    "agent": "tests.connect4.my_agents.leftmost",
    "arm": "a",
    "arms": [0.2, 0.8],
    "cls": "tests.experiments.own_games.Nim",
    "columns": ["a", "b"],
    "command": "cat",
    "file": str(ROOT / "tests" / "connect4" / "my_submission.py"),
    "law": "bandits.arms.bernoulli.bernoulli",
    "log": "rows path=log.csv",
    "means": [0.2, 0.3],
    "of": 2,
    "part": 1,
    "parts": ["beta means=[0.2]", "beta means=[0.3]"],
    "path": "tests.connect4.my_players.leftmost",
    "reward_columns": ["a", "b"],
    "rule": "bandits.policies.ucb.ucb",
    "run": "results",
    "string": "tic_tac_toe",
    "shares": [0.5, 0.5],
    "url": "sqlite:///shop.db",
    "values": [0, 1],
}
# What is looked at only where it is used, with what it is of: files, columns, numbers of positions.
LATER = {"path", "arm_column", "reward_column", "shown_column", "rewarded_column", "positions", "reference"}
JUNK: list[Any] = [{"a": [1]}, [{}], [None], [[]], True, "", "\0", "no.such.thing"]


def misspelt(word: str) -> str:
    """Return a word that is near to another, and is none."""
    return word[0] + word


def wrong_values(cls: Any, field: Any) -> Iterator[tuple[Any, list[str]]]:
    """Yield values that a declaration does not allow, each with what the sentence about it says is allowed."""
    allowed: Range = field.metadata["range"]
    hint = hints(cls)[field.name]
    kinds = set(typing.get_args(hint)) if isinstance(hint, types.UnionType) else {hint}
    wrong: list[Any] = [{"a": [1]}] if types.NoneType in kinds else [{"a": [1]}, None]
    limits: list[str] = []
    if allowed.check is not None:
        wrong = [value for value in JUNK if is_refused(allowed.check, value)]
        assert wrong or field.name in LATER, f"{field.name} of {cls.__name__} takes everything"
    elif allowed.of is not None:
        (name, *_) = allowed.of.members
        wrong, limits = [7.5, {"a": [1]}], [allowed.of.noun]
        yield misspelt(name), [f"{name}?"]
    elif allowed.choices:
        wrong, limits = [*wrong, 7, "nix"], [*allowed.choices]
        yield misspelt(allowed.choices[-1]), [f"{allowed.choices[-1]}?", *limits]
    elif kinds & {int, float}:
        number, digits = (int, str) if int in kinds else (float, "{:g}".format)
        ends = [end for end in (allowed.low, allowed.high) if math.isfinite(end)]
        limits = [digits(number(end)) for end in ends]
        wrong += ["abc", "", True, [1], -math.inf, math.inf, math.nan]
        wrong += [number(allowed.low - max(1, abs(allowed.low)))] if allowed.low > -math.inf else []
        wrong += [number(allowed.low)] if allowed.above else []
        wrong += [number(allowed.high + max(1, abs(allowed.high)))] if allowed.high < math.inf else []
        wrong += [number(allowed.high)] if allowed.below else []
        wrong += [1.5] if number is int else []
        if allowed.most < allowed.high:
            yield number(2 * allowed.most), [digits(number(allowed.most))]
    elif bool in kinds:
        wrong += ["often", 1]
    elif str in kinds:
        wrong += [[1]]
    else:
        wrong += [3, "abc"]
    yield from ((value, limits) for value in wrong)


def is_refused(check: Callable[[str, Any], Any], value: Any) -> bool:
    """Whether a check of its own refuses a value."""
    try:
        check("x", value)
    except ValueError:
        return True
    return False


def shown(value: Any) -> str:
    """Return what stands of a value in a sentence about it: a list may be refused for its first entry."""
    return str(value).strip("[]") if isinstance(value, list) else repr(value).strip("'\"")


def refuses(cls: Any, place: str, make: Callable[[str, Any], object]) -> None:
    """Assert that `make(name, value)` refuses every wrong value of every parameter of a class."""
    for field in parameters(cls):
        for value, limits in wrong_values(cls, field):
            refused(lambda: make(field.name, value), f"{place}{field.name}", shown(value), *limits)  # noqa: B023


# --- in Python --------------------------------------------------------------------------------------------------------


def test_every_family_is_here():
    nouns = {family.noun for family in FAMILIES}
    assert nouns >= {"arms", "delivery", "executor", "game", "log", "player", "policy", "process", "stopping rule"}


@pytest.mark.parametrize(("family", "name"), MEMBERS)
def test_a_member_refuses_what_its_parameters_must_not_be(family: Family[Any], name: str):
    cls = family.members[name]
    keys = [one.name for one in parameters(cls)]
    node = {"name": name} | {one.name: GIVEN[one.name] for one in parameters(cls) if default_of(one) in (REQUIRED, "")}
    if name != "from_log":  # which looks into its file first
        refuses(cls, "here.", lambda key, value: family.of({**node, key: value}, "here"))
    refused(lambda: family.of(misspelt(name), "here"), "here", misspelt(name), f"{name}?")
    if not hasattr(cls, "more"):
        key = misspelt([*keys, "size"][0])
        refused(lambda: family.of({**node, key: 1}, "here"), f"here.{key}", *keys, *(f"{one}?" for one in keys[:1]))


@pytest.mark.parametrize("kind", Experiment.members)
def test_an_experiment_refuses_what_its_keys_must_not_be(kind: str):
    cls = Experiment.members[kind]
    refuses(cls, "", lambda key, value: check_parameter(cls, cls.__dataclass_fields__[key], value))
    key = dataclasses.fields(cls)[0].name
    refused(lambda: build({"kind": kind, misspelt(key): 1}), misspelt(key), f"{key}?")
    refused(lambda: build({"kind": misspelt(kind)}), "kind", misspelt(kind), f"{kind}?")


@pytest.mark.parametrize("module", CLASSES)
def test_a_command_refuses_what_its_keys_must_not_be(module: str):
    cls, needed = CLASSES[module], needed_by(CLASSES[module])
    for key in cls.key_names():
        for value, limits in typed(cls, key):
            refused(lambda: cls.read([*needed, f"{key}={value}"]), key, str(value), *limits)  # noqa: B023
        for word in (f"{misspelt(key)}=1", f"--{misspelt(key)}"):
            refused(lambda: cls.read([*needed, word]), word.partition("=")[0], f"{key}?", *cls.key_names())  # noqa: B023
    for missing in needed:
        refused(lambda: cls.read([word for word in needed if word != missing]), missing.partition("=")[0])  # noqa: B023


def needed_by(cls: type[Command]) -> list[str]:
    """Return words for the keys that must be given."""
    needed = [one for one in parameters(cls) if default_of(one) == REQUIRED]
    return [f"{one.name}={(one.metadata['range'].choices or ['x'])[0]}" for one in needed]


def typed(cls: Any, key: str) -> list[tuple[Any, list[str]]]:
    """Return the wrong values of a parameter that a command line can have."""
    field = cls.__dataclass_fields__[key]
    if field.metadata["range"].check is not None or typing.get_origin(hints(cls)[key]) is list:
        return []
    return [pair for pair in wrong_values(cls, field) if type(pair[0]) in (int, float, str) and pair[0] != ""]


# --- at the command line ----------------------------------------------------------------------------------------------


def test_a_wrong_key_ends_an_experiment_with_status_2_and_nothing_is_written(attempt, tmp_path):
    (tmp_path / "log.csv").write_text("item,click\n1,0\n2,1\n")
    draw = random.Random(SEED)
    for kind in presets("experiment"):
        cls = Experiment.members[kind]
        pairs = [(one.name, *wrong) for one in parameters(cls) for wrong in typed(cls, one.name)]
        if pairs:
            key, value, limits = draw.choice(pairs)
            log = ["log.path=log.csv"] if kind == "evaluate" else []
            ended(attempt(f"experiment={kind}", *log, f"{key}={value}"), key, value, limits, tmp_path)


def test_a_wrong_key_ends_a_command_with_status_2_and_nothing_is_written(attempt, tmp_path):
    draw = random.Random(SEED)
    for module, cls in CLASSES.items():
        pairs = [(key, *wrong) for key in cls.key_names() for wrong in typed(cls, key)]
        key, value, limits = draw.choice(pairs or [("nothing", "", [])])
        said = attempt(*needed_by(cls), f"{key}={value}", module=main_of(module))
        ended(said, key, value, limits, tmp_path)


def ended(said, key, value, limits, folder):
    """Assert that a command has refused a key, and left no file."""
    assert said.status == 2, (key, value, said)
    assert_sentence(said.complaint.removesuffix("\n"), key, value, *limits)
    assert {path.name for path in folder.rglob("*") if path.is_file()} <= {"log.csv"}


# --- requests ---------------------------------------------------------------------------------------------------------

JSON = {"Content-Type": "application/json"}
BANNER = {"name": "banner", "policy": "thompson", "arms": ["red", "green"]}
BODIES: dict[str, dict[str, Any]] = {
    "NewAgent": {**BANNER, "name": "other"},
    "NewChoice": {},
    "NewReward": {"choice": 0, "reward": 1.0},
    "Forgotten": {"choices": [0]},
    "NewArm": {"arm": "blue"},
}


def wrong_fields(schema: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
    """Yield what a field of a request must not be, and what the sentence has, from its JSON schema."""
    forms = [one for one in schema.get("anyOf", [schema]) if one["type"] != "null"]
    yield {"a": [1]}, "{'a': [1]}"
    yield True, "True"
    if forms == schema.get("anyOf", [schema]):
        yield None, "None"
    for form in forms:
        number = int if form["type"] == "integer" else float
        limits = [(number(form[key]) - 1, number(form[key])) for key in ("minimum",) if key in form]
        limits += [(number(form[key]) + 1, number(form[key])) for key in ("maximum", "exclusiveMaximum") if key in form]
        limits += [("x" * (form[key] + 1), form[key]) for key in ("maxLength",) if key in form]
        limits += [("\0", "")] if "pattern" in form else []
        limits += [(math.nan, "nan"), (math.inf, "inf")] if form["type"] == "number" else []
        yield from ((value, str(limit) if len(forms) == 1 else "") for value, limit in limits)


def test_a_field_of_a_request_to_the_service_refuses_what_it_must_not_be(tmp_path):
    pytest.importorskip("fastapi", reason="FastAPI is not installed (extra live)")
    pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed (extra live)")
    internals = importlib.import_module("tests.internals")
    agents = internals.OpenAgents(f"sqlite:///{tmp_path / 'shop.db'}")
    app = internals.make_app(agents, internals.Names("127.0.0.1", 8080))
    with TestClient(app, base_url="http://127.0.0.1:8080") as service:
        assert service.post("/agents", json=BANNER).status_code == 201
        before = service.get("/agents/banner").json()

        def said(path: str, body: Mapping[str, Any], key: str, *parts: str) -> None:
            answer = service.post(path.replace("{name}", "banner"), content=json.dumps(body), headers=JSON)
            assert answer.status_code == 422, (path, body, answer.text)
            assert_sentence(answer.json()["detail"], key, *parts)

        schema = service.get("/openapi.json").json()
        for path, methods in schema["paths"].items():
            if "post" in methods:
                name = methods["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"].split("/")[-1]
                declared, body = schema["components"]["schemas"][name], BODIES[name]
                for key, field in declared["properties"].items():
                    for value, limit in wrong_fields(field):
                        said(path, {**body, key: value}, key, limit)
                    said(path, {**body, misspelt(key): 1}, misspelt(key))
                for key in declared.get("required", []):
                    said(path, {other: body[other] for other in body if other != key}, key)
        assert service.get("/agents/banner").json() == before
        assert service.get("/agents").json() == ["banner"]
    agents.close()


@pytest.mark.parametrize("name", given.OFFERED)
def test_a_player_of_the_page_refuses_what_its_parameters_must_not_be(name: str):
    cls = PLAYERS.members[name]
    wrong = [(one, *pair) for one in parameters(cls) for pair in wrong_values(cls, one) if one.name not in given.OWN]
    wrong += [(one, 1, []) for one in parameters(cls) if one.name in given.OWN]
    for field, value, limits in wrong:
        act = functools.partial(given.player_of, {"name": name, field.name: value}, 0, Board())
        refused(act, f"player.{field.name}", *([shown(value), *limits] if field.name not in given.OWN else []))
    for key, most in given.MOST.get(name, {}).items():
        act = functools.partial(given.player_of, {"name": name, key: type(most)(most + 1)}, 0, Board())
        refused(act, f"player.{key}", f"{most:,.0f}", f"{most + 1:.0f}")


POSITION = {"moves": "2", "width": 4, "height": 3, "connect": 3}
ASKED: dict[str, dict[str, Any]] = {
    "/api/moves": {"position": POSITION, "player": {"name": "random"}, "seed": 1, "id": "some-id-1"},
    "/api/scores": POSITION,
    "/api/hint": POSITION,
    "/api/recordings": {"position": POSITION, "rules": [{"name": "ucb"}], "simulations": 9, "seed": 0, "exact": False},
    "/api/bandits": {"means": [0.2, 0.5], "rules": [{"name": "ucb"}], "horizon": 9, "seed": 1},
}


@pytest.mark.parametrize("place", ASKED)
def test_a_field_of_a_request_to_the_page_refuses_what_it_must_not_be(client, place: str):
    body = ASKED[place]
    for key in body:
        for value in ({"a": [1]}, -1, "\0"):
            said = answered(client.post(place, json={**body, key: value}), key)
            assert_sentence(said)
        answered(client.post(place, json={**body, misspelt(key): 1}), misspelt(key), f"{key}?")
    assert client.app.state.works.kept == []
