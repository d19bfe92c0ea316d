"""What holds of every kind of experiment: a run that failed goes on, a finished one is told again and drawn again."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from experiments.engine import printing
from experiments.report import sheets
from tests.experiments.commands import split_words
from tests.internals import Executor, Experiment, Serial

ON_A_SMALL_BOARD = ("board=4x3", "connect=3")
THOMPSON = Path(__file__).resolve().parents[2] / "data" / "open_bandit" / "open_bandit_thompson_men.csv.gz"
RUNS = {  # how many tasks are done before the failure, and a small run of more
    "comparison": (2, "bandits=[ucb,moss,random]", "horizon=60", "runs=7"),
    "match": (5, "player1=level_2", "games=12", *ON_A_SMALL_BOARD),
    "tournament": (5, "players=[random,level_3,level_2]", "games=6", *ON_A_SMALL_BOARD),
    "uct_sweep": (9, "values=[0.25,1]", "games=32", "player.simulations=8", "opponent=random", *ON_A_SMALL_BOARD),
    "exact": (2, "bandits=[ucb,random,bayes_optimal]", "horizon=8"),
    "identification": (2, "bandits=[kl_lucb,ucb,round_robin]", "arms=two_close", "runs=6", "most=90"),
    "leaderboard": (2, "bandits=[ucb,random,moss]", "problems=[short,testbed]", "runs=10"),
    "p_game": (5, "sizes=[2x4,3x3]", "trees=6", "runs=2", "iterations=32"),
    "planning": (5, *split_words("process.size=3 starts=3 runs=2 simulations=[8,32] scales=[tree,[-60,0]] steps=40")),
    "random_games": (
        2,
        *split_words("games=60 paths=40 position_paths=10 fillings=20 exact_positions=30"),
        *ON_A_SMALL_BOARD,
    ),
    "environments": (10, "players=[level_0,level_1,level_3]", "games=6"),
    "scaling": (
        4,
        *split_words(
            "bandits=[ucb,random] numbers_of_arms=[2,3] gaps=[0.1,0.5] horizons=[8,16,32,64] horizon=40 runs=6"
        ),
    ),
    "evaluate": (
        2,
        "log=open_bandit",
        f"log.path={THOMPSON}",
        "policies=[uniform,{name: arm, arm: 0}]",
        "learners=[ucb]",
    ),
    "sure_move": (2, "branching=3", "depth=2", "epsilon=0.1", "trees=4"),
    "sprt": (5, "player1=level_4", "player2=level_2", "elo1=60", "board=4x4"),
    "tune": (4, "values=[0.1,4]", "player.simulations=5", "epsilon=0.4", "games=20", "elo1=300"),
    "strength": (40, "players=[random,level_4,{name: level_0, label: nought}]", "positions=40"),
    "judge": (8, "players=[random,{name: level_4, label: four}]", "positions=12"),
    "grade": (100, "player=random", "rates=[0,0.3,1]", "rounds=1", "games=32", "simulations=5", *ON_A_SMALL_BOARD),
    "root_regret": (
        2,
        *split_words(
            "positions=4 simulations=12 playouts_per_move=5 'policies=[ucb,{name: ucb, c: 0.5, label: half}]'"
        ),
    ),
}
OF_TIMES = ("timings.parquet", "times.csv")


def tables_of(folder):
    found = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".csv", ".parquet")}
    return {name: found[name] for name in found if name not in OF_TIMES}


def times_in(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def figures_of(folder):
    return {path.name: path.read_bytes() for path in (folder / "figures").iterdir()}


def test_every_kind_is_here_that_has_tasks():
    # a comparison of one; one task; a command of its own; a journal, which test_live.py makes
    elsewhere = {"regret", "trace", "annotation", "live"}
    assert {*RUNS, *elsewhere} == set(Experiment.members)


def fail_after(tasks, patch):
    """Let the power go when the serial executor has done so many tasks."""
    done = []

    def dying(_, planned):
        for task in planned:
            if len(done) == tasks:
                raise OSError("the power went")
            done.append(task.path.name)
            yield task()

    patch.setattr(Serial, "run", dying)


def without_space(rows):
    return [["".join(cell.split()) for cell in row] for row in rows]


def assert_same_cells(said, folder, filled):
    """The terminal, the report and Markdown show the same texts; the terminal the first rows of a sheet of few."""
    cells = without_space(row for one in filled for row in one.cells)
    printed = [line.split("│")[1:-1] for line in said.out.splitlines() if line.startswith("│")]
    assert without_space(printed) == without_space(row for one in filled for row in one.cells[: one.few])
    left_out = [len(one.rows) - one.few for one in filled if one.few is not None and one.few < len(one.rows)]
    assert re.findall(r"^in the report: (\d+) more$", said.out, re.MULTILINE) == list(map(str, left_out))
    page = (folder / "report.html").read_text(encoding="utf-8")
    result = re.sub(
        r"(?s)<details>.*?</details>|<svg.*?</svg>", "", page.partition("<h2>Result</h2>")[2].partition("<h2>")[0]
    )
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(<td.*?)</tr>", result)]
    assert without_space([[html.unescape(cell) for cell in row] for row in rows]) == cells
    written = [line[2:-2].split(" | ") for one in filled for line in str(one).splitlines() if line.startswith("| ")]
    assert len(written) == len(cells) + 2 * len(filled)  # heads, and the line below them
    assert [row for row in without_space(written) if row in cells] == cells


def words_of(kind):
    """What a small run of a kind is asked for, and what chooses an executor where there is one to choose."""
    enough, *overrides = RUNS[kind]
    chosen = kind != "environments"
    serial = ["executor=serial"] if chosen else []
    others = ["executor=threads", "executor.workers=3"] if chosen else []
    return enough, [f"experiment={kind}", *overrides, "hydra.run.dir=run"], serial, others


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_that_failed_goes_on_with_the_same_bytes(command, attempt, tmp_path, monkeypatch, kind):
    enough, run, serial, others = words_of(kind)
    command(*run, *serial, "hydra.run.dir=whole", "figures=false")
    with monkeypatch.context() as patch:
        fail_after(enough, patch)
        assert attempt(*run, *serial, "figures=false").status == 2
    assert not (tmp_path / "run" / "manifest.json").exists()
    (tmp_path / "run" / "shards" / ".of_a_task.arrow.99.half").write_bytes(b"half a shard")
    said = command(*run, *others, "figures=false")
    kept = re.findall(r"^resuming: (\d+) of \d+ tasks are done$", said.out, flags=re.MULTILINE)
    assert sum(map(int, kept)) == enough
    assert tables_of(tmp_path / "run") == tables_of(tmp_path / "whole") != {}


@pytest.mark.long
@pytest.mark.drawn
@pytest.mark.parametrize("kind", RUNS)
def test_a_finished_run_is_told_and_drawn_again(command, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(printing, "_WIDTH_OF_A_FILE", 2_000)
    _, run, _, others = words_of(kind)
    said = command(*run, *others)
    drawn = figures_of(tmp_path / "run")
    assert drawn
    for executor in Executor.members.values():
        monkeypatch.setattr(executor, "run", None)  # nothing is left to be carried out
    before = times_in(tmp_path / "run")
    again = command(*run)
    assert times_in(tmp_path / "run") == before
    assert set(again.out.splitlines()) <= set(said.out.splitlines())
    assert again.out.splitlines()[-3:] == said.out.splitlines()[-3:]
    filled = sheets("run")
    assert filled or kind == "sprt"  # whose five lines are no table
    assert_same_cells(again, tmp_path / "run", filled)
    for path in (tmp_path / "run" / "figures").iterdir():
        path.unlink()
    command("run", module="plot")
    assert figures_of(tmp_path / "run") == drawn


CHOOSING = [kind for kind in RUNS if kind != "environments"]  # which has no executor to choose
AT_ONCE = [kind for kind in CHOOSING if kind not in ("grade", "sprt", "tune")]  # rounds in parts: test_slices.py
WAYS = [*((kind, "processes") for kind in CHOOSING), *((kind, "parts") for kind in AT_ONCE)]


@pytest.mark.parametrize(
    ("kind", "way"),
    [pytest.param(kind, way, marks=() if kind == "comparison" else pytest.mark.long) for kind, way in WAYS],
)
def test_processes_and_parts_finish_a_run_that_failed_with_the_same_bytes(
    finished, command, attempt, tmp_path, monkeypatch, kind, way
):
    enough, *overrides = RUNS[kind]
    run = [f"experiment={kind}", *overrides]
    finished(*run, "executor=serial", "hydra.run.dir=whole")
    with monkeypatch.context() as patch:
        fail_after(enough, patch)
        assert attempt(*run, "executor=serial", "hydra.run.dir=run").status == 2
    if way == "processes":
        more = [["executor=processes", "executor.workers=2"]]
    else:
        more = [*(["executor=slice", f"executor.part={part}", "executor.of=2"] for part in (2, 1)), []]
    for words in more:
        command(*run, *words, "hydra.run.dir=run")
    assert tables_of(tmp_path / "run") == tables_of(tmp_path / "whole")


CUTS = {  # what decides how many tasks a run has, and other values of it
    "comparison": ("experiments.replications.shards", {"_STEPS": 120, "_TOGETHER": 2}),
    "match": ("experiments.engine.tasks", {"_TASKS": 3}),
    "tournament": ("experiments.engine.tasks", {"_TASKS": 2}),
    "p_game": ("experiments.engine.tasks", {"_TASKS": 3}),
    "planning": ("experiments.engine.tasks", {"_TASKS": 3}),
    "root_regret": ("experiments.engine.tasks", {"_TASKS": 2}),
    "strength": ("experiments.engine.tasks", {"_TASKS": 7}),
}


@pytest.mark.parametrize("kind", CUTS)
def test_tables_have_the_same_bytes_for_every_cut(command, tmp_path, monkeypatch, kind):
    _, *overrides = RUNS[kind]
    counts = {}

    def counted(_, tasks):
        counts[len(counts)] = len(tasks)
        return (task() for task in tasks)

    monkeypatch.setattr(Serial, "run", counted)
    for folder in ("whole", "cut"):
        command(f"experiment={kind}", *overrides, "executor=serial", f"hydra.run.dir={folder}")
        module, values = CUTS[kind]
        for name, value in values.items():
            monkeypatch.setattr(f"{module}.{name}", value)
    assert counts[0] != counts[1]
    assert tables_of(tmp_path / "cut") == tables_of(tmp_path / "whole")
