"""A mistake on the command line is one sentence with the argument, the value and what is allowed; exit status 2."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from experiments.engine import errors

LOG = "item,click\n1,0\n2,1\n"
CASES = [
    (["bandit=nope"], ["bandit", "'nope'", "thompson"]),
    (["arms=nope"], ["arms", "'nope'", "bernoulli_10"]),
    (["experiment=nope"], ["experiment", "'nope'", "comparison"]),
    (["executor=nope"], ["executor", "'nope'", "serial"]),
    (["bandit.d=3"], ["bandit.d", "name, label, c"]),
    (["horizn=3"], ["horizn", "horizon"]),
    (["+foo=1"], ["foo is no key here", "horizon", "--help"]),
    (["++horizn=5"], ["horizn is no key here", "horizon", "--help"]),
    (["++arms.foo=1"], ["arms.foo is no parameter of bernoulli; it takes means"]),
    (["++executor.foo=1"], ["executor.foo is no parameter of threads; it takes workers"]),
    (["bandit="], ["bandit must be one of", "thompson", "got ''"]),
    (["bandit=null"], ["bandit must be one of", "thompson", "got 'null'"]),
    (["--nosuch"], ["--nosuch", "--help"]),
    (["--cfg", "x"], ["--cfg must be one of job, hydra, all; got 'x'"]),
    (["--multirum"], ["--multirum is no option (did you mean --multirun?)"]),
    (["bandit=ucb", "--cfg"], ["--cfg must be one of job, hydra, all; got ''"]),
    (["-m", "seed=1,2", "--cfg", "job"], ["Only one of --run, --multirun, --cfg, --info"]),
    (["hydra.output_subdir=.hydra"], ["hydra.output_subdir is no key here", "hydra.run.dir"]),
    (["hydra/launcher=joblib"], ["hydra/launcher is no key here", "executor=NAME says what works in parallel: dask,"]),
    (["hydra.run.dir=[a]"], ["hydra.run.dir must be a folder; got '[a]'"]),
    (["bandit@x=ucb"], ["bandit must be written bandit=VALUE", "got 'bandit@x=ucb'"]),
    (["-m", "bandit.c=interval(0,1)"], ["bandit.c must have values that can be counted", "got interval(0,1)"]),
    (["-m", "seed=range(0,1e9)"], ["seed=range(0,1e9) must be at most 10,000 runs"]),
    (["arms=from_log", "arms.path=log.csv", "arms.arm_column=itm"], ["arms.arm_column", "(did you mean item?)"]),
    (["experiment=match", "openings=pair"], ["openings must be one of", "(did you mean pairs?)"]),
    (["experiment=uct_sweep", "parameter=simulation"], ["parameter must be", "(did you mean simulations?)"]),
    (["experiment=match", "player1=uct", "player1.policy=usb"], ["player1.policy must be", "(did you mean ucb?)"]),
    (
        ["players=[random,uct]"],
        ["players is no key here", "it is a key of experiment=environments or judge or"],
    ),
    (["experiment=uct_sweep", "player=[uct,null]"], ["player must be one of ", "got '[uct,null]'"]),
    (["experiment=match", "player1=[{name: nix}]"], ["player1 must be one of ", "got '[{name: nix}]'"]),
    (["experiment=match", "player1=3"], ["player1 must be one of biased_monte_carlo", "got '3'"]),
    (["experiment=strength", "players=[uct]", "simulations=[1.5]"], ["players[0].simulations", "got 1.5"]),
    (["bandit.c=" + "a" * 2_000], ["bandit.c must be a number of at least 0; got 'aaaa", "aaa... (2002 signs)"]),
    (["~seed"], ["seed must be written seed=VALUE, or left out", "got '~seed'"]),
    (["~nosuch"], ["nosuch is no key here"]),
    (["~arms.means"], ["arms.means must be written arms.means=VALUE", "got '~arms.means'"]),
    (["bandit.c=-1"], ["bandit.c", "-1", "at least 0"]),
    (["bandit.c=abc"], ["bandit.c", "abc", "a number"]),
    (["bandit.c=.nan"], ["bandit.c"]),
    (["bandit.c=inf"], ["bandit.c", "inf", "finite"]),
    (["bandit=epsilon_greedy", "bandit.epsilon=1.5"], ["bandit.epsilon", "1.5", "from 0 to 1"]),
    (["bandit=epsilon_greedy", "bandit.decay=0"], ["bandit.decay", "0", "above 0"]),
    (["bandit=greedy", "bandit.explore=-1"], ["bandit.explore", "-1", "at least 0"]),
    (["bandit=greedy", "bandit.step_size=0"], ["bandit.step_size", "0", "above 0"]),
    (["bandit=softmax", "bandit.temperature=0"], ["bandit.temperature", "0", "above 0"]),
    (["bandit=thompson", "bandit.alpha=0"], ["bandit.alpha", "0", "from 1e-06 to 1e+09"]),
    (["experiment=comparison", "bandits={name:ucb,c:0.5}"], ["bandits must be a list", "got a mapping"]),
    (["arms.means={a:1}"], ["arms.means must be a list", "got a mapping"]),
    (["bandit.name=null"], ["bandit must be a policy", "{name: ucb, c: 0.5}", "None"]),
    (["bandit.name=[1]"], ["bandit must be a policy", "{name: ucb, c: 0.5}", "[1]"]),
    (["arms.name=from_log"], ["arms.means is no parameter of from_log; it takes path, arm_column, reward_column"]),
    (["arms.name=random_bernoulli"], ["arms.means is no parameter of random_bernoulli; it takes arms, a, b"]),
    (["-m", "seed=range(3,0)"], ["seed=range(3,0)", "at least one combination"]),
    (["horizon=0"], ["horizon", "0", "at least 1"]),
    (["horizon=-5"], ["horizon", "-5", "at least 1"]),
    (["horizon=abc"], ["horizon", "abc", "a whole number"]),
    (["runs=0"], ["runs", "0", "at least 1"]),
    (["runs=1e9", "horizon=1e9"], ["runs must be at most", "got 1000000000"]),
    (["runs=1.5"], ["runs must be a whole number of at least 1; got 1.5"]),
    (["runs=null"], ["runs must be a whole number of at least 1; got None"]),
    (["arms.means=null"], ["arms.means must be a list", "got None"]),
    (["seed=-1"], ["seed", "-1", "at least 0"]),
    (["arms.means=[0.1,2]"], ["arms.means[1]", "2", "from 0 to 1"]),
    (["arms.means=[0.1,-0.5]"], ["arms.means[1]", "-0.5", "from 0 to 1"]),
    (["arms.means=[0.1,NaN]"], ["arms.means[1]", "nan", "from 0 to 1"]),
    (["arms.means=[]"], ["arms.means", "0", "at least 2"]),
    (["arms.means=[0.5]"], ["arms.means", "1", "at least 2"]),
    (["arms.means=0.4"], ["arms.means", "0.4", "a list"]),
    (["arms=random_means", "arms.arms=1"], ["arms.arms", "1", "at least 2"]),
    (["arms=random_means", "arms.a=0"], ["arms.a", "0", "from 1e-06 to 1e+06"]),
    (["arms=from_log"], ["arms.path", "must be given"]),
    (["arms=from_log", "arms.path=nope.csv"], ["arms.path", "nope.csv", "no such file"]),
    (["arms=from_log", "arms.path=log.csv", "arms.arm_column=x"], ["arms.arm_column", "'x'", "'item', 'click'"]),
    (["arms=from_log", "arms.path=log.csv", "arms.reward_column=item"], ["arms.arm_column and reward_column", "item"]),
    (["arms=from_log", "arms.path=bad.csv"], ["arms.path", "bad.csv", "line 3", "0 or 1", "'7'"]),
    (["bandit=kl_ucb", "arms=gaussian"], ["arms", "[0, 1]", "kl_ucb"]),
    (["bandit=custom"], ["bandit.rule", "dotted path"]),
    (["bandit=custom", "bandit.rule=no_such_module.rule"], ["bandit.rule", "no_such_module"]),
    (["bandit=custom", "bandit.rule=math.pi"], ["bandit.rule", "math.pi", "float"]),
    (["executor.workers=0"], ["executor.workers", "0", "at least 1"]),
    (
        ["experiment=comparison", "bandit=ucb"],
        ["bandit is no key here; the experiment has arms, executor,", "experiment=regret or trace"],
    ),
    (["experiment=comparison", "bandits=ucb"], ["bandits must be a list, such as [ucb,...]; got ucb"]),
    (["experiment=comparison", "bandits=[]"], ["bandits", "at least 1"]),
    (["experiment=comparison", "bandits=[ucb,nope]"], ["bandits[1]", "'nope'", "thompson"]),
    (["experiment=comparison", "bandits=[ucb,ucb]"], ["bandits[1].label", "'ucb'"]),
    (["experiment=comparison", "bandits=[ucb,{name: ucb, c: -1}]"], ["bandits[1].c", "-1", "at least 0"]),
    (["experiment=comparison", "bandits=[{name: ucb, d: 1}]"], ["bandits[0].d", "c"]),
    (["experiment=comparison", "bandits=[ucb(c=0.5)]"], ["bandits=[ucb(c=0.5)]", "KEY=VALUE"]),
    (["experiment=trace", "run=-1"], ["run", "-1", "at least 0"]),
    (["kind=comparison"], ["kind is no key here; the experiment has "]),
    (["horizon=100000000000000000000"], ["horizon", "at most"]),
    (["runs=3000000000000", "horizon=10"], ["runs", "at most"]),
    (["runs=1000000000", "horizon=1000000000"], ["runs", "at most"]),
    (["arms=gaussian", "arms.scale=1e300"], ["arms.scale", "1e+300", "1e+100"]),
    (["arms.means=[0.1,null]"], ["arms.means[1] must be a number from 0 to 1; got None"]),
    (["arms.means=[0.1,a]"], ["arms.means[1] must be a number from 0 to 1; got 'a'"]),
    (["arms.means=[.nan,0.5]"], ["arms.means[0] must be a number from 0 to 1; got '.nan'"]),
    (["bandit=custom", "bandit.rule=..x"], ["bandit.rule", "'..x'"]),
    (["arms=from_log", "arms.path=log (1).csv"], ["arms.path must stand in quotes", "'arms.path=\"log (1).csv\"'"]),
    (["hydra.run.dir=~/x"], ["hydra.run.dir must be written without ~", f"{os.path.expanduser('~')}/x; got '~/x'"]),
    (["pa(r)"], ["cannot read 'pa(r)': an override is KEY=VALUE"]),
    (["="], ["cannot read '='", "KEY=VALUE"]),
    (["=3"], ["cannot read '=3'", "KEY=VALUE"]),
    (["arms=from_log", "arms.path="], ["arms.path", "got ''", "empty"]),
    (["arms=from_log", "arms.path=https://x.y/z.csv"], ["arms.path", "a file of this machine", "'https://x.y/z.csv'"]),
    (["arms=from_log", "arms.path=/dev/zero"], ["arms.path", "'/dev/zero' is no ordinary file"]),
    (["bandit=epsilon_greedy", "bandit.epsilon=abc"], ["bandit.epsilon must be a number from 0 to 1; got 'abc'"]),
    (["bandit=epsilon_greedy", "bandit.epsilon=null"], ["bandit.epsilon must be a number from 0 to 1; got None"]),
    (["bandit=greedy", "bandit.explore=1.5"], ["bandit.explore must be a whole number of at least 0; got 1.5"]),
    (["bandit=custom", "bandit.rule=a.b", "bandit.params=3"], ["bandit.params must be a list of numbers", "got 3"]),
    (["arms=random_means", "arms.arms=x"], ["arms.arms must be a whole number of at least 2; got 'x'"]),
    (["arms=gaussian", "arms.scale=x"], ["arms.scale must be a number above 0", "got 'x'"]),
    (["arms.means=abc"], ["arms.means must be a list of numbers", "got 'abc'"]),
    (["executor.workers=x"], ["executor.workers must be a whole number of at least 1; got 'x'"]),
    (["seed=x"], ["seed must be a whole number of at least 0; got 'x'"]),
    (["horizon=1e30"], ["horizon must be a whole number of at most", "got 1000000000000000019884624838656"]),
    (["experiment=match", "games=x"], ["games must be a whole number of at least 1; got 'x'"]),
    (["bandit.label=[1]"], ["bandit.label must be a text; got [1]"]),
    (["experiment=comparison", "bandits=[{name: moss, label: [a]}]"], ["bandits[0].label must be a text; got ['a']"]),
    (["horizon=${nope}"], ["horizon cannot be resolved", "'nope'", "give horizon=VALUE"]),
    (["bandit.c=${oc.env:NOPE}"], ["bandit.c cannot be resolved", "'NOPE'", "give bandit.c=VALUE"]),
    (["arms.means=[0.1,'${nope}']"], ["arms.means[1] cannot be resolved", "'nope'"]),
    (["hydra.run.dir=${nope}"], ["hydra.run.dir cannot be resolved", "'nope'"]),
    ([f"seed={5_000 * '9'}"], ["seed must be a number of at most 300 digits; got 5000"]),
    ([f"bandit.c={301 * '9'}"], ["bandit.c must be a number of at most 300 digits; got 301"]),
    (["bandit.c=1e101"], ["bandit.c must be a number of at most 1e+100 in size; got 1e+101"]),
    (["bandit=ucb_v", "bandit.zeta=1e308"], ["bandit.zeta must be a number of at most 1e+100", "1e+308"]),
    (["arms=random_means", "arms.a=1e308"], ["arms.a must be a finite number from 1e-06 to 1e+06; got 1e+308"]),
    (["arms=random_means", "arms.arms=1000000000000"], ["arms.arms must be a whole number of at most 10000000"]),
    (["experiment=trace", "horizon=1000000000000"], ["horizon must be at most 1000000 for a trace of 10 arms"]),
    (["bandit=custom", "bandit.rule=null"], ["bandit.rule must be", "dotted path", "got None"]),
    (["bandit=custom", "bandit.rule=[a]"], ["bandit.rule must be", "got ['a']"]),
    (
        ["experiment=comparison", "bandits=[{name: ucb, 5: 3}]"],
        ["bandits[0].5 is no parameter of ucb; it takes c"],
    ),
    (
        ["bandit=[ucb,thompson]"],
        ["bandit must be one of ", "got '[ucb,thompson]'", "(several: -m bandit=a,b runs each)"],
    ),
    (["executor=[processes,serial]"], ["executor must be one of ", "got '[processes,serial]'"]),
    (["experiment=[regret,trace]"], ["experiment must be one of ", "got '[regret,trace]'"]),
    (["nonsense"], ["nonsense", "KEY=VALUE"]),
    (["+bandit.c=3"], ["bandit.c must be written bandit.c=VALUE", "got '+bandit.c=3'"]),
]


@pytest.mark.parametrize(("overrides", "parts"), CASES, ids=lambda value: " ".join(value)[:80])
def test_a_mistake_is_one_sentence_and_leaves_nothing_behind(command, tmp_path, overrides, parts):
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "bad.csv").write_text("item,click\n1,0\n2,7\n")
    said = command(*overrides)
    assert said.status == 2
    assert len(said.err.strip().splitlines()) == 1, said.err
    for part in parts:
        assert part in said.err
    assert said.err.startswith(parts[0]) or said.err.startswith("cannot read")
    assert not [path for path in (tmp_path / "results").rglob("*") if path.is_file()]
    assert not (tmp_path / "results").exists()


EXTREMES = [
    ["arms.means=[1e-320,0]"],
    ["arms=random_means", "arms.a=1e6", "arms.b=1e-6"],
    ["arms=testbed", "arms.center=1e100"],
    ["arms=testbed", "arms.scale=1e-320"],
    ["arms=gaussian", "arms.means=[1e100,-1e100]"],
    ["arms=gaussian", "arms.means=[0,1e-320]"],
    ["bandit=ucb_v", "bandit.zeta=1e100", "bandit.c=1e100"],
    ["bandit=optimistic", "bandit.initial=-1e100", "bandit.prior_pulls=1e100"],
    ["bandit=softmax", "bandit.temperature=1e-320"],
    ["bandit=epsilon_greedy", "bandit.decay=1e-320"],
]


@pytest.mark.drawn
@pytest.mark.parametrize("overrides", EXTREMES, ids=" ".join)
def test_the_largest_and_smallest_numbers_that_are_allowed_make_a_quiet_run(command, overrides):
    said = command(*overrides, "runs=3", "horizon=20")
    assert (said.status, said.complaint) == (0, "")


@pytest.mark.parametrize("place", ["file/below", "file"])
def test_a_folder_that_cannot_be_made_is_said(command, tmp_path, place):
    (tmp_path / "file").write_text("")
    said = command("runs=2", "horizon=20", f"hydra.run.dir={place}")
    assert said.status == 2
    assert len(said.err.strip().splitlines()) == 1
    assert "hydra.run.dir" in said.err


def test_a_folder_with_other_files_is_refused_untouched(command, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    said = command("runs=2", "horizon=20", "hydra.run.dir=mine")
    assert said.status == 2
    assert "thesis.tex" in said.err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("sweep", [[], ["-m"]])
@pytest.mark.parametrize("place", ["mine", "mine/new/newer", "."])
def test_a_refused_command_removes_no_folder_but_its_own(command, tmp_path, sweep, place):
    here = tmp_path if place == "." else tmp_path / "mine"
    here.mkdir(exist_ok=True)
    said = command(*sweep, "bandit.c=-1", f"hydra.{'sweep' if sweep else 'run'}.dir={place}")
    assert said.status == 2
    assert "bandit.c" in said.err
    assert not list(here.iterdir())


def test_a_folder_that_may_not_be_written_stays(command, tmp_path):
    (tmp_path / "mine").mkdir(mode=0o555)
    assert command("bandit.c=-1", "hydra.run.dir=mine").status == 2
    assert (tmp_path / "mine").is_dir()


def test_a_full_disk_is_said_and_leaves_no_half_table(command, tmp_path, monkeypatch):
    import pyarrow.parquet

    written = []

    def full(table, place, **options):
        place.write(b"half") if hasattr(place, "write") else place.write_bytes(b"half")  # of pandas, or ours
        written.append(place)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pyarrow.parquet, "write_table", full)
    said = command("runs=2", "horizon=20", "hydra.run.dir=run")
    assert said.status == 2
    assert len(said.err.strip().splitlines()) == 1
    assert "No space left" in said.err
    assert written
    assert not list((tmp_path / "run").rglob("*curves.parquet*"))
    assert not list((tmp_path / "run").rglob("*.half"))


@pytest.mark.parametrize("place", ["sweep.yaml", "sweep.json"])
def test_a_full_disk_under_a_sweep_names_its_folder_and_its_key(command, tmp_path, monkeypatch, place):
    write = Path.write_text

    def full(path, text, **options):
        if place in path.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, text, **options)

    monkeypatch.setattr(Path, "write_text", full)
    said = command("-m", "bandit.c=1,2", "runs=2", "horizon=20", "hydra.sweep.dir=swept")
    assert said.status == 2
    assert len(said.err.strip().splitlines()) == 1
    assert f"swept/{place}: No space left" in said.err
    assert "hydra.sweep.dir" in said.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [pytest.param(["--help"], marks=pytest.mark.long), ["runs=2", "horizon=20"]])
def test_an_output_that_takes_nothing_more_is_named(tmp_path, words):
    with open("/dev/full", "w") as full:
        said = run_apart(words, tmp_path, stdout=full)
    assert said.returncode == 2
    assert said.stderr == "standard output: No space left on device\n"


@pytest.mark.parametrize("words", [["--help"], pytest.param(["runs=2", "horizon=20"], marks=pytest.mark.long)])
def test_a_reader_that_has_left_ends_the_command_quietly_with_2(tmp_path, words):
    ours, theirs = os.pipe()
    os.close(ours)
    said = run_apart(words, tmp_path, stdout=theirs)
    os.close(theirs)
    assert (said.returncode, said.stderr) == (2, "")


@pytest.mark.parametrize("closed", [*(pytest.param([one], marks=pytest.mark.long) for one in (1, 2)), [0, 1, 2]])
@pytest.mark.parametrize(
    ("words", "status"),
    [
        pytest.param(["--help"], 0, marks=pytest.mark.long),
        (["runs=2", "horizon=20"], 0),
        pytest.param(["runs=-2"], 2, marks=pytest.mark.long),
    ],
)
def test_a_closed_output_keeps_nothing_from_being_done(tmp_path, closed, words, status):
    said = run_apart(words, tmp_path, stdout=subprocess.DEVNULL, preexec_fn=lambda: [os.close(one) for one in closed])
    assert said.returncode == status
    assert "Traceback" not in said.stderr
    assert len(list(tmp_path.rglob("summary.csv"))) == (words[0] == "runs=2")


def run_apart(words, folder, stdout, **more):
    """Run a command in a process of its own."""
    project = Path(__file__).resolve().parents[2]
    return subprocess.run(
        [sys.executable, "-m", "experiments.run", *words],
        env={**os.environ, "PYTHONPATH": str(project)},
        cwd=folder,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        **more,
    )


@pytest.mark.parametrize("reason", [errno.EPERM, errno.EFBIG, errno.EDQUOT, errno.EACCES])
def test_a_folder_that_cannot_take_a_file_says_what_to_do(reason):
    said = errors.sentence(OSError(reason, "", "/x/run/.lock"))
    assert said.startswith("/x/run/.lock: ")
    assert "; " in said
    assert "hydra.run.dir" in said or "ulimit" in said


def test_a_worker_that_dies_is_said():
    said = errors.sentence(BrokenProcessPool("exit codes {SIGKILL(-9)}"))
    assert said.startswith("executor: a worker process has died")
    assert "hydra.run.dir" in said


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("malloc of size 8 failed"),
        ImportError("libparquet.so: failed to map segment from shared object"),
        OSError("Unknown error: Failed to launch worker thread: Resource temporarily unavailable"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
    ],
)
def test_too_little_memory_is_said_as_such_and_of_no_folder(error):
    errors.locate(error, "/x/run")
    assert errors.sentence(error).startswith("memory: the machine has too little")


def test_a_pipe_that_is_full_is_no_lack_of_memory():
    error = BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
    errors.locate(error, "/x/run")
    assert not errors.sentence(error).startswith("memory")


def test_an_error_of_the_system_without_a_number_keeps_its_words():
    error = OSError("Invalid: what a library says")
    errors.locate(error, "/x/run")
    assert "Invalid: what a library says" in errors.sentence(error)


def test_a_bug_of_ours_is_no_sentence():
    assert errors.sentence(KeyError("x")) is None
    assert errors.sentence(TypeError("x")) is None


def test_an_unknown_option_of_the_plot_command_exits_with_2(command):
    assert command("--nonsense", module="plot").status == 2
    assert command("--help", module="plot").status == 0


@pytest.mark.parametrize(("arguments", "part"), [(["nowhere"], "no such folder"), (["."], "manifest.json")])
def test_plotting_what_is_no_run_is_one_sentence(command, arguments, part):
    said = command(*arguments, module="plot")
    assert said.status == 2
    assert part in said.err
    assert len(said.err.strip().splitlines()) == 1


def test_an_unknown_kind_in_the_catalogue_is_one_sentence(command):
    said = command("recipes", module="catalogue")
    assert said.status == 2
    assert "'recipes'" in said.err


def test_several_values_without_m_say_so(command):
    said = command("bandit=ucb,thompson")
    assert said.status == 2
    assert "-m" in said.err
    assert len(said.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "part"),
    [("from bandits import nothing_here\n", "ImportError"), ("1 / 0\n", "line 1"), ("x = undefined\n", "NameError")],
)
def test_a_rule_file_that_fails_is_one_sentence(command, tmp_path, monkeypatch, text, part):
    name = f"failing_{part.replace(' ', '')}"
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / f"{name}.py").write_text(text)
    said = command("bandit=custom", f"bandit.rule={name}.rule")
    assert said.status == 2
    assert part in said.err
    assert len(said.err.strip().splitlines()) == 1
