"""What holds of every kind of experiment: its files, the same bytes for any cut and executor, told and drawn again."""

from __future__ import annotations

import html
import pickle
import re
from pathlib import Path

import pytest

from experiments.engine import printing
from experiments.report import sheets
from numerics.output import tables
from tests import data
from tests.experiments.commands import OF_EVERY_RUN, split_words
from tests.internals import Executor, Experiment, Serial

ON_A_SMALL_BOARD = ("board=4x3", "connect=3")
EIGHT_GAMES = (*ON_A_SMALL_BOARD, "openings=first_moves", "games=8")
THOMPSON = Path(__file__).resolve().parents[2] / "data" / "open_bandit" / "open_bandit_thompson_men.csv.gz"
RUNS = {  # how many tasks are done before the failure, and a small run of more
    "comparison": (2, "bandits=[ucb,moss,random]", "horizon=60", "runs=7"),
    "match": (5, "player1=level_2", "games=12", *ON_A_SMALL_BOARD),
    "tournament": (5, "players=[random,level_3,level_2]", "games=6", *ON_A_SMALL_BOARD),
    "uct_sweep": (5, "values=[0.25,1]", *EIGHT_GAMES, "player.simulations=5", "opponent=random"),
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
    "sure_move": (2, "branching=3", "depth=2", "epsilon=0.2", "trees=4"),
    "sprt": (5, "player1=level_4", "player2=level_2", "elo1=60", "board=4x4"),
    "tune": (
        4,
        *split_words("values=[0.1,4] player.simulations=5 method=sequential_halving budget=16 games=10 elo1=300"),
    ),
    "strength": (16, "players=[random,level_4,{name: level_0, label: nought}]", "positions=16"),
    "judge": (4, "players=[random,{name: level_2, label: two}]", "positions=6"),
    "grade": (26, "player=random", "rates=[0,0.3,1]", "rounds=1", "simulations=5", *EIGHT_GAMES),
    "root_regret": (
        2,
        *split_words(
            "positions=4 simulations=12 playouts_per_move=5 'policies=[ucb,{name: ucb, c: 0.5, label: half}]'"
        ),
    ),
}
OF_ONE_TASK = {"regret": ("horizon=60", "runs=7"), "trace": ("horizon=60", "bandit=ucb")}
CUT = {  # what decides how many tasks a run has, and other values of it
    "experiments.engine.tasks._TASKS": 3,
    "experiments.replications.shards._STEPS": 120,
    "experiments.replications.shards._TOGETHER": 2,
}
CUT_OTHERWISE = {"comparison", "match", "tournament", "p_game", "planning", "root_regret", "strength"}
THREADS = ("executor=threads", "executor.workers=3")
PROCESSES = ("executor=processes", "executor.workers=2")
OF_TIMES = ("timings.parquet", "times.csv")


def tables_of(folder):
    found = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".csv", ".parquet")}
    return {name: found[name] for name in found if name not in OF_TIMES}


def times_in(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def figures_of(folder):
    return {path.name: path.read_bytes() for path in (folder / "figures").iterdir()}


def test_every_kind_is_here_that_has_tasks():
    elsewhere = {"annotation", "live"}  # a command of its own; a journal, which test_live.py makes
    assert {*RUNS, *OF_ONE_TASK, *elsewhere} == set(Experiment.members)


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
    serial = ["executor=serial"] if kind != "environments" else []
    return enough, [f"experiment={kind}", *overrides], serial


def contract_of(folder):
    """The columns of every table, and the names of the figures."""
    found = {
        name: " ".join(tables.read(folder / name))
        for name in {*tables_of(folder), *OF_TIMES}
        if (folder / name).exists()
    }
    others = {path.name for path in folder.iterdir()} - {*found, *OF_EVERY_RUN, ".lock"}
    assert not others
    return found | {"figures": " ".join(sorted(path.name for path in (folder / "figures").iterdir()))}


@pytest.mark.parametrize("kind", OF_ONE_TASK)
def test_a_run_of_one_task_leaves_the_files_and_columns_of_its_contract(command, tmp_path, kind):
    command(f"experiment={kind}", *OF_ONE_TASK[kind], "figures=true", "hydra.run.dir=run")
    assert contract_of(tmp_path / "run") == data.read("tables_of_kinds")[kind]


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_that_failed_goes_on_with_the_bytes_of_another_cut_and_the_files_of_its_contract(
    command, attempt, tmp_path, monkeypatch, kind
):
    """The whole run is cut into other tasks; tasks are pickled, as worker processes need them."""
    enough, run, serial = words_of(kind)
    counts = []

    def all_of(_, planned):
        counts.append(len(planned))
        return (task() for task in planned)

    def dying(_, planned):
        for number, task in enumerate(planned):
            if sum(counts) + number == enough:
                raise OSError("the power went")
            yield pickle.loads(pickle.dumps(task))()
        counts.append(len(planned))

    with monkeypatch.context() as patch:
        patch.setattr(Serial, "run", all_of)
        for name, value in CUT.items():
            patch.setattr(name, value)
        command(*run, *serial, "hydra.run.dir=whole", "figures=true")
    whole = tables_of(tmp_path / "whole")
    assert contract_of(tmp_path / "whole") == data.read("tables_of_kinds")[kind]
    planned, counts[:] = sum(counts), []
    run += ["hydra.run.dir=run", "figures=false"]
    with monkeypatch.context() as patch:
        patch.setattr(Serial, "run", dying)
        assert attempt(*run, *serial).status == 2
    assert not (tmp_path / "run" / "manifest.json").exists()
    (tmp_path / "run" / "shards" / ".of_a_task.arrow.99.half").write_bytes(b"half a shard")
    if parts := kind in ("comparison", "match", "random_games", "root_regret"):
        command(*run, "executor=slice", "executor.part=2", "executor.of=2")
    said = command(*run, *((PROCESSES if kind == "comparison" else THREADS) if kind != "environments" else ()))
    kept = re.findall(r"^resuming: (\d+) of (\d+) tasks are done$", said.out, flags=re.MULTILINE)
    of_part = int(kept[0][1]) // 2 - enough // 2 if parts else 0  # every second task, but for those done before
    assert sum(int(done) for done, _ in kept) == enough + of_part
    assert kind not in CUT_OTHERWISE or planned != int(kept[0][1])
    assert tables_of(tmp_path / "run") == whole != {}


@pytest.mark.long
@pytest.mark.drawn
@pytest.mark.parametrize("kind", RUNS)
def test_a_finished_run_is_told_and_drawn_again(command, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(printing, "_WIDTH_OF_A_FILE", 2_000)
    _, run, _ = words_of(kind)
    run.append("hydra.run.dir=run")
    said = command(*run)
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
