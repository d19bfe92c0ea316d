"""One grammar: what a family prints it reads, every form means the same, and mistakes name their place."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import typing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf

from bandits import UCB, Bernoulli, Thompson
from experiments.players import PLAYERS
from mcts.policy import IN_A_TREE
from numerics.families import Family
from numerics.parameters import Range, hints, parameters
from numerics.texts import read, split, write_value
from tests.bandits.policies import NEEDED as NEEDED_OF_POLICIES
from tests.experiments.test_players import NEEDED as NEEDED_OF_PLAYERS
from tests.internals import ARMS, EXECUTORS, POLICIES
from tests.refusals import refused

FAMILIES: dict[str, Family[Any]] = {
    "policies": POLICIES,
    "policies in a tree": IN_A_TREE,
    "players": PLAYERS,
    "executors": EXECUTORS,
    "arms": ARMS,
}
MEANS = st.lists(st.floats(0.0, 0.5), min_size=2, max_size=4)
LISTS: dict[str, Any] = {
    "means": MEANS,
    "values": st.lists(st.lists(st.floats(-9.0, 9.0), min_size=1, max_size=3), min_size=2, max_size=2),
    "labels": st.lists(st.text(max_size=9), min_size=2, max_size=2),
    "parts": st.lists(MEANS, min_size=1, max_size=2),
}
NEEDED: dict[str, dict[str, dict[str, Any]]] = {
    "policies": NEEDED_OF_POLICIES,
    "policies in a tree": NEEDED_OF_POLICIES,
    "players": NEEDED_OF_PLAYERS,
    "executors": {"slice": {"part": 1, "of": 3}},
    "arms": {
        "custom": {"law": "bandits.arms.bernoulli.bernoulli"},
        "from_log": {},
        "piecewise": {"arms": "bernoulli means=[0.1,0.2]", "changes": [7, 9], "means": [[0.3, 0.4], [0.5, 0.6]]},
        "drift": {"arms": {"name": "beta", "means": [0.3, 0.4]}, "low": 0.1, "high": 0.9},
        "sine": {"arms": [0.4, 0.5]},
        "abrupt_best": {"arms": "poisson means=[1.0,2.0]", "best": 3.5, "rate": 0.25},
    },
}


@pytest.fixture(scope="module", autouse=True)
def log_of_clicks(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Write the file that the arms of a click log need."""
    path = tmp_path_factory.mktemp("log") / "clicks of mine.csv"
    path.write_text("item,click\na,1\na,0\nb,0\nb,1\n")
    NEEDED["arms"]["from_log"]["path"] = str(path)


MEMBERS = [(family, name) for family in FAMILIES for name in sorted(FAMILIES[family].members)]


def values_of(cls: Any, field: Any) -> Any:
    """Return a strategy for a parameter: its default or another value, as far as its declaration says which."""
    allowed: Range = field.metadata["range"]
    hint = hints(cls)[field.name]
    kinds = typing.get_args(hint) or (hint,)
    if field.name in LISTS:
        return LISTS[field.name]
    if allowed.of is not None:
        return st.one_of(
            st.just(field.default), st.sampled_from([Thompson(2.0, 3.0), "ucb c=0.25", "kl_ucb", UCB(2.0)])
        )
    if allowed.check is not None:
        return st.just(field.default)
    low, high = max(allowed.low, -1e9), min(allowed.high, allowed.most, 1e9)
    if float in kinds:
        values: Any = st.floats(low, high, exclude_min=allowed.above, exclude_max=allowed.below)
    elif bool in kinds:
        values = st.booleans()
    elif int in kinds:
        values = st.integers(math.ceil(low), math.floor(high))
    else:
        values = st.sampled_from(allowed.choices) if allowed.choices else st.just(field.default)
    return st.none() | values if type(None) in kinds else values


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("family", "name"), MEMBERS, ids=[f"{name} of {family}" for family, name in MEMBERS])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_what_is_printed_can_be_typed(family: str, name: str, data: st.DataObject):
    grammar = FAMILIES[family]
    cls = grammar.members[name]
    node = {"name": name, **NEEDED.get(family, {}).get(name, {})}
    optional = {}
    for field in parameters(cls):
        if field.name not in (*node, *grammar.hidden):
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            if required:
                node[field.name] = data.draw(values_of(cls, field))
            elif data.draw(st.booleans()):
                optional[field.name] = data.draw(values_of(cls, field))
    member = grammar.of(node)
    with contextlib.suppress(ValueError):  # values that do not go together
        member = grammar.of({**node, **optional})
    for form in (grammar.text(member), json.loads(json.dumps(grammar.node(member)))):
        again = grammar.of(form)
        assert grammar.node(again) == grammar.node(member)
        assert grammar.text(again) == grammar.text(member)
        if dataclasses.fields(cls) and cls.__dataclass_params__.eq:
            assert again == member


TEXTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp"))),
    lambda values: (
        st.lists(values, max_size=3) | st.dictionaries(st.from_regex(r"[a-z_]{1,5}", fullmatch=True), values)
    ),
    max_leaves=5,
)


@given(value=TEXTS)
def test_a_value_is_read_as_it_was_written(value: Any):
    assert read(f"a b={write_value(value)} c=1", "here") == {"name": "a", "b": value, "c": 1}
    assert split(f"a={write_value(value)} b") == [f"a={write_value(value)}", "b"], "one word"


def test_every_form_means_the_same():
    node = {"name": "ucb", "c": 0.5, "label": "half"}
    for form in ("ucb c=0.5", " ucb  c=.5 ", {"name": "ucb", "c": 0.5}, node, OmegaConf.create(node), UCB(c=0.5)):
        assert POLICIES.of(form) == UCB(c=0.5)
    assert ARMS.of([0.1, 0.9]) == ARMS.of("bernoulli means=[0.1,0.9]") == Bernoulli([0.1, 0.9])


def test_many_have_labels_that_differ():
    named = POLICIES.many(["ucb", UCB(0.5), {"name": "ucb", "c": 2, "label": "two"}, "ucb c=3 label=three"])
    assert list(named) == ["ucb", "ucb c=0.5", "two", "three"]
    assert POLICIES.many({"A": "ucb", 7: UCB(0.5)}) == {"A": UCB(), "7": UCB(0.5)}


def test_a_number_may_be_written_as_others_are():
    assert PLAYERS.of("uct simulations=1e4").simulations == 10_000


@pytest.mark.parametrize(
    ("value", "place", "facts"),
    [
        ("ucb c", "bandit ", ["'c'"]),
        ("ucb c=1 c=2", "bandit ", ["c twice"]),
        ("ucb c=[1", "bandit.c ", ["'[1'"]),
        ("", "bandit ", ["anytime_halving, "]),
        (7, "bandit ", ["UCB(...)", "7"]),
        ({"c": 0.5}, "bandit ", ["UCB(...)"]),
        ({"name": "custom", "rule": "???"}, "bandit.rule ", ["custom"]),
    ],
)
def test_a_mistake_is_one_sentence_that_names_its_place(value: Any, place: str, facts: list[str]):
    refused(lambda: POLICIES.of(value, "bandit"), place, *facts)


@pytest.mark.parametrize(
    ("values", "place", "fact"),
    [
        ("uct", "players ", "'uct'"),
        (7, "players ", "7"),
        ([], "players ", "0"),
        (["uct", "minimax", "uct"], "players[2].label ", "'uct simulations=1000'"),
        (["uct", "uct policy={name: ucb, c: -1}"], "players[1].policy.c ", "-1"),
        ({"A": "uct simulations=0"}, "players['A'].simulations ", "0"),
        ([{"name": "uct", "label": [1]}], "players[0].label ", "[1]"),
    ],
)
def test_a_mistake_among_several_names_its_place(values: Any, place: str, fact: str):
    refused(lambda: PLAYERS.many(values, "players"), place, fact)
