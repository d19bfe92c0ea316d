"""A mistake on the command line is one sentence with the argument, the value and what is allowed; exit status 2."""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from omegaconf import OmegaConf

from connect4 import Board, analyse
from experiments import record_bandit, record_search, sheets
from experiments.engine import errors
from experiments.engine.experiment import build
from experiments.engine.presets import OF_PLAYERS
from mcts import Search, search
from numerics.output import tables
from tests.internals import PHASE, preset, presets
from tests.refusals import ROOT, refused

FILES = {
    "log.csv": "item,click\n1,0\n2,1\n",
    "nought.csv": "item,click,p\na,1,0.5\nb,0,0\n",
    "unpaid.csv": "item,p\na,0.5\nb,0.5\n",
    "cell.csv": "item,click,p1,p2\n1,0,0.5,0.5\n2,1,oops,0.5\n",
    "counts.csv": "item,shown,click\na,9,1\nb,5,7\n",
    "bare.csv": "a,1\nb,0\n",
    "late.csv": "item,click,t\na,1,1\nb,0,3\nb,,4\na,0,2\n",
    "bad.txt": "4\n8\n",
}
WALK = "tests.experiments.own_processes"
GAMES = "tests.experiments.own_games"

# What no declaration says: values that do not go together, files, cells, classes of a user's. By the kind of the
# experiment: the words | the place | what else the sentence has.
TOGETHER = {
    "regret": r"""
runs=1e9 horizon=1e9 | runs | 2000000 | 1000000000
arms=from_log arms.path=log.csv arms.arm_column=itm | arms.arm_column | 'itm' | log.csv
arms=from_log arms.path=nope.csv | arms.path | 'nope.csv'
arms=from_log arms.path=/dev/zero | arms.path | '/dev/zero'
arms=from_log arms.path=counts.csv arms.shown_column=shown | arms.path | 'counts.csv' | line 3 | 'click'
arms=mixture 'arms.parts=[beta]' | arms.parts[0].means | beta
bandit=custom bandit.rule=math.py | bandit.rule | 'math.py'
bandit=custom bandit.rule=bandits.policies.ucb.ucb bandit.cc=1 | bandit.cc | bandits.policies.ucb.ucb
bandit=glr_kl_ucb bandit.splits=1 horizon=100000000 | horizon | glr_kl_ucb | 100000000
'bandit={name: null}' | bandit | None
'bandit={name: ucb, label: [1]}' | bandit.label | [1]
'arms={name: from_log, means: [0.1,0.2]}' | arms.means | from_log | path
players=[random,uct] | players | experiment=environments
c=0.5 | c | bandit.c?
executor=dask executor.workers=2 executor.address=tcp://127.0.0.1:1 | executor.workers | 2
delivery=fixed delivery.delay=9999 | delivery.delay | 9998
arms=piecewise arms.arms=[0.2,0.8] arms.changes=[30] arms.means=[[0.9,1.3]] | arms.means[0].means[1] | 1.3
arms=piecewise arms.arms=[0.2,0.8] arms.changes=[30] arms.rate=0.01 | arms.changes | rate=0.01 | [30]
""",
    "identification": r"""
stopping.epsilon=1 | stopping.epsilon | 1 | [0, 1]
arms=piecewise arms.arms=[0.2,0.8] arms.changes=[30] arms.means=[[0.9,0.3]] most=100 | arms
'bandits=[ucb,{name: kl_lucb, delta: 0.2}]' | bandits[1].delta | 0.05 | 0.2
'bandits=[{name: ugape, rate: heuristic}]' | bandits[0].rate | mixture | 'heuristic'
""",
    "evaluate": r"""
log.path=nought.csv log.propensity_column=p | log.path | 'nought.csv' | line 3 | 'p'
log.path=unpaid.csv log.propensity_column=p | log.reward_column | 'click' | 'p'
log.path=late.csv | log.path | 'late.csv' | line 4 | 'click' | ''
log.path=late.csv log.time_column=t log.leave_out=true | log.path | 'late.csv' | line 5 | 't' | '2'
log.path=late.csv log.leave_out=true model=ridge | model | means
log.path=log.csv 'policies=[uniform,{name: arm, arm: 7}]' | policies[1].arm | 1, 2 | 7
log.path=log.csv policies=[uniform,ucb] | policies[1] | 'ucb'
log.path=log.csv log.uniform=true learners=[uniform] | learners[0] | 'uniform'
log.path=log.csv log.uniform=true learners=[linucb] | learners[0] | log
log.path=cell.csv 'policies=[{name: columns, arms: [2,1], columns: [p2,p1]}]' \
    | policies[0].columns[1] | 'cell.csv' | line 3 | 'p1' | 'oops'
log.path=bare.csv log.header=false log.columns=[item,click,p] | log.path | 'bare.csv' | line 1 | 3
""",
    "match": r"""
openings=pair | openings | 'pair' | pairs?
openings=bad.txt | openings | 'bad.txt' | line 2 | '8'
simulations=9 | simulations | player1.simulations
player1=uct_best board=12x12 | board | 128 | 12x12
player1=uct_best player1.book=log.csv | player1.book | log.csv
player1=uct_best player1.book=packaged board=6x5 | book | 6x5 | 'packaged'
player1=uct_best player1.book=packaged player1.exact=false | player1.book | exact
player2=program "player2.command='./nope --fast'" | command | ./nope
board=7 | board | 7x6 | '7'
""",
    "uct_sweep": r"""
parameter=simulation | parameter | 'simulation' | simulations?
parameter=settings 'values=[{solve: true},{nope: 1}]' | values | nope
parameter=settings 'values=[{solve: true},{c: -1}]' | player.c | 0 | -1
values=[1,1] | values | 2 | [1,1]
""",
    "strength": r"""
positions=3000 positions_from=random | positions | 2000 | 3000
simulations=[0] | players[1].simulations | 1 | 0
game=hex board=8x8 | board
""",
    "comparison": r"""
bandits=[ucb,moss,ucb] | bandits[2].label | ucb
bandits=ucb | bandits | [ucb,...]
arms=testbed anytime=true | anytime | Gaussian
'bandits=[{name: ucb, 5: 3}]' | bandits[0].5 | ucb
arms=piecewise arms.arms=[0.2,0.8] arms.changes=[90] arms.means=[[0.9,0.3]] horizon=90 | arms.changes | 90
""",
    "leaderboard": r"""
problems=[testbed] | problems | 'testbed'
problems=[shorter] | problems[0] | 'shorter' | short?
bandits=[ucb,bayes_optimal] | bandits[1] | bayes_optimal
""",
    "exact": r"""
arms=gaussian | arms | Bernoulli
arms=random_means horizon=10 | arms.arms | 2 | 10
arms=bernoulli_10 | bandits[0] | 8
bandits=[thompson_gaussian] arms.means=[0.1,0.2,0.3] horizon=9 | bandits[0] | thompson_gaussian | 3
""",
    "trace": r"""
horizon=1000000000000 | horizon | 1000000 | 1000000000000
""",
    "tournament": r"""
'players=[random,{name: minimax, seed: 1}]' | players[1].seed
""",
    "environments": r"""
players=[level_0,human] | players[1] | 'human'
""",
    "p_game": r"""
policies=[epsilon_greedy] | policies[0] | epsilon_greedy
""",
    "planning": rf"""
process=custom process.path=math.pi | process.path | 'math.pi' | 3.14159
process=custom process.path={WALK}.walk process.start=1 | process.path | '{WALK}.walk' | start
process=custom process.path={WALK}.walk_from process.end=1 | process.path | end=1 | TypeError
process=custom process.path={WALK}.broken | process.path | RuntimeError: no walk
process=custom process.path={WALK}.walk_from process.start=6 | process
scales=[tree,[1,0]] | scales[1] | [1.0, 0.0]
scales=[tree,tree] | scales | ['tree', 'tree']
simulations=[10,10] | simulations | [10, 10]
""",
    "root_regret": rf"""
policies=[discounted_ucb] | policies[0] | discounted_ucb
game=hex game.size=6 | board
game=custom game.cls={GAMES}.TicTacToe | game | scores() | TicTacToe
game=custom game.cls={GAMES}.Dice | game | chance | {GAMES}.Dice
""",
    "scaling": r"""
horizons=[10,10] | horizons | [10, 10]
horizons=[] gaps=[] numbers_of_arms=[] | numbers_of_arms | gaps | horizons
""",
    "tune": r"""
method=sequential_halving budget=3 | budget | 90 | 3
method=optuna | values | method=optuna
board=5x4 | signal=positions | 7x6 | signal=games
""",
    "grade": r"""
rates=[0,2] | rates[1] | 1 | 2
""",
    "sprt": r"""
elo0=10 elo1=10 | elo0 | elo1=10
alpha=0.5 beta=0.5 | alpha and beta | beta=0.5
games=41 | games | 41
openings=pairs | openings | 'pairs'
board=8x7 | openings=balanced | 7x6 | 8x7
""",
}

