"""Every policy and every law is a file of its folder, and its preset begins with its formula."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from bandits import Arms, Policy
from bandits.policies import base
from numerics.parameters import parameters

ROOT = Path(__file__).resolve().parents[2]


def test_each_file_of_the_folder_is_one_policy():
    files = {path.stem for path in Path(base.__file__).parent.glob("*.py")} - {"__init__", "base"}
    assert files == set(Policy.members)
    for name, policy in Policy.members.items():
        assert Path(inspect.getfile(policy)).stem == name


@pytest.mark.parametrize("name", sorted({*Policy.members} - {"custom"}))
def test_a_preset_begins_with_the_formula(name: str):
    text = (ROOT / "configs" / "bandit" / f"{name}.yaml").read_text(encoding="utf-8")
    assert text.splitlines()[0].endswith(Policy.make(name).formula)


@pytest.mark.parametrize("cls", [*Policy.members.values(), *Arms.members.values()], ids=lambda cls: cls.__name__)
def test_every_parameter_is_described(cls: type):
    for one in parameters(cls):
        assert one.metadata["range"].help.strip()
    assert (cls.__doc__ or "").strip()
