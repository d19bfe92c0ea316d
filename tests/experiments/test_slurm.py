"""The job array of docs/guides/cluster.md on a real SLURM: its parts and its merging job leave the bytes of one run."""

from __future__ import annotations

import contextlib
import getpass
import os
import random
import re
import secrets
import socket
import subprocess
import sys
import time

import pytest

from tests.experiments.commands import split_words, until
from tests.pages import ROOT, page

TOURNAMENT = split_words(
    "experiment=tournament players=[random,level_3,level_4,monte_carlo,uct] games=40 board=5x4 connect=3 seed=3"
)
TABLES = ("games.parquet", "standings.csv", "pairs.csv", "crosstable.csv")
KILLS = 6  # of each kind
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo")


@contextlib.contextmanager
def slurm(root):
    """Start SLURM in a folder, and stop it; yields the environment in which `sbatch` finds it."""
    host, user = socket.gethostname().partition(".")[0], getpass.getuser()
    for name in ("state", "spool"):
        (root / name).mkdir()
    key, munge = root / "munge.key", root / "munge.socket"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o600)
    settings = {
        "ClusterName": "one",
        "SlurmctldHost": f"{host}(127.0.0.1)",
        "SlurmUser": user,
        "SlurmdUser": user,
        "AuthInfo": f"socket={munge},cred_expire=5",  # seconds that a requeued job waits, which are usually 120
        "SlurmctldPort": _free_port(),
        "SlurmdPort": _free_port(),
        "StateSaveLocation": root / "state",
        "SlurmdSpoolDir": root / "spool",
        "SlurmctldPidFile": root / "slurmctld.pid",
        "SlurmdPidFile": root / "slurmd.pid",
        "ProctrackType": "proctrack/linuxproc",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core",
        "SchedulerParameters": "batch_sched_delay=1,sched_interval=1",
        "NodeName": f"{host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()}",
        "PartitionName": f"all Nodes={host} Default=YES",
    }
    configuration = root / "slurm.conf"
    configuration.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    environment = {**os.environ, "SLURM_CONF": str(configuration)}
    files = [f"--{name}-file={root / f'munged.{name}'}" for name in ("pid", "log", "seed")]
    daemons = {"munged": ["--foreground", "--force", f"--socket={munge}", f"--key-file={key}", *files]}
    daemons |= {name: ["-D", "-f", str(configuration)] for name in ("slurmctld", "slurmd")}
    with contextlib.ExitStack() as started:
        for name, words in daemons.items():
            output = started.enter_context((root / f"{name}.said").open("w"))
            daemon = subprocess.Popen([name, *words], env=environment, stdout=output, stderr=output)
            started.callback(daemon.wait)
            started.callback(daemon.terminate)
            if name == "munged":
                until(munge.exists, 20)
        until(lambda: _ask(["sinfo", "--noheader", "--format=%T"], environment) == "idle", 60)
        yield environment


def running(environment, states="RUNNING"):
    """Return the jobs in some states, parts of an array by their own numbers."""
    return _ask(["squeue", "--noheader", "--array", "--format=%i", f"--states={states}"], environment).split()


def submit(words, environment):
    """Give SLURM a job; return its number."""
    return _ask(["sbatch", "--parsable", *words], environment)


def _ask(words, environment):
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False).stdout.strip()


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def scripts(folder, words):
    """Write the two scripts of the documentation, for a run of these words in the folder's `parts`; say where."""
    array, merge = (block.text for block in page("guides/cluster").blocks if block.kind == "bash")
    place = folder / "slurm"
    place.mkdir()
    typed = f"{sys.executable} -m experiments.run {' '.join(map(repr, words))} hydra.run.dir={folder / 'parts'}"
    for name, script in (("array.sh", array), ("merge.sh", merge)):
        assert 'python -m experiments.run "${RUN[@]}"' in script
        (place / name).write_text(
            re.sub(r"^RUN=.*$", "", script, flags=re.MULTILINE)
            .replace('python -m experiments.run "${RUN[@]}"', typed)
            .replace("--array=1-50", "--array=1-4")
        )
    return place


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="a SLURM of one machine is started by root")
def test_parts_that_are_requeued_and_cancelled_many_times_leave_the_same_bytes(command, program, tmp_path):
    for name in PROGRAMS:
        program(name)
    command(*TOURNAMENT, "hydra.run.dir=whole")
    place, chance, ended = scripts(tmp_path, TOURNAMENT), random.Random(31), 0
    with slurm(place) as own:
        environment = {**own, "PYTHONPATH": str(ROOT), "SBATCH_OUTPUT": str(place / "job-%j.txt")}
        script = [str(place / "array.sh")]
        while ended < 2 * KILLS:
            if len(running(environment, "RUNNING,PENDING")) < 3:  # two jobs may do the same part
                submit(script, environment)
            time.sleep(chance.uniform(0.2, 1.5))
            for job in running(environment)[:1]:
                _ask([["scontrol", "requeue"], ["scancel"]][ended % 2] + [job], environment)  # to begin anew, or not
                ended += 1
        until(lambda: not running(environment, "RUNNING,PENDING,COMPLETING"), 120)
        last = submit(script, environment)
        submit([f"--dependency=afterok:{last}", str(place / "merge.sh")], environment)
        until((tmp_path / "parts" / "manifest.json").exists, 300)
    for name in TABLES:
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    for output in place.glob("job-*.txt"):
        assert "Traceback" not in output.read_text(), output.read_text()
