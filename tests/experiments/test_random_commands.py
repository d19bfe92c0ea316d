"""Random command lines: none ends in a traceback, a warning, or more than a screen.

They are made from the real registries: experiments, groups, keys and names, right ones and wrong ones, with values of
every kind, sweeps and interpolations. A right one ends before its first task. `RANDOM_LINES=10000` tries more of them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import random
import re
import signal
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from experiments.engine import runs
from experiments.engine.families import ARMS
from numerics.families import default_of
from tests.experiments.commands import Said
from tests.internals import EXECUTOR, PLAYER, POLICY, Experiment, presets

LINES = int(os.environ.get("RANDOM_LINES", "100"))
SCREEN = 12 * 100  # letters of the longest sentence
SECONDS = 60  # of the processor for a line, at most
FILES = {"log.csv": "item,click\na,0\nb,1\n", "my.py": "def rule(t, params): return 1.0\n", "presets/a": ""}

FAMILIES = {"arms": ARMS, "bandit": POLICY, "executor": EXECUTOR}
FAMILIES |= dict.fromkeys(("player", "player1", "player2", "opponent"), PLAYER)


def _words(text: str) -> list[str]:
    return text.split()


TINY = {
    word.partition("=")[0]: word.partition("=")[2]
    for word in _words("""
        horizon=30 runs=3 games=2 openings=none paths=20 position_paths=4 fillings=20 exact_positions=100 trees=2
        iterations=8 positions=4 rounds=0 board=4x3 connect=3 playouts_per_move=2 simulations=10
    """)
}
BUDGETS = {
    *TINY,
    *_words("seconds depth ply playouts_per_leaf workers memory sizes arms playouts values rates explore"),
}
NUMBERS = _words("""
0 1 2 3 -1 0.5 -0.0 1e1 2.0 1_0 +5 --5 1. 0x10 nan inf -inf .nan 1e400 1e-400 1e101 -1e30 99999999999999999999 12:30:00
""")
NAMES = _words("""
null true false yes none ucb uct random custom nix first_moves pairs 7x6 4x3 0x0 99x99 3x -3x3 1e9x3 2x2 2x2000 uniform
biased visits quadruplets settings c name label seed my.rule math.pi os. ..x nope.csv log.csv . .. ../.. a/b /dev/zero
/dev/null/x ucb,moss a,b ??? '???'
""")
NODES = re.split(
    r"\s{2,}|\n",
    """