# What only the command line reads: Hydra's grammar, groups, sweeps.
TYPED = r"""
horizon=10,000 | Ambiguous value for argument 'horizon=10,000'
bandit=my_rules.good | bandit | 'my_rules.good' | bandit=custom bandit.rule=my_rules.good
experiment=p_game sizes=[2x4,2x4] | sizes | 2x4
+foo=1 | foo | horizon | --help
++arms.foo=1 | arms.foo | bernoulli | labels
~seed | seed | seed=VALUE
arms.means=[.nan,0.5] | arms.means[0] | .nan
arms.means=[0.1,0.2 | cannot read 'arms.means=[0.1,0.2'
'player1=[{name: nix}]' experiment=match | Hydra
horizon=${nope} | Interpolation key 'nope'
nonsense | cannot read 'nonsense'
figures=png | figures
experiment=scaling delivery=batch | Could not override 'delivery'
experiment=planning process=custom process.path=tests.experiments.own_processes.walk_from process.start=1 \
    | process.start | +process.start
-m seed=range(3,0) | a sweep
-m bandit.c=0.1,0.2,1e-1 runs=1,2 | bandit.c | 0.1
"""

# Of other commands: the module and its words.
OTHERS = r"""
catalogue usb | what | 'usb' | ucb?
catalogue bibtex=ucbb | bibtex | 'ucbb' | ucb?
catalogue bibtex=random | bibtex | random
catalogue convert='openspeil uct_c=2' | the program of convert | 'openspeil' | openspiel?
catalogue convert='openspiel uct_c=nan' | openspiel | uct_c=VALUE | 'uct_c=nan'
sprt -1,2,3,4,5 | COUNTS | '-1,2,3,4,5'
judge | command or player
judge command=sh player=uct | command | player
judge command= | command | ''
judge 'command='"'"'x' | command | "'x"
judge player=level_4 budget=10 | budget | level_4
judge 'player=uct simulations=5' budget=9 | budget | simulations
judge command=sh budget=9000 limit=2 | seconds | limit=2 | 9
judge command=sh positions_from=held_out positions=7000 | positions | 3000 | 7000
judge command=sh board=9x9 | board | 9x9 | 81
judge reference=true board=6x6 | reference
judge player=uct 'game=hex size=3' reference=true | reference
plot . | folder | manifest.json
answer 'player=uct d=3' | player.d | uct
answer player=uct board=0x3 | board
play player=human | player | 'human'
play 'player=minimax deep' | player | 'deep'
play moves=448 | moves | 7 | '8'
play moves=1212121 | moves | '1212121'
play compare=ucb,softmax | compare | softmax
play compare=ucb,thompson player=random | player | 'random'
record 'rule=custom rule=nope.x' | rule.rule | 'nope.x' | 'nope'
record rule2=ucb | rule2 | 'ucb'
record 44 45 | unexpected argument | '45'
record -o | -o | OUTPUT
record simulations=1e6 | simulations | 9210 | 1000000
record 44 arms=0.3,0.5 | moves | arms | 44
record arms=0.3,0.5 horizon=1e6 | horizon | 17500 | 1000000
record rule=puct command=./engine | rule | command | puct
record player=level_1 | player | player2 | level_1
record game=custom game.cls=tests.experiments.own_games.Nim exact=true | exact
record game=tests.experiments.own_games.Nim arms=0.3,0.5 | game | arms
record game=tests.experiments.own_games.Dice | game | own_games.Dice
record game=tests.experiments.own_games.TicTacToe simulations=1e5 | simulations | 1 MB
record command=./engine seconds=20 | seconds | limit=10 | 20
record -o search.txt | --output | .html | 'search.txt'
record -o nowhere/search.html | --output | 'nowhere/search.html'
record -o /proc/search.html | --output | '/proc/search.html'
"""


