"""Every example of every `--help` is a command that works: found by its form, and run once with few rounds.

An example in the help of a key stands behind "such as" or "as": `such as 4453`, `as "hex size=5"`. In the text above
the keys it is a key with its value, or a whole command.
"""

from __future__ import annotations

import importlib
import inspect
import io
import os
import re
import shlex
import sys
import types
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest

from bandits import Agent
from numerics.parameters import hints
from tests.pages import ROOT
from treebandit import clean_cache
from treebandit.commands import COMMANDS

VALUE = r""""[^"]*"|'[^']*'|\[[^\]]*\]|[^\s"'\[\];`]*[^\s"'\[\];`,.:)]"""
SEVERAL = r"\w+(?:[,.]\w+)+"  # ucb,moss or my_game.Board, without which "as" is an ordinary word
QUOTED = r""""[^"]*"|'[^']*'|\[[^\]]*\]"""
EXAMPLE = re.compile(rf"\bsuch as ({VALUE})(?:,? or ({VALUE}))?|\bas ({QUOTED}|{SEVERAL})(?: or ({QUOTED}))?")
PAIRS = re.compile(rf"\b\w+=(?:{VALUE})(?: \w+=(?:{VALUE}))*")
COMMAND = re.compile(r"`(python -m [^`]*)`|^ *(?:printf .* \| )?(python -m \S+.*?)(?:   .*)?$", re.MULTILINE)
PLACES = {"FOLDER": "results/match/latest", "COUNTS": "1,2,30,4,5", "[PART ...]": "", "part=traps|bonus": "part=traps"}
PATTERN = "[OVERRIDE ...]"

# What makes a run small, of a module or an experiment.
SMALL = {
    "connect4.combinatorics.counting": ["plies=2"],
    "connect4.solver.build_book": ["plies=2"],
    "experiments.annotate": ["seconds=0.01"],
    "experiments.check_game": ["games=10"],
    "experiments.exact_table": ["two=10", "three=10", "policies=ucb"],
    "experiments.graded_positions": ["positions=6", "workers=1"],
    "experiments.judge": ["positions=2", "workers=1"],
    "experiments.run": ["horizon=40", "runs=3"],
    "experiment=sprt": ["games=2", "player1.simulations=5", "player2.simulations=5", "executor=serial"],
    "experiment=trace": [],
    "treebandit.agents": ["port=0"],
    "treebandit.page": ["browser=false"],
}
TUNED = 'policies=["ucb c=0.5, tuned"]'
COMPARED = ["bandits=[ucb,moss,{name: ucb, c: 0.5, label: 'ucb c=0.5, tuned'}]", "horizon=40", "runs=3"]
# What an example needs beside it: words of its own, and a command before it.
BESIDE = {
    "treebandit.agents": ["database=sqlite:///shop.db"],
    "treebandit.agents rules=[my_rules.careful]": ["database=sqlite:///shop.db"],
    "treebandit.repair_agent": ["database=sqlite:///shop.db", "name=banner"],
    "treebandit.repair_agent apply=true": ["database=sqlite:///shop.db", "name=banner"],
    "treebandit.repair_agent database=sqlite:///shop.db": ["name=banner"],
    "treebandit.repair_agent database=postgresql://user@host/database": ["name=banner"],
    "experiments.judge game=hex size=4": ["player=random"],
    "experiments.judge game=my_games.Nim": ["player=random"],
    "experiments.record player=minimax depth=5": ["command=python my_engine.py"],
    "experiments.plot policies=ucb,moss": ["results/comparison/latest"],
    f"experiments.plot {TUNED}": ["results/comparison/latest"],
}
TYPED = {"connect4.solver": "12\n", "experiments.answer": "4453\n", "experiments.play": "q\n"}
BEFORE = {
    "results/match/latest": ["experiments.run", "experiment=match", "player1=random", "player2=level_3", "games=8"],
    "results/regret/latest": ["experiments.run", "bandit=ucb", "horizon=40", "runs=3"],
    "results/comparison/latest": ["experiments.run", "experiment=comparison", *COMPARED],
    "experiments.collect": ["experiments.run", "-m", "bandit=ucb", "bandit.c=0.5,1.5", "horizon=40", "runs=3"],
    "book_5x4.npz": ["connect4.solver.build_book", "5x4", "plies=2"],
}
ONLY_READ = "benchmarks"  # of hours, and offered to nobody
QUICK = (  # what runs no kernel
    *("benchmarks", "connect4.kaggle", "connect4.templates", "experiments.sprt"),
    *("treebandit.agents", "treebandit.page", "treebandit.clean_cache"),
)
SLOW = ("database=postgresql://user@host/database",)  # looks for the host
SERVERS = ("treebandit.agents", "treebandit.page")
FILES = {
    "my_games.py": "from tests.experiments.own_games import Scored as Heaps\n\n\nclass Nim(Heaps):\n"
    "    def __init__(self, heaps=(), mover=0, size=5):\n        super().__init__(heaps or (1, size), mover)\n",
    "my_game.py": "from tests.experiments.own_games import TicTacToe as Board\n",
    "my_rules.py": "from bandits import index_rule\n\n\n@index_rule\ndef careful(mean):\n    return mean\n\n\n"
    "@index_rule\ndef bold(mean, pulls):\n    return mean + 1 / pulls\n",
    "FILE.csv": "item,click\n" + "a,1\nb,0\n" * 20,
}


