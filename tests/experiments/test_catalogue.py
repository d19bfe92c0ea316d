"""The catalogue: a line each of everything that a command can name, and one card."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields

import pytest

from bandits import Policy
from bandits.references import references
from experiments import catalogue
from experiments.players import PLAYERS
from tests.internals import PROCESSES, Executor, presets

NAMES = [(kind, name) for kind, own in catalogue.KINDS.items() for name in own.names()]


@pytest.mark.parametrize(
    "kind", [Policy.members, PLAYERS.members, PROCESSES.members], ids=["policies", "players", "processes"]
)
def test_the_catalogue_says_what_every_parameter_is(kind):
    for cls in kind.values():
        described = dict(catalogue.describe_parameters(cls))
        assert set(described) == {one.name for one in fields(cls) if one.init} - {"seed"}, cls
        for text in described.values():
            assert re.fullmatch(r"[A-Z0-9].*\.", text), text


def test_the_catalogue_lists_all_there_is_a_line_each(command):
    said = command(module="catalogue")
    lines = said.out.splitlines()
    groups = ("bandit", "arms", "player1", "game", "process", "experiment", "executor", "delivery")
    lists = [presets(group) for group in groups]
    for names in lists:
        for name in names:
            assert sum(line.startswith(f"  {name} ") for line in lines) >= 1, name
    assert max(map(len, lines)) <= 100
    assert len(lines) == sum(len(names) + 2 for names in lists) + 1  # each list has a head and an empty line


def test_a_list_alone_and_the_card_of_a_policy(command):
    said = command("executors", module="catalogue")
    assert [line.split()[0] for line in said.out.splitlines() if line] == ["executors:", *sorted(Executor.members)]
    card = command("ucb", module="catalogue").out
    for part in ("m + sqrt(2) sqrt(ln t / n)", "Fischer 2002", "bandit.c", "1.41421", "experiments.run bandit=ucb"):
        assert part in card
    assert max(map(len, card.splitlines())) <= 100
    cards = command("custom", module="catalogue").out
    assert all(f"{key}=custom" in cards for key in ("bandit", "arms", "player1", "process"))  # all of a name


@pytest.mark.parametrize(("kind", "name"), NAMES[::15])
def test_the_command_of_every_card_composes(command, kind, name):
    words = shlex.split(catalogue.KINDS[kind].card(name).command)
    assert words[:3] == ["python", "-m", "experiments.run"]
    command(*words[3:], "--cfg", "job")


def test_the_papers_of_policies_in_bibtex(command):
    said = command("bibtex=ucb,kl_ucb_plus,epsilon_greedy", module="catalogue")
    keys = re.findall(r"^@\w+\{(\w+),$", said.out, re.MULTILINE)
    assert keys == ["auer2002finite", "garivier2011", "honda2019", "sutton2018"]
    assert r"author = {Auer, Peter and Cesa-Bianchi, Nicol{\`o} and Fischer, Paul}," in said.out
    assert command("bibtex=all", module="catalogue").out.count("\n@") == len(references()) - 1 >= 49