def lines_of(table: str, *before: str) -> list[Any]:
    """Return the cases of a table: words, and what their sentence begins with and has."""
    rows = [line.split(" | ") for line in table.replace("\\\n", "").strip().splitlines()]
    return [
        pytest.param(
            [*before, *shlex.split(words)], [part.strip() for part in parts], id=" ".join([*before, words])[:80]
        )
        for words, *parts in rows
    ]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with a user's files."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


def configuration(words):
    """Return what the words of a command mean, as far as they need no Hydra."""
    pairs = [tuple(word.split("=", 1)) for word in words]
    values, folders = preset("experiment", dict(pairs)["experiment"]), dict.fromkeys(OF_PLAYERS, "player")
    groups = {key[1:]: name for one in values.pop("defaults") if one != "_self_" for key, name in one.items()}
    groups |= {key: name for key, name in pairs if key in groups and name in presets(folders.get(key, key))}
    nodes = {key: preset(folders.get(key, key), name) for key, name in groups.items()}
    rest = [f"{key}={value}" for key, value in pairs if key != "experiment" and groups.get(key) != value]
    return OmegaConf.to_container(OmegaConf.merge(values, nodes, OmegaConf.from_dotlist(rest)))


OF_KINDS = [case for kind, table in TOGETHER.items() for case in lines_of(table, f"experiment={kind}")]
NAN = "tests.bandits.test_own_rules.leaves_nan"
COMPILED = pytest.param(
    ["experiment=match", "player1=uct", f"player1.policy={{name: custom, rule: {NAN}}}"],
    ["player1.policy.rule", NAN, "nan"],
    marks=pytest.mark.long,
)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("words", "parts"), [*OF_KINDS, COMPILED])
def test_values_that_do_not_go_together_are_refused_by_their_place(words, parts):
    refused(lambda: build(configuration(words)), *parts)


