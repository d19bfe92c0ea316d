"""Other people's engines in runs: named as nodes, what they do wrong, and what is left running."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.experiments.commands import hear_interrupts, until
from tests.internals import end_programs

PROJECT = Path(__file__).resolve().parents[2]
ENGINE = PROJECT / "tests" / "connect4" / "my_engine.py"
SUBMISSION = PROJECT / "tests" / "connect4" / "my_submission.py"
SMALL = ("board=4x3", "connect=3", "games=4")


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look at")


def processes_of(word: str) -> list[str]:
    """Return the command lines of all other running processes that hold a word; one that has ended has none."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            line = place.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if word in line and place.parent.name != str(os.getpid()):
                found.append(line)
    return found


@pytest.mark.long
def test_a_tournament_goes_on_whatever_engines_do_wrong_and_leaves_none_running(command, tmp_path):
    engine = tmp_path / "bad_engine.py"  # a name of its own: other tests run that program at the same time
    engine.symlink_to(ENGINE)
    ways = ["dies", "late", "endless", "full", "none", "word", "parent"]
    start = f"{sys.executable} {engine}"
    players = ",".join(f'{{name: program, label: {how}, command: "{start} {how}", limit: 0.5}}' for how in ways)
    broken = tmp_path / "broken_engine"  # which the system finds but cannot start
    broken.write_bytes(b"\0")
    broken.chmod(0o755)
    lost = f"{{name: program, label: broken, command: ./{broken.name}}}"
    said = command("experiment=tournament", "games=2", f"players=[random,{lost},{players}]", "executor=serial")
    games = pd.read_parquet(said.folder / "games.parquet")
    assert len(games) == 9 * 8
    for how, ending in {
        "dies": "the program has ended with status 1: my tables are lost",
        "late": "no move after 0.5 s",
        "endless": "an answer of more than 1,000 bytes",
        "none": "illegal move: returned 8; columns count from 1 to 7",
        "word": "the answer is not a column: 'left'",
        "broken": "./broken_engine cannot be started: Exec format error",
    }.items():
        assert ending in set(games.loc[games["winner"] != how, "ending"]), how
    end_programs()  # as the end of a process does
    assert processes_of(str(engine)) == []


@pytest.mark.long
@needs_proc
@pytest.mark.parametrize(
    ("executor", "told", "status"),
    [
        ("threads", signal.SIGINT, 130),
        pytest.param("processes", signal.SIGTERM, 143, marks=pytest.mark.long),
        pytest.param("serial", signal.SIGKILL, -signal.SIGKILL, marks=pytest.mark.long),
    ],
)
def test_a_run_that_is_stopped_leaves_no_engine_running(tmp_path, executor, told, status):
    engine = tmp_path / "hanging_engine.py"
    engine.symlink_to(ENGINE)
    words = ["experiment=match", "games=2", f"executor={executor}", "player1=random", f"hydra.run.dir={tmp_path}/run"]
    words += ["player2=program", f"player2.command='{sys.executable} {engine} hangs {tmp_path}'", "player2.limit=60"]
    child = f"hanging-child {tmp_path}"
    run = subprocess.Popen(
        [sys.executable, "-m", "experiments.run", *words],
        cwd=PROJECT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=hear_interrupts,
    )
    try:
        until(lambda: processes_of(child), 60.0)
        os.kill(run.pid, told)
        assert run.wait(20.0) == status
        until(lambda: not processes_of(str(engine)) and not processes_of(child))
    finally:
        run.kill()
        run.wait()