[]  {}  [[]]  [{}]  [null]  [0.1,2]  [0.5,0.25]  [1,[2,[3]]]  [???]  {a: 1}  {a: {}}  {name: ucb}  {null: null}  {: 1}
{name: ucb, c: {x: 1}}  {name: null}  {name: [ucb]}  [{name: nix}]  [ucb,null]  [{name: ucb, c: nan}]  [ucb,ucb]
[{name: uct, policy: {name: moss}}]  [random,{name: minimax, depth: x}]  {name: uct, simulations: 2, policy: [ucb]}
[random,random]  [{5: 3}]  [{name: ucb, label: [a]}]  [{label: x}]  {name: custom, rule: my.rule}  [2x12,4x6]  [a,b
[random,{name: random, label: "[b]x[/b]"}]  [level_2,{name: level_3, label: ""}]  {name: puct}  [1,2,3]  {a:1,b}
""".strip(),
)
ODD = (
    *_words(r"""' " \ \' '' @ ~ ~/x $ % # | ; & * ? [ ] { } , a=b a:b é 日本 ${x} ${seed} ${bandit} ${.c} ${..seed} ${
    ${nope:1,2} ${oc.env:NOPE} ${oc.env:HOME} ${now:%Y} ${hydra:job.num} ${hydra:nope} ${hydra.run.dir} ${oc.decode:x}
    a${seed}b $${x} [${seed},'${x}'] ${oc.create:{a:1}} ${oc.select:nope} ${oc.deprecated:seed} ${horizon} ${a${b}}
    ${oc.dict.keys:arms} int(3) str([1,2]) bool(x) float(a) json_str(1) nope(1) int( sort(3,1) shuffle(1,2) "a"
    '[1]' "1e1" """),
    *("", " ", "a b", "\u202e", "\x1b[31m", "\x07", "\t", "\n", "\udcff", "a" + "\u0301" * 50, "☃" * 400, "a" * 2_000),
    *("9" * 400, "-" + "9" * 30, "[" * 50, "{a: " * 30 + "1" + "}" * 30, "[" * 30 + "]" * 30, "x." * 200),
    "[1" + ",1" * 300 + "]",
)
VALUES = (*NUMBERS, *NAMES, *NODES, *ODD)
SWEPT = _words(r"""
1,2 a,b null,1 [1],[2] {a:1},{b:2} choice(1,2) range(0,3) range(3,0) range(0,1,0) range(0.1,0.5,0.2)
range(a) interval(0,1) glob(*) glob(u*) glob([a],exclude=b) shuffle(1,2,3) tag(x,choice(1,2)) choice() sort(2,1) 1,1 ,
1, choice(a,[b]) 'a,b',c ucb,moss random,level_2 ${x},1 range(1) range(1,2,3,4)
""")


EVERY = sorted({field.name for cls in Experiment.members.values() for field in dataclasses.fields(cls)})
BROKEN = ("{}@x", "x@{}", "{}.", ".{}", "{}/x", "{}[0]", "{} ", "")


def random_line(draw: random.Random) -> list[str]:
    """Return the words of a command: an experiment made tiny, and overrides, most often of its own keys."""
    kind, swept = draw.choice(presets("experiment")), draw.random() < 0.2
    own = sorted(field.name for field in dataclasses.fields(Experiment.members[kind]))
    words = [
        f"{key}={value}" for key, value in TINY.items() if key in own and (kind, key) != ("strength", "simulations")
    ]
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5))):
        key = draw.choice(own if draw.random() < 0.9 else (*EVERY, "kind", "nope", "experiment", "schema/arms"))
        value = draw.choice(draw.choice((NUMBERS, NAMES, NODES, VALUES)))
        names = presets(key) if key in (*FAMILIES, "delivery", "experiment") else []
        if names and draw.random() < 0.5:
            value = draw.choice(names)
        elif family := FAMILIES.get(key):
            defaults = {one.name: default_of(one) for one in family.parameters(draw.choice([*family.family.members]))}
            inner = draw.choice(("name", *defaults, "nope"))
            key, value = f"{key}.{inner}", value if draw.random() < 0.8 else str(defaults.get(inner))
        if key.rpartition(".")[2] in BUDGETS and _is_long(value):
            value = TINY.get(key, "1")
        if key in ("players", "bandits", "policies") and draw.random() < 0.5:
            value = f"[{','.join(random_member(draw, key, value) for _ in range(draw.choice((1, 2, 3))))}]"
        key = draw.choice(BROKEN).format(key) if draw.random() < 0.02 else key
        words.append(f"{key}={draw.choice(SWEPT) if swept and draw.random() < 0.4 else value}")
    return [*(["-m"] if swept else []), f"experiment={kind}", *words]


def random_member(draw: random.Random, key: str, value: str) -> str:
    """Return a name or a node of a list."""
    family = PLAYER if key == "players" else POLICY
    name = draw.choice(sorted(family.family.members))
    inner = draw.choice(("name", *(field.name for field in family.parameters(name)), "nope"))
    value = "1" if inner in BUDGETS and _is_long(value) else value
    return draw.choice((name, f"{{name: {name}, {inner}: {value}}}"))


def _is_long(value: str) -> bool:
    """Whether this value could be right, and make a run long."""
    for part in value.replace("x", ",").strip("[]").split(","):
        with contextlib.suppress(ValueError):
            if 30 < float(part) < 1e17:
                return True
    return False


def faults_of(said: Said, words: Sequence[str]) -> list[str]:
    """Return what is wrong with how a line ended."""
    lines = said.complaint.splitlines()
    found = [f"a sentence of {len(line)} letters: {line[:200]}" for line in lines if len(line) > SCREEN]
    if said.status not in (0, 2) and not (said.status == 130 and "human" in " ".join(words)):
        found.append(f"ended with {said.status}: {said.err[-1_500:]}")
    if "Traceback" in said.err:
        found.append(said.err[-1_500:])
    if any(not one.isprintable() for line in lines for one in line):
        found.append(f"control characters: {said.err!r}")
    return found


def announced(experiment: Any, config: Any, folder: Path, **options: Any) -> None:
    """End a run where its first task would begin."""
    with runs.RunFolder.open(folder, config, runs.source_digest(experiment, next(experiment.stages(folder)))):
        experiment.announce()


@pytest.mark.long
def test_random_command_lines_end_well(attempt, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "perform", announced)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    signal.signal(signal.SIGPROF, lambda *_: pytest.fail("a line takes too long"))
    draw, bad = random.Random(3), []
    for number in range(LINES):
        folder, words = tmp_path / str(number), random_line(draw)
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        monkeypatch.chdir(folder)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                faults = faults_of(attempt(*words), words)
        except Exception as error:
            faults = [repr(error)]
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        bad += [(words, faults)] if faults else []
    assert not bad, "\n".join(f"{words}: {faults}" for words, faults in bad)
