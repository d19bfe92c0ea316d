"""Other people's engines in runs: what is left running when a run is stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.experiments.commands import hear_interrupts, until

PROJECT = Path(__file__).resolve().parents[2]
ENGINE = PROJECT / "tests" / "connect4" / "my_engine.py"


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
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look at")
@pytest.mark.parametrize(
    ("executor", "told", "status"), [("processes", signal.SIGTERM, 143), ("serial", signal.SIGKILL, -signal.SIGKILL)]
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