def classes() -> dict[str, Any]:
    """Every command by the module that starts it."""
    found = {}
    for room in ("connect4", "experiments", "treebandit", "benchmarks"):
        for file in sorted((ROOT / room).rglob("*.py")):
            for name in re.findall(r"^class (\w+)\(Command, module=", file.read_text(encoding="utf-8"), re.MULTILINE):
                command = getattr(importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts)), name)
                found[command.module] = command
    return found


CLASSES = classes()


def values(text: str) -> list[str]:
    """The values that the help of a key gives as examples, as a shell hands them over."""
    found = [one for match in EXAMPLE.finditer(text) for one in match.groups() if one]
    return [shlex.split(one)[0] if one[0] in "\"'" else one for one in found]


def commands(text: str) -> list[list[str]]:
    """The commands in a text: their modules and words."""
    lines = [" ".join((inside or line).split()) for inside, line in COMMAND.findall(text)]
    for place, value in PLACES.items():
        lines = [line.replace(place, value) for line in lines]
    return [shlex.split(line)[2:] for line in lines if PATTERN not in line]


def examples() -> list[Any]:
    """Every example: the module, and the words behind it."""
    of_run = (ROOT / "configs" / "config.yaml").read_text(encoding="utf-8")
    found = {(module, *words) for module, *words in commands(of_run)}
    for module, command in CLASSES.items():
        text = inspect.getdoc(sys.modules[command.__module__]) or ""
        keys = {key: command.__dataclass_fields__[key] for key in command.key_names()}
        found |= {
            (module, f"{key}={one}") for key, field in keys.items() for one in values(field.metadata["range"].help)
        }
        found |= {(place, *words) for place, *words in commands(text)}
        pairs = [shlex.split(pair) for pair in PAIRS.findall(COMMAND.sub("", text))]
        found |= {(module, *words) for words in pairs if {word.partition("=")[0] for word in words} <= {*keys}}
    return sorted(found)


EXAMPLES = examples()


def test_every_command_has_a_help_that_is_searched():
    offered = {module for module, _ in COMMANDS.values()}
    assert offered - {*CLASSES} == {"experiments.run"}
    assert len(EXAMPLES) > 60
    assert {module for module, *_ in EXAMPLES} >= offered - {"treebandit.clean_cache"}


