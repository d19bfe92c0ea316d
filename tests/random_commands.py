"""Random command lines: none ends in a traceback, a warning, or more than a screen.

They are made from the real registries: experiments, groups, keys and names, right ones and wrong ones, with values of
every kind, sweeps and interpolations. Budgets are tiny; few lines play.

    python -m tests.random_commands --count 10000 --seed 0
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import logging
import os
import random
import re
import shlex
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from experiments import run
from experiments.engine import runs
from experiments.engine.errors import guarded
from experiments.engine.experiment import Experiment
from experiments.engine.families import ARMS, EXECUTOR, POLICY
from experiments.engine.presets import presets
from experiments.players.specs import PLAYER
from numerics.families import default_of
from numerics.kernels.compiling import PHASE
from numerics.output import style
from tests.experiments.commands import sketch

SCREEN = 12 * 100  # letters of the longest sentence
SECONDS = 60  # for a line, at most
PLAYED = 0.05  # the share of the lines that play where they are right; the others end before the first task

FAMILIES = {"arms": ARMS, "bandit": POLICY, "executor": EXECUTOR}
FAMILIES |= dict.fromkeys(("player", "player1", "player2", "opponent"), PLAYER)
TINY = {
    "horizon": "30",
    "runs": "3",
    "games": "2",
    "openings": "none",
    "paths": "20",
    "position_paths": "4",
    "fillings": "20",
    "exact_positions": "100",
    "trees": "2",
    "iterations": "8",
    "positions": "4",
    "rounds": "0",
    "board": "4x3",
    "connect": "3",
    "playouts_per_move": "2",
    "simulations": "10",
}
BUDGETS = {
    *TINY,
    "simulations",
    "seconds",
    "depth",
    "ply",
    "playouts_per_leaf",
    "workers",
    "memory",
    "sizes",
    "arms",
    "playouts",
    "values",
    "rates",
    "explore",
}


def _words(text: str) -> list[str]:
    return text.split()


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


class Lines:
    """Random command lines; the same seed gives the same ones."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def line(self) -> list[str]:
        """Return the words of one."""
        chance, pick = self.random.random, self.random.choice
        name = pick(presets("experiment"))
        swept = chance() < 0.2
        words = [f"experiment={name}"] if chance() < 0.9 else []
        own = {field.name for field in dataclasses.fields(Experiment.members[name if words else "regret"])}
        words += [f"{key}={value}" for key, value in TINY.items() if key in own]
        words = [word for word in words if name != "strength" or not word.startswith("simulations")]  # there a list
        for _ in range(pick((1, 1, 1, 2, 2, 3, 5))):
            words.append(self.override(sorted(own), swept=swept))
        return ["-m", *words] if swept else words

    def override(self, own: Sequence[str], *, swept: bool) -> str:
        """Return one override, of a key or a group, or something that is none."""
        chance, pick = self.random.random(), self.random.choice
        if chance < 0.01:
            return pick(VALUES)
        key, value = self.key(own)
        if swept and self.random.random() < 0.4:
            value = pick(SWEPT)
        if self.random.random() < 0.02:
            key = pick(
                (f"{key}@x", f"x@{key}", key.upper(), f"{key}.", f".{key}", f"{key}/x", f"{key}[0]", f"{key} ", key[1:])
            )
        return f"{key}={value}"

    def key(self, own: Sequence[str]) -> tuple[str, str]:
        """Return a key, most often of the experiment, and a value, often a right one."""
        pick = self.random.choice
        every = sorted({field.name for cls in Experiment.members.values() for field in dataclasses.fields(cls)})
        key = pick(own) if self.random.random() < 0.9 else pick((*every, "kind", "nope", "experiment", "schema/arms"))
        names = presets(key) if key in (*FAMILIES, "delivery", "experiment") else []
        if names and self.random.random() < 0.6:
            return key, pick(names) if self.random.random() < 0.8 else self.value()
        if family := FAMILIES.get(key):
            fields = {field.name: default_of(field) for field in family.parameters(pick([*family.family.members]))}
            inner = pick(("name", *fields, "nope"))
            key, default = f"{key}.{inner}" + (".x" if self.random.random() < 0.03 else ""), fields.get(inner)
        else:
            default = None
        value = self.value() if self.random.random() < 0.8 else "null" if default is None else str(default)
        if key in ("players", "bandits", "policies") and self.random.random() < 0.5:
            value = f"[{','.join(self.member(key) for _ in range(pick((1, 2, 2, 3))))}]"
        return key, TINY.get(key, "1") if key.rpartition(".")[2] in BUDGETS and _is_long(value) else value

    def value(self) -> str:
        """Return a value of one sort or another."""
        return self.random.choice(self.random.choice((NUMBERS, NAMES, NODES, VALUES)))

    def member(self, key: str) -> str:
        """Return a name or a node of a list."""
        pick = self.random.choice
        family = PLAYER if key == "players" else POLICY
        name = pick(sorted(family.family.members))
        if self.random.random() < 0.4:
            return name
        inner = pick(("name", *(field.name for field in family.parameters(name)), "nope"))
        value = self.value()
        return f"{{name: {name}, {inner}: {1 if inner in BUDGETS and _is_long(value) else value}}}"


