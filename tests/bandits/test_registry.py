"""Every policy and every law is a file of its folder, and its preset says what the class says."""

from __future__ import annotations

import dataclasses
import inspect
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from bandits import Arms, Policy
from bandits.policies import base
from numerics.parameters import parameters

ROOT = Path(__file__).resolve().parents[2]
PRESETS = ROOT / "configs" / "bandit"


def test_each_file_of_the_folder_is_one_policy():
    files = {path.stem for path in Path(base.__file__).parent.glob("*.py")} - {"__init__", "base"}
    assert files == set(Policy.members)
    for name, policy in Policy.members.items():
        assert Path(inspect.getfile(policy)).stem == name


def test_every_policy_has_a_preset_and_no_preset_is_of_none():
    assert {path.stem for path in PRESETS.iterdir()} == set(Policy.members)


@pytest.mark.parametrize("name", sorted(Policy.members))
def test_a_preset_says_what_the_class_says(name: str):
    text = (PRESETS / f"{name}.yaml").read_text(encoding="utf-8")
    assert text.startswith("# ")
    values: Any = OmegaConf.to_container(OmegaConf.create(text))
    defaults = {one.name: one.default for one in dataclasses.fields(Policy.members[name]) if one.init}
    expected = {"name": name, "label": None, **defaults}
    assert values == {key: list(value) if value == () else value for key, value in expected.items()}
    assert list(values) == list(expected)
    if name != "custom":
        assert text.splitlines()[0].endswith(Policy.make(name).formula)


@pytest.mark.parametrize("cls", [*Policy.members.values(), *Arms.members.values()], ids=lambda cls: cls.__name__)
def test_every_parameter_is_described(cls: type):
    for one in parameters(cls):
        assert one.metadata["range"].help.strip()
    assert (cls.__doc__ or "").strip()
