"""`python -m experiments.catalogue`: every policy, arms, player and experiment, with parameters and defaults."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.resources
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from omegaconf import OmegaConf

from bandits import Policy
from experiments.engine import console as report
from experiments.engine.errors import guarded, leave
from experiments.engine.experiment import experiments, node_of
from experiments.engine.families import ARMS
from experiments.players import PLAYERS
from numerics.parameters import parameters

KINDS = ("policies", "arms", "players", "experiments")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables that are asked for, all of them by default."""
    parser = argparse.ArgumentParser(prog="python -m experiments.catalogue", description=__doc__)
    parser.add_argument("kind", nargs="*", help=f"any of {', '.join(KINDS)}; all when left out")
    chosen = parser.parse_args(arguments).kind or KINDS
    for kind in chosen:
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}")
    tables = {"policies": _policies, "arms": _arms, "players": _players, "experiments": _experiments}
    described: dict[str, Mapping[str, type]] = {"policies": Policy.members, "players": PLAYERS}
    for kind in chosen:
        report.console().print(tables[kind]())
        if kind in described:
            report.console().print(_parameters(described[kind]))


def _policies() -> Any:
    rows = []
    for name, policy in sorted(Policy.members.items()):
        defaults = {} if name != "custom" else {"rule": "my_rules.my_index"}
        rows.append((name, policy(**defaults).formula, _defaults(policy), _first_line(policy), policy.source))
    return _table("bandit=NAME   (m mean, n pulls of the arm, V variance, t the pull being chosen, T horizon, K arms)",
                  ("name", "chooses", "parameters and defaults", "what it is", "source"), rows)  # fmt: skip


def _arms() -> Any:
    rows = []
    for name, values in _presets("arms"):
        kind = str(values["defaults"][0]).removeprefix("/schema/arms/").partition("@")[0]
        own = {key: value for key, value in values.items() if key != "defaults"}
        parameters = [f"{key}={own.pop(key, default)}" for key, default in ARMS.node(kind).items() if key != "name"]
        rows.append((name, _comment("arms", name), "\n".join(parameters)))
    return _table("arms=NAME", ("name", "what it is", "parameters and defaults"), rows)


def _players() -> Any:
    rows = []
    for name, player in PLAYERS.items():
        own = [one for one in dataclasses.fields(player) if one.name != "seed"]
        defaults = [f"{one.name}={_default(one)}" for one in own]
        rows.append((name, _first_line(player), "\n".join(defaults) or "none"))
    return _table("player1=NAME, player2=NAME, or in players=[NAME,{name: NAME, PARAMETER: VALUE}]",
                  ("name", "what it is", "parameters and defaults"), rows)  # fmt: skip


def _parameters(classes: Mapping[str, type]) -> Any:
    """Return a table of what every parameter is, each sentence once, from the texts of the classes."""
    owners: dict[tuple[str, str], list[str]] = {}
    for owner, cls in sorted(classes.items()):
        for name, text in _described(cls):
            owners.setdefault((name, text), []).append(owner)
    rows = [(name, ", ".join(of), text) for (name, text), of in sorted(owners.items())]
    return _table("parameters", ("parameter", "of", "what it is"), rows)


def _described(cls: type) -> Iterator[tuple[str, str]]:
    """Yield each parameter of a class with what its declaration, or the class's text in numpydoc's form, says of it."""
    for one in parameters(cls):
        if one.name != "seed":  # a run gives every player its own
            help = one.metadata["range"].help
            yield one.name, f"{help[:1].upper()}{help[1:].removesuffix('.')}."
    section = re.search(r"\nParameters\n-+\n(.*?)(?=\n\n|$)", inspect.getdoc(cls) or "", re.DOTALL)
    own = {one.name for one in dataclasses.fields(cls)}
    for names, text in re.findall(r"^(\w.*?) : .*\n((?:    .*(?:\n|$))+)", section[1] if section else "", re.MULTILINE):
        for name in names.split(", "):
            if name in own:
                yield name, " ".join(text.split())


def _default(one: Any) -> Any:
    """Return a parameter's default as the command line writes it; a required one's is ???."""
    if one.default is dataclasses.MISSING:
        return "???"
    return "null" if one.default is None else one.default


def _experiments() -> Any:
    rows = []
    for name, values in _presets("experiment"):
        own = {key: value for key, value in values.items() if key != "defaults"}
        groups = [entry for entry in values["defaults"] if isinstance(entry, dict)]
        kind = str(values["defaults"][0]).removeprefix("/schema/")
        chosen = [f"{key.lstrip('/')}={value}" for group in groups for key, value in group.items()]
        taken = {text.partition("=")[0] for text in chosen}
        node = node_of(experiments()[kind])
        chosen += [f"{key}={own.get(key, default)}" for key, default in node.items() if key not in (*taken, "kind")]
        rows.append((name, _comment("experiment", name), "\n".join(chosen)))
    return _table("experiment=NAME", ("name", "what it is", "groups, keys and defaults"), rows)


def _defaults(policy: Any) -> str:
    shown = []
    for one in dataclasses.fields(policy):
        value = one.default_factory() if callable(one.default_factory) else one.default
        shown.append(f"{one.name}={'null' if value is None else list(value) if isinstance(value, tuple) else value}")
    return "\n".join(shown) or "none"


def _presets(group: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted(importlib.resources.files("configs").joinpath(group).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".yaml"):
            yield file.name.removesuffix(".yaml"), _values(file.read_text(encoding="utf-8"))


def _values(text: str) -> dict[str, Any]:
    """Return a YAML file's values, without resolving anything."""
    values: Any = OmegaConf.to_container(OmegaConf.create(text))
    return dict(values)


def _comment(group: str, name: str) -> str:
    """Return what the YAML file says of itself in its first comment."""
    lines = (
        importlib.resources.files("configs").joinpath(group, f"{name}.yaml").read_text(encoding="utf-8").splitlines()
    )
    said = next(line for line in lines if line.startswith("# ") and not line.startswith("# @"))
    return said[2:].partition("   ")[0]


def _first_line(policy: type) -> str:
    return (policy.__doc__ or "").splitlines()[0]


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", show_lines=True)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    return table


if __name__ == "__main__":
    leave(guarded(main))
