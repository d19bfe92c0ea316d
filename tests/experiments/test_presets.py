"""The files of `configs` repeat the classes: every name, every key and every default."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from experiments.engine.experiment import Choice
from experiments.engine.families import ARMS, DELIVERY
from numerics.families import default_of
from tests.internals import (
    EXECUTOR,
    GAME,
    LOG,
    PLAYER,
    POLICY,
    PROCESS,
    REQUIRED,
    STOPPING,
    Experiment,
    preset,
    presets,
    text_of,
)

FAMILIES: dict[str, Choice] = {
    "bandit": POLICY,
    "delivery": DELIVERY,
    "executor": EXECUTOR,
    "game": GAME,
    "log": LOG,
    "player": PLAYER,
    "process": PROCESS,
    "stopping": STOPPING,
}


def defaults_of(choice: Choice, name: str) -> dict[str, Any]:
    """Return the keys of a member of a family, as a preset has them."""
    found = {one.name: default_of(one) for one in choice.parameters(name)}
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in found.items()}
    return {"name": name} | ({"label": None} if choice.labelled else {}) | plain


@pytest.mark.parametrize("group", FAMILIES)
def test_every_member_has_a_preset_with_its_keys_and_defaults(group: str):
    family = FAMILIES[group].family
    assert presets(group) == list(family.members)
    for name in family.members:
        expected = defaults_of(FAMILIES[group], name)
        assert list(preset(group, name).items()) == list(expected.items())
        assert text_of(group, name).startswith("# ")


@pytest.mark.parametrize("name", presets("arms"))
def test_a_preset_of_arms_has_the_keys_of_its_law(name: str):
    values = preset("arms", name)
    expected = defaults_of(ARMS, values["name"])
    assert list(values) == list(expected)
    if REQUIRED not in values.values():
        ARMS.build(values, "arms")


@pytest.mark.parametrize("name", sorted({*Experiment.members} - {"annotation"}))  # which a command of its own makes
def test_a_preset_of_an_experiment_has_its_keys_and_chooses_its_groups(name: str):
    assert name in presets("experiment")
    values, cls = preset("experiment", name), Experiment.members[name]
    own = [one for one in dataclasses.fields(cls) if one.metadata.get("several") is not False]
    chosen = [key.lstrip("/") for entry in values.pop("defaults") if isinstance(entry, dict) for key in entry]
    assert set(chosen) == {one.name for one in dataclasses.fields(cls)} - {one.name for one in own}
    assert list(values) == ["kind", *(one.name for one in own)]