LONG = pytest.param(["bandit.c=" + "a" * 2_000], ["bandit.c", "'aaaa", "aaa..."], id="a long value")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("words", "parts"), [*lines_of(TYPED), LONG])
def test_what_hydra_cannot_make_a_run_of_is_one_sentence_and_leaves_nothing_behind(attempt, tmp_path, words, parts):
    attempt(*words).assert_refused(parts)
    assert "-m" in words or {path.name for path in tmp_path.iterdir()} <= {*FILES, "results"}
    assert "-m" in words or not list(tmp_path.glob("results/*/*"))


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("words", "parts"), lines_of(OTHERS))
def test_a_mistake_of_another_command_is_one_sentence_and_leaves_nothing_behind(attempt, tmp_path, words, parts):
    module, *typed = words
    attempt(*typed, module=module).assert_refused(parts)
    assert {path.name for path in tmp_path.iterdir()} == {*FILES}


CALLS = [
    (lambda: Search(Board(), simulations="100"), "simulations", "'100'"),
    (lambda: Search(Board(), simulations=10**400), "simulations", "401 digits"),
    (lambda: search(Board(), simulations=9, workers=np.array([1, 2])), "workers", "array([1, 2])"),
    (lambda: analyse(Board(), 3), "solver", "3"),
    (lambda: record_search("44", None), "rules", "None"),
    (lambda: record_bandit([0.1, 0.5], 3), "rules", "3"),
    (lambda: record_bandit([0.1, 0.5], "ucb", 9, 1.5), "seed", "1.5"),
    (lambda: record_bandit([0.1, 0.5], "ucb", 9, True), "seed", "True"),
    (lambda: sheets(3), "folder", "3"),
]


@pytest.mark.parametrize(("call", "name", "value"), CALLS)
def test_a_wrong_call_in_python_names_the_argument_and_the_value(call, name, value):
    refused(call, f"{name} ", value)