def test_the_forms_of_examples_are_found():
    said = 'games, such as "uct c=1" or minimax; as many, as "hex size=5", or your own, as my.Nim, as [a, "b"] or \'c\''
    assert values(said) == ["uct c=1", "minimax", "hex size=5", "my.Nim", '[a, "b"]', "c"]


@pytest.mark.parametrize("module", CLASSES)
def test_every_key_is_of_a_kind_that_a_command_line_can_mean(module: str):
    for key, field in ((key, CLASSES[module].__dataclass_fields__[key]) for key in CLASSES[module].key_names()):
        kind, limits = hints(CLASSES[module])[key], field.metadata["range"]
        kinds = {get_origin(one) or one for one in (get_args(kind) if isinstance(kind, types.UnionType) else [kind])}
        assert limits.check or limits.of or kinds <= {bool, int, float, str, list, types.NoneType}, key


def marks_of(example: tuple[str, ...]) -> tuple[pytest.MarkDecorator, ...]:
    """Those of a module that is not quick are long."""
    return () if example[0].startswith(QUICK) and example[1:] != SLOW else (pytest.mark.long,)


@pytest.fixture
def in_a_users_folder(attempt, monkeypatch, tmp_path):
    """A folder with a user's files and programs; servers answer nobody, and no cache is removed."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    attempt("python", "-o", "my_engine.py", module="connect4.templates.__main__")
    (tmp_path / "engine").write_text(f"#!{sys.executable}\n{(tmp_path / 'my_engine.py').read_text(encoding='utf-8')}")
    (tmp_path / "engine").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(clean_cache, "clear_cache", list)
    uvicorn = pytest.importorskip("uvicorn")
    monkeypatch.setattr(uvicorn.Server, "serve", interrupted)
    yield
    for name in FILES:
        sys.modules.pop(name.removesuffix(".py"), None)


async def interrupted(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.jit
@pytest.mark.usefixtures("in_a_users_folder")
@pytest.mark.parametrize("example", [pytest.param(one, marks=marks_of(one), id=" ".join(one)) for one in EXAMPLES])
def test_every_example_runs(attempt, finished, monkeypatch, example):
    module, *words = example
    if module.startswith(ONLY_READ):
        CLASSES[module].read(words)
        return
    words += BESIDE.get(" ".join(example), [])
    if module == "treebandit.repair_agent":
        Agent.open("sqlite:///shop.db", "banner", "ucb", 2).close()
    for mark, (of, *before) in BEFORE.items():
        if any(mark in word for word in (module, *words)):
            finished(*before, module=main_of(of))
    monkeypatch.setattr(sys, "stdin", io.StringIO(TYPED.get(module, "")))
    small = next((SMALL[word] for word in (*words, module) if word in SMALL), [])
    said = attempt(*words, *small, module=main_of(module))
    if "database=postgresql://user@host/database" in words:
        said.assert_refused(["the journal postgresql", "did not answer"])
    elif module in SERVERS:
        assert (said.status, said.complaint) == (130, "interrupted\n")
        assert "http://127.0.0.1:" in said.out
    else:
        assert (said.status, said.complaint) == (0, "")
        assert said.out


def main_of(module: str) -> str:
    """Where the function is that a module starts."""
    return CLASSES[module].__module__ if module in CLASSES else module


def test_a_rule_of_the_command_line_is_one_that_agents_may_have(in_a_users_folder, attempt, monkeypatch):
    """And `rules=[]` is none."""
    seen = []
    monkeypatch.setattr("treebandit.agents.open_agents.OpenAgents.close", lambda agents: seen.append(agents._rules))
    for rules, names in (
        ("[]", ()),
        ("[my_rules.careful]", ("my_rules.careful",)),
        ("my_rules.careful,my_rules.bold", ("my_rules.careful", "my_rules.bold")),
    ):
        assert attempt(f"rules={rules}", "port=0", "database=sqlite:///shop.db", module=main_of("treebandit.agents"))
        assert seen.pop() == names