def _is_long(value: str) -> bool:
    """Whether this value could be right, and make a run long."""
    return any(30 < number < 1e17 for number in _numbers(value))


def _numbers(value: str) -> Iterator[float]:
    for part in value.replace("x", ",").strip("[]").split(","):
        with contextlib.suppress(ValueError):
            yield float(part)


@dataclasses.dataclass
class Ended:
    """How a line ended."""

    status: int | None
    out: str
    err: str
    warned: list[str]

    def faults(self, words: Sequence[str]) -> list[str]:
        """Return what is wrong with it."""
        found = [f"warning: {one}" for one in self.warned]
        if self.status not in (0, 2) and not (self.status == 130 and "human" in " ".join(words)):
            found.append(f"ended with {self.status}: {self.err[-1_500:]}")
        lines = [line for line in self.err.splitlines() if not line.startswith(PHASE)]
        found += [f"a sentence of {len(line)} letters: {line[:200]}" for line in lines if len(line) > SCREEN]
        if "Traceback" in self.err:
            found.append(self.err[-1_500:])
        if any(not one.isprintable() for line in lines for one in line):
            found.append(f"control characters: {self.err!r}")
        return found


class Late(BaseException):
    """A line takes too long."""


def end_of(words: Sequence[str], folder: Path, *, plays: bool) -> Ended:
    """Run one line in an empty folder of its own, and say how it ended."""
    fixtures = {"log.csv": "item,click\na,0\nb,1\n", "my.py": "def rule(t, params): return 1.0\n", "presets/a": ""}
    for name, text in fixtures.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    here = Path.cwd()
    os.chdir(folder)
    try:
        with _streams() as (out, err), warnings.catch_warnings(record=True) as warned, _limit(), _patched(plays=plays):
            warnings.simplefilter("always")
            sys.argv = ["experiments/run.py", *words]
            try:
                status: int | None = guarded(run.main)
            except (Exception, Late):
                status = None
                traceback.print_exc()
            texts = [_text(out), _text(err)]
    finally:
        os.chdir(here)
        logging.getLogger().handlers.clear()  # which --info leaves
        logging.getLogger().setLevel(logging.WARNING)
    return Ended(status, texts[0], texts[1], [str(one.message) for one in warned])


@contextlib.contextmanager
def _streams() -> Iterator[tuple[Any, Any]]:
    """Give standard output and error to files, and nothing to standard input."""
    with contextlib.ExitStack() as stack:
        out, err = (stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")) for _ in "12")
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        before, sys.stdin = sys.stdin, stack.enter_context(open(os.devnull, encoding="utf-8"))
        words = sys.argv
        try:
            yield out, err
        finally:
            sys.stdin, sys.argv = before, words


def _text(file: Any) -> str:
    file.flush()
    file.seek(0)
    return str(file.read())


@contextlib.contextmanager
def _limit() -> Iterator[None]:
    def late(*_: object) -> None:
        raise Late(f"{SECONDS} s")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of the processor's time: other processes do not count
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextlib.contextmanager
def _patched(*, plays: bool) -> Iterator[None]:
    """Sketch figures; where a line does not play, end a run where its first task would begin."""
    save, perform = style.save, runs.perform

    def opened(experiment: Any, config: Any, folder: Path, **options: Any) -> None:
        with runs.RunFolder.open(folder, config, runs.source_digest(experiment, next(experiment.stages(folder)))):
            experiment.announce()

    style.save = sketch
    if not plays:
        runs.perform = opened
    try:
        yield
    finally:
        style.save, runs.perform = save, perform


def check(count: int, seed: int, *, every: int = 0, played: float = PLAYED) -> list[tuple[list[str], list[str]]]:
    """Run random lines, and return those with faults; every so often say how far it is."""
    lines, bad, ends = Lines(seed), [], dict[int | None, int]()
    for number in range(count):
        words = lines.line()
        with tempfile.TemporaryDirectory() as folder:
            plays = lines.random.random() < played and "executor" not in " ".join(words)  # no clusters are started
            ended = end_of(words, Path(folder), plays=plays)
        ends[ended.status] = ends.get(ended.status, 0) + 1
        if faults := ended.faults(words):
            bad.append((words, faults))
            if every:
                print(shlex.join(words), *faults, sep="\n  ", flush=True)
        if every and (number + 1) % every == 0:
            print(f"{number + 1} lines: {len(bad)} with faults; statuses {ends}", flush=True)
    return bad


def main() -> None:
    """Read the command line, run, and end with 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_commands", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--played", type=float, default=PLAYED, help="share of the lines that play")
    given = parser.parse_args()
    sys.exit(bool(check(given.count, given.seed, every=100, played=given.played)))


if __name__ == "__main__":
    main()