EXTREMES = [
    ["arms.means=[1e-320,0]"],
    ["arms=random_means", "arms.a=1e6", "arms.b=1e-6"],
    ["arms=testbed", "arms.center=1e100"],
    ["arms=testbed", "arms.scale=1e-320"],
    ["arms=gaussian", "arms.means=[0,1e-320]"],
    ["bandit=ucb_v", "bandit.zeta=1e100", "bandit.c=1e100"],
    ["bandit=softmax", "bandit.temperature=1e-320"],
]


@pytest.mark.sampled(2)
@pytest.mark.drawn
@pytest.mark.parametrize("overrides", EXTREMES, ids=" ".join)
def test_the_largest_and_smallest_numbers_that_are_allowed_make_a_quiet_run(command, overrides):
    said = command(*overrides, "runs=3", "horizon=20")
    assert (said.status, said.complaint) == (0, "")


@pytest.mark.parametrize("place", ["file/below", "file"])
def test_a_folder_that_cannot_be_made_is_said(attempt, tmp_path, place):
    (tmp_path / "file").write_text("")
    attempt("runs=2", "horizon=20", f"hydra.run.dir={place}").assert_refused(["", "hydra.run.dir"])


@pytest.mark.parametrize("name", ["thesis.tex", ".notes.2026"])  # which looks like a leftover
def test_a_folder_with_other_files_is_refused_untouched(attempt, tmp_path, name):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("years of work")
    attempt("runs=2", "horizon=20", "hydra.run.dir=mine").assert_refused(["hydra.run.dir", name])
    assert [(path.name, path.read_text()) for path in (tmp_path / "mine").iterdir()] == [(name, "years of work")]


def test_a_full_disk_under_a_sweep_names_its_folder_and_its_key(attempt, tmp_path, monkeypatch):
    write = tables.write

    def full(table, path):
        if path.name == "sweep.csv":
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write(table, path)

    monkeypatch.setattr(tables, "write", full)
    said = attempt("-m", "bandit.c=1,2", "runs=2", "horizon=20", "hydra.sweep.dir=swept")
    said.assert_refused(["", "swept/sweep.csv: No space left", "hydra.sweep.dir"])


FULL, GONE = "full", "gone"
RUN = ["runs=2", "horizon=20"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("output", "words", "status"),
    [
        (FULL, ["--help"], 2),
        (FULL, RUN, 2),
        (GONE, ["--help"], 2),
        (GONE, RUN, 2),
        ([1], ["--help"], 0),
        ([2], RUN, 0),
        ([0, 1, 2], RUN, 0),
        ([1], ["runs=-2"], 2),
    ],
)
def test_an_output_that_is_full_gone_or_closed_ends_a_command_as_it_should(tmp_path, output, words, status):
    """A full one is named; a reader that has left ends it quietly; what is closed keeps nothing from being done."""
    if output == FULL:
        if not Path("/dev/full").exists():
            pytest.skip("this system has no /dev/full")
        ours = os.open("/dev/full", os.O_WRONLY)
    else:
        theirs, ours = os.pipe()
        os.close(theirs)
    done = subprocess.run(
        [sys.executable, "-m", "experiments.run", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        stdout=ours if output in (FULL, GONE) else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: [os.close(one) for one in output if isinstance(one, int)],
        text=True,
    )
    os.close(ours)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    said = [line for line in done.stderr.splitlines() if not line.startswith(PHASE)]
    if output == FULL:
        assert [line.startswith("output: No space") for line in said] == [True]
    assert output != GONE or said == []
    assert output in (FULL, GONE) or len(list(tmp_path.rglob("summary.csv"))) == (words == RUN)


def test_a_worker_that_dies_is_said_and_a_bug_of_ours_is_no_sentence():
    said = errors.sentence(BrokenProcessPool("exit codes {SIGKILL(-9)}"))
    assert said.startswith("executor: ")
    assert "hydra.run.dir" in said
    assert errors.sentence(KeyError("x")) is errors.sentence(TypeError("x")) is None


def test_a_rule_file_that_fails_is_one_sentence(attempt, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for number, (text, part) in enumerate([("from bandits import nothing_here", "ImportError"), ("1 / 0", "line 1")]):
        (tmp_path / f"failing_{number}.py").write_text(text)
        attempt("bandit=custom", f"bandit.rule=failing_{number}.rule").assert_refused(["bandit.rule", part])
